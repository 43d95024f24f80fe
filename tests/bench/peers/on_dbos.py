"""The graph on DBOS Transact with SQLite: a workflow for the week, each market and each agent."""

import asyncio
import time
from importlib.metadata import version

from dbos import DBOS, DBOSConfig, SetWorkflowID

from tests.bench.peers.graph import FIRST, LAST, Agent, Run, told

RUN = Run.of_command()
ALL = RUN.markets
MARKETS = {market.name: market for market in ALL}
AGENTS = {
    agent.name: agent
    for market in ALL
    for agent in (*market.agents, *([market.validator] if market.validator else []))
}
WEEK = "week"


@DBOS.step()
async def step(name: str) -> None:
    """One of the graph's."""
    await RUN.step(name)


@DBOS.workflow()
async def agent_work(name: str) -> None:
    """An agent's stages. Steps that are begun side by side are begun in the same order each time,
    as DBOS asks for."""
    agent: Agent = AGENTS[name]
    for stage in agent.stages:
        await asyncio.gather(*(step(each) for each in stage))


@DBOS.workflow()
async def market_work(name: str) -> None:
    """The agents, and then the validator."""
    market = MARKETS[name]
    handles = [await DBOS.start_workflow_async(agent_work, each.name) for each in market.agents]
    for handle in handles:
        await handle.get_result()
    if market.validator:
        await agent_work(market.validator.name)


@DBOS.workflow()
async def week_work() -> None:
    """The steps before, all markets, the step after."""
    for name in FIRST:
        await step(name)
    handles = [await DBOS.start_workflow_async(market_work, each.name) for each in ALL]
    for handle in handles:
        await handle.get_result()
    await step(LAST)


async def main() -> None:
    """From the first step to the last, or from what was kept of a killed run."""
    config: DBOSConfig = {
        "name": "peers",
        "system_database_url": f"sqlite:///{RUN.state / 'dbos.sqlite'}",
        "log_level": "ERROR",
        "run_admin_server": False,
        "application_version": "1",
    }
    DBOS(config=config)
    began = time.perf_counter()
    # What was under way when the process was killed goes on from here by itself.
    DBOS.launch()
    if RUN.resume:
        handle = await DBOS.retrieve_workflow_async(WEEK)
    else:
        began = time.perf_counter()
        with SetWorkflowID(WEEK):
            handle = await DBOS.start_workflow_async(week_work)
    await handle.get_result()
    told(time.perf_counter() - began, f"DBOS {version('dbos')}")
    DBOS.destroy()


if __name__ == "__main__":
    asyncio.run(main())
