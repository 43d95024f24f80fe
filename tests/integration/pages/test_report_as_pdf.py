"""`desk report --pdf`: a page printed to a file, and what is said where nothing can print."""

from pathlib import Path

import pytest

from desk.documents.publishing.pdf import BROWSERS, PdfError, write_pdf
from desk.programs.week.document.publishing import publish
from starters.published.report.command import ReportView, show_report
from starters.terminal.exit_status import CommandError, ExitStatus
from tests.support.documents.archives import report_of
from tests.support.outside.browser import chromium


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A published week's page, where the command finds it."""
    monkeypatch.setenv("DESK_REPORTS", str(tmp_path))
    return Path(publish(report_of("2026-W38"), tmp_path).html)


@pytest.mark.skipif(chromium() is None, reason="no Chromium is installed")
def test_the_browser_prints_the_page_beside_it(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = show_report("2026-W38", ReportView(as_pdf=True))
    assert status is ExitStatus.COMPLETE
    printed = page.with_suffix(".pdf")
    assert capsys.readouterr().out.strip() == str(printed)
    assert printed.read_bytes().startswith(b"%PDF-")
    assert not list(page.parent.glob(".*"))


def test_without_a_browser_and_without_weasyprint_the_error_names_both(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match=r"Chromium.*make install-pdf"):
        show_report("2026-W38", ReportView(as_pdf=True))
    assert not page.with_suffix(".pdf").exists()


def test_a_browser_that_prints_nothing_is_named_and_an_earlier_file_stays(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / BROWSERS[0]
    broken.write_text("#!/bin/sh\necho out of paper >&2\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    target = page.with_suffix(".pdf")
    target.write_bytes(b"%PDF-before")
    with pytest.raises(PdfError, match="out of paper"):
        write_pdf(page, target)
    assert target.read_bytes() == b"%PDF-before"
