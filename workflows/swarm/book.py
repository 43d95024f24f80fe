"""What the parts of a swarm's run share: where it stands, what it may spend, and its board."""

from temporalio import workflow

from desk.contracts.swarm.run import SwarmRequest
from desk.programs.swarm.graph import GRAPH
from desk.programs.swarm.parts.state import SwarmState
from desk.runs.assignments.budget import NOTHING, Budget, all_of
from desk.runs.boards.graph_board import GraphBoard
from workflows.engine.run_book import RunBook


class SwarmBook(RunBook):
    """One execution's book. What earlier rounds have spent is taken out of the budget."""

    def __init__(self, request: SwarmRequest) -> None:
        self.request = request
        self.state = SwarmState(request, workflow.info().start_time)
        budget = Budget(request.policy.budget.allowance)
        budget.settle(NOTHING, all_of(self.state.spent_before))
        board = GraphBoard(request.query, GRAPH, budget.allowed, self.state, self.state.started_at)
        super().__init__(self.state, board, request.policy, budget)
        for outcome in self.state.outcomes:
            self.board.note_begun(outcome.entry.node, outcome.started_at)
            self.board.note_ended(outcome)
