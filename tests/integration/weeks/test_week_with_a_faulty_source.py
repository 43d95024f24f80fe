"""A desk at work while one of its sources fails on the wire, and comes back: `desk up` and its
commands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.support.processes.command import Answer, DeskCommand, eventually
from tests.support.processes.homes import PROJECT
from tests.support.sources.faulty_source import Controls, Fault, over_stdio, started_again

ECB: Final = "desk.sources.ecb.server"
WEEK: Final = "2026-W44"
BEFORE: Final = "2026-W43"
MARKETS: Final = ("USD/JPY", "EUR/USD", "GBP/USD", "JP")
PAIRS: Final = MARKETS[:3]


class Faulted(NamedTuple):
    """A week with a source that failed, what the commands said of it, and what came of asking
    again when the source was well."""

    ran: Answer
    report: dict[str, Any]
    markdown: str
    audited: Answer
    tools: dict[str, Any]
    agents: dict[str, Any]
    again: dict[str, Any]
    log: str


@pytest.fixture(scope="module")
def faulted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulted]:
    folder = tmp_path_factory.mktemp("faulted")
    controls = Controls(folder / "control")
    controls.suffer(Fault.MALFORMED)
    desk = DeskCommand(folder, DESK_MCP_CONFIG=str(_sources(folder)))
    with started_again(ECB, folder / "control"), desk.up():
        ran = desk("run", "--week", WEEK, "--markets", ",".join(MARKETS))
        (path,) = (folder / "reports" / "weekly").glob("*.r1.json")
        audited = desk("audit", str(path))
        tools, agents = desk("tools", "--json").json, desk("agents", "--json").json
        controls.suffer(None)
        again = eventually(lambda: _researched_again(desk), "USD/JPY is researched")
    yield Faulted(
        ran=ran,
        report=json.loads(path.read_text()),
        markdown=path.with_suffix(".md").read_text(),
        audited=audited,
        tools=tools,
        agents=agents,
        again=again,
        log=(folder / "up.log").read_text(),
    )


def _sources(folder: Path) -> Path:
    """One source as a process, and two in the worker's own."""
    working = json.loads((PROJECT / ".mcp.json").read_text())["mcpServers"]
    well = {name: working[name] for name in ("central_banks", "official_statistics")}
    servers = {"ecb": over_stdio(ECB, folder / "control"), **well}
    config = folder / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    return config


def _researched_again(desk: DeskCommand) -> dict[str, Any] | None:
    """The report of another week once that has its market; each time it is researched anew."""
    desk("run", "--week", BEFORE, "--markets", "USD/JPY", "--again")
    files = (desk.directory / "reports" / "weekly").glob(f"{BEFORE}*.r*.json")
    report: dict[str, Any] = json.loads(max(files, key=lambda f: f.stat().st_mtime).read_text())
    return report if report["markets"][0]["outcome"] == "researched" else None


def test_the_report_says_which_source_was_not_asked_since_when_and_how_often(
    faulted: Faulted,
) -> None:
    assert faulted.ran.code == 3, faulted.ran.err
    (outage,) = faulted.report["coverage"]["outages"]
    assert (outage["server"], outage["fault"]) == ("ecb", "malformed")
    assert outage["calls_not_made"] >= 1
    assert outage["since"] < faulted.report["timings"]["finished_at"]
    words = "Source ecb was not asked for a time, from"
    assert words in faulted.markdown
    assert words in faulted.ran.out
    assert faulted.audited.code == 0, faulted.audited.out


def test_what_does_not_need_the_source_is_there(faulted: Faulted) -> None:
    outcomes = {market["market"]: market["outcome"] for market in faulted.report["markets"]}
    assert outcomes["JP"] == "researched"
    assert {outcomes[pair] for pair in PAIRS} == {"dead_lettered"}


def test_the_commands_say_that_it_is_not_asked(faulted: Faulted) -> None:
    tools = {server["server"]: server for server in faulted.tools["servers"]}
    counted = faulted.report["coverage"]["outages"][0]["calls_not_made"]
    assert tools["ecb"]["outage"]["calls_not_made"] == counted
    assert tools["central_banks"]["outage"] is None
    sources = {source["server"]: source for source in faulted.agents["sources"]}
    assert sources["ecb"]["status"] == "degraded"
    assert sources["ecb"]["not_made"] == counted
    assert "circuit open since" in "; ".join(sources["ecb"]["reasons"])


def test_a_source_that_comes_back_is_used_again(faulted: Faulted) -> None:
    assert "ecb" in {source["server"] for source in faulted.again["sources"]}
    assert "source ecb answers again" in faulted.log


def test_each_failure_is_one_line_in_the_terminal(faulted: Faulted) -> None:
    assert "ToolUnavailable: ecb.get_historical" in faulted.log
    assert "Traceback" not in faulted.log
