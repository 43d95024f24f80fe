"""The lead of a report: the week in a sentence, and its few themes, composed by rule from the
claims, the decisions and the news.

Sentences contain references to claims and no other figures. That something was decided or written
in the same week is stated as such, never as a cause.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.comparison import is_little_changed
from desk.analytics.figures import print_day
from desk.analytics.names.central_banks import named_in_a_sentence
from desk.analytics.names.currencies import currency_name
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.shortening import shortened
from desk.analytics.prices.series import window_days
from desk.contracts.base import MOST_SHORT
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import Reported
from desk.contracts.findings.source_results import DatePrecision
from desk.contracts.markets import MarketGroup
from desk.contracts.week.report import CalendarRow, Lead, Mover, ResearchReport, Sentence, Theme
from desk.programs.week.document.sections.calendar import (
    COUNTS_IN_FULL,
    announced_to,
    is_decided,
    undated_banks,
)
from desk.programs.week.document.sections.summary import (
    BOTTOM,
    EDITION,
    TOP,
    Reached,
    dollar_count,
    dollar_counts,
    dollar_direction,
    is_notable,
    is_unusual,
    reached_in,
)
from desk.trust.claims.dollar_index import DOLLAR_INDEX
from desk.trust.claims.week_counts import WEEK
from desk.trust.prose import Form, sentence

MOST_THEMES: Final = 5
MOST_BLOCS: Final = 2
BANKS_NAMED: Final = 3
BANKS_IN_TITLE: Final = 2
SOON: Final = timedelta(days=14)
DOLLAR_AREA: Final = AREAS[DOLLAR]

BLOCS: Final[Mapping[str, tuple[str, ...]]] = {
    "Scandinavian currencies": ("NOK", "SEK"),
    "The euro, sterling and the franc": ("EUR", "GBP", "CHF"),
    "Commodity currencies": ("AUD", "NZD", "CAD"),
    "North Asian currencies": ("CNY", "KRW", "TWD"),
    "South-east Asian currencies": ("IDR", "MYR", "PHP", "SGD", "THB"),
}
"""Groups of currencies that are looked at together: by region, and by exports."""

MOST_NAMED: Final = 6
NO_FIXING: Final = "No move is known: the sources have no fixing of the week for any pair."
NONE_UNUSUAL: Final = "no move of the week as a whole was unusual"

VERBS: Final = {1: "raised", 0: "held", -1: "cut"}
COUNTS: Final = {1: Metric.BANKS_RAISED, 0: Metric.BANKS_HELD, -1: Metric.BANKS_CUT}


LITTLE_HAS_NO_SIDE: Final = 2
"""The first edition of the rules in which a move that is little changed has no direction."""

NO_FIXING_TOLD: Final = 4
"""The first edition of the rules in which a week without fixings does not read as a calm one."""

LARGER_TOLD: Final = 5
"""The first edition of the rules in which a move of more than one deviation is not called
ordinary."""

NONE_SOON_TOLD: Final = 8
"""The first edition of the rules in which a bank that decides after the calendar's last day is not
told to have no day on record, and what stands beside a theme goes on after its title."""

ALL_CHANGES_TOLD: Final = 8
"""The first edition of the rules in which the lead leaves out no bank that changed its rate."""

ONLY_KNOWN_TOLD: Final = 8
"""The first edition of the rules in which a move without a z-score is not called ordinary, and a
neighbour that did not move at all went no way."""

SHORTER: Final = 9
"""The first edition of the rules in which the lead begins with the most unusual move, tells an end
of the year's range of the dollar, counts many banks instead of naming them, and repeats in a theme
neither another theme's decisions nor which days are not on record."""

WITH_ARTICLES: Final = 3
"""The first version of the built-in analysts that writes banks with their article."""


