"""Finds the files that the servers of `.mcp.json` cache, by asking the servers' own modules.

A server of this project may cache files of its provider in the cache folder. Its module names them
for the arguments that it is started with. The files of third-party servers are unknown.
"""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from desk.contracts.findings.sources import KeptFileState, RefreshOutcome
from desk.platform.mcp.attribution import own_module
from desk.platform.settings.mcp_json import CACHING_SERVERS, McpServerSpec

_CACHE_DIR = "--cache-dir"


class CachedFile(Protocol):
    """A file that a server caches, as its module describes it."""

    @property
    def source(self) -> str:
        """The file's name for people."""
        ...

    def refresh(self, cache_dir: Path) -> RefreshOutcome:
        """Downloads the file into the folder. The outcome says why if it could not."""
        ...

    def state(self, cache_dir: Path) -> KeptFileState:
        """How current the cached copy is."""
        ...


class FileOfServer(NamedTuple):
    """A cached file, its server, and its folder."""

    server: str
    file: CachedFile
    cache_dir: Path


class CachedFilesUnknown(Exception):
    """A server's module cannot say which files it caches. The message names the server and says
    why."""


def kept_files(
    servers: Mapping[str, McpServerSpec],
    *,
    in_process: bool,
    project_dir: Path,
    cache_dir: Path,
) -> Iterator[FileOfServer | CachedFilesUnknown]:
    """Yields every file that the servers cache, in the order of the servers. If a server's files
    are unknown, yields the reason instead. A server that runs elsewhere caches its files where its
    `--cache-dir` says."""
    for server, spec in servers.items():
        module = own_module(spec)
        if module is None:
            continue
        here = spec.runs_here(in_process=in_process)
        folder = cache_dir if here else _folder_of(spec, project_dir, cache_dir)
        args = spec.args[2:] if spec.args[:1] == ("-m",) else spec.args
        try:
            found = importlib.import_module(module)
            files = found.kept_files(args) if hasattr(found, "kept_files") else ()
        except (Exception, SystemExit) as error:
            words = str(error) if isinstance(error, Exception) else "its args are not understood"
            yield CachedFilesUnknown(f"{server}: {words}")
            continue
        for file in files:
            yield FileOfServer(server, file, folder)


def servers_caching_files(servers: Mapping[str, McpServerSpec]) -> tuple[str, ...]:
    """The servers of this project whose modules cache files, found without loading the modules."""
    return tuple(name for name, spec in servers.items() if own_module(spec) in CACHING_SERVERS)


def _folder_of(spec: McpServerSpec, project_dir: Path, cache_dir: Path) -> Path:
    if _CACHE_DIR not in spec.args[:-1]:
        return cache_dir
    named = spec.args[spec.args.index(_CACHE_DIR) + 1]
    return project_dir / (spec.cwd or "") / named
