"""A stock's episode as a graph: the controller, and the actions that it chose."""

from collections.abc import Mapping, Sequence
from typing import Final

from desk.contracts.agents.tasks import TaskType
from desk.contracts.episode.actions import StockAction
from desk.contracts.names import AgentId
from desk.contracts.question.graph import MOST_ROUNDS, Edge, GraphSpec, NodeSpec
from desk.programs.episode.program import STOCK_TASKS

GRAPH: Final = "stock"
CONTROLLER: Final = "controller"


def controlling(actions: Sequence[StockAction] = ()) -> NodeSpec:
    """The controller's node, with edges to the actions that it took."""
    return NodeSpec(
        name=CONTROLLER,
        agent=AgentId.CONTROLLER_AGENT,
        task=TaskType.CHOOSE_ACTION,
        next=tuple(
            Edge(to=action, when=f"{CONTROLLER}.action == '{action}'") for action in actions
        ),
    )


def acting(action: StockAction) -> NodeSpec:
    """The node of an action, with an edge back to the controller."""
    agent, task = STOCK_TASKS[action]
    return NodeSpec(name=action, agent=agent, task=task, next=(Edge(to=CONTROLLER),))


def graph_of(actions: Sequence[StockAction], rounds: Mapping[str, int]) -> GraphSpec:
    """The graph of an episode: its actions in the order in which they were first taken, each with
    its number of rounds, up to the limit of graphs."""
    nodes = (controlling(actions), *(acting(action) for action in actions))
    return GraphSpec(
        name=GRAPH,
        nodes=tuple(
            node.model_copy(update={"rounds": min(max(rounds.get(node.name, 1), 1), MOST_ROUNDS)})
            for node in nodes
        ),
    )
