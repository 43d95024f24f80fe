"""Answers of foreign tools in the desk's own form."""

import pytest
from pydantic import JsonValue

from desk.agents.answer_form import (
    ParsedHits,
    ParsedPdf,
    ParsedTicket,
    UnreadableAnswer,
    in_desk_form,
    parse_answer,
    publication_instant,
)
from desk.contracts.agents.tools import ToolCall
from tests.knowledge.asking import answered


def call(**answer: str) -> ToolCall:
    return ToolCall(call_id="t/fetch", server="jira", tool="jira_get_issue", answer=answer)


JIRA = call(
    id="key",
    status="fields.status.name",
    assignee="fields.assignee.displayName",
    summary="fields.summary",
)
FIELDS: dict[str, JsonValue] = {
    "status": {"name": "To Do"},
    "assignee": {"displayName": "Mara Lindqvist"},
    "summary": "Mend it",
}


def test_an_answer_without_a_form_of_its_own_stays_as_it_is() -> None:
    assert in_desk_form(answered(call(), id="DESK-1", extra=[1])) == {"id": "DESK-1", "extra": [1]}


def test_a_foreign_ticket_is_read_by_its_expressions() -> None:
    ticket = parse_answer(answered(JIRA, key="OPS-7", fields=FIELDS), ParsedTicket)
    assert (ticket.id, ticket.status, ticket.assignee) == ("OPS-7", "To Do", "Mara Lindqvist")
    assert ticket.url is None


def test_what_an_expression_does_not_find_is_nothing() -> None:
    fields: dict[str, JsonValue] = {**FIELDS, "assignee": None}
    assert parse_answer(answered(JIRA, key="OPS-7", fields=fields), ParsedTicket).assignee is None


def test_an_expression_that_is_none_finds_nothing() -> None:
    assert in_desk_form(answered(call(id="key["), key="OPS-7")) == {"id": None}


def test_an_answer_without_what_was_asked_for_names_what_it_lacks() -> None:
    with pytest.raises(UnreadableAnswer, match="status"):
        parse_answer(answered(JIRA, key="OPS-7", fields={"summary": "x"}), ParsedTicket)


def test_an_answer_that_is_no_object_is_unreadable() -> None:
    result = answered(call()).model_copy(update={"content": ["a list"]})
    with pytest.raises(UnreadableAnswer):
        parse_answer(result, ParsedTicket)


def test_foreign_hits_may_lack_all_but_an_address() -> None:
    result = answered(call(results="items[].{url: link, title: name}"), items=[{"link": "u"}])
    (hit,) = parse_answer(result, ParsedHits).results
    assert (hit.url, hit.title, hit.snippet) == ("u", None, None)


def test_foreign_pages_may_be_without_numbers() -> None:
    result = answered(
        call(url="address", pages="pages[].{text: body}"), address="a", pages=[{"body": "b"}]
    )
    (page,) = parse_answer(result, ParsedPdf).pages
    assert (page.text, page.page_number) == ("b", None)


def test_an_answer_need_not_say_when_it_is_of() -> None:
    assert publication_instant(answered(call(), published_at="last week")) is None
    day = publication_instant(answered(call(), published_at="2026-10-01T07:00:00Z"))
    assert day is not None and day.isoformat() == "2026-10-01T07:00:00+00:00"
