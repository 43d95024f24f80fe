"""A report as plain Markdown, readable in a terminal."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from desk.analytics.figures import (
    print_claim,
    print_day,
    print_full_day,
    print_known_day,
    print_weekday,
)
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ConflictRecord, Reported, Tone
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.learning.lessons import Scorecard
from desk.contracts.markets import MarketGroup, MarketKind
from desk.contracts.week.changes import Changes
from desk.contracts.week.report import (
    CalendarRow,
    MarketReport,
    ReportedEvent,
    ReportedObjection,
    ResearchReport,
    Theme,
)
from desk.documents.rendering.conflict_words import positions_markdown
from desk.documents.rendering.figures.traces import Stated, Traces
from desk.documents.rendering.markdown import (
    Titled,
    bullets,
    escaped,
    link,
    markdown_document,
    table,
)
from desk.documents.rendering.words.trust import (
    check_words,
    outcome_words,
    state_words,
    status_words,
    verdicts_of,
)
from desk.documents.rendering.words.wording import (
    NO_FIGURE,
    analysts_words,
    human,
    instant,
    rests_on,
    share_words,
)
from desk.programs.week.document.judging.impact_words import impact_words
from desk.programs.week.document.rendering.coverage_words import (
    checked_words,
    coverage_lines,
    outage_lines,
)
from desk.programs.week.document.rendering.letter import lead_in
from desk.programs.week.document.rendering.objections import (
    dropped_lines,
    objection_words,
    objections_to,
    objections_to_finding,
    other_objections,
    rejected_lines,
)
from desk.programs.week.document.rendering.once.digest import Digest, digests
from desk.programs.week.document.rendering.once.lacking import Lacking
from desk.programs.week.document.rendering.rates_table import (
    differential_words,
    instruments,
    uneven,
)
from desk.programs.week.document.rendering.record_words import (
    LEANINGS_TITLE,
    SCORE_COLUMNS,
    WEIGHT_COLUMNS,
    counted_words,
    direction_words,
    leaning_line,
    recommendation_lines,
    record_lead,
    score_notes,
    score_table,
    scored_apart,
    view_words,
    weight_cells,
)
from desk.programs.week.document.rendering.record_words import TITLE as RECORD_TITLE
from desk.programs.week.document.rendering.wording import (
    MOVER_COLUMNS,
    RATE_COLUMNS,
    Z_SCORE_NOTE,
    beside_title,
    change_words,
    changes_note,
    changes_title,
    claim_on,
    commentator_words,
    commenting_words,
    confirmed_words,
    coverage_words,
    decision_line,
    duration_words,
    figure_on,
    gaps,
    known_at_words,
    mover_cells,
    planning_words,
    rate_cells,
    spent_words,
    story_title,
    work_words,
)
from desk.programs.week.document.rendering.words import (
    CAUTION,
    WITHHELD,
    group_sources,
    leaning_words,
    method_of,
    reported_words,
    tone_words,
)


def record_markdown(report: ResearchReport) -> str:
    """Returns the section on the desk's own record; empty if the run did not ask the learning
    system."""
    lead = record_lead(report)
    if lead is None or report.advice is None:
        return ""
    return "\n\n".join((escaped(lead), *_parts(report)))


def _parts(report: ResearchReport) -> Iterator[str]:
    advice = report.advice
    if advice is None:
        return
    lines = recommendation_lines(report)
    if lines:
        yield bullets([escaped(f"{line.taken}: {line.words}. {line.reason}") for line in lines])
    if advice.weights:
        cells = [weight_cells(weight) for weight in advice.weights]
        yield table(WEIGHT_COLUMNS, cells, ("Agent or source", "Why"))
    if advice.scorecard is not None and advice.weeks:
        yield from _scorecard(advice.scorecard, score_notes(advice.scorecard))
        for apart in scored_apart(advice.scorecard):
            yield f"**{escaped(apart.title)}**"
            yield from _scorecard(apart.card, apart.notes)


def _scorecard(scorecard: Scorecard, notes: Sequence[str]) -> Iterator[str]:
    scores = score_table(scorecard)
    rows = (*scores.of_all, *scores.of_markets)
    yield table(SCORE_COLUMNS, rows, ("Forecasts",)) if rows else "No forecast has an outcome yet."
    if scorecard.bins:
        yield bullets(
            [
                f"Forecast {share_words(each.low)} to {share_words(each.high)}, on average "
                f"{share_words(each.mean)}: higher {each.rose} of {each.count} times"
                for each in scorecard.bins
            ]
        )
    yield "\n\n".join(map(escaped, notes))


KEY_METRICS: Final = (
    Metric.LAST,
    Metric.MOVE,
    Metric.Z_SCORE,
    Metric.RANGE_POSITION,
    Metric.BAND_POSITION,
    Metric.YEAR_LOW,
    Metric.YEAR_HIGH,
    Metric.POLICY_RATE,
    Metric.DIFFERENTIAL,
)
"""The figures in a market's headline, in order."""

