"""docs/sources.md says what the servers say of themselves: `python -m desk.sources` writes it."""

import json

import pytest

from desk.contracts.findings.sources import SourceDescription
from desk.platform.mcp.attribution import HIGHEST
from desk.sources.__main__ import OFFERED, descriptions, offered_tools, written
from tests.support.processes.homes import PROJECT

PAGE = PROJECT / "docs/sources.md"
ENTRIES = json.loads((PROJECT / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]


def test_the_page_is_as_the_servers_describe_themselves() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page, descriptions(), ENTRIES) == page, "run `python -m desk.sources`"


async def test_the_listed_tools_are_those_that_the_servers_offer() -> None:
    listed = (PROJECT / OFFERED).read_text(encoding="utf-8")
    assert await offered_tools(ENTRIES) == listed, "run `python -m desk.sources`"


def test_every_server_is_described_with_licence_and_terms() -> None:
    told = descriptions()
    assert len(told) == len(HIGHEST)
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"{each.licence} {each.terms}" in page for each in told)


def test_what_a_server_says_anew_changes_its_row() -> None:
    first, *others = descriptions()
    changed = SourceDescription(**{**dict(first), "licence": "None | at all."})
    page = written(PAGE.read_text(encoding="utf-8"), [changed, *others], ENTRIES)
    assert "None \\| at all." in page


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place"):
        written("# Sources\n", descriptions(), ENTRIES)
