"""The findings in a report or an answer, its file, its name and its pages."""

from collections.abc import Iterator

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.json_form import answer_to_json
from desk.documents.audit.findings import AuditFinding
from desk.documents.page_comparison import difference
from desk.documents.rendering.words.wording import one_line
from desk.programs.week.derived import NotDerivable, derived_outcomes
from desk.programs.week.document.audit.report import audit as audit_findings
from desk.programs.week.document.audit.words import word_findings
from desk.programs.week.document.json_form import to_json
from starters.published.audit.contents import Held
from starters.published.audit.naming import Named
from starters.published.audit.pages import ComparedPage


def all_findings(
    name: Named, text: str, held: Held, forms: tuple[ComparedPage, ...]
) -> tuple[AuditFinding, ...]:
    """Returns the findings in a file's name, in its text, in its contents and in its pages."""
    return (
        *_findings_in_name(name),
        *_findings_in_text(text, held),
        *_findings_in_contents(held),
        *_findings_in_forms(forms),
    )


def _findings_in_contents(held: Held) -> tuple[AuditFinding, ...]:
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
