"""The Compose files and templates of platforms: valid by their schema and by docker-compose itself, no password in them, refused while a password is not set,
versions pinned, addresses those of the balancer's file, and every setting one that the service reads. Called by e2e/deploy/check.sh.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"
# Variables of a file that are passwords: .env must give them.
PASSWORDS = {"small": [], "grown": ["EDGE_SECRET", "POSTGRES_PASSWORD", "S3_SECRET_KEY"]}
# Templates of platforms: variables that the platform gives, and where the profile of system calls lies there.
TEMPLATES = {
    "coolify/glasshouse.yaml": ({"SERVICE_URL_GLASSHOUSE": "https://glasshouse.example.com"}, "/etc/glasshouse/seccomp.json"),
    "dokploy/docker-compose.yml": ({"PUBLIC_URL": "https://glasshouse.example.com"}, "../files/seccomp.json"),
}
# Keys whose values may never stand in a file.
SECRET = re.compile(r"PASSWORD|SECRET|DATABASE_URL|API_KEY|SMTP_URL")


def compose(folder, variables=None):
    """The file as docker-compose reads it."""
    # A .env of whoever works here must not decide.
    with tempfile.NamedTemporaryFile("w", suffix=".env") as nothing:
        command = ["docker-compose", "--env-file", nothing.name, "--file", "compose.yaml", "config"]
        environment = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")} | (variables or {})
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def parse_env(text):
    return dict(line.split("=", 1) for line in text.splitlines() if line and not line.startswith("#"))


def refusals(folder, passwords):
    """A password that is not set, or empty, is refused and named."""
    given = dict.fromkeys(passwords, "0" * 64)
    cases = [(name, "absent", {key: value for key, value in given.items() if key != name}) for name in passwords]
    cases += [(name, "empty", given | {name: ""}) for name in passwords]
    with ThreadPoolExecutor(max_workers=3) as pool:
        runs = list(pool.map(lambda case: compose(folder, case[2]), cases))
    # docker-compose repeats the line with the variable and adds the sentence behind it.
    return [
        f"{name} may be {how}: {run.stderr.strip()}"
        for (name, how, _), run in zip(cases, runs, strict=True)
        if run.returncode == 0 or name not in run.stderr or "make-env.sh" not in run.stderr
    ]


def example(folder, passwords):
    """.env.example names each variable of the file, and gives no password."""
    text = (folder / ".env.example").read_text()
    used = set(re.findall(r"\$\{([A-Z0-9_]+)", (folder / "compose.yaml").read_text()))
    named = set(re.findall(r"^#?([A-Z0-9_]+)=", text, re.M)) - {"COMPOSE_PROJECT_NAME"}
    problems = [f".env.example does not name {name}" for name in used - named]
    problems += [f".env.example names {name}, which is not used" for name in named - used]
    return problems + [f".env.example gives {name}" for name in passwords if parse_env(text).get(name)]


def written(folder, passwords):
    """make-env.sh gives each password a long value of its own, for this user alone, and replaces nothing."""
    if not passwords:
        return []
    with tempfile.TemporaryDirectory() as copy:
        for name in ("make-env.sh", ".env.example"):
            shutil.copy(folder / name, copy)
        first = subprocess.run([f"{copy}/make-env.sh"], capture_output=True, text=True, check=False)
        made = Path(copy) / ".env"
        values = parse_env(made.read_text())
        second = subprocess.run([f"{copy}/make-env.sh"], capture_output=True, text=True, check=False)
        rules = [
            (first.returncode == 0, f"make-env.sh failed: {first.stderr}"),
            (len({values[name] for name in passwords}) == len(passwords), "two passwords are the same"),
            (all(re.fullmatch("[0-9a-f]{64}", values[name]) for name in passwords), "a password is not 64 hexadecimal digits"),
            (made.stat().st_mode & 0o077 == 0, ".env may be read by others"),
            (second.returncode == 1 and parse_env(made.read_text()) == values, "make-env.sh replaces a .env"),
        ]
        return [sentence for holds, sentence in rules if not holds]


def literal_passwords(folder):
    """Passwords that stand in the file itself."""
    services = yaml.safe_load((folder / "compose.yaml").read_text())["services"]
    return [
        f"{service} has a password in the file: {key}"
        for service, settings in services.items()
        for key, value in (settings.get("environment") or {}).items()
        if SECRET.search(key) and "${" not in str(value)
    ]


def service_rules(name, service, profile="../../seccomp.json"):
    image = service["image"]
    tag = image.rsplit(":", 1)[1] if ":" in image.rsplit("/", 1)[-1] else ""
    options = service.get("security_opt", [])
    rules = [
        (bool(re.search(r"\d+\.\d+", tag)), f"the version of {image} is not pinned"),
        ("no-new-privileges:true" in options, "may get privileges"),
        (not service.get("privileged") and not service.get("cap_add"), "has privileges"),
        (not any("unconfined" in option for option in options), "has no seccomp profile"),
    ]
    if "glasshouse" in image:
        grace = int(service["environment"].get("GLASSHOUSE_SERVER__DRAIN_S", 0)) + 20
        rules += [
            (service["read_only"] is True and service["cap_drop"] == ["ALL"] and "/tmp" in service["tmpfs"], "is not confined"),
            (f"seccomp:{profile}" in options and (DEPLOY / "seccomp.json").exists(), "has no seccomp profile that is there"),
            (int(service["stop_grace_period"].rstrip("s")) > grace, f"is ended before its {grace} s are over"),
            (any(volume.split(":")[1] == "/var/lib/glasshouse" for volume in service["volumes"]), "keeps nothing"),
        ]
    return [f"{name} {sentence}" for holds, sentence in rules if not holds]


def read_by_service(binary, name, service):
    """Lets the service read its variables: a setting that it does not know, or cannot read, is an error."""
    variables = {"PATH": os.environ["PATH"]} | {key: str(value) for key, value in service["environment"].items()}
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([binary, "config"], env=variables, cwd=folder, capture_output=True, text=True, check=False)
    return [] if run.returncode == 0 else [f"{name}: the service refuses its settings: {run.stderr.strip()}"]


def balancer_rules(services):
    """The balancer's file leads to the nodes, and the nodes trust the balancer."""
    file = (DEPLOY / "proxies/haproxy.cfg").read_text()
    nodes = {name: s["networks"]["nodes"]["ipv4_address"] for name, s in services.items() if name.startswith("node")}
    named = set(re.findall(r"^ +server (node\d) ([\d.]+):", file, re.M))
    problems = [] if named == set(nodes.items()) else [f"haproxy.cfg leads to {sorted(named)}, and the nodes are {sorted(nodes.items())}"]
    balancer = services["balancer"]["networks"]["nodes"]["ipv4_address"]
    for name in nodes:
        environment = services[name]["environment"]
        if environment["GLASSHOUSE_EDGE__TRUSTED_PROXIES"] != f"{balancer}/32":
            problems.append(f"{name} does not trust the balancer {balancer}, or trusts more")
        if environment["GLASSHOUSE_EDGE__PROXY_PROTOCOL"] != "required":
            problems.append(f"{name} does not read the PROXY headers that haproxy.cfg sends")
    edges = re.findall(r"^ +server .*:(?:8080|8443)(.*)$", file, re.M)
    if not edges or any("send-proxy-v2" not in rest for rest in edges):
        problems.append("haproxy.cfg does not say who a client is")
    sources = [volume.split(":")[0] for s in services.values() for volume in s.get("volumes", []) if volume.startswith("/")]
    return problems + [f"mounted, and not there: {source}" for source in sources if not Path(source).exists()]


