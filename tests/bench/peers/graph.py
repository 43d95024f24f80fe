"""The graph of a week as every engine is given it, and the steps, which only wait and are noted.

Without the desk and its libraries, so that an engine can run it in an environment of its own.
"""

import argparse
import asyncio
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

STARTED: Final = "started"
DONE: Final = "done"

FIRST: Final = ("read_revisions", "plan")
LAST: Final = "publish"


@dataclass(frozen=True)
class Agent:
    """One agent's work: its turns one after another, its calls side by side before them where it is
    `opened`, else after the first."""

    name: str
    turns: tuple[str, ...]
    calls: tuple[str, ...]
    opened: bool = False

    @property
    def stages(self) -> tuple[tuple[str, ...], ...]:
        """What is done one after another; the steps of a stage are done side by side."""
        turns, calls = [(turn,) for turn in self.turns], [self.calls] if self.calls else []
        before = 0 if self.opened else 1
        return (*turns[:before], *calls, *turns[before:])


@dataclass(frozen=True)
class Market:
    """A market: agents side by side, then the validator."""

    name: str
    agents: tuple[Agent, ...]
    validator: Agent | None


@dataclass(frozen=True)
class Run:
    """What an engine is to do: the graph, with so many seconds in each step. `state` is the folder
    in which it keeps what it knows, `log` where each step is noted as it is started and done.
    `resume` is a run that was killed, to be ended from its `state`."""

    graph: Path
    state: Path
    log: Path
    latency: float
    resume: bool

    @classmethod
    def of_command(cls) -> Self:
        """The one that the command line names."""
        parser = argparse.ArgumentParser()
        parser.add_argument("graph", type=Path)
        parser.add_argument("state", type=Path)
        parser.add_argument("--latency", type=float, default=0.0)
        parser.add_argument("--resume", action="store_true")
        named = parser.parse_args()
        return cls(
            graph=named.graph,
            state=named.state,
            log=named.state / "steps.log",
            latency=named.latency,
            resume=named.resume,
        )

    @property
    def markets(self) -> tuple[Market, ...]:
        """As they stand in the file of the graph."""
        return tuple(_market(each) for each in json.loads(self.graph.read_text()))

    async def step(self, name: str) -> None:
        """A step: noted, waited for, noted."""
        self._note(STARTED, name)
        if self.latency:
            await asyncio.sleep(self.latency)
        self._note(DONE, name)

    def _note(self, what: str, name: str) -> None:
        # One write, appended whole: a kill leaves no half of a line.
        number = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(number, f"{what} {name}\n".encode())
        finally:
            os.close(number)


def told(seconds: float, version: str) -> None:
    """Hand in how long the graph took, without the start of the process, and what did it."""
    print(json.dumps({"seconds": seconds, "version": version}), flush=True)


def _market(market: dict[str, object]) -> Market:
    name, agents, validator = market["market"], market["agents"], market["validator"]
    assert isinstance(name, str) and isinstance(agents, list)
    named = (*enumerate(agents),)
    return Market(
        name,
        tuple(_agent(name, f"agent_{number}", agent) for number, agent in named),
        _agent(name, "validator", validator) if isinstance(validator, dict) else None,
    )


def _agent(market: str, name: str, agent: dict[str, object]) -> Agent:
    turns, queues = agent["turns"], agent["tool_queues"]
    assert isinstance(turns, int) and isinstance(queues, list)
    return Agent(
        f"{market}/{name}",
        tuple(f"{market}/{name}.t{turn}" for turn in range(turns)),
        tuple(f"{market}/{name}.t0.{number}" for number in range(len(queues))),
        opened=agent.get("opened") is True,
    )
