"""One episode's run: its board, its tasks, and its report."""

from temporalio import workflow

from desk.agents.program import AgentProfile
from desk.agents.roster import profile_in
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.names import AgentId
from desk.contracts.runs.episode import StockRequest
from desk.contracts.runs.graph import AnswerPublication
from desk.contracts.runs.turns import EpisodeContext
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.run.assignments import episode_task
from desk.programs.episode.run.board import EpisodeBoard
from desk.programs.episode.run.memories import StockRemembering
from workflows.engine.agent_work import AgentTask
from workflows.engine.publishing import published
from workflows.engine.run import NodeRun

NO_CONTEXT = EpisodeContext()


class EpisodeRun(NodeRun[EpisodeBoard]):
    """The run of one episode."""

    def __init__(self, request: StockRequest) -> None:
        super().__init__(EpisodeBoard(request, workflow.info().start_time), request.policy)
        self.request = request
        self._publications = 0

    @property
    def remembering(self) -> StockRemembering:
        """The entries for the memory that the episode has produced so far."""
        snapshot = self.board.blackboard.snapshot()
        return StockRemembering(workflow.info().workflow_id, self.board.query.question, snapshot)

    def profile(self, agent: AgentId, *, built_in: bool = False) -> AgentProfile:
        """Returns the agent's profile in the run's policy, or its built-in form, which costs
        nothing."""
        profile = profile_in(self.request.policy, agent)
        return profile.model_copy(update={"model": BUILTIN}) if built_in else profile

    def task(
        self,
        node: str,
        profile: AgentProfile,
        context: EpisodeContext = NO_CONTEXT,
        *,
        round_: int | None = None,
        again: int = 0,
        query: Query | None = None,
        window: TimeWindow | None = None,
    ) -> AgentTask:
        """Returns the task of an agent at a node. By default it is about the episode's query, in
        its window, and one round after the last. `again` distinguishes a repeated attempt from the
        one before."""
        board = self.board
        assignment = episode_task(
            profile,
            node,
            board.rounds_of(node) if round_ is None else round_,
            self.request,
            query or board.query,
            window or board.window,
            workflow.now() + self.request.policy.deadlines.task,
        )
        place = f"{assignment.task_id}.again{again}" if again else assignment.task_id
        return AgentTask(profile, assignment, context, place)

    async def publish(self) -> AnswerPublication:
        """Publishes the report of the results so far. A later report replaces it."""
        info = workflow.info()
        record = self.board.record(info.workflow_id, info.run_id)
        self._publications += 1
        publication = await published(record, activity_id=f"publish.{self._publications}")
        self.board.published = publication
        self.board.files = publication.files
        return publication
