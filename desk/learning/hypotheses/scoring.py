"""Scores hypotheses: whether they came true, and the Brier score of their probability."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Context, Decimal
from typing import Final

from desk.contracts.findings.results import Leaning
from desk.contracts.markets import MarketKind
from desk.contracts.names import AgentId
from desk.contracts.runs.swarm import HypothesisRequest
from desk.contracts.swarm.hypotheses import (
    HeldView,
    Hypothesis,
    HypothesisKind,
    HypothesisState,
    ScoredHypothesis,
)
from desk.learning.hypotheses.prices import Price

DIGITS: Final = 6
_WIDE: Final = Context(prec=60)
"""Enough precision for any figure at the precision of any other."""

SIDES: Final = {Leaning.UP: 1, Leaning.DOWN: -1}
"""The side of the level on which a view of a direction expects the price."""


def unscorable(hypothesis: Hypothesis) -> str | None:
    """Returns why no price can ever decide a hypothesis, or None if one can."""
    if hypothesis.market.kind is MarketKind.POLICY_RATE:
        return f"the policy rate of {hypothesis.market.market} has no price to be held against"
    sides = (Leaning.UP, Leaning.DOWN)
    if hypothesis.kind is HypothesisKind.DIRECTION and hypothesis.leaning not in sides:
        return "it takes no side of its level"
    bounds = (hypothesis.low, hypothesis.high)
    if hypothesis.kind is HypothesisKind.RANGE and None in bounds:
        return "its range lacks a bound"
    return None


def state_at(hypothesis: Hypothesis, value: Decimal) -> HypothesisState:
    """Returns whether a value confirms or refutes a hypothesis.

    It is rounded to the last digit of the figure that it is compared with. A value at the level is
    on neither side of it, and refutes either direction. A value at a bound is within the range.

    Raises:
        ValueError: no value can decide it (`unscorable`).
    """
    if words := unscorable(hypothesis):
        raise ValueError(words)
    if hypothesis.kind is HypothesisKind.RANGE:
        held = _side(value, hypothesis.low) >= 0 >= _side(value, hypothesis.high)
    else:
        wanted = 1 if hypothesis.leaning is Leaning.UP else -1
        held = side_of_level(hypothesis, value) == wanted
    return HypothesisState.HELD if held else HypothesisState.REFUTED


def side_of_level(hypothesis: Hypothesis, value: Decimal) -> int:
    """Returns 1 for a value above a hypothesis' level, -1 below it, 0 at it, rounded to its last
    digit."""
    return _side(value, hypothesis.level)


def brier_score(probability: float | None, state: HypothesisState) -> float | None:
    """Returns the squared error of a probability; None without a probability or without an
    outcome."""
    if probability is None or state not in (HypothesisState.HELD, HypothesisState.REFUTED):
        return None
    return round((probability - (state is HypothesisState.HELD)) ** 2, DIGITS)


def view_state(scored: ScoredHypothesis, view: HeldView) -> HypothesisState:
    """Returns whether a view that came with a hypothesis was right. A price exactly at the level is
    on neither side."""
    if scored.value is None:
        return HypothesisState.VOID
    right = side_of_level(scored.hypothesis, scored.value) == SIDES.get(view.leaning)
    return HypothesisState.HELD if right else HypothesisState.REFUTED


def view_score(scored: ScoredHypothesis, view: HeldView) -> float | None:
    """Returns its Brier score; None without a probability or a price."""
    return brier_score(view.probability, view_state(scored, view))


def scored(
    request: HypothesisRequest, price: Price, *, workflow_id: str, now: datetime
) -> ScoredHypothesis:
    """Scores a hypothesis by the last price known when it was due.

    Raises:
        ValueError: no price can decide it (`unscorable`).
    """
    state = state_at(request.hypothesis, price.value)
    return ScoredHypothesis(
        workflow_id=workflow_id,
        hypothesis=request.hypothesis,
        state=state,
        value=_as_fine_as(request.hypothesis.level, price.value),
        value_on=price.day,
        score=brier_score(request.hypothesis.probability, state),
        scored_at=now,
        made_as_of=request.made_as_of,
        written_at=request.written_at,
        by=_agents(request.by),
    )


def void(
    request: HypothesisRequest, reason: str, *, workflow_id: str, now: datetime
) -> ScoredHypothesis:
    """Returns a hypothesis that can no longer be scored, with the reason."""
    return ScoredHypothesis(
        workflow_id=workflow_id,
        hypothesis=request.hypothesis,
        state=HypothesisState.VOID,
        scored_at=now,
        made_as_of=request.made_as_of,
        written_at=request.written_at,
        by=_agents(request.by),
        reason=reason[:4_000],
    )


def _agents(names: Sequence[str]) -> tuple[AgentId, ...]:
    """Returns those of the names that are agents of the current roster."""
    known = set(AgentId.known())
    return tuple(AgentId(name) for name in names if name in known)


def _as_fine_as(level: Decimal, value: Decimal) -> Decimal:
    """Rounds a price to the digits of a level: a cross has more digits than are printed."""
    finer = value.as_tuple().exponent < level.as_tuple().exponent  # type: ignore[operator]
    return value.quantize(level, context=_WIDE) if finer else value


def _side(value: Decimal, level: Decimal | None) -> int:
    """Returns 1 above the level, -1 below it, 0 at it."""
    if level is None:
        return 0
    printed = value.quantize(level, context=_WIDE)
    return (printed > level) - (printed < level)
