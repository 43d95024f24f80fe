"""Looks at the week's page and the archive with axe-core, wide and narrow, light and dark.

`make axe` fetches axe-core with npm. Exit status 1 where it finds anything.
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from desk.programs.week.archive.archive import write_archive
from desk.programs.week.document.publishing import publish
from tests.support.archives import report_of, shelve
from tests.support.browser import Browser, browsing, chromium

WIDTHS: Final = (1_400, 800, 390)
PATIENCE: Final = 60.0
"""Seconds for axe to look at one page."""
PAGES: Final = ("index.html", "markets/USD-JPY.html", "markets/JP.html", "search.html")


def main(axe: Path, given: list[Path]) -> int:
    """Look at the pages that are given, else at those of sample reports; gives the exit status."""
    program = chromium()
    if program is None:
        sys.stderr.write("axe needs a Chromium, and none is installed\n")
        return 1
    script, found = axe.read_text(encoding="utf-8"), 0
    with (
        tempfile.TemporaryDirectory() as made,
        tempfile.TemporaryDirectory() as home,
        browsing(program, Path(home)) as browser,
    ):
        for page in given or _samples(Path(made)):
            for words in _findings(browser, page, script):
                found += 1
                sys.stdout.write(f"{page.name}, {words}\n")
    sys.stdout.write(f"{found} findings\n")
    return 1 if found else 0


def _samples(folder: Path) -> list[Path]:
    shelve(folder, report_of("2026-W37", "-2.20"))
    files = publish(report_of("2026-W38"), folder)
    write_archive(folder)
    return [Path(files.html), *(folder / name for name in PAGES)]


def _findings(browser: Browser, page: Path, script: str) -> Iterator[str]:
    for dark in (False, True):
        for width in WIDTHS:
            browser.resize(width, dark=dark)
            browser.open(page.resolve().as_uri())
            if browser.ask("document.documentElement.scrollWidth") > width:
                yield f"{width} px: it is wider than its screen"
            told = (
                "axe.run().then(r => { window.told = r.violations.map("
                "v => `${v.id}, ${v.nodes.length} times, as in ${v.nodes[0].html.slice(0, 120)}`)})"
            )
            browser.ask(f"{script}; window.told = null; {told}; 0")
            end = time.monotonic() + PATIENCE
            while browser.ask("window.told === null") and time.monotonic() < end:
                time.sleep(0.1)
            scheme = "dark" if dark else "light"
            rules = browser.ask("window.told") or []
            yield from (f"{width} px, {scheme}: {rule}" for rule in rules)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
