"""The specialists of a swarm, from request to result."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

import pytest

from desk.agents.capabilities import usual_route
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import AgentLimits, Query, TaskAssignment, TaskType, ToolName
from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.episode.analysis import Analysis, Hint, MeasuredFigure, NewsDigest, Signal
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import Leaning, ResearchResult, ViewKind
from desk.contracts.findings.source_results import Provenance, SourceResult
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId, CallFault, FailureType
from desk.contracts.runs.turns import Exchange, Turn, TurnRequest
from desk.programs.swarm.tasks import SPECIALIST_TASKS
from desk.programs.turns import builtin_turn
from desk.trust.prose.gate import rejected_figures
from desk.trust.prose.prose_review import review
from desk.trust.prose.references import REFERENCE, references, render
from tests.support.builders import answered, failed, pair_market, policy_rates, window

WEEK = "2026-W44"
DAY = date(2026, 10, 30)
YEN = pair_market("USD/JPY", digits=2)
NVIDIA = MarketSpec(
    market="NVDA", kind=MarketKind.STOCK, group=MarketGroup.STOCKS, digits=2
)  # fmt: skip
COMPUTED = Provenance(name="analysis", tier=SourceTier.PRIMARY, origin="European Central Bank")
AGENTS = {task: agent for agent, task in SPECIALIST_TASKS.items()}

MOVES = {
    Metric.LAST: "153.20",
    Metric.MOVE: "0.85",
    Metric.MONTH_MOVE: "2.10",
    Metric.QUARTER_MOVE: "4.30",
    Metric.YEAR_MOVE: "-1.20",
    Metric.YEAR_HIGH: "158.00",
    Metric.YEAR_LOW: "141.00",
    Metric.VOLATILITY: "9.40",
    Metric.EXPECTED_LOW: "149.10",
    Metric.EXPECTED_HIGH: "157.40",
}
INDICATORS = {
    Metric.RSI: "61.2",
    Metric.MACD_HISTOGRAM: "0.12",
    Metric.SMA_50: "151.00",
    Metric.SMA_200: "149.50",
    Metric.ADX: "27.1",
    Metric.BOLLINGER_POSITION: "81.00",
    Metric.TARGET: "155.00",
}
RISING = Signal(name="momentum", hint=Hint.UP, strength=0.8, words="Momentum is rising")
FALLING = Signal(name="reversal", hint=Hint.DOWN, strength=0.5, words="A reversal is forming")


def analysis(
    figures: Mapping[Metric, str],
    *signals: Signal,
    symbol: str = "USD/JPY",
    missing: Sequence[str] = (),
) -> Analysis:
    """An answer of a tool by hand."""
    return Analysis(
        as_of=window(WEEK).end,
        source=COMPUTED,
        symbol=symbol,
        method="by hand",
        figures=tuple(
            MeasuredFigure(metric=metric, value=Decimal(value), as_of=DAY)
            for metric, value in figures.items()
        ),
        signals=signals,
        missing=tuple(missing),
    )


def digest(count: int, symbol: str = "USD/JPY") -> NewsDigest:
    """A digest of so many stories, with none of them shown."""
    made = analysis({Metric.NEWS_COUNT: str(count)}, symbol=symbol)
    return NewsDigest.model_validate(made.model_dump())


def called(task: str, capability: Capability) -> ToolCall:
    """A call as an agent makes it."""
    route = usual_route(capability)
    return ToolCall(
        call_id=f"{task}/{route.tool}",
        server=route.server,
        tool=route.tool,
        capability=capability,
    )


def answers(
    task: TaskType, given: Mapping[Capability, SourceResult], market: MarketSpec = YEN
) -> tuple[ToolResult, ...]:
    """What the tools answered, each to a call of a task."""
    name = f"{market.market}/{task}"
    return tuple(answered(called(name, capability), answer) for capability, answer in given.items())


def asked_of(
    task: TaskType,
    results: Sequence[ToolResult] = (),
    *,
    market: MarketSpec = YEN,
    agent: AgentId | None = None,
    most_calls: int | None = None,
    query: Query | None = None,
) -> TurnRequest:
    """What a specialist is shown: at its first turn without results."""
    return TurnRequest(
        assignment=TaskAssignment(
            task_id=f"{market.market}/{task}",
            task_type=task,
            agent=agent or AGENTS[task],
            week=WEEK,
            market=market,
            window=window(WEEK),
            deadline=window(WEEK).end,
            limits=AgentLimits(max_calls=most_calls),
            query=query or Query(question=f"tell of {market.market}"),
        ),
        exchanges=(Exchange(results=tuple(results)),) if results else (),
    )


def research(
    task: TaskType,
    given: Mapping[Capability, SourceResult],
    *,
    market: MarketSpec = YEN,
    agent: AgentId | None = None,
) -> ResearchResult:
    """What a specialist delivers when its tools have answered."""
    delivered = builtin_turn(
        asked_of(task, answers(task, given, market), market=market, agent=agent)
    )
    assert isinstance(delivered.result, ResearchResult), delivered.failure
    return delivered.result


def told(result: ResearchResult) -> str:
    """All its findings as they are printed."""
    claims = {claim.claim_id: claim for claim in result.claims}
    return "\n".join(f"{f.topic}: {render(f.statement, claims)}" for f in result.findings)


CONDITIONS = {
    Capability.MARKET_DATA: analysis(MOVES, RISING),
    Capability.SECTORS: analysis(
        {Metric.GROUP_MOVE: "1.90", Metric.RELATIVE_MOVE: "2.40", Metric.BREADTH: "70.00"}
    ),
    Capability.POLICY_RATE: policy_rates(WEEK, US="4.125", JP="0.75"),
}
TECHNICALS = {
    Capability.INDICATORS: analysis(INDICATORS, RISING, FALLING),
    Capability.MARKET_DATA: analysis(MOVES),
}
CARRY = {
    Capability.POLICY_RATE: policy_rates(WEEK, US="4.125", JP="0.75"),
    Capability.RATIOS: analysis({Metric.CARRY_TO_VOLATILITY: "0.36"}),
}
MOOD = {
    Capability.SENTIMENT: analysis({Metric.NEWS_TONE: "-22.0", Metric.NEWS_COUNT: "14"}, FALLING),
    Capability.NEWS_DIGEST: digest(14),
}
PATTERNS = {
    Capability.PATTERN_MINING: analysis(
        {
            Metric.ANALOGUES: "12",
            Metric.ANALOGUE_MOVE: "-0.90",
            Metric.ANALOGUE_HIT_RATE: "42.00",
            Metric.ANOMALY_SCORE: "0.40",
            Metric.TARGET: "151.80",
        },
        FALLING,
    ),
    Capability.SEASONALITY: analysis(
        {
            Metric.SEASONAL_MOVE: "0.30",
            Metric.SEASONAL_HIT_RATE: "55.00",
            Metric.SEASONAL_P_VALUE: "0.610",
        }
    ),
    Capability.MARKET_DATA: analysis(MOVES),
}
ALL: dict[TaskType, Mapping[Capability, SourceResult]] = {
    TaskType.RESEARCH_CONDITIONS: CONDITIONS,
    TaskType.ANALYSE_TECHNICALS: TECHNICALS,
    TaskType.ANALYSE_FUNDAMENTALS: CARRY,
    TaskType.GAUGE_SENTIMENT: MOOD,
    TaskType.MINE_PATTERNS: PATTERNS,
}


def turn(task: TaskType, results: Sequence[ToolResult] = (), **shown: object) -> Turn:
    return builtin_turn(asked_of(task, results, **shown))  # type: ignore[arg-type]


def view_of(result: ResearchResult, kind: ViewKind) -> tuple[Leaning, float]:
    (view,) = (view for view in result.views if view.kind is kind)
    return view.leaning, view.confidence


@pytest.mark.parametrize(
    ("task", "market", "tools"),
    [
        (
            TaskType.RESEARCH_CONDITIONS,
            YEN,
            {"market_data", "sector_analysis", "get_policy_rate"},
        ),
        (TaskType.RESEARCH_CONDITIONS, NVIDIA, {"market_data", "sector_analysis"}),
        (TaskType.ANALYSE_TECHNICALS, YEN, {"indicator_calculator", "market_data"}),
        (
            TaskType.ANALYSE_TECHNICALS,
            NVIDIA,
            {"indicator_calculator", "market_data", "pattern_detector"},
        ),
        (TaskType.ANALYSE_FUNDAMENTALS, YEN, {"get_policy_rate", "ratio_calculator"}),
        (
            TaskType.ANALYSE_FUNDAMENTALS,
            NVIDIA,
            {"ratio_calculator", "earnings_analyzer", "company_fundamentals"},
        ),
        (TaskType.GAUGE_SENTIMENT, YEN, {"sentiment_analyzer", "news_aggregator"}),
        (TaskType.MINE_PATTERNS, YEN, {"pattern_miner", "seasonality_detector", "market_data"}),
    ],
)
def test_a_specialist_asks_all_its_questions_at_once(
    task: TaskType, market: MarketSpec, tools: set[str]
) -> None:
    calls = turn(task, market=market).calls
    assert {call.tool for call in calls} == tools
    about_market = [call for call in calls if call.tool != "get_policy_rate"]
    assert all(call.arguments == {"symbol": market.market} for call in about_market)


def test_no_more_is_asked_than_the_plan_allows() -> None:
    calls = turn(TaskType.MINE_PATTERNS, most_calls=2).calls
    assert [call.tool for call in calls] == ["pattern_miner", "seasonality_detector"]


def test_the_market_specialist_leaves_policy_rates_to_a_plan_s_fundamental_specialist() -> None:
    request = asked_of(TaskType.RESEARCH_CONDITIONS)
    route = usual_route(Capability.MARKET_DATA)
    tools = (ToolName(server=route.server, tool=route.tool),)
    held = request.assignment.model_copy(update={"tools": tools})
    calls = builtin_turn(request.model_copy(update={"assignment": held})).calls
    assert {call.tool for call in calls} == {"market_data", "sector_analysis"}


@pytest.mark.parametrize("task", ALL)
def test_what_a_specialist_writes_holds_no_figure_but_by_reference(task: TaskType) -> None:
    result = research(task, ALL[task])
    known = {claim.claim_id: claim for claim in result.claims}
    assert not review(result)
    statements = [finding.statement for finding in result.findings]
    for prose in (*statements, *result.contradictions, *result.recommendations):
        assert set(references(prose)) <= set(known)
        assert not re.search(r"\d", REFERENCE.sub("", prose))
        assert not rejected_figures(prose, known)
    for finding in result.findings:
        assert set(finding.claims) == set(references(finding.statement))


@pytest.mark.parametrize("task", ALL)
def test_each_claim_is_stated_once_and_rests_on_an_answer(task: TaskType) -> None:
    result = research(task, ALL[task])
    ids = [claim.claim_id for claim in result.claims]
    evidence = {source.evidence_id for source in result.sources}
    assert len(set(ids)) == len(ids)
    assert all(set(claim.evidence) <= evidence for claim in result.claims)
    assert all(set(view.claims) <= set(ids) for view in result.views)


def test_the_conditions_read_as_a_strategist_would_write_them() -> None:
    lines = told(research(TaskType.RESEARCH_CONDITIONS, CONDITIONS)).splitlines()
    assert lines == [
        "move: USD/JPY stands at 153.20: +0.85 % on the week, +2.10 % on the month, +4.30 % on the"
        " quarter and -1.20 % on the year.",
        "trend: The market has drifted up: a quarter's move of +4.30 % is ordinary for a"
        " volatility of 9.40 % a year.",
        "range: Over the year it has ranged from 141.00 to 158.00. Given its usual swings, a price"
        " from 149.10 to 157.40 in four weeks is more likely than not.",
        "group: Its group has moved +1.90 % on the quarter against the US dollar, and its own"
        " currency is ahead of the group (+2.40 %). 70 % of the group have gone the same way.",
        "policy rates: The policy rates behind the pair are those of the Federal Reserve at 4.125 %"
        " and the Bank of Japan at 0.75 %.",
        "signals: Pointing up: momentum is rising. Overall this points up for USD/JPY.",
    ]


@pytest.mark.parametrize(
    ("quarter", "words"),
    [
        ("-1.10", "The market is moving sideways"),
        ("-3.10", "The market has drifted down"),
        ("-5.10", "The market is falling"),
    ],
)
def test_a_quarter_is_read_beside_what_the_market_usually_does(quarter: str, words: str) -> None:
    moves = {Metric.QUARTER_MOVE: quarter, Metric.VOLATILITY: "9.40"}
    result = research(
        TaskType.RESEARCH_CONDITIONS, {**CONDITIONS, Capability.MARKET_DATA: analysis(moves)}
    )
    assert words in told(result)


@pytest.mark.parametrize("task", [TaskType.ANALYSE_TECHNICALS, TaskType.MINE_PATTERNS])
def test_the_signals_of_the_market_are_left_to_the_market_specialist(task: TaskType) -> None:
    loud = {**ALL[task], Capability.MARKET_DATA: analysis(MOVES, RISING, RISING, RISING)}
    assert research(task, loud).views == research(task, ALL[task]).views


def test_a_signal_that_says_which_way_it_points_is_not_told_so_twice() -> None:
    candle = Signal(name="candle", hint=Hint.UP, strength=0.9, words="Hammer, which points up.")
    signals = {Capability.INDICATORS: analysis(INDICATORS, candle, FALLING)}
    (odds,) = research(TaskType.ANALYSE_TECHNICALS, {**TECHNICALS, **signals}).contradictions
    assert odds == ("Hammer, which points up, while a reversal is forming, which points down.")


def test_indicators_are_read_at_their_usual_levels() -> None:
    stretched = {**INDICATORS, Metric.RSI: "74.0", Metric.ADX: "12.0"}
    result = research(
        TaskType.ANALYSE_TECHNICALS, {**TECHNICALS, Capability.INDICATORS: analysis(stretched)}
    )
    assert "USD/JPY is overbought: its relative strength index is 74.0." in told(result)
    assert "The trend is weak: its directional index is 12.0." in told(result)
    assert "above its medium-term average of 151.00" in told(result)


def test_carry_is_the_differential_of_the_two_rates_and_points_to_the_higher() -> None:
    result = research(TaskType.ANALYSE_FUNDAMENTALS, CARRY)
    (differential,) = (c for c in result.claims if c.metric is Metric.DIFFERENTIAL)
    assert (differential.value, differential.formula) == (
        Decimal("337.5"),
        "basis_point_difference",
    )
    assert "The differential of +337.5 bp pays whoever holds USD." in told(result)
    assert view_of(result, ViewKind.DIRECTION)[0] is Leaning.UP


def test_a_tool_s_own_reading_of_the_carry_goes_before_the_bare_differential() -> None:
    answer = analysis({Metric.CARRY_TO_VOLATILITY: "0.36"}, FALLING)
    result = research(TaskType.ANALYSE_FUNDAMENTALS, {**CARRY, Capability.RATIOS: answer})
    assert view_of(result, ViewKind.DIRECTION)[0] is Leaning.DOWN


def test_seasonality_that_may_be_chance_is_said_to_be() -> None:
    assert "cannot be told from chance (p value 0.610)" in told(
        research(TaskType.MINE_PATTERNS, PATTERNS)
    )
    firm = analysis({Metric.SEASONAL_MOVE: "1.90", Metric.SEASONAL_P_VALUE: "0.021"})
    result = research(TaskType.MINE_PATTERNS, {**PATTERNS, Capability.SEASONALITY: firm})
    assert "this is significant (p value 0.021)" in told(result)


def test_signals_that_point_both_ways_are_a_contradiction() -> None:
    result = research(TaskType.ANALYSE_TECHNICALS, TECHNICALS)
    assert result.contradictions == (
        "Momentum is rising, which points up, while a reversal is forming, which points down.",
    )
    assert research(TaskType.RESEARCH_CONDITIONS, CONDITIONS).contradictions == ()


def test_a_view_is_surer_the_more_its_signals_agree_and_the_less_is_missing() -> None:
    def sure(*signals: Signal, missing: Sequence[str] = ()) -> tuple[Leaning, float]:
        given = {
            **TECHNICALS,
            Capability.INDICATORS: analysis(INDICATORS, *signals, missing=missing),
        }
        return view_of(research(TaskType.ANALYSE_TECHNICALS, given), ViewKind.DIRECTION)

    weak = Signal(name="weak", hint=Hint.UP, strength=0.2, words="It edges up")
    assert sure(RISING)[1] > sure(RISING, weak)[1] > sure(RISING, FALLING)[1]
    assert sure(RISING)[1] > sure(RISING, missing=("no volume",))[1]
    assert sure(weak)[0] is Leaning.UP
    assert sure(weak, weak, FALLING)[0] is Leaning.NEUTRAL


def test_what_to_do_follows_from_a_view_that_is_sure_enough() -> None:
    sure = research(TaskType.RESEARCH_CONDITIONS, CONDITIONS)
    assert view_of(sure, ViewKind.RECOMMENDATION)[0] is Leaning.UP
    assert sure.recommendations[0].startswith("Buy USD/JPY")
    torn = research(TaskType.ANALYSE_TECHNICALS, TECHNICALS)
    assert view_of(torn, ViewKind.RECOMMENDATION)[0] is Leaning.NEUTRAL
    assert torn.recommendations[0].startswith("Hold USD/JPY")


def test_without_a_signal_a_specialist_abstains() -> None:
    quiet = {
        Capability.SENTIMENT: analysis({}, missing=("there is no news of it offline",)),
        Capability.NEWS_DIGEST: digest(0),
    }
    result = research(TaskType.GAUGE_SENTIMENT, quiet)
    assert {view.leaning for view in result.views} == {Leaning.ABSTAINS}
    assert result.recommendations == ()
    assert result.missing == ("USD/JPY: there is no news of it offline",)


def test_answers_without_a_figure_leave_no_view() -> None:
    empty = analysis({}, missing=("no fundamentals offline",), symbol="NVDA")
    given = {Capability.RATIOS: empty, Capability.EARNINGS: empty}
    result = research(TaskType.ANALYSE_FUNDAMENTALS, given, market=NVIDIA)
    assert (result.views, result.findings, result.confidence) == ((), (), 0.1)
    assert "NVDA: no fundamentals offline" in result.missing


@pytest.mark.parametrize("status", [ToolStatus.REFUSED, ToolStatus.UNAVAILABLE])
def test_a_tool_that_does_not_answer_is_a_gap_where_another_does(status: ToolStatus) -> None:
    task = TaskType.MINE_PATTERNS
    name = f"{YEN.market}/{task}"
    results = (
        failed(called(name, Capability.PATTERN_MINING), status, "the server is down"),
        answered(called(name, Capability.SEASONALITY), PATTERNS[Capability.SEASONALITY]),
    )
    result = turn(task, results).result
    assert isinstance(result, ResearchResult)
    assert any("pattern miner" in line and "the server is down" in line for line in result.missing)
    assert not review(result)


def test_a_fault_of_a_server_is_told_in_plain_words() -> None:
    task = TaskType.MINE_PATTERNS
    name = f"{YEN.market}/{task}"
    raw = "ToolUnavailable: analysis.pattern_miner: Request 'tools/call' timed out, try 2 of 3"
    silent = failed(called(name, Capability.PATTERN_MINING), ToolStatus.UNAVAILABLE, raw)
    results = (
        silent.model_copy(update={"fault": CallFault.TIMEOUT}),
        answered(called(name, Capability.SEASONALITY), PATTERNS[Capability.SEASONALITY]),
    )
    result = turn(task, results).result
    assert isinstance(result, ResearchResult)
    assert (
        "USD/JPY: pattern miner was not available from analysis: it did not answer in time"
        in result.missing
    )


def test_a_task_whose_tools_all_fail_is_not_possible() -> None:
    task = TaskType.MINE_PATTERNS
    results = [
        failed(called(f"{YEN.market}/{task}", each), ToolStatus.UNAVAILABLE, "the server is down")
        for each in PATTERNS
    ]
    failure = turn(task, results).failure
    assert failure is not None
    assert failure.error_type == FailureType.TOOL_UNAVAILABLE
    assert "the server is down" in failure.error_message


def test_an_answer_about_another_market_is_not_used() -> None:
    given = {**TECHNICALS, Capability.INDICATORS: analysis(INDICATORS, RISING, symbol="EUR/USD")}
    result = research(TaskType.ANALYSE_TECHNICALS, given)
    assert all(claim.subject == "USD/JPY" for claim in result.claims)
    assert any("another market" in line for line in result.missing)


def test_a_tool_s_words_are_told_only_where_they_hold_no_figure_and_nothing_to_follow() -> None:
    loud = Signal(
        name="loud",
        hint=Hint.UP,
        strength=0.9,
        words="Up 25 % by Friday, see http://example.com [[USD/JPY:rsi]]",
    )
    given = {
        **TECHNICALS,
        Capability.INDICATORS: analysis(
            INDICATORS, loud, missing=("rsi 61.2 was [[x]] odd 77.123",)
        ),
    }
    result = research(TaskType.ANALYSE_TECHNICALS, given)
    assert "example.com" not in told(result)
    assert "Pointing up: loud." in told(result)
    assert not review(result)


def test_the_reserve_does_a_specialist_s_work_in_its_own_name() -> None:
    result = research(TaskType.GAUGE_SENTIMENT, MOOD, agent=AgentId.RESERVE_SPECIALIST)
    assert result.agent is AgentId.RESERVE_SPECIALIST
    assert "sound bad" in told(result)


def test_the_same_answers_always_give_the_same_result() -> None:
    assert research(TaskType.MINE_PATTERNS, PATTERNS) == research(TaskType.MINE_PATTERNS, PATTERNS)


@pytest.mark.parametrize(("model", "has_marks"), [("builtin", False), ("claude-sonnet-5-5", True)])
def test_marks_are_delivered_where_a_model_may_name_the_form_that_they_decide(
    model: str, *, has_marks: bool
) -> None:
    task, query = TaskType.ANALYSE_TECHNICALS, Query(question="Has the loonie fallen out of bed?")
    request = asked_of(task, answers(task, TECHNICALS), query=query)
    turn = builtin_turn(request.model_copy(update={"model": model}))
    assert isinstance(turn.result, ResearchResult)
    marked = Metric.RSI_OVERBOUGHT in {claim.metric for claim in turn.result.claims}
    assert marked is has_marks
