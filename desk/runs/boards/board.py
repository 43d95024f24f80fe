"""The board of any run: its phase, its budget, and the results and costs of its tasks."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from desk.analytics.names.shortening import on_one_line
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import MOST_EVIDENCE, MOST_LOST, ToolCall, ToolResult, ToolStatus
from desk.contracts.agents.usage import Usage
from desk.contracts.episode.stock import StockRecord
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.findings.results import ResearchResult
from desk.contracts.question.graph import NodeSpec, NodeState
from desk.contracts.question.plan import QuestionPlan
from desk.contracts.runs.graph import (
    GraphRecord,
    GraphRequest,
    GraphStatus,
    NodeOutcome,
    NodeStatus,
)
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.turns import StateEntry
from desk.contracts.swarm.record import SwarmRecord
from desk.contracts.weeks import TimeWindow
from desk.runs.assignments import Budget, Undelivered, week_before, window_before
from desk.runs.boards.usage import sum_of
from desk.runs.graphs import GraphMachine

LONGEST_NOTE = 200
_MARKS = {
    NodeState.WAITING: "·",
    NodeState.RUNNING: "…",
    NodeState.DONE: "✓",
    NodeState.FAILED: "✗",
    NodeState.SKIPPED: "-",
}
MOST_LINES = 60
"""The maximum number of nodes that the Temporal UI shows."""


def lost_tools(asked: Sequence[ToolResult]) -> tuple[str, ...]:
    """Returns the tools, as `SERVER TOOL`, with calls that could not be made and that no other
    attempt got an answer to, each once. A refusal is an answer."""
    lost = (result.call for result in lost_calls(asked))
    return tuple(dict.fromkeys(f"{call.server} {call.tool}" for call in lost))[:MOST_LOST]


def lost_calls(asked: Sequence[ToolResult]) -> tuple[ToolResult, ...]:
    """Returns the results of the calls that could not be made and that no other attempt got an
    answer to."""
    had = {_asked(r.call) for r in asked if r.status is not ToolStatus.UNAVAILABLE}
    return tuple(result for result in asked if _asked(result.call) not in had)


def _asked(call: ToolCall) -> tuple[str, str]:
    return call.tool, json.dumps(call.arguments, sort_keys=True)


class RunBoard(ABC):
    """The phase and the budget of a run. Each program adds its own state."""

    def __init__(self, phase: Phase, allowance: Allowance, started_at: datetime) -> None:
        self.phase = phase
        self.budget = Budget(allowance)
        self.started_at = started_at

    @abstractmethod
    def details(self) -> str:
        """Renders the board for the Temporal UI, in Markdown."""


class NodeBoard(RunBoard):
    """The nodes of a run's graph, each started once or several times, and their results.

    The run's window is the days before `as_of`. The run may last as long as a week's run, plus the
    time that it has `waited` for a person or for a day to come.
    """

    def __init__(
        self,
        graph: str,
        query: Query,
        policy: RunPolicy,
        *,
        as_of: datetime,
        time_zone: str,
        started_at: datetime,
        nodes: Iterable[NodeSpec] = (),
    ) -> None:
        super().__init__(Phase.RESEARCHING, policy.budget.allowance, started_at)
        self.query = query
        self.as_of = as_of
        self.waited = timedelta(0)
        self.files: PublishedFiles | None = None
        self._graph = graph
        self._policy = policy
        self._time_zone = time_zone
        self._nodes = list(nodes)
        self._rounds: dict[str, int] = {}
        self._begun: dict[str, datetime] = {}
        self._outcomes: dict[tuple[str, int], NodeOutcome] = {}

    def begin(self, node: str, at: datetime) -> None:
        """Notes that a node has begun, or has begun another round."""
        self._rounds[node] = self._rounds.get(node, 0) + 1
        self._begun[node] = at

    def resume(self, node: str, at: datetime) -> None:
        """Notes that a node has waited and begins its work now."""
        self._begun[node] = at

    def end(
        self, node: str, done: TaskOutcome | Undelivered, at: datetime, key: str | None = None
    ) -> NodeOutcome:
        """Notes a node's result in its round, or why it has none. The result is stored under the
        node's name, or under `key` if the graph says so."""
        found = done if isinstance(done, TaskOutcome) else None
        outcome = NodeOutcome(
            entry=StateEntry(
                key=key or node,
                node=node,
                round=max(self.rounds_of(node), 1),
                result=found.result if found else None,
                error=done.contribution.error,
                lost=lost_tools(found.evidence) if found else (),
            ),
            evidence=found.evidence if found else (),
            contribution=done.contribution,
            started_at=self._begun.get(node, self.started_at),
            ended_at=at,
            dead_letter=done.dead_letter if isinstance(done, Undelivered) else None,
        )
        self._outcomes[node, outcome.entry.round] = outcome
        return outcome

    def restore_outcomes(self, outcomes: Iterable[NodeOutcome]) -> None:
        """Restores the outcomes of nodes from before the run continued as new."""
        for outcome in outcomes:
            node, round_ = outcome.entry.node, outcome.entry.round
            self._rounds[node], self._begun[node] = round_, outcome.started_at
            self._outcomes[node, round_] = outcome

    def note_published(self, files: PublishedFiles) -> None:
        """Notes that the answer is published."""
        self.files, self.phase = files, Phase.CLOSED

    @property
    def window(self) -> TimeWindow:
        """The window of the run: the days before its as-of instant."""
        return window_before(self.as_of, self._time_zone)

    @property
    def deadline(self) -> datetime:
        """Until when new work may begin."""
        return self.started_at + self._policy.deadlines.week + self.waited

    @property
    def nodes(self) -> Sequence[NodeSpec]:
        """The nodes that exist so far."""
        return self._nodes

    def state_of(self, name: str) -> NodeState:
        """Returns the state of a node in its last round."""
        ended = self._outcomes.get((name, self.rounds_of(name)))
        if ended is not None:
            return NodeState.FAILED if ended.entry.error else NodeState.DONE
        return NodeState.RUNNING if self.rounds_of(name) else NodeState.WAITING

    def rounds_of(self, name: str) -> int:
        """Returns how often a node was begun."""
        return self._rounds.get(name, 0)

    @property
    def outcomes(self) -> tuple[NodeOutcome, ...]:
        """The outcome of every round of every node, by the graph's order and then by round."""
        place = {node.name: n for n, node in enumerate(self.nodes)}
        ordered = sorted(self._outcomes, key=lambda key: (place[key[0]], key[1]))
        return tuple(self._outcomes[key] for key in ordered)

    @property
    def arrivals(self) -> tuple[NodeOutcome, ...]:
        """The same outcomes in the order of arrival."""
        return tuple(self._outcomes.values())

    @property
    def entries(self) -> tuple[StateEntry, ...]:
        """The results, in the order of the graph."""
        return tuple(outcome.entry for outcome in self.outcomes)

    @property
    def usage(self) -> Usage:
        """The usage of all nodes so far."""
        return sum_of(outcome.contribution.usage for outcome in self.outcomes)

    def evidence_for(self, entries: tuple[StateEntry, ...]) -> tuple[ToolResult, ...]:
        """Returns the tool results behind those of the entries that are research, for a
        validator."""
        found = [
            result
            for entry in entries
            if isinstance(entry.result, ResearchResult)
            for result in self._outcomes[entry.node, entry.round].evidence
        ]
        return tuple(found[:MOST_EVIDENCE])

    def status(self) -> GraphStatus:
        """Returns the answer of the `status` query."""
        return GraphStatus(
            question=self.query.question,
            graph=self._graph,
            phase=self.phase,
            as_of=self.as_of,
            started_at=self.started_at,
            deadline=self.deadline,
            nodes=tuple(self._lines()),
            usage=self.usage,
            budget=self.budget.allowed,
            files=self.files,
        )

    def record_of(
        self,
        request: GraphRequest,
        workflow_id: str,
        run_id: str,
        *,
        skipped: tuple[str, ...] = (),
        swarm: SwarmRecord | None = None,
        stock: StockRecord | None = None,
    ) -> GraphRecord:
        """Returns everything that the report is compiled from, with the program's own records."""
        known = {node.name for node in request.graph.nodes}
        return GraphRecord(
            request=request,
            week=week_before(self.as_of),
            window=self.window,
            nodes=tuple(each for each in self.outcomes if each.entry.node in known),
            started_at=self.started_at,
            workflow_id=workflow_id,
            run_id=run_id,
            skipped=skipped,
            swarm=swarm,
            stock=stock,
        )

    def details(self) -> str:
        """Renders the board for the Temporal UI, in Markdown."""
        lines = [
            f"- {_MARKS[line.state]} **{line.node}** ({line.agent}) {line.state}"
            + (f": {line.note}" if line.note else "")
            for line in self._lines()
        ]
        left = len(lines) - MOST_LINES
        more = [f"- and {left} more"] if left > 0 else []
        question = self.query.question[:LONGEST_NOTE]
        return "\n".join([f"**{question}**", "", *lines[:MOST_LINES], *more])

    def _lines(self) -> Iterator[NodeStatus]:
        for node in self.nodes:
            round_ = self.rounds_of(node.name)
            ended = self._outcomes.get((node.name, round_))
            yield NodeStatus(
                node=node.name,
                agent=node.agent,
                state=self.state_of(node.name),
                round=round_,
                started_at=self._begun.get(node.name),
                ended_at=ended.ended_at if ended else None,
                note=_note(ended),
            )


