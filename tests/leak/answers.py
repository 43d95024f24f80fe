"""Everything that the tools of one world answer at an instant."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import cache, partial

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

from desk.contracts.agents.config import RunConfig
from desk.contracts.markets import MarketKind
from desk.platform.settings.desk_toml import read_desk_file
from desk.sources.central_banks.facts.policy import read_facts
from desk.sources.central_banks.server import CentralBankTools
from desk.sources.ecb.server import EcbTools
from desk.sources.ecb.store import RatesStore
from desk.sources.knowledge.files import read_corpus
from desk.sources.sentiment.server import SentimentTools
from desk.sources.sentiment.stories import Newsroom
from desk.sources.statistics.server import OfficialStatisticsTools
from tests.leak.worlds import World
from tests.support.processes.homes import PROJECT

Call = tuple[str, Callable[[], BaseModel]]


@cache
def desk() -> RunConfig:
    """The markets of `desk.toml`."""
    return read_desk_file(PROJECT / "desk.toml").run


def answers(world: World, as_of: datetime) -> dict[str, str]:
    """What each tool answers, as JSON, by the call; a refusal is an answer too."""
    calls = (
        *_fixings(world, as_of),
        *_decisions(world, as_of),
        *_statistics(world, as_of),
        *_news(world, as_of),
    )
    return {name: _answer(call) for name, call in calls}


def _answer(call: Callable[[], BaseModel]) -> str:
    try:
        return call().model_dump_json()
    except ToolError as refused:
        return f"refused: {refused}"


def _pairs() -> list[str]:
    return [m.market for m in desk().markets if m.kind is MarketKind.PAIR] + ["EUR/JPY", "JPY/EUR"]


def _areas() -> list[str]:
    return [m.market for m in desk().markets if m.kind is MarketKind.POLICY_RATE]


def _fixings(world: World, as_of: datetime) -> Iterator[Call]:
    tools = EcbTools(RatesStore(None, world.rates))
    year_ago, ahead = as_of.date() - timedelta(days=380), as_of.date() + timedelta(days=30)
    for pair in _pairs():
        yield f"quote {pair}", partial(tools.get_quote, pair, as_of)
        yield (
            f"history {pair}",
            partial(tools.get_historical, pair, year_ago, as_of, ahead),
        )
        yield (
            f"ahead {pair}",
            partial(tools.get_historical, pair, as_of.date(), as_of),
        )
    yield "quotes", partial(tools.get_quotes, _pairs(), as_of)
    yield "symbols", partial(tools.search_symbols, "dollar", as_of)
    yield "coverage", partial(tools.get_coverage, as_of)


def _decisions(world: World, as_of: datetime) -> Iterator[Call]:
    tools = CentralBankTools(world.facts)
    start, end = as_of.date() - timedelta(days=380), as_of.date() + timedelta(days=90)
    for area in _areas():
        yield f"rate {area}", partial(tools.get_policy_rate, [area], as_of)
        yield (
            f"decisions {area}",
            partial(tools.get_rate_decisions, [area], start, end, as_of),
        )
        yield (
            f"calendar {area}",
            partial(tools.get_decision_calendar, [area], start, end, as_of),
        )


def _statistics(world: World, as_of: datetime) -> Iterator[Call]:
    tools = OfficialStatisticsTools(world.facts)
    start = f"{as_of - timedelta(days=400):%Y-%m}"
    end = f"{as_of + timedelta(days=60):%Y-%m}"
    for pair in _pairs():
        yield (
            f"averages {pair}",
            partial(tools.get_month_averages, pair, start, end, as_of),
        )
    yield "month ends", partial(tools.get_month_end_rates, _areas(), start, end, as_of)


def _news(world: World, as_of: datetime) -> Iterator[Call]:
    facts, corpus = read_facts(world.facts), read_corpus(world.corpus)
    tools = SentimentTools(Newsroom(lambda _: facts, lambda: corpus))
    for market in (*_pairs(), *_areas()):
        yield f"digest {market}", partial(tools.news_aggregator, market, as_of)
        yield f"tone {market}", partial(tools.sentiment_analyzer, market, as_of)
