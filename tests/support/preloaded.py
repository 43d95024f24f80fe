"""What commands and workers of the desk import, at once or when they need it."""

import importlib
import pkgutil

import activities
import desk.documents
import starters
import workers
from tests.support.meaning import words_alone

for _package in (activities, desk.documents, starters, workers):
    for _module in pkgutil.walk_packages(_package.__path__, f"{_package.__name__}."):
        importlib.import_module(_module.name)
for _name in (
    "desk.platform.mcp.pool",
    "desk.sources.central_banks.server",
    "desk.sources.ecb.server",
    "desk.sources.statistics.server",
    "tests.support.forks",
):
    importlib.import_module(_name)
words_alone()