class _Week(NamedTuple):
    """A report with its claims, and the banks' decisions in the window and ahead."""

    report: ResearchReport
    claims: Mapping[str, Claim]
    decided: tuple[CalendarRow, ...]
    ahead: tuple[CalendarRow, ...]
    as_of: date
    edition: int
    pegged: frozenset[str]

    def has(self, subject: str, metric: Metric) -> bool:
        return claim_id(subject, metric) in self.claims

    def side(self, row: Mover) -> int:
        """+1 if the dollar rose in a pair, -1 if it fell, 0 if neither."""
        pegged = row.market in self.pegged
        if self.edition >= LITTLE_HAS_NO_SIDE and is_little_changed(row.move, pegged=pegged):
            return 0
        return dollar_direction(row)

    def is_larger(self, row: Mover) -> bool:
        """Whether a move is called larger than usual."""
        return self.edition >= LARGER_TOLD and is_notable(row)

    @property
    def says_only_known(self) -> bool:
        """Whether nothing is said of how usual a move is that has no z-score, and a move of zero
        is no way that a currency went."""
        return self.edition >= ONLY_KNOWN_TOLD

    @property
    def is_of_one_pair(self) -> bool:
        """Whether the report has a single move, which is then not told as the largest."""
        return self.edition >= ONLY_KNOWN_TOLD and len(self.report.movers) == 1

    @property
    def is_shorter(self) -> bool:
        """Whether the lead says each thing once, in terms of the dollar."""
        return self.edition >= SHORTER

    @property
    def reached(self) -> Reached:
        """The floating pairs that reached an end of their year's range."""
        return reached_in(self.report, self.claims, self.edition)

    def bank(self, row: CalendarRow) -> str:
        """Returns a bank's name for a sentence of the lead. Earlier analysts wrote it without an
        article, and an audit recomposes their lead."""
        versions = (section.version or 0 for section in self.report.markets)
        with_article = self.edition >= ALL_CHANGES_TOLD or max(versions, default=0) >= WITH_ARTICLES
        return named_in_a_sentence(row.bank) if with_article else row.bank


class _Draft(NamedTuple):
    """A theme before its texts are printed. `areas` are those whose banks matter for it.
    `at_the_edge` says that the theme is markets at the end of their year's range."""

    title: str
    markets: tuple[str, ...]
    areas: tuple[str, ...]
    moved: str
    ahead: str | None = None
    why: str | None = None
    at_the_edge: bool = False


def lead_of(report: ResearchReport, claims: Mapping[str, Claim], edition: int = EDITION) -> Lead:
    """Composes the lead of a report; ignores the lead that it has.

    `claims` are the printed ones of the week, by id. `edition` is that of the rules: an audit
    recomposes a lead by its original rules.
    """
    _, as_of = window_days(report.window)
    rows = report.calendar
    week = _Week(
        report,
        claims,
        tuple(row for row in rows if is_decided(row)),
        tuple(row for row in rows if row.ahead),
        as_of,
        edition,
        frozenset(spec.market for spec in report.config.markets if spec.band),
    )
    return Lead(
        headline=sentence(_headline(week), claims),
        standfirst=_said(_standfirst(week), claims),
        themes=tuple(_themes(week)),
        edition=edition,
    )


def largest(movers: Iterable[Mover]) -> list[Mover]:
    """The movers with the largest moves first, in either direction."""
    return sorted(movers, key=lambda row: (-abs(row.move), row.market))


def _said(prose: str | None, claims: Mapping[str, Claim]) -> Sentence | None:
    return sentence(prose, claims) if prose else None


def _headline(week: _Week) -> str:
    parts = _headline_parts(week)
    if parts:
        return f"{_capitalised('; '.join(parts))}."
    first = next(iter(largest(week.report.movers)), None)
    if first is None:
        return NO_FIXING if week.edition >= NO_FIXING_TOLD else "No currency has a move to report."
    if week.is_of_one_pair:
        moved, at = _of(first.market, Metric.MOVE, Form.MOVED), "to" if first.move else "at"
        return f"{first.market} {moved} {at} {_last(first)}."
    return f"{first.market} moved most ({_of(first.market, Metric.MOVE)})."


