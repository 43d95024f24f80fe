"""`desk audit`."""

import json
import re
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from pydantic import JsonValue, ValidationError

from desk.contracts.base import most_values
from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.contracts.week.signature import SUFFIX, Signature
from desk.contracts.weeks import parse_week
from desk.documents.answer.audit import (
    AnswerCounts,
    counted_in_answer,
    findings_in_answer,
    sentences_in_answer,
)
from desk.documents.answer.json_form import (
    answer_from_json,
    answer_to_json,
    answer_without_run_fields,
)
from desk.documents.answer.publishing import answer_files
from desk.documents.audit.findings import AuditFinding
from desk.documents.page_comparison import (
    SHOWN,
    Comparison,
    compared_html,
    compared_markdown,
    difference,
)
from desk.documents.publishing.publish import SUFFIXES
from desk.documents.publishing.signature import digest_of, signed_bytes
from desk.documents.rendering.words.wording import one_line
from desk.platform.files import read_text_file
from desk.platform.settings import load_settings
from desk.programs.week.archive import is_answer
from desk.programs.week.derived import NotDerivable, derived_outcomes
from desk.programs.week.document.audit.report import Counts, counted
from desk.programs.week.document.audit.report import audit as audit_findings
from desk.programs.week.document.audit.words import Wording, word_findings, wording
from desk.programs.week.document.json_form import apart_from_the_run, from_json, to_json
from starters.published.published_files import (
    LARGEST_REPORT,
    latest_files,
    published_week,
    reports_here,
)
from starters.published.read_together import read_together
from starters.terminal.completion import weeks
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError

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


def is_answer_json(text: str) -> bool:
    """Returns whether a JSON text is an answer rather than the report of a week."""
    if '"summary_prose":' not in text:
        return False
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "summary_prose" in told


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


Held = ResearchReport | AnswerReport
"""The contents of a JSON file: the report of a week, or the answer to a question."""


class ComparedPage(NamedTuple):
    """A page beside the JSON, and the result of comparing the two. `signed` says that the publisher
    signed this page. A signed page of another version is then not compared with this version's
    wording."""

    path: Path
    comparison: Comparison
    signed: bool = False

    @property
    def same(self) -> bool:
        """Whether all of it is what the JSON says, or what the publisher signed with the JSON."""
        return not (self.comparison.wrong or self.comparison.unverified)


def forms_beside(
    path: Path, held: Held, texts: Mapping[Path, str], *, signed: bool = False
) -> tuple[ComparedPage, ...]:
    """Compares the Markdown and the HTML of the same name, as far as they exist.

    Args:
        path: The JSON file.
        held: The contents of the JSON file.
        texts: The texts of the files beside it that exist.
        signed: Whether the publisher signed the JSON and these pages.
    """
    forms = _forms(path, held, texts)
    return tuple(_as_signed(form) for form in forms) if signed else tuple(forms)


def _as_signed(form: ComparedPage) -> ComparedPage:
    other = form.comparison.other_version
    return ComparedPage(form.path, Comparison() if other else form.comparison, signed=True)


def _forms(path: Path, held: Held, texts: Mapping[Path, str]) -> Iterator[ComparedPage]:
    # A source's answer is the page's evidence and not its text.
    told = held.model_dump(mode="json", exclude={"evidence"})
    for suffix, compared in ((".md", compared_markdown), (".html", compared_html)):
        page = path.with_suffix(suffix)
        if page != path and page in texts:
            yield ComparedPage(
                page, _compared(compared, texts[page], _renderer(suffix, held), held, told)
            )


def _compared(
    compared: Callable[[str, str, JsonValue], Comparison],
    text: str,
    render: Callable[[Held], str],
    held: Held,
    told: JsonValue,
) -> Comparison:
    try:
        expected = render(held)
    except (ValueError, LookupError, ArithmeticError) as error:
        # A report that contradicts itself has other findings too.
        return Comparison((f"the JSON cannot be rendered: {error}",))
    return compared(text, expected, told)


def _renderer(suffix: str, held: Held) -> Callable[..., str]:
    # The renderers take half a second to import, and are needed only if there is a page.
    if isinstance(held, AnswerReport):
        from desk.documents.answer.html import render_answer_html
        from desk.documents.answer.markdown import render_answer_markdown

        return render_answer_markdown if suffix == ".md" else render_answer_html
    from desk.programs.week.document.rendering.html import render_html
    from desk.programs.week.document.rendering.markdown import render_markdown

    return render_markdown if suffix == ".md" else render_html


