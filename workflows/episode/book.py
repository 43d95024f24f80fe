"""What the parts of an episode share: where it stands, its agents at work, and its report."""

from collections.abc import Iterable
from datetime import datetime

from temporalio import workflow

from desk.agents.program import AgentProfile
from desk.agents.roster import profile_in
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.episode.run import EpisodeStatus, StockRequest
from desk.contracts.names import AgentId
from desk.contracts.question.graph import AnswerPublication
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.memories import StockRemembering
from desk.programs.episode.run.assignments import episode_task
from desk.programs.episode.run.board import board_details
from desk.programs.episode.run.graph import GRAPH
from desk.programs.episode.run.state import StockState
from desk.runs.assignments.budget import Budget
from desk.runs.boards.graph_board import GraphBoard
from workflows.engine.agent_work import NO_CONTEXT, AgentTask, TurnContext
from workflows.engine.publishing import published
from workflows.engine.run_book import RunBook


class StockBook(RunBook):
    """One episode's book. `waits_for` is what its status tells besides, and `waits_because` why it
    is tried again then."""

    def __init__(self, request: StockRequest) -> None:
        self.request = request
        self.state = StockState(request, workflow.info().start_time)
        self.waits_for: datetime | None = None
        self.waits_because: str | None = None
        self.published: AnswerPublication | None = None
        self._publications = 0
        budget = Budget(request.policy.budget.allowance)
        state = self.state
        board = GraphBoard(state.query, GRAPH, budget.allowed, state, state.started_at)
        super().__init__(state, board, request.policy, budget)

    @property
    def status(self) -> EpisodeStatus:
        """The episode as it stands."""
        return EpisodeStatus(
            request=self.request,
            as_of=self.state.as_of,
            board=self.state.board.told(),
            steps=tuple(self.state.steps),
            waits_for=self.waits_for,
            published=self.published.files if self.published else None,
            outcome=self.published.outcome if self.published else None,
            note="; ".join(filter(None, (self.waits_because, *self.state.notes)))[:4_000] or None,
        )

    @property
    def remembering(self) -> StockRemembering:
        """What is remembered of the episode, as it stands."""
        told = self.state.board.told()
        return StockRemembering(workflow.info().workflow_id, self.state.query.question, told)

    def besides(self) -> Iterable[str]:
        """The blackboard, and what is waited for."""
        yield board_details(self.state.board.told())
        if self.waits_for is not None:
            yield f"waits until {self.waits_for:%Y-%m-%d %H:%M} UTC"

    def profile(self, agent: AgentId, *, built_in: bool = False) -> AgentProfile:
        """An agent as the run has it, or the built-in one in its place, which costs nothing."""
        profile = profile_in(self.request.policy, agent)
        return profile.model_copy(update={"model": BUILTIN}) if built_in else profile

    def task(
        self,
        node: str,
        profile: AgentProfile,
        context: TurnContext = NO_CONTEXT,
        *,
        round_: int | None = None,
        again: int = 0,
        query: Query | None = None,
        window: TimeWindow | None = None,
    ) -> AgentTask:
        """What an agent is to do now at a node; without more, what the episode asks in its window,
        once more than it was done before. `again` tells another try at it from the one before."""
        state = self.state
        assignment = episode_task(
            profile,
            node,
            state.rounds_of(node) if round_ is None else round_,
            self.request,
            query or state.query,
            window or state.window,
            workflow.now() + self.request.policy.deadlines.task,
        )
        place = f"{assignment.task_id}.again{again}" if again else assignment.task_id
        return AgentTask(profile, assignment, context, place)

    async def publish(self) -> AnswerPublication:
        """The report of what there is; a later one takes its place."""
        info = workflow.info()
        record = self.state.record(info.workflow_id, info.run_id)
        self._publications += 1
        publication = await published(record, activity_id=f"publish.{self._publications}")
        self.published = publication
        self.board.files = publication.files
        return publication
