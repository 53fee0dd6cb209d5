"""Wrong values of the Helm chart, each with the key that its refusal must name (dots between levels)."""

IMAGE = {"image": {"repository": "registry.example/glasshouse"}}
STORES = {
    "database": {"existingSecret": "db"},
    "objectStore": {"url": "s3://bucket", "existingSecret": "bucket"},
    "secret": {"existingSecret": "glasshouse"},
}


def with_image(**values):
    return IMAGE | values


def of_all(**values):
    return IMAGE | STORES | {"roles": {"all": values}}


WRONG = [
    ("image.repository", {}),
    ("image.repository", {"image": {"repository": "Registry.Example/Glass House"}}),
    ("image.tag", {"image": {"repository": "r.example/g", "tag": "latest"}}),
    ("image.digest", {"image": {"repository": "r.example/g", "digest": "sha256:12"}}),
    ("image.pullPolicy", {"image": {"repository": "r.example/g", "pullPolicy": "Sometimes"}}),
    ("replicas", with_image(replicas=3)),
    ("rolls", with_image(rolls={})),
    ("roles", with_image(roles={"browser": {"enabled": True}})),
    ("browser", with_image(roles={"browser": {"enabled": True}})),
    ("roles.all.replicaCount", of_all(replicaCount="three")),
    ("roles.all.replicaCount", of_all(replicaCount=-1)),
    ("replicas", of_all(replicas=3)),
    ("roles.all.resources.limits.memory", of_all(resources={"limits": {"memory": "two gigabytes"}})),
    ("roles.all.autoscaling.maxReplicas", of_all(autoscaling={"enabled": True, "maxReplicas": 0})),
    ("roles.all.autoscaling.minReplicas", of_all(autoscaling={"enabled": True, "minReplicas": 9, "maxReplicas": 3})),
    ("roles.all.autoscaling", of_all(autoscaling={"enabled": True, "targetWaitingRenders": 0})),
    ("roles.edge.autoscaling.targetCPUUtilizationPercentage", IMAGE | STORES | {"roles": {"all": {"enabled": False}, "edge": {"enabled": True, "autoscaling": {"enabled": True}}} | {
        r: {"enabled": True} for r in ("api", "render", "worker")}}),
    ("roles.all.podDisruptionBudget.maxUnavailable", of_all(podDisruptionBudget={"maxUnavailable": 0})),
    ("roles.all.persistence.accessModes", of_all(persistence={"accessModes": ["ReadOnlyMany"]})),
    ("roles.all.topologySpreadConstraints", of_all(topologySpreadConstraints=[{"topologyKey": "zone"}])),
    ("roles.all.extraEnv", of_all(extraEnv=[{"value": "x"}])),
    ("roles.all.podAnnotations.a", of_all(podAnnotations={"a": 1})),
    ("roles.all.enabled", IMAGE | STORES | {"roles": {"api": {"enabled": True}}}),
    ("roles.api.enabled", with_image(roles={"all": {"enabled": False}})),
    ("roles.render.enabled", IMAGE | STORES | {"roles": {"all": {"enabled": False}} | {r: {"enabled": True} for r in ("api", "edge", "worker")}}),
    ("roles.all.persistence.enabled", with_image(roles={"all": {"persistence": {"enabled": False}}})),
    ("database.existingSecret", with_image(roles={"all": {"replicaCount": 2}})),
    ("database.existingSecret", with_image(roles={"all": {"autoscaling": {"enabled": True}}})),
    ("database.existingSecret", with_image(database={"existingSecret": "Not A Name"})),
    ("url", with_image(database={"url": "postgres://user:password@host/name"})),
    ("objectStore.url", IMAGE | STORES | {"objectStore": {}, "roles": {"all": {"replicaCount": 2}}}),
    ("objectStore.url", IMAGE | STORES | {"objectStore": {"url": "https://bucket.example"}}),
    ("objectStore.existingSecret", with_image(objectStore={"url": "s3://bucket", "existingSecret": "Bucket"})),
    ("objectStore.allowHttp", IMAGE | STORES | {"objectStore": {"url": "s3://bucket", "existingSecret": "b", "endpoint": "http://s3:9000"}}),
    ("secret.existingSecret", IMAGE | STORES | {"secret": {}, "roles": {"all": {"replicaCount": 2}}}),
    ("secretSettings", with_image(secretSettings=[{"setting": "mail.smtp_url", "value": "smtps://user:password@host"}])),
    ("secretSettings", with_image(secretSettings=[{"setting": "MAIL", "secretName": "a", "key": "b"}])),
    ("config", with_image(config={"render_timeout": 5})),
    ("config.render", with_image(config={"render": {"timeout": 5}})),
    ("config.render.timeout_ms", with_image(config={"render": {"timeout_ms": "soon"}})),
    ("config.edge.trusted_proxies", with_image(config={"edge": {"trusted_proxies": "10.0.0.0/8"}})),
    ("config.server", with_image(config={"server": {"roles": ["api"]}})),
    ("database_url", with_image(config={"storage": {"database_url": "postgres://user:password@host/name"}})),
    ("api_key", with_image(config={"providers": {"chatgpt": {"api_key": "sk-1"}}})),
    ("drainSeconds", with_image(drainSeconds="15s")),
    ("drainSeconds", of_all(replicaCount=2) | {"drainSeconds": 5}),
    ("terminationGracePeriodSeconds", with_image(terminationGracePeriodSeconds=35)),
    ("terminationGracePeriodSeconds", with_image(drainSeconds=60, terminationGracePeriodSeconds=60)),
    ("listenAddress", with_image(listenAddress="127.0.0.1")),
    ("edgeTls", with_image(edgeTls={"enable": True})),
    ("service.edge.type", with_image(service={"edge": {"type": "ExternalName"}})),
    ("service.edge.externalTrafficPolicy", with_image(service={"edge": {"externalTrafficPolicy": "local"}})),
    ("service.api.port", with_image(service={"api": {"port": 70000}})),
    ("ingress.host", with_image(ingress={"enabled": True})),
    ("ingress.host", with_image(ingress={"enabled": True, "host": "https://glasshouse.example.com"})),
    ("ingress.host", with_image(ingress={"enabled": True, "host": "glasshouse.example.com/"})),
    ("ingress.host", with_image(ingress={"enabled": True, "host": "glasshouse.example.com:443"})),
    ("ingress.host", with_image(ingress={"enabled": True, "host": "Glasshouse.example.com"})),
    ("nameOverride", with_image(nameOverride="shop.example")),
    ("nameOverride", with_image(nameOverride="a" * 64)),
    ("fullnameOverride", with_image(fullnameOverride="glasshouse.example.com")),
    ("fullnameOverride", with_image(fullnameOverride="2nd-glasshouse")),
    ("fullnameOverride", with_image(fullnameOverride="a" * 46)),
    ("roles.all.podLabels", of_all(podLabels={"team": "a" * 64})),
    ("roles.all.podLabels", of_all(podLabels={"team": "web & shop"})),
    ("b" * 64, of_all(podLabels={"b" * 64: "web"})),
    ("roles.all.nodeSelector", of_all(nodeSelector={"pool": "a b"})),
    ("serviceMonitor.labels", with_image(serviceMonitor={"enabled": True, "labels": {"release": "a" * 64}})),
    ("serviceMonitor.interval", with_image(serviceMonitor={"enabled": True, "interval": "often"})),
    ("seccompProfile.type", with_image(seccompProfile={"type": "Unconfined"})),
    ("seccompProfile.localhostProfile", with_image(seccompProfile={"type": "Localhost", "localhostProfile": ""})),
    ("hostUsers", with_image(hostUsers="no")),
    ("runAsUser", with_image(runAsUser=0)),
]
