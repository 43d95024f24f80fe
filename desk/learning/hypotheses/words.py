"""Describes hypotheses, for the Temporal UI, the memory and the command line."""

from decimal import Decimal
from typing import Final

from desk.analytics.figures import print_full_day
from desk.contracts.findings.results import Leaning
from desk.contracts.learning.memory import MemoryEntry, MemoryKind
from desk.contracts.runs.swarm import HypothesisRequest, HypothesisStatus
from desk.contracts.swarm.hypotheses import (
    HeldView,
    Hypothesis,
    HypothesisKind,
    HypothesisState,
    ScoredHypothesis,
)
from desk.runs.escalations import plain

_SIDES: Final = {Leaning.UP: "above", Leaning.DOWN: "below"}
_LONGEST_ID: Final = 200


def statement_of_hypothesis(hypothesis: Hypothesis) -> str:
    """Returns a statement such as `USD/JPY above 151.20 on 22 Feb 2027`, from its figures and not
    from its prose."""
    return (
        f"{hypothesis.market.market} {where(hypothesis)} on {print_full_day(hypothesis.due.date())}"
    )


def where(hypothesis: Hypothesis) -> str:
    """Returns the part of the statement with the figures: `above 151.20`, or `from 149.00 to
    153.00`."""
    if hypothesis.kind is HypothesisKind.RANGE:
        return f"from {_level(hypothesis.low)} to {_level(hypothesis.high)}"
    return f"{_SIDES.get(hypothesis.leaning, 'on no side of')} {_level(hypothesis.level)}"


def _level(price: Decimal | None) -> str:
    """Formats a price with thousands separators, as tables print it."""
    return "no bound" if price is None else f"{price:,f}"


def hypothesis_summary(hypothesis: Hypothesis) -> str:
    """Returns the statement with the probability, for lists of workflows."""
    return f"{statement_of_hypothesis(hypothesis)}: {likely(hypothesis)}"


def likely(said: Hypothesis | HeldView) -> str:
    """Returns `63 % likely`, or that a view has no probability."""
    if said.probability is None:
        return "no probability given"
    return f"{said.probability:.0%}".replace("%", " %") + " likely"


def view_words(hypothesis: Hypothesis, view: HeldView) -> str:
    """Describes the view of a specialist on the price that the hypothesis waits for: `above 151.20,
    56 % likely`."""
    own = " by its own estimate" if view.own else ""
    against = f", overruled by {' '.join(view.overruled_by.split())}" if view.overruled_by else ""
    side = _SIDES.get(view.leaning, "on no side of")
    return f"{side} {_level(hypothesis.level)}, {likely(view)}{own}{against}"


def hypothesis_outcome(scored: ScoredHypothesis) -> str:
    """Returns the outcome of a hypothesis, as a sentence without its full stop."""
    if scored.state is HypothesisState.VOID or scored.value is None or scored.value_on is None:
        return f"void: {scored.reason or 'no price'}"
    last = f"the last price known was {_level(scored.value)}, of {print_full_day(scored.value_on)}"
    verdict = "it held" if scored.state is HypothesisState.HELD else "it was refuted"
    return f"{verdict}: {last} (Brier score {scored.score:.3f})"


def outcome_memory(request: HypothesisRequest, scored: ScoredHypothesis) -> MemoryEntry:
    """Returns the memory entry of an outcome. It is known from when the hypothesis was due, or, if
    it is void, from when it was given up."""
    is_void = scored.state is HypothesisState.VOID
    made = print_full_day(request.made_as_of.date())
    said = f"Hypothesis of {made}: {hypothesis_summary(scored.hypothesis)}."
    return MemoryEntry(
        memory_id=f"{scored.workflow_id}/{MemoryKind.OUTCOME}"[-_LONGEST_ID:],
        kind=MemoryKind.OUTCOME,
        objective=request.objective,
        markets=(scored.hypothesis.market.market,),
        as_of=scored.scored_at if is_void else scored.hypothesis.due,
        text=f"{said} Outcome: {hypothesis_outcome(scored)}.",
        workflow_id=scored.workflow_id,
    )


def _written(request: HypothesisRequest) -> str:
    written = request.written_at
    return f", written on {print_full_day(written.date())}" if written else ""


def hypothesis_details(status: HypothesisStatus) -> str:
    """Renders the state of a hypothesis as Markdown, for the Temporal UI."""
    request = status.request
    lines = [
        f"**{plain(hypothesis_summary(request.hypothesis))}**",
        "",
        f"as of {print_full_day(request.made_as_of.date())}{_written(request)}, "
        f"by `{request.swarm}`: "
        f"{plain(request.objective)}",
        "",
    ]
    if status.scored is not None:
        lines.append(f"Outcome: {plain(hypothesis_outcome(status.scored))}")
    elif status.waits_for is not None:
        lines.append(f"waits until {status.waits_for:%Y-%m-%d %H:%M} UTC")
    if status.note:
        lines += ["", plain(status.note)]
    return "\n".join(lines)
