"""The Search agent, turn by turn."""

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.question.knowledge import WebSearched
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.question.builtin.lookups import search_web
from tests.knowledge.asking import (
    answered,
    asked,
    hits,
    refused,
    unavailable,
)

SEARCH = TaskType.SEARCH_WEB


def test_it_searches_pages_and_everything() -> None:
    pages, everything = search_web(asked(SEARCH, "Who leads the firm?")).calls
    assert pages.arguments["kinds"] == ["web"] and "kinds" not in everything.arguments
    assert {call.arguments["query"] for call in (pages, everything)} == {"Who leads the firm?"}


def test_a_parameter_says_what_to_search_for_instead() -> None:
    first, _ = search_web(asked(SEARCH, "Who?", search="the merger of Pellworm")).calls
    assert first.arguments["query"] == "the merger of Pellworm"


def test_the_ticket_of_a_parameter_is_searched_for_as_well() -> None:
    first, _ = search_web(asked(SEARCH, "Who has it?", ticket="DESK-115")).calls
    assert first.arguments["query"] == "Who has it? DESK-115"


def test_an_address_that_both_find_is_delivered_once_with_its_evidence() -> None:
    pages, everything = search_web(asked(SEARCH, "Who?")).calls
    results = [
        answered(pages, results=hits(("A", "a", "u1"))),
        answered(everything, results=hits(("A", "a", "u1"), ("B", "b", "u2"))),
    ]
    result = search_web(asked(SEARCH, "Who?", results)).result
    assert isinstance(result, WebSearched)
    assert [hit.url for hit in result.results] == ["u1", "u2"]
    assert result.evidence == (pages.call_id, everything.call_id)


def test_one_search_of_two_is_enough() -> None:
    pages, everything = search_web(asked(SEARCH, "Who?")).calls
    results = [
        refused(pages, "unknown argument kinds"),
        answered(everything, results=hits(("B", "b", "u2"))),
    ]
    result = search_web(asked(SEARCH, "Who?", results)).result
    assert isinstance(result, WebSearched)
    assert len(result.results) == 1 and len(result.missing) == 1


def test_no_search_at_all_fails_the_task() -> None:
    calls = search_web(asked(SEARCH, "Who?")).calls
    with pytest.raises(TaskNotPossible):
        search_web(asked(SEARCH, "Who?", [unavailable(call) for call in calls]))
