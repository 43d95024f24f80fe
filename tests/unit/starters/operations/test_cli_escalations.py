"""What `desk escalations` takes and prints."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console
from temporalio.client import WorkflowExecutionStatus as Status

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationListing,
    EscalationState,
    EscalationStatus,
)
from desk.contracts.findings.results import DecidedBy
from desk.contracts.runs.week import MarketState, MarketStatus, WeekStatus
from desk.trust.conflicts.voting import decide
from starters.monitoring.week_progress import PlainProgress, board
from starters.monitoring.week_status import status_lines
from starters.operations.escalations import (
    CaseRun,
    case_lines,
    chosen_case,
    chosen_position,
    decision_lines,
    listing_lines,
    refuse_decided,
    resolve_case,
)
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from tests.support.runs.cases import WORKFLOW_ID, case, open_conflict

NOW = datetime(2026, 11, 2, 7, tzinfo=UTC)


def listed(
    workflow_id: str = WORKFLOW_ID,
    *,
    state: EscalationState = EscalationState.OPEN,
    default: int | None = 0,
) -> EscalationListing:
    decision = None
    if state is EscalationState.ANSWERED:
        answer = EscalationAnswer(position=1, by="anna", note="misread")
        conflict = decide(open_conflict(), 1, by=DecidedBy.PERSON, whom="anna")
        decision = EscalationDecision(conflict=conflict, state=state, answer=answer, decided_at=NOW)
    if state is EscalationState.DEFAULTED:
        conflict = decide(open_conflict(), default, by=DecidedBy.DEFAULT, whom=None)
        decision = EscalationDecision(
            conflict=conflict, state=state, decided_at=NOW, note="nobody answered in time"
        )
    status = EscalationStatus(request=case(NOW, default=default), state=state, decision=decision)
    return EscalationListing(workflow_id=workflow_id, status=status)


def run(workflow_id: str, status: Status = Status.RUNNING) -> CaseRun:
    return CaseRun(workflow_id, "1", status)


def test_the_beginning_of_an_id_is_enough_when_it_is_the_only_one() -> None:
    cases = [run("w/market/USD/JPY/escalation/a"), run("w/market/EUR/USD/escalation/a")]
    assert chosen_case(cases, "w/market/USD") is cases[0]
    assert chosen_case(cases, "w/market/EUR/USD/escalation/a") is cases[1]


def test_an_open_case_goes_before_decided_ones_with_the_same_beginning() -> None:
    decided = run("w/market/USD/JPY/escalation/a", Status.COMPLETED)
    waiting = run("w/market/USD/JPY/rerun/2/escalation/a")
    assert chosen_case([decided, waiting], "w/market/USD/JPY") is waiting
    assert chosen_case([decided, waiting], decided.workflow_id) is decided


def test_a_beginning_of_several_ids_is_refused_with_the_ids() -> None:
    cases = [run("w/market/USD/JPY/a"), run("w/market/USD/JPY/b")]
    with pytest.raises(UsageError, match=r"2 cases start with 'w/'.*USD/JPY/a, .*USD/JPY/b"):
        chosen_case(cases, "w/")


def test_an_id_that_nobody_has_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no case 'x'.*list --all"):
        chosen_case([run(WORKFLOW_ID)], "x")


@pytest.mark.parametrize(
    ("by", "note", "told"),
    [
        ("a" * 201, None, "--by has 201 characters; at most 200"),
        ("anna", "n" * 5_000, "--note has 5,000 characters; at most 1,000"),
    ],
)
def test_a_name_or_a_note_that_is_too_long_is_refused_whole(
    by: str, note: str | None, told: str
) -> None:
    with pytest.raises(UsageError) as refused:
        resolve_case(WORKFLOW_ID, choose="1", by=by, note=note)
    assert str(refused.value) == told


@pytest.mark.parametrize(("written", "place"), [("1", 0), (" 2 ", 1), ("none", None)])
def test_positions_are_counted_from_one(written: str, place: int | None) -> None:
    assert chosen_position(listed().status, written) == place


@pytest.mark.parametrize("written", ["0", "3", "-1", "first", "", "²", "99999999999"])
def test_a_choice_that_is_none_is_refused_with_the_positions(written: str) -> None:
    with pytest.raises(UsageError) as refused:
        chosen_position(listed().status, written)
    told = str(refused.value)
    assert "1: 157.25" in told and "2: 151.1" in told and "none: withhold" in told


def test_a_case_that_is_decided_says_by_whom_and_when() -> None:
    with pytest.raises(CommandError, match=r"by anna at 2026-11-02 07:00:00 UTC: 151.1 holds"):
        refuse_decided(listed(state=EscalationState.ANSWERED))
    refuse_decided(listed())


@pytest.mark.parametrize("state", [EscalationState.DEFAULTED, EscalationState.ENDED])
def test_a_case_that_nobody_decided_says_how_to_be_asked_again(state: EscalationState) -> None:
    with pytest.raises(CommandError, match=r"`desk rerun USD/JPY`.*asks again") as refused:
        refuse_decided(listed(state=state))
    assert refused.value.status is ExitStatus.FAILED


def test_a_case_is_shown_with_positions_claims_evidence_default_and_time_left() -> None:
    text = "\n".join(case_lines(listed(), NOW + timedelta(minutes=5)))
    for part in (
        "2026-W44  USD/JPY  level  open, 15 min 00 s left",
        "1  157.25  research_agent_1, ECB euro reference rates",
        "origin European Central Bank, authoritative source, confidence 0.90, weight 0.90",
        "claim     USD/JPY:last 157.25 level on 2026-10-30",
        'evidence  ecb.get_quote {"symbol": "USD/JPY"}, 2026-11-02 07:00:00 UTC',
        "default  1  157.25",
        "deadline 2026-11-02 07:20:00 UTC",
        f"desk escalations resolve {WORKFLOW_ID} --choose N",
    ):
        assert part in text


def test_the_list_says_where_each_case_stands() -> None:
    lines = [next(listing_lines(listed(state=state), NOW)) for state in EscalationState]
    assert lines == [
        "2026-W44  USD/JPY  level  open, 20 min 00 s left",
        "2026-W44  USD/JPY  level  answered: 151.1",
        "2026-W44  USD/JPY  level  defaulted: 157.25",
        "2026-W44  USD/JPY  level  ended from outside; the default holds",
    ]
    answered = list(listing_lines(listed(state=EscalationState.ANSWERED), NOW))
    assert "  decided  2026-11-02 07:00:00 UTC by anna" in answered
    late = next(listing_lines(listed(), NOW + timedelta(hours=1)))
    assert late.endswith("open, its deadline has passed")


def test_a_decision_is_told_with_who_when_what_and_why() -> None:
    decision = listed(state=EscalationState.ANSWERED).status.decision
    assert decision is not None
    assert list(decision_lines(decision)) == [
        "decided  2026-11-02 07:00:00 UTC by anna",
        "holds    151.1",
        "note     misread",
    ]
    withheld = listed(state=EscalationState.DEFAULTED, default=None).status.decision
    assert withheld is not None
    assert "holds    none: the figure is withheld" in list(decision_lines(withheld))


def test_text_from_sources_moves_no_cursor_of_the_terminal() -> None:
    position = open_conflict().positions[0].model_copy(update={"source": "a\x1b[2J\nb"})
    conflict = open_conflict().model_copy(update={"positions": (position, position)})
    request = case(NOW).model_copy(update={"conflict": conflict})
    status = EscalationStatus(request=request, state=EscalationState.OPEN)
    shown = EscalationListing(workflow_id="w", status=status)
    assert not any("\x1b" in line for line in case_lines(shown, NOW))


def waiting_week(state: MarketState, *cases: str) -> WeekStatus:
    note = "waits for a person: `desk escalations list`" if cases else None
    return WeekStatus(
        week="2026-W44",
        phase=Phase.RESEARCHING,
        as_of=NOW,
        started_at=NOW,
        deadline=NOW + timedelta(minutes=30),
        markets=(MarketStatus(market="USD/JPY", state=state, note=note),),
        escalations=cases,
    )


def test_the_status_and_the_progress_say_that_a_market_waits_and_name_the_command() -> None:
    waiting = waiting_week(MarketState.WAITING, WORKFLOW_ID)
    text = "\n".join(status_lines(waiting))
    assert "USD/JPY waits for a person: desk escalations list" in text
    console = Console(file=io.StringIO(), width=100)
    console.print(board(waiting, 100, NOW))
    drawn = console.file.getvalue()  # type: ignore[attr-defined]
    assert "? USD/JPY" in drawn and "desk escalations list" in drawn


def test_the_plain_progress_says_it_once() -> None:
    told = io.StringIO()
    progress = PlainProgress(told)
    for status in (
        waiting_week(MarketState.RUNNING),
        waiting_week(MarketState.WAITING, WORKFLOW_ID),
        waiting_week(MarketState.WAITING, WORKFLOW_ID),
    ):
        progress.update(status)
    assert told.getvalue().count("waits for a person: `desk escalations list`") == 1