RATE_TEXTS: Final = ("Bank", "Area", "Instrument", "Note")
"""The columns of the table of rates that hold words."""

CHANGES_SHOWN: Final = 12


def render_markdown(report: ResearchReport) -> str:
    """Returns the report's Markdown form. The same report always gives the same text."""
    facts = f"Weekly report, {known_at_words(report)}. Revision {report.revision}."
    lacking = Lacking(report)
    words = lacking.first_words
    told = (words, checked_words(report))
    lead = (facts, f"{coverage_words(report)}.", *(escaped(each) for each in told if each))
    return markdown_document(
        report.title, lead, _sections(report, lacking), method=method_of(report), run=_run(report)
    )


def _sections(report: ResearchReport, lacking: Lacking) -> Iterator[Titled]:
    yield "The week", _lead(report)
    yield "Commentary", _commentary(report)
    yield "Summary", bullets([escaped(line.text) for line in report.summary])
    yield from _movers(report)
    yield "Policy rates", _rates(report)
    yield "Rate decisions in the window", _calendar(report, None, ahead=False)
    yield "Calendar ahead", _calendar(report, lacking.undated_words, ahead=True)
    yield from _markets(report, lacking)
    yield changes_title(report.changes), _changes(report.changes)
    yield "Conflicts", _conflicts(report.conflicts)
    yield "Across markets", _cross_checks(report)
    yield RECORD_TITLE, record_markdown(report)
    yield "Coverage", _coverage(report)
    yield "What is missing and why", _missing(report, lacking)
    yield "Revisions", _revisions(report)
    yield "Sources", _sources(report)
    yield "Figures and their evidence", _figures(report)


def _closed(words: str) -> str:
    """Adds a full stop to the headline if it has none, so that another sentence can follow."""
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _lead(report: ResearchReport) -> str:
    """The headline, then the themes with their reasons and what is next."""
    lead = lead_in(report)
    first = " ".join(_closed(said.text) for said in (lead.headline, lead.standfirst) if said)
    parts = [f"**{escaped(first)}**", bullets([_theme(theme) for theme in lead.themes])]
    leaning = leaning_line(report)
    parts += [f"**{LEANINGS_TITLE}**: {escaped(leaning)}"] if leaning else []
    parts += [escaped(commentator_words(report))] if lead.written else []
    return "\n\n".join(part for part in parts if part)


def _theme(theme: Theme) -> str:
    told = [f"**{escaped(theme.title)}**: {escaped(theme.moved.text)}"]
    told += [f"{beside_title(theme)}: {escaped(theme.why.text)}"] if theme.why else []
    told += [f"{story_title(theme)}: {_quoted(theme.story)}"] if theme.story else []
    told += [f"Next: {escaped(theme.ahead.text)}"] if theme.ahead else []
    return " ".join(told)


def _commentary(report: ResearchReport) -> str:
    if not report.commentary:
        return ""
    lines = bullets([escaped(line.text) for line in report.commentary])
    return f"{lines}\n\n{escaped(commentator_words(report))}"


def _changes(changes: Changes) -> str:
    """Lists the first few material changes. The others are in the JSON form and on the page."""
    note = changes_note(changes)
    if note is not None:
        return escaped(note)
    shown = changes.entries[:CHANGES_SHOWN]
    lines = [f"{change.kind}: {escaped(change_words(change))}" for change in shown]
    more = len(changes.entries) - len(lines)
    told = bullets([*lines, f"and {more} more, on the page"] if more > 0 else lines)
    return f"{told}\n\n{escaped(changes.note)}" if changes.note else told


def _coverage(report: ResearchReport) -> str:
    lines = [
        f"{line.market} is missing: {escaped(line.reason)}" for line in report.coverage.missing
    ]
    lines += [escaped(line) for line in (*report.coverage.notes, *coverage_lines(report))]
    line = f"**{coverage_words(report)}.**"
    return f"{line}\n\n{bullets(lines)}" if lines else line


