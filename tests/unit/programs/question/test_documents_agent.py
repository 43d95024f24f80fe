"""The Doc agent, turn by turn."""

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult
from desk.contracts.question.knowledge import DocumentsRead
from desk.contracts.runs.turns import Turn
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.question.builtin.reading import MOST_CHARACTERS, read_documents
from tests.knowledge.asking import (
    answered,
    asked,
    hits,
    refused,
    ticket,
    tickets_state,
    unavailable,
    web_state,
)

READ = TaskType.READ_DOCUMENTS


def part(
    call: ToolCall, text: str, *, at: int = 0, of: int = 0, then: int | None = None
) -> ToolResult:
    return answered(
        call,
        doc_id=str(call.arguments["doc_id"]),
        markdown=text,
        offset=at,
        characters=of or len(text),
        next_offset=then,
        title="A title",
        url=f"corpus://documents/{call.arguments['doc_id']}",
        published_at="2026-02-09T08:00:00Z",
    )


def read(turn: Turn) -> DocumentsRead:
    assert isinstance(turn.result, DocumentsRead)
    return turn.result


def test_documents_that_are_named_are_read_and_nothing_is_looked_for() -> None:
    turn = read_documents(
        asked(READ, "Compare them", first="minutes-a", second="corpus://documents/b-2")
    )
    assert [call.arguments["doc_id"] for call in turn.calls] == ["minutes-a", "b-2"]


def test_a_pdf_file_is_left_to_the_agent_that_reads_them() -> None:
    turn = read_documents(
        asked(READ, "Compare them", first="minutes-a", second="corpus://pdfs/b.pdf")
    )
    assert [call.arguments["doc_id"] for call in turn.calls] == ["minutes-a"]


def test_a_document_of_the_question_is_read() -> None:
    turn = read_documents(asked(READ, "What does corpus://documents/limits-policy say?"))
    assert [call.arguments["doc_id"] for call in turn.calls] == ["limits-policy"]


def test_without_a_name_the_words_of_question_and_ticket_are_looked_for() -> None:
    state = [tickets_state(ticket("DESK-1", summary="Rehearse the runbook"))]
    (search,) = read_documents(asked(READ, "When does DESK-1 apply?", state=state)).calls
    assert search.arguments["kinds"] == ["document"]
    assert search.arguments["query"] == "When does apply? Rehearse the runbook"


def test_what_was_found_here_and_before_is_read() -> None:
    state = [web_state(("T", "", "corpus://documents/early"), ("W", "", "https://web.example/x"))]
    (search,) = read_documents(asked(READ, "When?", state=state)).calls
    found = answered(search, results=hits(("L", "", "corpus://documents/late")))
    turn = read_documents(asked(READ, "When?", [found], state=state))
    assert [call.arguments["doc_id"] for call in turn.calls] == ["late", "early"]


def test_a_long_document_is_read_in_parts_and_put_together() -> None:
    (first,) = read_documents(asked(READ, "What?", document="long")).calls
    one = part(first, "a" * 10, of=15, then=10)
    turn = read_documents(asked(READ, "What?", [one], document="long"))
    (second,) = turn.calls
    assert second.arguments["offset"] == 10 and second.call_id != first.call_id
    result = read(
        read_documents(
            asked(READ, "What?", [one], [part(second, "b" * 5, at=10, of=15)], document="long")
        )
    )
    assert result.documents[0].markdown == "a" * 10 + "b" * 5
    assert result.evidence == (second.call_id,) and result.missing == ()


def test_a_document_beyond_the_bound_is_said_to_be_read_in_part() -> None:
    (first,) = read_documents(asked(READ, "What?", document="book")).calls
    huge = part(first, "a" * MOST_CHARACTERS, of=10_000_000, then=MOST_CHARACTERS)
    result = read(read_documents(asked(READ, "What?", [huge], document="book")))
    assert result.missing == (
        f"book: only the first {MOST_CHARACTERS} characters of 10000000 were read",
    )


def test_at_its_last_turn_it_delivers_what_it_has() -> None:
    (first,) = read_documents(asked(READ, "What?", document="long")).calls
    one = part(first, "a" * 10, of=15, then=10)
    result = read(read_documents(asked(READ, "What?", [one], last=True, document="long")))
    assert "only the first 10 characters of 15" in result.missing[0]


def test_a_part_that_is_not_had_leaves_what_was_read() -> None:
    (first,) = read_documents(asked(READ, "What?", document="long")).calls
    one = part(first, "a" * 10, of=15, then=10)
    (second,) = read_documents(asked(READ, "What?", [one], document="long")).calls
    result = read(
        read_documents(asked(READ, "What?", [one], [unavailable(second)], document="long"))
    )
    assert result.documents[0].markdown == "a" * 10
    assert len(result.missing) == 2


def test_an_unknown_document_is_missing_and_no_failure() -> None:
    (call,) = read_documents(asked(READ, "What?", document="nowhere")).calls
    result = read(read_documents(asked(READ, "What?", [refused(call)], document="nowhere")))
    assert result.documents == () and "nowhere was not had" in result.missing[0]


def test_a_server_that_nobody_could_reach_fails_the_task() -> None:
    (search,) = read_documents(asked(READ, "What?")).calls
    with pytest.raises(TaskNotPossible):
        read_documents(asked(READ, "What?", [unavailable(search)]))


def test_title_address_and_day_are_kept() -> None:
    (call,) = read_documents(asked(READ, "What?", document="d")).calls
    (document,) = read(
        read_documents(asked(READ, "What?", [part(call, "x")], document="d"))
    ).documents
    assert (document.title, document.url) == ("A title", "corpus://documents/d")
    assert document.published_at is not None


def test_a_foreign_answer_may_lack_all_but_id_and_text() -> None:
    (call,) = read_documents(asked(READ, "What?", document="d")).calls
    result = read(
        read_documents(
            asked(READ, "What?", [answered(call, doc_id=17, markdown="x")], document="d")
        )
    )
    assert (result.documents[0].doc_id, result.missing) == ("17", ())
