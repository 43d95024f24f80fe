"""docs/operations.md is true to the code: roles, queues, services, names, and the rerun signal."""

import re

import yaml

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.agents.search_attributes import INTEGER_ATTRIBUTES, SearchAttribute
from desk.contracts.findings.escalations import EscalationAnswer
from desk.contracts.names import (
    SCHEDULE_ID,
    Message,
    Queue,
    escalation_run_id,
    market_run_id,
    week_run_id,
)
from desk.contracts.runs.week import RerunRequest
from desk.platform.server.embedded import RETENTION
from desk.runs.assignments.deadlines import MARGIN
from tests.support.processes.homes import PROJECT
from workers.health import LONGEST_SILENCE
from workers.hosting import Role
from workers.tuning import TUNING

DOCUMENT = (PROJECT / "docs/operations.md").read_text(encoding="utf-8")
COMMANDS = re.sub(r"\\\n\s*", "", DOCUMENT)


def section(heading: str) -> str:
    found = re.search(rf"(?ms)^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", DOCUMENT)
    assert found, heading
    return found[1]


def test_every_role_has_its_row_and_its_queue() -> None:
    rows = dict(re.findall(r"(?m)^\| `(\w+)` \| `([\w.]+)`", section("Workers")))
    assert rows == {
        Role.ORCHESTRATOR: Queue.DESK,
        Role.RESEARCH: Queue.RESEARCH,
        Role.VALIDATION: Queue.VALIDATION,
        Role.SOURCES: "source.",
    }


def test_every_service_of_the_compose_file_has_its_row() -> None:
    table = section("With Docker Compose")
    named = {
        name
        for row in re.findall(r"(?m)^\| (`[^|]+) \|", table)
        for name in re.findall(r"`([\w-]+)`", row)
    }
    services = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())["services"]
    assert named == set(services)


def test_the_namespace_commands_name_every_search_attribute() -> None:
    created = dict(re.findall(r"search-attribute create .*--name (\w+) --type (\w+)", COMMANDS))
    assert created == {
        str(name): "Int" if name in INTEGER_ATTRIBUTES else "Keyword" for name in SearchAttribute
    }
    assert f"--retention {RETENTION.days}d" in COMMANDS


def test_the_rerun_signal_is_one_that_a_run_takes() -> None:
    (found,) = re.findall(
        r"temporal workflow signal --workflow-id (\S+) --name (\S+) --input '(.*)'", DOCUMENT
    )
    workflow_id, name, message = found
    assert workflow_id == week_run_id("2026-W44")
    assert name == Message.RERUN_MARKET
    assert RerunRequest.model_validate_json(message).market == "USD/JPY"


def test_the_answers_to_a_case_are_such_as_it_takes() -> None:
    said = re.findall(
        r"temporal workflow (\S+(?: execute)?)(?: --name (\S+))? --workflow-id '(\S+)'"
        r"(?: --input '(.*)')?",
        section("When sources disagree"),
    )
    case = escalation_run_id(
        market_run_id(week_run_id("2026-W44"), "USD/JPY"),
        "USD/JPY/conflict/USD/JPY:last@2026-10-30",
    )
    assert [(kind, name, run) for kind, name, run, _ in said] == [
        ("metadata", "", case),
        ("update execute", Message.RESOLVE_ESCALATION, case),
        ("signal", Message.ANSWER_ESCALATION, case),
    ]
    answers = [EscalationAnswer.model_validate_json(text) for *_, text in said if text]
    assert [answer.position for answer in answers] == [0, None]
    assert f"at the latest {MARGIN.seconds} s before the report" in section("When sources disagree")


def test_the_numbers_are_those_of_the_code() -> None:
    assert DeadlineConfig().open_for_reruns.days == 6 and "open for six days" in DOCUMENT
    assert f"last {LONGEST_SILENCE.seconds} s" in DOCUMENT
    assert (
        f"has {TUNING['graceful_shutdown_timeout'].seconds} s to finish those in flight" in DOCUMENT
    )
    assert f"called `{SCHEDULE_ID}`" in DOCUMENT


def test_every_file_that_is_named_exists() -> None:
    named = set(
        re.findall(r"`((?:deploy|docs)/[\w./-]+|docker-compose\.yml|\.mcp\.json)`", DOCUMENT)
    )
    assert named
    assert [path for path in named if not (PROJECT / path).exists()] == []
