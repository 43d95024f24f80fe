"""The summary: a few sentences that follow by rule from the rest of the report.

Figures in it are references to claims. Digits only stand for counts, days and names such as
52-week.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.figures import print_day, print_full_day
from desk.analytics.names.central_banks import named_in_a_sentence
from desk.analytics.names.listing import listed
from desk.analytics.prices.impact import LARGE_MOVE, NOTABLE_MOVE
from desk.analytics.prices.series import window_days
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ConflictRecord, DecidedBy, EventType, Impact
from desk.contracts.findings.verdicts import ClaimStatus, CrossCheck, CrossCheckKind
from desk.contracts.markets import MarketGroup, MarketSpec
from desk.contracts.week.report import (
    CalendarRow,
    Coverage,
    Lead,
    MarketReport,
    Mover,
    ResearchReport,
    Sentence,
)
from desk.programs.week.document.sections.calendar import (
    COUNTS_IN_FULL,
    Undated,
    is_decided,
    undated_banks,
)
from desk.trust.claims.week_counts import DOLLAR_SIDES, WEEK
from desk.trust.prose import Form, references, sentence

MOVERS_NAMED: Final = 3
DECISIONS_NAMED: Final = 12
AHEAD_NAMED: Final = 8
MARKETS_NAMED: Final = 40
AHEAD_SPAN: Final = timedelta(days=14)
DOLLAR: Final = "USD"
ADJECTIVES: Final = {MarketGroup.G10: "G10", MarketGroup.ASIA: "Asian"}
EDITION: Final = 9
"""The edition of the rules of the lead, the summary and the calendar. From 1 on, lead and summary
tell every pair that reached an end of its year's range and count the dollar the same way. From 2
on, a move that is called little changed has no direction. From 3 on, the summary names the G10
banks whose next decision is not known. From 4 on, a headline says that the week has no fixing. From
5 on, the lead calls a move of more than one deviation larger than usual, as the market's section
does, and the calendar a rate that is not known up to the report's day the last that is known. From
6 on, a headline counts over all currencies, the summary over each group, in full; both tell every
bank whose next decision is not known, and the calendar's rows are shorter. From 7 on, both say once
of how many currencies they count. From 8 on, the lead names every bank that
changed its rate, tells one that decides after the calendar's last day from one whose next day is
not on record, and says of no move without a z-score how usual it is. From 9 on, the lead begins
with the most unusual move, tells an end of the year's range of the dollar, counts many banks, and
leaves to the summary which banks' next days are not known."""

NAMES_THE_UNDATED: Final = 3
COUNTS_OF_ONCE: Final = 7
FLOATS_BY_BAND: Final = 8
PASSED_DAYS_TOLD: Final = 8

TOP: Final = Decimal(100)
BOTTOM: Final = Decimal(0)
DECIDERS: Final = {
    DecidedBy.PERSON: "A person decided what holds where sources disagree",
    DecidedBy.DEFAULT: "Nobody answered, and the stated default decided what holds",
}


TITLE: Final = "Asia and G10 currencies and policy rates"
MOST_IN_TITLE: Final = 4


def titled(week: str, markets: Sequence[MarketSpec] = ()) -> str:
    """The title of a week's report: its few markets by name, or else their groups."""
    covered, groups = TITLE, {spec.group for spec in markets}
    if len(groups) == 1:
        covered = f"{ADJECTIVES[groups.pop()]} currencies and policy rates"
    if 0 < len(markets) <= MOST_IN_TITLE:
        covered = f"Currencies and policy rates, {', '.join(spec.market for spec in markets)}"
    return f"{covered}, {week}"


def summary_of(
    report: ResearchReport, claims: Mapping[str, Claim], *, earlier: bool = False
) -> tuple[Sentence, ...]:
    """What moved, what was decided, what is ahead, what was settled, withheld and missing.

    `claims` are the printed ones of the week, by id. The report's own summary is ignored. A line is
    left out if a commentator's lead has all of its figures. `earlier` selects the wording of
    versions that called every group's first move unusual.
    """
    _, as_of = window_days(report.window)
    edition = _edition(report, earlier=earlier)
    lines = (
        *(_movers_line(group, report.movers, earlier=earlier) for group in MarketGroup),
        _dollar_line(report, claims, edition),
        *(_high_lines(report, claims, edition) if edition else [_extremes_line(report.movers)]),
        _decisions_line(report.calendar),
        _open_line(report.calendar),
        _ahead_line(report, as_of, edition),
        _unresolved_line(report.conflicts),
        *(_decided_line(by, report.conflicts) for by in DECIDERS),
        _triangles_line(report.cross_checks),
        _withheld_line(report.markets),
        _dropped_line(report.markets),
        _coverage_line(report.coverage),
    )
    told = _told_in(report.lead)
    return tuple(
        sentence(line, claims) for line in lines if line and not _is_told(references(line), told)
    )


