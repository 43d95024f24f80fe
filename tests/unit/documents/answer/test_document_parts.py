"""A program adds its part to an answer from a package of its own, which its declaration names."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from desk.agents.program import Program
from desk.agents.registry import PROGRAMS
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.graph import GraphRecord
from desk.documents.answer import parts
from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.html import render_answer_html
from desk.documents.answer.markdown import answer_alone, render_answer_markdown
from tests.support.documents.answers import FINISHED_AT, market_record, ticket_record

PACKAGE = "toy_program"
TOY = Program(name="toy", tasks=(), document=f"{PACKAGE}:PART")
BROUGHT = """
from desk.documents.audit.findings import AuditFinding
from desk.documents.answer.parts import Part, PartOfPage, PartRecord


class ToyPart(Part):
    name = "toy"
    templates = "toy_program"
    method = ("A toy proves nothing.",)

    def is_in(self, document):
        return getattr(document, "request", document).graph.name == "market"

    def addition(self, run):
        return PartRecord({}, missing=("the toy has lost a wheel",), named=("USD/JPY:year_high",))

    def named(self, answer):
        return ("USD/JPY:year_high",)

    def findings(self, answer):
        if answer.question == "Is it broken?":
            yield AuditFinding("toy", "it is broken")

    def headline(self, answer):
        return "**A toy.**"

    def answered(self, answer):
        yield "Wheels", "Three."

    def worked(self, answer):
        yield "Workshop", "By hand."

    def page(self, answer):
        return PartOfPage({"wheels": 3}, body=("toy.html.j2",), links=(("toy", "Toy"),))


PART = ToyPart()
"""


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    templates = tmp_path / PACKAGE / "templates"
    templates.mkdir(parents=True)
    (tmp_path / PACKAGE / "__init__.py").write_text(BROUGHT)
    (templates / "toy.html.j2").write_text('<section id="toy">{{ wheels }} wheels</section>\n')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(parts, "PROGRAMS", (*PROGRAMS, TOY))
    _forget()
    yield
    sys.modules.pop(PACKAGE, None)
    _forget()


def _forget() -> None:
    parts.all_parts.cache_clear()


def answer_of(record: GraphRecord) -> AnswerReport:
    return compile_answer(record, finished_at=FINISHED_AT)


def test_what_a_part_tells_goes_into_the_answer() -> None:
    answer = answer_of(market_record())
    assert "the toy has lost a wheel" in answer.missing
    assert "USD/JPY:year_high" in {claim.claim_id for claim in answer.claims}


def test_what_a_part_names_is_verified_with_the_answer_and_so_is_the_part() -> None:
    answer = answer_of(market_record())
    assert findings_in_answer(answer) == ()
    broken = answer.model_copy(update={"question": "Is it broken?"})
    assert ("toy", "it is broken") in findings_in_answer(broken)


def test_a_part_stands_in_every_form() -> None:
    answer = answer_of(market_record())
    text, page = render_answer_markdown(answer), render_answer_html(answer)
    for words in ("**A toy.**", "## Wheels\n\nThree.", "## Workshop", "A toy proves nothing."):
        assert words in text
    assert "## Wheels" in answer_alone(answer)
    assert "## Workshop" not in answer_alone(answer)
    assert '<a href="#toy">Toy</a>' in page
    assert '<section id="toy">3 wheels</section>' in page


def test_an_answer_of_another_program_has_nothing_of_it() -> None:
    answer = answer_of(ticket_record())
    assert "the toy has lost a wheel" not in answer.missing
    assert "Wheels" not in render_answer_markdown(answer)
    assert 'id="toy"' not in render_answer_html(answer)
