"""A swarm one of whose sources fails on the wire while it runs: what the command, the page and the
audit say of it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.support.processes.command import Answer, DeskCommand
from tests.support.processes.homes import PROJECT
from tests.support.sources.faulty_source import Controls, Fault, over_stdio, started_again

BANKS: Final = "desk.sources.central_banks.server"
SWARM: Final = (
    *("swarm", "Will USD/JPY rise over the next four weeks?", "--as-of", "2026-10-30"),
    *("--effort", "moderate", "--rounds", "1", "--no-memory"),
)


class Researched(NamedTuple):
    """What the command said, the report in its forms, and what the audit said of it."""

    ran: Answer
    answer: dict[str, Any]
    markdown: str
    page: str
    audited: Answer


@pytest.fixture(scope="module")
def researched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Researched]:
    folder = tmp_path_factory.mktemp("lost")
    control = folder / "control"
    sources = json.loads((PROJECT / ".mcp.json").read_text())
    sources["mcpServers"]["central_banks"] = over_stdio(BANKS, control)
    config = folder / "mcp.json"
    config.write_text(json.dumps(sources))
    Controls(control).suffer(Fault.MALFORMED)
    desk = DeskCommand(folder, DESK_MCP_CONFIG=str(config))
    with started_again(BANKS, control), desk.up():
        ran = desk(*SWARM)
    found = re.search(r"Report +(\S+)", ran.out)
    assert found is not None, ran.out + ran.err
    page = Path(found[1])
    yield Researched(
        ran=ran,
        answer=json.loads(page.with_suffix(".json").read_text()),
        markdown=page.with_suffix(".md").read_text(),
        page=page.read_text(),
        audited=desk("audit", str(page.with_suffix(".json"))),
    )


def test_what_was_lost_is_told_first_and_by_the_exit_status(researched: Researched) -> None:
    assert researched.ran.code == 3
    first = "2 tools could not be asked (central_banks get_policy_rate"
    for told in (researched.ran.out, researched.markdown, researched.page):
        before, _, behind = " ".join(told.split()).partition(first)
        assert "Open: the findings" not in before and "Open: the findings" in behind
    assert researched.answer["decided"] == "open"


def test_what_is_missing_says_of_each_tool_why_it_was_lost(researched: Researched) -> None:
    _, _, missing = researched.markdown.partition("## What is missing")
    for tool in ("get policy rate", "get decision calendar"):
        (lost,) = re.findall(rf"- USD/JPY: {tool}\b.*", missing)
        assert "central banks" in lost
        # Which of the two depends on how often the source had failed by then.
        unread, spared = "its answer could not be read", "it was not asked again"
        assert unread in lost or spared in lost


def test_the_audit_verifies_what_is_left(researched: Researched) -> None:
    assert researched.audited.code == 0, researched.audited.out
