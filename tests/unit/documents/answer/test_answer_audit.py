"""The audit of an answer: a sound one passes, and everything that is forged is found by name."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.documents.answer.audit import counted_in_answer, findings_in_answer
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.json_form import answer_from_json, answer_to_json
from desk.trust.seals import content_hash, sealed
from tests.support.documents.answers import (
    FINISHED_AT,
    market_record,
    ticket_record,
    validated_record,
)

Change = Callable[[dict[str, Any]], None]


def answers() -> dict[str, AnswerReport]:
    records = {
        "tickets": ticket_record(),
        "market": market_record(),
        "validated": validated_record(),
    }
    return {name: compile_answer(each, finished_at=FINISHED_AT) for name, each in records.items()}


ANSWERS = answers()


def forged(name: str, change: Change) -> AnswerReport:
    """The answer with one thing changed, and sealed anew by whoever changed it."""
    told = ANSWERS[name].model_dump(mode="json")
    change(told)
    return sealed(AnswerReport.model_validate(told))


def put(*path: str | int, value: Any) -> Change:
    def change(told: dict[str, Any]) -> None:
        place: Any = told
        for step in path[:-1]:
            place = place[step]
        assert place[path[-1]] != value
        place[path[-1]] = value

    return change


def replaced(*path: str | int, old: str, new: str) -> Change:
    def change(told: dict[str, Any]) -> None:
        place: Any = told
        for step in path[:-1]:
            place = place[step]
        assert old in place[path[-1]]
        place[path[-1]] = place[path[-1]].replace(old, new)

    return change


def cut(*path: str | int) -> Change:
    """The text without its last two letters."""

    def change(told: dict[str, Any]) -> None:
        place: Any = told
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = place[path[-1]].rstrip(".")[:-2]

    return change


def typed(figure: str) -> Change:
    def change(told: dict[str, Any]) -> None:
        for name in ("prose", "content"):
            replaced("sections", 0, name, old="The pair", new=f"The {figure} pair")(told)

    return change


def content_of(name: str) -> int:
    found = [result.evidence_id for result in ANSWERS["tickets"].evidence]
    return found.index(name)


def rehashed(index: int, field: str, value: str) -> Change:
    """Another content under the hash of its own: a tool result made up from end to end."""

    def change(told: dict[str, Any]) -> None:
        result = told["evidence"][index]
        result["content"][field] = value
        result["content_hash"] = content_hash(result["content"])

    return change


def quotation(name: str) -> int:
    return [q.quotation_id for q in ANSWERS["tickets"].quotations].index(name)


def all_verified(told: dict[str, Any]) -> None:
    """Every verdict on figures of one source says that two of other names agree."""
    for verdict in told["verdicts"]:
        verdict.update(status="verified", origins=["European Central Bank", "Bank of Japan"])


def verdict(index: int, **values: Any) -> Change:
    def change(told: dict[str, Any]) -> None:
        told["verdicts"][index].update(values)

    return change


PDF = content_of("parsePdfs/get_pdf")
TICKET = content_of("fetchTickets/fetch_ticket")

FORGERIES: dict[str, tuple[str, Change, str]] = {
    "a digit in a quotation": (
        "tickets",
        replaced("quotations", quotation("q4"), "text", old="0.25", new="0.35"),
        "quotation q4",
    ),
    "the beginning of a number in a quotation": (
        "tickets",
        replaced("quotations", quotation("q4"), "text", old="0.25", new="25"),
        "quotation q4",
    ),
    "half a word in a quotation": (
        "tickets",
        cut("quotations", quotation("q4"), "text"),
        "quotation q4",
    ),
    "half the name of a source": (
        "tickets",
        cut("quotations", quotation("q4"), "source"),
        "quotation q4",
    ),
    "a digit in the content": (
        "tickets",
        replaced("evidence", PDF, "content", "pages", 1, "text", old="0.25", new="0.35"),
        "evidence parsePdfs/get_pdf",
    ),
    "a digit in the printed text": (
        "tickets",
        replaced("sections", 0, "content", old="0.25", new="0.35"),
        "section 1",
    ),
    "a digit in the prose and in the text": (
        "market",
        typed("4.5 %"),
        "section 1",
    ),
    "a reference to nothing": (
        "tickets",
        replaced("summary_prose", old="[[q1]]", new="[[q7]]"),
        "summary",
    ),
    "a reference to another quotation": (
        "tickets",
        replaced("summary_prose", old="[[q1]]", new="[[q2]]"),
        "summary",
    ),
    "the evidence of a quotation": (
        "tickets",
        put("quotations", quotation("q4"), "evidence_id", value="fetchTickets/fetch_ticket"),
        "quotation q4",
    ),
    "evidence that is not there": (
        "tickets",
        put("quotations", quotation("q4"), "evidence_id", value="nowhere/get_pdf"),
        "quotation q4",
    ),
    "the page": (
        "tickets",
        put("quotations", quotation("q4"), "place", value="page 1"),
        "quotation q4",
    ),
    "the name of a source": (
        "tickets",
        put("quotations", quotation("q6"), "source", value="The central bank"),
        "quotation q6",
    ),
    "the link of a quotation": (
        "tickets",
        put("quotations", quotation("q6"), "url", value="https://elsewhere.example/"),
        "quotation q6",
    ),
    "the hash": (
        "tickets",
        put("evidence", PDF, "content_hash", value="0" * 64),
        "evidence parsePdfs/get_pdf",
    ),
    "a tool result made up": (
        "tickets",
        rehashed(TICKET, "status", "Closed"),
        "quotation q1",
    ),
    "a tool result from the future": (
        "tickets",
        rehashed(TICKET, "updated_at", (FINISHED_AT + timedelta(days=9)).isoformat()),
        "evidence fetchTickets/fetch_ticket",
    ),
    "a tool result of another instant": (
        "tickets",
        rehashed(TICKET, "as_of", (FINISHED_AT + timedelta(days=9)).isoformat()),
        "evidence fetchTickets/fetch_ticket",
    ),
    "content that is left out": (
        "tickets",
        put("evidence", PDF, "content", value=None),
        "evidence parsePdfs/get_pdf",
    ),
    "a tool result twice": (
        "tickets",
        lambda told: told["evidence"].append(told["evidence"][PDF]),
        "evidence parsePdfs/get_pdf",
    ),
    "who published it": (
        "tickets",
        put("sources", 0, "name", value="The central bank"),
        "source 1",
    ),
    "the value of a claim": ("market", put("claims", 0, "value", value="158.25"), "claim"),
    "the day of a claim": ("market", put("claims", 0, "as_of", value="2026-10-29"), "claim"),
    "a fixing": (
        "market",
        put("evidence", 0, "content", "values", 0, value="99"),
        "evidence research/get_historical",
    ),
    "the outcome": ("tickets", put("nodes", 2, "state", value=NodeState.FAILED), "outcome"),
    "a node": ("tickets", put("nodes", 2, "node", value="another"), "nodes"),
    "what it cost": ("tickets", put("usage", "input_tokens", value=7), "usage"),
    "verdicts on figures of one source": ("validated", all_verified, "verdict on USD/JPY:move"),
    "an origin of a verified figure": (
        "validated",
        verdict(0, origins=["European Central Bank", "Bank of Japan"]),
        "verdict on USD/JPY:last",
    ),
    "a verified figure told as of one source": (
        "validated",
        verdict(0, status="single_source"),
        "verdict on USD/JPY:last",
    ),
    "a verified figure told as contested": (
        "validated",
        verdict(0, status="contested"),
        "verdict on USD/JPY:last",
    ),
    "the words of a verdict": (
        "validated",
        verdict(1, words="The Bank of Japan states the same"),
        "verdict on USD/JPY:previous",
    ),
    "what decided on a claim": (
        "validated",
        verdict(0, decided_by="formula"),
        "verdict on USD/JPY:last",
    ),
    "origins of a contested figure": (
        "validated",
        verdict(0, status="contested", words="It is in a conflict", origins=["Bank of Japan"]),
        "verdict on USD/JPY:last",
    ),
    "a verdict where nobody validated": (
        "market",
        lambda told: told.update(
            verdicts=[
                {
                    "claim_id": "USD/JPY:last",
                    "status": "verified",
                    "decided_by": "second_source",
                    "words": "Federal Reserve states the same",
                    "origins": ["European Central Bank", "Federal Reserve"],
                }
            ]
        ),
        "verdict on USD/JPY:last",
    ),
    "an answer that nobody put together": (
        "tickets",
        put("nodes", 4, "state", value=NodeState.FAILED),
        "answered",
    ),
    "no answer where something fits": (
        "tickets",
        lambda told: told.update(found=True, answered=False),
        "answered",
    ),
    "no answer to what is decided": (
        "tickets",
        lambda told: told.update(decided="yes", answered=False),
        "answered",
    ),
    "a figure in a title": ("tickets", put("sections", 0, "title", value="Up 4.5 %"), "section 1"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_sound_answer_has_no_findings(name: str) -> None:
    assert findings_in_answer(ANSWERS[name]) == ()


@pytest.mark.parametrize("name", ANSWERS)
def test_a_sound_answer_has_none_after_it_was_written_and_read(name: str) -> None:
    assert findings_in_answer(answer_from_json(answer_to_json(ANSWERS[name]))) == ()


@pytest.mark.parametrize(("name", "change", "where"), FORGERIES.values(), ids=list(FORGERIES))
def test_what_was_forged_is_found_where_it_stands(name: str, change: Change, where: str) -> None:
    found = findings_in_answer(forged(name, change))
    assert any(finding.where.startswith(where) for finding in found), found


@pytest.mark.parametrize(
    "change",
    [
        put("question", value="Another question"),
        put("missing", value=[]),
        put("answered", value=False),
    ],
)
def test_what_only_the_seal_guards_is_found_by_it(change: Change) -> None:
    told = ANSWERS["tickets"].model_dump(mode="json")
    change(told)
    found = findings_in_answer(AnswerReport.model_validate(told))
    assert [finding.where for finding in found] == ["seal"]


def test_what_is_said_of_a_source_that_decided_nothing_is_no_part_of_a_verdict() -> None:
    words = "It follows from its evidence; the newspaper could not be asked"
    assert findings_in_answer(forged("validated", verdict(1, words=words))) == ()


def test_a_conflict_that_the_answer_does_not_carry_may_contest_a_figure() -> None:
    change = verdict(0, status="contested", words="It is in the conflict USD/JPY/conflict/last")
    assert findings_in_answer(forged("validated", change)) == ()


def test_a_failed_node_and_a_complete_answer_contradict_each_other() -> None:
    answer = forged("tickets", put("nodes", 0, "state", value=NodeState.FAILED))
    assert answer.outcome is Outcome.COMPLETE
    assert any("a node failed" in finding.words for finding in findings_in_answer(answer))


def test_a_part_that_a_contradiction_stops_is_a_finding_and_the_others_go_on() -> None:
    def drop(told: dict[str, Any]) -> None:
        told["evidence"][0]["content"]["days"] = []
        told["summary"] = "Another text."

    places = [finding.where for finding in findings_in_answer(forged("market", drop))]
    assert "summary" in places
    assert any(place.startswith("evidence") for place in places)


def test_the_audit_of_an_answer_counts_what_it_looks_at() -> None:
    counts = counted_in_answer(ANSWERS["tickets"])
    assert (counts.quotations, counts.claims, counts.tool_results) == (6, 0, 5)
    assert counts.references == 7