def _note(outcome: NodeOutcome | None) -> str | None:
    if outcome is None:
        return None
    said = outcome.entry.error or outcome.contribution.remark
    return on_one_line(said, LONGEST_NOTE) if said else None


class GraphBoard(NodeBoard):
    """The board of a question's graph. Its machine determines which node is next and the state of
    each."""

    def __init__(self, request: GraphRequest, as_of: datetime, started_at: datetime) -> None:
        """Raises:
        ValueError: the graph has a form that cannot be run.
        """
        graph = request.graph
        super().__init__(
            graph.name,
            request.query,
            request.policy,
            as_of=as_of,
            time_zone=request.time_zone,
            started_at=started_at,
            nodes=graph.nodes,
        )
        self.machine = GraphMachine(graph, request.query)
        self._asked_about = request.window
        self._known_at = request.as_of or started_at

    def replanned(self, request: GraphRequest, plan: QuestionPlan) -> GraphRequest:
        """What the run answers by a plan that the first node of its graph has brought. Where the
        plan has a graph, the board goes on with that, whose first node is the same and has run."""
        if plan.graph is None:
            return request
        window = plan.window or request.window
        query = plan.query or request.query
        changed = {"graph": plan.graph, "market": plan.market, "window": window, "query": query}
        self._graph, self._nodes = plan.graph.name, list(plan.graph.nodes)
        self.query, self._asked_about = query, window
        self.as_of = window.end if window else self._known_at
        self.machine = GraphMachine(plan.graph, query)
        self.machine.begin()
        return request.model_copy(update=changed)

    @property
    def known_before(self) -> TimeWindow:
        """The days before the instant at which a question is asked, whatever days it is about."""
        return window_before(self._known_at, self._time_zone)

    @property
    def window(self) -> TimeWindow:
        """The window of the question, or else the days before its as-of instant."""
        return self._asked_about or super().window

    def state_of(self, name: str) -> NodeState:
        """Returns the state of a node; one that was not reached is skipped."""
        return self.machine.state_of(name)

    def rounds_of(self, name: str) -> int:
        """Returns how often a node was begun, or its next round."""
        return self.machine.rounds_of(name)