def _headline_parts(week: _Week) -> list[str]:
    return [part for part in (_dollar_words(week), _changed_words(week)) if part]


def _dollar_words(week: _Week) -> str | None:
    """`The dollar fell against 11 of 18 currencies and rose against 7`."""
    counted = dollar_counts(week.claims, week.edition)
    return f"The dollar {counted}" if counted else None


def _changed_words(week: _Week) -> str | None:
    """`the Federal Reserve and the Bank of England cut rates, the Bank of Japan raised rates`."""
    return _who_changed(_changed(week), BANKS_NAMED, week)


def _who_changed(
    rows: Sequence[CalendarRow], most: int, week: _Week, *, in_title: bool = False
) -> str | None:
    """Which banks changed their rates, and which way. Many are counted, or in a title called
    central banks. Earlier editions named `most` of them, and left out the others."""
    if week.edition < ALL_CHANGES_TOLD:
        told = (f"{row.bank} {VERBS[_sign(_change(row, week))]}" for row in rows[:most])
        return ", ".join(told) or None
    sides: dict[int, list[str]] = {}
    for row in rows:
        sides.setdefault(_sign(_change(row, week)), []).append(week.bank(row))
    told = (
        (_many_changed(banks, side, week, in_title=in_title) if week.is_shorter else None)
        or f"{_few(banks)} {VERBS[side]} rates"
        for side, banks in sides.items()
    )
    return ", ".join(told) or None


def _many_changed(banks: Sequence[str], side: int, week: _Week, *, in_title: bool) -> str | None:
    """`8 of the 9 banks that decided raised rates, among them the Federal Reserve`; None for few
    banks, and if they were not counted."""
    if len(banks) <= BANKS_NAMED:
        return None
    if in_title:
        return f"central banks {VERBS[side]} rates"
    counted = week.claims.get(claim_id(WEEK, COUNTS[side]))
    if counted is None or counted.value != len(banks):
        return None
    return f"[[{counted.claim_id}]] rates, among them {listed(banks[:BANKS_NAMED])}"


def _changed(week: _Week) -> list[CalendarRow]:
    """The decisions that changed a rate, those of markets with higher priority first."""
    priorities = {spec.market: spec.priority for spec in week.report.config.markets}
    rows = [row for row in week.decided if _change(row, week)]
    return sorted(rows, key=lambda row: priorities.get(row.area, len(priorities)))


def _standfirst(week: _Week) -> str | None:
    movers = week.report.movers
    first = next(iter(largest(movers)), None)
    if first is None:
        return None
    unusual = [row for row in movers if is_unusual(row)]
    if week.is_of_one_pair and not _headline_parts(week):
        return _only_move(first, week)
    if unusual and week.is_shorter:
        return f"{_most_unusual(unusual, first)}{_ends_words(week)}"
    told = f"The largest move was {first.market} at {_of(first.market, Metric.MOVE)}"
    score = f" ({_of(first.market, Metric.Z_SCORE)})" if first.z_score is not None else ""
    ends = _ends_words(week)
    if week.says_only_known and first.z_score is None and not unusual:
        return f"{told}.{ends}"
    if not unusual:
        claimed = "no pair moved out of its usual range" if not week.edition else NONE_UNUSUAL
        size = "larger than usual, yet" if week.is_larger(first) else "an ordinary one:"
        return f"{told}{score}, {size} {claimed}.{ends}"
    named = ", ".join(f"{row.market} ({_of(row.market, Metric.Z_SCORE)})" for row in unusual)
    return f"{told}{score}. Unusual for the pair: {named}.{ends}"


