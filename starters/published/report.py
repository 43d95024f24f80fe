"""`desk report`."""

import sys
import webbrowser
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple
from zoneinfo import ZoneInfo

import typer
from pydantic import Field
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from desk.analytics.figures import print_figure, print_full_day
from desk.analytics.links import web_link
from desk.analytics.names.nearest import nearest
from desk.contracts.base import Contract, ShortText
from desk.contracts.base import Text as BoundedText
from desk.contracts.findings.claims import ClaimId
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.markets import MarketName
from desk.contracts.week.changes import Change, Changes
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek
from desk.documents.publishing.pdf import PdfError, write_pdf
from desk.documents.rendering.figures.traces import EvidenceTrace, Trace, Traces, published_by
from desk.documents.rendering.words.trust import (
    outcome_words,
    position_words,
    standing_words,
    state_words,
    status_words,
)
from desk.documents.rendering.words.wording import (
    NO_FIGURE,
    arguments_words,
    human,
    instant,
    one_line,
)
from desk.platform.settings import Settings, load_settings
from desk.programs.week.document.judging.verdicts import (
    OneOrigin,
    SecondOrigins,
    of_one_origin,
    second_origins,
)
from desk.programs.week.document.publishing import DEFAULT_SLUG, latest_reports
from desk.programs.week.document.sections.changes import changes_between
from desk.trust.seals import seal_of
from starters.published.published_files import (
    chosen_report,
    latest_files,
    read_report,
    reports_here,
)
from starters.runs.market_choice import chosen_markets
from starters.runs.summary import PublishedWeek, WeekSummary, summary_lines, summary_of
from starters.runs.week_choice import written_week
from starters.terminal.completion import weeks
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.options import of_week
from starters.terminal.tables import table_lines

EXAMPLE = (
    "Example: desk report --week 2026-W44 --open. "
    "desk report --trace USD/JPY:move follows one figure to its source."
)


_Markets = Annotated[
    str | None,
    typer.Option(
        "--markets",
        metavar="NAMES",
        help="The report of these markets only, as `desk run --markets` wrote it, or its name, "
        "such as usdjpy. Without it that of all markets, if the week has one.",
        show_default=False,
    ),
]
_Pdf = Annotated[
    bool,
    typer.Option(
        "--pdf", help="Write its page as a PDF file beside it, by the browser or WeasyPrint."
    ),
]
_Json = Annotated[
    bool,
    typer.Option("--json", help="Print its JSON form; with --trace, --diff or --origins, theirs."),
]


def report(
    week: Annotated[
        str | None, of_week("ISO week such as 2026-W44; without it, the latest that is published.")
    ] = None,
    markets: _Markets = None,
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_pdf: _Pdf = False,
    as_json: _Json = False,
    revisions: Annotated[
        bool, typer.Option("--revisions", help="List its revisions and their reasons.")
    ] = False,
    trace: Annotated[
        str | None,
        typer.Option(
            "--trace",
            metavar="CLAIM",
            help="Follow one figure to its source, such as USD/JPY:move; a market's name alone "
            "lists its figures. Without --week, of the newest week that has it.",
            show_default=False,
        ),
    ] = None,
    diff: Annotated[
        str | None,
        typer.Option(
            "--diff",
            metavar="WEEK",
            autocompletion=weeks,
            help="What is materially different from an earlier published week.",
            show_default=False,
        ),
    ] = None,
    origins: Annotated[
        bool,
        typer.Option(
            "--origins",
            help="How many of its figures a second origin bears out, and why others have none.",
        ),
    ] = False,
) -> ExitStatus:
    """Show the published report of a week. Needs no server."""
    view = ReportView(browse, as_json, revisions, trace, diff, origins, as_pdf)
    return show_report(week, view, markets)


class ReportView(NamedTuple):
    """The requested view of a report: the page, its PDF, a form, its revisions, one figure, a
    difference, or how many of its figures have a second origin."""

    browse: bool = False
    as_json: bool = False
    revisions: bool = False
    trace: str | None = None
    diff: str | None = None
    origins: bool = False
    as_pdf: bool = False


