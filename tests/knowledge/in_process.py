"""One question through the agents and the server `knowledge` in this process, without Temporal."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Final, NamedTuple

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, JsonValue

from desk.contracts.agents.tasks import Query, TaskAssignment, TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.verdicts import RejectedFigure
from desk.contracts.question.graph import GraphSpec
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import Exchange, StateEntry, Turn, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.question.builtin import lookups, reading, synthesis
from desk.runs.graphs.machine import GraphMachine, NodeStart
from desk.sources.knowledge.server import KnowledgeTools
from desk.trust.prose.references import REFERENCE
from desk.trust.prose.synthesis_review import review_synthesis
from desk.trust.seals import content_hash
from starters.questions.graph_file import find_graph, read_graph
from tests.knowledge.known import KnownQuestion
from tests.support.processes.homes import PROJECT

MOST_TURNS: Final = 6
"""Of a built-in agent."""

AGENTS: Final[Mapping[TaskType, Callable[[TurnRequest], Turn]]] = {
    TaskType.FETCH_TICKETS: lookups.fetch_tickets,
    TaskType.READ_DOCUMENTS: reading.read_documents,
    TaskType.READ_PDFS: reading.read_pdfs,
    TaskType.SEARCH_WEB: lookups.search_web,
    TaskType.SYNTHESISE: synthesis.take_turn,
}


class Answered(NamedTuple):
    """An answer as it is printed, with all that was rejected of it."""

    synthesis: Synthesis
    summary: str
    quoted: frozenset[str]
    rejected: tuple[RejectedFigure, ...]
    state: tuple[StateEntry, ...]
    calls: int


def ask(known: KnownQuestion) -> Answered:
    """The answer to a question with a known one."""
    return ask_graph(known.graph, known.query, known.as_of)


def ask_graph(graph: str, query: Query, as_of: datetime) -> Answered:
    """The answer of a graph that ships."""
    run = _Run(_graph(graph), query, as_of)
    waiting = list(run.machine.begin())
    while waiting:
        waiting += run.machine.finish(run.take(waiting.pop(0)))
    state = run.machine.entries
    made = next(e.result for e in reversed(state) if isinstance(e.result, Synthesis))
    words = {q.quotation_id: q.text for q in made.quotations}
    used = {name for text in _texts(made) for name in REFERENCE.findall(text)}
    return Answered(
        synthesis=made,
        summary=REFERENCE.sub(lambda found: words.get(found[1], found[0]), made.summary),
        quoted=frozenset(q.url for q in made.quotations if q.url and q.quotation_id in used),
        rejected=review_synthesis(made, [e for e in state if e.result is not made]),
        state=state,
        calls=run.calls,
    )


def _texts(made: Synthesis) -> tuple[str, ...]:
    return (made.summary, *(section.content for section in made.sections))


@cache
def _graph(name: str) -> GraphSpec:
    return read_graph(find_graph(name, PROJECT))


@cache
def _tools() -> KnowledgeTools:
    return KnowledgeTools()


@cache
def _answer_of(tool: str, arguments: str, as_of: datetime) -> dict[str, JsonValue] | str:
    """What a tool answers, or refuses with: many questions have the same documents read."""
    called: Callable[..., BaseModel] = getattr(_tools(), tool)
    try:
        return called(**json.loads(arguments), as_of=as_of).model_dump(mode="json")
    except ToolError as error:
        return str(error)


class _Run:
    def __init__(self, spec: GraphSpec, query: Query, as_of: datetime) -> None:
        self.machine = GraphMachine(spec, query)
        self.calls = 0
        self._query = query
        self._as_of = as_of

    def take(self, step: NodeStart) -> StateEntry:
        """What a node brings."""
        node, exchanges = step.node, tuple[Exchange, ...]()
        for number in range(1, MOST_TURNS + 1):
            request = TurnRequest(
                assignment=self._assignment(step),
                exchanges=exchanges,
                state=self.machine.visible_to(node),
                last=number == MOST_TURNS,
            )
            try:
                turn = AGENTS[node.task](request)
            except TaskNotPossible as impossible:
                error = impossible.error.error_message
                return StateEntry(key=node.key, node=node.name, round=step.round, error=error)
            if turn.result is not None:
                break
            results = tuple(self._call(call) for call in turn.calls)
            exchanges = (*exchanges, Exchange(results=results))
        return StateEntry(key=node.key, node=node.name, round=step.round, result=turn.result)

    def _assignment(self, step: NodeStart) -> TaskAssignment:
        start = self._as_of - timedelta(days=7)
        return TaskAssignment(
            task_id=f"{step.node.name}/{step.node.task}",
            task_type=step.node.task,
            agent=step.node.agent,
            week="2026-W44",
            window=TimeWindow(start=start, end=self._as_of, time_zone="UTC"),
            deadline=self._as_of + timedelta(minutes=30),
            query=self._query,
        )

    def _call(self, call: ToolCall) -> ToolResult:
        self.calls += 1
        content = _answer_of(call.tool, json.dumps(call.arguments), self._as_of)
        if isinstance(content, str):
            return ToolResult(call=call, status=ToolStatus.REFUSED, error=content)
        return ToolResult(
            call=call, status=ToolStatus.OK, content=content, content_hash=content_hash(content)
        )
