"""Analysts' ratings and quarterly accounts, in a swarm and in an episode, where they can be had."""

from collections.abc import Mapping

import pytest

from desk.agents.capabilities import usual_route
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tasks import TaskType, ToolName
from desk.contracts.episode.analysis import (
    AnalystRatings,
    CompanyFundamentals,
    QuarterlyAccounts,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import SourceResult
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.programs.turns import builtin_turn
from tests.support.builders import answered
from tests.unit.trust.prose.test_swarm_specialists import (
    NVIDIA,
    RISING,
    YEN,
    analysis,
    asked_of,
    digest,
    told,
)

RATED = AnalystRatings.model_validate(
    analysis(
        {
            Metric.ANALYST_RATINGS: "7",
            Metric.RATINGS_RAISED: "3",
            Metric.RATINGS_CUT: "1",
            Metric.ESTIMATES_RAISED: "14",
            Metric.ESTIMATES_CUT: "2",
        },
        RISING,
        symbol="NVDA",
    ).model_dump()
)
QUARTER = QuarterlyAccounts.model_validate(
    analysis(
        {Metric.QUARTER_REVENUE_GROWTH: "36.36", Metric.QUARTER_NET_MARGIN: "44.44"},
        RISING,
        symbol="NVDA",
    ).model_dump()
)
RATIOS = analysis({Metric.PRICE_TO_EARNINGS: "30.00"}, symbol="NVDA")
TONE = analysis({Metric.NEWS_TONE: "5.0", Metric.NEWS_COUNT: "9"}, symbol="NVDA")
LINES = CompanyFundamentals(as_of=RATIOS.as_of, source=RATIOS.source, symbol="NVDA")
NEWS = digest(9, symbol="NVDA")

OFFERED = {
    TaskType.GAUGE_SENTIMENT: Capability.RATINGS,
    TaskType.FETCH_SENTIMENT: Capability.RATINGS,
    TaskType.ANALYSE_FUNDAMENTALS: Capability.QUARTERS,
    TaskType.FETCH_FUNDAMENTALS: Capability.QUARTERS,
}
AGENT = {
    TaskType.GAUGE_SENTIMENT: AgentId.SENTIMENT_SPECIALIST,
    TaskType.FETCH_SENTIMENT: AgentId.STOCK_RESEARCH_AGENT,
    TaskType.ANALYSE_FUNDAMENTALS: AgentId.FUNDAMENTAL_SPECIALIST,
    TaskType.FETCH_FUNDAMENTALS: AgentId.STOCK_RESEARCH_AGENT,
}
GIVEN: Mapping[Capability, SourceResult] = {
    Capability.SENTIMENT: TONE,
    Capability.NEWS_DIGEST: NEWS,
    Capability.RATIOS: RATIOS,
    Capability.EARNINGS: analysis({Metric.REVENUE_GROWTH: "12.00"}, symbol="NVDA"),
    Capability.FUNDAMENTALS: LINES,
    Capability.RATINGS: RATED,
    Capability.QUARTERS: QUARTER,
}


def request(task: TaskType, *, offered: bool, market: object = NVIDIA) -> TurnRequest:
    """What an agent is shown at first, with Yahoo on offer or not."""
    route = usual_route(OFFERED[task])
    shown = asked_of(task, market=market, agent=AGENT[task])  # type: ignore[arg-type]
    tools = (ToolName(server=route.server, tool=route.tool),) if offered else ()
    return shown.model_copy(
        update={"assignment": shown.assignment.model_copy(update={"tools": tools})}
    )


def delivered(task: TaskType, *, offered: bool) -> ResearchResult:
    first = request(task, offered=offered)
    calls = builtin_turn(first).calls
    results = tuple(answered(call, GIVEN[call.capability or Capability.QUOTE]) for call in calls)
    done = builtin_turn(first.model_copy(update={"exchanges": (Exchange(results=results),)}))
    assert isinstance(done.result, ResearchResult), done.failure
    return done.result


@pytest.mark.parametrize("task", OFFERED)
def test_yahoo_is_asked_where_it_can_be_and_only_of_companies(task: TaskType) -> None:
    tool = usual_route(OFFERED[task]).tool
    with_it = {call.tool for call in builtin_turn(request(task, offered=True)).calls}
    without = {call.tool for call in builtin_turn(request(task, offered=False)).calls}
    assert with_it - without == {tool}
    pair = {call.tool for call in builtin_turn(request(task, offered=True, market=YEN)).calls}
    if OFFERED[task] is Capability.RATINGS:
        assert tool not in pair


@pytest.mark.parametrize("task", [TaskType.GAUGE_SENTIMENT, TaskType.FETCH_SENTIMENT])
def test_ratings_are_told_as_opinions_and_counted_as_claims(task: TaskType) -> None:
    result = delivered(task, offered=True)
    assert (
        "analysts: Of 7 analysts' ratings of NVDA over the last three months 3 were raised and 1 "
        "cut. Over the last month 14 estimates of its earnings were raised and 2 cut. These are "
        "opinions and no facts."
    ) in told(result)
    stated = {claim.metric for claim in result.claims}
    assert {Metric.RATINGS_RAISED, Metric.ESTIMATES_CUT, Metric.NEWS_TONE} <= stated


@pytest.mark.parametrize("task", [TaskType.ANALYSE_FUNDAMENTALS, TaskType.FETCH_FUNDAMENTALS])
def test_the_last_quarter_is_told_beside_the_year(task: TaskType) -> None:
    result = delivered(task, offered=True)
    assert (
        "last quarter: Its revenue of the last quarter grew by +36.36 % on the year. The quarter's "
        "net margin was +44.44 %."
    ) in told(result)
    assert Metric.QUARTER_NET_MARGIN in {claim.metric for claim in result.claims}


@pytest.mark.parametrize("task", OFFERED)
def test_without_yahoo_nothing_of_it_is_told_and_nothing_lacks(task: TaskType) -> None:
    result = delivered(task, offered=False)
    assert "analysts" not in told(result) and "quarter" not in told(result)
    assert not any("quarter" in gap or "ratings" in gap for gap in result.missing)