def show_report(week: str | None, view: ReportView, markets: str | None = None) -> ExitStatus:
    """Prints the published report of a week or a part of it, or opens it. Needs no server. With
    `markets` it is a report of only these.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    _check(view)
    settings = load_settings()
    now = datetime.now(UTC)
    written = written_week(week, now, settings.config.schedule)
    against = written_week(view.diff, now, settings.config.schedule)
    slug = _slug_of(settings, markets)
    if view.trace is not None and written is None:
        report, files = report_with(settings, view.trace, slug)
        _warn_of_older_week(settings, report, view.trace, slug)
    else:
        report, files = published_report(settings, written, slug)
    if markets is None:
        _note_other_markets(settings, report, files)
    if against is not None or view.trace is not None:
        _warn_of_change(report)
    if against is not None:
        return _difference(settings, against, report, files, as_json=view.as_json)
    return _show(report, files, view, settings.config.schedule.time_zone)


def _show(
    report: ResearchReport, files: PublishedFiles, view: ReportView, time_zone: str
) -> ExitStatus:
    """Shows a report, or a part of it that needs no other report."""
    if view.trace is not None:
        return show_trace(report, view.trace, as_json=view.as_json)
    if view.origins:
        return show_origins(report, as_json=view.as_json)
    if view.as_pdf:
        return _as_pdf(Path(files.html))
    if view.browse:
        return _browse(Path(files.html))
    if view.as_json:
        sys.stdout.write(Path(files.json_file).read_text(encoding="utf-8"))
        return ExitStatus.COMPLETE
    if view.revisions:
        lines = revision_lines(report, time_zone)
    else:
        lines = iter(summary_lines(published_summary(report, files, time_zone)))
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return ExitStatus.COMPLETE


def _slug_of(settings: Settings, markets: str | None) -> str | None:
    """Returns the slug of the report of some markets, by their names or as its file is named.

    Raises:
        UsageError: a market is unknown, or none was named.
    """
    if markets is None:
        return None
    named = markets.strip().lower()
    if any(named == slug for _, slug, _ in latest_reports(reports_here(settings))):
        return named
    return chosen_markets(settings.config, markets)[1] or DEFAULT_SLUG


def _slug_in(report: ResearchReport, files: PublishedFiles) -> str:
    return Path(files.json_file).stem.removeprefix(f"{report.week}-")


def _note_other_markets(settings: Settings, report: ResearchReport, files: PublishedFiles) -> None:
    """Says on standard error if a report is of some markets only, or which such reports its week
    has besides."""
    listed, slug = latest_reports(settings.reports_dir), _slug_in(report, files)
    others = [s for week, s, _ in listed if week == report.week and s != slug]
    words = []
    if slug != DEFAULT_SLUG:
        whole = [week for week, s, _ in listed if s == DEFAULT_SLUG][-1:]
        newest = f"the newest of all is {whole[0]}" if whole else "there is none of all"
        words.append(f"{report.week} of some markets only, {slug}; {newest}")
    if others:
        words.append(f"{report.week} has reports of other markets: --markets {' or '.join(others)}")
    sys.stderr.writelines(f"desk: {line}\n" for line in words)


def _as_pdf(page: Path) -> ExitStatus:
    """Raises CommandError if no PDF can be made."""
    target = page.with_suffix(".pdf")
    try:
        by = write_pdf(page, target)
    except PdfError as error:
        raise CommandError(str(error)) from error
    sys.stdout.write(f"{target}\n")
    sys.stderr.write(f"Printed by {by}.\n")
    return ExitStatus.COMPLETE


def revision_lines(report: ResearchReport, time_zone: str) -> Iterator[str]:
    """A line for every revision of a report: when, why, and what was redone."""
    for revision in report.revisions:
        local = revision.published_at.astimezone(ZoneInfo(time_zone))
        what = f"  {revision.market}" if revision.market else ""
        why = f": {one_line(revision.reason)}" if revision.reason else ""
        when = f"{local:%Y-%m-%d %H:%M} {time_zone}"
        yield f"r{revision.revision}  {when}  {revision.kind}{what}{why}"


def _check(view: ReportView) -> None:
    """Rejects more than one view at a time; --json goes with --trace, --diff and --origins."""
    asked = {
        "--open": view.browse,
        "--revisions": view.revisions,
        "--trace": view.trace is not None,
        "--diff": view.diff is not None,
        "--origins": view.origins,
        "--pdf": view.as_pdf,
    }
    named = [option for option, wanted in asked.items() if wanted]
    if len(named) > 1:
        raise UsageError(f"one of {' and '.join(named)} at a time")
    if view.as_json and named and named[0] in {"--open", "--revisions", "--pdf"}:
        raise UsageError(
            f"one of {named[0]} and --json at a time; --json goes with --trace, --diff, --origins"
        )
    if view.trace is not None and not view.trace.strip():
        raise UsageError("--trace names no figure; such as --trace USD/JPY:move")


def _difference(
    settings: Settings,
    against: str,
    report: ResearchReport,
    of_report: PublishedFiles,
    *,
    as_json: bool,
) -> ExitStatus:
    """Raises UsageError unless the other week is earlier than the report's."""
    if against >= report.week:
        order = "the same week as" if against == report.week else "later than"
        raise UsageError(
            f"--diff {against} is {order} the report's, {report.week}; name an earlier one, or "
            "a later report with --week"
        )
    chosen = chosen_report(settings.reports_dir, against, _slug_in(report, of_report))
    files = latest_files(settings.reports_dir, *chosen)
    before = read_report(Path(files.json_file))
    _warn_of_change(before)
    return show_differences(before, report, as_json=as_json)


