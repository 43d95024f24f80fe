"""What a specialist asks in each tier: broad first, then narrow, and nothing twice."""

from collections.abc import Mapping

import pytest

from desk.agents.roster import profile_of
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import DecisionCalendar, SourceResult
from desk.contracts.markets import MarketKind
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.programs.swarm.builtin.plan import BOUNDS
from desk.programs.swarm.builtin.related import related_markets, turned
from desk.programs.swarm.builtin.widening import LEFT_TO_A_MODEL
from desk.programs.turns import builtin_turn
from desk.trust.prose.references import references
from tests.support.builders import answered, failed
from tests.unit.trust.prose.test_swarm_specialists import (
    AGENTS,
    ALL,
    COMPUTED,
    NVIDIA,
    PATTERNS,
    RISING,
    TECHNICALS,
    YEN,
    analysis,
    asked_of,
    told,
)

STANDING = analysis(
    {
        Metric.PAST_RANK: "92.50",
        Metric.DRAWDOWN: "-4.10",
        Metric.PRIOR_HIGH: "158.20",
        Metric.PRIOR_LOW: "149.00",
        Metric.VOLATILITY_RANK: "88.00",
    }
)
ASKED_BY_TIER = {tier: bounds.most_calls for tier, bounds in BOUNDS.items()}
PRICED = [task for task in ALL if task is not TaskType.GAUGE_SENTIMENT]
UNKNOWN = (Capability.PATTERN_MINING, "USD/CHF")
"""The market of which one tool has nothing."""
Answers = Mapping[Capability, SourceResult]


def _answer(call: ToolCall, own: Answers) -> ToolResult:
    """Of its own market as given; of another the same figures under its name."""
    if call.capability is Capability.DECISION_CALENDAR:
        empty = DecisionCalendar(as_of=STANDING.as_of, source=COMPUTED, scheduled=(), missing={})
        return answered(call, empty)
    found = {**own, Capability.STANDING: STANDING}.get(call.capability)  # type: ignore[arg-type]
    symbol = call.arguments.get("symbol")
    if found is None or (call.capability, symbol) == UNKNOWN:
        return failed(call, ToolStatus.UNAVAILABLE, "there is nothing")
    return answered(call, found.model_copy(update={"symbol": symbol}) if symbol else found)


def work(
    task: TaskType, own: Answers, most_calls: int | None = 10, model: str = BUILTIN
) -> tuple[list[list[ToolCall]], ResearchResult]:
    """The calls of each turn, and what the specialist delivers in the end."""
    asked = asked_of(task, most_calls=most_calls)
    tools = profile_of(AGENTS[task]).tools
    assignment = asked.assignment.model_copy(update={"tools": tools})
    request = asked.model_copy(update={"assignment": assignment, "model": model})
    turns: list[list[ToolCall]] = []
    while len(turns) < 6:
        done = builtin_turn(request)
        if isinstance(done.result, ResearchResult):
            return turns, done.result
        assert done.calls, done.failure
        turns.append([*done.calls])
        exchange = Exchange(results=tuple(_answer(call, own) for call in done.calls))
        request = request.model_copy(update={"exchanges": (*request.exchanges, exchange)})
    raise AssertionError("it asks without end")


@pytest.mark.parametrize("task", PRICED)
@pytest.mark.parametrize("most", ASKED_BY_TIER.values())
def test_a_higher_tier_asks_more_and_never_more_than_it_may(task: TaskType, most: int) -> None:
    turns, _ = work(task, ALL[task], most)
    calls = [call for turn in turns for call in turn]
    assert most * 0.7 <= len(calls) <= most
    assert len({(c.tool, repr(c.arguments)) for c in calls}) == len(calls), "none is asked twice"


@pytest.mark.parametrize("task", PRICED)
@pytest.mark.parametrize("most", ASKED_BY_TIER.values())
def test_a_model_has_a_part_of_the_calls_for_questions_of_its_own(
    task: TaskType, most: int
) -> None:
    turns, _ = work(task, ALL[task], most, model="claude-sonnet-5-5")
    assert sum(map(len, turns)) <= most - most // LEFT_TO_A_MODEL


