"""What commands and workers of the desk import, at once or when they need it."""

import gc
import importlib
import pkgutil

import activities
import desk.documents
import desk.programs
import starters
import workers
from tests.support.meaning import words_alone

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
    "desk.sources.analysis.server",
    "desk.sources.central_banks.server",
    "desk.sources.ecb.server",
    "desk.sources.knowledge.server",
    "desk.sources.sentiment.server",
    "desk.sources.statistics.server",
    # What others import as late as at the first call.
    "anyio._backends._asyncio",
    "httpcore2",
    "jsonschema",
    "rich.traceback",
    "tests.support.forks",
):
    importlib.import_module(_name)
words_alone()
gc.freeze()
gc.enable()
