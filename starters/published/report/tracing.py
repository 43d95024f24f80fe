"""`desk report --trace`: one figure followed to its source, or the list of a market's figures."""

import sys
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from desk.analytics.figures import print_full_day
from desk.analytics.links import web_link
from desk.analytics.names.nearest import nearest
from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.claims import ClaimId
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.markets import MarketName
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek
from desk.documents.rendering.figures.traces import EvidenceTrace, Trace, Traces, published_by
from desk.documents.rendering.words.trust import (
    outcome_words,
    position_words,
    standing_words,
    state_words,
    status_words,
)
from desk.documents.rendering.words.wording import arguments_words, human, instant, one_line
from starters.terminal.exit_status import CommandError, ExitStatus
from starters.terminal.tables import table_lines

STYLES = {ClaimStatus.VERIFIED: "green", ClaimStatus.CONTESTED: "yellow"}

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
    market = _market_of(report, written)
    if market is not None:
        listed = tuple(_listed(traces, market))
        return ClaimList(week=report.week, market=market, claims=listed)
    return trace_named(traces, f"the report of {report.week}", written)


def trace_named(traces: Traces, document: str, written: str) -> Trace:
    """Returns the trace of a figure by its id, in any case and with or without its slash.

    Args:
        traces: The document's traces.
        document: The document's name in an error message.
        written: The id.

    Raises:
        CommandError: there is no such figure; the message lists the nearest ids.
    """
    ids = {figure_key(name): name for name in traces.claim_ids}
    found = ids.get(figure_key(written))
    if found is not None:
        return traces.trace(found)
    if not ids:
        raise CommandError(f"{document} has no figures")
    near = ", ".join(nearest(written.strip(), traces.claim_ids))
    raise CommandError(
        f"no figure '{written.strip()}' in {document}; nearest: {near} "
        "(a market's name alone lists its figures)"
    )


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


def console() -> Console:
    """A console on standard output, with room for long lines when it is not a terminal."""
    on_screen = sys.stdout.isatty()
    return Console(file=sys.stdout, width=None if on_screen else ROOM_ELSEWHERE, highlight=False)


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


def has_figure(report: ResearchReport, written: str) -> bool:
    """Returns whether a report has a figure, or any figure of a market."""
    traces = Traces(report)
    market = _market_of(report, written)
    if market is not None:
        return any(_listed(traces, market))
    return figure_key(written) in map(figure_key, traces.claim_ids)


def _market_of(report: ResearchReport, written: str) -> str | None:
    key = figure_key(written)
    return next((m.market for m in report.markets if figure_key(m.market) == key), None)


def figure_key(name: str) -> str:
    """Returns an id or a market's name as it is compared: in lower case, without slashes."""
    return name.strip().lower().replace("/", "")
