"""A question that a graph of agents answers: its nodes, side by side where it forks, then the
published answer."""

from temporalio import workflow

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.names import Message
from desk.contracts.question.graph import (
    AnswerPublication,
    GraphRecord,
    GraphRequest,
    GraphResult,
    GraphStatus,
)
from desk.runs.assignments.graph_assignments import week_before, window_before
from workflows.answer_publishing import published
from workflows.graph_walk import GraphWalk
from workflows.options import note_outcome, note_phase, unusable
from workflows.week_tools import tools_of


@workflow.defn
class ResearchGraphWorkflow:
    """Answers a question by a graph of agents; whatever fails, it ends with what there is."""

    @workflow.init
    def __init__(self, request: GraphRequest) -> None:
        self._request = request
        self._started_at = workflow.info().start_time
        self._as_of = request.as_of or self._started_at
        self._window = window_before(self._as_of, request.time_zone)
        self._walk: GraphWalk | None = None

    @workflow.run
    async def run(self, request: GraphRequest) -> GraphResult:
        """The published answer, with what could not be had.

        Raises:
            ApplicationError: `UnusableRequest`: the graph cannot be run, or the question is about
                a time that has not come.
        """
        walk = self._walk = self._begun()
        note_phase(Phase.RESEARCHING)
        agents = sorted({node.agent for node in request.graph.nodes})
        await walk.to_the_end(await tools_of(request.policy, agents))
        note_phase(Phase.PUBLISHING)
        walk.board.phase = Phase.PUBLISHING
        publication = await self._publish(walk)
        walk.board.note_published(publication.files)
        note_outcome(publication.outcome)
        return GraphResult(
            outcome=publication.outcome,
            files=publication.files,
            summary=publication.summary,
            seconds=(workflow.now() - self._started_at).total_seconds(),
        )

    @workflow.query(name=Message.STATUS, description="How far the graph is, node by node")
    def status(self) -> GraphStatus:
        """The status board."""
        if self._walk is None:
            raise unusable("the run was refused, and has nothing to show")
        return self._walk.board.status(self._as_of, self._walk.deadline)

    async def _publish(self, walk: GraphWalk) -> AnswerPublication:
        info = workflow.info()
        record = GraphRecord(
            request=self._request,
            week=week_before(self._as_of),
            window=self._window,
            nodes=walk.board.outcomes,
            skipped=walk.skipped,
            started_at=self._started_at,
            workflow_id=info.workflow_id,
            run_id=info.run_id,
        )
        return await published(record, what="answer")

    def _begun(self) -> GraphWalk:
        """Only the form is looked at: who starts a run has had the graph checked, and a check that
        is made stricter must not refuse what has been run."""
        if self._as_of > workflow.now():
            raise unusable(f"{self._as_of.date()} has not come yet")
        try:
            return GraphWalk(self._request, self._window, self._started_at)
        except ValueError as error:
            raise unusable(str(error)) from error
