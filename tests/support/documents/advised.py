"""What the desk's own record says, made up for tests."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from desk.contracts.agents.capabilities import Capability
from desk.contracts.learning.lessons import (
    Advice,
    AdviceKind,
    MadeForecast,
    Recommendation,
    RecordWeight,
    Scorecard,
    ScoredForecast,
    ToolUse,
    WeightOf,
)
from desk.contracts.learning.record import (
    ImprovementMetric,
    LearnedView,
    MetricName,
    PatternBy,
    TroublePattern,
    WeekLearned,
)
from desk.contracts.names import AgentId
from desk.learning.calibration import scorecard

AS_OF = datetime(2026, 9, 21, 6, 0, tzinfo=UTC)
"""That of the sample report."""

RESEARCHER = AgentId.RESEARCH_AGENT_1


def recommendation(kind: AdviceKind, **changed: Any) -> Recommendation:
    """One of a kind, about Reuters."""
    by_kind: dict[AdviceKind, dict[str, Any]] = {
        AdviceKind.PREFER_FALLBACK: {"capability": Capability.NEWS_SEARCH},
        AdviceKind.AVOID_SOURCE: {},
        AdviceKind.ADD_SOURCE: {},
        AdviceKind.RAISE_TIMEOUT: {"tool": "get_market_news", "seconds": 45.0},
    }
    given: dict[str, Any] = {
        "advice_id": f"{kind}:reuters",
        "kind": kind,
        "server": "reuters",
        "occurrences": 5,
        "of": 8,
        "reason": "5 of 8 calls of reuters got no answer: 503 Service Unavailable",
        **by_kind[kind],
        **changed,
    }
    return Recommendation(**given)


def weight(voice: WeightOf, name: str, factor: float) -> RecordWeight:
    """A weight with a reason."""
    return RecordWeight(
        voice=voice,
        name=name,
        factor=factor,
        outcomes=240,
        reason=f"240 outcomes of {name}, of which more came so than a coin gives",
    )


SCORED_MARKETS = ("EUR/USD", "USD/JPY", "GBP/USD")


def scored_forecasts(markets: tuple[str, ...], weeks: int = 12) -> tuple[ScoredForecast, ...]:
    """Forecasts of some markets over some weeks, of which about half came so."""
    return tuple(
        _scored(market, week, place)
        for week in range(weeks)
        for place, market in enumerate(markets)
    )


def _scored(market: str, week: int, place: int) -> ScoredForecast:
    due = AS_OF - timedelta(weeks=week)
    rose = (3 * week + 2 * place) % 5 < 3
    return ScoredForecast(
        made=MadeForecast(
            market=market,
            agent=RESEARCHER,
            week=f"2026-W{34 - week:02}",
            due=due,
            probability=round(0.32 + 0.06 * ((5 * week + 7 * place) % 7), 3),
            carry=0.54 if place else None,
            level=Decimal("1.1000"),
            level_on=date(2026, 5, 1),
            server="ecb",
        ),
        value=Decimal("1.1200") if rose else Decimal("1.0900"),
        value_on=(due - timedelta(days=3)).date(),
    )


def sample_scorecard(*markets: str) -> Scorecard:
    """That of `scored_forecasts`, with two forecasts that are not due."""
    scored = scored_forecasts(markets or SCORED_MARKETS)
    return scorecard(scored, [each.made for each in scored[:2]], AS_OF)


def sample_advice(**changed: Any) -> Advice:
    """Two recommendations, two weights and a scorecard, from eleven runs."""
    advice = Advice(
        as_of=AS_OF,
        weeks=11,
        recommendations=(
            recommendation(AdviceKind.PREFER_FALLBACK),
            recommendation(AdviceKind.RAISE_TIMEOUT),
        ),
        weights=(
            weight(WeightOf.AGENT, RESEARCHER, 1.12),
            weight(WeightOf.SOURCE, "ecb", 0.91),
        ),
        scorecard=sample_scorecard(),
    )
    return advice.model_copy(update=changed)


WEEK = WeekLearned(
    week="2026-W37",
    workflow_id="weekly-2026-W37",
    as_of=AS_OF - timedelta(weeks=1),
    whole=True,
    expected=38,
    researched=36,
    troubles=4,
    calls=245,
    failed=3,
    cited=221,
    forecasts=25,
    scored=0,
    hits=0,
)


def sample_view(**changed: Any) -> LearnedView:
    """What the learning system answers, with the sample's advice."""
    view = LearnedView(
        advice=sample_advice(),
        weeks=(WEEK,),
        patterns=(
            TroublePattern(
                by=PatternBy.SOURCE,
                name="reuters",
                troubles=5,
                weeks=3,
                last="2026-W37",
                words="503 Service Unavailable\nRetry-After: \x1b[31m120",
            ),
            TroublePattern(
                by=PatternBy.HOUR, name="Monday 07 UTC", troubles=5, weeks=3, last="2026-W37"
            ),
        ),
        metrics=(
            ImprovementMetric(
                name=MetricName.COVERAGE, recent=0.947, before=0.92, weeks=4, better=True
            ),
            ImprovementMetric(name=MetricName.SECONDS_PER_CALL, recent=0.4, weeks=4),
        ),
        scored=scored_forecasts(("EUR/USD", "USD/JPY", "GBP/USD")),
        tools=(
            ToolUse(
                agent=RESEARCHER,
                server="ecb",
                tool="get_historical",
                calls=264,
                failed=1,
                kept=12,
                cited=250,
                timed=264,
                seconds=5.28,
            ),
        ),
        told=12,
    )
    return view.model_copy(update=changed)
