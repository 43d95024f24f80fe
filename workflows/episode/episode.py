"""The episode of a stock: researched step by step on a blackboard, until a recommendation is made
and evaluated."""

from temporalio import workflow

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.names import Message
from desk.contracts.runs.episode import EpisodeStatus, StockRequest, StockResult
from desk.contracts.runs.graph import GraphStatus
from desk.programs.episode.program import PROGRAM
from workflows.engine.options import MARKET, note_outcome, unusable
from workflows.engine.tools import tools_of, with_reachability
from workflows.episode.run import EpisodeRun
from workflows.episode.steps import StockSteps

FIRST_YEAR = 1900
"""No stock has prices from before this year."""


@workflow.defn
class StockResearchWorkflow:
    """One episode. Once the symbol is found, the episode ends with a report, whatever fails.

    A past episode is evaluated at once. If the horizon is still ahead, the report is published
    without the evaluation, and published again once the horizon is over.
    """

    @workflow.init
    def __init__(self, request: StockRequest) -> None:
        self._run = EpisodeRun(request)

    @workflow.run
    async def run(self, request: StockRequest) -> StockResult:
        """Returns the published report, the blackboard, and the steps that led to it.

        Raises:
            ApplicationError: `UnusableRequest`: the as-of instant is in the future, or there is no
                such symbol.
        """
        run, board = self._run, self._run.board
        if board.as_of > workflow.now():
            raise unusable(f"{board.as_of.date()} has not come yet")
        if board.as_of.year < FIRST_YEAR:
            raise unusable(f"there are no prices of {board.as_of.date()}")
        workflow.upsert_search_attributes([MARKET.value_set(request.symbol)])
        policy = await with_reachability(request.policy, PROGRAM.agents)
        if policy is not request.policy:
            request = request.model_copy(update={"policy": policy})
            run = self._run = EpisodeRun(request)
            board = run.board
        run.enter(Phase.RESEARCHING)
        run.tools = await tools_of(policy, PROGRAM.agents)
        await StockSteps(run).run_to_end()
        run.enter(Phase.PUBLISHING)
        publication = await run.publish()
        run.board.note_published(publication.files)
        run.show()
        note_outcome(publication.outcome)
        return StockResult(
            outcome=publication.outcome,
            files=publication.files,
            summary=publication.summary,
            answered=publication.answered,
            board=board.blackboard.snapshot(),
            steps=tuple(board.steps),
            seconds=(workflow.now() - board.started_at - board.waited).total_seconds(),
        )

    @workflow.query(name=Message.STATUS, description="How far the episode is, node by node")
    def status(self) -> GraphStatus:
        """Returns the status board."""
        return self._run.board.status()

    @workflow.query(name=Message.EPISODE, description="The blackboard, and the steps so far")
    def episode(self) -> EpisodeStatus:
        """Returns the current blackboard."""
        return self._run.board.episode()