def _movers(report: ResearchReport) -> Iterator[Titled]:
    for group in MarketGroup:
        rows = [mover_cells(row, report) for row in report.movers if row.group is group]
        if rows:
            noted = "\n\n".join((table(MOVER_COLUMNS, rows, ("Pair", "Dollar")), Z_SCORE_NOTE))
            yield f"Movers: {group}", noted


def _rates(report: ResearchReport) -> str:
    names, marked = instruments(report), uneven(report)
    rows = [
        rate_cells(row, names.get(row.area, NO_FIGURE), uneven=row.area in marked)
        for row in report.policy_rates
    ]
    if not rows:
        return ""
    note = differential_words(report)
    noted = (escaped(note),) if note else ()
    return "\n\n".join((table(RATE_COLUMNS, rows, RATE_TEXTS), *noted))


def _calendar(report: ResearchReport, undated: str | None, *, ahead: bool) -> str:
    rows = [_calendar_cells(row) for row in report.calendar if row.ahead is ahead]
    if not rows:
        return "None announced." if ahead else "None on record."
    columns = ("Day", "Bank", "Outlook" if ahead else "Outcome")
    return "\n\n".join((table(columns, rows, columns), *([escaped(undated)] if undated else ())))


def _calendar_cells(row: CalendarRow) -> tuple[str, str, str]:
    return print_weekday(row.day, row.precision), f"{row.bank} ({row.area})", row.outcome.text


def _markets(report: ResearchReport, lacking: Lacking) -> Iterator[Titled]:
    digest = digests(report, lacking)
    titles = {MarketKind.PAIR: "Currency pairs", MarketKind.POLICY_RATE: "Central banks"}
    for kind, title in titles.items():
        sections = (
            _market(
                market,
                digest[market.market],
                _direction(market, report),
                view_words(market, report),
                report.as_of.date(),
            )
            for market in report.markets
            if market.kind is kind
        )
        yield title, "\n\n".join(line for section in sections for line in section)


def _direction(market: MarketReport, report: ResearchReport) -> str | None:
    told = (direction_words(market, report), counted_words(market, report))
    return ", ".join(filter(None, told)) or None


def _market(
    market: MarketReport,
    digest: Digest,
    direction: str | None,
    views: tuple[str, ...],
    today: date,
) -> Iterable[str]:
    revised = f", redone in revision {market.revised_in}" if market.revised_in > 1 else ""
    yield f"### {market.market} ({human(market.outcome)}{revised})"
    figures = [
        f"{human(metric)} {printed}{_doubt(market, metric)}"
        for metric in KEY_METRICS
        if (printed := figure_on(market, metric)) is not None
    ]
    if figures:
        yield ", ".join(figures)
    remarks = (
        *((f"Direction: {direction}",) if direction else ()),
        *views,
        *(_event(event, market, today) for event in digest.events),
        *(
            f"Found: {escaped(found.text)}"
            f" (confidence in the finding {share_words(found.confidence)})"
            + _objected(objections_to_finding(found, market))
            for found in market.findings
        ),
        *(
            f"{print_day(row.day, row.precision)}: {escaped(decision_line(row))}"
            for row in digest.decisions
        ),
        *(_reported(story) for story in market.reported),
        *(_tone(tone) for tone in digest.tones),
        *(f"Missing: {escaped(reason)}" for reason in digest.missing),
        *(f"Note: {escaped(warning)}" for warning in digest.warnings),
        *(
            f"Objection: {escaped(objection_words(each))}"
            for each in other_objections(market, digest.events)
        ),
        *(
            f"Suspect fixing of {print_full_day(fixing.day)}, {escaped(fixing.value)}, left out: "
            f"{escaped(fixing.reason)}"
            for fixing in market.suspects
        ),
        _work(market),
    )
    yield bullets(remarks)


def _doubt(market: MarketReport, metric: Metric) -> str:
    """Returns a mark for a contested figure. Other figures have none here."""
    claim = claim_on(market, metric)
    verdict = verdicts_of(market).get(claim.claim_id) if claim else None
    contested = verdict is not None and verdict.status is ClaimStatus.CONTESTED
    return " (contested)" if contested else ""


def _event(event: ReportedEvent, market: MarketReport, today: date) -> str:
    checked = confirmed_words(event)
    source = f" {link('Source', event.source_url)}" if event.source_url else ""
    day = print_known_day(event.event_date, event.precision)
    return (
        f"**{impact_words(event, market, today)}**, {day}: "
        f"{escaped(event.text)} "
        f"(confidence in the event {share_words(event.confidence)}, {checked}){source}"
    ) + _objected(objections_to(event, market))


