"""The JIRA agent, turn by turn."""

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolCall, ToolResult
from desk.contracts.names import FailureType
from desk.contracts.question.knowledge import TicketsFound
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.question.builtin.lookups import fetch_tickets
from tests.knowledge.asking import answered, asked, hits, refused, unavailable, web_state

FETCH = TaskType.FETCH_TICKETS


def request(question: str, *rounds: list[ToolResult], ticket: str = "") -> TurnRequest:
    return asked(FETCH, question, *rounds, ticket=ticket)


def calls(question: str, ticket: str = "") -> tuple[ToolCall, ...]:
    return fetch_tickets(request(question, ticket=ticket)).calls


def found(turn: Turn) -> TicketsFound:
    assert isinstance(turn.result, TicketsFound)
    return turn.result


def as_ticket(call: ToolCall, **fields: str | None) -> ToolResult:
    name = str(call.arguments["ticket_id"])
    return answered(call, **{"id": name, "status": "Open", "summary": "Do it", **fields})


def test_tickets_of_the_parameters_and_of_the_question_are_fetched_each_once() -> None:
    fetched = calls("Compare desk-102 with DESK-101", ticket="DESK-101, OPS-7")
    assert [call.arguments["ticket_id"] for call in fetched] == ["DESK-101", "OPS-7", "DESK-102"]
    assert {call.tool for call in fetched} == {"fetch_ticket"}
    assert len({call.call_id for call in fetched}) == 3


def test_without_a_ticket_some_are_looked_for_and_the_best_are_fetched() -> None:
    question = "Who renews the licence?"
    (search,) = calls(question)
    assert (search.tool, search.arguments["kinds"]) == ("search_web", ["ticket"])
    results = hits(*((f"T{n}", "", f"corpus://tickets/OPS-{n}") for n in range(1, 12)))
    turn = fetch_tickets(request(question, [answered(search, results=results)]))
    assert [call.arguments["ticket_id"] for call in turn.calls] == [f"OPS-{n}" for n in range(1, 9)]


def test_tickets_that_a_node_before_found_are_fetched_without_a_search() -> None:
    state = [web_state(("T", "", "corpus://tickets/OPS-1"))]
    turn = fetch_tickets(asked(FETCH, "Who renews the licence?", state=state))
    assert [call.arguments.get("ticket_id") for call in turn.calls] == ["OPS-1"]


def test_a_fetched_ticket_is_delivered_with_its_evidence() -> None:
    (call,) = calls("What about DESK-101?")
    result = found(
        fetch_tickets(
            request("What about DESK-101?", [as_ticket(call, url="corpus://tickets/DESK-101")])
        )
    )
    (ticket,) = result.tickets
    assert (ticket.id, ticket.status, ticket.url) == (
        "DESK-101",
        "Open",
        "corpus://tickets/DESK-101",
    )
    assert result.evidence == (call.call_id,)


def test_an_unknown_ticket_is_missing_and_no_failure() -> None:
    known, unknown = calls("DESK-101 and DESK-999")
    result = found(
        fetch_tickets(
            request("DESK-101 and DESK-999", [as_ticket(known), refused(unknown, "no such")])
        )
    )
    assert [ticket.id for ticket in result.tickets] == ["DESK-101"]
    assert result.missing == ("DESK-999 was not had: no such",)


def test_a_tool_that_nobody_could_reach_fails_the_task() -> None:
    (call,) = calls("DESK-101")
    with pytest.raises(TaskNotPossible) as impossible:
        fetch_tickets(request("DESK-101", [unavailable(call)]))
    assert impossible.value.error.error_type == FailureType.TOOL_UNAVAILABLE


def test_half_of_what_was_wanted_is_delivered() -> None:
    one, other = calls("DESK-101 and DESK-102")
    result = found(
        fetch_tickets(request("DESK-101 and DESK-102", [as_ticket(one), unavailable(other)]))
    )
    assert len(result.tickets) == 1
    assert "DESK-102 could not be asked for" in result.missing[0]


def test_a_search_that_finds_nothing_is_an_empty_delivery() -> None:
    (search,) = calls("Who renews the licence?")
    result = found(
        fetch_tickets(request("Who renews the licence?", [answered(search, results=[])]))
    )
    assert (result.tickets, result.missing) == ((), ())


def test_what_is_no_ticket_is_missing() -> None:
    (call,) = calls("DESK-101")
    result = found(fetch_tickets(request("DESK-101", [answered(call, id="DESK-101")])))
    assert result.tickets == () and "could not be read" in result.missing[0]


def test_more_tickets_than_a_turn_holds_are_said_to_be_left_out() -> None:
    names = ", ".join(f"OPS-{n}" for n in range(1, 21))
    fetched = calls("Compare them", ticket=names)
    assert len(fetched) == MAX_CALLS_A_TURN
    result = found(
        fetch_tickets(request("Compare them", [as_ticket(c) for c in fetched], ticket=names))
    )
    assert "OPS-17, OPS-18, OPS-19, OPS-20" in result.missing[-1]
