"""The graph on LangGraph, with its SQLite checkpointer, written before each next step."""

import asyncio
import time
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, TypedDict

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from tests.bench.peers.graph import FIRST, LAST, Agent, Market, Run, told


class State(TypedDict, total=False):
    """Nothing is handed on."""

    nothing: str


class Drawing:
    """The nodes and edges of a week."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.graph = StateGraph(State)

    def week(self) -> "StateGraph[Any]":
        """The steps before, all markets, the step after."""
        before: tuple[str, ...] = (START,)
        for name in FIRST:
            before = self._stage((name,), before)
        ends = [end for market in self._run.markets for end in self._market(market, before)]
        self.graph.add_edge(list(self._stage((LAST,), ends)), END)
        return self.graph

    def _market(self, market: Market, before: Iterable[str]) -> tuple[str, ...]:
        ends = tuple(end for agent in market.agents for end in self._agent(agent, before))
        return self._agent(market.validator, ends) if market.validator else ends

    def _agent(self, agent: Agent, before: Iterable[str]) -> tuple[str, ...]:
        last = tuple(before)
        for stage in agent.stages:
            last = self._stage(stage, last)
        return last

    def _stage(self, names: tuple[str, ...], before: Iterable[str]) -> tuple[str, ...]:
        nodes = tuple(name.replace(":", "_") for name in names)
        for node in nodes:
            self.graph.add_node(node, self._step(node))
            before = tuple(before)
            self.graph.add_edge(before[0] if len(before) == 1 else list(before), node)
        return nodes

    def _step(self, name: str) -> Any:
        async def step(_state: State) -> State:
            await self._run.step(name)
            return {}

        return step


async def main(run: Run) -> None:
    """From the first step to the last, or from what was kept of a killed run."""
    drawing = Drawing(run).week()
    async with AsyncSqliteSaver.from_conn_string(str(run.state / "checkpoints.sqlite")) as saver:
        graph = drawing.compile(checkpointer=saver)
        config: Any = {
            "configurable": {"thread_id": "week"},
            "recursion_limit": 100,
            "max_concurrency": 1_000,
        }
        began = time.perf_counter()
        await graph.ainvoke(None if run.resume else {}, config, durability="sync")
        taken = time.perf_counter() - began
    told(taken, f"LangGraph {version('langgraph')}")


if __name__ == "__main__":
    asyncio.run(main(Run.of_command()))
