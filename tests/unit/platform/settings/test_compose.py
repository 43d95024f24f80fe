"""`docker-compose.yml` and the `Dockerfile` keep what docs/operations.md promises of them."""

import json
import re
import subprocess
import sys
import tomllib
from datetime import timedelta
from typing import Any

import pytest
import yaml

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.platform.server.embedded import DYNAMIC_CONFIG, RETENTION
from desk.platform.settings import Settings
from desk.platform.settings.mcp_json import read_mcp_config
from tests.support.processes.homes import PROJECT
from workers.hosting import Role
from workers.tuning import TUNING

FILE = PROJECT / "docker-compose.yml"
SPECIFICATION = "vendor.compose-spec"
COMPOSE: dict[str, Any] = yaml.safe_load(FILE.read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (PROJECT / "Dockerfile").read_text()

WORKERS = {role.value for role in Role if role is not Role.ALL}
ONE_SHOTS = {"temporal-schema", "temporal-namespace"}
OURS = WORKERS | {"desk"}
STORE = "store"
ONLOOKERS = {"collector", "jaeger", "prometheus", "grafana"}
SECRETS = {
    "ANTHROPIC_API_KEY",
    "REUTERS_API_TOKEN",
    "LSEG_APP_KEY",
    "LSEG_USERNAME",
    "LSEG_PASSWORD",
    "LSEG_CLIENT_ID",
    "LSEG_CLIENT_SECRET",
    "SMTP_PASSWORD",
    "SLACK_WEBHOOK_URL",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "DESK_STORE_ACCESS_KEY_ID",
    "DESK_STORE_SECRET_ACCESS_KEY",
    "DESK_PAYLOAD_KEYS",
    "DESK_CODEC_TOKEN",
    "DESK_SIGNING_KEY",
    "DESK_SERVE_TOKEN",
    "POSTGRES_PASSWORD",
    "POSTGRES_PWD",
    "SQL_PASSWORD",
}
PINNED = re.compile(r"^[\w./-]+:(?P<tag>[\w.-]*\d+\.\d+[\w.-]*)@sha256:[0-9a-f]{64}$")

every_service = pytest.mark.parametrize("name", sorted(SERVICES))


def environment(name: str) -> dict[str, str]:
    return dict(SERVICES[name].get("environment", {}))


def seconds(text: str) -> float:
    units = {"s": 1, "m": 60, "h": 3600}
    return sum(float(n) * units[unit] for n, unit in re.findall(r"(\d+(?:\.\d+)?)([smh])", text))


def test_it_follows_the_compose_specification() -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", SPECIFICATION, FILE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


@every_service
def test_every_image_is_pinned(name: str) -> None:
    if "build" in SERVICES[name]:
        return  # Ours: built here, on the image that the Dockerfile pins.
    found = PINNED.match(SERVICES[name]["image"])
    assert found and found["tag"] != "latest"


def test_the_image_of_the_desk_is_built_on_a_pinned_one() -> None:
    bases = [line.split()[1] for line in DOCKERFILE.splitlines() if line.startswith("FROM ")]
    assert bases
    assert all(PINNED.match(base) for base in bases)
    assert len(set(bases)) == 1


@every_service
def test_every_service_has_a_health_check_that_can_fail(name: str) -> None:
    check = SERVICES[name]["healthcheck"]
    assert not check.get("disable")
    assert check["test"][0] == "CMD"
    assert check["test"][1:] not in ([], ["true"], ["exit", "0"])
    assert seconds(check["timeout"]) <= seconds(check["interval"])


@pytest.mark.parametrize("role", sorted(WORKERS))
def test_there_is_a_worker_of_every_role_that_asks_after_itself(role: str) -> None:
    service = SERVICES[role]
    assert service["command"] == ["worker", role]
    assert service["healthcheck"]["test"] == ["CMD", "python", "-m", "workers.health", role]
    assert environment(role)["TEMPORAL_ADDRESS"] == "temporal:7233"


@every_service
def test_a_service_is_restarted_bounded_and_without_privileges(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == {"desk": "no"}.get(
        name, "on-failure:5" if name in ONE_SHOTS else "unless-stopped"
    )
    assert service["user"].split(":")[0] not in {"", "0", "root"}
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert service["init"] is True


def test_only_the_ui_may_write_outside_its_volumes() -> None:
    assert {name for name, service in SERVICES.items() if not service["read_only"]} == {
        "temporal-ui"
    }


@pytest.mark.parametrize("name", sorted(OURS))
def test_the_desks_containers_share_home_and_reports(name: str) -> None:
    mounts = dict(volume.split(":")[:2] for volume in SERVICES[name]["volumes"])
    variables = environment(name)
    assert mounts == {
        "desk-home": variables["DESK_HOME"],
        "reports": variables["DESK_REPORTS"],
    }
    assert set(mounts) <= set(COMPOSE["volumes"])
    assert all(f"{path}" in DOCKERFILE for path in mounts.values())


@pytest.mark.parametrize("name", sorted(OURS))
def test_a_worker_is_given_time_to_finish_what_it_holds(name: str) -> None:
    grace = timedelta(seconds=seconds(SERVICES[name]["stop_grace_period"]))
    assert grace > 2 * TUNING["graceful_shutdown_timeout"] + DeadlineConfig().turn


@every_service
def test_secrets_come_from_the_environment_only(name: str) -> None:
    for variable, value in environment(name).items():
        if variable in SECRETS or re.search(r"KEY|TOKEN(?!S)|SECRET|PASSWORD|PWD", variable):
            assert variable in SECRETS
            assert re.fullmatch(r"\$\{[A-Z_]+(:-|:\?[^}]*)\}", value), variable
    assert "env_file" not in SERVICES[name]


def test_no_container_holds_a_key_that_it_does_not_use() -> None:
    holders: dict[str, set[str]] = {}
    for name in SERVICES:
        for variable in SECRETS & set(environment(name)):
            holders.setdefault(variable, set()).add(name)
    turns, sources, delivers = WORKERS - {"sources"}, {"sources"}, {"orchestrator"}
    assert holders == {
        "ANTHROPIC_API_KEY": turns,
        "REUTERS_API_TOKEN": sources,
        "LSEG_APP_KEY": sources,
        "LSEG_USERNAME": sources,
        "LSEG_PASSWORD": sources,
        "LSEG_CLIENT_ID": sources,
        "LSEG_CLIENT_SECRET": sources,
        "SMTP_PASSWORD": delivers,
        "SLACK_WEBHOOK_URL": delivers,
        "AWS_ACCESS_KEY_ID": delivers | {STORE},
        "AWS_SECRET_ACCESS_KEY": delivers | {STORE},
        "AWS_SESSION_TOKEN": delivers,
        "DESK_SIGNING_KEY": delivers,
        "DESK_STORE_ACCESS_KEY_ID": OURS,
        "DESK_STORE_SECRET_ACCESS_KEY": OURS,
        "DESK_PAYLOAD_KEYS": OURS | {"codec"},
        "DESK_CODEC_TOKEN": {"codec"},
        "POSTGRES_PASSWORD": {"postgresql"},
        "POSTGRES_PWD": {"temporal"},
        "SQL_PASSWORD": {"temporal-schema"},
    }


def test_every_key_that_the_settings_know_can_be_given() -> None:
    known = {
        name.upper() for name, field in Settings.model_fields.items() if "Secret" in str(field)
    }
    ours = {"CODEC_TOKEN", "SIGNING_KEY", "SERVE_TOKEN"}
    known = {f"DESK_{name}" if name in ours else name for name in known}
    assert known
    assert known <= SECRETS


KEEP_NOTHING = {"knowledge", "sentiment"}
"""The servers that fetch nothing and read what comes with them."""


def test_the_sources_run_as_processes_of_their_own() -> None:
    assert environment("sources")["DESK_MCP_TRANSPORT"] == "configured"
    ours, theirs = (read_mcp_config(PROJECT / p) for p in (".mcp.json", "deploy/mcp.json"))
    assert set(ours) == set(theirs)
    cache = f"{environment('sources')['DESK_HOME']}/cache"
    for name, spec in theirs.items():
        assert spec.command == ours[name].command
        if name in KEEP_NOTHING:
            assert spec.args == ours[name].args
            continue
        assert spec.args[:4] == (*ours[name].args[:2], "--cache-dir", cache)
        assert spec.args[4:] == ours[name].args[4:]


@every_service
def test_a_port_is_open_to_this_machine_only(name: str) -> None:
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", ()))


@every_service
def test_what_a_service_waits_for_exists_and_can_come_about(name: str) -> None:
    for needed, how in SERVICES[name].get("depends_on", {}).items():
        finishes = how["condition"] == "service_completed_successfully"
        assert finishes == (needed in ONE_SHOTS)


def test_the_command_and_what_looks_on_wait_to_be_called() -> None:
    profiles = {name: s["profiles"] for name, s in SERVICES.items() if "profiles" in s}
    assert profiles == {"desk": ["cli"], STORE: ["store"]} | {
        name: ["observe"] for name in ONLOOKERS
    }


def test_the_object_store_has_the_keys_and_the_bucket_that_the_workers_ask_it_for() -> None:
    given, asked = environment(STORE), environment("orchestrator")
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        assert given[f"AWS_{name}"] == asked[f"DESK_STORE_{name}"]
    assert "desk" in SERVICES[STORE]["networks"]
    told = FILE.read_text()
    assert f"s3://{given['S3_BUCKET']}/" in told
    assert f"http://{STORE}:{SERVICES[STORE]['healthcheck']['test'][-1]}" in told


def test_every_worker_is_asked_for_its_metrics_where_it_serves_them() -> None:
    scraped = yaml.safe_load((PROJECT / "deploy/observe/prometheus.yml").read_text())
    jobs = {job["job_name"]: job for job in scraped["scrape_configs"]}
    (asked,) = jobs["desk"]["dns_sd_configs"]
    assert set(asked["names"]) == WORKERS
    assert {environment(role)["DESK_METRICS"] for role in WORKERS} == {f"0.0.0.0:{asked['port']}"}
    assert all("desk" in SERVICES[name]["networks"] for name in WORKERS | ONLOOKERS)


def test_what_looks_on_finds_its_files_and_each_other() -> None:
    for name in ONLOOKERS:
        assert "./deploy/observe:/etc/desk:ro" in SERVICES[name]["volumes"]
        text = yaml.safe_dump([SERVICES[name].get(key) for key in ("command", "environment")])
        for path in re.findall(r"/etc/desk/([\w./-]+)", text):
            assert (PROJECT / "deploy/observe" / path).exists()
    for path in (PROJECT / "deploy/observe").rglob("*.y*ml"):
        for host in re.findall(r"http://(\w+):\d+", path.read_text()):
            assert host in ONLOOKERS


def test_nobody_signs_on_to_what_shows_the_metrics() -> None:
    shown = environment("grafana")
    assert shown["GF_AUTH_ANONYMOUS_ENABLED"] == shown["GF_AUTH_DISABLE_LOGIN_FORM"] == "true"
    assert shown["GF_AUTH_BASIC_ENABLED"] == "false"
    assert shown["GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION"] == "true"
    assert "GF_AUTH_ANONYMOUS_ORG_ROLE" not in shown


def test_the_namespace_gets_the_desks_search_attributes_and_retention() -> None:
    script = (PROJECT / "deploy/namespace.sh").read_text().replace("\\\n", " ")
    (keywords,) = re.findall(r"for name in ([\w ]+); do", script)
    assert 'search-attribute create --type Keyword --name "$name"' in script
    created = dict.fromkeys(keywords.split(), "Keyword")
    for name in re.findall(r"search-attribute create --type Int --name (\w+)", script):
        created[name] = "Int"
    assert created == {
        str(name): "Int" if name in INTEGER_ATTRIBUTES else "Keyword" for name in SearchAttribute
    }
    assert f"retention={RETENTION.days}d" in script


EMBEDDED_ALONE = "system.forceSearchAttributesCacheRefreshOnRead"
"""It knows its search attributes when it starts; here they are created after that."""


def test_the_server_is_set_as_the_embedded_one() -> None:
    settings = yaml.safe_load((PROJECT / "deploy/dynamic-config.yaml").read_text())
    embedded = dict(entry.split("=", 1) for entry in DYNAMIC_CONFIG)
    del embedded[EMBEDDED_ALONE]
    assert {name: values[0]["value"] for name, values in settings.items()} == {
        name: json.loads(value) for name, value in embedded.items()
    }
    assert environment("temporal")["DYNAMIC_CONFIG_FILE_PATH"] == "/deploy/dynamic-config.yaml"


@pytest.mark.parametrize("name", sorted(ONE_SHOTS))
def test_a_one_shot_says_that_it_is_done_where_its_health_check_looks(name: str) -> None:
    marker = SERVICES[name]["healthcheck"]["test"][-1]
    script = PROJECT / SERVICES[name]["entrypoint"][1].removeprefix("/")
    assert script.read_text().rstrip().endswith(f"touch {marker}")


def test_the_image_holds_every_package_and_installs_the_lock_with_hashes() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    found = project["tool"]["setuptools"]["packages"]["find"]["include"]
    packages = {name.removesuffix("*") for name in found}
    assert packages == set(re.findall(r"^COPY (\w+) /build/\w+$", DOCKERFILE, re.MULTILINE))
    for extra in ("deliver", "swarm", "observe"):
        lock = f"requirements-{extra}.lock"
        assert f"--require-hashes --only-binary :all: -r /build/{lock}" in DOCKERFILE
    assert "--no-deps --no-build-isolation /build" in DOCKERFILE
    assert re.search(r"^USER (?!root|0)\w+$", DOCKERFILE, re.MULTILINE)


def test_the_image_names_each_source_once() -> None:
    """Of two of one name the first would be dropped, and nobody told."""

    def named_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    sources = (PROJECT / "deploy" / "mcp.json").read_text()
    assert json.loads(sources, object_pairs_hook=named_once)["mcpServers"]


def test_the_build_sees_everything_it_copies_and_no_secret() -> None:
    ignored = (PROJECT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    shown = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        path
        for line in re.findall(r"^COPY (?!--)(.*)$", DOCKERFILE, re.MULTILINE)
        for path in line.split()[:-1]
    }
    assert copied == shown
    assert ".env" not in shown
