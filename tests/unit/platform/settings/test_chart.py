"""The Helm chart: linted and rendered by Helm itself, and what it renders held to the schemas of
Kubernetes and of KEDA."""

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
import yaml
from jsonschema.validators import validator_for

from desk.contracts.names import Queue, source_queue
from desk.platform.settings.mcp_json import read_mcp_config
from desk.platform.temporal.deployment import DEPLOYMENT
from tests.support.processes.homes import PROJECT
from tests.unit.platform.settings.test_compose import SECRETS, SERVICES, WORKERS, environment

if find_spec("helm_python") is None:
    pytest.skip("Helm has no wheel for this platform", allow_module_level=True)
kubernetes_validate = pytest.importorskip("kubernetes_validate")

CHART = PROJECT / "deploy/helm/desk"
SCHEMAS = PROJECT / "tests/unit/platform/schemas"
OLDEST, NEWEST = "1.29", "1.37"
"""Of Kubernetes: Chart.yaml names the first, and the schemas that are installed have the second."""

NEW, OLD = f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"
IMAGE = "registry.example.com/research-desk"
Values = dict[str, Any]
Manifest = dict[str, Any]


def helm() -> Any:
    """Helm itself, loaded by the first test that needs it: it starts threads, and from a process
    with threads no others can be forked."""
    return import_module("helm_python")


def values(**changed: Any) -> Values:
    """The least that must be given, with two builds."""
    return {
        "image": {"repository": IMAGE, "digest": NEW},
        "build": "0.2.0",
        "draining": [{"build": "0.1.0", "digest": OLD}],
        "temporal": {"address": "temporal-frontend.temporal:7233"},
        "store": {"url": "s3://research-desk/desk"},
        **changed,
    }


ALL: Values = values(
    temporal={
        "address": "temporal-frontend.temporal:7233",
        "namespace": "research",
        "uiUrl": "https://temporal.example.com",
        "tlsSecret": "temporal-tls",
        "tlsCa": True,
    },
    store={"url": "s3://research-desk/desk", "endpoint": "https://s3.example.com"},
    secrets={
        name: f"desk-{name}"
        for name in ("store", "model", "sources", "deliveries", "signing", "payloads", "serve")
    },
    serve={"enabled": True, "from": [{"namespaceSelector": {}}]},
    env={"CLAUDE_MODEL_EXECUTION": "claude-sonnet-5-5"},
    configMap="desk-configuration",
    networkPolicy={"metricsFrom": [{"podSelector": {"matchLabels": {"app": "prometheus"}}}]},
    serviceAccount={"annotations": {"example.com/role": "desk"}},
    nodeSelector={"kubernetes.io/arch": "amd64"},
    tolerations=[{"key": "desk", "operator": "Exists"}],
    image={"repository": IMAGE, "digest": NEW, "pullSecrets": ["registry"]},
)
"""Everything that can be given."""


def rendered(given: Values) -> list[Manifest]:
    with helm().Chart.load(CHART) as chart:
        files: Mapping[str, str] = chart.render(given, name="fx", namespace="desk")
    texts = (text for name, text in files.items() if name.endswith(".yaml"))
    read = (manifest for text in texts for manifest in yaml.load_all(text, yaml.CSafeLoader))
    return [manifest for manifest in read if manifest]


def of_kind(kind: str, given: Values) -> dict[str, Manifest]:
    return {m["metadata"]["name"]: m for m in rendered(given) if m["kind"] == kind}


def workers_of(given: Values) -> dict[str, Manifest]:
    """The deployments of workers, not that of the pages."""
    found = of_kind("Deployment", given)
    return {name: manifest for name, manifest in found.items() if role_of(manifest) in WORKERS}


def role_of(manifest: Manifest) -> str:
    return str(manifest["metadata"]["labels"]["app.kubernetes.io/component"])


def container(deployment: Manifest) -> Manifest:
    (only,) = deployment["spec"]["template"]["spec"]["containers"]
    return dict(only)