def _objected(objections: Iterable[ReportedObjection]) -> str:
    return "".join(f" **Objection**, {escaped(objection_words(each))}" for each in objections)


def _reported(story: Reported) -> str:
    return f"Reported: {_quoted(story)}"


def _quoted(story: Reported) -> str:
    """Returns a publisher's title, quoted and escaped."""
    source = f" {link('Source', story.url)}" if story.url else ""
    return f"“{escaped(story.title)}” ({escaped(reported_words(story))}){source}"


def _tone(tone: Tone) -> str:
    """Describes the tone of a text, with its title and its link escaped."""
    title = f"“{escaped(tone.title)}”" if tone.title else WITHHELD
    source = f" {link('Source', tone.url)}" if tone.url else ""
    return (
        f"Tone ({CAUTION[tone.by]}): **{leaning_words(tone)}**, {escaped(tone_words(tone))}, "
        f"{title}{source}"
    )


def _work(market: MarketReport) -> str:
    confidence = f"Confidence in the market's research {share_words(market.confidence)}."
    return " ".join(part for part in (confidence, escaped(work_words(market))) if part)


def _claim_cells(name: str, stated: Stated) -> tuple[str, ...]:
    claim = stated.claim
    rests = "; ".join(words for words in (rests_on(claim), *claim.evidence) if words)
    return (
        name,
        print_claim(claim),
        claim.as_of.isoformat(),
        status_words(stated.verdict),
        check_words(stated.verdict),
        rests,
    )


def _conflicts(conflicts: Iterable[ConflictRecord]) -> str:
    return bullets([line for conflict in conflicts for line in _conflict(conflict)]) or "None."


def _conflict(conflict: ConflictRecord) -> Iterable[str]:
    """Describes a conflict as a list item, with its positions as items below it."""
    words = f"{conflict.market}, {conflict.kind}, {escaped(state_words(conflict))}"
    resolution = escaped(conflict.resolution)
    yield f"{words}: {escaped(outcome_words(conflict))}. {resolution}{positions_markdown(conflict)}"


def _cross_checks(report: ResearchReport) -> str:
    return bullets(
        [
            f"{escaped(check.subject)}, {human(check.kind)}: {escaped(check.text)}"
            for check in report.cross_checks
        ]
    )


def _missing(report: ResearchReport, lacking: Lacking) -> str:
    lines = [f"{line.market}: {escaped(line.reason)}" for line in report.coverage.missing]
    lines += [escaped(note) for note in report.coverage.notes]
    lines += [escaped(line) for line in outage_lines(report.coverage)]
    lines += [escaped(reason) for reason in gaps(report, lacking)]
    lines += [f"Dead letter: `{escaped(letter)}`" for letter in report.dead_letters]
    lines += [escaped(line) for line in (*rejected_lines(report), *dropped_lines(report))]
    return bullets(lines) or "Nothing."


def _revisions(report: ResearchReport) -> str:
    return bullets(
        [
            f"Revision {line.revision}, {instant(line.published_at)}: {line.kind}"
            + (f" of {line.market}" if line.market else "")
            + (f", {escaped(line.reason)}" if line.reason else "")
            for line in report.revisions
        ]
    )


def _sources(report: ResearchReport) -> str:
    groups = [
        f"{link(group.name, group.url)} ({group.tier}): `{escaped(group.server)}` "
        f"{escaped(group.tool)}, {group.answers} "
        f"{'answer' if group.answers == 1 else 'answers'}, retrieved {group.retrieved}"
        for group in group_sources(report.sources)
    ]
    return bullets(groups) or "None."


def _figures(report: ResearchReport) -> str:
    """Lists every figure once, in the section of its subject."""
    rows = [_claim_cells(name, stated) for name, stated in Traces(report).entries.items()]
    columns = ("Figure", "Value", "Day", "Verdict", "Check", "Rests on")
    return table(columns, rows, ("Figure", "Verdict", "Check", "Rests on")) if rows else ""


def _run(report: ResearchReport) -> tuple[str, ...]:
    return (
        duration_words(report),
        f"Analysts: {escaped(analysts_words(report.usage.model))}, {spent_words(report)}",
        *((escaped(planned),) if (planned := planning_words(report)) else ()),
        *((escaped(commented),) if (commented := commenting_words(report)) else ()),
        f"Workflow `{escaped(report.timings.workflow_id)}`, run `{escaped(report.timings.run_id)}`",
        *((f"Seal `{report.seal}`",) if report.seal else ()),
    )
