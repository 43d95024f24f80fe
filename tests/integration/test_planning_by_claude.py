"""A week whose plan is asked of Claude, through the command, against a server of another's."""

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import DeskCommand
from tests.support.model_server import ModelServer, model_server
from tests.support.model_week import COMMENTS, KEY, LAST_WEEK, PLANS, USED

WEEK = ("--week", LAST_WEEK, "--markets", "USD/JPY,JP")


def said(*markets: str, turn: int | None = None, call: int | None = None) -> dict[str, Any]:
    """What the model answers at a turn of the conversation, or at its n-th call."""
    plan = {"markets": [{"market": name, "priority": 1} for name in markets], "note": "As ever."}
    return scripted({"content": json.dumps(plan), "usage": USED}, turn, call)


def scripted(
    response: dict[str, Any], turn: int | None = None, call: int | None = None
) -> dict[str, Any]:
    places = {"turnIndex": turn, "sequenceIndex": call}
    where = {name: place for name, place in places.items() if place is not None}
    match = {"model": "claude-opus-5-5", "systemMessage": PLANS, **where}
    return {"match": match, "response": response}


def serving(folder: Path, *script: dict[str, Any]) -> AbstractContextManager[ModelServer]:
    """A model that plans by the script, and comments every week with the same words."""
    words = json.dumps({"headline": "USD/JPY moved [[USD/JPY:move]]."})
    response = {"content": words, "usage": USED}
    commenting = {"match": {"systemMessage": COMMENTS}, "response": response}
    return model_server(folder, [*script, commenting])


def plans_asked(server: ModelServer) -> list[dict[str, Any]]:
    return [entry for entry in server.asked if PLANS in json.dumps(entry["messages"][0])]


def desk_with(tmp_path: Path, server: ModelServer) -> DeskCommand:
    """A desk whose other agents are built in."""
    return DeskCommand(
        tmp_path,
        ANTHROPIC_API_KEY=KEY,
        ANTHROPIC_BASE_URL=server.url,
        CLAUDE_MODEL_EXECUTION="builtin",
    )


def report_file(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "reports" / "weekly").glob("*.r1.json")
    return path


def published(tmp_path: Path) -> dict[str, Any]:
    path = report_file(tmp_path)
    report: dict[str, Any] = json.loads(path.read_text())
    for file in path.parent.glob("*"):
        assert KEY not in file.read_text(), f"the key stands in {file.name}"
    return report


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model").mkdir()
    return tmp_path / "model"


def test_the_model_plans_and_the_report_says_what_it_cost(tmp_path: Path, folder: Path) -> None:
    with serving(folder, said("USD/JPY", "JP")) as server:
        done = desk_with(tmp_path, server)("run", *WEEK)
        assert done.code == 0, done.err
        assert (
            "product_manager is claude-opus-5-5, the other agents are built in; at most $20.00"
            in done.err
        )
        (asked,) = plans_asked(server)
    assert "USD/JPY" in json.dumps(asked["messages"])
    report = published(tmp_path)
    assert report["planning"]["usage"]["model"] == "claude-opus-5-5"
    assert report["planning"]["usage"]["input_tokens"] == 900
    assert float(report["planning"]["usage"]["cost_usd"]) > 0
    assert report["lead"]["headline"]["text"] == "USD/JPY moved +0.29 %."
    printed = report_file(tmp_path).with_suffix(".md").read_text()
    assert "Planned by claude-opus-5-5 in 2 turns, 980 tokens, $0.0" in printed
    desk = desk_with(tmp_path, server)
    desk.until(lambda status: "spent 1," in status.out, "status", "--week", "2026-W44")
    audited = desk_with(tmp_path, server)("audit", str(report_file(tmp_path)))
    assert audited.code == 0, audited.out


def test_a_plan_that_lacks_a_market_is_corrected_by_the_model(tmp_path: Path, folder: Path) -> None:
    script = [said("USD/JPY", turn=0), said("JP", "USD/JPY", turn=1)]
    with serving(folder, *script) as server:
        assert desk_with(tmp_path, server)("run", *WEEK).code == 0
        first, second = plans_asked(server)
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert "not planned: JP" in json.dumps(second["messages"][-1])
    planning = published(tmp_path)["planning"]
    assert (planning["turns"], planning["remark"]) == (3, None)
    assert planning["usage"]["input_tokens"] == 1_800


def test_a_model_that_is_busy_is_asked_again(tmp_path: Path, folder: Path) -> None:
    busy = {"error": {"message": "Slow down", "type": "rate_limit_error"}, "status": 429}
    overloaded = {"error": {"message": "Overloaded", "type": "overloaded_error"}, "status": 529}
    script = [
        scripted(busy, call=0),
        scripted(overloaded, call=1),
        said("USD/JPY", "JP", call=2),
    ]
    with serving(folder, *script) as server:
        assert desk_with(tmp_path, server)("run", *WEEK).code == 0
        assert len(plans_asked(server)) == 3
    assert published(tmp_path)["planning"]["usage"]["input_tokens"] == 900


def test_the_built_in_product_manager_plans_where_the_model_does_not(
    tmp_path: Path, folder: Path
) -> None:
    with serving(folder, scripted({"content": "I would rather not.", "usage": USED})) as server:
        assert desk_with(tmp_path, server)("run", *WEEK).code == 0
        assert len(plans_asked(server)) == 2
    report = published(tmp_path)
    assert "claude-opus-5-5 did not deliver" in report["planning"]["remark"]
    assert report["planning"]["usage"]["input_tokens"] == 1_800, "what was billed is counted"


def test_a_key_that_is_refused_is_not_tried_again(tmp_path: Path, folder: Path) -> None:
    refused = {"error": {"message": "invalid key", "type": "authentication_error"}, "status": 401}
    with serving(folder, scripted(refused)) as server:
        assert desk_with(tmp_path, server)("run", *WEEK).code == 0
        assert len(plans_asked(server)) == 1
    assert "401" in published(tmp_path)["planning"]["remark"]
