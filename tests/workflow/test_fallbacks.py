"""A source that cannot be asked, and another that answers in its place."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pydantic import JsonValue
from temporalio.client import Client

from desk.contracts.agents.capabilities import Capability, Route
from desk.contracts.agents.config import DeadlineConfig, RetryConfig, RunConfig
from desk.contracts.agents.tools import REACH_TOOL, SourceTier, ToolStatus
from desk.contracts.findings.source_results import History, Provenance, Quote
from desk.contracts.names import AgentId, CallFault, market_run_id
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.report import ResearchReport
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer, ToolUnreachable
from desk.platform.settings.mcp_json import read_mcp_config
from desk.programs.turns import builtin_turn
from desk.programs.week.document.audit.report import audit
from starters.published.published_files import read_report
from tests.support.processes.homes import PROJECT
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools, price_call

OFFLINE = ("ecb", "central_banks", "official_statistics")
YAHOO = Provenance(
    name="Yahoo Finance", tier=SourceTier.SECONDARY, origin="Yahoo Finance", url=None
)
FORMS: Mapping[str, type[History] | type[Quote]] = {"get_historical": History, "get_quote": Quote}


@dataclass
class RealTools(ScriptedTools):
    """The desk's own servers, and a `yahoo_finance` that knows what the ECB knows.

    `down` are the servers that cannot be asked; `ignorant` say that they have nothing.
    """

    pool: McpPool | None = None
    down: frozenset[str] = frozenset()
    ignorant: frozenset[str] = frozenset()
    calls: Counter[str] = field(default_factory=Counter)

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `desk.platform.mcp.tool_calling.ToolCaller`."""
        assert self.pool is not None
        server, tool = call.server, call.tool
        self.calls[call.name] += 1
        if server in self.down:
            raise ToolUnreachable(f"{server} is down")
        if tool == REACH_TOOL:
            return ToolAnswer(refusal=f"Unknown tool: {tool}")
        asked = "ecb" if server == "yahoo_finance" else server
        answer = await self.pool.call(replace(call, server=asked, timeout_seconds=60))
        if server in self.ignorant and isinstance(answer.content, dict):
            nothing: dict[str, JsonValue] = {
                "values": [],
                "days": [],
                "value": None,
                "missing": "no such pair",
            }
            known = {name: nothing[name] for name in nothing if name in answer.content}
            return ToolAnswer(content={**answer.content, **known})
        if server == "yahoo_finance":
            found = FORMS[tool].model_validate(answer.content)
            said = found.model_copy(update={"source": YAHOO})
            return ToolAnswer(content=said.model_dump(mode="json"))
        return answer


@pytest.fixture
async def tools(tmp_path: Path) -> AsyncIterator[RealTools]:
    servers = read_mcp_config(PROJECT / ".mcp.json")
    async with McpPool(
        servers, in_process=True, project_dir=PROJECT, cache_dir=tmp_path / "cache"
    ) as pool:
        yield RealTools(pool=pool)


def config_with(
    *sources: str,
    capabilities: Mapping[Capability, tuple[Route, ...]] | None = None,
    deadlines: DeadlineConfig | None = None,
) -> RunConfig:
    retries = RetryConfig(max_attempts=2)
    config = desk_config(pair("USD/JPY"), retries=retries, deadlines=deadlines)
    changes = {"sources": (*OFFLINE, *sources), "capabilities": capabilities or {}}
    policy = config.policy.model_copy(update=changes)
    return config.model_copy(update={"policy": policy})


async def reported(
    client: Client, directory: Path, tools: RealTools, config: RunConfig, *, unserved: str = ""
) -> ResearchReport:
    analyst = ScriptedAnalyst(script=builtin_turn)
    served = tuple(name for name in config.policy.sources if name != unserved)
    async with desk_workers(client, directory, analyst=analyst, tools=tools, servers=served):
        result = await (await start_week(client, config)).result()
    return read_report(Path(result.files.json_file))


def by_server(report: ResearchReport) -> dict[str, set[SourceTier]]:
    tiers: dict[str, set[SourceTier]] = {}
    for source in report.sources:
        tiers.setdefault(source.server, set()).add(source.tier)
    return tiers


def words_of(report: ResearchReport) -> str:
    return report.model_dump_json()


async def test_when_the_authority_is_away_the_next_source_is_asked_and_the_report_says_so(
    client: Client, tmp_path: Path, tools: RealTools
) -> None:
    tools.down = frozenset({"ecb"})
    report = await reported(client, tmp_path, tools, config_with("yahoo_finance"))
    (market,) = report.markets
    assert market.outcome == "researched"
    assert by_server(report)["yahoo_finance"] == {SourceTier.SECONDARY}
    assert "ecb" not in by_server(report)
    assert "history: yahoo_finance answered in place of a source that could not" in words_of(report)
    evidence = {r.call.tool: r for r in report.evidence if r.call.server == "yahoo_finance"}
    assert evidence.keys() == {"get_historical", "get_quote"}
    assert evidence["get_historical"].in_place_of == ("ecb.get_historical: ecb is down")
    place = evidence["get_historical"].place
    assert place is not None and place.activity_id.endswith(".get_historical.2")
    assert audit(report) == ()


