"""The outcomes of a graph's nodes, what is missing because of them, and the outcome of the
answer."""

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import reduce

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.question.answers import NodeReport
from desk.contracts.question.graph import NodeSpec, NodeState
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import GraphRecord, NodeOutcome
from desk.documents.rendering.words.wording import named_together
from desk.runs.assignments import FINDING_TASKS
from desk.runs.boards import usage_of
from desk.trust.prose import clip

MOST_MISSING = 200
"""The maximum length of `AnswerReport.missing`."""

SYNTHESISING = (
    TaskType.SYNTHESISE,
    TaskType.CONCLUDE_SWARM,
    TaskType.GENERATE_RECOMMENDATION,
)

_OF_PAPERS = FINDING_TASKS | {TaskType.SYNTHESISE}
"""Tasks of graphs that request nothing about markets."""

UNEXPLAINED = "no reason was given"


def node_reports(record: GraphRecord) -> tuple[NodeReport, ...]:
    """Returns a line for each node of the graph, in the order of its file."""
    stale = _superseded(record) if record.swarm else frozenset()
    return tuple(
        _report(spec, _rounds(record, spec.name), skipped=spec.name in record.skipped, stale=stale)
        for spec in record.request.graph.nodes
    )


def synthesis_of(record: GraphRecord) -> Synthesis | None:
    """Returns the synthesis that counts: the last one delivered, in the order of the file."""
    synthesising = {spec.name for spec in record.request.graph.nodes if spec.task in SYNTHESISING}
    delivered = [
        node.entry.result
        for node in record.nodes
        if node.entry.node in synthesising and isinstance(node.entry.result, Synthesis)
    ]
    return delivered[-1] if delivered else None


def outcome_of(nodes: Iterable[NodeReport], *, synthesised: bool, cut_off: bool = False) -> Outcome:
    """Returns the outcome of an answer.

    It is complete if there is a synthesis or none is needed, no node failed, and every tool could
    be called. A run that was cut off is never complete.
    """
    failed = any(node.state is NodeState.FAILED or node.lost for node in nodes)
    return Outcome.COMPLETE if synthesised and not failed and not cut_off else Outcome.INCOMPLETE


def usage_of_nodes(nodes: Iterable[NodeReport]) -> Usage:
    """Returns the cost of all nodes."""
    parts = [node.usage for node in nodes]
    models = sorted({part.model for part in parts}) or [Usage().model]
    return reduce(Usage.plus, parts, Usage()).model_copy(update={"model": ", ".join(models)[:200]})


def missing_in(
    record: GraphRecord, of_synthesis: Sequence[str], further: Sequence[str]
) -> tuple[str, ...]:
    """Returns everything that was looked for and not found, each once: failed nodes, what the
    synthesis and the other agents did not find, and what `further` leaves out. In an episode the
    action's entry comes first, and the synthesis only adds what no action reports."""
    if record.stock is not None:
        by_action = tuple(_of_agents(record, ()))
        reported = {line.partition(": ")[2] for line in by_action}
        agents = (*by_action, *(line for line in of_synthesis if line not in reported))
    else:
        agents = (*of_synthesis, *_of_agents(record, of_synthesis))
    everything = (*_failures(record), *_unreached(record), *agents, *further)
    lines = dict.fromkeys(clip(line) for line in everything if line.strip())
    if len(lines) <= MOST_MISSING:
        return tuple(lines)
    return (*list(lines)[: MOST_MISSING - 1], "and more, which this list has no room for")


def _failures(record: GraphRecord) -> Iterator[str]:
    for node in record.nodes:
        if node.entry.error is not None or node.entry.result is None:
            yield _failure(node)


def _unreached(record: GraphRecord) -> Iterator[str]:
    """Yields the live sources that no agent was offered, in one line; nothing if the run only
    requested tickets and documents."""
    if all(node.task in _OF_PAPERS for node in record.request.graph.nodes):
        return
    unreachable = record.request.policy.unreachable
    servers = [source.server for source in unreachable if not source.tools]
    if servers:
        named = named_together(servers)
        asked = "it was" if len(servers) == 1 else "they were"
        yield f"{named} could not be reached when the run was planned, so {asked} not asked"
    silent = named_together(source.named for source in unreachable if source.tools)
    if silent:
        yield f"{silent} had no data when the run was planned"


def _of_agents(record: GraphRecord, reported: Iterable[str]) -> Iterator[str]:
    """Yields what the other agents did not find, except what is listed already; in a swarm by
    specialist. Each part of an episode's blackboard has its own reasons and is listed by itself."""
    seen = set(reported)
    for node in _last_of_each(record.nodes) if record.swarm else record.nodes:
        result = node.entry.result
        if result is None or isinstance(result, Synthesis):
            continue
        agent, name = node.contribution.agent.replace("_", " "), node.entry.node
        by = f"{agent}: " if record.swarm else f"{name}: " if record.stock is not None else ""
        for line in getattr(result, "missing", ()):
            if record.stock is not None or line not in seen:
                yield f"{by}{line}"
            seen.add(line)


def _last_of_each(nodes: Iterable[NodeOutcome]) -> Iterable[NodeOutcome]:
    """Returns a specialist's last work on each market. It searched again for what an earlier round
    lacked."""
    newest = {
        (node.contribution.agent, getattr(node.entry.result, "market", node.entry.node)): node
        for node in nodes
        if node.entry.result is not None
    }
    return newest.values()


def _superseded(record: GraphRecord) -> frozenset[str]:
    """Returns the nodes whose work on a market the same specialist repeated later."""
    newest = {node.entry.node for node in _last_of_each(record.nodes)}
    done = {node.entry.node for node in record.nodes if node.entry.result is not None}
    return frozenset(done - newest)


def _failure(node: NodeOutcome) -> str:
    agent = node.contribution.agent.replace("_", " ")
    reason = node.entry.error or node.contribution.error or UNEXPLAINED
    letter = f" (dead letter {node.dead_letter})" if node.dead_letter else ""
    return f"{node.entry.node} ({agent}) failed: {reason}{letter}"


def _rounds(record: GraphRecord, name: str) -> tuple[NodeOutcome, ...]:
    return tuple(node for node in record.nodes if node.entry.node == name)


def _report(
    spec: NodeSpec, rounds: Sequence[NodeOutcome], *, skipped: bool, stale: Container[str]
) -> NodeReport:
    if not rounds:
        state = NodeState.SKIPPED if skipped else NodeState.WAITING
        return NodeReport(node=spec.name, agent=spec.agent, state=state)
    last = rounds[-1]
    line = last.contribution
    failed = last.entry.error is not None or last.entry.result is None
    return NodeReport(
        node=spec.name,
        agent=line.agent,
        state=NodeState.FAILED if failed else NodeState.DONE,
        rounds=len(rounds),
        seconds=sum(max((n.ended_at - n.started_at).total_seconds(), 0.0) for n in rounds),
        tool_calls=sum(node.contribution.tool_calls for node in rounds),
        error=(last.entry.error or line.error or UNEXPLAINED) if failed else None,
        remark=_remark(last),
        usage=usage_of(node.contribution for node in rounds),
        lost=() if spec.name in stale else last.entry.lost,
    )


def _remark(node: NodeOutcome) -> str | None:
    line = node.contribution
    before = line.reassigned_from
    taken = f"taken over from {before.replace('_', ' ')}" if before else None
    return "; ".join(words for words in (taken, line.remark) if words) or None
