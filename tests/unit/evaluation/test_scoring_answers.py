"""What an answer is worth: by what it quotes and from where, never by its words."""

import json

import pytest

from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import Quotation
from desk.evaluation.ask.questions import KnownQuestion
from desk.evaluation.ask.scoring import scored
from desk.evaluation.scores import Verdict
from tests.support.processes.homes import PROJECT

BOOK, OTHER, TICKET = "corpus://documents/book", "corpus://documents/other", "corpus://tickets/T-1"


def asked(*values: str, source: str = BOOK, total: int | None = None) -> KnownQuestion:
    return KnownQuestion(
        question_id="1",
        kind="plain",
        question="How long?",
        values=values,
        sources=(source,) if values else (),
        total=total,
    )


def report(
    *quoted: tuple[str, str], prose: str | None = None, answered: bool = True
) -> AnswerReport:
    """An answer that refers to quotations, each words and their address, in their order."""
    published = (PROJECT / "tests" / "published" / "question.json").read_text()
    quotations = tuple(
        Quotation(quotation_id=f"q{n}", text=text, source="s", url=url, evidence_id="e")
        for n, (text, url) in enumerate(quoted, start=1)
    )
    referred = " ".join(f"[[{each.quotation_id}]]" for each in quotations)
    return AnswerReport.model_validate(json.loads(published)).model_copy(
        update={
            "quotations": quotations,
            "summary_prose": prose if prose is not None else f"It is {referred}.",
            "sections": (),
            "answered": answered,
            "claims": (),
        }
    )


RIGHT = ("A restart takes 12 minutes.", BOOK)
MUCH = ("It is a fine book.", BOOK)


@pytest.mark.parametrize(
    ("answer", "verdict", "place"),
    [
        (report(RIGHT), Verdict.RIGHT, 1),
        (report(MUCH, RIGHT), Verdict.NEAR, 2),
        (report(MUCH, MUCH, MUCH, RIGHT), Verdict.WRONG, 4),
        (report(("A restart takes 112 minutes.", BOOK)), Verdict.WRONG, None),
        (report(("A restart takes 12 minutes.", OTHER)), Verdict.WRONG, None),
        (report(RIGHT, prose="It takes twelve minutes, says the book."), Verdict.WRONG, None),
        (report(RIGHT, answered=False), Verdict.REFUSED, 1),
        (report(), Verdict.WRONG, None),
    ],
)
def test_an_answer_is_right_where_it_quotes_the_value_from_its_source(
    answer: AnswerReport, verdict: Verdict, place: int | None
) -> None:
    check = scored(asked("12 minutes"), answer)
    assert (check.verdict, check.place) == (verdict, place)


def test_a_question_without_an_answer_is_to_be_refused() -> None:
    assert scored(asked(), report(MUCH, answered=False)).verdict is Verdict.RIGHTLY_REFUSED
    assert scored(asked(), report(MUCH)).verdict is Verdict.INVENTED


def test_fields_of_a_ticket_are_read_as_one() -> None:
    fields = (("T-1", TICKET), ("In review", TICKET), ("Maren Gor", TICKET))
    check = scored(asked("Maren Gor", source=TICKET), report(*fields))
    assert (check.verdict, check.place) == (Verdict.RIGHT, 1)


def test_both_parts_of_a_sum_have_to_be_quoted_or_the_sum_be_a_claim() -> None:
    known = asked("1,200", "300", total=1_500)
    both = report(("| Audits | 1,200 | 40 |", BOOK), ("| Cabling | 7 | 300 |", BOOK))
    assert scored(known, both).verdict is Verdict.RIGHT
    assert scored(known, report(("| Audits | 1,200 | 40 |", BOOK))).verdict is Verdict.WRONG
    claim = Claim(
        claim_id="BOOK:sum",
        subject="BOOK",
        metric=Metric.TARGET,
        value="1500",
        unit=Unit.LEVEL,
        as_of="2025-01-01",
    )
    stated = report(prose="It is [[BOOK:sum]].").model_copy(update={"claims": (claim,)})
    assert scored(known, stated).verdict is Verdict.RIGHT
    unstated = report(prose="It is a claim.").model_copy(update={"claims": (claim,)})
    assert scored(known, unstated).verdict is Verdict.WRONG