def _most_unusual(unusual: Sequence[Mover], first: Mover) -> str:
    """The unusual moves, the most unusual one first, and the largest one in percent."""
    most, *others = sorted(unusual, key=_rarity)
    kind = "largest and most unusual" if most is first else "most unusual"
    named = _few([f"{row.market} {_sized(row, largest=row is first)}" for row in others])
    then = f", followed by {named}" if named else ""
    score = f" ({_of(first.market, Metric.Z_SCORE)})" if first.z_score is not None else ""
    beside = f"; the largest was {first.market} at {_of(first.market, Metric.MOVE)}{score}"
    told = f"The {kind} move was {most.market} at {_sized(most)}{then}"
    return f"{told}{'' if first in unusual else beside}."


def _sized(row: Mover, *, largest: bool = False) -> str:
    """`-2.90 % (-2.3 σ)`."""
    score = _of(row.market, Metric.Z_SCORE)
    return f"{_of(row.market, Metric.MOVE)} ({score}{', the largest move' if largest else ''})"


def _rarity(row: Mover) -> Decimal:
    return -abs(row.z_score or Decimal(0))


def _only_move(row: Mover, week: _Week) -> str | None:
    """How usual the move of a report's only pair was, which its headline has."""
    kind = _kind_of_move(row, week)
    score = f" ({_of(row.market, Metric.Z_SCORE)})" if row.z_score is not None else ""
    told = f"{_capitalised(kind)}{score}." if kind else ""
    return f"{told}{_ends_words(week)}".strip() or None


def _kind_of_move(row: Mover, week: _Week) -> str | None:
    """How usual a move was, if that is known."""
    if week.says_only_known and row.z_score is None:
        return None
    usual = "a larger move than usual" if week.is_larger(row) else "an ordinary move"
    return "an unusual move" if is_unusual(row) else usual


def _ends_words(week: _Week) -> str:
    """` EUR/USD and USD/CNY reached a twelve-month low.`; empty if no pair reached an end."""
    if not week.edition:
        return ""
    if week.is_shorter:
        ends: dict[str, list[str]] = {}
        for end in _ends_reached(week):
            ends.setdefault(end.who, []).append(end.reached)
        return "".join(f" {who} reached {', and '.join(told)}." for who, told in ends.items())
    found = week.reached
    return "".join(
        f" {_few([row.market for row in rows])} reached a {words}."
        for words, rows in (("twelve-month high", found.highs), ("twelve-month low", found.lows))
        if rows
    )


class _EndReached(NamedTuple):
    """Who reached which end of a year's range, and the pairs that show it, each with the metric of
    the fixing."""

    who: str
    reached: str
    rows: tuple[tuple[Mover, Metric], ...]

    @property
    def title(self) -> str:
        return f"{self.who} reached {self.reached}"

    @property
    def markets(self) -> tuple[str, ...]:
        return tuple(row.market for row, _ in self.rows)


def _ends_reached(week: _Week) -> Iterator[_EndReached]:
    """The ends of the year's range, told of the dollar: the low of EUR/USD is its high against the
    euro. Of a pair without the dollar, and in a report of one pair, its own end is told."""
    found = week.reached
    ends = [
        *((row, Metric.WINDOW_HIGH, 1) for row in found.highs),
        *((row, Metric.WINDOW_LOW, -1) for row in found.lows),
    ]
    ends.sort(key=lambda end: _rarity(end[0]))
    sides = {row.market: 0 if week.is_of_one_pair else _side_of_dollar(row) for row, _, _ in ends}
    for of_dollar in (True, False):
        for way, end in ((1, "twelve-month high"), (-1, "twelve-month low")):
            rows = tuple(
                (row, metric)
                for row, metric, sign in ends
                if bool(sides[row.market]) is of_dollar and sign * (sides[row.market] or 1) == way
            )
            names = [_currency(row) if of_dollar else row.market for row, _ in rows]
            if rows and of_dollar:
                yield _EndReached("The dollar", f"a {end} against {_few(names)}", rows)
            elif rows:
                yield _EndReached(_few(names), f"a {end}", rows)


def _side_of_dollar(row: Mover) -> int:
    """+1 if the dollar is the first currency of a pair, -1 if the second, 0 if neither."""
    base, quote = row.market.split("/")
    return (base == DOLLAR) - (quote == DOLLAR)


