"""What the pages at the root and in docs/ name of the tree is there."""

import re
from pathlib import Path

import pytest

from tests.support.processes.homes import PROJECT

PAGES = [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").glob("*.md"))]
PLACE = re.compile(
    r"`((?:desk|workflows|activities|workers|starters|mcp_servers|tests|docs|deploy)/[\w./-]+)`"
)
MODULE = re.compile(
    r"\bpython -m ((?:desk|tests|workers)(?:\.\w+)+)|`(desk(?:\.[a-z_]+){2,})(?:\.[A-Z]\w*)?`"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_names_files_and_modules_that_there_are(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    # NAME in a place stands for one of the reader's own.
    places = [place for place in PLACE.findall(text) if "NAME" not in place]
    gone = [place for place in places if not (PROJECT / place).exists()]
    modules = [first or second for first, second in MODULE.findall(text)]
    assert gone + [name for name in modules if not _is_there(name)] == []


def _is_there(name: str) -> bool:
    """Whether it is a package, a module, or defined in one."""
    place = PROJECT / name.replace(".", "/")
    if place.is_dir() or place.with_suffix(".py").is_file():
        return True
    module = place.parent.with_suffix(".py")
    return module.is_file() and f"def {place.name}(" in module.read_text(encoding="utf-8")
