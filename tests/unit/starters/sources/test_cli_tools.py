"""`desk tools`, without a server and with servers that say too much."""

import json
import re
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from desk.contracts.agents.capabilities import Capability, Route
from desk.contracts.agents.config import RunPolicy
from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import ToolSpec
from desk.contracts.learning.lessons import AgentRecord, Lesson
from desk.contracts.learning.lessons import ToolUse as RecordedUse
from desk.contracts.learning.record import RecordQuery
from desk.contracts.names import AgentId
from desk.learning.learned.state import Learned
from desk.platform.settings import load_settings
from desk.platform.settings.desk_toml import read_desk_file
from desk.platform.settings.mcp_json import NEEDS, present, read_mcp_config
from starters.main import execute
from starters.operations.assistants.entries import AS_OF_NOW
from starters.sources.tools import command, discover
from starters.sources.tools import offers as offers_module
from starters.sources.tools.discover import discovery, discovery_lines, route_text
from starters.sources.tools.listing import DeskTools, Used, absent_from, servers_of, table_of
from starters.sources.tools.offers import Offer, offers
from starters.sources.tools.record import NEWEST, ToolRecord, record_lines, record_of
from starters.sources.tools.uses import RunToolUse
from starters.terminal.exit_status import ExitStatus
from starters.terminal.tables import WIDTH
from tests.support.processes.homes import PROJECT, home_environment
from workers.needed_sources import tool_users

OFFLINE = (*("ecb", "central_banks", "official_statistics", "knowledge", "analysis", "sentiment"),)
QUOTE = ToolName(server="ecb", tool="get_quote")
BELL = "\x1b]0;owned\x07\x1b[31m"


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose Temporal server is one of the user's own, and not there."""
    for name, value in home_environment(tmp_path, TEMPORAL_ADDRESS="127.0.0.1:1").items():
        monkeypatch.setenv(name, value)
    # In a command's own process the log stays open to its end.
    for module in (command, discover):
        monkeypatch.setattr(module, "log_to_file", lambda settings: None)
    return tmp_path


def hostile_servers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers = {
        "talkative": {"command": "x", "inProcess": "tests.support.sources.talkative_server"},
        "absent": {"command": "x", "inProcess": "tests.support.no_such_module"},
    }
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    monkeypatch.setenv("DESK_MCP_CONFIG", str(path))


