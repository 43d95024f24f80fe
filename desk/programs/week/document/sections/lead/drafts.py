"""The kinds of themes before their texts are printed: the dollar, the banks, blocs of currencies,
ends of the year's range, and single moves."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.names.currencies import currency_name
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.shortening import shortened
from desk.contracts.base import MOST_SHORT
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.markets import MarketGroup
from desk.contracts.week.report import Mover
from desk.programs.week.document.sections.lead.decisions import (
    BANKS_NAMED,
    changed_rates,
    decision_words,
    scheduled,
    who_changed,
)
from desk.programs.week.document.sections.lead.editions import NAMES_ALL_CHANGES, SAYS_NONE_SOON
from desk.programs.week.document.sections.lead.headline import dollar_words
from desk.programs.week.document.sections.lead.lead_week import DOLLAR_AREA, LeadWeek
from desk.programs.week.document.sections.lead.movers import (
    areas_of,
    currency,
    kind_of_move,
    largest,
    pairs_of,
    sign,
)
from desk.programs.week.document.sections.lead.phrases import (
    MOST_NAMED,
    capitalised,
    few,
    figure,
    in_the_week,
    score_beside,
)
from desk.programs.week.document.sections.lead.year_ends import ends_reached
from desk.programs.week.document.sections.summary import (
    BOTTOM,
    TOP,
    Reached,
    dollar_count,
    dollar_direction,
    is_unusual,
)
from desk.trust.claims.dollar_index import DOLLAR_INDEX

BANKS_IN_TITLE: Final = 2

BLOCS: Final[Mapping[str, tuple[str, ...]]] = {
    "Scandinavian currencies": ("NOK", "SEK"),
    "The euro, sterling and the franc": ("EUR", "GBP", "CHF"),
    "Commodity currencies": ("AUD", "NZD", "CAD"),
    "North Asian currencies": ("CNY", "KRW", "TWD"),
    "South-east Asian currencies": ("IDR", "MYR", "PHP", "SGD", "THB"),
}
"""Groups of currencies that the market compares: by region, and by exports."""


class ThemeDraft(NamedTuple):
    """A theme before its texts are printed. `areas` are those whose banks matter for it.
    `at_the_edge` says that the theme is markets at the end of their year's range."""

    title: str
    markets: tuple[str, ...]
    areas: tuple[str, ...]
    moved: str
    ahead: str | None = None
    why: str | None = None
    at_the_edge: bool = False


def dollar_draft(week: LeadWeek) -> Iterator[ThemeDraft]:
    """The theme of the dollar as a whole, with what its own bank did."""
    words = dollar_words(week)
    if words is None:
        return
    side = _majority(week)
    if week.has(DOLLAR_INDEX, Metric.MOVE):
        of_index = sign(week.claims[claim_id(DOLLAR_INDEX, Metric.MOVE)].value)
        side = side if of_index == side else 0
        words = (
            "The dollar index, by ICE's weights, moved from"
            f" {figure(DOLLAR_INDEX, Metric.PREVIOUS)} to {figure(DOLLAR_INDEX, Metric.LAST)}"
            f" ({figure(DOLLAR_INDEX, Metric.MOVE)})"
        )
    title = {1: "The dollar is higher", -1: "The dollar is lower"}.get(side, "The dollar is mixed")
    yield ThemeDraft(title, (), (DOLLAR_AREA,), f"{words}.")


def _majority(week: LeadWeek) -> int:
    """The direction of the dollar against most currencies of each group; 0 if the groups differ."""
    sides = {
        group: sum(week.side(row) for row in week.report.movers if row.group is group)
        for group in MarketGroup
    }
    sides_known = {row.group for row in week.report.movers if DOLLAR in row.market.split("/")}
    signs = {
        (side > 0) - (side < 0)
        for group, side in sides.items()
        if (week.says_only_known and group in sides_known)
        or dollar_count(group.upper(), week.claims)
    }
    return signs.pop() if len(signs) == 1 else 0


def banks_draft(week: LeadWeek) -> Iterator[ThemeDraft]:
    """The theme of the banks, other than the dollar's, that changed their rates."""
    most = None if week.edition >= NAMES_ALL_CHANGES else BANKS_NAMED
    named = [row for row in changed_rates(week) if row.area != DOLLAR_AREA][:most]
    title = who_changed(named, BANKS_IN_TITLE, week, in_title=True)
    if title is None:
        return
    moved = capitalised("; ".join(decision_words(row, week) for row in named))
    areas = tuple(row.area for row in named)
    pairs = [row for area in areas for row in pairs_of(area, week)]
    with_them = ", ".join(f"{row.market} {figure(row.market, Metric.MOVE)}" for row in pairs)
    colon = "" if week.edition >= SAYS_NONE_SOON else ":"
    beside = f"{in_the_week(week)}{colon} {with_them}." if with_them else None
    yield ThemeDraft(
        shortened(capitalised(title), MOST_SHORT),
        tuple(dict.fromkeys((*areas, *(row.market for row in pairs)))),
        areas,
        f"{moved}.",
        scheduled(week, without=DOLLAR_AREA),
        beside,
    )


