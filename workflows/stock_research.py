"""A stock researched step by step on a blackboard, recommended on, and held against what
happened."""

from temporalio import workflow

from desk.agents.roster import STOCK_AGENTS
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.episode.run import EpisodeStatus, StockRequest, StockResult
from desk.contracts.names import Message
from desk.contracts.question.graph import GraphStatus
from workflows.options import MARKET, note_outcome, unusable
from workflows.stock_book import StockBook
from workflows.stock_steps import StockSteps
from workflows.week_tools import tools_of

FIRST_YEAR = 1900
"""Before it there are prices of no stock."""


@workflow.defn
class StockResearchWorkflow:
    """One episode. Whatever fails after the symbol was found, it ends with what there is.

    In history the recommendation is evaluated at once. Where its horizon is ahead, the report goes
    out first, and again when it is over and the evaluation is there.
    """

    @workflow.init
    def __init__(self, request: StockRequest) -> None:
        self._book = StockBook(request)

    @workflow.run
    async def run(self, request: StockRequest) -> StockResult:
        """The published report, the blackboard, and the steps that led to it.

        Raises:
            ApplicationError: `UnusableRequest`: it is about a time that has not come, or there is
                no such symbol.
        """
        book, state = self._book, self._book.state
        if state.as_of > workflow.now():
            raise unusable(f"{state.as_of.date()} has not come yet")
        if state.as_of.year < FIRST_YEAR:
            raise unusable(f"there are no prices of {state.as_of.date()}")
        workflow.upsert_search_attributes([MARKET.value_set(request.symbol)])
        book.enter(Phase.RESEARCHING)
        book.tools = await tools_of(request.policy, STOCK_AGENTS)
        await StockSteps(book).to_the_end()
        book.enter(Phase.PUBLISHING)
        publication = await book.publish()
        book.board.note_published(publication.files)
        book.show()
        note_outcome(publication.outcome)
        return StockResult(
            outcome=publication.outcome,
            files=publication.files,
            summary=publication.summary,
            board=state.board.told(),
            steps=tuple(state.steps),
            seconds=(workflow.now() - state.started_at - state.waited).total_seconds(),
        )

    @workflow.query(name=Message.STATUS, description="How far the episode is, node by node")
    def status(self) -> GraphStatus:
        """The status board."""
        return self._book.board.status(self._book.state.as_of, self._book.state.deadline)

    @workflow.query(name=Message.EPISODE, description="The blackboard, and the steps so far")
    def episode(self) -> EpisodeStatus:
        """The blackboard as it stands, complete at every moment."""
        return self._book.status