def check(name, binary):
    folder, passwords = DEPLOY / "compose" / name, PASSWORDS[name]
    run = compose(folder, dict.fromkeys(passwords, "0" * 64))
    if run.returncode != 0:
        return [f"docker-compose: {run.stderr.strip()}"]
    services = yaml.safe_load(run.stdout)["services"]
    problems = literal_passwords(folder) + refusals(folder, passwords) + example(folder, passwords) + written(folder, passwords)
    for service, settings in services.items():
        problems += service_rules(service, settings)
        if "glasshouse" in settings["image"]:
            problems += read_by_service(binary, service, settings)
    return problems + (balancer_rules(services) if "balancer" in services else [])


def check_template(name, binary):
    """A template has one confined container whose settings the service reads; no port of the machine is taken from the platform's proxy."""
    (variables, profile), text = TEMPLATES[name], (DEPLOY / name).read_text()
    if f"seccomp:{profile}" not in text:
        return ["has no seccomp profile"]
    # docker-compose reads the profile where the platform has it: a folder beside that of the file stands for the platform.
    with tempfile.TemporaryDirectory() as platform:
        here = Path(platform) / "files/seccomp.json"
        here.parent.mkdir()
        shutil.copy(DEPLOY / "seccomp.json", here)
        code = Path(platform) / "code"
        code.mkdir()
        (code / "compose.yaml").write_text(text.replace(profile, "../files/seccomp.json"))
        run = compose(code, variables)
    if run.returncode != 0:
        return [f"docker-compose: {run.stderr.strip()}"]
    service = yaml.safe_load(run.stdout)["services"]["glasshouse"]
    problems = service_rules("glasshouse", service, "../files/seccomp.json") + read_by_service(binary, "glasshouse", service)
    if service["environment"]["GLASSHOUSE_SERVER__PUBLIC_URL"] != "https://glasshouse.example.com":
        problems.append("the public address is not the platform's")
    return problems + (["takes a port of the machine"] if "ports" in service else [])


def check_dokploy_template():
    """template.toml leads its domain to the service, gives the variables of the file, and has the profile of the other containers."""
    template = tomllib.loads((DEPLOY / "dokploy/template.toml").read_text())
    text = (DEPLOY / "dokploy/docker-compose.yml").read_text()
    mounts = {mount["filePath"]: mount["content"] for mount in template["config"]["mounts"]}
    rules = [
        (template["config"]["domains"] == [{"serviceName": "glasshouse", "port": 3000, "host": "${domain}"}], "the domain does not lead to port 3000"),
        (set(template["config"]["env"]) == set(re.findall(r"\$\{([A-Z_]+)", text)), "env and the file name other variables"),
        (json.loads(mounts["seccomp.json"]) == json.loads((DEPLOY / "seccomp.json").read_text()), "the profile is not deploy/seccomp.json"),
    ]
    return [sentence for holds, sentence in rules if not holds]


def main():
    failed = 0
    binary = os.environ["GLASSHOUSE"]
    checks = [(f"compose/{name}", lambda name=name: check(name, binary)) for name in PASSWORDS]
    checks += [(name, lambda name=name: check_template(name, binary)) for name in TEMPLATES]
    checks.append(("dokploy/template.toml", check_dokploy_template))
    for name, problems_of in checks:
        problems = problems_of()
        failed += len(problems)
        print(f"{name:40} {'ok' if not problems else f'{len(problems)} FAILED'}")
        for problem in problems:
            print(f"    {problem}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
