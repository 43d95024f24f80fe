"""What the parts of a swarm's run share: where it stands, what it may spend, and its board."""

from temporalio import workflow

from contracts.report import Contribution
from contracts.search_attributes import Phase
from contracts.swarm_run import SwarmRequest
from contracts.week_run import TaskOutcome, Tools
from domain.budget import NOTHING, Purse, all_of
from domain.graph_board import GraphBoard, ended
from domain.swarm_graph import GRAPH
from domain.swarm_state import SwarmState
from workflows.options import note_phase


class SwarmBook:
    """One execution's book. What earlier rounds have spent is taken out of the purse."""

    def __init__(self, request: SwarmRequest) -> None:
        self.request = request
        self.state = SwarmState(request, workflow.info().start_time)
        self.tools: Tools = ()
        self.purse = Purse(request.policy.budget.allowance)
        self.purse.settle(NOTHING, all_of(self.state.spent_before))
        self.board = GraphBoard(
            request.query, GRAPH, self.purse.allowed, self.state, self.state.started_at
        )
        for outcome in self.state.outcomes:
            self.board.note_begun(outcome.entry.node, outcome.started_at)
            self.board.note_ended(outcome)

    def enter(self, phase: Phase, note: str = "") -> None:
        """The run is in another phase; a note stands under the board in the UI."""
        self.board.phase = phase
        note_phase(phase)
        workflow.set_current_details("\n\n".join(filter(None, (self.board.details(), note))))

    def begin(self, node: str) -> None:
        """Somebody has begun to work."""
        self.state.begin(node)
        self.board.note_begun(node, workflow.now())
        workflow.set_current_details(self.board.details())

    def end(
        self,
        node: str,
        contribution: Contribution,
        found: TaskOutcome | None = None,
        dead_letter: str | None = None,
    ) -> None:
        """What somebody brought, or why there is nothing."""
        outcome = ended(
            node,
            contribution,
            found,
            began=self.board.begun(node),
            at=workflow.now(),
            dead_letter=dead_letter,
        )
        self.state.outcomes.append(outcome)
        self.board.note_ended(outcome)
        workflow.set_current_details(self.board.details())