def _warn_of_change(report: ResearchReport) -> None:
    """Warns on standard error if a report's seal does not match its contents."""
    if report.seal != seal_of(report):
        sys.stderr.write(
            f"desk: the file of {report.week} was changed since it was published; "
            f"`desk audit {report.week}` says where\n"
        )


def _browse(page: Path) -> ExitStatus:
    if not page.is_file():
        raise CommandError(f"{page} is missing; `desk run --again` publishes it anew")
    if not webbrowser.open(page.resolve().as_uri()):
        raise CommandError(f"no browser could be started; the report is {page}")
    sys.stdout.write(f"{page}\n")
    return ExitStatus.COMPLETE


def published_report(
    settings: Settings, week: str | None, slug: str | None = DEFAULT_SLUG
) -> tuple[ResearchReport, PublishedFiles]:
    """Reads the report of a week, or the latest published one, as `chosen_report` does. Returns it
    with its files.

    Raises:
        CommandError: there is none, or it cannot be read; the message says what to do.
    """
    folder = reports_here(settings)
    files = latest_files(folder, *chosen_report(folder, week, slug))
    return read_report(Path(files.json_file)), files


def report_with(
    settings: Settings, figure: str, slug: str | None = DEFAULT_SLUG
) -> tuple[ResearchReport, PublishedFiles]:
    """Returns the newest published report that has a figure, or figures of a market, with its
    files. Falls back to the newest report. `slug` is as for `published_report`.

    Raises:
        CommandError: there is no report; the message says what to do.
    """
    newest, files = published_report(settings, None, slug)
    if _has(newest, figure):
        return newest, files
    listed = latest_reports(settings.reports_dir)
    for week, of_markets, path in reversed(listed):
        if slug not in (None, of_markets) or str(path) == files.json_file:
            continue
        older = latest_files(settings.reports_dir, week, of_markets)
        text = Path(older.json_file).read_text(encoding="utf-8", errors="replace")
        # Parsing a report is slow; searching its text for the name is not.
        if _key(figure) not in _key(text):
            continue
        with suppress(CommandError):
            report = read_report(Path(older.json_file))
            if _has(report, figure):
                return report, older
    return newest, files