def bloc_drafts(week: LeadWeek) -> Iterator[ThemeDraft]:
    """The themes of blocs whose currencies all moved the same way, the most unusual first."""
    movers = week.report.movers
    with_dollar = [row for row in movers if week.says_only_known or dollar_direction(row)]
    by_currency = {currency(row): row for row in with_dollar if DOLLAR in row.market.split("/")}
    found: list[tuple[Decimal, str, list[Mover], int]] = []
    for name, currencies in BLOCS.items():
        rows = [by_currency[code] for code in currencies if code in by_currency]
        sides = {week.side(row) for row in rows}
        if len(rows) > 1 and len(sides) == 1 and 0 not in sides:
            found.append((_unusualness(rows), name, rows, sides.pop()))
    for _, name, rows, side in sorted(found, key=lambda bloc: -bloc[0]):
        verb = "lose to" if side > 0 else "gain on"
        moves = [f"{row.market} {figure(row.market, Metric.MOVE)}" for row in largest(rows)]
        markets = tuple(row.market for row in rows)
        yield ThemeDraft(
            f"{name} {verb} the dollar",
            markets,
            areas_of(rows),
            f"{': '.join((', '.join(moves), *_kind_of_week(rows, week)))}.",
        )


def _kind_of_week(rows: Sequence[Mover], week: LeadWeek) -> Iterator[str]:
    """How usual the week was for the pairs of a bloc, as far as it is known."""
    unusual = [row.market for row in rows if is_unusual(row)]
    larger = [row.market for row in rows if week.is_larger(row)]
    if unusual:
        yield f"unusual for {listed(unusual)}" if week.says_only_known else "an unusual week"
    elif larger:
        yield f"more than usual for {listed(larger)}"
    elif not week.says_only_known or all(row.z_score is not None for row in rows):
        yield "an ordinary week for each"


def _unusualness(rows: Sequence[Mover]) -> Decimal:
    """The mean size of the moves in standard deviations. A move without a z-score counts as 0."""
    return sum((abs(row.z_score or Decimal(0)) for row in rows), Decimal(0)) / len(rows)


def year_end_drafts(week: LeadWeek) -> Iterator[ThemeDraft]:
    """The themes of the pairs that reached an end of their year's range, wherever they ended."""
    found = week.reached
    for end in ends_reached(week) if week.is_shorter else ():
        ways = [_way_to_the_end(row, metric, found) for row, metric in end.rows]
        more = [f"{len(ways) - MOST_NAMED} more"] if ways[MOST_NAMED:] else []
        moved = f"{'; '.join((*ways[:MOST_NAMED], *more))}."
        areas = areas_of(row for row, _ in end.rows)
        yield ThemeDraft(end.title, end.markets, areas, moved, at_the_edge=True)
    if week.is_shorter:
        return
    for words, rows, metric in (
        ("twelve-month high", found.highs, Metric.WINDOW_HIGH),
        ("twelve-month low", found.lows, Metric.WINDOW_LOW),
    ):
        if rows:
            moved = f"{'; '.join(_way_to_the_end(row, metric, found) for row in rows)}."
            markets = tuple(row.market for row in rows)
            title = f"{few(markets)} reached a {words}"
            yield ThemeDraft(title, markets, areas_of(rows), moved, at_the_edge=True)


def _way_to_the_end(row: Mover, metric: Metric, found: Reached) -> str:
    """`EUR/USD to 1.1130, ending at 1.1172 (-0.19 %)`."""
    move = figure(row.market, Metric.MOVE)
    if row.market in found.ended:
        return f"{row.market} to {figure(row.market, Metric.LAST)}, where it ended ({move})"
    level = f"{figure(row.market, metric)}, ending at {figure(row.market, Metric.LAST)}"
    return f"{row.market} to {level} ({move})"


def week_end_drafts(week: LeadWeek) -> Iterator[ThemeDraft]:
    """The themes of edition 0: only the pairs that ended the week at an end of the year's range."""
    placed = [row for row in week.report.movers if row.range_position is not None]
    edges = {
        "twelve-month high": [row for row in placed if (row.range_position or BOTTOM) >= TOP],
        "twelve-month low": [row for row in placed if (row.range_position or BOTTOM) <= BOTTOM],
    }
    for words, rows in edges.items():
        if rows:
            moves = [
                f"{row.market} at {figure(row.market, Metric.LAST)}"
                f" ({figure(row.market, Metric.MOVE)})"
                for row in rows
            ]
            title = f"{listed([row.market for row in rows])} at a {words}"
            markets = tuple(row.market for row in rows)
            moved = f"{', '.join(moves)}."
            yield ThemeDraft(title, markets, areas_of(rows), moved, at_the_edge=True)


def single_move_drafts(rows: Sequence[Mover], week: LeadWeek) -> Iterator[ThemeDraft]:
    """The most unusual move of each group that no other theme covers."""
    for group in MarketGroup:
        row = next((row for row in rows if row.group is group and week.side(row)), None)
        if row is None:
            continue
        verb = "loses to" if week.side(row) > 0 else "gains on"
        kind = kind_of_move(row, week)
        usual = f", {kind}{score_beside(row)}" if kind else ""
        yield ThemeDraft(
            f"The {currency_name(currency(row))} {verb} the dollar",
            (row.market,),
            areas_of([row]),
            f"{row.market} {figure(row.market, Metric.MOVE)}"
            f" to {figure(row.market, Metric.LAST)}{usual}.",
        )