def _few(names: Sequence[str]) -> str:
    """Lists names in a sentence; counts the rest if there are many."""
    more = len(names) - MOST_NAMED
    return listed([*names[:MOST_NAMED], f"{more} more"] if more > 0 else names)


def _themes(week: _Week) -> Iterator[Theme]:
    told: set[str] = set()
    for draft in _chosen(week):
        story = _story(draft, week, told)
        if story is not None:
            told.add(story.title)
        yield Theme(
            title=draft.title,
            markets=draft.markets,
            moved=sentence(draft.moved, week.claims),
            why=_said(draft.why or _beside(draft, week), week.claims),
            story=story,
            ahead=_said(draft.ahead or _ahead(draft, week), week.claims),
        )


def _chosen(week: _Week) -> list[_Draft]:
    """The themes: the dollar, the banks, blocs that moved together, and single moves."""
    blocs = list(_blocs(week))[:MOST_BLOCS]
    within = {market for bloc in blocs for market in bloc.markets}
    alone = [row for row in week.report.movers if row.market not in within]
    if week.edition:
        ends = list(_ends(week))
        told = {market for draft in ends for market in draft.markets}
        alone = [row for row in alone if row.market not in told]
        others = [*ends, *blocs, *_single(alone, week)]
        if week.is_shorter:
            others.sort(key=lambda draft: _rarest(draft, week))
        drafts = [*_dollar(week), *_banks(week), *others]
    else:
        drafts = [*_dollar(week), *_banks(week), *blocs, *_extremes(week), *_single(alone, week)]
    return drafts[:MOST_THEMES]


def _rarest(draft: _Draft, week: _Week) -> Decimal:
    """Orders the themes with an unusual move, the most unusual one first, before all others."""
    rows = (row for row in week.report.movers if row.market in draft.markets)
    return min((_rarity(row) for row in rows if is_unusual(row)), default=Decimal(0))


def _dollar(week: _Week) -> Iterator[_Draft]:
    """The theme of the dollar as a whole, with what its own bank did."""
    words = _dollar_words(week)
    if words is None:
        return
    side = _majority(week)
    if week.has(DOLLAR_INDEX, Metric.MOVE):
        of_index = _sign(week.claims[claim_id(DOLLAR_INDEX, Metric.MOVE)].value)
        side = side if of_index == side else 0
        words = (
            f"The dollar index, by ICE's weights, moved from {_of(DOLLAR_INDEX, Metric.PREVIOUS)}"
            f" to {_of(DOLLAR_INDEX, Metric.LAST)} ({_of(DOLLAR_INDEX, Metric.MOVE)})"
        )
    title = {1: "The dollar is higher", -1: "The dollar is lower"}.get(side, "The dollar is mixed")
    yield _Draft(title, (), (DOLLAR_AREA,), f"{words}.")


def _majority(week: _Week) -> int:
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


def _banks(week: _Week) -> Iterator[_Draft]:
    """The themes of the banks, other than the dollar's, that changed their rates."""
    most = None if week.edition >= ALL_CHANGES_TOLD else BANKS_NAMED
    named = [row for row in _changed(week) if row.area != DOLLAR_AREA][:most]
    title = _who_changed(named, BANKS_IN_TITLE, week, in_title=True)
    if title is None:
        return
    moved = _capitalised("; ".join(_decision(row, week) for row in named))
    areas = tuple(row.area for row in named)
    pairs = [row for area in areas for row in _pairs_of(area, week)]
    with_them = ", ".join(f"{row.market} {_of(row.market, Metric.MOVE)}" for row in pairs)
    colon = "" if week.edition >= NONE_SOON_TOLD else ":"
    beside = f"{_in_the_week(week)}{colon} {with_them}." if with_them else None
    yield _Draft(
        shortened(_capitalised(title), MOST_SHORT),
        tuple(dict.fromkeys((*areas, *(row.market for row in pairs)))),
        areas,
        f"{moved}.",
        _scheduled(week, without=DOLLAR_AREA),
        beside,
    )


