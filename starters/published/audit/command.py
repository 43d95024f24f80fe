"""`desk audit`."""

import re
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.signature import SUFFIX
from desk.contracts.weeks import parse_week
from desk.documents.answer.audit import AnswerCounts, counted_in_answer, sentences_in_answer
from desk.documents.publishing.publish import SUFFIXES
from desk.platform.settings import load_settings
from desk.programs.week.document.audit.report import Counts, counted
from desk.programs.week.document.audit.words import Wording, wording
from starters.published.audit.contents import Held, first_difference, parse_contents, read_text
from starters.published.audit.findings import all_findings
from starters.published.audit.naming import named
from starters.published.audit.pages import forms_beside
from starters.published.audit.result import AuditResult, result_json, result_lines
from starters.published.audit.signing import signature_of
from starters.published.published_files import latest_files, published_week, reports_here
from starters.published.read_together import read_together
from starters.terminal.completion import weeks
from starters.terminal.exit_status import ExitStatus, UsageError

EXAMPLE = "Example: desk audit reports/weekly/2026-W44-asia-g10-fx.json"


def audit(
    report: Annotated[
        str,
        typer.Argument(
            metavar="REPORT",
            autocompletion=weeks,
            help="The JSON form of a report or of an answer, or a week such as 2026-W44.",
        ),
    ],
    same_as: Annotated[
        Path | None,
        typer.Option(
            "--same-as",
            metavar="OTHER",
            help="Also say whether another report is the same apart from the run's own times.",
            show_default=False,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="PUBLIC-KEY",
            help="Also check that this publisher signed it: the file of a public key in PEM form.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> ExitStatus:
    """Verify a published report or answer from its evidence alone. Needs no server and no
    network.

    Exit status 0: all of it is verified. 1: something is not as it should be. 3: nothing is wrong,
    and a page that another version of the desk rendered could be verified only in part. With --key,
    before those: 4 not signed, 5 signed with another key, 6 changed after it was signed.
    """
    return audit_report(report, same_as=same_as, key=key, as_json=as_json)


_A_WEEK: Final = re.compile(r"\d{4}-?[Ww]\d+")


def audit_report(
    report: str, *, same_as: Path | None, key: Path | None, as_json: bool
) -> ExitStatus:
    """Verifies a report or an answer, compares it with another and checks its signature if those
    are given, and prints the findings.

    Raises:
        UsageError, CommandError: with what to do next.
    """
    path = _file_of(report)
    beside = [path.with_suffix(f".{suffix}") for suffix in (*SUFFIXES, SUFFIX)]
    texts = read_together(list(dict.fromkeys((path, *beside))), read_text)
    # For a path that is not a file, this raises the reason.
    text = texts[path] if path in texts else read_text(path)
    held = parse_contents(path, text)
    told, signed = named(path, held), signature_of(path, held.seal, key, texts)
    forms = forms_beside(path, held, texts, signed=bool(signed and signed.trusted))
    findings = all_findings(told, text, held, forms)
    verdict = AuditResult(path, _counted(held), _wording(held), findings, forms, told, signed)
    if same_as is not None:
        other = parse_contents(same_as, read_text(same_as))
        verdict = verdict._replace(other=same_as, difference=first_difference(held, other))
    lines = [result_json(verdict)] if as_json else result_lines(verdict)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return verdict.status


def _counted(held: Held) -> Counts | AnswerCounts:
    return counted_in_answer(held) if isinstance(held, AnswerReport) else counted(held)


def _wording(held: Held) -> Wording:
    if isinstance(held, AnswerReport):
        return Wording(in_answer=sentences_in_answer(held))
    return wording(held)


def _file_of(report: str) -> Path:
    if not _A_WEEK.fullmatch(report) or Path(report).exists():
        return Path(report)
    try:
        week = parse_week(report)
    except ValueError as error:
        raise UsageError(str(error)) from None
    reports = reports_here(load_settings())
    return Path(latest_files(reports, published_week(reports, week)).json_file)
