"""The Helm chart: rendered by Helm's own engine for every file in ci/, validated strictly against Kubernetes 1.33 to 1.37,
looked at by rules of our own, its settings read by the service, and wrong values refused with the key's name.
Called by e2e/deploy/check.sh, which makes the Python environment. See docs/decisions/0495.

  helm.py            checks
  helm.py --write    writes the part of values.schema.json that follows from docs/settings.md
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import kubernetes_validate
import yaml
from helm_python.chart import Chart, lint
from helm_python.errors import HelmError

from helm_rules import look_at
from helm_wrong_values import IMAGE, WRONG

ROOT = Path(__file__).parent.parent.parent
CHART = ROOT / "deploy/helm/glasshouse"
VERSIONS = ["1.33", "1.34", "1.35", "1.36", "1.37"]
# Kinds of the Prometheus operator: no part of Kubernetes, and looked at by our own rules only.
FOREIGN = ["monitoring.coreos.com/v1"]
# What the chart sets itself, and what is a secret or carries a password: never in `config`.
BY_CHART = {
    "server.listen", "server.roles", "server.drain_s", "server.shutdown_grace_s", "edge.http_listen", "edge.https_listen",
    "storage.data_dir", "storage.object_store_url", "storage.s3_endpoint", "storage.s3_region", "storage.s3_allow_http",
    "telemetry.metrics_listen",
}
SECRET = {
    "edge.secret", "storage.database_url", "storage.s3_access_key_id", "storage.s3_secret_access_key", "providers.<id>.api_key",
    "analysis.api_key", "mail.smtp_url", "analytics.store_url",
}


def settings():
    """Every setting of docs/settings.md with its default."""
    page = (ROOT / "docs/settings.md").read_text()
    found = {key: json.loads(default) for key, default in re.findall(r"^\| `([a-z0-9_<>.]+)` \| `(.*?)` \| ", page, re.M) if "." in key}
    if len(found) < 80:
        raise SystemExit(f"could not read docs/settings.md: {len(found)} settings")
    return found


def type_of(default):
    """The schema of a value. A text may be a size, which is also a number."""
    return {
        bool: {"type": "boolean"}, int: {"type": "integer"}, list: {"type": "array"}, dict: {"type": "object"},
    }.get(type(default), {"type": ["string", "number"]})


def config_schema():
    sections = {}
    for key, default in settings().items():
        if key in BY_CHART | SECRET:
            continue
        section, *rest = key.split(".")
        place = sections.setdefault(section, {"type": "object", "properties": {}, "additionalProperties": False})
        if rest[0] == "<id>":
            place["additionalProperties"] = sections[section]["additionalProperties"] or {
                "type": "object", "properties": {}, "additionalProperties": False}
            place, rest = place["additionalProperties"], rest[1:]
        place["properties"][rest[0]] = type_of(default)
    return {"type": "object", "properties": sections, "additionalProperties": False}


def schema_text():
    schema = json.loads((CHART / "values.schema.json").read_text())
    schema["properties"]["config"] = config_schema()
    return json.dumps(schema, indent=2) + "\n"


def documents(chart, values, name="demo"):
    """What a release of these values consists of."""
    rendered = chart.render(values, name=name, namespace="web")
    texts = [text for name, text in sorted(rendered.items()) if name.endswith(".yaml")]
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def validate(document):
    """Problems of a document in the eyes of each version of Kubernetes."""
    name = f"{document['kind']} {document['metadata']['name']}"
    if document["apiVersion"] in FOREIGN:
        return []
    problems = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
            problems.append(f"Kubernetes {version}: {name}: {error.message}")
    return problems


def read_by_service(binary, documents_of_release):
    """Lets the service read the variables of each workload: a setting that it does not know, or cannot read, is an error."""
    maps = {d["metadata"]["name"]: d["data"] for d in documents_of_release if d["kind"] == "ConfigMap"}
    problems = []
    for document in documents_of_release:
        if document["kind"] not in ("Deployment", "StatefulSet"):
            continue
        container = document["spec"]["template"]["spec"]["containers"][0]
        variables = {}
        for source in container["envFrom"]:
            variables |= maps.get(source.get("configMapRef", {}).get("name"), {})
        for variable in container["env"]:
            secret = "postgres://u:p@h/n" if variable["name"].endswith("DATABASE_URL") else "x" * 40
            variables[variable["name"]] = variable.get("value", secret)
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([binary, "config"], env={"PATH": os.environ["PATH"], **variables}, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            problems.append(f"{document['metadata']['name']}: the service refuses its settings: {run.stderr.strip()}")
    return problems


def check_values(chart, file, binary):
    values = yaml.safe_load(file.read_text())
    report = lint(CHART, values, strict=True, namespace="web")
    # 1 is information: there is no icon.
    problems = [f"lint: {m['path']}: {m['error']}" for m in report["messages"] if m["severity"] > 1] + report["errors"]
    release = documents(chart, values)
    for document in release:
        problems += validate(document)
    return problems + look_at(release) + read_by_service(binary, release)


def long_names(chart):
    """Releases with the longest name that Helm takes, and with dots in it: names that Kubernetes makes labels of stay short enough, and
    Services have names that it takes."""
    values = yaml.safe_load((CHART / "ci/roles-values.yaml").read_text()) | {"fullnameOverride": ""}
    release = documents(chart, values, name="a" * 53) + documents(chart, values, name="shop.example.com")
    # A StatefulSet's name becomes a label with a hyphen and ten characters; a Service's name is a name in DNS.
    most = {"StatefulSet": 52, "Deployment": 52, "Service": 63}
    long = [d["metadata"]["name"] for d in release if len(d["metadata"]["name"]) > most.get(d["kind"], 253)]
    services = [d["metadata"]["name"] for d in release if d["kind"] == "Service"]
    wrong = [name for name in services if not re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", name)]
    said = refusal(chart, IMAGE, name="2nd") or ""
    wrong += [] if "fullnameOverride" in said else [f"2nd: {said or 'taken'}"]
    return [f"too long: {name}" for name in long] + [f"no name of a Service: {name}" for name in wrong]


def notes(chart):
    """The notes name the address that there is: with https where the Ingress has a certificate, as set where it is set."""
    problems = []
    for ingress, config, address in [
        ({}, {}, "http://g.example/"),
        ({"tlsSecretName": "tls"}, {}, "https://g.example/"),
        ({}, {"server": {"public_url": "https://g.example"}}, "https://g.example/"),
    ]:
        values = IMAGE | {"ingress": {"enabled": True, "host": "g.example"} | ingress, "config": config}
        rendered = chart.render(values, name="demo", namespace="web")
        text = next((text for name, text in rendered.items() if name.endswith("NOTES.txt")), "")
        if f"  {address}\n" not in text:
            problems.append(f"{ingress} {config}: {address} is not in the notes: {text}")
    return problems


def refusal(chart, values, name="demo"):
    """What Helm says to values, or None when it takes them."""
    try:
        chart.render(values, name=name, namespace="web")
    except HelmError as error:
        return str(error)
    return None


def at(values, path):
    """The value at a path such as `image.tag`; KeyError when there is none."""
    for key in path.split("."):
        values = values[key]
    return values


def readme():
    """The chart's README names values that there are, with their defaults."""
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    rows = re.findall(r"^\| `([\w.]+)` \| `(.*?)` \| ", (CHART / "README.md").read_text(), re.M)
    problems = [] if len(rows) > 10 else ["the table of values was not found"]
    for path, default in rows:
        try:
            if at(values, path) != yaml.safe_load(default):
                problems.append(f"{path} is {at(values, path)!r}, not {default}")
        except KeyError:
            problems.append(f"no such value: {path}")
    return problems


