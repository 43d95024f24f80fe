"""Every server of the desk describes its source, and starts in this process by its arguments."""

import importlib
from pathlib import Path

import pytest
from mcp import Client

from desk.contracts.findings.sources import NetworkUse, SourceDescription
from desk.platform.mcp.attribution import HIGHEST
from desk.platform.settings.mcp_json import RENAMED

NAMES = {module: name.rpartition(".")[2] for name, module in RENAMED.items()}


@pytest.mark.parametrize("module", HIGHEST)
def test_a_server_says_whose_its_figures_are_and_how_they_may_be_used(module: str) -> None:
    told = importlib.import_module(module).DESCRIPTION
    assert isinstance(told, SourceDescription)
    assert told.tiers[0] is HIGHEST[module]
    assert told.server == NAMES.get(module, told.server)
    for words in (told.gives, told.licence, told.terms, told.publication):
        assert words.strip().endswith(".")


@pytest.mark.parametrize("module", HIGHEST)
def test_a_server_that_refreshes_names_the_files_that_it_keeps(module: str) -> None:
    server = importlib.import_module(module)
    files = server.kept_files() if hasattr(server, "kept_files") else ()
    assert bool(files) == (server.DESCRIPTION.network is NetworkUse.REFRESHES)


@pytest.mark.parametrize("module", HIGHEST)
async def test_a_server_starts_in_this_process_as_its_entry_says(
    module: str, tmp_path: Path
) -> None:
    server = importlib.import_module(module).from_arguments(
        ["--cache-dir", "elsewhere"], cache_dir=tmp_path, refresh_every=None
    )
    async with Client(server) as client:
        assert (await client.list_tools()).tools
