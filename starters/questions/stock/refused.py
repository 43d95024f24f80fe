"""Checks, before a run is started, whether an episode can begin with the request.

Takes the controller's own first turn: its rule refuses a symbol without prices. Calls the desk's
sources for it.
"""

from datetime import datetime

from temporalio.client import Client, WorkflowFailureError

from desk.agents.capabilities import best_answer, call_by, routes_to, satisfies
from desk.agents.roster import profile_in
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.names import AgentId, FailureType
from desk.contracts.runs.episode import StockRequest
from desk.contracts.runs.turns import Exchange, TurnRequest
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.episode.builtin.controller import choose
from desk.programs.episode.run.assignments import episode_task
from desk.programs.episode.run.board import EpisodeBoard
from desk.programs.episode.run.graph import CONTROLLER
from desk.training.tables import offline_words
from starters.runs.server_runs import why_it_ended
from starters.sources.tools.one_call import called_tool
from starters.terminal.exit_status import UsageError


async def check_stock(client: Client, request: StockRequest, now: datetime) -> None:
    """Checks that there are prices for an episode to begin with. If no source answers, the run
    itself finds out.

    Raises:
        UsageError: there are none; the message says for which symbols and days there are.
        ServerUnreachable, RPCError: the server went away.
    """
    refused = await _refusal(client, request, _first_turn(request, now))
    if refused is not None:
        raise UsageError(f"{refused.removesuffix('.')}. {offline_words(request.symbol)}")


async def _refusal(client: Client, request: StockRequest, turn: TurnRequest) -> str | None:
    as_of = turn.assignment.window.end
    while True:
        try:
            calls = choose(turn).calls
        except TaskNotPossible as impossible:
            error = impossible.error
            unusable = error.error_type == FailureType.UNUSABLE_REQUEST
            return error.error_message if unusable else None
        if not calls:
            return None
        answers = [await _asked(client, call, request.policy, as_of) for call in calls]
        exchange = Exchange(results=tuple(answers))
        turn = turn.model_copy(update={"exchanges": (*turn.exchanges, exchange)})


def _first_turn(request: StockRequest, now: datetime) -> TurnRequest:
    """Builds the request for the controller's first turn in a run that would begin now."""
    board = EpisodeBoard(request, now)
    task = episode_task(
        profile_in(request.policy, AgentId.CONTROLLER_AGENT),
        CONTROLLER,
        board.rounds_of(CONTROLLER),
        request,
        board.query,
        board.window,
        now + request.policy.deadlines.task,
    )
    return TurnRequest(assignment=task, board=board.blackboard.snapshot())


async def _asked(client: Client, call: ToolCall, policy: RunPolicy, as_of: datetime) -> ToolResult:
    """Calls the sources of a capability, one after another until one satisfies."""
    answers: list[ToolResult] = []
    for route in routes_to(call.capability, policy) if call.capability else ():
        answers.append(await _answer(client, call_by(route, call), as_of))
        if satisfies(answers[-1]):
            break
    if answers:
        return best_answer(answers)
    return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error="nobody is there to ask")


async def _answer(client: Client, call: ToolCall, as_of: datetime) -> ToolResult:
    try:
        return await called_tool(client, call, as_of, "Whether there are prices of a stock")
    except WorkflowFailureError as error:
        return ToolResult(call=call, status=ToolStatus.UNAVAILABLE, error=why_it_ended(error))