def seccomp_daemon_set():
    """The DaemonSet is valid, and its command puts the profile where the chart's values look for it."""
    document = yaml.safe_load((CHART.parent / "seccomp-daemonset.yaml").read_text())
    spec = document["spec"]["template"]["spec"]
    host = next(volume["hostPath"]["path"] for volume in spec["volumes"] if "hostPath" in volume)
    wanted = "/var/lib/kubelet/seccomp/" + yaml.safe_load((CHART / "values.yaml").read_text())["seccompProfile"]["localhostProfile"]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "profile").mkdir()
        (Path(folder) / "machine").mkdir()
        (Path(folder) / "profile/glasshouse.json").write_text("{}")
        *shell, script = spec["containers"][0]["command"]
        # Up to where it waits.
        script = re.sub(r"/(profile|machine)/", rf"{folder}/\1/", script.split(" && trap ")[0])
        run = subprocess.run([*shell, script], capture_output=True, text=True, check=False)
        written = [path.name for path in (Path(folder) / "machine").iterdir()]
    problems = [] if [f"{host}/{name}" for name in written] == [wanted] else [f"{host} has {written}, not {wanted}: {run.stderr}"]
    return problems + validate(document)


# Maps whose keys are the user's own.
FREE = {"podAnnotations", "podLabels", "nodeSelector", "affinity", "annotations", "labels"}


