"""Looks at every kind of page with axe-core, wide and narrow, light and dark: a week's, its e-mail,
the archive, a pair's, a rate's, the search, the answers of a question, a swarm and an episode, and
the pages of `desk serve`.

`make axe` fetches axe-core with npm. With files, it looks at those alone; `--pictures DIR` keeps a
picture of every page. Exit status 1 where it finds anything.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from desk.programs.week.archive.archive import write_archive
from desk.programs.week.document.publishing import publish
from desk.programs.week.document.rendering.letter import letter_html
from tests.axe.served import served_pages
from tests.published import ANSWERS, FOLDER, REPORTS
from tests.support.documents.archives import report_of, shelve
from tests.support.documents.reports import sample_report
from tests.support.outside.browser import Browser, browsing, chromium

WIDTHS: Final = (1_400, 800, 390)
PATIENCE: Final = 60.0
"""Seconds for axe to look at one page."""
PAGES: Final = ("index.html", "markets/USD-JPY.html", "markets/JP.html", "search.html")


def main(axe: Path, given: list[Path], pictures: Path | None) -> int:
    """Look at the pages that are given, else at samples of all; gives the exit status."""
    program = chromium()
    if program is None:
        sys.stderr.write("axe needs a Chromium, and none is installed\n")
        return 1
    found = seen = 0
    with (
        tempfile.TemporaryDirectory() as home,
        _pages(given) as pages,
        browsing(program, Path(home)) as browser,
    ):
        look = Look(browser, axe.read_text(encoding="utf-8"), pictures)
        for name, address in pages.items():
            seen += 1
            for words in look.findings(name, address):
                found += 1
                sys.stdout.write(f"{name}, {words}\n")
    sys.stdout.write(f"{found} findings on {seen} pages\n")
    return 1 if found else 0


@contextmanager
def _pages(given: list[Path]) -> Iterator[dict[str, str]]:
    """The addresses of what is looked at, by the names of the pages."""
    if given:
        yield _at(given)
        return
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as desk:
        samples = _at(_samples(Path(made)))
        with served_pages(Path(desk)) as served:
            yield {**served, **samples}


def _at(files: list[Path]) -> dict[str, str]:
    return {file.name: file.resolve().as_uri() for file in files}


def _samples(folder: Path) -> list[Path]:
    shelve(folder, report_of("2026-W37", "-2.20"))
    files = publish(report_of("2026-W38"), folder)
    write_archive(folder)
    letter = folder / "letter.html"
    letter.write_text(letter_html(sample_report(), "The week", files.html), encoding="utf-8")
    published = (FOLDER / f"{name}.html" for name in (*REPORTS, *ANSWERS))
    return [Path(files.html), letter, *(folder / name for name in PAGES), *published]


class Look:
    """Looks at pages in a browser, by a script of axe-core."""

    def __init__(self, browser: Browser, script: str, pictures: Path | None) -> None:
        self._browser = browser
        self._script = script
        self._pictures = pictures

    def findings(self, name: str, address: str) -> Iterator[str]:
        """What is wrong with a page, at every width and in both schemes."""
        browser = self._browser
        for dark in (False, True):
            for width in WIDTHS:
                where = f"{width} px, {'dark' if dark else 'light'}"
                browser.resize(width, dark=dark)
                browser.open(address)
                if self._pictures is not None:
                    file = f"{name}-{where}.png".replace(", ", "-").replace(" ", "-")
                    browser.photograph(self._pictures / file, whole=True)
                if browser.ask("document.documentElement.scrollWidth") > width:
                    yield f"{where}: it is wider than its screen"
                yield from (f"{where}: {rule}" for rule in self._rules())

    def _rules(self) -> list[str]:
        told = (
            "axe.run().then(r => { window.told = r.violations.map("
            "v => `${v.id}, ${v.nodes.length} times, as in ${v.nodes[0].html.slice(0, 120)}`)},"
            " e => { window.told = [`axe failed: ${e}`] })"
        )
        self._browser.ask(f"{self._script}; window.told = null; {told}; 0")
        end = time.monotonic() + PATIENCE
        while self._browser.ask("window.told === null") and time.monotonic() < end:
            time.sleep(0.1)
        rules: list[str] | None = self._browser.ask("window.told")
        return [f"axe did not end within {PATIENCE:.0f} s"] if rules is None else rules


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("axe", type=Path)
    parser.add_argument("pages", type=Path, nargs="*")
    parser.add_argument("--pictures", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    asked = _asked()
    sys.exit(main(asked.axe, asked.pages, asked.pictures))
