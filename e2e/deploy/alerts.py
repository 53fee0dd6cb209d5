"""The tests of the alerts leave no alert and no recorded series out: each alert is expected to fire and, on an ordinary day, to be silent.
And docs/deploying-nodes.md says how many there are. Called by e2e/deploy/check.sh.
"""

import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent.parent
ORDINARY = "an ordinary day raises no alert"


def main():
    read = lambda name: yaml.safe_load((ROOT / "deploy/alerts" / name).read_text())
    rules = [rule for group in read("glasshouse.rules.yml")["groups"] for rule in group["rules"]]
    tests = read("glasshouse.rules.test.yml")["tests"]
    expected = [(test["name"], case) for test in tests for case in test.get("alert_rule_test", [])]
    fires = {case["alertname"] for _, case in expected if case["exp_alerts"]}
    silent = {case["alertname"] for name, case in expected if name == ORDINARY and not case["exp_alerts"]}
    evaluated = " ".join(case["expr"] for test in tests for case in test.get("promql_expr_test", []))
    alerts = [rule["alert"] for rule in rules if "alert" in rule]
    problems = [f"no test in which {name} fires" for name in alerts if name not in fires]
    problems += [f"{name} is not in the test of an ordinary day" for name in alerts if name not in silent]
    problems += [f"no test of {rule['record']}" for rule in rules if "record" in rule and rule["record"] not in evaluated]
    told = re.search(r"has (\d+) alerts", (ROOT / "docs/deploying-nodes.md").read_text())
    if not told or int(told.group(1)) != len(alerts):
        problems.append(f"docs/deploying-nodes.md does not say that there are {len(alerts)} alerts")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
