"""A validator that is a model: the verdicts stay the desk's, and its objections are looked at."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolStatus
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.results import Finding, ResearchResult, ValidationResult
from desk.contracts.runs.turns import Exchange, Turn, TurnRequest
from desk.programs.claude.turns import model_call, turn_of
from desk.programs.turns import builtin_turn
from desk.programs.week.claude.validation import MOST_ISSUES, material
from desk.trust.judging.checks import IssueType
from desk.trust.prose import is_about, is_about_finding
from tests.support.builders import (
    answered,
    failed,
    pair_market,
    real_history,
    real_quote,
    request,
)

WEEK = "2026-W44"
MODEL = "claude-sonnet-5-5"
MARKET = pair_market()


def researched() -> tuple[ResearchResult, TurnRequest]:
    asked = request(TaskType.RESEARCH_FX, MARKET, WEEK)
    (call,) = builtin_turn(asked).calls
    result = answered(call, real_history("USD/JPY", WEEK))
    done = request(TaskType.RESEARCH_FX, MARKET, WEEK, results=[result])
    found = builtin_turn(done).result
    assert isinstance(found, ResearchResult)
    return found, done


def asked() -> TurnRequest:
    """A request for which the desk's own questions are answered, as far as there are sources."""
    found, research = researched()
    blank = request(
        TaskType.VALIDATE, MARKET, WEEK, findings=[found], evidence=research.results
    ).model_copy(update={"model": MODEL})
    results = tuple(
        answered(call, real_quote("USD/JPY", WEEK))
        if call.tool == "get_quote"
        else failed(call, ToolStatus.UNAVAILABLE, "not here")
        for call in builtin_turn(blank).calls
    )
    return blank.model_copy(update={"exchanges": (Exchange(results=results),)})


def desks() -> ValidationResult:
    result = builtin_turn(asked()).result
    assert isinstance(result, ValidationResult)
    return result


def with_finding(statement: str) -> TurnRequest:
    """The request, with a finding that rests on the last price besides what it refers to."""
    request = asked()
    found = Finding(
        topic="banks",
        statement=statement,
        confidence=0.8,
        claims=("USD/JPY:move", "USD/JPY:last"),
    )
    results = tuple(r.model_copy(update={"findings": (found,)}) for r in request.findings)
    return request.model_copy(update={"findings": results})


def turn(said: Any, of: TurnRequest | None = None) -> Turn:
    text = said if isinstance(said, str) else json.dumps(said)
    block: JsonValue = {"type": "text", "text": text}
    answer = ModelAnswer(
        content=(block,), text=text, stop_reason=StopReason.END_TURN, usage=Usage(model=MODEL)
    )
    return turn_of(of or asked(), answer)


def verdict(**said: Any) -> ValidationResult:
    taken = turn({"confidence": 1.0, **said})
    assert isinstance(taken.result, ValidationResult), taken.feedback
    return taken.result


def issue(**changed: Any) -> dict[str, Any]:
    line = {
        "severity": "medium",
        "description": "No source says why it moved [[USD/JPY:move]].",
        "claims": ["USD/JPY:move"],
        "recommendation": "Leave the cause out.",
        "confidence": 0.7,
    }
    return {**line, **changed}


def test_a_validator_asks_the_sources_first_and_that_costs_nothing() -> None:
    found, research = researched()
    blank = request(TaskType.VALIDATE, MARKET, WEEK, findings=[found], evidence=research.results)
    first = builtin_turn(blank.model_copy(update={"model": MODEL}))
    assert first == builtin_turn(blank)
    assert first.calls and first.usage == Usage()


def test_without_an_objection_the_desks_verdict_stands() -> None:
    assert verdict() == desks()


def test_an_objection_is_added_to_the_desks() -> None:
    *own, added = verdict(issues=[issue()]).issues
    assert tuple(own) == desks().issues
    assert (added.issue_type, added.claims) == (IssueType.JUDGEMENT, ("USD/JPY:move",))


@pytest.mark.parametrize(("said", "surer"), [(0.0, False), (0.3, False), (1.0, True)])
def test_it_is_never_surer_than_the_desk_or_the_model(said: float, surer: bool) -> None:
    assert verdict(confidence=said).confidence == (desks().confidence if surer else said)


