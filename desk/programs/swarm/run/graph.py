"""A swarm's plans as a graph, for its board and its report."""

from collections.abc import Iterator, Sequence

from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId
from desk.contracts.question.graph import Edge, GraphSpec, NodeSpec
from desk.contracts.swarm.plan import SwarmPlan
from desk.contracts.swarm.record import SwarmRound

GRAPH = "swarm"


def plan_node(round_: int) -> str:
    """Returns the name of the node in which a round is planned."""
    return f"plan_{round_}"


def conclusion_node(round_: int) -> str:
    """Returns the name of the node in which a round is concluded."""
    return f"conclude_{round_}"


def node_name(subagent: str, round_: int) -> str:
    """Returns the name of a specialist's node, unique within the run."""
    return subagent if round_ == 1 else f"r{round_}_{subagent}"


def planning(round_: int) -> NodeSpec:
    """Returns the leader's node at the start of a round."""
    return NodeSpec(name=plan_node(round_), agent=AgentId.RESEARCH_LEADER, task=TaskType.PLAN_SWARM)


def following(plan: SwarmPlan, round_: int) -> tuple[NodeSpec, ...]:
    """Returns the nodes of a plan: its specialists in parallel, then the conclusion."""
    end = conclusion_node(round_)
    specialists = (
        NodeSpec(
            name=node_name(subagent.name, round_),
            agent=subagent.agent,
            task=subagent.task,
            next=(Edge(to=end),),
            instructions=subagent.objective,
        )
        for subagent in plan.subagents
    )
    conclusion = NodeSpec(name=end, agent=AgentId.RESEARCH_LEADER, task=TaskType.CONCLUDE_SWARM)
    return (*specialists, conclusion)


def graph_of(rounds: Sequence[SwarmRound], *, planning_failed: bool = False) -> GraphSpec:
    """Returns the graph of a swarm's rounds in sequence, with the node of a further plan if that
    failed."""
    return GraphSpec(name=GRAPH, nodes=tuple(_nodes(rounds, planning_failed)))


def _nodes(rounds: Sequence[SwarmRound], planning_failed: bool) -> Iterator[NodeSpec]:
    last = rounds[-1].number if rounds else 0
    for each in rounds:
        work = following(each.plan, each.number)
        fork = tuple(Edge(to=node.name) for node in work[:-1])
        yield planning(each.number).model_copy(update={"fork": fork})
        yield from work[:-1]
        ends = each.number == last and not planning_failed
        on = () if ends else (Edge(to=plan_node(each.number + 1)),)
        yield work[-1].model_copy(update={"next": on})
    if planning_failed:
        yield planning(last + 1)
