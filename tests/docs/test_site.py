"""The site is built from docs/ without a warning, and links at the root lead to what there is."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml
from pymdownx.slugs import slugify

from tests.support.processes.homes import PROJECT

ROOT_PAGES = sorted(PROJECT.glob("*.md"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.M)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it: a page or a heading that a link misses fails it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_is_in_the_sites_menu(site: Path) -> None:
    written = (PROJECT / "mkdocs.yml").read_text()
    menu = yaml.safe_load(written.partition("\nnav:\n")[2])
    named = [page for section in menu for page in _pages(section)]
    pages = {page.name for page in (PROJECT / "docs").glob("*.md")}
    assert pages - set(named) == set(), "name them in mkdocs.yml"
    assert {page.name for page in site.glob("*.html")} >= {f"{n[:-3]}.html" for n in named}


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img)[^>]+(?:src|href)=\"?(https?:[^\s\"]+)")
    found = {page.name: loaded.findall(page.read_text()) for page in site.glob("*.html")}
    assert {name: urls for name, urls in found.items() if urls} == {}


@pytest.mark.parametrize("page", ROOT_PAGES, ids=lambda page: page.name)
def test_a_link_at_the_root_leads_to_what_there_is(page: Path) -> None:
    links = [each for each in LINK.findall(page.read_text()) if "://" not in each]
    assert [each for each in links if not _leads(page, each)] == []


def _pages(entry: Any) -> list[str]:
    """The pages that an entry of the menu holds."""
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry
    return [page for each in inner for page in _pages(each)]


def _leads(page: Path, link: str) -> bool:
    place, _, anchor = unquote(link).partition("#")
    target = page.parent / place if place else page
    if not target.exists():
        return False
    slug = slugify(case="lower")
    return not anchor or anchor in {slug(h, "-") for h in HEADING.findall(target.read_text())}
