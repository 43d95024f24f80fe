"""Hypotheses for people: a table, and one with all that is known of it."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from contracts.swarm import Hypothesis
from domain.figures import print_full_day
from domain.hypotheses_words import what_came, what_is_said, where
from reporting.wording import NO_FIGURE, human, instant, one_line
from starters.hypotheses_look import ListedHypothesis
from starters.learned_words import columns
from starters.table_lines import folded

TITLES: Final = ("market", "says", "due", "likely", "state", "value", "score")

LABEL: Final = 10

_REFERENCE: Final = re.compile(r"\[\[([^\[\]]+)\]\]")


def table_lines(listed: Sequence[ListedHypothesis]) -> Iterator[str]:
    """The hypotheses, each with its id below; nothing where there are none."""
    if not listed:
        return
    titles, *rows = columns(TITLES, [_cells(each) for each in listed], {1: 26})
    yield titles
    for each, row in zip(listed, rows, strict=True):
        yield row
        yield f"    {each.workflow_id}"


def hypothesis_lines(listed: ListedHypothesis, now: datetime) -> Iterator[str]:
    """One with what it rests on, what would refute it, and what came of it."""
    request = listed.request
    hypothesis = request.hypothesis
    yield f"{what_is_said(hypothesis)}  {listed.state}"
    yield f"id        {listed.workflow_id}"
    yield f"made      {instant(request.made_as_of)} by {request.swarm}"
    yield from _told("objective", f"{one_line(request.objective)}")
    yield f"likely    {hypothesis.probability:.0%}"
    yield f"level     {hypothesis.level} on {print_full_day(hypothesis.level_on)}"
    yield from _told("says", f"{in_words(hypothesis.statement)}")
    yield from _told("refuted", f"{in_words(hypothesis.refuted_by)}")
    yield from _told("rests on", f"{', '.join(hypothesis.claims)}")
    if request.by:
        yield from _told("found by", f"{', '.join(human(agent) for agent in request.by)}")
    if listed.scored is not None:
        yield from _told("outcome", f"{what_came(listed.scored)}")
        yield f"scored    {instant(listed.scored.scored_at)}"
    elif listed.waits_for is not None:
        yield f"waits     until {instant(listed.waits_for)}, {_days(listed.waits_for, now)}"
    if listed.note:
        yield from _told("note", f"{one_line(listed.note)}")


def in_words(prose: str) -> str:
    """Prose with the names of figures in the place of references to them."""
    return one_line(_REFERENCE.sub(lambda found: found[1], prose))


def _told(label: str, text: str) -> Iterator[str]:
    """A label and what belongs to it, folded beside it."""
    first, *others = folded(text, LABEL * " ")
    yield f"{label:<{LABEL}}{first[LABEL:]}"
    yield from others


def _cells(listed: ListedHypothesis) -> tuple[str, ...]:
    hypothesis, scored = listed.request.hypothesis, listed.scored
    value = str(scored.value) if scored and scored.value is not None else NO_FIGURE
    score = f"{scored.score:.3f}" if scored and scored.score is not None else NO_FIGURE
    return (
        hypothesis.market.market,
        _says(hypothesis),
        f"{hypothesis.due:%Y-%m-%d}",
        f"{hypothesis.probability:.0%}",
        str(listed.state),
        value,
        score,
    )


def _says(hypothesis: Hypothesis) -> str:
    return where(hypothesis).replace("from ", "").replace(" to ", "-")


def _days(until: datetime, now: datetime) -> str:
    days = (until - now).days
    return "which has come" if until <= now else f"{days} days from now"
