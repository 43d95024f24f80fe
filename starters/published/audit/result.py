"""The result of an audit, as lines and as JSON."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from desk.documents.answer.audit import AnswerCounts
from desk.documents.audit.findings import AuditFinding
from desk.documents.rendering.words.wording import one_line
from desk.programs.week.document.audit.report import Counts
from desk.programs.week.document.audit.words import Wording
from starters.published.audit.naming import Named
from starters.published.audit.pages import ComparedPage
from starters.published.audit.signing import Signed
from starters.terminal.exit_status import ExitStatus


def counted_words(counts: AnswerCounts) -> str:
    """Counts what was audited: `6 quotations, 0 claims, 5 tool results and 7 references`; also the
    conflicts and hypotheses of a swarm, and the steps and insights of an episode, if any."""
    besides = {
        "conflicts": counts.conflicts,
        "hypotheses": counts.hypotheses,
        "steps": counts.steps,
        "insights": counts.insights,
    }
    told = "".join(f", {count:,} {what}" for what, count in besides.items() if count)
    return (
        f"{counts.quotations:,} quotations, {counts.claims:,} claims{told},"
        f" {counts.tool_results:,} tool results and {counts.references:,} references"
    )


UNCOVERED: Final = (
    "impact and confidence, which events are told as confirmed, the status of verdicts, the"
    " leaning of views and forecasts, and what is said to be missing"
)
"""What the report says of a market outside its sentences and that follows from its agents'
words."""


class AuditResult(NamedTuple):
    """The findings of an audit, and how the report compares with another one if given."""

    path: Path
    counts: Counts | AnswerCounts
    wording: Wording
    findings: tuple[AuditFinding, ...]
    forms: tuple[ComparedPage, ...] = ()
    named: Named = Named(tells=True)
    signed: Signed | None = None
    other: Path | None = None
    difference: str | None = None

    @property
    def status(self) -> ExitStatus:
        """The signature decides first, if it was to be checked; then whether everything was
        verified, and whether the other report, if any, is the same."""
        if self.signed and self.signed.status is not ExitStatus.COMPLETE:
            return self.signed.status
        if self.findings or self.difference is not None:
            return ExitStatus.FAILED
        whole = all(form.same for form in self.forms)
        return ExitStatus.COMPLETE if whole else ExitStatus.INCOMPLETE


def result_lines(verdict: AuditResult) -> Iterator[str]:
    """Formats a result for people."""
    yield f"{verdict.path}: {_counted_words(verdict.counts)} looked at."
    for finding in verdict.findings:
        yield f"- {finding.where}: {' '.join(finding.words.split())}"
    if verdict.findings:
        yield f"Not verified: {len(verdict.findings):,} {_plural(verdict.findings)}."
    else:
        yield "Verified: every figure follows from the evidence in the report."
    yield from _wording_lines(verdict.wording, sound=not verdict.findings)
    yield _forms_line(verdict.forms)
    for form in verdict.forms:
        yield from _unverified_lines(form)
    if not verdict.named.tells:
        yield "Its file name has no week or answer to compare with."
    if verdict.signed is not None:
        yield verdict.signed.words
    if verdict.other is None:
        return
    if verdict.difference is None:
        yield f"The same as {verdict.other}, apart from the run's own times and ids."
    else:
        yield f"Differs from {verdict.other}: {verdict.difference}"


def _wording_lines(wording: Wording, *, sound: bool) -> Iterator[str]:
    """Whose sentences were verified, and whose were not."""
    if wording.derived and sound:
        yield f"Word for word: {_sentences(wording.derived)}, written anew from the evidence."
    others = {
        "by a model": wording.by_models,
        "by analysts of another version of the desk": wording.by_others,
    }
    for whose, count in others.items():
        if count:
            yield f"Not word for word, figures alone: {_sentences(count)} {whose}."
            yield f"Nor of their markets: {UNCOVERED}."
    if wording.in_answer:
        held = _sentences(wording.in_answer)
        yield f"Not word for word, figures and quotations alone: {held} of the answer."


def _sentences(count: int) -> str:
    return f"{count:,} {'sentence' if count == 1 else 'sentences'}"


def _counted_words(counts: Counts | AnswerCounts) -> str:
    if isinstance(counts, AnswerCounts):
        return counted_words(counts)
    return (
        f"{counts.claims:,} claims, {counts.tool_results:,} tool results,"
        f" {counts.printed_figures:,} printed figures and {counts.tables} tables"
    )


def _forms_line(forms: tuple[ComparedPage, ...]) -> str:
    """Says which of the pages agree with the JSON."""
    if not forms:
        return "Only the JSON was verified: no Markdown or HTML of its name stands beside it."
    words = [f"{one_line(form.path.name)} {_form_words(form)}" for form in forms]
    return f"Pages: {'; '.join(words)}."


def _form_words(form: ComparedPage) -> str:
    if form.comparison.wrong:
        return "does not say the same"
    if form.signed:
        return "is the page that was signed"
    if form.comparison.unverified:
        return "has the figures and texts of the JSON"
    redrawn = ", its charts drawn by another version of the drawing library"
    return f"says the same{redrawn if form.comparison.redrawn else ''}"


def _unverified_lines(form: ComparedPage) -> Iterator[str]:
    if form.comparison.unverified:
        name = one_line(form.path.name)
        yield f"{name} was rendered by another version of the desk. Not verified in it:"
        yield from (f"- {words}" for words in form.comparison.unverified)


def _plural(findings: tuple[AuditFinding, ...]) -> str:
    return "finding" if len(findings) == 1 else "findings"


def result_json(verdict: AuditResult) -> str:
    """Formats a result as JSON."""
    shown: dict[str, object] = {
        "report": str(verdict.path),
        "verified": not verdict.findings,
        "counts": verdict.counts._asdict(),
        "findings": [finding._asdict() for finding in verdict.findings],
        "sentences": verdict.wording._asdict(),
        "name_compared": verdict.named.tells,
        "only_json": not verdict.forms,
        "forms": [
            {
                "file": str(form.path),
                "same": form.same,
                "charts_redrawn": form.comparison.redrawn,
                "wrong": form.comparison.wrong,
                "unverified": form.comparison.unverified,
            }
            for form in verdict.forms
        ],
    }
    if verdict.signed is not None:
        shown["signature"] = {
            "trusted": verdict.signed.trusted,
            "words": verdict.signed.words,
        }
    if verdict.other is not None:
        same = verdict.difference is None
        shown["same_as"] = {
            "report": str(verdict.other),
            "same": same,
            "difference": verdict.difference,
        }
    return json.dumps(shown, ensure_ascii=False, indent=2)