def _warn_of_older_week(
    settings: Settings, report: ResearchReport, figure: str, slug: str | None
) -> None:
    """Says on standard error if a figure is not from the newest week."""
    newest, _ = chosen_report(settings.reports_dir, None, slug)
    if report.week != newest:
        sys.stderr.write(
            f"desk: the newest week, {newest}, has no {figure.strip()}; this is of {report.week} "
            "(--week names another)\n"
        )


def _has(report: ResearchReport, figure: str) -> bool:
    """Returns whether a report has a figure, or any figure of a market."""
    traces = Traces(report)
    market = next((m.market for m in report.markets if _key(m.market) == _key(figure)), None)
    if market is not None:
        return any(_listed(traces, market))
    return _key(figure) in map(_key, traces.claim_ids)


def published_summary(report: ResearchReport, files: PublishedFiles, time_zone: str) -> WeekSummary:
    """Builds the summary of a published report."""
    published = PublishedWeek(
        week=report.week,
        as_of=report.as_of,
        revision=report.revision,
        coverage=report.coverage,
        files=files,
        workflow_id=report.timings.workflow_id,
        run_id=report.timings.run_id,
    )
    return summary_of(published, report, time_zone=time_zone, temporal_ui=None)


COLUMNS = ("Kind", "Market", "Before", "After", "What changed")


