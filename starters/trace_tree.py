"""A trace as a tree for the terminal."""

from collections.abc import Iterator

from rich.text import Text
from rich.tree import Tree

from desk.analytics.figures import print_full_day
from desk.analytics.links import web_link
from desk.contracts.findings.verdicts import ClaimStatus
from desk.documents.rendering.report.trace import EvidenceTrace, Trace
from desk.documents.rendering.trust_words import (
    outcome_words,
    position_words,
    standing_words,
    state_words,
)
from desk.documents.rendering.wording import arguments_words, human, instant, one_line

STYLES = {ClaimStatus.VERIFIED: "green", ClaimStatus.CONTESTED: "yellow"}


def trace_tree(trace: Trace) -> Tree:
    """The figure, its verdict and formula, its inputs as branches, and its evidence as leaves.

    Evidence that several figures share is told in full where it comes first. Text from outside is
    printed as it is, on one line and without control characters.
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
        origin = f", first published by {evidence.origin}" if evidence.origin else ""
        yield _line("tier", f"{evidence.tier or 'not recorded'}{origin}")
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
