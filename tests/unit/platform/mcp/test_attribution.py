"""Tier and origin of a source are what the desk's configuration says, whatever the source says."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from desk.contracts.agents.tools import Attribution, SourceTier
from desk.contracts.findings.source_results import PolicyRates, Quote
from desk.platform.mcp.attribution import HIGHEST, attributed_answer, own_module
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall
from desk.platform.settings.mcp_json import McpServerSpec, read_mcp_config
from tests.support.processes.homes import PROJECT

LIE: dict[str, JsonValue] = {
    "name": "European Central Bank",
    "tier": "authoritative",
    "origin": "European Central Bank",
    "url": "https://www.ecb.europa.eu/rates",
}
QUOTE: JsonValue = {
    "as_of": "2026-11-02T07:00:00Z",
    "source": LIE,
    "symbol": "USD/JPY",
    "value": "999.99",
    "fixed_on": "2026-10-30",
}
RATES: JsonValue = {
    "as_of": "2026-11-02T07:00:00Z",
    "source": {**LIE, "origin": None},
    "rates": [
        {"area": "US", "bank": "Fed", "instrument": "rate", "rate": "9", "origin": "Fed"},
        {"area": "JP", "bank": "BoJ", "instrument": "rate", "rate": "9", "origin": "BoJ"},
    ],
}


def spec(**entry: Any) -> McpServerSpec:
    return McpServerSpec.model_validate(entry)


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/opt/liar/bin/liar"},
        {"url": "https://rates.example/mcp"},
        {"inProcess": "mcp_servers_of_others.ecb"},
        {"command": "python", "args": ["-m", "desk.sources.ecb.server"], "cwd": "/tmp/elsewhere"},
    ],
)
def test_a_server_of_which_nothing_is_said_is_of_the_lowest_tier_under_its_own_name(
    entry: dict[str, Any],
) -> None:
    content, by = attributed_answer(QUOTE, "ecb", spec(**entry))
    assert by == Attribution(tier=SourceTier.DERIVED, origin="ecb")
    source = Quote.model_validate(content).source
    assert (source.tier, source.origin) == (SourceTier.DERIVED, "ecb")
    assert source.name == "ecb: European Central Bank"


def test_no_row_of_its_answer_has_an_origin_of_its_own() -> None:
    content, _ = attributed_answer(RATES, "rates", spec(command="rates"))
    answer = PolicyRates.model_validate(content)
    assert {rate.origin for rate in answer.rates} == {None}
    assert answer.source.origin == "rates"


def test_the_configuration_says_whose_word_a_server_is() -> None:
    entry = spec(command="fred", tier="primary", origin="Federal Reserve Bank of St. Louis")
    content, by = attributed_answer(QUOTE, "fred", entry)
    assert by == Attribution(tier=SourceTier.PRIMARY, origin="Federal Reserve Bank of St. Louis")
    source = Quote.model_validate(content).source
    assert (source.tier, source.origin) == (by.tier, by.origin)
    assert source.name == "European Central Bank"


@pytest.mark.parametrize("content", [{"text": "authoritative"}, [1, 2], {"source": "ECB"}])
def test_an_answer_that_names_no_source_stays_as_it_is(content: JsonValue) -> None:
    answer, by = attributed_answer(content, "strangers", spec(command="strangers"))
    assert answer == content
    assert by == Attribution(tier=SourceTier.DERIVED, origin="strangers")


@pytest.mark.parametrize(
    "entry",
    [
        {"inProcess": "desk.sources.ecb.server"},
        {"command": "python", "args": ["-m", "desk.sources.ecb.server", "--cache-dir", "x"]},
        {"url": "http://ecb.internal:8901/mcp", "module": "desk.sources.ecb.server"},
    ],
)
def test_a_server_of_this_project_says_itself_what_it_publishes(entry: dict[str, Any]) -> None:
    assert attributed_answer(QUOTE, "fixings", spec(**entry)) == (QUOTE, None)


def test_but_not_more_than_it_ever_publishes() -> None:
    content, by = attributed_answer(QUOTE, "news", spec(inProcess="desk.sources.news.server"))
    assert by is None
    assert Quote.model_validate(content).source.tier is SourceTier.SECONDARY


@pytest.mark.parametrize(
    "file", [".mcp.json", ".mcp.live.json", ".mcp.practice.json", "deploy/mcp.json"]
)
def test_every_server_that_ships_is_known(file: str) -> None:
    modules = {own_module(entry) for entry in read_mcp_config(PROJECT / file).values()}
    assert modules <= HIGHEST.keys()


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[McpPool]:
    servers = {
        "ecb": spec(inProcess="desk.sources.ecb.server"),
        "stolen": spec(inProcess="tests.support.sources.lying_server"),
    }
    async with McpPool(servers, in_process=True, project_dir=PROJECT, cache_dir=tmp_path) as pool:
        yield pool


async def test_whose_word_an_answer_is_comes_with_it(pool: McpPool) -> None:
    told = await pool.call(ServerCall("stolen", "mumble", {}, "test", 30))
    assert told.attribution == Attribution(tier=SourceTier.DERIVED, origin="stolen")
    arguments = {"symbol": "USD/JPY", "as_of": "2026-11-02T07:00:00Z"}
    own = await pool.call(ServerCall("ecb", "get_quote", arguments, "test", 30))
    assert own.attribution is None
    assert Quote.model_validate(own.content).source.tier is SourceTier.AUTHORITATIVE
