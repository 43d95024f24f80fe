"""The wording that all forms of a report share."""

from typing import Final
from zoneinfo import ZoneInfo

from desk.analytics.comparison import is_little_changed
from desk.analytics.figures import (
    print_claim,
    print_day,
    print_figure,
    print_full_day,
    print_known_day,
)
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.findings.verdicts import NOTHING_AGAINST
from desk.contracts.week.changes import Change, Changes
from desk.contracts.week.report import (
    CalendarRow,
    Contribution,
    Lead,
    MarketReport,
    Mover,
    RateRow,
    ReportedEvent,
    ResearchReport,
    Theme,
)
from desk.documents.rendering.words.trust import fact_check_gaps, fact_check_words
from desk.documents.rendering.words.wording import (
    NO_FIGURE,
    allowance_words,
    cost_words,
    figure,
    human,
    instant,
    one_line,
    share_words,
)
from desk.programs.week.document.rendering.coverage_words import (
    freshness_words,
    threshold_words,
    verdict_words,
)
from desk.programs.week.document.rendering.directions import NEITHER, way
from desk.programs.week.document.rendering.once.lacking import Lacking
from desk.programs.week.document.sections.lead import LITTLE_HAS_NO_SIDE
from desk.programs.week.document.sections.summary import dollar_direction

DOLLAR_WORDS: Final = {1: "up", 0: NO_FIGURE, -1: "down"}
LITTLE_CHANGED: Final = "little changed"


MOVER_COLUMNS: Final = (
    "Pair",
    "Last",
    "Move",
    "z-score",
    "Dollar",
    "52-week range",
    "Week low",
    "Week high",
    "Fixing",
)


Z_SCORE_NOTE: Final = (
    "The z-score is the move less the mean weekly move of the 52 weeks before, so that the z-score"
    " of a small move can have the other sign."
)


RATE_COLUMNS: Final = ("Bank", "Area", "Rate", "Differential", "Since", "Instrument", "Note")


UNEVEN: Final = "*"
"""The mark of a differential of rates that are known to different days."""


LONG_RUN: Final = 60
"""Seconds from which on a duration is printed in minutes."""


def planning_words(report: ResearchReport) -> str | None:
    """Says who planned the week, if a model did or should have; None otherwise."""
    line = report.planning
    if line is None or (line.usage.model == BUILTIN and line.remark is None):
        return None
    turns = "1 turn" if line.turns == 1 else f"{line.turns} turns"
    if line.remark:
        return f"Planning took {turns}, {cost_words(line.usage)}: {one_line(line.remark)}"
    return f"Planned by {line.usage.model} in {turns}, {cost_words(line.usage)}"


def commentator_words(report: ResearchReport) -> str:
    """Says who wrote the commentary, and whose figures it uses."""
    model = report.commenting.usage.model if report.commenting else "a model"
    return f"In the words of {model}; its figures are the claims below."


def commenting_words(report: ResearchReport) -> str | None:
    """Says who commented on the week, what it cost, and whether it was read a second time; None if
    no model was asked."""
    line = report.commenting
    if line is None:
        return None
    if not line.delivered:
        return f"No commentary was delivered: {one_line(line.error or 'no reason given')}"
    told = f"Commented by {line.usage.model}, {cost_words(line.usage)}"
    if line.remark:
        told = f"The commentary took {cost_words(line.usage)}: {one_line(line.remark)}"
    gaps = (f"{gap[:1].upper()}{gap[1:]}" for gap in fact_check_gaps(report.fact_check))
    return ". ".join((told, *fact_check_words(report.fact_check), *gaps))


def spent_words(report: ResearchReport) -> str:
    """Says what the run's models cost, and the limit, if models were asked."""
    words, budget = cost_words(report.usage), report.config.policy.budget.allowance
    if not report.usage.asked or budget.unlimited:
        return words
    return f"{words} of {allowance_words(budget)}"


def window_words(report: ResearchReport) -> str:
    """`13 Sep to 21 Sep 2026 07:00 Europe/London`; `27 Dec 2020 to 4 Jan 2021 07:00 ...`."""
    zone = report.window.time_zone
    start, end = (at.astimezone(ZoneInfo(zone)) for at in (report.window.start, report.window.end))
    first = print_day(start) if start.year == end.year else print_full_day(start)
    return f"{first} to {instant(end, zone)}"


