"""An agent of forty turns, whose transcript no model could read at once."""

import asyncio
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from zlib import crc32

from pydantic import JsonValue
from temporalio.client import Client

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import AgentLimits, TaskType
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.names import market_run_id, week_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.mcp.tool_calling import ToolAnswer
from desk.platform.server.embedded import embedded_server
from desk.platform.temporal.client import connect
from desk.programs.claude.turns import LEFT_OUT, LONGEST_TRANSCRIPT, messages
from tests.support.models.spending import SOURCES, budgeted, priced
from tests.support.processes.homes import home_settings
from tests.support.replaying import replayer
from tests.support.runs.desk import WEEK, desk_workers, pair, start_week
from tests.support.runs.scripted import ScriptedTools, finding, ordinary_turn, price_call

TURNS = 40
SIZE = 21_000
"""Characters of a tool's answer: with what is said, forty of them are some 200,000 tokens."""

OVERHEAD = 50_000
"""Characters around what is condensed: names, ids, and quotes within quotes."""

LIMITS = AgentLimits(max_turns=TURNS + 10, max_tokens=10**8)
WORDS = ("yield", "carry", "fixing", "intervention", "auction", "tenor", "basis", "swap", "hawkish")


def varied(seed: int, length: int) -> str:
    """Text that packs about as well as prose does."""
    chance, words, size = random.Random(seed), list[str](), 0
    while size < length:
        word = f"{chance.choice(WORDS)}{chance.randrange(10_000)}"
        words.append(word)
        size += len(word) + 1
    return " ".join(words)[:length]


def telling(server: str, tool: str, arguments: Mapping[str, JsonValue]) -> ToolAnswer:
    """A long answer, another one each time."""
    text = varied(crc32(str(arguments).encode()), SIZE)
    return ToolAnswer(content={"level": "100.00", "text": text})


@dataclass
class Tireless:
    """A model that asks for a tool thirty-nine times before it delivers, and is read as Claude
    would be: `transcript` is the length of all that was said, `shown` of what it was shown."""

    half_way: asyncio.Event = field(default_factory=asyncio.Event)
    taken: int = 0
    transcript: int = 0
    shown: list[int] = field(default_factory=list)
    last_shown: str = ""

    async def __call__(self, request: TurnRequest) -> Turn:
        """The next turn; the desk's own question and the validator's verdict are ordinary."""
        by_model = request.model != BUILTIN and request.assignment.task_type is TaskType.RESEARCH_FX
        if not by_model or not request.exchanges:
            return ordinary_turn(request)
        self.taken += 1
        self.last_shown = json.dumps(messages("{}", request))
        self.shown.append(len(self.last_shown))
        if self.taken == TURNS // 2:
            self.half_way.set()
        if len(request.exchanges) < TURNS:
            return priced(self._asks(request), "0")
        self.transcript = sum(len(e.model_dump_json()) for e in request.exchanges)
        first = request.model_copy(update={"exchanges": request.exchanges[:1]})
        return priced(Turn(result=finding(first)), "0")

    def _asks(self, request: TurnRequest) -> Turn:
        number = len(request.exchanges)
        call = price_call(request)
        asked = call.model_copy(
            update={
                "call_id": f"{call.call_id}.{number}",
                "arguments": {**call.arguments, "number": number},
            }
        )
        said: tuple[JsonValue, ...] = (
            {"type": "text", "text": varied(-number, 600)},
            {"type": "tool_use", "id": f"toolu_{number}", "name": "ecb__get_quote", "input": {}},
        )
        return Turn(said=said, calls=(asked,))


async def history_size(client: Client, workflow_id: str) -> int:
    """Bytes of a history, as the server counts them against its limit."""
    description = await client.get_workflow_handle(workflow_id).describe()
    return description.raw_description.workflow_execution_info.history_size_bytes


async def test_forty_turns_fit_a_history_and_outlive_a_restart(tmp_path: Path) -> None:
    settings = home_settings(tmp_path)
    model, tools = Tireless(), ScriptedTools(telling, offered=dict.fromkeys(SOURCES, ()))
    config = budgeted(
        pair("USD/JPY", priority=1), limits=LIMITS, open_for=timedelta(milliseconds=100)
    )
    market = market_run_id(week_run_id(WEEK), "USD/JPY")
    async with embedded_server(settings.home, settings.server):
        client = await connect(settings)
        async with desk_workers(client, tmp_path, analyst=model, tools=tools):
            week = await start_week(client, config)
            await model.half_way.wait()
        # Nothing of the run is in any worker's memory now: the next one reads the history.
        async with desk_workers(client, tmp_path, analyst=model, tools=tools):
            result = await week.result()
        size = await history_size(client, market)
        history = await client.get_workflow_handle(market).fetch_history()
    assert result.outcome is Outcome.COMPLETE
    assert model.taken == TURNS
    assert model.transcript > 800_000
    assert size < 5_000_000
    assert LEFT_OUT in model.last_shown
    assert max(model.shown) < LONGEST_TRANSCRIPT + OVERHEAD
    again = replayer(settings.payload_dir)
    await again.replay_workflow(history)
