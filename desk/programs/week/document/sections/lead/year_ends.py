"""The ends of their year's range that pairs reached within the week."""

from collections.abc import Iterator
from typing import NamedTuple

from desk.analytics.names.markets import DOLLAR
from desk.contracts.findings.claims import Metric
from desk.contracts.week.report import Mover
from desk.programs.week.document.sections.lead.lead_week import LeadWeek
from desk.programs.week.document.sections.lead.movers import currency, rarity
from desk.programs.week.document.sections.lead.phrases import few


class EndReached(NamedTuple):
    """Who reached which end of a year's range, with the pairs concerned and the metric of each
    pair's fixing at the end."""

    who: str
    reached: str
    rows: tuple[tuple[Mover, Metric], ...]

    @property
    def title(self) -> str:
        """`The dollar reached a twelve-month high against EUR and CNY`."""
        return f"{self.who} reached {self.reached}"

    @property
    def markets(self) -> tuple[str, ...]:
        """The pairs that reached the end."""
        return tuple(row.market for row, _ in self.rows)


def ends_reached(week: LeadWeek) -> Iterator[EndReached]:
    """The ends of the year's range from the dollar's side: the low of EUR/USD is its high against
    the euro. A pair without the dollar, and the pair of a report of one, has its own end."""
    found = week.reached
    ends = [
        *((row, Metric.WINDOW_HIGH, 1) for row in found.highs),
        *((row, Metric.WINDOW_LOW, -1) for row in found.lows),
    ]
    ends.sort(key=lambda end: rarity(end[0]))
    sides = {row.market: 0 if week.is_of_one_pair else _side_of_dollar(row) for row, _, _ in ends}
    for of_dollar in (True, False):
        for way, end in ((1, "twelve-month high"), (-1, "twelve-month low")):
            rows = tuple(
                (row, metric)
                for row, metric, sign in ends
                if bool(sides[row.market]) is of_dollar and sign * (sides[row.market] or 1) == way
            )
            names = [currency(row) if of_dollar else row.market for row, _ in rows]
            if rows and of_dollar:
                yield EndReached("The dollar", f"a {end} against {few(names)}", rows)
            elif rows:
                yield EndReached(few(names), f"a {end}", rows)


def ends_words(week: LeadWeek) -> str:
    """` EUR/USD and USD/CNY reached a twelve-month low.`; empty if no pair reached an end."""
    if not week.edition:
        return ""
    if week.is_shorter:
        ends: dict[str, list[str]] = {}
        for end in ends_reached(week):
            ends.setdefault(end.who, []).append(end.reached)
        return "".join(f" {who} reached {', and '.join(reached)}." for who, reached in ends.items())
    found = week.reached
    return "".join(
        f" {few([row.market for row in rows])} reached a {words}."
        for words, rows in (("twelve-month high", found.highs), ("twelve-month low", found.lows))
        if rows
    )


def _side_of_dollar(row: Mover) -> int:
    """+1 if the dollar is the first currency of a pair, -1 if the second, 0 if neither."""
    base, quote = row.market.split("/")
    return (base == DOLLAR) - (quote == DOLLAR)