def maps_of(values, path=()):
    """Paths of all maps of the values, without those whose keys are the user's own."""
    yield path
    for key, value in values.items():
        if isinstance(value, dict) and key not in FREE:
            yield from maps_of(value, (*path, key))


def nested(path, value):
    for key in reversed(path):
        value = {key: value}
    return value


def every_level(chart):
    """At every level of the values, an unknown key, a text in place of a map and null are refused by name. A key that only Helm sees
    (`helm --set image.tagg=1`) would otherwise do nothing."""
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    paths = [*maps_of(values), *(("roles", "edge", *path) for path in maps_of(values["defaults"]) if path)]
    problems = []
    for path in paths:
        for wrong, name in ((nested((*path, "mistyped"), 1), "mistyped"), (nested(path, "word"), ".".join(path))):
            # Helm itself refuses values that are no map.
            if not isinstance(wrong, dict):
                continue
            said = refusal(chart, wrong if path[:1] == ("image",) else wrong | IMAGE)
            if said is None or name not in said.replace("/", "."):
                problems.append(f"{json.dumps(wrong)}: {said or 'taken'}")
    # `config:` with nothing but comments below it is null, by which Helm takes the default away.
    for path in maps_of(values):
        for key, default in at(values, ".".join(path)).items() if path else values.items():
            if default is None or path[:1] == ("roles",) or key == "roles" or "resources" in path:
                continue
            said = refusal(chart, IMAGE | nested((*path, key), None))
            if said is None or key not in said:
                problems.append(f"{'.'.join((*path, key))}: null: {said or 'taken'}")
    return problems


def report(name, problems):
    print(f"{name:40} {'ok' if not problems else f'{len(problems)} FAILED'}")
    for problem in problems:
        print(f"    {problem}")
    return len(problems)


def main():
    if "--write" in sys.argv:
        (CHART / "values.schema.json").write_text(schema_text())
        return 0
    binary = os.environ["GLASSHOUSE"]
    failed = 0
    is_same = schema_text() == (CHART / "values.schema.json").read_text()
    failed += report("schema has the service's settings", [] if is_same else ["values.schema.json is old: e2e/deploy/helm.py --write"])
    is_same = (CHART / "files/glasshouse.rules.yml").read_text() == (ROOT / "deploy/alerts/glasshouse.rules.yml").read_text()
    failed += report("rules are those of deploy/alerts", [] if is_same else ["cp deploy/alerts/glasshouse.rules.yml deploy/helm/glasshouse/files/"])
    version = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.M).group(1)
    with Chart.load(CHART) as chart:
        same = {chart.version, str(chart.metadata["appVersion"]), version}
        failed += report("version is the service's", [] if len(same) == 1 else [f"versions differ: {', '.join(sorted(same))}"])
        for file in sorted((CHART / "ci").glob("*-values.yaml")):
            failed += report(file.name, check_values(chart, file, binary))
        failed += report("long names", long_names(chart))
        failed += report("notes", notes(chart))
        failed += report("README", readme())
        failed += report("seccomp profile for machines", seccomp_daemon_set())
        failed += report("keys at every level", every_level(chart))
        problems = []
        for key, values in WRONG:
            said = refusal(chart, values)
            if said is None:
                problems.append(f"taken: {json.dumps(values)}")
            elif key not in said.replace("/", "."):
                problems.append(f"{key} is not named: {said}")
        failed += report(f"{len(WRONG)} wrong values", problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