def _edition(report: ResearchReport, *, earlier: bool) -> int:
    if earlier:
        return 0
    return report.lead.edition if report.lead else EDITION


def _told_in(lead: Lead | None) -> set[str]:
    """The claims that a commentator's lead refers to."""
    if lead is None or not lead.written:
        return set()
    return {name for said in said_in(lead) for name in references(said.prose)}


def _is_told(names: Sequence[str], told: set[str]) -> bool:
    return bool(names) and told.issuperset(names)


def said_in(lead: Lead) -> Iterator[Sentence]:
    """The sentences of a lead, in their order."""
    themes = (said for theme in lead.themes for said in (theme.moved, theme.why, theme.ahead))
    return (said for said in (lead.headline, lead.standfirst, *themes) if said is not None)


def dollar_direction(row: Mover) -> int:
    """+1 if the dollar rose, -1 if it fell, 0 if neither or if it is not in the pair."""
    base, quote = row.market.split("/")
    sign = (row.move > 0) - (row.move < 0)
    if base == DOLLAR:
        return sign
    return -sign if quote == DOLLAR else 0


def is_unusual(row: Mover) -> bool:
    """Whether a move is unusual: at least two standard deviations."""
    return row.z_score is not None and abs(row.z_score) >= LARGE_MOVE


def is_notable(row: Mover) -> bool:
    """Whether a move is larger than usual: at least one standard deviation."""
    return row.z_score is not None and abs(row.z_score) >= NOTABLE_MOVE


def _movers_line(group: MarketGroup, movers: Sequence[Mover], *, earlier: bool) -> str | None:
    rows = [row for row in movers if row.group is group][:MOVERS_NAMED]
    if not rows:
        return None
    first, *others = rows
    kind = "the largest move" if first.z_score is None else "the most unusual move"
    if first.z_score is not None and not is_unusual(first) and not earlier:
        kind = "no move was unusual; by its past swings the largest"
    line = f"{group}: {kind} was {_move_words(first)} to {_of(first, Metric.LAST)}"
    if others:
        line += ", then " + " and ".join(_move_words(row) for row in others)
    return f"{line}."


def _move_words(row: Mover) -> str:
    words = f"{row.market} {_of(row, Metric.MOVE)}"
    return words if row.z_score is None else f"{words} ({_of(row, Metric.Z_SCORE)})"


def _of(row: Mover, metric: Metric) -> str:
    return f"[[{claim_id(row.market, metric)}]]"


def dollar_counts(claims: Mapping[str, Claim], edition: int) -> str | None:
    """Says against how many of all currencies the dollar rose, fell and was little changed. Returns
    None if no group has a count. Earlier editions named the largest count of each group, and the
    pairs of the week that were little changed."""
    largest = [dollar_count(group.upper(), claims) for group in MarketGroup]
    counted = [claim for claim in largest if claim]
    if edition >= COUNTS_IN_FULL:
        return _counted_over(WEEK, claims, edition) if counted else None
    little = claims.get(claim_id(WEEK, Metric.DOLLAR_LITTLE_CHANGED))
    told = any(claim.metric is Metric.DOLLAR_LITTLE_CHANGED for claim in counted)
    if counted and little and little.value and not told:
        counted.append(little)
    return listed(f"[[{claim.claim_id}]]" for claim in counted) or None


def _counted_over(subject: str, claims: Mapping[str, Claim], edition: int) -> str | None:
    """The counts of a group or of the week, the largest first: `fell against 8 of 18 currencies,
    rose against 6 and was little changed against 4`. The sixth edition repeated the total in each
    count."""
    names = (claim_id(subject, metric) for metric in DOLLAR_SIDES)
    found = [claims[name] for name in names if name in claims and claims[name].value]
    found.sort(key=lambda claim: -claim.value)
    form = f"|{Form.ALSO}" if edition >= COUNTS_OF_ONCE else ""
    names = (f"{claim.claim_id}{form if at else ''}" for at, claim in enumerate(found))
    return listed(f"[[{name}]]" for name in names) or None


def dollar_count(subject: str, claims: Mapping[str, Claim]) -> Claim | None:
    """The largest of the counts of a group."""
    names = (claim_id(subject, metric) for metric in DOLLAR_SIDES)
    found = (claims[name] for name in names if name in claims)
    return max(found, key=lambda claim: claim.value, default=None)


