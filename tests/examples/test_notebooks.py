"""Every notebook of examples/ runs to its last cell, on weeks in the reader's folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from desk.programs.week.document.publishing import publish
from tests.support.documents.real_reports import real_report
from tests.support.processes.homes import PROJECT, home_environment

NOTEBOOKS = sorted((PROJECT / "examples").glob("*.ipynb"))
WEEKS = ("2022-W38", "2022-W39", "2022-W43")
"""Four weeks after the first, what it forecast is due."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A desk's folder with published weeks, which the notebook's own process finds."""
    found = tmp_path_factory.mktemp("desk")
    for week in WEEKS:
        publish(real_report("USD/JPY", "EUR/USD", week=week), found / "reports")
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in home_environment(found).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("IPYTHONDIR", str(found / "ipython"))
        yield found


def executed(notebook: Path, folder: Path) -> str:
    """All that a notebook's cells print and show."""
    # Imported here: of the processes that collect this file side by side, one runs it.
    import nbformat
    from nbclient import NotebookClient

    read: Any = nbformat.read  # which has no types
    book = read(notebook, as_version=4)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(book, kernel_name="python3", timeout=200, resources=where).execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert not [output for output in shown if output.get("name") == "stderr"]
    return "\n".join(
        output.get("text") or output.get("data", {}).get("text/plain", "") for output in shown
    )


def test_a_week_is_shown_as_frames(folder: Path) -> None:
    shown = executed(PROJECT / "examples" / "a-week-as-frames.ipynb", folder)
    assert "<Report of 2022-W43" in shown
    assert "percent change: (" in shown
    assert "ecb.get_historical of European Central Bank: fixing of" in shown


def test_forecasts_of_published_weeks_are_scored(folder: Path) -> None:
    shown = executed(PROJECT / "examples" / "forecasts-scored.ipynb", folder)
    assert "['2022-W38', '2022-W39', '2022-W43']" in shown
    assert "4 scored, 2 open" in shown
    assert "no forecast had come due by then" in shown


def test_no_notebook_is_left_untried() -> None:
    assert {path.name for path in NOTEBOOKS} == {"a-week-as-frames.ipynb", "forecasts-scored.ipynb"}