def show_differences(before: ResearchReport, after: ResearchReport, *, as_json: bool) -> ExitStatus:
    """Prints the typed difference between two reports, by the rules of the newer one."""
    changes = changes_between(before, after, after.config.policy.materiality)
    if as_json:
        sys.stdout.write(f"{changes.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    sys.stdout.write(f"{_title(before, after, changes)}\n")
    if changes.entries:
        rows = (tuple(_cells(change)) for change in changes.entries)
        for line in table_lines(COLUMNS, rows, right={2, 3}):
            sys.stdout.write(f"{line}\n")
    if changes.note:
        sys.stdout.write(f"{one_line(changes.note)}\n")
    return ExitStatus.COMPLETE


def _title(before: ResearchReport, after: ResearchReport, changes: Changes) -> str:
    weeks = (
        f"{before.week} (revision {before.revision}) to {after.week} (revision {after.revision})"
    )
    if not changes.entries:
        return f"{weeks}: no material change"
    count = len(changes.entries)
    return f"{weeks}: {count} material {'change' if count == 1 else 'changes'}"


def _cells(change: Change) -> Iterator[str]:
    yield change.kind
    yield change.market
    for value in (change.before, change.after):
        if value is None or change.unit is None:
            yield NO_FIGURE
        else:
            yield print_figure(value, change.unit)
    yield change.text


class WithoutSecondOrigin(Contract):
    """Figures that have a single origin for the same reason, as in `OneOrigin`."""

    rests_on: ClaimId
    metrics: tuple[ShortText, ...]
    figures: int
    reason: BoundedText


class OriginsOfFigures(Contract):
    """How many printed figures of a report have a second origin; `--origins --json` prints it.
    `share` is the share of verified figures, 0 to 1."""

    week: IsoWeek
    figures: int
    verified: int
    single_source: int
    contested: int
    share: float
    without: tuple[WithoutSecondOrigin, ...]


ORIGIN_COLUMNS = ("Without", "Rests on", "Figures", "Why")


def show_origins(report: ResearchReport, *, as_json: bool) -> ExitStatus:
    """Prints how many figures of a report have a second origin, and why the others have none."""
    counts, without = second_origins(report), of_one_origin(report)
    if as_json:
        told = _origins_of_figures(report.week, counts, without)
        sys.stdout.write(f"{told.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    sys.stdout.write(f"{report.week}: {origins_words(counts)}\n")
    rows = (
        (str(g.figures), g.rests_on, ", ".join(map(human, g.metrics)), g.reason) for g in without
    )
    if without:
        for line in table_lines(ORIGIN_COLUMNS, rows, right={0}):
            sys.stdout.write(f"{line}\n")
    return ExitStatus.COMPLETE


def origins_words(counts: SecondOrigins) -> str:
    """`476 of 540 printed figures (88.1 %) have a second origin; 64 from a single source, 0
    contested`."""
    return (
        f"{counts.verified:,} of {counts.figures:,} printed figures ({counts.share:.1%}".replace(
            "%", " %"
        )
        + f") have a second origin; {counts.single_source:,} from a single source, "
        f"{counts.contested:,} contested"
    )


def _origins_of_figures(
    week: str, counts: SecondOrigins, without: tuple[OneOrigin, ...]
) -> OriginsOfFigures:
    return OriginsOfFigures(
        week=week,
        figures=counts.figures,
        **counts._asdict(),
        share=round(counts.share, 4),
        without=tuple(WithoutSecondOrigin(**group._asdict()) for group in without),
    )


STYLES = {ClaimStatus.VERIFIED: "green", ClaimStatus.CONTESTED: "yellow"}


def trace_tree(trace: Trace) -> Tree:
    """Draws the figure, its verdict and formula, its inputs as branches, and its evidence as
    leaves.

    Evidence that several figures share is shown in full at its first occurrence. Third-party text
    is printed unchanged, but on one line and without control characters.
    """
    return _tree(trace, set())


def _tree(trace: Trace, told: set[str]) -> Tree:
    tree = Tree(_head(trace))
    tree.add(_verdict(trace))
    if trace.formula:
        tree.add(_line("formula", trace.formula))
    for name in trace.withheld:
        tree.add(_line("input", f"{name} is withheld"))
    for step in trace.inputs:
        tree.children.append(_tree(step, told))
    if not trace.inputs:
        for evidence in trace.evidence:
            _add(tree, "read from", evidence, told)
    for evidence in trace.checked_with:
        _add(tree, "checked with", evidence, told)
    for line in _conflicts(trace):
        tree.add(line)
    for other in trace.elsewhere:
        if not other.agrees:
            tree.add(_line("differs", f"{other.market} states {other.printed}", "yellow"))
    return tree


def _head(trace: Trace) -> Text:
    head = Text(f"{trace.claim.claim_id}  ", style="bold")
    head.append(trace.printed, style="bold cyan")
    unit = human(trace.claim.unit)
    return head.append(f"  {unit}, {print_full_day(trace.claim.as_of)}", style="dim")


def _verdict(trace: Trace) -> Text:
    style = STYLES.get(trace.verdict.status, "") if trace.verdict else "dim"
    origins = ", ".join(trace.verdict.origins) if trace.verdict else ""
    words = f"{trace.verdict_words} Origins: {origins}." if origins else trace.verdict_words
    return _line("verdict", words, style)


def _conflicts(trace: Trace) -> Iterator[Text]:
    for conflict in trace.conflicts:
        words = f"{state_words(conflict)}: {outcome_words(conflict)}. {conflict.resolution}"
        yield _line("conflict", words, "yellow")
        for position in conflict.positions:
            role = standing_words(conflict, position) or "position"
            yield _line(role, position_words(position))


def _add(tree: Tree, role: str, evidence: EvidenceTrace, told: set[str]) -> None:
    branch = tree.add(_line(role, evidence.source or evidence.evidence_id))
    if evidence.excerpt:
        branch.add(_line("row", evidence.excerpt.words))
    if evidence.evidence_id in told:
        branch.add(_line("evidence", f"{evidence.evidence_id}, as above"))
        return
    told.add(evidence.evidence_id)
    for line in _evidence(evidence):
        branch.add(line)


def _evidence(evidence: EvidenceTrace) -> Iterator[Text]:
    if evidence.tier or evidence.origin:
        yield _line("tier", f"{evidence.tier or 'not recorded'}{published_by(evidence)}")
    if evidence.tool:
        question = arguments_words(evidence.arguments)
        yield _line("call", f"{evidence.server}.{evidence.tool}  {question}")
        yield _line("as of", instant(evidence.as_of))
        asked = evidence.retrieved_at
        yield _line("retrieved", instant(asked) if asked else "not recorded")
    if evidence.error:
        yield _line("error", evidence.error)
    if not evidence.recorded:
        yield _line("result", "not in the report")
    if evidence.content_hash:
        yield _line("sha-256", evidence.content_hash)
    yield _line("evidence", evidence.evidence_id)
    if evidence.place:
        event = evidence.place.event_id
        yield _line("workflow", evidence.place.workflow_id)
        yield _line("run", evidence.place.run_id)
        yield _line("event", "not recorded" if event is None else str(event))
    link = web_link(evidence.url)
    if link:
        yield _line("link", link)


def _line(role: str, words: str, style: str = "") -> Text:
    return Text.assemble((f"{role}  ", "dim"), (one_line(words), style))


ROOM_ELSEWHERE = 120
"""The width of a line when standard output is not a terminal."""


class ListedClaim(Contract):
    """A line in the list of a market's claims."""

    claim_id: ClaimId
    printed: ShortText
    verdict: ShortText


class ClaimList(Contract):
    """The claims in a market's section; `--json` prints it."""

    week: IsoWeek
    market: MarketName
    claims: Annotated[tuple[ListedClaim, ...], Field(max_length=1_700)]


def show_trace(report: ResearchReport, written: str, *, as_json: bool) -> ExitStatus:
    """Prints where a claim's figure comes from or, for a market's name, lists its claims.

    Raises:
        CommandError: there is no such claim; the message lists the nearest ids.
    """
    found = trace_or_claims(report, written)
    if isinstance(found, ClaimList):
        return _list(found, as_json=as_json)
    trace = found
    if as_json:
        sys.stdout.write(f"{trace.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    tree = trace_tree(trace)
    tree.add(_line("report", f"{report.week}, revision {report.revision}"))
    console().print(tree, highlight=False)
    return ExitStatus.COMPLETE


def trace_or_claims(report: ResearchReport, written: str) -> "Trace | ClaimList":
    """Returns where a claim's figure comes from or, for a market's name, its claims.

    Raises:
        CommandError: there is no such claim; the message lists the nearest ids.
    """
    traces = Traces(report)
    market = next((m.market for m in report.markets if _key(m.market) == _key(written)), None)
    if market is not None:
        listed = tuple(_listed(traces, market))
        return ClaimList(week=report.week, market=market, claims=listed)
    return trace_named(traces, f"the report of {report.week}", written)


def console() -> Console:
    """A console on standard output, with room for long lines when it is not a terminal."""
    on_screen = sys.stdout.isatty()
    return Console(file=sys.stdout, width=None if on_screen else ROOM_ELSEWHERE, highlight=False)


def trace_named(traces: Traces, document: str, written: str) -> Trace:
    """Returns the trace of a figure by its id, in any case and with or without its slash.

    Args:
        traces: The document's traces.
        document: The document's name in an error message.
        written: The id.

    Raises:
        CommandError: there is no such figure; the message lists the nearest ids.
    """
    ids = {_key(name): name for name in traces.claim_ids}
    found = ids.get(_key(written))
    if found is not None:
        return traces.trace(found)
    if not ids:
        raise CommandError(f"{document} has no figures")
    near = ", ".join(nearest(written.strip(), traces.claim_ids))
    raise CommandError(
        f"no figure '{written.strip()}' in {document}; nearest: {near} "
        "(a market's name alone lists its figures)"
    )


def _list(found: ClaimList, *, as_json: bool) -> ExitStatus:
    if as_json:
        sys.stdout.write(f"{found.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    if not found.claims:
        sys.stdout.write(f"{found.market} has no figures in the report of {found.week}\n")
    rows = ((line.claim_id, line.printed, line.verdict) for line in found.claims)
    for row in table_lines(("", "", ""), rows, right={1}):
        sys.stdout.write(f"{row}\n")
    return ExitStatus.COMPLETE


def _listed(traces: Traces, market: str) -> Iterator[ListedClaim]:
    for name in traces.ids_of(market):
        key = traces.key(name, market)
        if key is not None:
            trace: Trace = traces.trace(key)
            yield ListedClaim(
                claim_id=name, printed=trace.printed, verdict=status_words(trace.verdict)
            )


def _key(name: str) -> str:
    return name.strip().lower().replace("/", "")
