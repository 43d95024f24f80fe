"""A run of a swarm: what goes side by side, what fails, what is decided, what comes again."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.escalations import EscalationAnswer, EscalationDecision
from desk.contracts.findings.results import DecidedBy, Leaning
from desk.contracts.learning.memory import MemoryKind
from desk.contracts.names import AgentId, FailureType, Message, escalation_run_id
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.contracts.runs.graph import GraphStatus
from desk.contracts.runs.swarm import HypothesisRequest, SwarmRequest, SwarmResult
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.documents.answer.audit import findings_in_answer
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.memory.embedded import EmbeddedMemory
from tests.support.runs.desk import desk_workers
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools, gives_up
from tests.support.swarms.runs import (
    ALL_FIVE,
    AS_OF,
    SERVERS,
    concluded,
    failing,
    found,
    level_call,
    lower_in_four_weeks,
    plan,
    refined,
    start_swarm,
    subagent,
    swarm,
    swarm_turn,
)
from workflows.swarm.swarm import LAST_ROUND, ResearchSwarmWorkflow

Script = Callable[[TurnRequest], Turn | None]


def as_usual(_: TurnRequest) -> Turn | None:
    return None


def acting(script: Script) -> ScriptedAnalyst:
    return ScriptedAnalyst(lambda request: script(request) or swarm_turn(request))


async def run_of(
    client: Client,
    directory: Path,
    script: Script = as_usual,
    request: SwarmRequest | None = None,
    *,
    tools: ScriptedTools | None = None,
    run_id: str = "swarm-test",
) -> tuple[SwarmResult, AnswerReport]:
    """The result and the published report of a swarm whose agents do as the script says."""
    async with desk_workers(
        client, directory, analyst=acting(script), tools=tools, servers=SERVERS
    ):
        run = await start_swarm(client, request or swarm(), run_id=run_id)
        result = await run.result()
    return result, AnswerReport.model_validate_json(Path(result.files.json_file).read_text())


def states(report: AnswerReport) -> dict[str, NodeState]:
    return {line.node: line.state for line in report.nodes}


def remembered(directory: Path) -> dict[str, MemoryKind]:
    entries = EmbeddedMemory(directory / "memory.db").entries()
    return {entry.memory_id: entry.kind for entry in entries}


async def test_everybody_works_and_the_report_tells_of_plan_and_findings(
    client: Client, tmp_path: Path
) -> None:
    long = ScriptedTools(lambda *_: ToolAnswer(content={"level": "100.00", "words": "x" * 4_000}))
    result, report = await run_of(client, tmp_path, tools=long)
    assert set(states(report).values()) == {NodeState.DONE}
    assert list(states(report)) == ["plan_1", *(subagent(a).name for a in ALL_FIVE), "conclude_1"]
    assert (report.outcome, report.summary) == (Outcome.COMPLETE, "The yen stands at 100.00.")
    assert report.swarm is not None
    assert [each.number for each in report.swarm.rounds] == [1]
    assert result.rounds == 1
    assert 0 < result.tokens.read < result.tokens.alone


async def test_specialists_work_side_by_side(client: Client, tmp_path: Path) -> None:
    here: list[str] = []

    async def analyst(request: TurnRequest) -> Turn:
        """Nobody delivers before all five have come."""
        task = request.assignment
        if task.agent in ALL_FIVE and request.exchanges:
            here.append(task.task_id)
            async with asyncio.timeout(60):
                while len(here) < len(ALL_FIVE):
                    await asyncio.sleep(0.01)
        return swarm_turn(request)

    async with desk_workers(client, tmp_path, analyst=analyst, servers=SERVERS):
        run = await start_swarm(client, swarm())
        assert (await run.result()).outcome is Outcome.COMPLETE
    assert len(here) == len(ALL_FIVE)


async def test_the_plan_is_remembered_before_anybody_begins(client: Client, tmp_path: Path) -> None:
    before: list[set[MemoryKind]] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.agent in ALL_FIVE and not request.exchanges:
            before.append(set(remembered(tmp_path).values()))
        return None

    await run_of(client, tmp_path, script)
    assert before == [{MemoryKind.PLAN}] * len(ALL_FIVE)
    assert remembered(tmp_path) == {
        "swarm-test/20261030T200000/plan/1": MemoryKind.PLAN,
        "swarm-test/20261030T200000/findings/1": MemoryKind.FINDINGS,
    }


async def test_one_of_five_that_fails_is_missing_and_nobody_takes_over(
    client: Client, tmp_path: Path
) -> None:
    reserve: list[str] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.agent is AgentId.RESERVE_SPECIALIST:
            reserve.append(request.assignment.task_id)
        return failing(request, AgentId.PATTERN_SPECIALIST)

    _, report = await run_of(client, tmp_path, script)
    assert states(report)["pattern"] is NodeState.FAILED
    assert reserve == []
    assert report.outcome is Outcome.INCOMPLETE
    assert any("the source is empty" in line for line in report.missing)


async def test_three_of_five_that_fail_are_done_by_the_reserve(
    client: Client, tmp_path: Path
) -> None:
    broken = ALL_FIVE[:3]

    def script(request: TurnRequest) -> Turn | None:
        return failing(request, *broken)

    _, report = await run_of(client, tmp_path, script)
    assert set(states(report).values()) == {NodeState.DONE}
    assert report.outcome is Outcome.COMPLETE


async def test_what_the_reserve_cannot_do_either_is_a_dead_letter(
    client: Client, tmp_path: Path
) -> None:
    def script(request: TurnRequest) -> Turn | None:
        return failing(request, *ALL_FIVE[:3], AgentId.RESERVE_SPECIALIST)

    _, report = await run_of(client, tmp_path, script)
    assert list(states(report).values()).count(NodeState.FAILED) == 3
    letter = client.get_workflow_handle("swarm-test/reassign/market")
    with pytest.raises(WorkflowFailureError) as failed:
        await letter.result()
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == FailureType.DEAD_LETTERED


def unplanned(error_type: str, reason: str) -> Script:
    """A leader that gives up its first plan."""

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.PLAN_SWARM:
            return None
        given_up = gives_up(request, reason)
        assert given_up.failure is not None
        failure = given_up.failure.model_copy(update={"error_type": error_type})
        return given_up.model_copy(update={"failure": failure})

    return script


async def test_an_objective_that_names_no_market_is_an_error_in_words(
    client: Client, tmp_path: Path
) -> None:
    with pytest.raises(WorkflowFailureError) as failed:
        await run_of(
            client, tmp_path, unplanned(FailureType.UNUSABLE_REQUEST, "it names no market")
        )
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == FailureType.UNUSABLE_REQUEST
    assert "it names no market" in str(failed.value.cause)


async def test_what_could_not_be_planned_is_reported_as_missing(
    client: Client, tmp_path: Path
) -> None:
    script = unplanned("ToolUnavailable", "the source is away")
    result, report = await run_of(client, tmp_path, script)
    assert (result.outcome, result.rounds, result.hypotheses) == (Outcome.INCOMPLETE, 0, ())
    assert states(report) == {"plan_1": NodeState.FAILED}
    assert any("the source is away" in line for line in report.missing)
    assert not report.answered
    assert findings_in_answer(report) == ()


async def test_a_time_that_has_not_come_is_refused(
    client: Client, skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    ahead = await skipping.get_current_time() + timedelta(days=1)
    with pytest.raises(WorkflowFailureError) as failed:
        await run_of(client, tmp_path, request=swarm(as_of=ahead))
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == FailureType.UNUSABLE_REQUEST


def twice(request: TurnRequest) -> Turn | None:
    """A leader that wants to know more after the first round."""
    task = request.assignment
    if task.task_id == "conclude_1":
        return Turn(result=concluded(request, further=refined()))
    if task.task_id == "plan_2":
        return Turn(result=plan(request, AgentId.MARKET_SPECIALIST))
    return None


async def test_a_second_round_is_planned_with_the_refined_objective_and_what_was_found(
    client: Client, tmp_path: Path
) -> None:
    asked: dict[str, tuple[str, int]] = {}

    def script(request: TurnRequest) -> Turn | None:
        task = request.assignment
        if task.task_type is TaskType.PLAN_SWARM and task.query:
            asked[task.task_id] = (task.query.question, len(request.state))
        return twice(request)

    result, report = await run_of(client, tmp_path, script)
    assert asked == {
        "plan_1": ("Is the yen carry trade unwinding?", 0),
        "plan_2": ("What moved the yen in October?", 7),
    }
    assert [*states(report)][-3:] == ["plan_2", "r2_market", "conclude_2"]
    assert report.question == "Is the yen carry trade unwinding?"
    assert result.rounds == 2


async def test_rounds_are_bounded_and_the_report_says_why_it_stopped(
    client: Client, tmp_path: Path
) -> None:
    _, report = await run_of(client, tmp_path, twice, swarm(most_rounds=1))
    assert report.swarm is not None
    assert [each.stopped for each in report.swarm.rounds] == [LAST_ROUND]


async def test_a_second_round_that_cannot_be_planned_ends_with_what_there_is(
    client: Client, tmp_path: Path
) -> None:
    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_id == "plan_2":
            return gives_up(request, "there is nothing to add")
        return twice(request)

    result, report = await run_of(client, tmp_path, script)
    assert result.rounds == 1
    assert report.summary == "The yen stands at 100.00."
    assert report.swarm is not None
    assert "there is nothing to add" in (report.swarm.rounds[0].stopped or "")


def split(request: TurnRequest) -> Turn | None:
    """One specialist is sure that the yen weakens; another is not sure that it strengthens."""
    task = request.assignment
    if task.task_type is TaskType.PLAN_SWARM:
        pair_of = (AgentId.MARKET_SPECIALIST, AgentId.TECHNICAL_SPECIALIST)
        return Turn(result=plan(request, *pair_of))
    if not request.exchanges or task.task_type is TaskType.CONCLUDE_SWARM:
        return None
    if task.agent is AgentId.MARKET_SPECIALIST:
        return Turn(result=found(request, leaning=Leaning.UP, confidence=0.9))
    return Turn(result=found(request, leaning=Leaning.DOWN, confidence=0.2))


async def test_a_split_vote_waits_days_for_a_person_whose_word_the_leader_is_told(
    client: Client, skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    told: list[tuple[str | None, DecidedBy | None]] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.CONCLUDE_SWARM:
            told.extend((c.chosen, c.decided_by) for c in request.conflicts)
        return split(request)

    async with desk_workers(client, tmp_path, analyst=acting(script), servers=SERVERS):
        run = await start_swarm(client, swarm(answer_within=timedelta(days=5)))
        case = client.get_workflow_handle(
            escalation_run_id("swarm-test", "USD/JPY/conflict/USD/JPY:direction")
        )
        await skipping.sleep(timedelta(days=2))
        status = await run.query(ResearchSwarmWorkflow.status)
        assert status.phase is Phase.AWAITING_PERSON
        decision = await case.execute_update(
            Message.RESOLVE_ESCALATION,
            EscalationAnswer(position=1, by="anna"),
            result_type=EscalationDecision,
        )
        result = await run.result()
    report = AnswerReport.model_validate_json(Path(result.files.json_file).read_text())
    assert told == [(decision.conflict.chosen, DecidedBy.PERSON)]
    assert report.swarm is not None
    assert report.swarm.conflicts == (decision.conflict,)


async def test_a_default_holds_where_nobody_answers(client: Client, tmp_path: Path) -> None:
    _, report = await run_of(client, tmp_path, split)
    assert report.swarm is not None
    assert [c.decided_by for c in report.swarm.conflicts] == [DecidedBy.DEFAULT]


def says_lower(request: TurnRequest) -> Turn | None:
    """The leader concludes with one hypothesis; everything else is as usual."""
    if request.assignment.task_type is TaskType.CONCLUDE_SWARM:
        return Turn(result=concluded(request, hypotheses=(lower_in_four_weeks(),)))
    return None


async def test_hypotheses_outlive_the_swarm_and_are_remembered(
    client: Client, tmp_path: Path
) -> None:
    result, _ = await run_of(client, tmp_path, says_lower)
    assert result.hypotheses == ("swarm-test/hypothesis/USD-JPY-lower-4w-2026-11-27",)
    waiting = await client.get_workflow_handle(result.hypotheses[0]).describe()
    assert waiting.workflow_type == "HypothesisWorkflow"
    assert MemoryKind.HYPOTHESIS in remembered(tmp_path).values()


async def test_the_views_of_specialists_wait_with_the_hypothesis_on_their_market(
    client: Client, tmp_path: Path
) -> None:
    result, report = await run_of(client, tmp_path, says_lower)
    history = await client.get_workflow_handle(result.hypotheses[0]).fetch_history()
    given = history.events[0].workflow_execution_started_event_attributes.input.payloads
    (waiting,) = await client.data_converter.decode(given, [HypothesisRequest])
    views = waiting.hypothesis.views
    assert {view.agent for view in views} == set(ALL_FIVE)
    assert {(view.leaning, view.probability) for view in views} == {(Leaning.DOWN, 0.71)}
    assert report.swarm is not None
    assert report.swarm.hypotheses[0].views == views


async def test_a_second_run_is_shown_what_the_first_found(client: Client, tmp_path: Path) -> None:
    recalled: list[set[str]] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.PLAN_SWARM:
            recalled.append({each.entry.memory_id for each in request.recalled})
        return None

    await run_of(client, tmp_path, script, run_id="swarm-first")
    _, report = await run_of(client, tmp_path, script, run_id="swarm-second")
    first = {f"swarm-first/20261030T200000/{each}/1" for each in ("plan", "findings")}
    assert recalled == [set(), first]
    assert report.swarm is not None
    assert set(report.swarm.rounds[0].recalled) == first


async def test_a_run_of_an_earlier_instant_is_not_told_of_a_later_one(
    client: Client, tmp_path: Path
) -> None:
    recalled: list[int] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.PLAN_SWARM:
            recalled.append(len(request.recalled))
        return None

    await run_of(client, tmp_path, script, run_id="swarm-later")
    earlier = swarm(as_of=AS_OF - timedelta(seconds=1))
    await run_of(client, tmp_path, script, earlier, run_id="swarm-earlier")
    assert recalled == [0, 0]


async def test_without_memory_nothing_is_asked_and_the_report_says_so(
    client: Client, tmp_path: Path
) -> None:
    _, report = await run_of(client, tmp_path, request=swarm(memory=False))
    assert remembered(tmp_path) == {}
    assert report.swarm is not None
    assert report.swarm.memory == "memory was not to be used"


async def test_a_memory_that_cannot_be_opened_holds_nothing_up(
    client: Client, tmp_path: Path
) -> None:
    (tmp_path / "memory.db").mkdir()
    result, report = await run_of(client, tmp_path)
    assert result.outcome is Outcome.COMPLETE
    assert report.swarm is not None
    assert report.swarm.memory


async def test_a_specialist_is_held_to_its_number_of_calls(client: Client, tmp_path: Path) -> None:
    refused: list[int] = []

    def script(request: TurnRequest) -> Turn | None:
        task = request.assignment
        if task.task_type is TaskType.PLAN_SWARM:
            one = subagent(AgentId.MARKET_SPECIALIST, most_calls=3)
            usual = plan(request, AgentId.MARKET_SPECIALIST)
            return Turn(result=usual.model_copy(update={"subagents": (one,)}))
        if task.agent is AgentId.MARKET_SPECIALIST and not request.exchanges:
            return Turn(calls=tuple(level_call(request, f"call_{n}") for n in range(5)))
        if task.agent is AgentId.MARKET_SPECIALIST:
            refused.append(sum(r.error is not None for r in request.results))
        return None

    tools = ScriptedTools()
    await run_of(client, tmp_path, script, tools=tools)
    assert (refused, sum(tools.calls.values())) == ([2], 3)


async def test_the_board_grows_with_the_plan(client: Client, tmp_path: Path) -> None:
    seen: list[GraphStatus] = []

    async def analyst(request: TurnRequest) -> Turn:
        if request.assignment.task_id in ("plan_1", "conclude_1"):
            run = client.get_workflow_handle("swarm-test")
            seen.append(await run.query(ResearchSwarmWorkflow.status))
        return swarm_turn(request)

    async with desk_workers(client, tmp_path, analyst=analyst, servers=SERVERS):
        run = await start_swarm(client, swarm())
        await run.result()
    assert [len(status.nodes) for status in seen] == [1, 7]
    assert {line.state for line in seen[1].nodes[:-1]} == {NodeState.DONE}


async def test_a_hypothesis_that_waits_already_is_not_replaced_by_a_later_runs(
    client: Client, tmp_path: Path
) -> None:
    async with desk_workers(client, tmp_path, analyst=acting(says_lower), servers=SERVERS):
        first = await (await start_swarm(client, swarm())).result()
        second = await (await start_swarm(client, swarm())).result()
    report = AnswerReport.model_validate_json(Path(second.files.json_file).read_text())
    assert second.hypotheses == (f"{first.hypotheses[0]}-2",)
    assert report.swarm is not None
    published = [each.hypothesis_id for each in report.swarm.hypotheses]
    assert published == ["USD-JPY-lower-4w-2026-11-27-2"]


async def test_a_cancelled_specialist_is_missing_and_the_others_go_on(
    client: Client, tmp_path: Path
) -> None:
    async def analyst(request: TurnRequest) -> Turn:
        if request.assignment.task_id == "pattern":
            await client.get_workflow_handle("swarm-test/specialist/pattern").cancel()
            await asyncio.sleep(30)
        return swarm_turn(request)

    async with desk_workers(client, tmp_path, analyst=analyst, servers=SERVERS):
        result = await (await start_swarm(client, swarm())).result()
    report = AnswerReport.model_validate_json(Path(result.files.json_file).read_text())
    failed = [node for node, state in states(report).items() if state is NodeState.FAILED]
    assert (result.outcome, failed) == (Outcome.INCOMPLETE, ["pattern"])


async def test_a_later_run_of_the_same_name_is_told_what_the_earlier_one_found(
    client: Client, tmp_path: Path
) -> None:
    recalled: list[set[str]] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.PLAN_SWARM:
            recalled.append({each.entry.memory_id for each in request.recalled})
        return None

    await run_of(client, tmp_path, script, swarm(as_of=AS_OF - timedelta(days=30)))
    await run_of(client, tmp_path, script)
    assert recalled == [
        set(),
        {f"swarm-test/20260930T200000/{each}/1" for each in ("plan", "findings")},
    ]


async def test_hypotheses_of_the_last_conclusion_wait_where_a_later_one_fails(
    client: Client, tmp_path: Path
) -> None:
    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_id == "conclude_1":
            first = concluded(request, hypotheses=(lower_in_four_weeks(),), further=refined())
            return Turn(result=first)
        if request.assignment.task_id == "conclude_2":
            return gives_up(request, "nothing to add")
        return twice(request)

    result, report = await run_of(client, tmp_path, script)
    assert (len(result.hypotheses), report.outcome) == (1, Outcome.INCOMPLETE)


async def test_an_earlier_rounds_withheld_figure_is_not_shown_to_the_next_plan(
    client: Client, tmp_path: Path
) -> None:
    told: list[int] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_id == "plan_2":
            told.append(len(request.conflicts))
        if request.assignment.task_type is TaskType.PLAN_SWARM and not request.state:
            return split(request)
        return twice(request) or split(request)

    await run_of(client, tmp_path, script)
    assert told == [1]