def _dollar_line(report: ResearchReport, claims: Mapping[str, Claim], edition: int) -> str | None:
    """Says against how many currencies of each group the dollar rose, fell and was little changed.
    A single currency is named instead of counted. The first edition counted rises only, those
    before the sixth as in the headline.

    A report that covers few markets under the title of all is from an earlier version, which did
    that.
    """
    if edition >= COUNTS_IN_FULL:
        groups = (_counted_over(group.upper(), claims, edition) for group in MarketGroup)
        counted = "; it ".join(told for told in groups if told)
    elif edition:
        counted = dollar_counts(claims, edition) or ""
    else:
        names = (claim_id(group.upper(), Metric.DOLLAR_ROSE) for group in MarketGroup)
        counted = " and ".join(f"[[{name}]]" for name in names if name in claims)
    if counted:
        return f"The dollar {counted}."
    if report.title == titled(report.week):
        return _typed_dollar_line(report.movers)
    of_week = claim_id(WEEK, Metric.DOLLAR_ROSE)
    return f"The dollar [[{of_week}]]." if of_week in claims else None


def _typed_dollar_line(movers: Sequence[Mover]) -> str | None:
    """The same line from before there were claims for it, and for a single currency."""
    counts = []
    for group in MarketGroup:
        rows = [row for row in movers if row.group is group and DOLLAR in row.market]
        if rows:
            risen = sum(dollar_direction(row) > 0 for row in rows)
            counts.append(f"{risen} of {len(rows)} {ADJECTIVES[group]} currencies")
    return f"The dollar rose against {' and '.join(counts)}." if counts else None


class Reached(NamedTuple):
    """The pairs with a fixing of the window at an end of the year's range; `ended` are those whose
    last fixing is there."""

    highs: tuple[Mover, ...]
    lows: tuple[Mover, ...]
    ended: frozenset[str]


def reached_in(report: ResearchReport, claims: Mapping[str, Claim], edition: int) -> Reached:
    """The floating pairs that reached the highest or lowest of their year within the window.
    Earlier editions left out those without a z-score."""
    pegged = {spec.market for spec in report.config.markets if spec.band}
    placed = [
        row
        for row in report.movers
        if row.market not in pegged and (edition >= FLOATS_BY_BAND or row.z_score is not None)
    ]
    highs = tuple(row for row in placed if _is_end(row, row.window_high, Metric.YEAR_HIGH, claims))
    lows = tuple(row for row in placed if _is_end(row, row.window_low, Metric.YEAR_LOW, claims))
    ended = (
        *(row for row in highs if row.last == row.window_high),
        *(row for row in lows if row.last == row.window_low),
    )
    return Reached(highs, lows, frozenset(row.market for row in ended))


def _is_end(
    row: Mover, level: Decimal | None, of_year: Metric, claims: Mapping[str, Claim]
) -> bool:
    claim = claims.get(claim_id(row.market, of_year))
    return claim is not None and level == claim.value


def _high_lines(report: ResearchReport, claims: Mapping[str, Claim], edition: int) -> Iterator[str]:
    """What has high impact: the ends of the year's range, and what no other line names."""
    found = reached_in(report, claims, edition)
    parts = [
        f"{when} at a 52-week {side}: {_named(names)}"
        for at, when in ((True, "at the end of the week"), (False, "within the week"))
        for side, rows in (("high", found.highs), ("low", found.lows))
        if (names := [row.market for row in rows if (row.market in found.ended) is at])
    ]
    if parts:
        yield _opened("; ".join(parts))
    told = {row.market for row in (*found.highs, *found.lows)}
    for group in MarketGroup:
        named = [row for row in report.movers if row.group is group][:MOVERS_NAMED]
        told |= {row.market for row in named if is_unusual(row)}
    rest = [name for name in _high_markets(report.markets) if name not in told]
    if rest:
        yield f"Of high impact too, as their sections say: {_named(rest)}."


def _high_markets(sections: Sequence[MarketReport]) -> Iterator[str]:
    """The markets with an event of high impact other than a decision, which has its own line."""
    decisions = (EventType.RATE_DECISION, EventType.SCHEDULED_DECISION)
    for section in sections:
        if any(e.impact is Impact.HIGH and e.event_type not in decisions for e in section.events):
            yield section.market


def _extremes_line(movers: Sequence[Mover]) -> str | None:
    placed = [(row.market, row.range_position) for row in movers if row.range_position is not None]
    top = [market for market, position in placed if position >= TOP]
    bottom = [market for market, position in placed if position <= BOTTOM]
    parts = [f"at a 52-week high: {_named(top)}"] if top else []
    parts += [f"at a 52-week low: {_named(bottom)}"] if bottom else []
    return _opened("; ".join(parts)) if parts else None


