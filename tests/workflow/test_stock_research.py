"""An episode: who writes what, what is refused, what fails, what is waited for, what is told."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue
from temporalio.client import Client, WorkflowFailureError
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from desk.contracts.agents.config import AgentConfig, RunPolicy
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import Blackboard, Recommended
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ConflictRecord, Leaning, ResearchResult, View, ViewKind
from desk.contracts.learning.memory import MemoryKind
from desk.contracts.learning.record import LearnedView, RecordQuery
from desk.contracts.names import LEARNING_SYSTEM_ID, AgentId, FailureType, Message
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.contracts.runs.episode import EpisodeStatus, StockRequest, StockResult
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.swarm.hypotheses import HypothesisState
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.memory.embedded import EmbeddedMemory
from desk.programs.episode.actions import ORDER, PART_METRICS
from desk.programs.episode.horizon import SETTLING
from tests.support.processes.namespaces import Namespace
from tests.support.runs.desk import desk_workers
from tests.support.runs.scripted import ScriptedAnalyst, gives_up
from tests.support.stocks.board import (
    AS_OF,
    CAME,
    SERVERS,
    SYMBOL,
    Handle,
    Outcomes,
    call_of,
    choice,
    episode,
    part,
    recommendation,
    start_episode,
    stock_desk,
    stock_turn,
)
from workflows.episode.episode import StockResearchWorkflow

Script = Callable[[TurnRequest], Turn | None]

NEWS, BASIC = StockAction.FETCH_NEWS, StockAction.RUN_TA_BASIC
ADVANCED = StockAction.RUN_TA_ADVANCED
INSIGHT, RECOMMEND = StockAction.GENERATE_INSIGHT, StockAction.GENERATE_RECOMMENDATION
EVALUATE = StockAction.EVALUATE_PERFORMANCE
SHORT = (BASIC, INSIGHT, RECOMMEND, EVALUATE)
"""The shortest way to an evaluation."""

MODEL = "a-dear-model"

DUE = AS_OF + timedelta(weeks=4)


def as_usual(_: TurnRequest) -> Turn | None:
    return None


def acting(script: Script) -> ScriptedAnalyst:
    return ScriptedAnalyst(lambda request: script(request) or stock_turn(request))


async def run_of(
    client: Client,
    directory: Path,
    script: Script = as_usual,
    request: StockRequest | None = None,
    *,
    tools: Outcomes | None = None,
    run_id: str = "stock-test",
) -> StockResult:
    """The result of an episode whose agents do as the script says."""
    async with desk_workers(
        client, directory, analyst=acting(script), tools=tools or Outcomes(), servers=SERVERS
    ):
        return await (await start_episode(client, request or episode(), run_id=run_id)).result()


def report_of(result: StockResult) -> AnswerReport:
    return AnswerReport.model_validate_json(Path(result.files.json_file).read_text())


def states(result: StockResult) -> dict[str, NodeState]:
    return {line.node: line.state for line in report_of(result).nodes}


def failing(*agents: AgentId, task: TaskType | None = None) -> Script:
    """Some agents give up, on all tasks or on one kind of them."""

    def script(request: TurnRequest) -> Turn | None:
        assigned = request.assignment
        fails = assigned.agent in agents and task in (None, assigned.task_type)
        return gives_up(request) if fails else None

    return script


def with_model(agent: AgentId) -> RunPolicy:
    """The usual rules with a model in the place of one built-in agent."""
    named = AgentConfig(agent=agent, model=MODEL)
    return episode().policy.model_copy(update={"agents": (named,)})


def recommending(action: Recommended, probability: float = 0.6) -> Script:
    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.GENERATE_RECOMMENDATION:
            return None
        return Turn(result=recommendation(request, action, probability))

    return script


async def test_in_the_usual_order_each_agent_is_shown_the_blackboard_and_changes_its_own_part(
    client: Client, tmp_path: Path
) -> None:
    shown: dict[str, tuple[int, list[str]]] = {}

    def script(request: TurnRequest) -> Turn | None:
        if request.board and request.assignment.task_type is not TaskType.CHOOSE_ACTION:
            nodes = [entry.node for entry in request.state]
            shown[request.assignment.task_id] = (len(request.board.taken), nodes)
        return None

    result = await run_of(client, tmp_path, script)
    assert tuple(step.action for step in result.steps) == ORDER == result.board.taken
    assert result.board.recommendation is Recommended.BUY
    assert list(states(result)) == ["controller", *ORDER]
    assert set(states(result).values()) == {NodeState.DONE}
    assert all(step.board.taken == ORDER[: step.number] for step in result.steps)
    assert [step.reward for step in result.steps] == [Decimal(0)] * 7 + [Decimal("1.18")]
    assert shown == {action: (n, list(ORDER[:n])) for n, action in enumerate(ORDER)}
    assert changes(result) == [
        {"fundamentals_data"},
        {"sentiment_data"},
        {"ta_basic_data"},
        {"ta_advanced_data"},
        {"insights"},
        {"recommendation", "confidence", "probability", "reasons_for"},
        {"evaluation"},
    ]
    found = (await client.get_workflow_handle("stock-test").describe()).search_attributes
    assert (found["Market"], found["Phase"]) == ([SYMBOL], [Phase.CLOSED])
    assert found["Outcome"] == [result.outcome]


def changes(result: StockResult) -> list[set[str]]:
    """The parts of the blackboard that each step after the first changed."""
    parts = set(Blackboard.model_fields) - {"taken"}
    boards = [step.board for step in result.steps]
    return [
        {part for part in parts if getattr(before, part) != getattr(now, part)}
        for before, now in pairwise(boards)
    ]


async def test_given_steps_are_taken_with_repetitions_and_what_makes_no_sense_is_refused(
    client: Client, tmp_path: Path
) -> None:
    """To choose them costs nothing, though a model is there to choose."""
    choosers: set[str] = set()

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.CHOOSE_ACTION:
            choosers.add(request.model)
        return None

    steps = (INSIGHT, BASIC, BASIC, RECOMMEND, INSIGHT, RECOMMEND, EVALUATE, NEWS)
    policy = with_model(AgentId.CONTROLLER_AGENT)
    result = await run_of(client, tmp_path, script, episode(steps=steps, policy=policy))
    assert choosers == {BUILTIN}
    assert tuple(step.action for step in result.steps) == steps
    refused = [step.number for step in result.steps if step.refused]
    assert refused == [1, 4, 8]
    assert result.board.taken == (BASIC, BASIC, INSIGHT, RECOMMEND, EVALUATE)
    assert result.steps[3].board == result.steps[2].board
    rounds = {line.node: line.rounds for line in report_of(result).nodes}
    assert rounds == {"controller": 8, BASIC: 2, INSIGHT: 1, RECOMMEND: 1, EVALUATE: 1}


async def test_a_controller_is_told_why_its_choice_was_refused(
    client: Client, tmp_path: Path
) -> None:
    told: list[str | None] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.CHOOSE_ACTION:
            return None
        told.extend(entry.error for entry in request.state[-1:])
        return None if told else Turn(result=choice(request, RECOMMEND))

    await run_of(client, tmp_path, script, episode(most_steps=2))
    (reason,) = told
    assert reason is not None and "no insights were generated" in reason


async def test_an_episode_ends_after_as_many_steps_as_it_may_have(
    client: Client, tmp_path: Path
) -> None:
    result = await run_of(client, tmp_path, request=episode(most_steps=3))
    assert result.board.taken == ORDER[:3]
    assert result.outcome is Outcome.INCOMPLETE
    assert any("as many steps as it was allowed" in line for line in report_of(result).missing)


async def test_an_episode_whose_time_is_used_up_says_so_and_is_incomplete(
    client: Client, tmp_path: Path
) -> None:
    late = episode().policy.deadlines.model_copy(update={"week": timedelta(milliseconds=1)})
    policy = episode().policy.model_copy(update={"deadlines": late})
    result = await run_of(client, tmp_path, request=episode(policy=policy))
    assert (result.outcome, len(result.steps) < len(ORDER)) == (Outcome.INCOMPLETE, True)
    assert any("its time was used up" in line for line in report_of(result).missing)


async def test_a_part_that_nobody_could_bring_is_lacking_and_the_episode_goes_on(
    client: Client, tmp_path: Path
) -> None:
    nobody = failing(
        AgentId.STOCK_RESEARCH_AGENT, AgentId.RESERVE_SPECIALIST, task=TaskType.FETCH_NEWS
    )
    steps = (NEWS, *SHORT)
    result = await run_of(client, tmp_path, nobody, episode(steps=steps))
    assert result.board.news_data is not None
    assert (result.board.news_data.figures, result.board.news_data.lacking) == (
        (),
        PART_METRICS[NEWS],
    )
    assert result.board.taken == steps
    assert states(result)[NEWS] is NodeState.FAILED
    assert any("stock-test/reassign/FETCH_NEWS" in line for line in report_of(result).missing)


async def test_the_reserve_brings_what_an_agent_could_not(client: Client, tmp_path: Path) -> None:
    result = await run_of(client, tmp_path, failing(AgentId.TA_AGENT), episode(steps=SHORT))
    assert set(states(result).values()) == {NodeState.DONE}
    lines = {line.node: line for line in report_of(result).nodes}
    assert lines[BASIC].agent is AgentId.RESERVE_SPECIALIST
    assert "taken over from ta agent" in (lines[BASIC].remark or "")


async def test_a_repetition_that_fails_leaves_what_was_there(
    client: Client, tmp_path: Path
) -> None:
    def script(request: TurnRequest) -> Turn | None:
        again = request.assignment.task_id == f"{BASIC}.2"
        return gives_up(request) if again else None

    result = await run_of(client, tmp_path, script, episode(steps=(BASIC, BASIC)))
    first, second = result.steps
    assert second.board == first.board
    assert first.board.ta_basic_data is not None and first.board.ta_basic_data.figures


async def test_without_insights_nothing_is_recommended_or_evaluated(
    client: Client, tmp_path: Path
) -> None:
    result = await run_of(client, tmp_path, failing(AgentId.INSIGHT_AGENT))
    assert [step.action for step in result.steps if step.refused] == [RECOMMEND, EVALUATE]
    assert result.board.insights == ()
    assert (result.board.recommendation, result.board.evaluation) == (None, None)
    assert states(result)[INSIGHT] is NodeState.FAILED


async def test_a_result_without_a_recommendation_is_none(client: Client, tmp_path: Path) -> None:
    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.GENERATE_RECOMMENDATION:
            return None
        made = recommendation(request).model_copy(update={"recommendation": None})
        return Turn(result=made)

    result = await run_of(client, tmp_path, script, episode(steps=SHORT))
    assert result.board.recommendation is None
    assert states(result)[RECOMMEND] is NodeState.FAILED


async def test_an_unknown_symbol_ends_the_run_in_the_controllers_words(
    client: Client, tmp_path: Path
) -> None:
    def script(request: TurnRequest) -> Turn:
        turn = gives_up(request, "there is no NVDIA; did you mean NVDA?")
        assert turn.failure is not None
        unusable = {"error_type": FailureType.UNUSABLE_REQUEST}
        return turn.model_copy(update={"failure": turn.failure.model_copy(update=unusable)})

    with pytest.raises(WorkflowFailureError) as failed:
        await run_of(client, tmp_path, script)
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == FailureType.UNUSABLE_REQUEST
    assert "did you mean NVDA?" in failed.value.cause.message


async def test_where_the_controller_cannot_choose_the_order_goes_on(
    client: Client, tmp_path: Path
) -> None:
    result = await run_of(client, tmp_path, failing(AgentId.CONTROLLER_AGENT))
    assert result.board.taken == ORDER
    assert "could not choose" in result.steps[0].reason


@pytest.mark.parametrize(
    ("as_of", "words"),
    [
        (datetime(9999, 12, 31, tzinfo=UTC), "has not come yet"),
        (datetime(1, 1, 1, tzinfo=UTC), "there are no prices"),
    ],
)
async def test_a_time_without_prices_is_refused(
    client: Client, tmp_path: Path, as_of: datetime, words: str
) -> None:
    with pytest.raises(WorkflowFailureError) as failed:
        await run_of(client, tmp_path, request=episode(as_of=as_of))
    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == FailureType.UNUSABLE_REQUEST
    assert words in failed.value.cause.message


async def test_in_history_the_source_is_asked_once_as_of_the_end_of_the_horizon(
    client: Client, tmp_path: Path
) -> None:
    tools = Outcomes()
    sell = recommending(Recommended.SELL, 0.4)
    result = await run_of(client, tmp_path, sell, episode(steps=SHORT), tools=tools)
    assert (tools.asked_at, tools.positions) == ([DUE], ["short"])
    assert result.board.evaluation is not None
    assert result.board.evaluation.reward == Decimal("1.18")
    assert result.seconds < 30


async def test_in_history_a_price_that_is_not_there_is_lacking_at_once(
    client: Client, tmp_path: Path
) -> None:
    tools = Outcomes(came=None)
    result = await run_of(client, tmp_path, request=episode(steps=SHORT), tools=tools)
    assert result.board.evaluation is not None
    assert result.board.evaluation.lacking == PART_METRICS[EVALUATE]
    assert (len(tools.asked_at), result.steps[-1].reward) == (1, Decimal(0))
    assert any("it has no price of NVDA then" in line for line in report_of(result).missing)


async def begun(client: Client, directory: Path, **fields: Any) -> Handle:
    """An episode that knows the world as it is now."""
    given = {"as_of": None, "steps": SHORT, **fields}
    return await start_episode(client, episode(**given))


async def status_of(run: Handle) -> EpisodeStatus:
    return await run.query(StockResearchWorkflow.episode)


async def test_live_the_report_goes_out_before_the_horizon_and_again_after_it(
    client: Client, skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    tools = Outcomes()
    async with desk_workers(
        client, tmp_path, analyst=acting(as_usual), tools=tools, servers=SERVERS
    ):
        run = await begun(client, tmp_path)
        await skipping.sleep(timedelta(weeks=2))
        status, board = await status_of(run), await run.query(StockResearchWorkflow.status)
        due = status.as_of + timedelta(weeks=4)
        assert (board.phase, status.waits_for) == (Phase.AWAITING_HORIZON, due + SETTLING)
        assert status.board is not None and status.board.recommendation is Recommended.BUY
        assert status.published is not None
        first = AnswerReport.model_validate_json(Path(status.published.json_file).read_text())
        assert {n.node: n.state for n in first.nodes}[EVALUATE] is NodeState.WAITING
        assert tools.asked_at == []
        result = await run.result()
        assert tools.asked_at == [due]
        assert (await status_of(run)).waits_for is None
    assert result.files == status.published
    assert states(result)[EVALUATE] is NodeState.DONE
    assert result.board.evaluation is not None and result.board.evaluation.figures


async def test_a_source_that_is_away_at_the_horizon_is_asked_again_by_who_costs_nothing(
    client: Client, skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    tools, models = Outcomes(away=12), list[str]()

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.EVALUATE_PERFORMANCE:
            models.append(request.model)
        return None

    policy = with_model(AgentId.EVALUATOR_AGENT)
    async with desk_workers(client, tmp_path, analyst=acting(script), tools=tools, servers=SERVERS):
        run = await begun(client, tmp_path, policy=policy)
        due = (await status_of(run)).as_of + timedelta(weeks=4)
        await skipping.sleep(timedelta(weeks=4, hours=1, minutes=5))
        status = await status_of(run)
        assert status.note is not None and "it is away" in status.note
        assert status.waits_for is not None and status.waits_for > due
        result = await run.result()
    assert set(tools.asked_at) == {due}
    assert result.board.evaluation is not None and result.board.evaluation.figures
    assert models[:2] == [MODEL, MODEL]
    assert len(models) > 2 and set(models[2:]) == {BUILTIN}


def without_figures(*tasks: TaskType) -> Script:
    """The parts of some tasks lack every figure."""

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type not in tasks or not request.exchanges:
            return None
        return Turn(result=part(request).model_copy(update={"claims": ()}))

    return script


def asking_how_it_stands(request: TurnRequest) -> Turn | None:
    """The indicators are asked for beside how the stock stands, and give no figure."""
    if request.assignment.task_type is not TaskType.RUN_TA_ADVANCED:
        return None
    if not request.exchanges:
        return Turn(calls=(call_of(request, BASIC), call_of(request, ADVANCED)))
    return Turn(result=part(request).model_copy(update={"claims": ()}))


def answering(*figures: dict[str, JsonValue]) -> Outcomes:
    """A source that tells these figures of how the stock stands, and has no later price."""
    told = ToolAnswer(content={"figures": list(figures)})
    return Outcomes(script=lambda _, tool, __: told if tool == "market_data" else None, came=None)


LAST: dict[str, JsonValue] = {"metric": "last", "value": "100.00", "as_of": "2024-06-10"}


@pytest.mark.parametrize(
    ("script", "first", "source"),
    [
        (as_usual, BASIC, Outcomes),
        (asking_how_it_stands, ADVANCED, partial(answering, LAST)),
    ],
    ids=["known", "few prices"],
)
async def test_a_price_that_may_come_is_asked_for_again_until_it_is_given_up(
    client: Client,
    tmp_path: Path,
    script: Script,
    first: StockAction,
    source: Callable[[], Outcomes],
) -> None:
    tools = source()
    tools.came = None
    async with desk_workers(client, tmp_path, analyst=acting(script), tools=tools, servers=SERVERS):
        run = await begun(
            client, tmp_path, steps=(first, *SHORT[1:]), given_up_after=timedelta(days=1)
        )
        result = await run.result()
    assert 2 < len(tools.asked_at) < 20
    assert result.board.evaluation is not None
    assert result.board.evaluation.lacking == PART_METRICS[EVALUATE]


@pytest.mark.parametrize(
    ("script", "first"),
    [(without_figures(TaskType.RUN_TA_BASIC), BASIC), (asking_how_it_stands, ADVANCED)],
    ids=["basic", "advanced"],
)
async def test_a_stock_without_a_price_to_begin_with_is_not_waited_for(
    client: Client, tmp_path: Path, script: Script, first: StockAction
) -> None:
    tools = answering()
    async with desk_workers(client, tmp_path, analyst=acting(script), tools=tools, servers=SERVERS):
        run = await begun(client, tmp_path, steps=(first, *SHORT[1:]))
        result = await run.result()
        board = await run.query(StockResearchWorkflow.status)
    history = await run.fetch_history()
    assert not any(event.HasField("timer_started_event_attributes") for event in history.events)
    assert tools.asked_at == []
    assert result.board.evaluation is not None
    assert result.board.evaluation.lacking == PART_METRICS[EVALUATE]
    assert states(result)[EVALUATE] is NodeState.DONE, report_of(result).missing
    words = "there was no price to begin with, and none of later days will come"
    assert f"{EVALUATE}: NVDA: {words}." in report_of(result).missing
    assert any(words in (node.note or "") for node in board.nodes)


async def test_a_stock_without_a_price_to_begin_with_is_asked_for_once_when_it_is_due(
    client: Client, skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    script, tools = without_figures(TaskType.RUN_TA_BASIC), Outcomes(came=None)
    as_of = await skipping.get_current_time() - timedelta(weeks=4, days=1)
    result = await run_of(client, tmp_path, script, episode(as_of=as_of, steps=SHORT), tools=tools)
    assert len(tools.asked_at) == 1
    assert result.board.evaluation is not None
    assert result.board.evaluation.lacking == PART_METRICS[EVALUATE]


async def test_an_older_price_is_taken_only_when_no_newer_one_has_come_for_days(
    client: Client, skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    now = await skipping.get_current_time()
    tools = Outcomes(ends=now + timedelta(weeks=4) - timedelta(days=5))
    async with desk_workers(
        client, tmp_path, analyst=acting(as_usual), tools=tools, servers=SERVERS
    ):
        run = await begun(client, tmp_path)
        await skipping.sleep(timedelta(weeks=4, hours=5))
        note = (await status_of(run)).note
        assert note is not None and "may still come" in note
        result = await run.result()
    took = result.steps[-1].ended_at - (now + timedelta(weeks=4))
    assert timedelta(days=3) <= took < timedelta(days=4)
    assert result.board.evaluation is not None and result.board.evaluation.figures


async def learned(client: Client, as_of: datetime) -> LearnedView:
    view: LearnedView = await client.get_workflow_handle(LEARNING_SYSTEM_ID).query(
        Message.LEARNED, RecordQuery(as_of=as_of), result_type=LearnedView
    )
    return view


@pytest.mark.parametrize(
    ("action", "probability", "said", "state"),
    [
        (Recommended.BUY, 0.6, 0.6, HypothesisState.HELD),
        (Recommended.SELL, 0.3, 0.7, HypothesisState.REFUTED),
    ],
)
async def test_the_scorecard_counts_what_was_recommended_once_it_was_evaluated(
    client: Client,
    tmp_path: Path,
    action: Recommended,
    probability: float,
    said: float,
    state: HypothesisState,
) -> None:
    script = recommending(action, probability)
    async with desk_workers(
        client, tmp_path, analyst=acting(script), tools=Outcomes(), servers=SERVERS
    ):
        await (await start_episode(client, episode(steps=SHORT))).result()
        view = await learned(client, DUE)
    (scored,) = view.hypotheses
    assert (scored.state, scored.hypothesis.probability) == (state, said)
    assert (scored.hypothesis.level, scored.value) == (Decimal("101.00"), Decimal("111.10"))
    assert scored.workflow_id == "stock-test"
    card = view.advice.scorecard
    assert card is not None and card.backtest is not None and card.backtest.hypotheses is not None
    assert card.hypotheses is None, "it was recommended long after its as-of instant"


async def test_the_same_recommendation_made_again_is_on_the_scorecard_once(
    client: Client, tmp_path: Path
) -> None:
    """Of the same day, at another cost, in other steps, at another hour."""
    others = (
        episode(steps=SHORT),
        episode(steps=SHORT, cost=Decimal("0.20")),
        episode(),
        episode(steps=SHORT, as_of=AS_OF + timedelta(hours=1)),
    )
    async with desk_workers(
        client, tmp_path, analyst=acting(as_usual), tools=Outcomes(), servers=SERVERS
    ):
        for number, request in enumerate(others):
            await (await start_episode(client, request, run_id=f"stock-{number}")).result()
        view = await learned(client, DUE + timedelta(hours=1))
    (scored,) = view.hypotheses
    assert scored.workflow_id == "stock-3"
    card = view.advice.scorecard
    assert card is not None and card.backtest is not None and card.backtest.hypotheses is not None
    assert card.backtest.hypotheses.scored == 1


async def test_who_takes_no_side_is_not_on_the_scorecard(client: Client, tmp_path: Path) -> None:
    async with desk_workers(
        client,
        tmp_path,
        analyst=acting(recommending(Recommended.HOLD, 0.5)),
        tools=Outcomes(),
        servers=SERVERS,
    ):
        await (await start_episode(client, episode(steps=SHORT))).result()
        learning = client.get_workflow_handle(LEARNING_SYSTEM_ID)
        with pytest.raises(RPCError):
            await learning.describe()


async def test_after_a_split_the_scorecard_has_both_ends_in_the_shares_of_the_end(
    client: Client, tmp_path: Path
) -> None:
    """It was at 1200 and has been told as 120 since."""

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.RUN_TA_BASIC or not request.exchanges:
            return None
        return Turn(result=part(request, last="1200.00"))

    split = {**CAME, Metric.ENTRY: "121.00", Metric.EXIT: "133.10"}
    async with desk_workers(
        client, tmp_path, analyst=acting(script), tools=Outcomes(came=split), servers=SERVERS
    ):
        await (await start_episode(client, episode(steps=SHORT))).result()
        view = await learned(client, DUE)
    (scored,) = view.hypotheses
    assert (scored.hypothesis.level, scored.value) == (Decimal("121.00"), Decimal("133.10"))
    assert scored.state is HypothesisState.HELD


def remembered(directory: Path) -> dict[str, MemoryKind]:
    entries = EmbeddedMemory(directory / "memory.db").entries()
    return {entry.memory_id: entry.kind for entry in entries}


async def test_a_recommendation_and_what_came_of_it_are_remembered_and_shown_to_later_runs(
    client: Client, tmp_path: Path
) -> None:
    recalled: list[list[str]] = []

    def script(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is TaskType.GENERATE_RECOMMENDATION:
            recalled.append([each.entry.text for each in request.recalled])
        return None

    await run_of(client, tmp_path, script, episode(steps=SHORT), run_id="stock-first")
    assert remembered(tmp_path) == {
        "stock-first/20240610T220000/recommendation": MemoryKind.FINDINGS,
        "stock-first/20240610T220000/evaluation": MemoryKind.OUTCOME,
    }
    for run_id, as_of in (("stock-between", DUE - timedelta(days=1)), ("stock-later", DUE)):
        request = episode(steps=SHORT, as_of=as_of)
        await run_of(client, tmp_path, script, request, run_id=run_id)
    nothing, between, later = recalled
    assert (nothing, len(between)) == ([], 1)
    assert "buy, confidence 0.50" in between[0]
    assert any("the price moved by 10.00 %" in text for text in later)


async def test_an_episode_without_memory_remembers_nothing_and_learns_nothing(
    client: Client, tmp_path: Path
) -> None:
    await run_of(client, tmp_path, request=episode(steps=SHORT, memory=False, learn=False))
    assert remembered(tmp_path) == {}
    with pytest.raises(RPCError):
        await client.get_workflow_handle(LEARNING_SYSTEM_ID).describe()


async def test_a_memory_that_cannot_be_opened_holds_nothing_up(
    client: Client, tmp_path: Path
) -> None:
    (tmp_path / "memory.db").mkdir()
    result = await run_of(client, tmp_path, request=episode(steps=SHORT))
    assert result.board.taken == SHORT


async def test_what_the_parts_contradict_each_other_in_is_shown_open_where_a_vote_cannot_decide(
    client: Client, tmp_path: Path
) -> None:
    """The market data have it fall, for sure; the indicators have it rise, hardly."""
    shown: list[ConflictRecord] = []

    def script(request: TurnRequest) -> Turn | None:
        task = request.assignment.task_type
        if task is TaskType.GENERATE_RECOMMENDATION:
            shown.extend(request.conflicts)
        if not request.exchanges:
            return None
        if task is TaskType.RUN_TA_BASIC:
            return Turn(result=leaning(part(request), Leaning.DOWN, 0.9))
        if task is TaskType.RUN_TA_ADVANCED:
            return Turn(result=leaning(part(request), Leaning.UP, 0.2))
        return None

    steps = (BASIC, ADVANCED, *SHORT[1:])
    result = await run_of(client, tmp_path, script, episode(steps=steps))
    assert [(each.market, each.resolved) for each in shown] == [(SYMBOL, False)]
    assert result.board.taken == steps


def leaning(found: ResearchResult, way: Leaning, confidence: float) -> ResearchResult:
    view = View(
        subject=SYMBOL,
        kind=ViewKind.DIRECTION,
        leaning=way,
        confidence=confidence,
        claims=(found.claims[0].claim_id,),
    )
    return found.model_copy(update={"views": (view,)})


async def test_the_blackboard_is_complete_while_an_agent_works(
    client: Client, tmp_path: Path
) -> None:
    seen: list[EpisodeStatus] = []

    async def analyst(request: TurnRequest) -> Turn:
        if request.assignment.task_id == INSIGHT:
            run = client.get_workflow_handle("stock-test")
            seen.append(await run.query(StockResearchWorkflow.episode))
        return stock_turn(request)

    async with desk_workers(client, tmp_path, analyst=analyst, tools=Outcomes(), servers=SERVERS):
        await (await start_episode(client, episode(steps=SHORT))).result()
    (status,) = seen
    assert [step.action for step in status.steps] == [BASIC]
    assert status.board == status.steps[-1].board
    assert status.board.ta_basic_data is not None and status.board.news_data is None


async def test_the_built_in_agents_take_the_usual_order_on_the_real_servers(
    namespace: Namespace, tmp_path: Path
) -> None:
    """What no package has is lacking, and the history of the run stays small."""
    in_2009 = AS_OF.replace(year=2009)
    async with stock_desk(tmp_path, namespace) as desk:
        result = await desk.run_episode("AAPL", in_2009)
        with pytest.raises(WorkflowFailureError) as unknown:
            await desk.run_episode("NVDIA", in_2009)
        history = await desk.client.get_workflow_handle("stock-AAPL-0").fetch_history()
    assert (result.board.taken, result.outcome) == (ORDER, Outcome.COMPLETE)
    assert result.board.news_data is not None and result.board.news_data.figures == ()
    assert result.board.ta_basic_data is not None and result.board.ta_basic_data.lacking == ()
    assert result.board.recommendation is not None
    assert result.board.evaluation is not None and result.board.evaluation.lacking == ()
    assert isinstance(unknown.value.cause, ApplicationError)
    assert unknown.value.cause.type == FailureType.UNUSABLE_REQUEST
    assert "NVDA" in unknown.value.cause.message
    assert sum(event.ByteSize() for event in history.events) < 160_000


async def test_on_the_real_servers_a_stock_whose_prices_have_ended_is_refused_by_its_days(
    namespace: Namespace, tmp_path: Path
) -> None:
    as_of = datetime.now(UTC) - timedelta(minutes=1)
    async with stock_desk(tmp_path, namespace) as desk:
        with pytest.raises(WorkflowFailureError) as failed:
            await desk.run_episode("AAPL", as_of)
    cause = failed.value.cause
    assert isinstance(cause, ApplicationError) and cause.type == FailureType.UNUSABLE_REQUEST
    assert "they end on 2013-03-01" in cause.message


async def test_one_that_is_cancelled_while_it_waits_has_its_first_report(
    client: Client, skipping: WorkflowEnvironment, tmp_path: Path
) -> None:
    tools = Outcomes()
    async with desk_workers(
        client, tmp_path, analyst=acting(as_usual), tools=tools, servers=SERVERS
    ):
        run = await begun(client, tmp_path)
        await skipping.sleep(timedelta(days=1))
        await run.cancel()
        with pytest.raises(WorkflowFailureError) as failed:
            await run.result()
        published = (await status_of(run)).published
    assert isinstance(failed.value.cause, CancelledError)
    assert published is not None and Path(published.json_file).is_file()
    assert tools.asked_at == []
