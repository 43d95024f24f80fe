"""What the tools of a stock's episode answer by hand, and what its built-in agents make of it."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import (
    Analysis,
    CompanyFundamentals,
    Hint,
    MeasuredFigure,
    NewsDigest,
    PriceHistory,
    Signal,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import Provenance, SourceResult
from desk.contracts.markets import MarketKind
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import Exchange, StateEntry, TurnRequest
from desk.programs.episode.actions import DATA, ORDER, PART_METRICS, Pointer, pointers_of, values_of
from desk.programs.episode.blackboard import StockBoard
from desk.programs.turns import builtin_turn
from desk.trust.prose.references import REFERENCE, references, render
from desk.trust.prose.synthesis_review import claims_in
from tests.support.builders import answered
from tests.support.stocks.asking import AS_OF, acting, unrejected

DAY = date(2024, 6, 10)
COMPUTED = Provenance(name="analysis", tier=SourceTier.PRIMARY, origin="by hand")
NEWS, ACCOUNTS, SENTIMENT, BASIC, ADVANCED = DATA
INSIGHT, ADVICE, EVALUATION = ORDER[5:]

EVALUATED: dict[str, Any] = {"made_at": AS_OF.isoformat(), "position": "long", "cost": "0.10"}
TOOLS: Mapping[StockAction, Mapping[Capability, tuple[Metric, ...]]] = {
    NEWS: {Capability.NEWS_DIGEST: (Metric.NEWS_COUNT,)},
    SENTIMENT: {Capability.SENTIMENT: (Metric.NEWS_TONE, Metric.NEWS_COUNT)},
    ACCOUNTS: {
        Capability.RATIOS: (
            Metric.PRICE_TO_EARNINGS,
            Metric.PRICE_TO_BOOK,
            Metric.NET_MARGIN,
            Metric.DEBT_TO_EQUITY,
        ),
        Capability.EARNINGS: (Metric.REVENUE_GROWTH, Metric.EARNINGS_SURPRISE),
        Capability.FUNDAMENTALS: (),
    },
    EVALUATION: {Capability.PERFORMANCE: PART_METRICS[EVALUATION]},
}
"""What the tools of an action measure; those of the others measure all that prices give."""

OF_PRICES = {
    Capability.MARKET_DATA: (
        *PART_METRICS[BASIC][:8],
        Metric.EXPECTED_LOW,
        Metric.EXPECTED_HIGH,
    ),
    Capability.INDICATORS: (
        Metric.RSI,
        Metric.SMA_50,
        Metric.SMA_200,
        *PART_METRICS[ADVANCED][:4],
    ),
    Capability.CHART_PATTERNS: (Metric.PATTERN_COUNT,),
    Capability.PRICE_HISTORY: (),
}
SIGNALS = {
    Capability.INDICATORS: (
        Signal(name="long trend", hint=Hint.UP, strength=0.8, words="The long trend is up"),
        Signal(name="MACD", hint=Hint.DOWN, strength=0.9, words="Momentum is falling"),
    ),
    Capability.SENTIMENT: (
        Signal(name="news tone", hint=Hint.DOWN, strength=0.4, words="The news sound bad"),
    ),
}
USUAL: dict[Metric, Decimal] = {
    Metric.LAST: Decimal("121.79"),
    Metric.YEAR_HIGH: Decimal("122.44"),
    Metric.YEAR_LOW: Decimal("39.48"),
    Metric.SMA_50: Decimal("94.40"),
    Metric.SMA_200: Decimal("66.17"),
    Metric.TARGET: Decimal("116.14"),
    Metric.EXPECTED_LOW: Decimal("109.88"),
    Metric.EXPECTED_HIGH: Decimal("134.99"),
    Metric.ENTRY: Decimal("120.91"),
    Metric.EXIT: Decimal("128.20"),
    Metric.RSI: Decimal("75.5"),
    Metric.NEWS_COUNT: Decimal(14),
    Metric.PATTERN_COUNT: Decimal(5),
}
"""The others are as below."""
ALL = {
    metric: USUAL.get(metric, Decimal("12.34"))
    for metrics in PART_METRICS.values()
    for metric in metrics
}


def answer(
    capability: Capability,
    values: Mapping[Metric, Decimal],
    *,
    missing: Sequence[str] = (),
    symbol: str = "NVDA",
) -> SourceResult:
    """What a tool says of as many of its figures as there are."""
    known: dict[str, Any] = {"as_of": AS_OF, "source": COMPUTED, "symbol": symbol}
    if capability is Capability.PRICE_HISTORY:
        kept = {"days": (DAY,), "closes": (Decimal("121.79"),)}
        return PriceHistory(**known, kind=MarketKind.STOCK, currency="USD", **kept)
    if capability is Capability.FUNDAMENTALS:
        return CompanyFundamentals(**known, missing=tuple(missing))
    tools = {c: m for each in (*TOOLS.values(), OF_PRICES) for c, m in each.items()}
    figures = tuple(
        MeasuredFigure(metric=metric, value=values[metric], as_of=DAY)
        for metric in tools[capability]
        if metric in values
    )
    kind = NewsDigest if capability is Capability.NEWS_DIGEST else Analysis
    return kind(
        **known,
        method="by hand",
        figures=figures,
        signals=SIGNALS.get(capability, ()) if figures else (),
        missing=tuple(missing),
    )


def brought(
    action: StockAction, values: Mapping[Metric, Decimal], *, missing: Sequence[str] = ()
) -> ResearchResult:
    """What an action delivers when its tools have answered, and the gate has read it."""
    request = TurnRequest(assignment=acting(action, **EVALUATED))
    results = tuple(
        answered(call, answer(call.capability, values, missing=missing))
        for call in builtin_turn(request).calls
        if call.capability is not None
    )
    turn = builtin_turn(request.model_copy(update={"exchanges": (Exchange(results=results),)}))
    assert isinstance(turn.result, ResearchResult), turn.failure
    unrejected(turn.result)
    return turn.result


def entry(action: StockAction, result: ResearchResult | None, error: str | None = None) -> Any:
    """A result as the state of an episode holds it."""
    return StateEntry(key=action, node=action, result=result, error=error)


def fetched(
    values: Mapping[Metric, Decimal], *actions: StockAction, weeks: int = 4
) -> tuple[StockBoard, tuple[StateEntry, ...]]:
    """A blackboard with the parts of some actions, and what their agents brought."""
    board = StockBoard("NVDA", AS_OF, weeks)
    state = []
    for action in actions or DATA:
        result = brought(action, values)
        board.write_part(action, *values_of(result.claims, action, "NVDA"))
        state.append(entry(action, result))
    return board, tuple(state)


def delivered(action: StockAction, board: StockBoard, **shown: Any) -> Any:
    """What an agent delivers that asks no tool."""
    request = TurnRequest(assignment=acting(action), board=board.snapshot(), **shown)
    turn = builtin_turn(request)
    assert turn.result is not None, turn.failure
    return turn.result


def advised(
    values: Mapping[Metric, Decimal],
    *actions: StockAction,
    pointers: Sequence[Pointer] | None = None,
    weeks: int = 4,
    **shown: Any,
) -> tuple[Synthesis, str]:
    """What is recommended by some figures, and its text as it is printed."""
    board, state = fetched(values, *actions, weeks=weeks)
    found = delivered(INSIGHT, board, state=state)
    unrejected(found)
    board.write_insights(pointers_of(found) if pointers is None else pointers)
    shown = {"state": (*state, entry(INSIGHT, found)), **shown}
    result = delivered(ADVICE, board, **shown)
    assert isinstance(result, Synthesis)
    unrejected(result, shown["state"])
    sections = [f"## {section.title}\n{section.content}" for section in result.sections]
    claims = claims_in(shown["state"], shown.get("conflicts", ()))
    return result, render("\n\n".join((result.summary, *sections)), claims)


def without_digits(result: ResearchResult) -> None:
    """No sentence of it has a digit besides those of references, and each reference is known."""
    known = {claim.claim_id: claim for claim in result.claims}
    for prose in (*(f.statement for f in result.findings), *result.contradictions):
        assert set(references(prose)) <= set(known)
        assert not re.search(r"\d", REFERENCE.sub("", prose)), prose


def _figures() -> st.SearchStrategy[dict[Metric, Decimal]]:
    """Some of the figures, each of any size that its unit allows."""
    levels = {m for m in USUAL if m not in (Metric.RSI, Metric.NEWS_COUNT, Metric.PATTERN_COUNT)}
    above = st.decimals("0.01", "9999", places=2)
    signed = st.decimals("-400", "4000", places=2)
    counts = st.integers(0, 500).map(Decimal)
    share = st.decimals("0", "100", places=1)

    def of(metric: Metric) -> st.SearchStrategy[Decimal]:
        if metric in (Metric.NEWS_COUNT, Metric.PATTERN_COUNT):
            return counts
        if metric in (Metric.RSI, Metric.ADX):
            return share
        if metric in levels or metric is Metric.VOLATILITY:
            return above
        return signed

    return st.fixed_dictionaries({}, optional={metric: of(metric) for metric in ALL})


FIGURES = _figures()
quickly = settings(suppress_health_check=list(HealthCheck))
