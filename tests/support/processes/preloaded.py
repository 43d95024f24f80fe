"""What commands and workers of the desk import, at once or when they need it."""

import gc
import importlib
import logging
import pkgutil
from collections.abc import Iterator

import activities
import desk.documents
import desk.programs
import starters
import workers
from desk.analytics.names.subjects import subjects_asked
from desk.analytics.technical.indicators import ta_lib
from desk.contracts.base import Contract
from desk.documents.rendering.pages import page_environment
from desk.documents.rendering.rendering_version import rendering_mark
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.platform.temporal.deployment import build_id
from desk.sources.analysis.prices import PriceStore
from desk.sources.ecb.store import RatesStore
from tests.support.described_tools import describe_once
from tests.support.meaning import meaning, words_alone

_SERVERS = (
    "desk.sources.analysis.server",
    "desk.sources.central_banks.server",
    "desk.sources.ecb.server",
    "desk.sources.knowledge.server",
    "desk.sources.news.banks.server",
    "desk.sources.news.server",
    "desk.sources.sentiment.server",
    "desk.sources.social.server",
    "desk.sources.statistics.cross_asset.server",
    "desk.sources.statistics.server",
    "desk.sources.yahoo.server",
)

# All of it stays, in every fork: there is no garbage in it to look for.
gc.disable()
for _package in (activities, desk.documents, desk.programs, starters, workers):
    for _module in pkgutil.walk_packages(_package.__path__, f"{_package.__name__}."):
        importlib.import_module(_module.name)
for _name in (
    "desk.platform.mcp.pool",
    # Brings the SDK of the Messages API, two seconds of processor time.
    "desk.platform.models.claude",
    "desk.platform.telemetry.log_lines",
    # What others import as late as at the first call.
    "anyio._backends._asyncio",
    "encodings.idna",
    "httpcore2",
    "icalendar",
    "jsonschema",
    "pypdf",
    "rich.traceback",
    # Half a second of processor time, where patterns and seasons are looked for.
    "scipy.stats",
    # A fifth of a second, where a desk may ask Yahoo.
    "yfinance",
    "desk.sources.yahoo.session",
    "tests.support.processes.forks",
):
    importlib.import_module(_name)
words_alone()
ta_lib("tests")
importlib.import_module("talib.abstract")
# Whoever hosts a desk builds its servers: what they have in common with each other is there.
describe_once()
for _name in _SERVERS:
    importlib.import_module(_name).from_arguments((), cache_dir=None, refresh_every=None)
# A server has put one there, where nobody had.
logging.getLogger().handlers.clear()
for _package_name in ("desk.programs.week.archive", "desk.programs.week.document"):
    _templates = page_environment(_package_name)
    for _name in _templates.list_templates():
        _templates.get_template(_name)


def _below(kind: type[Contract]) -> Iterator[type[Contract]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


# What is made once in a process, when it is first needed, each fork would make anew: what checks a
# contract, the patterns that names of currencies and countries are found by, the packaged rates,
# the prices of the stock that most tests ask about, the small model of meaning, the digest of what
# renders.
for _contract in _below(Contract):
    _contract.model_rebuild()
subjects_asked("Is the yen far from its high?")
RatesStore().current()
PriceStore(RatesStore()).packaged("NVDA")
with meaning():
    if model := desk_embedding_model():
        model.question("Where is the yen?")
build_id()
rendering_mark()
gc.freeze()
gc.enable()