def _decisions_line(calendar: Sequence[CalendarRow]) -> str:
    decided = [row for row in calendar if is_decided(row)]
    if not decided:
        return "No rate decision is on record for the window."
    words = [
        f"{row.bank} {row.outcome.prose} ({print_day(row.day, row.precision)})" for row in decided
    ]
    return f"Rate decisions: {_named(words, DECISIONS_NAMED, '; ')}."


def _open_line(calendar: Sequence[CalendarRow]) -> str | None:
    rows = [row for row in calendar if not row.ahead and not is_decided(row)]
    named = _named([f"{row.bank} ({print_day(row.day)})" for row in rows])
    return f"Decision days without an outcome on record: {named}." if rows else None


def _ahead_line(report: ResearchReport, as_of: date, edition: int) -> str | None:
    """The decisions of the next two weeks, and the banks without a known decision. Earlier editions
    did not name those, or only those of the G10."""
    ahead = [row for row in report.calendar if row.ahead]
    unknown = _undated_words(report, as_of, edition) if edition >= NAMES_THE_UNDATED else None
    near = [row for row in ahead if row.day <= as_of + AHEAD_SPAN] or ahead[:AHEAD_NAMED]
    named = _named([f"{row.bank} ({print_day(row.day)})" for row in near], AHEAD_NAMED)
    told = f"Decisions ahead: {named}." if near else None
    return " ".join(words for words in (told, unknown) if words) or None


def _undated_words(report: ResearchReport, as_of: date, edition: int) -> str | None:
    """`Not known is when Norges Bank and Sveriges Riksbank decide next.` The calendar's note has
    the days on which the record ends; earlier editions printed them here."""
    today = as_of if edition >= PASSED_DAYS_TOLD else None
    rows = undated_banks(report.policy_rates, report.calendar, report.evidence, today)
    if edition >= COUNTS_IN_FULL:
        named = [named_in_a_sentence(row.bank) for row in rows]
    else:
        named = [_undated(row) for row in rows if row.group is MarketGroup.G10]
    if not named:
        return None
    verb = "decides" if len(named) == 1 else "decide"
    return f"Not known is when {listed(named)} {verb} next."


def _undated(row: Undated) -> str:
    bank = named_in_a_sentence(row.bank)
    if row.ends is None:
        return f"{bank} (no announced day on record)"
    return f"{bank} (announced days on record end on {print_full_day(row.ends)})"


def _unresolved_line(conflicts: Sequence[ConflictRecord]) -> str | None:
    split = [conflict.market for conflict in conflicts if not conflict.resolved]
    return f"Sources disagree, unresolved: {_named(_once(split))}." if split else None


def _decided_line(by: DecidedBy, conflicts: Sequence[ConflictRecord]) -> str | None:
    decided = [
        f"{conflict.market} ({conflict.kind})"
        for conflict in conflicts
        if conflict.resolved and conflict.decided_by is by
    ]
    return f"{DECIDERS[by]}: {_named(_once(decided))}." if decided else None


def _triangles_line(checks: Sequence[CrossCheck]) -> str | None:
    named = [check.subject for check in checks if check.kind is CrossCheckKind.TRIANGLE]
    return f"Levels that do not fit together: {_named(named, sign='; ')}." if named else None


def _withheld_line(sections: Sequence[MarketReport]) -> str | None:
    rejected = _counted(
        section.market
        for section in sections
        for verdict in section.verdicts
        if verdict.status is ClaimStatus.REJECTED
    )
    return f"Figures withheld because they were rejected: {rejected}." if rejected else None


def _dropped_line(sections: Sequence[MarketReport]) -> str | None:
    dropped = _counted(section.market for section in sections for _ in section.dropped)
    return f"Sentences left out because they failed a check: {dropped}." if dropped else None


def _coverage_line(coverage: Coverage) -> str | None:
    if not coverage.missing:
        return None
    names = [market.market for market in coverage.missing]
    return f"Missing from this report: {_named(names)}."


def _counted(markets: Iterable[str]) -> str:
    """`2 in USD/JPY, 1 in JP`."""
    return _named([f"{count} in {market}" for market, count in Counter(markets).items()])


def _named(words: Sequence[str], most: int = MARKETS_NAMED, sign: str = ", ") -> str:
    more = len(words) - most
    return sign.join(words[:most]) + (f" and {more} more" if more > 0 else "")


def _once(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _opened(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