def _blocs(week: _Week) -> Iterator[_Draft]:
    """The themes of blocs whose currencies all moved the same way, the most unusual first."""
    movers = week.report.movers
    with_dollar = [row for row in movers if week.says_only_known or dollar_direction(row)]
    by_currency = {_currency(row): row for row in with_dollar if DOLLAR in row.market.split("/")}
    found: list[tuple[Decimal, str, list[Mover], int]] = []
    for name, currencies in BLOCS.items():
        rows = [by_currency[code] for code in currencies if code in by_currency]
        sides = {week.side(row) for row in rows}
        if len(rows) > 1 and len(sides) == 1 and 0 not in sides:
            found.append((_unusualness(rows), name, rows, sides.pop()))
    for _, name, rows, side in sorted(found, key=lambda bloc: -bloc[0]):
        verb = "lose to" if side > 0 else "gain on"
        moves = [f"{row.market} {_of(row.market, Metric.MOVE)}" for row in largest(rows)]
        markets = tuple(row.market for row in rows)
        yield _Draft(
            f"{name} {verb} the dollar",
            markets,
            _areas(rows),
            f"{': '.join((', '.join(moves), *_kind_of_week(rows, week)))}.",
        )


def _kind_of_week(rows: Sequence[Mover], week: _Week) -> Iterator[str]:
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


def _ends(week: _Week) -> Iterator[_Draft]:
    """The themes of the pairs that reached an end of their year's range, wherever they ended."""
    found = week.reached
    for end in _ends_reached(week) if week.is_shorter else ():
        ways = [_way_to_the_end(row, metric, found) for row, metric in end.rows]
        more = [f"{len(ways) - MOST_NAMED} more"] if ways[MOST_NAMED:] else []
        moved = f"{'; '.join((*ways[:MOST_NAMED], *more))}."
        areas = _areas(row for row, _ in end.rows)
        yield _Draft(end.title, end.markets, areas, moved, at_the_edge=True)
    if week.is_shorter:
        return
    for words, rows, metric in (
        ("twelve-month high", found.highs, Metric.WINDOW_HIGH),
        ("twelve-month low", found.lows, Metric.WINDOW_LOW),
    ):
        if rows:
            told = (_way_to_the_end(row, metric, found) for row in rows)
            markets = tuple(row.market for row in rows)
            title = f"{_few(markets)} reached a {words}"
            yield _Draft(title, markets, _areas(rows), f"{'; '.join(told)}.", at_the_edge=True)


def _way_to_the_end(row: Mover, metric: Metric, found: Reached) -> str:
    """`EUR/USD to 1.1130, ending at 1.1172 (-0.19 %)`."""
    move = _of(row.market, Metric.MOVE)
    if row.market in found.ended:
        return f"{row.market} to {_of(row.market, Metric.LAST)}, where it ended ({move})"
    level = f"{_of(row.market, metric)}, ending at {_of(row.market, Metric.LAST)}"
    return f"{row.market} to {level} ({move})"


def _extremes(week: _Week) -> Iterator[_Draft]:
    """The themes of the first edition: only of the pairs that ended the week at an end."""
    placed = [row for row in week.report.movers if row.range_position is not None]
    edges = {
        "twelve-month high": [row for row in placed if (row.range_position or BOTTOM) >= TOP],
        "twelve-month low": [row for row in placed if (row.range_position or BOTTOM) <= BOTTOM],
    }
    for words, rows in edges.items():
        if rows:
            moves = [
                f"{row.market} at {_of(row.market, Metric.LAST)} ({_of(row.market, Metric.MOVE)})"
                for row in rows
            ]
            title = f"{listed([row.market for row in rows])} at a {words}"
            markets = tuple(row.market for row in rows)
            moved = f"{', '.join(moves)}."
            yield _Draft(title, markets, _areas(rows), moved, at_the_edge=True)


