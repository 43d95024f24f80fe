"""What is read of a synthesis before it counts."""

import pytest

from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import (
    DocumentsRead,
    KnowledgeDocument,
    PdfPage,
    PdfsRead,
    PdfText,
    Quotation,
    SearchHit,
    Section,
    Synthesis,
    Ticket,
    TicketsFound,
    WebSearched,
)
from desk.contracts.runs.turns import StateEntry
from desk.trust.prose.prose_review import review, without_rejected
from desk.trust.prose.quotations import occurs_in

CUT_OFF = "Fixings are taken at 16:00\nLondon time."
STATE = (
    StateEntry(
        key="tickets",
        node="fetchTickets",
        result=TicketsFound(
            task_id="fetchTickets",
            agent=AgentId.JIRA_AGENT,
            evidence=("t1",),
            tickets=(Ticket(id="DESK-101", status="In review", summary="Move the cut-off"),),
        ),
    ),
    StateEntry(
        key="documents",
        node="parseDocs",
        result=DocumentsRead(
            task_id="parseDocs",
            agent=AgentId.DOC_AGENT,
            evidence=("d1",),
            documents=(KnowledgeDocument(doc_id="fixings", markdown=CUT_OFF),),
        ),
    ),
    StateEntry(
        key="pdfs",
        node="pdfs",
        result=PdfsRead(
            task_id="pdfs",
            agent=AgentId.PDF_AGENT,
            evidence=("p1",),
            pdfs=(
                PdfText(
                    url="corpus://pdfs/a.pdf",
                    pages=(PdfPage(text="The limit is 25 million dollars.", page_number=3),),
                ),
            ),
        ),
    ),
    StateEntry(
        key="context",
        node="search",
        result=WebSearched(
            task_id="search",
            agent=AgentId.SEARCH_AGENT,
            evidence=("s1",),
            results=(
                SearchHit(title="News", snippet="Volumes rose 12 %.", url="https://a.example"),
            ),
        ),
    ),
    StateEntry(key="lost", node="lost", error="nobody answered"),
)


def quotation(text: str, evidence: str, name: str = "q1") -> Quotation:
    return Quotation(quotation_id=name, text=text, source="a source", evidence_id=evidence)


def synthesis(summary: str, *quotations: Quotation, content: str = "") -> Synthesis:
    return Synthesis(
        task_id="synthesis",
        agent=AgentId.SYNTHESIS_AGENT,
        summary=summary,
        sections=(Section(title="Findings", content=content),) if content else (),
        quotations=quotations,
    )


@pytest.mark.parametrize(
    ("words", "evidence"),
    [
        ("In review", "t1"),
        ("Fixings are taken at 16:00 London time.", "d1"),
        ("The limit is 25 million dollars.", "p1"),
        ("Volumes rose 12 %.", "s1"),
    ],
)
def test_words_that_stand_in_their_evidence_may_be_quoted(words: str, evidence: str) -> None:
    read = review(synthesis("It says [[q1]].", quotation(words, evidence)), state=STATE)
    assert read == ()


@pytest.mark.parametrize(
    ("words", "evidence"),
    [
        ("Fixings are taken at 17:00 London time.", "d1"),
        ("fixings are taken", "d1"),
        ("In review", "d1"),
        ("In review", "unheard of"),
    ],
)
def test_words_that_do_not_stand_there_are_rejected(words: str, evidence: str) -> None:
    read = review(synthesis("It says [[q1]].", quotation(words, evidence)), state=STATE)
    (rejected,) = read
    assert (rejected.written, rejected.sentence) == ("q1", words)


def test_a_figure_outside_of_quotations_is_rejected() -> None:
    read = review(synthesis("The limit is 25 million dollars."), state=STATE)
    assert [figure.written for figure in read] != []


def test_a_reference_to_nothing_is_rejected() -> None:
    read = review(synthesis("It says [[q7]]."), state=STATE)
    assert [figure.written for figure in read] == ["[[q7]]"]


def test_two_quotations_cannot_share_an_id() -> None:
    both = (quotation("In review", "t1"), quotation("Volumes rose 12 %.", "s1"))
    read = review(synthesis("It says [[q1]].", *both), state=STATE)
    assert "two quotations" in read[0].reason


def test_what_is_not_mended_is_left_out_and_told() -> None:
    wrong = quotation("Fixings are taken at 17:00.", "d1", "q2")
    draft = synthesis(
        "It is [[q1]]. It says [[q2]].",
        quotation("In review", "t1"),
        wrong,
        content="Some 30 of them failed. That is [[q1]].",
    )
    left = without_rejected(draft, review(draft, state=STATE), STATE)
    assert isinstance(left, Synthesis)
    assert left.summary == "It is [[q1]]."
    assert left.sections[0].content == "That is [[q1]]."
    assert [q.quotation_id for q in left.quotations] == ["q1"]
    assert [line.place for line in left.dropped] == ["summary", "section 1"]
    assert review(left, state=STATE) == ()


def test_a_summary_of_which_nothing_is_left_says_so() -> None:
    draft = synthesis("Some 30 of them failed.")
    left = without_rejected(draft, review(draft, state=STATE), STATE)
    assert isinstance(left, Synthesis)
    assert "was dropped" in left.summary


def test_numbers_are_no_texts_to_quote() -> None:
    assert occurs_in("1.5", {"text": "at 1.5 percent"})
    assert not occurs_in("1.5", {"value": 1.5})
    assert not occurs_in("value", {"value": "1"})
    assert not occurs_in(" ", {"value": " "})


@pytest.mark.parametrize(
    "words",
    [
        "The ticket is “Closed”.",
        'The ticket is "Closed".',
        "The cut-off moves to 3 November 2026.",
        "The limit lasts 5 days.",
        "DESK-999 holds it up.",
        "The fee is ② million.",
    ],
)
def test_words_and_figures_that_only_look_quoted_are_rejected(words: str) -> None:
    assert review(synthesis(words), state=STATE)


def test_a_node_may_have_a_digit_in_its_name() -> None:
    state = (*STATE, StateEntry(key="v2", node="v2", error="gone"))
    assert review(synthesis("Not all could be looked at: v2 failed."), state=state) == ()


@pytest.mark.parametrize("words", ["n rev", "5 million dollars.", "In revie"])
def test_half_a_word_is_no_quotation(words: str) -> None:
    evidence = "p1" if "million" in words else "t1"
    read = review(synthesis("It says [[q1]].", quotation(words, evidence)), state=STATE)
    assert [figure.written for figure in read] == ["q1"]
