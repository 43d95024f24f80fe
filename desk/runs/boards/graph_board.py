"""What a run of a graph shows while it works: its nodes, what they took, what they brought."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.search_attributes import Phase
from desk.contracts.agents.tasks import Query
from desk.contracts.agents.tools import MOST_EVIDENCE, ToolResult
from desk.contracts.agents.turns import StateEntry
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.results import ResearchResult
from desk.contracts.question.graph import GraphStatus, NodeOutcome, NodeSpec, NodeState, NodeStatus
from desk.contracts.week.run import PublishedFiles, TaskOutcome
from desk.runs.assignments.reassignment import Undelivered

LONGEST_NOTE = 200
_MARKS = {
    NodeState.WAITING: "·",
    NodeState.RUNNING: "…",
    NodeState.DONE: "✓",
    NodeState.FAILED: "✗",
    NodeState.SKIPPED: "-",
}
MOST_LINES = 60
"""As many nodes as the Temporal UI is told of."""


def ended(
    node: str,
    done: TaskOutcome | Undelivered,
    *,
    began: datetime,
    at: datetime,
    key: str | None = None,
    round_: int = 1,
) -> NodeOutcome:
    """What a node brought in a round, or why there is nothing; under its own name unless the
    graph's state has it under another `key`."""
    found = done if isinstance(done, TaskOutcome) else None
    return NodeOutcome(
        entry=StateEntry(
            key=key or node,
            node=node,
            round=round_,
            result=found.result if found else None,
            error=done.contribution.error,
        ),
        evidence=found.evidence if found else (),
        contribution=done.contribution,
        started_at=began,
        ended_at=at,
        dead_letter=done.dead_letter if isinstance(done, Undelivered) else None,
    )


class Progress(Protocol):
    """The nodes that a board shows, in their order, and where each stands."""

    @property
    def nodes(self) -> Sequence[NodeSpec]:
        """The nodes that there are by now."""

    def state_of(self, name: str) -> NodeState:
        """Where a node stands."""

    def rounds_of(self, name: str) -> int:
        """How often it was begun."""


class GraphBoard:
    """The nodes of one run and what became of them so far. `name` is the graph's."""

    def __init__(
        self,
        query: Query,
        name: str,
        budget: Allowance,
        progress: Progress,
        started_at: datetime,
    ) -> None:
        self._query = query
        self._name = name
        self._budget = budget
        self._progress = progress
        self._started_at = started_at
        self._begun: dict[str, datetime] = {}
        self._outcomes: dict[tuple[str, int], NodeOutcome] = {}
        self.phase = Phase.RESEARCHING
        self.files: PublishedFiles | None = None

    def note_begun(self, node: str, at: datetime) -> None:
        """A node has begun a round."""
        self._begun[node] = at

    def begun(self, node: str) -> datetime:
        """When a node has begun, or else the run."""
        return self._begun.get(node, self._started_at)

    def note_ended(self, outcome: NodeOutcome) -> None:
        """A node has ended a round."""
        self._outcomes[outcome.entry.node, outcome.entry.round] = outcome

    def note_published(self, files: PublishedFiles) -> None:
        """The answer is out."""
        self.files, self.phase = files, Phase.CLOSED

    @property
    def outcomes(self) -> tuple[NodeOutcome, ...]:
        """Every round of every node, in the order of the file and then of the rounds."""
        place = {node.name: n for n, node in enumerate(self._progress.nodes)}
        ordered = sorted(self._outcomes, key=lambda key: (place[key[0]], key[1]))
        return tuple(self._outcomes[key] for key in ordered)

    @property
    def usage(self) -> Usage:
        """What all nodes together took so far."""
        total = Usage()
        for outcome in self.outcomes:
            total = total.plus(outcome.contribution.usage)
        return total

    def evidence_for(self, entries: tuple[StateEntry, ...]) -> tuple[ToolResult, ...]:
        """The tool results behind some entries of the state that hold research, for whoever is to
        check it."""
        found = [
            result
            for entry in entries
            if isinstance(entry.result, ResearchResult)
            for result in self._outcomes[entry.node, entry.round].evidence
        ]
        return tuple(found[:MOST_EVIDENCE])

    def status(self, as_of: datetime, deadline: datetime) -> GraphStatus:
        """The answer of the `status` query."""
        return GraphStatus(
            question=self._query.question,
            graph=self._name,
            phase=self.phase,
            as_of=as_of,
            started_at=self._started_at,
            deadline=deadline,
            nodes=tuple(self._lines()),
            usage=self.usage,
            budget=self._budget,
            files=self.files,
        )

    def details(self) -> str:
        """The board as the Temporal UI shows it, in Markdown."""
        lines = [
            f"- {_MARKS[line.state]} **{line.node}** ({line.agent}) {line.state}"
            + (f": {line.note}" if line.note else "")
            for line in self._lines()
        ]
        left = len(lines) - MOST_LINES
        more = [f"- and {left} more"] if left > 0 else []
        question = self._query.question[:LONGEST_NOTE]
        return "\n".join([f"**{question}**", "", *lines[:MOST_LINES], *more])

    def _lines(self) -> Iterator[NodeStatus]:
        for node in self._progress.nodes:
            round_ = self._progress.rounds_of(node.name)
            ended = self._outcomes.get((node.name, round_))
            yield NodeStatus(
                node=node.name,
                agent=node.agent,
                state=self._progress.state_of(node.name),
                round=round_,
                started_at=self._begun.get(node.name),
                ended_at=ended.ended_at if ended else None,
                note=_note(ended),
            )


def _note(outcome: NodeOutcome | None) -> str | None:
    if outcome is None:
        return None
    said = outcome.entry.error or outcome.contribution.remark
    return said[:LONGEST_NOTE] if said else None
