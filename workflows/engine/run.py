"""A run: its board, which the Temporal UI shows as it changes, and the runner of its tasks."""

from typing import Generic, TypeVar

from temporalio import workflow

from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tools import Tools
from desk.contracts.runs.graph import NodeOutcome
from desk.contracts.runs.tasks import TaskOutcome
from desk.runs.assignments import Undelivered
from desk.runs.boards import NodeBoard, RunBoard
from workflows.engine.options import note_phase
from workflows.engine.task_runner import TaskRunner

AnyBoard = TypeVar("AnyBoard", bound=RunBoard)
Nodes = TypeVar("Nodes", bound=NodeBoard)


class Run(Generic[AnyBoard]):
    """A run and its board. Every change is shown in the Temporal UI at once."""

    def __init__(self, board: AnyBoard) -> None:
        self.board = board

    def enter(self, phase: Phase, *notes: str) -> None:
        """Moves the run to a phase. Notes appear under the board in the UI."""
        self.board.phase = phase
        note_phase(phase)
        self.show(*notes)

    def show(self, *notes: str) -> None:
        """Shows the board's current state in the Temporal UI."""
        workflow.set_current_details("\n\n".join(filter(None, (self.board.details(), *notes))))


class NodeRun(Run[Nodes]):
    """A run of a graph's nodes. `tools` are the descriptions shown to models, empty until they are
    known."""

    def __init__(self, board: Nodes, policy: RunPolicy) -> None:
        super().__init__(board)
        self.tools: Tools = ()
        self._policy = policy

    @property
    def tasks(self) -> TaskRunner:
        """Returns a task runner with the policy of the run."""
        return self.tasks_by(self._policy)

    def tasks_by(self, policy: RunPolicy) -> TaskRunner:
        """Returns a task runner with the policy of one node."""
        return TaskRunner(policy, self.board.budget, self.tools)

    def begin(self, node: str) -> None:
        """Notes on the board that a node has begun."""
        self.board.begin(node, workflow.now())
        self.show()

    def end(
        self, node: str, done: TaskOutcome | Undelivered, key: str | None = None
    ) -> NodeOutcome:
        """Notes a node's result on the board, or why it has none."""
        outcome = self.board.end(node, done, workflow.now(), key)
        self.show()
        return outcome