async def test_with_the_authority_there_nobody_else_is_asked(
    client: Client, tmp_path: Path, tools: RealTools
) -> None:
    report = await reported(client, tmp_path, tools, config_with("yahoo_finance"))
    assert by_server(report)["ecb"] == {SourceTier.AUTHORITATIVE}
    assert "yahoo_finance" not in by_server(report)
    asked = [name for name in tools.calls if name.startswith("yahoo")]
    assert asked == [f"yahoo_finance.{REACH_TOOL}"]
    assert "in_place_of" not in words_of(report)


async def test_a_pair_that_the_authority_does_not_have_is_asked_of_the_next(
    client: Client, tmp_path: Path, tools: RealTools
) -> None:
    tools.ignorant = frozenset({"ecb"})
    report = await reported(client, tmp_path, tools, config_with("yahoo_finance"))
    assert "ecb" not in by_server(report)
    assert audit(report) == ()


async def test_where_nobody_can_be_asked_the_report_says_what_each_said(
    client: Client, tmp_path: Path, tools: RealTools
) -> None:
    tools.down = frozenset({"ecb", "yahoo_finance"})
    report = await reported(client, tmp_path, tools, config_with("yahoo_finance"))
    words = words_of(report)
    assert "ecb is down" in words
    assert "yahoo_finance is down" in words
    assert audit(report) == ()


async def test_a_source_that_is_not_configured_is_not_asked(
    client: Client, tmp_path: Path, tools: RealTools
) -> None:
    tools.down = frozenset({"ecb"})
    await reported(client, tmp_path, tools, config_with())
    assert not any(name.startswith("yahoo") for name in tools.calls)


async def test_the_configuration_of_a_run_says_who_is_asked_first(
    client: Client, tmp_path: Path, tools: RealTools
) -> None:
    yahoo = tuple(
        Route(server=server, tool="get_historical") for server in ("yahoo_finance", "ecb")
    )
    config = config_with("yahoo_finance", capabilities={Capability.HISTORY: yahoo})
    report = await reported(client, tmp_path, tools, config)
    assert tools.calls["yahoo_finance.get_historical"] == 1
    assert tools.calls["ecb.get_historical"] == 0
    assert all(r.status is ToolStatus.OK for r in report.evidence)
    assert audit(report) == ()


async def test_a_source_that_no_worker_serves_leaves_time_for_the_next(
    client: Client, tmp_path: Path, tools: RealTools
) -> None:
    # The clock does not skip while a call waits for a worker.
    task = timedelta(seconds=16)
    config = config_with("yahoo_finance", deadlines=DeadlineConfig(task=task, week=2 * task))
    report = await reported(client, tmp_path, tools, config, unserved="ecb")
    (market,) = report.markets
    assert market.outcome == "researched"
    assert by_server(report)["yahoo_finance"] == {SourceTier.SECONDARY}
    assert audit(report) == ()


@dataclass
class SilentToTheFirst(ScriptedTools):
    """Never answers research agent 1 in time."""

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `desk.platform.mcp.tool_calling.ToolCaller`."""
        if AgentId.RESEARCH_AGENT_1 in call.key:
            await asyncio.sleep(call.timeout_seconds)
            raise ToolUnreachable(f"{call.server} is silent", fault=CallFault.TIMEOUT)
        return await super().call(call)


@dataclass
class AsksAgainAndAgain:
    """A script: research agent 1 asks for as long as it may; how much time has who takes over."""

    left: list[timedelta] = field(default_factory=list)

    def __call__(self, request: TurnRequest) -> Turn | None:
        """See `Script`."""
        task = request.assignment
        if task.agent is AgentId.RESEARCH_AGENT_2:
            self.left.append(task.deadline - datetime.now(UTC))
        if task.agent is not AgentId.RESEARCH_AGENT_1:
            return None
        call = price_call(request)
        number = len(request.exchanges)
        return Turn(calls=(call.model_copy(update={"call_id": f"{call.call_id}.{number}"}),))


async def test_who_takes_over_has_time_where_the_first_has_used_all_of_its_own(
    server: Client, tmp_path: Path
) -> None:
    deadlines = DeadlineConfig(
        task=timedelta(seconds=12), open_for_reruns=timedelta(milliseconds=1)
    )
    script = AsksAgainAndAgain()
    async with desk_workers(
        server, tmp_path, analyst=ScriptedAnalyst(script), tools=SilentToTheFirst()
    ):
        config = desk_config(pair("USD/JPY"), deadlines=deadlines)
        result = await (await start_week(server, config)).result()
    (outcome,) = result.record.outcomes
    assert script.left[0] > timedelta(seconds=1)
    assert outcome.outcome == "researched"
    researched = next(line for line in outcome.agents if line.reassigned_from)
    assert researched.agent is AgentId.RESEARCH_AGENT_2
    assert researched.reassigned_from is AgentId.RESEARCH_AGENT_1


async def test_a_market_that_is_told_to_leave_time_does_not_ask_its_history(
    server: Client, tmp_path: Path
) -> None:
    """Two events less for each market, and a write to visibility."""
    deadlines = DeadlineConfig(open_for_reruns=timedelta(milliseconds=1))
    async with desk_workers(server, tmp_path):
        week = await start_week(server, desk_config(pair("USD/JPY"), deadlines=deadlines))
        await week.result()
    market = server.get_workflow_handle(market_run_id(week.id, "USD/JPY"))
    events = (await market.fetch_history()).events
    assert not [one for one in events if one.HasField("marker_recorded_event_attributes")]