_WEEKS_IN_A_NAME: Final = re.compile(r"(?<!\d)(\d{4})-?[Ww](\d{1,2})(?!\d)")
_REVISION: Final = re.compile(r"\.r(\d+)$")


class Named(NamedTuple):
    """What a file's name says about its contents. `tells` is False if it says nothing; `wrong`
    describes a mismatch."""

    tells: bool
    wrong: str | None = None


def named(path: Path, held: Held) -> Named:
    """Checks the name of a JSON file against the report or answer in it.

    A name with a week must have the report's week, and its revision if the name has one. A name in
    the form of a run's id must have the answer's id. Any other name says nothing.
    """
    own = _own_name(held)
    weeks = {f"{year}-W{int(number):02d}" for year, number in _WEEKS_IN_A_NAME.findall(path.stem)}
    if not weeks and not is_answer(path.name):
        return Named(tells=path.name == own)
    if isinstance(held, AnswerReport):
        right = path.name == own
    else:
        revision = _REVISION.search(path.stem)
        right = weeks == {held.week} and (not revision or int(revision[1]) == held.revision)
    if right:
        return Named(tells=True)
    return Named(tells=True, wrong=f"it is named {one_line(path.name)} and holds {own}")


def _own_name(held: Held) -> str:
    if isinstance(held, AnswerReport):
        return Path(answer_files(Path(), held.workflow_id).json_file).name
    return f"revision {held.revision} of {held.week}"


UNCHECKED = "Signed, which was not checked: name the publisher's public key with --key."


class Signed(NamedTuple):
    """The result of checking a signature. `status` is the resulting exit status; `trusted` says
    that the files are those that the publisher signed."""

    words: str
    status: ExitStatus = ExitStatus.COMPLETE
    trusted: bool = False


def signature_of(
    path: Path, seal: str, key: Path | None, texts: Mapping[Path, str]
) -> Signed | None:
    """Checks the signature beside a JSON file against the file and its pages. Returns None if there
    is neither a signature nor a key.

    Args:
        path: The JSON file.
        seal: The seal of the report or answer in it.
        key: The file of the publisher's public key.
        texts: The texts of the file and of those beside it that exist.

    Raises:
        UsageError: the key cannot be used.
    """
    beside = path.with_suffix(f".{SUFFIX}")
    if key is None:
        return Signed(UNCHECKED) if beside in texts else None
    from desk.platform.signing import UnusableKey, read_publisher_key

    try:
        publisher = read_publisher_key(read_text_file(key))
    except OSError as error:
        raise UsageError(f"--key {key}: {error.strerror}") from None
    except (UnusableKey, UnicodeDecodeError) as error:
        raise UsageError(f"--key {key}: {error}") from None
    if beside not in texts:
        return Signed(f"Not signed: {beside.name} is not there.", ExitStatus.NOT_SIGNED)
    try:
        signature = Signature.model_validate_json(texts[beside])
    except ValidationError:
        return _changed(f"{beside.name} is no signature")
    if signature.key != publisher.fingerprint:
        words = f"Signed with another key: {signature.key}, not {publisher.fingerprint}."
        return Signed(words, ExitStatus.OTHER_KEY)
    if not publisher.signed(signed_bytes(signature), b64decode(signature.signature)):
        return _changed(f"{beside.name} does not hold a signature by the key that it names")
    changed = _changed_files(path, signature, texts)
    if signature.seal != seal or changed:
        return _changed(f"{', '.join(changed) or path.name} is not what was signed")
    return Signed(f"Signed with the key {publisher.fingerprint}.", trusted=True)


def _changed(words: str) -> Signed:
    return Signed(f"Changed after it was signed: {words}.", ExitStatus.CHANGED)


def _changed_files(path: Path, signature: Signature, texts: Mapping[Path, str]) -> list[str]:
    """The names of the existing files that differ from what was signed."""
    files = {"json": path}
    files |= {suffix: path.with_suffix(f".{suffix}") for suffix in SUFFIXES if suffix != "json"}
    return [
        file.name
        for suffix, file in files.items()
        if file in texts and digest_of(texts[file]) != signature.files.get(suffix)
    ]


