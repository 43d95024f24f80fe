"""What `desk audit` does."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import ValidationError

from contracts.answers import AnswerReport
from contracts.report import ResearchReport
from domain.answer_audit import AnswerCounts, counted_in_answer, findings_in_answer
from domain.audit import AuditFinding, Counts, audit, counted
from domain.json_size import most_values
from domain.weeks import parse_week
from infra.file_reading import read_text_file
from infra.settings import load_settings
from reporting.answer_json import answer_apart_from_the_run, answer_from_json, answer_to_json
from reporting.json_form import apart_from_the_run, from_json, to_json
from reporting.wording import one_line
from starters.ask_audit import answer_forms, counted_words, is_answer
from starters.audit_forms import SHOWN, Form, difference, forms_beside
from starters.endings import CommandError, ExitStatus, UsageError
from starters.published_files import LARGEST_REPORT, latest_files

MOST_VALUES: Final = 1_000_000
"""Of its JSON: 20 times such a week."""

_WEEK: Final = re.compile(r"\d{4}-?[Ww]\d+")


Held = ResearchReport | AnswerReport
"""What a file holds: the report of a week, or the answer to a question."""


class Verdict(NamedTuple):
    """What an audit found, and how the report compares with another where one was named."""

    path: Path
    counts: Counts | AnswerCounts
    findings: tuple[AuditFinding, ...]
    forms: tuple[Form, ...] = ()
    other: Path | None = None
    difference: str | None = None

    @property
    def passed(self) -> bool:
        """Whether everything was verified and the other report, if any, is the same."""
        return not self.findings and self.difference is None


def audit_report(report: str, *, same_as: Path | None, as_json: bool) -> ExitStatus:
    """Verify a report or an answer, compare it with another if one is named, and print what was
    found.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    path = _file_of(report)
    text = _text(path)
    held = _held(path, text)
    forms = _forms_beside(path, held)
    findings = (*_findings_in_text(text, held), *_audit(held), *_findings_in_forms(forms))
    verdict = Verdict(path, _counted(held), findings, forms)
    if same_as is not None:
        other = _held(same_as, _text(same_as))
        verdict = verdict._replace(other=same_as, difference=first_difference(held, other))
    lines = [_as_json(verdict)] if as_json else _lines(verdict)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return ExitStatus.COMPLETE if verdict.passed else ExitStatus.FAILED


def first_difference(report: Held, other: Held) -> str | None:
    """Where two reports first differ apart from what is the run's own; None where they do not."""
    return difference(_apart_from_the_run(report), _apart_from_the_run(other))


def _apart_from_the_run(held: Held) -> str:
    if isinstance(held, AnswerReport):
        return answer_apart_from_the_run(held)
    return apart_from_the_run(held)


def _audit(held: Held) -> tuple[AuditFinding, ...]:
    return findings_in_answer(held) if isinstance(held, AnswerReport) else audit(held)


def _counted(held: Held) -> Counts | AnswerCounts:
    return counted_in_answer(held) if isinstance(held, AnswerReport) else counted(held)


def _forms_beside(path: Path, held: Held) -> tuple[Form, ...]:
    if isinstance(held, AnswerReport):
        return answer_forms(path, held, _text)
    return forms_beside(path, held, _text)


def _findings_in_text(text: str, held: Held) -> Iterator[AuditFinding]:
    """What the file says beyond the report that is read from it: a field nobody knows, a key given
    twice, another way of writing a number. Nobody has verified that."""
    written = answer_to_json(held) if isinstance(held, AnswerReport) else to_json(held)
    parted = difference(text, written)
    if parted is not None:
        yield AuditFinding("file", f"it is not written as the desk writes a report: {parted}")


def _findings_in_forms(forms: tuple[Form, ...]) -> Iterator[AuditFinding]:
    for form in forms:
        if form.difference is not None:
            where = one_line(form.path.name)
            yield AuditFinding(where, f"it is not the page of this JSON: {form.difference}")


def _file_of(report: str) -> Path:
    if not _WEEK.fullmatch(report) or Path(report).exists():
        return Path(report)
    try:
        week = parse_week(report)
    except ValueError as error:
        raise UsageError(str(error)) from None
    path = Path(latest_files(load_settings().reports_dir, week).json_file)
    if not path.is_file():
        raise CommandError(f"no report of {week} is published; `desk run --week {week}` does")
    return path


def _text(path: Path) -> str:
    try:
        return read_text_file(path, LARGEST_REPORT)
    except FileNotFoundError:
        raise CommandError(f"{path} is missing") from None
    except IsADirectoryError:
        raise CommandError(f"{path} is a folder; name the .json file in it") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is no report: no text from byte {error.start} on") from None


def _held(path: Path, text: str) -> Held:
    if most_values(text) > MOST_VALUES:
        raise CommandError(f"{path} is no report: it holds more than {MOST_VALUES:,} values")
    try:
        return answer_from_json(text) if is_answer(text) else from_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f"at {place}: " if place else ""
        raise CommandError(f"{path} is no report: {where}{first['msg'][:SHOWN]}") from None


def _lines(verdict: Verdict) -> Iterator[str]:
    yield f"{verdict.path}: {_counted_words(verdict.counts)} looked at."
    for finding in verdict.findings:
        yield f"- {finding.where}: {' '.join(finding.words.split())}"
    if verdict.findings:
        yield f"Not verified: {len(verdict.findings):,} {_plural(verdict.findings)}."
    else:
        yield "Verified: every one follows from the evidence in the report."
    yield _forms_line(verdict.forms)
    if verdict.other is None:
        return
    if verdict.difference is None:
        yield f"The same as {verdict.other}, apart from the run's own times and ids."
    else:
        yield f"Differs from {verdict.other}: {verdict.difference}"


def _counted_words(counts: Counts | AnswerCounts) -> str:
    if isinstance(counts, AnswerCounts):
        return counted_words(counts)
    return (
        f"{counts.claims:,} claims, {counts.tool_results:,} tool results,"
        f" {counts.printed_figures:,} printed figures and {counts.tables} tables"
    )


def _forms_line(forms: tuple[Form, ...]) -> str:
    """Which of the pages that people read say what the JSON says."""
    if not forms:
        return "Only the JSON was verified: no Markdown or HTML of its name stands beside it."
    words = [f"{one_line(form.path.name)} {_form_words(form)}" for form in forms]
    return f"Beside it: {'; '.join(words)}."


def _form_words(form: Form) -> str:
    if form.difference is not None:
        return "does not say the same"
    return "says the same, its charts not compared" if form.charts_differ else "says the same"


def _plural(findings: tuple[AuditFinding, ...]) -> str:
    return "finding" if len(findings) == 1 else "findings"


def _as_json(verdict: Verdict) -> str:
    shown: dict[str, object] = {
        "report": str(verdict.path),
        "verified": not verdict.findings,
        "counts": verdict.counts._asdict(),
        "findings": [finding._asdict() for finding in verdict.findings],
        "only_json": not verdict.forms,
        "forms": [
            {
                "file": str(form.path),
                "same": form.difference is None,
                "charts_compared": form.difference is None and not form.charts_differ,
                "difference": form.difference,
            }
            for form in verdict.forms
        ],
    }
    if verdict.other is not None:
        same = verdict.difference is None
        shown["same_as"] = {
            "report": str(verdict.other),
            "same": same,
            "difference": verdict.difference,
        }
    return json.dumps(shown, ensure_ascii=False, indent=2)
