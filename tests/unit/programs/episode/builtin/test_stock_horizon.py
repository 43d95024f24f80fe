"""Whether a price of a stock may come that was not there when the episode began."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from pydantic import JsonValue

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.episode.actions import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.runs.graph import NodeOutcome
from desk.contracts.runs.turns import StateEntry
from desk.contracts.week.report import Contribution
from desk.programs.episode.horizon import had_no_price, was_told_no_price

NOW = datetime(2026, 11, 2, tzinfo=UTC)
BASIC, ADVANCED = StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED
NOTHING: JsonValue = {"figures": [], "missing": ["the prices of NVDA end on 2025-02-18"]}
SOMETHING: JsonValue = {"figures": [{"metric": "last", "value": "100.00"}]}


def answer(
    content: JsonValue, tool: str = "market_data", status: ToolStatus = ToolStatus.OK
) -> ToolResult:
    call = ToolCall(call_id=f"RUN_TA_ADVANCED/{tool}", server="analysis", tool=tool, arguments={})
    error = None if status is ToolStatus.OK else "it is away"
    return ToolResult(call=call, status=status, content=content, error=error)


def outcome(*evidence: ToolResult) -> NodeOutcome:
    """An action that asked, and has no result to show for it."""
    task = TaskType.RUN_TA_ADVANCED
    return NodeOutcome(
        entry=StateEntry(key=ADVANCED, node=ADVANCED),
        evidence=evidence,
        contribution=Contribution(agent=AgentId.TA_AGENT, task_type=task, delivered=True),
        started_at=NOW,
        ended_at=NOW,
    )


def test_an_answer_without_any_figure_says_that_there_is_no_price() -> None:
    assert was_told_no_price(set(), [outcome(answer(NOTHING), answer(NOTHING, "pattern_detector"))])
    assert was_told_no_price({Metric.NEWS_COUNT}, [outcome(), outcome(answer(NOTHING))])


@pytest.mark.parametrize(
    "evidence",
    [
        (),
        (answer(NOTHING, "indicator_calculator"),),
        (answer(None, status=ToolStatus.UNAVAILABLE),),
        (answer(SOMETHING),),
        (answer(NOTHING), answer(SOMETHING)),
        (answer({"price": "100.00"}),),
        (answer({"figures": None}),),
        (answer({"figures": 3}),),
        (answer(["100.00"]),),
    ],
    ids=[
        "nobody asked",
        "only indicators",
        "no answer",
        "a price",
        "a price later",
        "another form",
        "no list",
        "unreadable",
        "no object",
    ],
)
def test_other_answers_do_not_say_that_there_was_no_price(evidence: Sequence[ToolResult]) -> None:
    assert not was_told_no_price(set(), [outcome(*evidence)])


def test_who_knows_a_figure_of_prices_had_one() -> None:
    values = {Metric.LAST: Decimal(100)}
    assert not was_told_no_price(values.keys(), [outcome(answer(NOTHING))])


def part(action: StockAction, *evidence: ToolResult) -> NodeOutcome:
    """An action whose part has no figure."""
    result = ResearchResult(
        result_id=f"{action}/result",
        task_id=action,
        agent=AgentId.TA_AGENT,
        market="NVDA",
        confidence=0.0,
    )
    entry = StateEntry(key=action, node=action, result=result)
    return outcome(*evidence).model_copy(update={"entry": entry})


def test_a_part_of_market_data_without_a_figure_says_that_there_was_no_price() -> None:
    assert had_no_price({Metric.NEWS_COUNT}, [part(ADVANCED), part(BASIC, answer(NOTHING))])


@pytest.mark.parametrize(
    ("known", "outcomes"),
    [
        ({Metric.LAST}, [part(BASIC, answer(NOTHING))]),
        (set(), [part(ADVANCED, answer(NOTHING))]),
        (set(), [part(BASIC)]),
        (set(), [outcome(answer(NOTHING))]),
        (set(), []),
    ],
    ids=["known", "indicators alone", "no answer", "no part", "nobody asked"],
)
def test_without_it_a_price_may_still_come(
    known: set[Metric], outcomes: Sequence[NodeOutcome]
) -> None:
    assert not had_no_price(known, outcomes)
