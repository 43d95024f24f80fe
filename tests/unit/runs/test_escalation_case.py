"""A conflict as a case for a person: when it is due, what it holds, what an answer must be."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.config import DeadlineConfig
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.claims import Metric, Unit
from desk.contracts.findings.escalations import EscalationAnswer, EscalationState, EscalationStatus
from desk.contracts.findings.results import ConflictRecord, DecidedBy, ValidationResult
from desk.contracts.markets import MarketGroup, MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome
from desk.runs.assignments.deadlines import MARGIN, answer_due, reminder_due
from desk.runs.boards.market_board import after_decisions
from desk.runs.escalations.case import CaseContext, case_of, claims_at, evidence_at, refusal
from desk.runs.escalations.details import case_details, plain
from desk.trust.conflicts.records import merged, settled_before, with_decisions, with_week_conflicts
from desk.trust.conflicts.voting import decide
from tests.support.builders import claim, finding
from tests.support.runs.cases import case, open_conflict

NOW = datetime(2026, 11, 2, 7, tzinfo=UTC)
DUE = NOW + timedelta(minutes=30)
ASKING = CaseContext("2026-W44", DeadlineConfig(), DUE, urgency=1)
USD_JPY = MarketSpec(market="USD/JPY", kind=MarketKind.PAIR, group=MarketGroup.G10)
spans = st.timedeltas(min_value=timedelta(milliseconds=1), max_value=timedelta(days=9))


def result_of(call_id: str) -> ToolResult:
    call = ToolCall(call_id=call_id, server="ecb", tool="get_quote")
    return ToolResult(call=call, status=ToolStatus.OK, content={})


def disputed(*conflicts: ConflictRecord) -> MarketOutcome:
    """USD/JPY with a derived claim of agent 1 and a plain one of agent 2 under one id."""
    previous = claim("USD/JPY", Metric.PREVIOUS, "150.00").model_copy(update={"evidence": ("e1",)})
    one = claim("USD/JPY", Metric.LAST, "157.25", inputs=("USD/JPY:previous",))
    two = claim("USD/JPY", Metric.LAST, "151.10")
    return MarketOutcome(
        market="USD/JPY",
        outcome=Outcome.RESEARCHED,
        results=(
            finding(previous, one.model_copy(update={"evidence": ("e2",)})),
            finding(two.model_copy(update={"evidence": ("e3",)}), agent=AgentId.RESEARCH_AGENT_2),
        ),
        conflicts=conflicts or (open_conflict(),),
        evidence=tuple(result_of(name) for name in ("e1", "e2", "e3", "e4")),
    )


@given(allowed=spans, until_due=spans, after=spans)
def test_an_answer_is_due_before_the_report_and_the_reminder_before_the_answer(
    allowed: timedelta, until_due: timedelta, after: timedelta
) -> None:
    deadline = answer_due(NOW, allowed, NOW + until_due)
    assert deadline <= NOW + allowed
    assert deadline <= NOW + until_due - MARGIN
    if deadline > NOW:
        assert NOW <= reminder_due(NOW, after, deadline) < deadline


def test_a_reminder_that_would_come_too_late_comes_half_way() -> None:
    deadline = NOW + timedelta(minutes=8)
    assert reminder_due(NOW, timedelta(minutes=3), deadline) == NOW + timedelta(minutes=3)
    assert reminder_due(NOW, timedelta(minutes=8), deadline) == NOW + timedelta(minutes=4)


def test_a_case_holds_the_claims_in_conflict_and_all_that_they_rest_on() -> None:
    request = case_of(
        open_conflict(),
        (disputed(),),
        ASKING,
        NOW,
    )
    assert request is not None
    assert [str(c.value) for c in request.claims] == ["157.25", "151.10", "150.00"]
    assert [r.evidence_id for r in request.evidence] == ["e1", "e2", "e3"]
    sure, unsure = request.conflict.positions
    assert [str(c.value) for c in claims_at(request, sure)] == ["157.25"]
    assert [r.evidence_id for r in evidence_at(request, sure)] == ["e1", "e2"]
    assert [r.evidence_id for r in evidence_at(request, unsure)] == ["e3"]


def test_two_agents_with_one_figure_have_each_their_own_evidence() -> None:
    """The validator agrees with the first agent, on evidence of its own."""
    sure, unsure = open_conflict().positions
    third = sure.model_copy(update={"agent": AgentId.VALIDATOR})
    conflict = open_conflict().model_copy(update={"positions": (sure, unsure, third)})
    own = claim("USD/JPY", Metric.LAST, "157.25").model_copy(update={"evidence": ("e4",)})
    outcome = disputed(conflict).model_copy(
        update={
            "validation": ValidationResult(
                validation_id="v",
                task_id="v",
                agent=AgentId.VALIDATOR,
                market="USD/JPY",
                research_results=(),
                checks=(own,),
                recommendation="none",
                confidence=0.9,
            )
        }
    )
    request = case_of(
        conflict,
        (outcome,),
        ASKING,
        NOW,
    )
    assert request is not None
    assert [c.evidence for c in claims_at(request, third)] == [("e4",)]
    assert [r.evidence_id for r in evidence_at(request, sure)] == ["e1", "e2"]
    assert [r.evidence_id for r in evidence_at(request, third)] == ["e4"]


def test_nobody_is_asked_when_the_report_is_due_too_soon() -> None:
    asked = case_of(
        open_conflict(),
        (disputed(),),
        ASKING._replace(report_due=NOW + MARGIN),
        NOW,
    )
    assert asked is None


@pytest.mark.parametrize("position", [0, 1, None])
def test_a_position_that_is_there_and_none_at_all_are_answers(position: int | None) -> None:
    assert refusal(case(NOW), EscalationAnswer(position=position, by="anna")) is None


@pytest.mark.parametrize(("position", "by"), [(2, "anna"), (-1, "anna"), (0, ""), (None, " \n")])
def test_what_is_no_answer_is_told_with_the_positions(position: int | None, by: str) -> None:
    told = refusal(case(NOW), EscalationAnswer(position=position, by=by))
    assert told is not None
    assert "0 = 157.25" in told and "1 = 151.1 (" in told and "null withholds" in told


def test_the_validators_record_goes_before_and_open_ones_come_first() -> None:
    theirs = open_conflict().model_copy(update={"resolution": "with the validator's figure"})
    settled = [
        decide(open_conflict(), 0, by=DecidedBy.VOTE, whom=None).model_copy(
            update={"conflict_id": f"USD/JPY/conflict/{n:02}"}
        )
        for n in range(60)
    ]
    records = merged((*settled, open_conflict()), (theirs,))
    assert records[0] == theirs
    assert len(records) == 50


def test_a_decision_takes_the_place_of_the_open_record_and_of_the_validators() -> None:
    decided = decide(open_conflict(), 1, by=DecidedBy.PERSON, whom="anna")
    after = with_decisions(disputed(), [decided])
    assert after.conflicts == (decided,)


def test_a_decision_about_a_week_stands_while_its_positions_do() -> None:
    across = open_conflict().model_copy(update={"conflict_id": "week/conflict/USD/JPY:last"})
    decided = decide(across, 1, by=DecidedBy.PERSON, whom="anna")
    (before,) = with_week_conflicts([disputed(decided)], [decided])
    assert settled_before([across], [before]) == (decided,)
    other = across.model_copy(update={"positions": across.positions[::-1]})
    assert settled_before([other], [before]) == (other,)
    (gone,) = with_week_conflicts([before], [])
    assert gone.conflicts == ()


def test_a_market_without_its_essential_figure_is_partial_and_says_why() -> None:
    withheld = decide(open_conflict(), None, by=DecidedBy.DEFAULT, whom=None)
    after = after_decisions(USD_JPY, disputed(withheld))
    assert after.outcome is Outcome.PARTIAL
    assert after.missing == (
        "USD/JPY: USD/JPY:last is withheld, because its sources disagree and none was chosen",
    )
    assert after_decisions(USD_JPY, after) == after


@pytest.mark.parametrize("place", [0, 1])
def test_a_market_whose_conflict_was_decided_is_as_it_was(place: int) -> None:
    decided = disputed(decide(open_conflict(), place, by=DecidedBy.PERSON, whom="anna"))
    assert after_decisions(USD_JPY, decided) == decided


@given(st.text(max_size=60))
def test_text_of_others_makes_no_markup_and_no_second_line(text: str) -> None:
    shown = plain(text)
    assert "\n" not in shown and "\r" not in shown
    bare = shown.replace("\\\\", "")
    for sign in "`*_[]<>|!#":
        assert bare.count(sign) == bare.count(f"\\{sign}")


def test_the_details_name_positions_default_deadline_and_command() -> None:
    status = EscalationStatus(request=case(NOW), state=EscalationState.OPEN, reminded=True)
    shown = case_details(status, "weekly-2026-W44/x")
    for part in (
        "| 1 | 157.25 | research\\_agent\\_1 | ECB euro reference rates | European Central Bank "
        "| authoritative | 0.90 | 0.90 |",
        "By default, from 2026-11-02 07:20 UTC on: 1, 157.25",
        "A reminder went out at 07:10 UTC",
        "desk escalations resolve weekly-2026-W44/x",
    ):
        assert part in shown


def test_a_claim_in_another_unit_is_still_told_apart() -> None:
    request = case(NOW)
    assert [c.unit for c in claims_at(request, request.conflict.positions[0])] == [Unit.LEVEL]
