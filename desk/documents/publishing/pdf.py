"""Makes a PDF file of a published page, with the system's browser or with WeasyPrint.

A browser is preferred, because it prints what it shows. WeasyPrint is an extra of the package
(`make install-pdf`, `pip install 'research-desk[pdf]'`).
"""

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from desk.contracts.agents.extras import Extra, install_words

BROWSERS: Final = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
)
PATIENCE_SECONDS: Final = 120.0
"""Timeout of the browser for printing."""


class PdfError(Exception):
    """No PDF could be made. The message says why, and what to do."""


def write_pdf(page: Path, target: Path) -> str:
    """Prints a page to a file, and returns the name of the program that did. The file is complete
    or unchanged.

    Raises:
        PdfError: there is neither a browser nor WeasyPrint, or it failed.
    """
    made = target.with_name(f".{target.name}.new")
    try:
        by = _print(page.resolve(), made)
        made.replace(target)
    except OSError as error:
        raise PdfError(f"{target} could not be written: {error.strerror or error}") from error
    finally:
        made.unlink(missing_ok=True)
    return by


def _print(page: Path, made: Path) -> str:
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is not None:
        _by_browser(browser, page, made)
        return Path(browser).name
    try:
        from weasyprint import HTML
    except ImportError:
        raise PdfError(
            "a PDF takes a browser or WeasyPrint, and neither is here: install Chromium, Chrome or "
            f"Edge ({', '.join(BROWSERS)} on the path), or WeasyPrint by "
            f"{install_words(Extra.PDF)}"
        ) from None
    HTML(filename=str(page)).write_pdf(str(made))
    return "WeasyPrint"


def _by_browser(browser: str, page: Path, made: Path) -> None:
    """Prints a page with a browser.

    Raises:
        PdfError: the browser does not print, or not in time.
    """
    with tempfile.TemporaryDirectory(prefix="desk-pdf-", ignore_cleanup_errors=True) as home:
        command = [
            *(browser, "--headless", "--disable-gpu", "--no-first-run", "--no-pdf-header-footer"),
            *("--disable-background-networking", "--disable-dev-shm-usage", "--no-sandbox"),
            *(f"--user-data-dir={home}", f"--print-to-pdf={made.resolve()}", page.as_uri()),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            words = f"{browser} did not print {page.name} in {PATIENCE_SECONDS:.0f} s"
            raise PdfError(words) from None
    if not made.is_file() or not made.stat().st_size:
        last = done.stderr.strip().rpartition("\n")[2][:300]
        raise PdfError(f"{browser} printed nothing of {page.name}: {last or 'no reason given'}")