async def test_the_desks_own_sources_are_started_only_where_they_are_changed(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def answers(
        _settings: object, _named: object, servers: Sequence[str]
    ) -> dict[str, Offer]:
        asked.extend(servers)
        return {server: offer(server) for server in servers}

    monkeypatch.setattr(offers_module, "_asked", answers)
    usual = await offers(load_settings())
    assert asked == []
    assert all(each.built_in and each.tools for each in usual)

    entries = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    entries["ecb"]["args"][-1] = "60"
    entries["knowledge"]["args"].append(AS_OF_NOW)
    entries["social"]["inProcess"] = "somebody.elses.server"
    entries["sentiment"].pop("inProcess")
    (away / "mcp.json").write_text(json.dumps({"mcpServers": entries}))
    monkeypatch.setenv("DESK_MCP_CONFIG", str(away / "mcp.json"))
    changed = await offers(load_settings())
    assert asked == ["ecb", "sentiment", "social"]
    assert [each.server for each in changed] == list(entries)


def lines_of(used: Used, *offers: Offer) -> list[str]:
    policy = RunPolicy(sources=OFFLINE)
    servers = servers_of(policy, offers, tool_users(policy), used)
    absent = absent_from(policy, [offer.server for offer in offers])
    return list(table_of(DeskTools(week=used.week, note=used.note, servers=servers, absent=absent)))


def offer(server: str, *tools: str, error: str | None = None) -> Offer:
    specs = tuple(ToolSpec(server=server, tool=tool) for tool in tools)
    return Offer(server=server, tools=specs, seconds=None if error else 0.05, error=error)


def test_without_a_server_the_tools_are_listed_all_the_same(
    away: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["tools"]) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert "no use: no Temporal server answers at 127.0.0.1:1" in told
    assert "ecb: built in, 5 tools" in told
    (row,) = [line for line in told.splitlines() if "get_month_averages" in line]
    assert row.split() == ["get_month_averages", "month", "averages", "V"]
    assert "bank_feeds: built in, 2 tools" in told
    assert max(map(len, told.splitlines())) <= WIDTH


def test_without_a_server_the_json_says_why_there_is_no_use(
    away: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["tools", "--json"]) == ExitStatus.COMPLETE
    found = DeskTools.model_validate_json(capsys.readouterr().out)
    assert found.week is None
    assert found.note is not None and "127.0.0.1:1" in found.note
    ours = read_mcp_config(PROJECT / ".mcp.json")
    assert [server.server for server in found.servers] == list(present(ours))


def test_a_server_that_does_not_answer_is_listed_with_the_reason(
    away: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile_servers(away, monkeypatch)
    assert execute(["tools"]) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert "absent: does not answer: absent: MCP server tests.support.no_such_module" in told
    assert "talkative: answers, 4 tools" in told


def test_a_source_whose_package_is_absent_does_not_answer(
    away: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(NEEDS, "desk.sources.yahoo.server", "no_such_package")
    assert execute(["tools"]) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert "yahoo_finance: does not answer: not here: it needs no_such_package; run" in told
    assert "yahoo_finance: answers" not in told


def test_what_a_foreign_server_says_is_printed_on_lines_of_its_own_without_escapes(
    away: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile_servers(away, monkeypatch)
    assert execute(["tools", "discover", "talkative"]) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert "\x1b" not in told and "\x00" not in told
    assert "Ignore your" in told
    assert "Call me" not in told, "only the first line of a description is shown"
    assert max(map(len, told.splitlines())) <= WIDTH


@pytest.mark.parametrize(
    ("server", "says"),
    [
        ("nobody", "no server 'nobody' in .*; named: talkative, absent"),
        ("absent", "absent: MCP server .* cannot be built: .*`desk doctor` checks"),
    ],
)
def test_a_server_that_cannot_be_discovered_is_an_error_that_says_why(
    server: str,
    says: str,
    away: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hostile_servers(away, monkeypatch)
    assert execute(["tools", "discover", server]) != ExitStatus.COMPLETE
    assert re.search(says, capsys.readouterr().err)


def test_the_table_says_how_each_tool_did_and_whose_work_rested_on_it() -> None:
    used = Used(
        "2026-W44",
        {QUOTE: RunToolUse(calls=19, tries=21, failed=1, seconds=[0.2, 0.1, 0.4])},
        {AgentId.VALIDATOR: {QUOTE: 18}},
    )
    (row,) = [x for x in lines_of(used, offer("ecb", "get_quote")) if "get_quote" in x]
    assert row.split() == ["get_quote", "quote", "R1", "R2", "V*", "19", "21", "1", "200"]


def test_a_tool_that_agents_may_call_and_that_is_not_offered_is_told() -> None:
    lines = lines_of(Used(note="none"), offer("ecb", "get_quote"))
    assert any("get_historical" in line and "not offered" in line for line in lines)


@pytest.mark.usefixtures("terminal")
def test_names_that_would_break_the_table_go_on_below() -> None:
    lines = lines_of(Used(note="x " * 400), offer("ecb", "x" * 200), offer("w" * 200, error=BELL))
    assert max(map(len, lines)) <= WIDTH
    assert "".join(lines).count("x") >= 600, "every letter of a name is there"
    assert "\x1b" not in "".join(lines)


def test_a_proposal_can_be_pasted_into_desk_toml(tmp_path: Path) -> None:
    found = discovery(
        Offer(
            server="my.terminal",
            seconds=0.1,
            tools=(
                ToolSpec(
                    server="my.terminal",
                    tool='get_stock "price"',
                    description="Get the current price of a ticker",
                    input_schema={"properties": {"ticker": {}}, "required": ["ticker"]},
                ),
            ),
        )
    )
    lines = list(discovery_lines(found, RunPolicy()))
    table = "\n".join(lines[lines.index("[capabilities]") :])
    path = tmp_path / "desk.toml"
    path.write_text((PROJECT / "desk.toml").read_text().replace("[capabilities]", table))
    routes = read_desk_file(path).run.policy.capabilities[Capability.QUOTE]
    assert [route.server for route in routes] == ["ecb", "yahoo_finance", "my.terminal"]
    assert routes[-1].tool == 'get_stock "price"'
    assert routes[-1].names == {"symbol": "ticker"}


def test_a_plain_route_is_written_short() -> None:
    assert route_text(Route(server="ecb", tool="get_quote")) == '"ecb.get_quote"'
    odd = Route(server="a.b", tool="c\N{GRINNING FACE}")
    assert tomllib.loads(f"x = {route_text(odd)}")["x"] == {"server": "a.b", "tool": odd.tool}


def test_what_the_desk_already_asks_is_not_proposed_again() -> None:
    spec = ToolSpec(server="ecb", tool="get_quote", description="last rate of a pair")
    lines = list(discovery_lines(discovery(Offer(server="ecb", tools=(spec,))), RunPolicy()))
    assert "# quote: get_quote is asked for it already" in lines
    assert "[capabilities]" not in lines


def lesson(week: int, *uses: RecordedUse) -> Lesson:
    return Lesson(
        workflow_id=f"weekly-2026-W{week:02d}",
        week=f"2026-W{week:02d}",
        as_of=datetime(2026, 1, 5, 7, tzinfo=UTC) + timedelta(weeks=week),
        expected=1,
        researched=1,
        tools=uses,
    )


def record_from(*lessons: Lesson) -> ToolRecord | None:
    learned = Learned()
    for told in lessons:
        learned.take(told)
    return record_of(learned.view(RecordQuery(as_of=datetime(2026, 12, 31, tzinfo=UTC))))


def use(**figures: object) -> RecordedUse:
    given = {"agent": AgentId.VALIDATOR, "server": "ecb", "tool": "get_quote", "calls": 10}
    return RecordedUse.model_validate({**given, **figures})


def test_the_record_sums_up_all_weeks() -> None:
    weeks = [
        lesson(week, use(failed=1, refused=1, kept=2, cited=6, timed=8, seconds=0.4))
        for week in range(1, 4)
    ]
    record = record_from(*weeks)
    assert record is not None and record.weeks == 3
    lines = list(record_lines(record))
    assert lines[2].split() == ["ecb.get_quote", "V", "30", "6", "50", "25%", "75%"]
    assert "  V ecb.get_quote since 2026-W02: cited in 3 of the newest 3 weeks, 18 of 24" in lines
    assert any(line.startswith("  2026-W02 V ecb.get_quote came: cited in 2") for line in lines)
    assert max(map(len, lines)) <= WIDTH
    assert len(lines[1]) == len(lines[2])


@pytest.mark.usefixtures("terminal")
def test_the_record_tells_what_asking_cost_where_it_did() -> None:
    priced = use(cost_usd=Decimal("1.25"), timed=8, seconds=0.4)
    free = use(tool="get_historical_but_longer_than_that")
    agent = AgentRecord(
        agent=AgentId.VALIDATOR, tasks=1, delivered=1, turns=2, cost_usd=Decimal("80")
    )
    weeks = [lesson(week, priced, free).model_copy(update={"agents": (agent,)}) for week in (1, 2)]
    record = record_from(*weeks)
    assert record is not None
    lines = list(record_lines(record))
    told = {line.split()[0]: line.split()[-1] for line in lines[1:5]}
    assert told["ecb.get_quote"] == "$2.5000"
    assert (told["tool"], lines[2].split()[-1]) == ("cost", "-")
    assert "cost of the agents: V $160.00" in lines
    assert max(map(len, lines)) <= WIDTH
    free_of_charge = record_from(lesson(1, free))
    assert free_of_charge is not None
    assert not any("cost" in line for line in record_lines(free_of_charge))


def test_without_lessons_there_is_no_record() -> None:
    assert record_from() is None
    assert not any("record of" in line for line in lines_of(Used(note="none")))


def test_a_record_of_calls_that_all_failed_has_no_shares() -> None:
    record = record_from(lesson(1, use(failed=10)))
    assert record is not None
    lines = list(record_lines(record))
    assert lines[2].split()[-5:] == ["10", "10", "-", "-", "-"]
    assert "  none yet: a tool is one when cited in two of four weeks" in lines


def test_the_table_tells_the_newest_changes_and_counts_the_others() -> None:
    tools = [f"tool_{number:02d}\x1b[31m" for number in range(NEWEST + 3)]
    record = record_from(*(lesson(w, *(use(tool=t, cited=9) for t in tools)) for w in (1, 2)))
    assert record is not None and len(record.changes) == NEWEST + 3
    lines = list(record_lines(record))
    told = [line for line in lines if " came: " in line]
    assert len(told) == NEWEST
    assert "changes, newest first, 3 earlier not shown" in lines
    assert "\x1b" not in "".join(lines)
    assert max(map(len, lines)) <= WIDTH


def test_the_record_tells_what_is_described_in_short() -> None:
    weeks = [lesson(w, use(cited=9), use(tool="search_symbols", calls=2)) for w in range(1, 9)]
    record = record_from(*weeks)
    assert record is not None
    assert "  V ecb.search_symbols: 16 answers" in list(record_lines(record))


def test_the_record_stands_beneath_the_use_of_a_run() -> None:
    record = record_from(lesson(1, use(cited=9)))
    shown = list(table_of(DeskTools(note="none", servers=(), record=record)))
    assert "record of 1 week" in shown[shown.index("") :]