def complaints(given: Values) -> str:
    """What `helm lint --strict` says that is no suggestion."""
    told = helm().lint(CHART, given, strict=True)
    return "\n".join(message["error"] for message in told["messages"] if message["severity"] > 1)


without_keda = values(keda={"enabled": False}, networkPolicy={"enabled": False}, draining=[])
every_set = pytest.mark.parametrize("given", [values(), ALL, without_keda])


@every_set
def test_helm_finds_nothing_wrong(given: Values) -> None:
    assert complaints(given) == ""


@every_set
def test_what_is_rendered_is_what_kubernetes_and_keda_take(given: Values) -> None:
    manifests = rendered(given)
    assert {manifest["kind"] for manifest in manifests} >= {"Deployment", "Job"}
    for manifest in manifests:
        if manifest["apiVersion"].startswith("keda.sh/"):
            schema = json.loads((SCHEMAS / f"{manifest['kind'].lower()}.json").read_text())
            # That it is a schema is not the chart's to show, and takes ten times as long.
            validator_for(schema)(schema).validate(manifest)
            continue
        for version in (OLDEST, NEWEST):
            kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"image": {"repository": IMAGE, "digest": "latest"}}, "/image/digest"),
        ({"image": {"repository": f"{IMAGE}@{NEW}", "digest": NEW}}, "/image/repository"),
        ({"build": ""}, "/build"),
        ({"store": {"url": "research-desk"}}, "/store/url"),
        ({"temporal": {"address": "temporal-frontend"}}, "/temporal/address"),
        ({"env": {"ANTHROPIC_API_KEY": "sk-"}}, "invalid propertyName 'ANTHROPIC_API_KEY'"),
        ({"secret": {}}, "secret"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(changed: Values, told: str) -> None:
    assert told in complaints(values(**changed))


def test_each_build_has_workers_of_every_role_by_the_digest_of_its_image() -> None:
    found = of_kind("Deployment", values())
    assert {
        name: (container(m)["image"], container(m)["args"], variable(m, "DESK_BUILD_ID"))
        for name, m in found.items()
    } == {
        f"fx-desk-{role}-{build.replace('.', '-')}": (
            f"{IMAGE}@{digest}",
            ["worker", role],
            build,
        )
        for build, digest in (("0.2.0", NEW), ("0.1.0", OLD))
        for role in WORKERS
    }
    assert {variable(m, "DESK_VERSIONING") for m in found.values()} == {"pinned"}


def variable(deployment: Manifest, name: str) -> str | None:
    found = {entry["name"]: entry.get("value") for entry in container(deployment)["env"]}
    return found.get(name)


def test_workers_the_command_line_and_keda_show_the_server_the_same_certificate() -> None:
    (authentication,) = of_kind("TriggerAuthentication", ALL).values()
    asked = {each["parameter"]: each["key"] for each in authentication["spec"]["secretTargetRef"]}
    told = {
        "cert": "TEMPORAL_TLS_CLIENT_CERT_PATH",
        "key": "TEMPORAL_TLS_CLIENT_KEY_PATH",
        "ca": "TEMPORAL_TLS_SERVER_CA_CERT_PATH",
    }
    (job,) = of_kind("Job", ALL).values()
    for pod in (job, *workers_of(ALL).values()):
        paths = {key: str(variable(pod, name)) for key, name in told.items()}
        assert paths == {key: f"/etc/temporal/{file}" for key, file in asked.items()}
    assert not of_kind("TriggerAuthentication", values())


def test_new_runs_go_to_the_newest_build_once_its_workers_poll() -> None:
    (job,) = of_kind("Job", values()).values()
    assert job["metadata"]["annotations"]["helm.sh/hook"].startswith("post-install,post-upgrade")
    command = container(job)["command"]
    assert command[:4] == ["temporal", "worker", "deployment", "set-current-version"]
    assert f"--deployment-name={DEPLOYMENT}" in command
    assert "--build-id=0.2.0" in command
    # Without it the server refuses as long as nobody polls, and the job is tried again.
    assert "--allow-no-pollers" not in command
    assert job["spec"]["backoffLimit"] > 10


def test_each_deployment_is_scaled_on_the_backlog_of_its_own_queues_and_build() -> None:
    servers = read_mcp_config(PROJECT / "deploy/mcp.json")
    queues = {
        "orchestrator": [Queue.DESK],
        "research": [Queue.RESEARCH],
        "validation": [Queue.VALIDATION],
        "sources": [source_queue(server) for server in servers],
    }
    deployments = of_kind("Deployment", values())
    scaled = of_kind("ScaledObject", values())
    assert set(scaled) == set(deployments)
    for name, manifest in scaled.items():
        spec = manifest["spec"]
        role = role_of(manifest)
        asked = [trigger["metadata"] for trigger in spec["triggers"]]
        assert spec["scaleTargetRef"]["name"] == name
        assert [trigger["taskQueue"] for trigger in asked] == queues[role]
        build = variable(deployments[name], "DESK_BUILD_ID")
        assert {trigger["workerDeploymentBuildId"] for trigger in asked} == {build}
        assert {trigger["workerDeploymentName"] for trigger in asked} == {DEPLOYMENT}
        # Whoever scales decides how many there are.
        assert "replicas" not in deployments[name]["spec"]


def test_a_pod_holds_only_the_secrets_that_its_role_uses_and_by_reference() -> None:
    for name, deployment in workers_of(ALL).items():
        role = role_of(deployment)
        entries = {entry["name"]: entry for entry in container(deployment)["env"]}
        secret = SECRETS & set(entries)
        assert secret == SECRETS & set(environment(role)) - {"DESK_CODEC_TOKEN"}, name
        assert all("secretKeyRef" in entries[entry]["valueFrom"] for entry in secret)


def test_a_pod_is_hardened_probed_and_shares_no_folder() -> None:
    for deployment in workers_of(ALL).values():
        role = role_of(deployment)
        pod, worker = deployment["spec"]["template"]["spec"], container(deployment)
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
        assert worker["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        asked = SERVICES[role]["healthcheck"]["test"][1:]
        for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
            assert worker[probe]["exec"]["command"] == asked
        assert worker["resources"]["limits"]["memory"]
        assert not [volume for volume in pod["volumes"] if "persistentVolumeClaim" in volume]
        assert variable(deployment, "DESK_STORE") == "s3://research-desk/desk"


def test_only_whoever_asks_for_metrics_may_connect_to_a_worker() -> None:
    (policy,) = of_kind("NetworkPolicy", values()).values()
    assert policy["spec"]["ingress"] == []
    policies = of_kind("NetworkPolicy", ALL)
    policy = policies["fx-desk"]
    (rule,) = policy["spec"]["ingress"]
    assert [port["port"] for port in rule["ports"]] == [9464]


def test_the_pages_are_served_where_that_is_asked_for_with_their_token_and_no_other_key() -> None:
    assert "fx-desk-serve" not in of_kind("Deployment", values())
    serve = of_kind("Deployment", ALL)["fx-desk-serve"]
    assert container(serve)["args"][0] == "serve"
    held = SECRETS & {entry["name"] for entry in container(serve)["env"]}
    store = {"DESK_STORE_ACCESS_KEY_ID", "DESK_STORE_SECRET_ACCESS_KEY"}
    assert held == {"DESK_SERVE_TOKEN", "DESK_PAYLOAD_KEYS"} | store
    (service,) = of_kind("Service", ALL).values()
    labels = serve["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert [port["port"] for port in service["spec"]["ports"]] == [8250]


def test_the_notes_name_what_drains_and_what_the_next_upgrade_needs() -> None:
    with helm().Chart.load(CHART) as chart:
        notes = chart.render(values(), name="fx", namespace="desk")["desk/templates/NOTES.txt"]
    assert "--build-id 0.1.0" in notes
    assert f'build: "0.2.0", digest: "{NEW}"' in notes