def known_at_words(report: ResearchReport) -> str:
    """Returns the window, and the instant of what was known if it is not the window's end."""
    end, zone = report.window.end, report.window.time_zone
    at = "known then" if report.as_of == end else f"known {instant(report.as_of, zone)}"
    return f"{window_words(report)}, with what was {at}"


def coverage_words(report: ResearchReport) -> str:
    """`36 of 38 markets researched (the threshold is 90 % of the markets), complete but not
    current: prices current, policy rates known to 30 Sep 2026 (Japan)`."""
    coverage = report.coverage
    known = freshness_words(coverage)
    return (
        f"{coverage.researched} of {coverage.expected} markets researched "
        f"({threshold_words(coverage)}), {verdict_words(coverage)}{f': {known}' if known else ''}"
    )


def duration_words(report: ResearchReport) -> str:
    """Says how long the research took. That is omitted for a later revision, which is published
    long after the run began."""
    timings = report.timings
    finished = instant(timings.finished_at)
    if report.revision > 1:
        return f"Begun {instant(timings.started_at)}; this revision was finished {finished}"
    seconds = round(timings.seconds, 1)
    took = f"{seconds:.1f} s"
    if seconds >= LONG_RUN:
        took = "{} min {} s".format(*divmod(round(seconds), LONG_RUN))
    return f"Took {took}; finished {finished}"


def contribution_words(line: Contribution) -> str:
    """Returns `research agent 1 delivered research fx`, with what went wrong, if anything."""
    verb = "delivered" if line.delivered else "did not deliver"
    words = f"{human(line.agent)} {verb} {human(line.task_type)}"
    if line.reassigned_from:
        words += f", taken over from {human(line.reassigned_from)}"
    if line.usage.model != BUILTIN:
        words += f" with {line.usage.model}, {cost_words(line.usage)}"
    told = "; ".join(one_line(said) for said in (line.remark, line.error) if said)
    return f"{words} ({told})" if told else words


ALL_AGREE: Final = (
    NOTHING_AGAINST,
    "Publish: every figure that could be checked agrees with its source.",
)
"""The validator's words on a market without any objection, by this version and by earlier ones. The
head of a report says it once for all markets."""


def work_words(market: MarketReport) -> str:
    """Describes what is unusual about the work on a market: agents that did not deliver, took over
    or cost something, and what the validator recommends. Empty without any."""
    told = (contribution_words(line) for line in market.agents if _is_told(line))
    parts = [f"{words}." for words in ("; ".join(told),) if words]
    if market.recommendation and market.recommendation not in ALL_AGREE:
        parts.append(f"Validator: {market.recommendation}")
    return " ".join(parts)


def _is_told(line: Contribution) -> bool:
    plain = line.delivered and line.usage.model == BUILTIN
    return not plain or any((line.reassigned_from, line.remark, line.error))


def gaps(report: ResearchReport, lacking: Lacking) -> tuple[str, ...]:
    """Returns the reasons for what was not found in the available markets, without duplicates."""
    absent = {line.market for line in report.coverage.missing}
    there = (market for market in report.markets if market.market not in absent)
    noted = {reason for note in report.coverage.notes for reason in note.partition(": ")[2:]}
    noted |= {f"{line.market}: {line.reason}" for line in report.coverage.missing}
    reasons = dict.fromkeys(reason for market in there for reason in market.missing)
    noted |= lacking.remarks
    told = (lacking.unknown_words, lacking.undated_words)
    return (
        *(reason for reason in reasons if noted.isdisjoint((reason, reason.rstrip(".")))),
        *(words for words in told if words),
    )


def confirmed_words(event: ReportedEvent) -> str:
    """Says whether the source, asked again, confirmed an event. That does not count as a second
    origin."""
    return "confirmed by its source" if event.verified else "not confirmed"


def decision_line(row: CalendarRow) -> str:
    """Describes a decision in a few words: `Bank of Japan raised by 25 bp to 1.25 %`."""
    return f"{row.bank} decides" if row.ahead else f"{row.bank} {row.outcome.text}"


def changes_title(changes: Changes) -> str:
    """`What changed since 2026-W43`."""
    return f"What changed since {changes.against}" if changes.against else "What changed"


def changes_note(changes: Changes) -> str | None:
    """Returns the text in place of changes if there are none; None otherwise."""
    if changes.entries:
        return None
    if changes.against is None:
        return changes.note or "There is no earlier report to compare with."
    return "No material change."


