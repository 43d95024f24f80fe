"""Prints hypotheses: a table, or one with everything known about it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import chain
from types import MappingProxyType
from typing import Final

from desk.analytics.figures import print_full_day
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.swarm.hypotheses import HeldView, Hypothesis, ScoredHypothesis
from desk.documents.rendering.words.wording import (
    NO_FIGURE,
    human,
    instant,
    one_line,
    share_words,
)
from desk.learning.hypotheses import (
    hypothesis_outcome,
    statement_of_hypothesis,
    view_score,
    view_state,
    view_words,
    where,
)
from desk.learning.standing import written_afterwards
from desk.programs.week.document.rendering.record_words import brier_words
from starters.learning.hypotheses.listing import ListedHypothesis
from starters.learning.lines import columns
from starters.terminal.tables import folded

TITLES: Final = ("market", "says", "due", "likely", "state", "value", "score")

LABEL: Final = 10

_NONE: Final[Mapping[str, Decimal | None]] = MappingProxyType({})

_REFERENCE: Final = re.compile(r"\[\[([^\[\]]+)\]\]")


def table_lines(listed: Sequence[ListedHypothesis]) -> Iterator[str]:
    """Formats the hypotheses, each with its id below; empty if there are none."""
    if listed:
        rows = ((_cells(each), f"    {each.workflow_id}") for each in listed)
        yield from columns(TITLES, chain.from_iterable(rows))


def hypothesis_lines(listed: ListedHypothesis, now: datetime) -> Iterator[str]:
    """Formats one hypothesis with what it rests on, what would refute it, and its outcome."""
    request = listed.request
    hypothesis = request.hypothesis
    figures = _figures(hypothesis)
    yield f"{statement_of_hypothesis(hypothesis)}  {listed.state}"
    yield f"id        {listed.workflow_id}"
    yield f"as of     {instant(request.made_as_of)} by {request.swarm}"
    if request.written_at is not None:
        apart = ", afterwards: a back-test, not the desk's record" if _is_late(listed) else ""
        yield f"written   {instant(request.written_at)}{apart}"
    yield from _labelled_lines("objective", f"{one_line(request.objective)}")
    yield f"likely    {share_words(hypothesis.probability)}"
    yield f"level     {hypothesis.level:,f} on {print_full_day(hypothesis.level_on)}"
    yield from _labelled_lines("says", in_words(hypothesis.statement, figures))
    yield from _labelled_lines("refuted", in_words(hypothesis.refuted_by, figures))
    yield from _labelled_lines("rests on", f"{', '.join(hypothesis.claims)}")
    if request.by:
        yield from _labelled_lines("found by", f"{', '.join(human(agent) for agent in request.by)}")
    for view in hypothesis.views:
        came = f", {view_came(listed.scored, view)}" if listed.scored else ""
        yield from _labelled_lines(
            "view", f"{human(view.agent)}: {view_words(hypothesis, view)}{came}"
        )
    if listed.scored is not None:
        yield from _labelled_lines("outcome", f"{hypothesis_outcome(listed.scored)}")
        yield f"scored    {instant(listed.scored.scored_at)}"
    elif listed.waits_for is not None:
        yield f"waits     until {instant(listed.waits_for)}, {_days(listed.waits_for, now)}"
    if listed.note:
        yield from _labelled_lines("note", f"{one_line(listed.note)}")


def in_words(prose: str, figures: Mapping[str, Decimal | None] = _NONE) -> str:
    """Replaces references in prose by their figures; unknown references stay as names."""
    return one_line(_REFERENCE.sub(lambda found: str(figures.get(found[1]) or found[1]), prose))


def _figures(hypothesis: Hypothesis) -> Mapping[str, Decimal | None]:
    """The figures that the hypothesis is compared with, by claim."""
    own = {
        Metric.LAST: hypothesis.level,
        Metric.EXPECTED_LOW: hypothesis.low,
        Metric.EXPECTED_HIGH: hypothesis.high,
    }
    market = hypothesis.market.market
    return {claim_id(market, metric): value for metric, value in own.items()}


def view_came(scored: ScoredHypothesis, view: HeldView) -> str:
    """The outcome of a specialist's view: `held (Brier score 0.194)`, or `void`."""
    score = view_score(scored, view)
    state = view_state(scored, view)
    return f"{state}" if score is None else f"{state} (Brier score {brier_words(score)})"


def _labelled_lines(label: str, text: str) -> Iterator[str]:
    """A label and its text, wrapped beside it."""
    return folded(text, LABEL * " ", first=label.ljust(LABEL))


def _cells(listed: ListedHypothesis) -> tuple[str, ...]:
    hypothesis, scored = listed.request.hypothesis, listed.scored
    value = f"{scored.value:,f}" if scored and scored.value is not None else NO_FIGURE
    score = f"{scored.score:.3f}" if scored and scored.score is not None else NO_FIGURE
    return (
        hypothesis.market.market,
        _says(hypothesis),
        f"{hypothesis.due:%Y-%m-%d}",
        share_words(hypothesis.probability),
        f"{listed.state}, back-test" if _is_late(listed) else str(listed.state),
        value,
        score,
    )


def _is_late(listed: ListedHypothesis) -> bool:
    request = listed.request
    return written_afterwards(request.made_as_of, request.written_at, request.hypothesis.due)


def _says(hypothesis: Hypothesis) -> str:
    return where(hypothesis).replace("from ", "").replace(" to ", "-")


def _days(until: datetime, now: datetime) -> str:
    days = (until - now).days
    return "which has come" if until <= now else f"{days} days from now"
