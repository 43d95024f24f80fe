"""The summary: a few sentences that follow by rule from the tables of the report."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from contracts.claims import Unit
from contracts.markets import MarketGroup
from contracts.report import CalendarRow, Coverage, Mover
from contracts.results import ConflictRecord
from domain.figures import print_day, print_figure
from domain.prose import clip
from domain.report_calendar import is_decided

MOVERS_NAMED: Final = 3
AHEAD_NAMED: Final = 8
AHEAD_SPAN: Final = timedelta(days=14)
DOLLAR: Final = "USD"
ADJECTIVES: Final = {MarketGroup.G10: "G10", MarketGroup.ASIA: "Asian"}
TOP: Final = Decimal(100)
BOTTOM: Final = Decimal(0)


def summary_of(
    movers: Sequence[Mover],
    calendar: Sequence[CalendarRow],
    conflicts: Sequence[ConflictRecord],
    coverage: Coverage,
    as_of: date,
) -> tuple[str, ...]:
    """What moved, what was decided, what is ahead and what is missing, in that order."""
    lines = (
        *(_movers_line(group, movers) for group in MarketGroup),
        _dollar_line(movers),
        _extremes_line(movers),
        _decisions_line(calendar),
        _open_line(calendar),
        _ahead_line(calendar, as_of),
        _conflicts_line(conflicts),
        _coverage_line(coverage),
    )
    return tuple(clip(line) for line in lines if line)


def dollar_direction(row: Mover) -> int:
    """+1 where the dollar rose, -1 where it fell, 0 where it did neither or is no part."""
    base, quote = row.market.split("/")
    sign = (row.move > 0) - (row.move < 0)
    if base == DOLLAR:
        return sign
    return -sign if quote == DOLLAR else 0


def _movers_line(group: MarketGroup, movers: Sequence[Mover]) -> str | None:
    rows = [row for row in movers if row.group is group][:MOVERS_NAMED]
    if not rows:
        return None
    first, *others = rows
    last = print_figure(first.last, Unit.LEVEL)
    line = f"{group}: the most unusual move was {_move_words(first)} to {last}"
    if others:
        line += ", then " + " and ".join(_move_words(row) for row in others)
    return f"{line}."


def _move_words(row: Mover) -> str:
    move = print_figure(row.move, Unit.PERCENT)
    if row.z_score is None:
        return f"{row.market} {move}"
    return f"{row.market} {move} ({print_figure(row.z_score, Unit.STANDARD_DEVIATIONS)})"


def _dollar_line(movers: Sequence[Mover]) -> str | None:
    counts = []
    for group in MarketGroup:
        rows = [row for row in movers if row.group is group and DOLLAR in row.market]
        if rows:
            risen = sum(dollar_direction(row) > 0 for row in rows)
            counts.append(f"{risen} of {len(rows)} {ADJECTIVES[group]} currencies")
    return f"The dollar rose against {' and '.join(counts)}." if counts else None


def _extremes_line(movers: Sequence[Mover]) -> str | None:
    placed = [(row.market, row.range_position) for row in movers if row.range_position is not None]
    top = ", ".join(market for market, position in placed if position >= TOP)
    bottom = ", ".join(market for market, position in placed if position <= BOTTOM)
    parts = [f"at a 52-week high: {top}"] if top else []
    parts += [f"at a 52-week low: {bottom}"] if bottom else []
    return _sentence("; ".join(parts)) if parts else None


def _decisions_line(calendar: Sequence[CalendarRow]) -> str:
    decided = [row for row in calendar if is_decided(row)]
    if not decided:
        return "No rate decision is on record for the window."
    words = (f"{row.bank} {row.outcome} ({print_day(row.day)})" for row in decided)
    return f"Rate decisions: {'; '.join(words)}."


def _open_line(calendar: Sequence[CalendarRow]) -> str | None:
    rows = [row for row in calendar if not row.ahead and not is_decided(row)]
    named = ", ".join(f"{row.bank} ({print_day(row.day)})" for row in rows)
    return f"Decision days without an outcome on record: {named}." if named else None


def _ahead_line(calendar: Sequence[CalendarRow], as_of: date) -> str | None:
    ahead = [row for row in calendar if row.ahead]
    near = [row for row in ahead if row.day <= as_of + AHEAD_SPAN]
    named = (near or ahead)[:AHEAD_NAMED]
    if not named:
        return None
    words = ", ".join(f"{row.bank} ({print_day(row.day)})" for row in named)
    more = len(near) - len(named)
    return f"Decisions ahead: {words}{f' and {more} more' if more > 0 else ''}."


def _conflicts_line(conflicts: Sequence[ConflictRecord]) -> str | None:
    split = [conflict.market for conflict in conflicts if not conflict.resolved]
    return f"Sources disagree, unresolved: {', '.join(split)}." if split else None


def _coverage_line(coverage: Coverage) -> str | None:
    if not coverage.missing:
        return None
    names = ", ".join(market.market for market in coverage.missing)
    return f"Missing from this report: {names}."


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
