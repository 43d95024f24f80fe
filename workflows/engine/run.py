"""A run at work: the board that the Temporal UI shows as it changes, and who does its tasks."""

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
    """A run at work. Each change of its board is shown in the Temporal UI at once."""

    def __init__(self, board: AnyBoard) -> None:
        self.board = board

    def enter(self, phase: Phase, *notes: str) -> None:
        """The run is in another phase; notes stand under the board in the UI."""
        self.board.phase = phase
        note_phase(phase)
        self.show(*notes)

    def show(self, *notes: str) -> None:
        """Have the UI show the board as it stands."""
        workflow.set_current_details("\n\n".join(filter(None, (self.board.details(), *notes))))


class NodeRun(Run[Nodes]):
    """A run of a graph's nodes. `tools` are described to models, once they are known."""

    def __init__(self, board: Nodes, policy: RunPolicy) -> None:
        super().__init__(board)
        self.tools: Tools = ()
        self._policy = policy

    @property
    def tasks(self) -> TaskRunner:
        """The runner of its tasks, by the run's policy."""
        return self.tasks_by(self._policy)

    def tasks_by(self, policy: RunPolicy) -> TaskRunner:
        """The runner of its tasks, by a node's own policy."""
        return TaskRunner(policy, self.board.budget, self.tools)

    def begin(self, node: str) -> None:
        """A node has begun."""
        self.board.begin(node, workflow.now())
        self.show()

    def end(
        self, node: str, done: TaskOutcome | Undelivered, key: str | None = None
    ) -> NodeOutcome:
        """A node has ended: the outcome, or why there is none."""
        outcome = self.board.end(node, done, workflow.now(), key)
        self.show()
        return outcome
