"""The standfirst: the largest and the unusual moves, and the ends of the year's range reached."""

from collections.abc import Sequence
from typing import Final

from desk.contracts.findings.claims import Metric
from desk.contracts.week.report import Mover
from desk.programs.week.document.sections.lead.headline import headline_parts
from desk.programs.week.document.sections.lead.lead_week import LeadWeek
from desk.programs.week.document.sections.lead.movers import kind_of_move, largest, rarity
from desk.programs.week.document.sections.lead.phrases import capitalised, few, figure, score_beside
from desk.programs.week.document.sections.lead.year_ends import ends_words
from desk.programs.week.document.sections.summary import is_unusual

NONE_UNUSUAL: Final = "no move of the week as a whole was unusual"


def standfirst(week: LeadWeek) -> str | None:
    """The sentences below the headline; None for a report without moves."""
    movers = week.report.movers
    first = next(iter(largest(movers)), None)
    if first is None:
        return None
    unusual = [row for row in movers if is_unusual(row)]
    if week.is_of_one_pair and not headline_parts(week):
        return _only_move(first, week)
    if unusual and week.is_shorter:
        return f"{_most_unusual(unusual, first)}{ends_words(week)}"
    largest_move = f"The largest move was {first.market} at {figure(first.market, Metric.MOVE)}"
    ends = ends_words(week)
    if week.says_only_known and first.z_score is None and not unusual:
        return f"{largest_move}.{ends}"
    if not unusual:
        claimed = "no pair moved out of its usual range" if not week.edition else NONE_UNUSUAL
        size = "larger than usual, yet" if week.is_larger(first) else "an ordinary one:"
        return f"{largest_move}{score_beside(first)}, {size} {claimed}.{ends}"
    named = ", ".join(f"{row.market} ({figure(row.market, Metric.Z_SCORE)})" for row in unusual)
    return f"{largest_move}{score_beside(first)}. Unusual for the pair: {named}.{ends}"


def _most_unusual(unusual: Sequence[Mover], first: Mover) -> str:
    """The unusual moves, the most unusual one first, and the largest one in percent."""
    most, *others = sorted(unusual, key=rarity)
    kind = "largest and most unusual" if most is first else "most unusual"
    named = few([f"{row.market} {_sized(row, largest=row is first)}" for row in others])
    then = f", followed by {named}" if named else ""
    size = f"{figure(first.market, Metric.MOVE)}{score_beside(first)}"
    beside = f"; the largest was {first.market} at {size}"
    words = f"The {kind} move was {most.market} at {_sized(most)}{then}"
    return f"{words}{'' if first in unusual else beside}."


def _sized(row: Mover, *, largest: bool = False) -> str:
    """`-2.90 % (-2.3 σ)`."""
    score = figure(row.market, Metric.Z_SCORE)
    return f"{figure(row.market, Metric.MOVE)} ({score}{', the largest move' if largest else ''})"


def _only_move(row: Mover, week: LeadWeek) -> str | None:
    """How usual the move of a report's only pair was, which its headline has."""
    kind = kind_of_move(row, week)
    words = f"{capitalised(kind)}{score_beside(row)}." if kind else ""
    return f"{words}{ends_words(week)}".strip() or None
