"""A week, a question and a swarm by a model of another maker, whose endpoint knows little of the
protocol: in each the model asks its own tools, and every figure that they gave it is a claim."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.models.model_week import COMMENTS, LAST_WEEK
from tests.support.models.weak_endpoint import Request, WeakEndpoint, is_probe, weak_endpoint
from tests.support.processes.command import DeskCommand

MODEL = "gemma3:270m"
QUESTION = "What did the yen do last week?"
OF_MARKET = ("--graph", "market", "--param", "market=USD/JPY", "--as-of", "2026-11-02")
CROSS = {"symbol": "EUR/JPY", "start": "2026-10-01", "end": "2026-10-30"}
MOVE, LAST = "EUR/JPY:move", "EUR/JPY:last"


def says(request: Request) -> str | list[dict[str, Any]]:
    """What an honest model says in each role, with words around it."""
    if is_probe(request):
        return 'Sure:\n```json\n{"sure": true}\n```'
    system, asked = request["system"], material_of(request)
    if "You research one market" in system:
        answer = call_of(request) or researched(asked)
    elif "one of several specialists" in system:
        answer = call_of(request) or found(asked)
    else:
        answer = told(system, asked)
    if isinstance(answer, list):
        return answer
    return f"Here is my answer.\n```json\n{json.dumps(answer)}\n```\nLet me know!"


def material_of(request: Request) -> Request:
    data: Request = json.loads(request["messages"][0]["content"][0]["text"])
    return data


def call_of(request: Request) -> list[dict[str, Any]] | None:
    """The call of a cross rate's history, where the tool is offered and was not asked yet."""
    named = {tool["name"] for tool in request.get("tools") or ()}
    if len(request["messages"]) > 1 or not named:
        return None
    (name,) = named & {"ecb__get_historical"} or {"analysis__market_data"}
    arguments = CROSS if name.startswith("ecb") else {"symbol": "EUR/JPY"}
    return [{"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}]


def researched(asked: Request) -> Request:
    moved = [e["event_id"] for e in asked.get("events", ()) if e["type"] == "fx_movement"]
    words = f"The yen was weak: USD/JPY [[USD/JPY:move|moved]] and EUR/JPY [[{MOVE}|moved]]."
    view = {"subject": "USD/JPY", "kind": "direction", "leaning": "up", "confidence": 0.6}
    return {
        "events": [{"event_id": name, "description": words} for name in moved],
        "views": [{**view, "claims": [f"[[{MOVE}]]"]}],
    }


def found(asked: Request) -> Request:
    words = f"EUR/JPY stands at [[{LAST}]], and USD/JPY at [[USD/JPY:last]]."
    return {
        "findings": [{"topic": "the yen", "statement": words, "confidence": 0.6}],
        "confidence": 0.6,
    }


def told(system: str, asked: Request) -> Request:
    if "You plan the week" in system:
        lines = [
            {"market": m["market"], "priority": 2, "look_into": ["history"]}
            for m in asked["markets"]
        ]
        return {"markets": lines}
    if "You are the validator" in system:
        return {"issues": [], "confidence": 0.8}
    if "You are the fact checker" in system:
        return {"objections": []}
    if COMMENTS in system:
        words = f"EUR/JPY [[{MOVE}|moved]] with USD/JPY [[USD/JPY:move|signed]]."
        theme = {"title": "The yen is weak", "markets": ["USD/JPY"], "moved": words}
        return {"headline": "The yen was weak.", "themes": [theme]}
    if "You plan one round" in system:
        part = {
            "agent": "market_specialist",
            "market": "USD/JPY",
            "objective": "Does the yen move by itself?",
            "boundaries": "Nothing else.",
        }
        return {"complexity": "simple", "strategy": "Look at the yen.", "subagents": [part]}
    reference = MOVE if "You are the Synthesis agent" in system else LAST
    return {"summary": f"The yen was weak: EUR/JPY is told by [[{reference}]]."}


class Desk(NamedTuple):
    """A desk at work whose models all stand at one endpoint."""

    command: DeskCommand
    endpoint: WeakEndpoint

    def played(self, *command: str) -> tuple[dict[str, Any], Path]:
        """The published document of a command, verified, and its file."""
        reports = self.command.directory / "reports"
        before = set(reports.rglob("*.json"))
        done = self.command(*command)
        assert done.code == 0, done.err
        found = set(reports.rglob("*.json")) - before
        path = next((path for path in found if path.name.endswith(".r1.json")), min(found))
        audit = self.command("audit", str(path))
        assert audit.code == 0, audit.out
        document: dict[str, Any] = json.loads(path.read_text())
        return document, path


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with weak_endpoint(says) as weak:
        command = DeskCommand(
            tmp_path_factory.mktemp("desk"),
            ANTHROPIC_BASE_URL=weak.url,
            CLAUDE_MODEL_ORCHESTRATOR=MODEL,
            CLAUDE_MODEL_EXECUTION=MODEL,
        )
        with command.up():
            yield Desk(command, weak)


def evidence_of(claims: list[dict[str, Any]], name: str) -> list[str]:
    (claim,) = (each for each in claims if each["claim_id"] == name)
    evidence: list[str] = claim["evidence"]
    return evidence


def test_a_week(desk: Desk) -> None:
    report, file = desk.played("run", "--week", LAST_WEEK, "--markets", "USD/JPY")
    (section,) = report["markets"]
    assert all("get_historical.1.1" in each for each in evidence_of(section["claims"], MOVE))
    (event,) = (e for e in section["events"] if e["event_type"] == "fx_movement")
    assert event["text"].startswith("The yen was weak: USD/JPY ")
    assert [view["subject"] for view in section["views"]] == ["USD/JPY", "USD/JPY"]
    page = file.with_suffix(".md").read_text()
    assert "- The direction of USD/JPY: rising (confidence in that 60 %)" in page
    (theme, *_) = report["lead"]["themes"]
    assert report["lead"]["written"] and MOVE in theme["moved"]["prose"]
    asked = {s["arguments"].get("symbol") for s in report["sources"] if s["server"] == "ecb"}
    assert asked == {"USD/JPY", "EUR/JPY"}, "the sources name what the model asked"
    assert set(desk.endpoint.refused) == {"output_config", "tool_choice", "cache_control"}


def test_a_question(desk: Desk) -> None:
    answer, _ = desk.played("ask", QUESTION, *OF_MARKET)
    assert MOVE in json.dumps(answer)


def test_a_swarm(desk: Desk) -> None:
    asking = ("--effort", "simple", "--as-of", "2026-10-30", "--rounds", "1")
    answer, _ = desk.played("swarm", "Does USD/JPY have momentum?", *asking)
    assert LAST in json.dumps(answer)
