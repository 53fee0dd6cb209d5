"""Rules of our own for what the Helm chart renders: `restricted` Pod Security, probes, ends of pods, and that names and labels
by which one document means another are there."""

import ipaddress

# Addresses at which clouds tell a machine its credentials. No page that a browser loads may reach them.
METADATA = ["169.254.169.254", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"]
# Volumes that the restricted Pod Security Standard allows and the chart uses.
VOLUMES = {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"}


def restricted(name, spec):
    """The restricted Pod Security Standard, as far as a chart can break it."""
    rules = [(spec["securityContext"].get("runAsNonRoot") is True and spec["securityContext"].get("runAsUser", 0) > 0, "runs as root")]
    seccomp = spec["securityContext"].get("seccompProfile", {})
    rules.append((seccomp.get("type") in ("RuntimeDefault", "Localhost"), "has no seccomp profile"))
    rules.append(((seccomp.get("type") == "Localhost") == bool(seccomp.get("localhostProfile")), "names no seccomp profile"))
    rules += [(not spec.get(key), f"has {key}") for key in ("hostNetwork", "hostPID", "hostIPC")]
    rules += [(set(volume) - {"name"} <= VOLUMES, f"has the volume {volume}") for volume in spec["volumes"]]
    for container in spec["containers"]:
        context = container["securityContext"]
        rules += [
            (context.get("allowPrivilegeEscalation") is False, "may get privileges"),
            (context.get("capabilities") == {"drop": ["ALL"]}, "has capabilities"),
            (not context.get("privileged"), "is privileged"),
            (context.get("readOnlyRootFilesystem") is True, "has a root that can be written"),
            (not any("hostPort" in port for port in container["ports"]), "has a port of the host"),
        ]
    return [f"{name} {sentence}" for holds, sentence in rules if not holds]


def pod_rules(name, spec, config):
    container = spec["containers"][0]
    variables = {variable["name"]: variable for variable in container["env"]}
    roles = variables["GLASSHOUSE_SERVER__ROLES"]["value"].split(",")
    ports = {port["name"] for port in container["ports"]}
    probes = {kind: (container[kind]["httpGet"]["path"], container[kind]["httpGet"]["port"]) for kind in ("startupProbe", "livenessProbe", "readinessProbe")}
    end = int(config["GLASSHOUSE_SERVER__DRAIN_S"]) + int(config["GLASSHOUSE_SERVER__SHUTDOWN_GRACE_S"])
    readiness = container["readinessProbe"]
    noticed = (readiness["failureThreshold"] + 1) * readiness["periodSeconds"]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    seccomp = spec["securityContext"]["seccompProfile"]["type"]
    rules = [
        (probes["livenessProbe"] == ("/healthz", "metrics") == probes["startupProbe"], f"is alive by {probes}"),
        (probes["readinessProbe"] == ("/readyz/traffic", "metrics"), f"is ready by {probes['readinessProbe']}"),
        (("api" in ports) == ("api" in roles), f"has the roles {roles} and the ports {ports}"),
        (("edge-http" in ports) == ("edge" in roles), f"has the roles {roles} and the ports {ports}"),
        ("metrics" in ports, "has no port for metrics"),
        (spec["terminationGracePeriodSeconds"] > end, f"ends within {spec['terminationGracePeriodSeconds']} s, and needs {end}"),
        (noticed <= int(config["GLASSHOUSE_SERVER__DRAIN_S"]), f"drains for less than the {noticed} s in which its readiness is noticed"),
        (spec["enableServiceLinks"] is False and spec["automountServiceAccountToken"] is False, "gets more than it needs"),
        ({"data", "tmp"} <= mounted, "cannot write to its data or to /tmp"),
        ("render" in roles or seccomp == "RuntimeDefault", "has no browser, and the browsers' seccomp profile"),
        (all("value" in v or "secretKeyRef" in v["valueFrom"] for v in variables.values()), "has a variable without a source"),
        ("memory" in container["resources"].get("limits", {}), "has no limit of memory"),
    ]
    return [f"{name} {sentence}" for holds, sentence in rules if not holds]


def selects(selector, labels):
    return all(labels.get(key) == value for key, value in selector.items())


def allows(rule, address):
    """Whether a rule of egress lets through to an address on any port but DNS."""
    if rule.get("ports") and all(port.get("port") == 53 for port in rule["ports"]):
        return False
    blocks = [peer["ipBlock"] for peer in rule.get("to", []) if "ipBlock" in peer]
    inside = lambda cidr: ipaddress.ip_address(address) in ipaddress.ip_network(cidr)
    return not rule.get("to") or any(inside(block["cidr"]) and not any(map(inside, block.get("except", []))) for block in blocks)


def look_at(release):
    """Looks at a release as a whole; a sentence for each thing that is wrong."""
    by_kind = {}
    for document in release:
        by_kind.setdefault(document["kind"], []).append(document)
    problems = [f"there is a Secret: {d['metadata']['name']}" for d in by_kind.get("Secret", [])]
    config = by_kind["ConfigMap"][0]["data"]
    workloads = by_kind.get("Deployment", []) + by_kind.get("StatefulSet", [])
    pods = []
    for workload in workloads:
        template, name = workload["spec"]["template"], workload["metadata"]["name"]
        pods.append((template["metadata"]["labels"], template["spec"]))
        problems += restricted(name, template["spec"]) + pod_rules(name, template["spec"], config)
        own = workload["spec"]["selector"]["matchLabels"]
        if sum(selects(own, other["spec"]["template"]["metadata"]["labels"]) for other in workloads) != 1:
            problems.append(f"{name} selects other pods than its own")
        for spread in template["spec"].get("topologySpreadConstraints", []):
            if spread["labelSelector"]["matchLabels"] != own:
                problems.append(f"{name} spreads other pods than its own")
    for service in by_kind["Service"]:
        matched = [spec for labels, spec in pods if selects(service["spec"]["selector"], labels)]
        for port in service["spec"]["ports"]:
            names = [{p["name"] for p in spec["containers"][0]["ports"]} for spec in matched]
            if not matched or not all(port["targetPort"] in known for known in names):
                problems.append(f"Service {service['metadata']['name']}: no pod, or one without the port {port['targetPort']}")
    for budget in by_kind.get("PodDisruptionBudget", []):
        if not any(selects(budget["spec"]["selector"]["matchLabels"], labels) for labels, _ in pods):
            problems.append(f"PodDisruptionBudget {budget['metadata']['name']} is for no pod")
    for scaler in by_kind.get("HorizontalPodAutoscaler", []):
        target = scaler["spec"]["scaleTargetRef"]
        meant = [w for w in workloads if (w["kind"], w["metadata"]["name"]) == (target["kind"], target["name"])]
        if not meant or "replicas" in meant[0]["spec"]:
            problems.append(f"HorizontalPodAutoscaler {scaler['metadata']['name']} has no workload, or one with a number of its own")
    for ingress in by_kind.get("Ingress", []):
        backend = ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
        if not any(s["metadata"]["name"] == backend["name"] and any(p["name"] == backend["port"]["name"] for p in s["spec"]["ports"]) for s in by_kind["Service"]):
            problems.append(f"Ingress leads to {backend}, which is not there")
    for monitor in by_kind.get("ServiceMonitor", []):
        meant = [s for s in by_kind["Service"] if selects(monitor["spec"]["selector"]["matchLabels"], s["metadata"]["labels"])]
        if len(meant) != 1 or monitor["spec"]["endpoints"][0]["port"] not in {p["name"] for p in meant[0]["spec"]["ports"]}:
            problems.append("ServiceMonitor finds not one Service with its port")
    for policy in by_kind.get("NetworkPolicy", []):
        if not all(selects(policy["spec"]["podSelector"]["matchLabels"], labels) for labels, _ in pods):
            problems.append("NetworkPolicy leaves out a pod")
        egress = policy["spec"]["egress"]
        problems += [f"NetworkPolicy lets through to {address}" for address in METADATA if any(allows(rule, address) for rule in egress)]
        if not any(allows(rule, "192.0.2.1") for rule in egress):
            problems.append("NetworkPolicy keeps browsers from the internet")
        for rule in policy["spec"]["ingress"]:
            if not all(any(p["port"] in {q["name"] for q in spec["containers"][0]["ports"]} for _, spec in pods) for p in rule["ports"]):
                problems.append(f"NetworkPolicy names a port that no pod has: {rule}")
    for rules in by_kind.get("PrometheusRule", []):
        if not rules["spec"].get("groups"):
            problems.append("PrometheusRule has no groups")
    return problems