def _single(rows: Sequence[Mover], week: _Week) -> Iterator[_Draft]:
    """The most unusual move of each group that no other theme covers."""
    for group in MarketGroup:
        row = next((row for row in rows if row.group is group and week.side(row)), None)
        if row is None:
            continue
        verb = "loses to" if week.side(row) > 0 else "gains on"
        kind = _kind_of_move(row, week)
        score = f" ({_of(row.market, Metric.Z_SCORE)})" if row.z_score is not None else ""
        told = f", {kind}{score}" if kind else ""
        yield _Draft(
            f"The {currency_name(_currency(row))} {verb} the dollar",
            (row.market,),
            _areas([row]),
            f"{row.market} {_of(row.market, Metric.MOVE)} to {_last(row)}{told}.",
        )


def _beside(draft: _Draft, week: _Week) -> str | None:
    """Says what the theme's banks decided in the same week, or else how yields changed."""
    rows = [row for row in week.decided if row.area in draft.areas]
    if week.is_shorter:
        # The theme of the banks has every change but that of the dollar's bank.
        rows = [row for row in rows if row.area == DOLLAR_AREA or not _change(row, week)]
    if rows:
        told = (_decision(row, week) for row in rows[:BANKS_NAMED])
        return f"{_in_the_week(week)} {'; '.join(told)}."
    changes = [
        f"{market} {_of(market, Metric.YIELD_DIFFERENTIAL_CHANGE)}"
        for market in draft.markets
        if week.has(market, Metric.YIELD_DIFFERENTIAL_CHANGE)
    ]
    if not changes:
        return None
    words = "the two-year yield differential changed"
    return f"{_opening(words, week)}: {', '.join(changes)}."


def _in_the_week(week: _Week) -> str:
    return _opening("in the same week", week)


def _opening(words: str, week: _Week) -> str:
    """The first words beside a theme, which stand behind a title and a colon."""
    return words if week.edition >= NONE_SOON_TOLD else _capitalised(words)


def _ahead(draft: _Draft, week: _Week) -> str | None:
    """The next decision of each of the theme's banks, or else the pair's position in its year's
    range."""
    rows: dict[str, CalendarRow] = {}
    for row in week.ahead:
        if row.area in draft.areas:
            rows.setdefault(row.area, row)
    if rows:
        dated = listed(_next(row, week) for row in list(rows.values())[:BANKS_NAMED])
        return f"{dated}{'' if week.is_shorter else _unknown(draft, week)}."
    if week.is_shorter:
        return next((f"{words}." for words in _later_than_the_calendar(draft, week)), None)
    placed = [market for market in draft.markets if week.has(market, Metric.RANGE_POSITION)]
    if not placed or draft.at_the_edge:
        return None
    told = [f"{market} at {_of(market, Metric.RANGE_POSITION)}" for market in placed[:BANKS_NAMED]]
    if not week.edition:
        return f"No decision day is on record; in the 52-week range, {', '.join(told)}."
    range_words = f"in the 52-week range, {listed(told)}"
    if week.edition < NONE_SOON_TOLD:
        return f"the day of the next decision is not on record; {range_words}."
    return f"{'; '.join((*_none_soon(draft, week), range_words))}."


def _none_soon(draft: _Draft, week: _Week) -> Iterator[str]:
    """Of a theme without a decision in the calendar's weeks: which of its banks decide later, and
    of which no day is on record. Nothing of an area without a policy rate."""
    yield from _later_than_the_calendar(draft, week)
    later = _banks_later(draft, week)
    unknown = _unknown_words([bank for bank in _banks_rated(draft, week) if bank not in later])
    if unknown:
        yield unknown


def _later_than_the_calendar(draft: _Draft, week: _Week) -> Iterator[str]:
    later = _banks_later(draft, week)
    if later:
        verb = "does" if len(later) == 1 else "do"
        yield f"{listed(map(named_in_a_sentence, later))} {verb} not decide within six weeks"