def change_before(change: Change) -> str | None:
    """Returns the older figure of a change, which is not a claim of the newer report: `before
    156.80`.

    A confidence has no unit, so both figures are printed: `75 % before, now 60 %`.
    """
    if change.before is None:
        return None
    if change.unit is not None:
        return f"before {print_figure(change.before, change.unit)}"
    before = f"{share_words(float(change.before))} before"
    return f"{before}, now {share_words(float(change.after))}" if change.after else before


def change_words(change: Change) -> str:
    """Returns a change as a line of text, with the older figure if there is one."""
    before = change_before(change)
    return f"{change.text} ({before})" if before else change.text


def mover_cells(row: Mover, report: ResearchReport) -> tuple[str, ...]:
    """A row of the movers table, in the order of `MOVER_COLUMNS`."""
    return (
        row.market,
        figure(row.last, Unit.LEVEL),
        figure(row.move, Unit.PERCENT),
        figure(row.z_score, Unit.STANDARD_DEVIATIONS),
        dollar_cell(row, report),
        figure(row.range_position, Unit.PERCENT, signed=False),
        figure(row.window_low, Unit.LEVEL),
        figure(row.window_high, Unit.LEVEL),
        print_day(row.last_on),
    )


def dollar_cell(row: Mover, report: ResearchReport) -> str:
    """Says which way the dollar went in a pair: `up`, or `little changed` if the report calls such
    a move that."""
    direction = dollar_direction(row)
    pegged = any(spec.market == row.market and spec.band for spec in report.config.markets)
    told = report.lead is not None and report.lead.edition >= LITTLE_HAS_NO_SIDE
    if direction and told and is_little_changed(row.move, pegged=pegged):
        return LITTLE_CHANGED
    return DOLLAR_WORDS[direction]


def coloured_way(row: Mover, report: ResearchReport) -> str:
    """Returns the direction that a move is coloured by; empty if the report calls it little
    changed."""
    if dollar_cell(row, report) == LITTLE_CHANGED:
        return NEITHER
    return way(row.market, float(row.move), report.config.report.up)


def market_way(market: str, report: ResearchReport) -> str:
    """The same for a market; empty for one without a move."""
    row = next((row for row in report.movers if row.market == market), None)
    return coloured_way(row, report) if row else NEITHER


def dollar_words(row: Mover, report: ResearchReport) -> str:
    """The same in words: `the dollar up`."""
    return f"the dollar {dollar_cell(row, report)}"


def beside_title(theme: Theme) -> str:
    """Returns the title before the claims beside a theme. It calls them a reason only if the
    commentator gave them as one."""
    return "Why" if theme.written else "Also"


def story_title(theme: Theme) -> str:
    """The title before a publisher's words beside a theme."""
    return "Reported" if theme.written and theme.why else "Why"


def reasons_note(lead: Lead) -> str:
    """Says whose reasons a lead gives, or that it gives none."""
    if any(theme.written for theme in lead.themes):
        return "A Why without quotation marks is the commentator's; a quotation is its publisher's."
    if not any(theme.story for theme in lead.themes):
        return "No source in this report says why a market moved."
    told = "Why is what a publisher wrote in the same week, and no finding of the desk."
    if all(theme.story for theme in lead.themes):
        return told
    return f"{told} Where there is none, no source in this report gives a reason."


def rate_cells(row: RateRow, instrument: str = "", *, uneven: bool = False) -> tuple[str, ...]:
    """A row of the policy-rate table, in the order of `RATE_COLUMNS`. An `uneven` differential is
    marked."""
    differential = figure(row.differential, Unit.BASIS_POINTS)
    return (
        row.bank,
        row.area,
        figure(row.rate, Unit.PERCENT_A_YEAR),
        f"{differential} {UNEVEN}" if uneven else differential,
        print_known_day(row.since, row.since_precision) if row.since else NO_FIGURE,
        instrument,
        "; ".join(row.remarks),
    )


def claim_on(market: MarketReport, metric: Metric) -> Claim | None:
    """A market's claim about itself on a metric."""
    found = (c for c in market.claims if c.metric is metric and c.subject == market.market)
    return next(found, None)


def figure_on(market: MarketReport, metric: Metric) -> str | None:
    """The printed figure of a market's claim about itself on a metric."""
    claim = claim_on(market, metric)
    return print_claim(claim) if claim else None