MOST_VALUES: Final = 1_000_000
"""The most values in the JSON of a report: 20 times those of such a week."""

UNCOVERED: Final = (
    "impact and confidence, which events are told as confirmed, the status of verdicts, the"
    " leaning of views and forecasts, and what is said to be missing"
)
"""What the report says of a market outside its sentences and that follows from its agents'
words."""

_A_WEEK: Final = re.compile(r"\d{4}-?[Ww]\d+")


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
    texts = read_together(list(dict.fromkeys((path, *beside))), _text)
    # For a path that is not a file, this raises the reason.
    text = texts[path] if path in texts else _text(path)
    held = _held(path, text)
    told, signed = named(path, held), signature_of(path, held.seal, key, texts)
    forms = forms_beside(path, held, texts, signed=bool(signed and signed.trusted))
    findings = (
        *_findings_in_name(told),
        *_findings_in_text(text, held),
        *_audit(held),
        *_findings_in_forms(forms),
    )
    verdict = AuditResult(path, _counted(held), _wording(held), findings, forms, told, signed)
    if same_as is not None:
        other = _held(same_as, _text(same_as))
        verdict = verdict._replace(other=same_as, difference=first_difference(held, other))
    lines = [_as_json(verdict)] if as_json else _lines(verdict)
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return verdict.status


def first_difference(report: Held, other: Held) -> str | None:
    """Returns where two reports first differ, apart from the run's own times and ids. Returns None
    if they do not."""
    return difference(_apart_from_the_run(report), _apart_from_the_run(other))


def _apart_from_the_run(held: Held) -> str:
    if isinstance(held, AnswerReport):
        return answer_without_run_fields(held)
    return apart_from_the_run(held)


def _audit(held: Held) -> tuple[AuditFinding, ...]:
    if isinstance(held, AnswerReport):
        return findings_in_answer(held)
    return (*audit_findings(held), *_findings_in_words(held))


def _findings_in_words(report: ResearchReport) -> Iterator[AuditFinding]:
    """Where the report differs from what the built-in analysts say from its evidence."""
    try:
        yield from word_findings(report, derived_outcomes(report))
    except NotDerivable as error:
        yield AuditFinding("words", f"the evidence is not what the analysts had: {error}")
    except (ValueError, LookupError, ArithmeticError) as error:
        yield AuditFinding("words", f"the report contradicts itself: {error}")


def _counted(held: Held) -> Counts | AnswerCounts:
    return counted_in_answer(held) if isinstance(held, AnswerReport) else counted(held)


def _wording(held: Held) -> Wording:
    if isinstance(held, AnswerReport):
        return Wording(in_answer=sentences_in_answer(held))
    return wording(held)


def _findings_in_text(text: str, held: Held) -> Iterator[AuditFinding]:
    """Finds what the file has beyond the report that is read from it: an unknown field, a duplicate
    key, another notation of a number. Nothing else verifies these."""
    written = answer_to_json(held) if isinstance(held, AnswerReport) else to_json(held)
    parted = difference(text, written)
    if parted is not None:
        yield AuditFinding("file", f"it is not written as the desk writes a report: {parted}")


def _findings_in_name(told: Named) -> Iterator[AuditFinding]:
    if told.wrong is not None:
        yield AuditFinding("name", told.wrong)


def _findings_in_forms(forms: tuple[ComparedPage, ...]) -> Iterator[AuditFinding]:
    for form in forms:
        for words in form.comparison.wrong:
            yield AuditFinding(one_line(form.path.name), words)


def _file_of(report: str) -> Path:
    if not _A_WEEK.fullmatch(report) or Path(report).exists():
        return Path(report)
    try:
        week = parse_week(report)
    except ValueError as error:
        raise UsageError(str(error)) from None
    reports = reports_here(load_settings())
    return Path(latest_files(reports, published_week(reports, week)).json_file)


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
        return answer_from_json(text) if is_answer_json(text) else from_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f"at {place}: " if place else ""
        raise CommandError(f"{path} is no report: {where}{first['msg'][:SHOWN]}") from None


def _lines(verdict: AuditResult) -> Iterator[str]:
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


def _as_json(verdict: AuditResult) -> str:
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