def _banks_later(draft: _Draft, week: _Week) -> list[str]:
    known_to = announced_to(week.report.evidence)
    banks = _banks_rated(draft, week)
    return [name for name, area in banks.items() if known_to.get(area, week.as_of) > week.as_of]


def _banks_rated(draft: _Draft, week: _Week) -> dict[str, str]:
    """The banks of a theme that have a policy rate, with their areas."""
    rates = (row for row in week.report.policy_rates if row.rate is not None)
    return {row.bank: row.area for row in rates if row.area in draft.areas}


def _unknown(draft: _Draft, week: _Week) -> str:
    """`; when Norges Bank decides next is not on record`; empty if a day of all banks is."""
    if week.edition < COUNTS_IN_FULL:
        return ""
    told = week.report
    today = week.as_of if week.edition >= NONE_SOON_TOLD else None
    undated = undated_banks(told.policy_rates, told.calendar, told.evidence, today)
    words = _unknown_words([each.bank for each in undated if each.area in draft.areas])
    return f"; {words}" if words else ""


def _unknown_words(banks: Sequence[str]) -> str | None:
    verb = "decides" if len(banks) == 1 else "decide"
    named = listed(map(named_in_a_sentence, banks))
    return f"when {named} {verb} next is not on record" if banks else None


def _scheduled(week: _Week, without: str) -> str | None:
    """The decisions scheduled within two weeks."""
    rows = [row for row in week.ahead if row.day <= week.as_of + SOON and row.area != without]
    return f"{listed(_next(row, week) for row in rows[:BANKS_NAMED])}." if rows else None


def _next(row: CalendarRow, week: _Week) -> str:
    return f"{week.bank(row)} decides on {print_day(row.day)}"


def _story(draft: _Draft, week: _Week, told: set[str]) -> Reported | None:
    """The story on the theme that most publishers have and that no other theme uses."""
    wanted = {*draft.markets, *draft.areas}
    of_others = set() if DOLLAR_AREA in draft.areas else _of_the_dollar(week)
    found = [
        story
        for section in week.report.markets
        if section.market in wanted
        for story in section.reported
        if story.title not in told | of_others
    ]
    return max(found, key=lambda story: story.publishers, default=None)


def _of_the_dollar(week: _Week) -> set[str]:
    """The titles about the dollar's own bank, which are in every pair's section."""
    sections = (part for part in week.report.markets if part.market == DOLLAR_AREA)
    return {story.title for section in sections for story in section.reported}


def _pairs_of(area: str, week: _Week) -> list[Mover]:
    """The pair of an area's currency with the dollar."""
    return [row for row in week.report.movers if AREAS.get(_currency(row)) == area]


def _areas(rows: Iterable[Mover]) -> tuple[str, ...]:
    found = (AREAS.get(_currency(row)) for row in rows)
    return tuple(dict.fromkeys(area for area in found if area))


def _currency(row: Mover) -> str:
    """The currency against the dollar; for a pair without the dollar, the first one."""
    base, quote = row.market.split("/")
    return quote if base == DOLLAR else base


def _change(row: CalendarRow, week: _Week) -> Decimal:
    claim = week.claims.get(claim_id(row.area, Metric.DECISION_CHANGE, row.day))
    return claim.value if claim else Decimal(0)


def _decision(row: CalendarRow, week: _Week) -> str:
    within = "in" if row.precision is DatePrecision.MONTH else "on"
    when = print_day(row.day, row.precision)
    return f"{week.bank(row)} {row.outcome.prose} {within} {when}"


def _of(subject: str, metric: Metric, form: Form = Form.PLAIN) -> str:
    return f"[[{claim_id(subject, metric)}{f'|{form}' if form else ''}]]"


def _last(row: Mover) -> str:
    return _of(row.market, Metric.LAST)


def _capitalised(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _sign(value: Decimal) -> int:
    return (value > 0) - (value < 0)
