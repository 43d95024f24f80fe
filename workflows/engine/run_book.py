"""What every run of a graph's nodes keeps: its board, what has come of its nodes, and what it may
spend."""

from collections.abc import Iterable
from typing import Protocol

from temporalio import workflow

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.config import RunPolicy
from desk.contracts.question.graph import NodeOutcome
from desk.contracts.week.run import TaskOutcome, Tools
from desk.runs.assignments.budget import Budget
from desk.runs.assignments.reassignment import Undelivered
from desk.runs.boards.graph_board import GraphBoard, Progress, ended
from workflows.engine.task_runner import TaskRunner
from workflows.options import note_phase


class Nodes(Progress, Protocol):
    """The nodes of a run, each begun once or several times, and what came of them."""

    outcomes: list[NodeOutcome]

    def begin(self, name: str) -> None:
        """A node has been begun."""


class RunBook:
    """One execution's book. Whatever is noted in it stands in the Temporal UI at once."""

    def __init__(self, nodes: Nodes, board: GraphBoard, policy: RunPolicy, budget: Budget) -> None:
        self._nodes = nodes
        self._policy = policy
        self.board = board
        self.budget = budget
        self.tools: Tools = ()

    @property
    def tasks(self) -> TaskRunner:
        """Whoever does the run's tasks."""
        return TaskRunner(self._policy, self.budget, self.tools)

    def enter(self, phase: Phase, *notes: str) -> None:
        """The run is in another phase; notes stand under the board in the UI."""
        self.board.phase = phase
        note_phase(phase)
        self.show(*notes)

    def begin(self, node: str) -> None:
        """Somebody has begun to work."""
        self._nodes.begin(node)
        self.board.note_begun(node, workflow.now())
        self.show()

    def end(self, node: str, done: TaskOutcome | Undelivered) -> None:
        """What somebody brought, or why there is nothing."""
        outcome = ended(
            node,
            done,
            began=self.board.begun(node),
            at=workflow.now(),
            round_=max(self._nodes.rounds_of(node), 1),
        )
        self._nodes.outcomes.append(outcome)
        self.board.note_ended(outcome)
        self.show()

    def show(self, *notes: str) -> None:
        """Have the UI show the book as it stands."""
        texts = (self.board.details(), *self.besides(), *notes)
        workflow.set_current_details("\n\n".join(filter(None, texts)))

    def besides(self) -> Iterable[str]:
        """What stands under the board, in Markdown."""
        return ()
