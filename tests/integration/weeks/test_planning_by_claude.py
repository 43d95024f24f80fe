"""Weeks whose plan is asked of Claude, through the command, against a server of another's."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.models.model_server import model_server
from tests.support.models.model_week import COMMENTS, KEY, NO_FAULT, PLANS, USED
from tests.support.processes.command import Answer, DeskCommand

DELIVERS, LACKS, BUSY, DECLINES, REFUSED = (f"2026-W{number}" for number in range(44, 39, -1))
"""The weeks, by how the model plans them."""

MARKETS = {
    **dict.fromkeys((DELIVERS, LACKS), "USD/JPY,JP"),
    **dict.fromkeys((BUSY, DECLINES, REFUSED), "USD/JPY"),
}


def said(week: str, *markets: str, call: int | None = None) -> dict[str, Any]:
    """What the model answers when it is asked for a week's plan, or asked so for the n-th time."""
    return scripted(asked(week), plan(*markets), call)


def asked(week: str) -> str:
    return f'"week": "{week}"'


def plan(*markets: str) -> dict[str, Any]:
    planned = {"markets": [{"market": name, "priority": 1} for name in markets], "note": "As ever."}
    return {"content": json.dumps(planned), "usage": USED}


def scripted(words: str, response: dict[str, Any], call: int | None = None) -> dict[str, Any]:
    """An answer to words in what the model is told last."""
    place = {} if call is None else {"sequenceIndex": call}
    match = {"model": "claude-opus-5-5", "systemMessage": PLANS, "userMessage": words, **place}
    return {"match": match, "response": response}


def failing(status: int, kind: str) -> dict[str, Any]:
    return {"error": {"message": kind, "type": kind}, "status": status}


SCRIPT = (
    said(DELIVERS, "USD/JPY", "JP"),
    said(LACKS, "USD/JPY"),
    scripted("not planned: JP", plan("JP", "USD/JPY")),
    scripted(asked(BUSY), failing(429, "rate_limit_error"), call=0),
    scripted(asked(BUSY), failing(529, "overloaded_error"), call=1),
    said(BUSY, "USD/JPY", call=2),
    scripted(asked(REFUSED), failing(401, "authentication_error")),
    scripted("", {"content": "I would rather not.", "usage": USED}),
    {
        "match": {"systemMessage": COMMENTS},
        "response": {
            "content": json.dumps({"headline": "USD/JPY moved [[USD/JPY:move]]."}),
            "usage": USED,
        },
    },
    NO_FAULT,
)


class Planned(NamedTuple):
    """A desk whose agents are built in but the one who plans and comments; how its weeks went, and
    what the model was asked."""

    desk: DeskCommand
    ran: dict[str, Answer]
    asked: list[dict[str, Any]]

    def plans_asked(self, week: str) -> list[dict[str, Any]]:
        """The requests for the plan of a week."""
        told = json.dumps(asked(week))[1:-1]
        texts = [(entry, json.dumps(entry["messages"])) for entry in self.asked]
        return [entry for entry, text in texts if PLANS in text and told in text]

    def file(self, week: str) -> Path:
        """The report of a week."""
        (path,) = (self.desk.directory / "reports" / "weekly").glob(f"{week}-*.r1.json")
        return path

    def report(self, week: str) -> dict[str, Any]:
        """The same, read."""
        assert self.ran[week].code == 0, self.ran[week].err
        report: dict[str, Any] = json.loads(self.file(week).read_text())
        return report


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planned]:
    folder = tmp_path_factory.mktemp("planned")
    (folder / "model").mkdir()
    with model_server(folder / "model", SCRIPT) as server:
        desk = DeskCommand(
            folder,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=server.url,
            CLAUDE_MODEL_EXECUTION="builtin",
        )
        with desk.up():
            ran = {
                week: desk("run", "--week", week, "--markets", markets)
                for week, markets in MARKETS.items()
            }
            yield Planned(desk, ran, server.asked)


def test_the_model_plans_and_the_report_says_what_it_cost(planned: Planned) -> None:
    assert (
        "product_manager is claude-opus-5-5, the other agents are built in; at most $20.00"
        in planned.ran[DELIVERS].err
    )
    (asked_for,) = planned.plans_asked(DELIVERS)
    assert "USD/JPY" in json.dumps(asked_for["messages"])
    report = planned.report(DELIVERS)
    assert report["planning"]["usage"]["model"] == "claude-opus-5-5"
    assert report["planning"]["usage"]["input_tokens"] == 900
    assert float(report["planning"]["usage"]["cost_usd"]) > 0
    assert report["lead"]["headline"]["text"] == "USD/JPY moved +0.29 %."
    page = planned.file(DELIVERS)
    printed = page.with_suffix(".md").read_text()
    assert "Planned by claude-opus-5-5 in 2 turns, 980 tokens, $0.0" in printed
    planned.desk.until(lambda status: "spent 2," in status.out, "status", "--week", DELIVERS)
    audited = planned.desk("audit", str(page))
    assert audited.code == 0, audited.out


def test_no_report_has_the_key(planned: Planned) -> None:
    for file in planned.file(DELIVERS).parent.glob("*"):
        assert KEY not in file.read_text(), f"the key stands in {file.name}"


def test_a_plan_that_lacks_a_market_is_corrected_by_the_model(planned: Planned) -> None:
    first, second = planned.plans_asked(LACKS)
    assert second["messages"][: len(first["messages"])] == first["messages"]
    assert "not planned: JP" in json.dumps(second["messages"][-1])
    planning = planned.report(LACKS)["planning"]
    assert (planning["turns"], planning["remark"]) == (3, None)
    assert planning["usage"]["input_tokens"] == 1_800


def test_a_model_that_is_busy_is_asked_again(planned: Planned) -> None:
    assert len(planned.plans_asked(BUSY)) == 3
    assert planned.report(BUSY)["planning"]["usage"]["input_tokens"] == 900


def test_the_built_in_product_manager_plans_where_the_model_does_not(planned: Planned) -> None:
    assert len(planned.plans_asked(DECLINES)) == 2
    report = planned.report(DECLINES)
    assert "claude-opus-5-5 did not deliver" in report["planning"]["remark"]
    assert report["planning"]["usage"]["input_tokens"] == 1_800, "what was billed is counted"


def test_a_key_that_is_refused_is_not_tried_again(planned: Planned) -> None:
    assert len(planned.plans_asked(REFUSED)) == 1
    assert "401" in planned.report(REFUSED)["planning"]["remark"]