@pytest.mark.parametrize("task", PRICED)
def test_the_own_market_comes_first_and_then_those_beside_it(task: TaskType) -> None:
    turns, _ = work(task, ALL[task])
    own, broad = turns[0], turns[1]
    assert {call.arguments.get("symbol", "USD/JPY") for call in own} == {"USD/JPY"}
    beside = [call.arguments["symbol"] for call in broad]
    assert beside == [*related_markets(YEN)[: len(beside)]]


@pytest.mark.parametrize("task", PRICED)
def test_each_market_that_was_asked_about_is_in_a_finding(task: TaskType) -> None:
    turns, result = work(task, ALL[task], 20)
    (finding,) = (each for each in result.findings if each.topic == "crosses")
    for call in turns[1]:
        assert f"{call.arguments['symbol']}" in finding.statement
    assert set(references(finding.statement)) <= {claim.claim_id for claim in result.claims}


def test_what_had_no_figure_is_told_as_looked_at() -> None:
    turns, result = work(TaskType.MINE_PATTERNS, PATTERNS)
    assert len(turns) == 2
    assert "No such figure is known of USD/CHF" in told(result)
    quiet = {**PATTERNS, Capability.PATTERN_MINING: analysis({Metric.ANALOGUES: "3"})}
    turns, result = work(TaskType.MINE_PATTERNS, quiet)
    assert len(turns) == 1, "where the own market has no such figure nobody else is asked for it"


@pytest.mark.parametrize(("strength", "looked"), [("61.2", False), ("74.0", True), ("25.0", True)])
def test_a_figure_beyond_its_mark_calls_for_a_closer_look(strength: str, looked: bool) -> None:
    indicators = analysis({Metric.RSI: strength, Metric.BOLLINGER_POSITION: "50.00"})
    turns, result = work(
        TaskType.ANALYSE_TECHNICALS, {**TECHNICALS, Capability.INDICATORS: indicators}
    )
    assert (len(turns) == 3) is looked
    assert ("158.20" in told(result)) is looked


def test_markets_beside_it_that_agree_make_a_view_surer() -> None:
    """The others carry the same signals; those of dollar pairs quoted otherwise are turned."""
    calm = {**TECHNICALS, Capability.INDICATORS: analysis({Metric.RSI: "55.0"}, RISING)}
    _, agreeing = work(TaskType.ANALYSE_TECHNICALS, calm, 20)
    (signals,) = (f for f in agreeing.findings if f.topic == "signals")
    assert "beside" in signals.statement


@pytest.mark.parametrize(
    ("pair", "other", "way"),
    [
        ("USD/JPY", "EUR/JPY", 1),
        ("USD/JPY", "USD/CHF", 1),
        ("USD/JPY", "EUR/USD", -1),
        ("EUR/CHF", "CHF/SEK", -1),
        ("NVDA", "AAPL", 1),
    ],
)
def test_another_pair_is_read_for_the_market_by_the_currency_they_share(
    pair: str, other: str, way: int
) -> None:
    assert turned(pair, other) == way


def test_the_legs_of_a_cross_come_first_and_none_is_the_market_itself() -> None:
    cross = related_markets(YEN.model_copy(update={"market": "AUD/JPY"}))
    assert {*cross[:2]} == {"AUD/USD", "USD/JPY"}
    assert "AUD/JPY" not in cross
    assert len({*cross}) == len(cross)
    assert NVIDIA.kind is MarketKind.STOCK
    assert "AAPL" in related_markets(NVIDIA)


def test_at_its_last_turn_a_specialist_delivers() -> None:
    task = TaskType.RESEARCH_CONDITIONS
    opened = asked_of(task, most_calls=20)
    calls = builtin_turn(opened).calls
    exchange = Exchange(results=tuple(_answer(call, ALL[task]) for call in calls))
    last: TurnRequest = opened.model_copy(update={"exchanges": (exchange,), "last": True})
    assert isinstance(builtin_turn(last).result, ResearchResult)
