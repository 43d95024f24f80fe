"""`desk tools` beside a run that has ended."""

from pathlib import Path

from desk.contracts.names import AgentId
from starters.sources.tools.listing import DeskTools
from tests.support.processes.command import Answer, DeskCommand

WEEK = "2026-W44"


def used_and_recorded(answer: Answer) -> bool:
    """Whether the server lists the run's markets, and its record has the run."""
    found = DeskTools.model_validate_json(answer.out)
    used = any(tool.calls for server in found.servers for tool in server.tools)
    return used and found.record is not None and found.record.weeks > 0


def test_the_tools_are_listed_with_what_they_did_in_the_latest_run(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    with desk.up():
        assert desk("run", "--week", WEEK, "--markets", "USD/JPY").code == 0
        answer = desk.until(used_and_recorded, "tools", "--json")
        table = desk("tools", "--week", WEEK)
        unknown = desk("tools", "--week", "2026-W43")
    assert answer.code == 0, answer.err
    found = DeskTools.model_validate_json(answer.out)
    lines = {(s.server, t.tool): t for s in found.servers for t in s.tools}
    history = lines["ecb", "get_historical"]
    assert found.week == WEEK
    assert (history.calls, history.tries, history.failed) == (1, 1, 0)
    assert history.median_ms is not None and history.median_ms >= 0
    assert AgentId.RESEARCH_AGENT_1 in history.essential
    assert lines["central_banks", "get_policy_rate"].calls == 2, "the analyst's and the validator's"
    assert not lines["ecb", "search_symbols"].essential
    assert found.record is not None and found.record.weeks == 1
    (recorded,) = (line for line in found.record.lines if line.tool == "get_historical")
    assert (recorded.agent, recorded.calls) == (AgentId.RESEARCH_AGENT_1, 1)
    assert recorded.mean_ms is not None
    assert table.out.startswith(f"use in {WEEK}\n")
    assert "record of 1 week\n" in table.out
    rows = [line.split() for line in table.out.splitlines()]
    assert ["ecb.get_historical", "R1", "1"] in [row[:3] for row in rows]
    assert "no run of 2026-W43 is known" in unknown.out