@given(
    st.lists(
        st.builds(
            issue,
            severity=st.sampled_from(["low", "critical"]),
            description=st.sampled_from(["It is 151.234.", "<script>", "[[USD/JPY:last]]", "x y"]),
            claims=st.lists(st.sampled_from(["USD/JPY:last", "USD/JPY:made_up"]), max_size=2),
        ),
        max_size=4,
    ),
    st.floats(0, 1),
)
def test_verdicts_and_conflicts_are_the_desks_whatever_a_model_says(
    issues: list[dict[str, Any]], confidence: float
) -> None:
    said = {
        "issues": issues,
        "confidence": confidence,
        "verdicts": [],
        "verified_events": ["all"],
        "recommendation": "Publish everything.",
    }
    taken = turn(said)
    if taken.result is None:
        assert taken.feedback and "the findings have no such" in taken.feedback
        return
    assert isinstance(taken.result, ValidationResult)
    assert taken.result.recommendation != said["recommendation"]
    words = {"issues", "confidence", "recommendation", "version"}
    assert taken.result.model_dump(exclude=words) == desks().model_dump(exclude=words)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (issue(claims=["EUR/USD:move"]), "issues.0.claims.0: the findings have no such claim"),
        (issue(severity="fatal"), "issues.0.severity"),
        (issue(description=" "), "issues.0.description"),
        (issue(confidence=2), "issues.0.confidence"),
        ("It is fine.", "issues.0"),
    ],
)
def test_what_is_not_there_is_objected_to(said: Any, words: str) -> None:
    taken = turn({"issues": [said], "confidence": 0.9})
    assert taken.result is None and taken.feedback and words in taken.feedback


def test_a_confidence_has_to_be_given() -> None:
    assert "confidence: Field required" in (turn({"issues": []}).feedback or "")


def test_more_objections_than_a_verdict_holds_are_cut_and_the_desks_stay() -> None:
    result = verdict(issues=[issue()] * 10)
    assert result.issues[: len(desks().issues)] == desks().issues
    assert len(result.issues) <= MOST_ISSUES


def test_the_model_reads_the_verdicts_and_who_found_what_apart_from_its_instructions() -> None:
    call = model_call(asked())
    (message,) = call.messages
    assert isinstance(message, dict) and isinstance(message["content"], list)
    (block,) = message["content"]
    assert isinstance(block, dict)
    data = json.loads(str(block["text"]))
    told = {name for line in data["claims"] for name in line["claims"]}
    assert {f"[[{verdict.claim_id}]]" for verdict in desks().verdicts} - told == {
        "[[USD/JPY:streak]]"
    }, "one day is no row of days"
    assert all(line["verdict"] and line["why"] for line in data["claims"])
    assert [finding["agent"] for finding in data["findings"]] == ["research_agent_1"]
    assert "USD/JPY:move@" not in call.system


def direction(**holds: Any) -> dict[str, Any]:
    return issue(type="direction", severity="critical", event="USD/JPY:move", holds=holds)


def test_an_objection_that_evidence_can_settle_says_what_is_true_instead() -> None:
    taken = turn({"confidence": 1.0, "issues": [direction(value=1)]})
    assert taken.result is None
    assert "has holds.direction and nothing else" in (taken.feedback or "")


def test_all_that_is_wrong_with_objections_is_told_at_once() -> None:
    wrong = [
        issue(type="value", event="USD/JPY:made_up", claims=["USD/JPY:moved"]),
        issue(type="cause", description="It fell 4 %.", holds={"value": 1}),
        issue(description="It stands at 160."),
    ]
    words = turn({"confidence": 1.0, "issues": wrong}).feedback or ""
    for told in (
        "issues.0: an objection of type value has holds.value and nothing else",
        "issues.0.claims.0: the findings have no such claim",
        "the nearest are [[USD/JPY:move]]",
        "issues.0.event: the findings have no such event; nearest are USD/JPY/",
        "issues.1: an objection of type cause has no holds",
        "'4 %' in 'It fell 4 %.'",
        "'160' in 'It stands at 160.'",
    ):
        assert told in words


def test_an_objection_to_no_event_of_the_findings_is_handed_back() -> None:
    taken = turn({"confidence": 1.0, "issues": [issue(event="USD/JPY:made_up")]})
    assert taken.result is None
    assert "the findings have no such" in (taken.feedback or "")


def test_an_objection_to_a_finding_is_about_that_finding_and_no_event() -> None:
    said = "Both banks decided, and the yen fell [[USD/JPY:move]]."
    asked_of = with_finding(said)
    told = json.loads(material(asked_of, desks()))["findings"][0]["findings"]
    assert told == [{"finding": "finding_1.1", "statement": said, "rests_on": ["USD/JPY:last"]}]

    taken = turn({"confidence": 1.0, "issues": [issue(finding="finding_1.1")]}, asked_of)
    assert isinstance(taken.result, ValidationResult), taken.feedback
    (*_, added) = taken.result.issues
    assert is_about_finding(added, said)
    assert not any(is_about(added, e) for r in asked_of.findings for e in r.events)


def test_an_objection_to_no_finding_that_there_is_is_handed_back() -> None:
    taken = turn({"confidence": 1.0, "issues": [issue(finding="finding_9.9")]})
    assert "issues.0.finding: the findings have no such finding" in (taken.feedback or "")


def test_the_verdict_does_not_agree_beside_an_objection_that_stands() -> None:
    assert desks().recommendation.startswith("Every figure follows from its evidence")
    stands = "Objections stand, but no figure failed a check."
    assert verdict(issues=[issue()]).recommendation == stands
