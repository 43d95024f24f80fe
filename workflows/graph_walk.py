"""The way through a graph: each node when its time has come, side by side where it forks."""

import asyncio
from collections import deque
from datetime import datetime

from temporalio import workflow

from desk.contracts.question.graph import GraphRequest
from desk.contracts.week.run import Tools
from desk.contracts.weeks import TimeWindow
from desk.runs.assignments.graph_assignments import shown_to
from desk.runs.boards.graph_board import GraphBoard
from desk.runs.graphs.machine import GraphMachine, Step
from workflows.graph_nodes import GraphNodes

MOST_AT_WORK = 40
"""Nodes that work at the same time; the others wait for their turn. A workflow can have 2,000
activities under way, and a node up to sixteen."""


class GraphWalk:
    """One run's way through its graph, and the board that shows it."""

    def __init__(self, request: GraphRequest, window: TimeWindow, started_at: datetime) -> None:
        """Raises:
        ValueError: the graph has a form that cannot be run.
        """
        self.deadline = started_at + request.policy.deadlines.week
        self._request = request
        self._window = window
        self._machine = GraphMachine(request.graph, request.query)
        self.board = GraphBoard(
            request.query,
            request.graph.name,
            request.policy.budget.allowance,
            self._machine,
            started_at,
        )

    @property
    def skipped(self) -> tuple[str, ...]:
        """The nodes that it did not come to."""
        return self._machine.skipped

    async def to_the_end(self, tools: Tools) -> None:
        """Take every step that there is to take."""
        nodes = GraphNodes(self._request, self._window, self.deadline, self.board, tools)
        ready, working = deque(self._machine.begin()), list[asyncio.Task[tuple[Step, ...]]]()
        try:
            while ready or working:
                while ready and len(working) < MOST_AT_WORK:
                    step = asyncio.create_task(self._take(ready.popleft(), nodes))
                    step.add_done_callback(_look_at)
                    working.append(step)
                done, working = await workflow.wait(working, return_when=asyncio.FIRST_COMPLETED)
                for taken in done:
                    ready.extend(taken.result())
        finally:
            for left in working:
                left.cancel()

    async def _take(self, step: Step, nodes: GraphNodes) -> tuple[Step, ...]:
        """Do a step; the steps that follow from it."""
        self.board.note_begun(step.node.name, workflow.now())
        workflow.set_current_details(self.board.details())
        state = shown_to(step.node, self._request.graph, self._machine.visible_to(step.node))
        outcome = await nodes.work(step, state)
        self.board.note_ended(outcome)
        following = self._machine.finish(outcome.entry)
        workflow.set_current_details(self.board.details())
        return following


def _look_at(step: "asyncio.Task[tuple[Step, ...]]") -> None:
    """See how a step ended: those that end with a cancelled run are waited for by nobody, and the
    worker would tell of each that nobody did."""
    if not step.cancelled():
        step.exception()
