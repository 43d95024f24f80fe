"""`desk audit`: what it prints, its exit status, and how it takes files that are no reports."""

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desk.contracts.week.report import ResearchReport
from desk.programs.week.document.json_form import to_json
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.trust.seals import sealed
from starters.main import execute
from starters.published.published_files import LARGEST_REPORT
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.real_reports import real_report

MARKETS = ("USD/JPY", "JP")


@cache
def published() -> str:
    return to_json(real_report(*MARKETS))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "report.json", published())


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_sound_report_is_verified(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(["audit", str(file)]) == ExitStatus.COMPLETE
    shown = capsys.readouterr().out
    assert "claims" in shown
    assert "Verified" in shown


def test_a_week_stands_for_its_published_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DESK_REPORTS", str(tmp_path))
    (tmp_path / "weekly").mkdir()
    written(tmp_path / "weekly" / "2022-W43-asia-g10-fx.json", published())
    assert execute(["audit", "2022-w43"]) == ExitStatus.COMPLETE
    assert execute(["audit", "2022-W44"]) == ExitStatus.FAILED
    assert execute(["audit", "2022-W77"]) == ExitStatus.USAGE
    assert "2022-W44" in capsys.readouterr().err


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"week"', '"unknown": 1, "week"', 1),
        lambda text: text.replace('"week": "2022-W43"', '"week": "2022-W43", "week": "2022-W43"'),
        lambda text: f"{text} ",
        lambda text: f"{text}\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("  ", "", 1),
        lambda text: text.replace('"revision": 1', '"revision": 1.0', 1),
    ],
    ids=["unknown field", "twice", "blank", "line", "line ends", "indent", "number"],
)
def test_a_file_that_only_means_the_same_is_not_verified(
    change: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(change)
    text = change(published())
    assert text != published()
    assert execute(["audit", str(written(tmp_path / "r.json", text))]) == ExitStatus.FAILED
    assert "not written as the desk writes" in capsys.readouterr().out


def test_a_finding_says_where_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *others = real_report(*MARKETS).movers
    wrong = first.model_copy(update={"move": first.move + 1})
    changed = sealed(real_report(*MARKETS).model_copy(update={"movers": (wrong, *others)}))
    path = written(tmp_path / "r.json", to_json(changed))
    assert execute(["audit", str(path)]) == ExitStatus.FAILED
    shown = capsys.readouterr().out
    assert "- movers, row 1: move is" in shown
    assert "Not verified" in shown


def test_the_findings_can_be_had_as_json(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["audit", str(file), "--json"]) == ExitStatus.COMPLETE
    shown = json.loads(capsys.readouterr().out)
    assert shown["verified"] is True
    assert shown["counts"]["claims"] > 10
    broken = written(tmp_path / "b.json", published().replace('"revision": 1', '"revision": 2'))
    assert execute(["audit", str(broken), "--json"]) == ExitStatus.FAILED
    assert json.loads(capsys.readouterr().out)["findings"][0]["where"] == "seal"


def run_again(report: ResearchReport) -> ResearchReport:
    """The same week from another run."""
    timings = report.timings.model_copy(update={"run_id": "another"})
    return sealed(report.model_copy(update={"timings": timings}))


def test_two_runs_of_a_week_are_the_same(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = written(tmp_path / "again.json", to_json(run_again(real_report(*MARKETS))))
    assert execute(["audit", str(file), "--same-as", str(again)]) == ExitStatus.COMPLETE
    assert "The same as" in capsys.readouterr().out


def test_two_reports_that_differ_are_shown_where(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = written(tmp_path / "other.json", to_json(real_report("USD/JPY")))
    assert execute(["audit", str(file), "--same-as", str(other)]) == ExitStatus.FAILED
    shown = capsys.readouterr().out
    assert "Verified" in shown
    assert "Differs from" in shown


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"null", b"{", b"\xff\xfe\x00", b"PK\x03\x04\x00", b"[" * 100_000],
    ids=["empty", "object", "list", "null", "cut", "binary", "zip", "nested"],
)
def test_what_is_no_report_is_told_in_one_line(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "no-report.json"
    path.write_bytes(content)
    assert execute(["audit", str(path)]) == ExitStatus.FAILED
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "no-report.json is not a report" in told


def test_a_missing_file_and_a_folder_are_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["audit", str(tmp_path / "nowhere.json")]) == ExitStatus.FAILED
    assert execute(["audit", str(tmp_path)]) == ExitStatus.FAILED
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 2
    assert "missing" in told[0]
    assert "folder" in told[1]


def test_a_file_far_too_large_is_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for content, told in (("x" * (LARGEST_REPORT + 1), "64 MB"), ("[1," * 500_001, "values")):
        (tmp_path / "report.json").write_text(content)
        assert execute(["audit", str(tmp_path / "report.json")]) == ExitStatus.FAILED
        assert told in capsys.readouterr().err


def test_the_wrong_usage_has_a_status_of_its_own() -> None:
    assert execute(["audit"]) == ExitStatus.USAGE
    assert execute(["audit", "a.json", "b.json"]) == ExitStatus.USAGE
    assert execute(["audit", "a.json", "--unknown"]) == ExitStatus.USAGE


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 10**9), st.integers(1, 9))
def test_any_digit_changed_anywhere_in_the_file_fails(tmp_path: Path, seed: int, step: int) -> None:
    text = published()
    places = [place for place, sign in enumerate(text) if sign.isascii() and sign.isdigit()]
    place = places[seed % len(places)]
    digit = (int(text[place]) + step) % 10
    path = written(tmp_path / "r.json", f"{text[:place]}{digit}{text[place + 1 :]}")
    assert execute(["audit", str(path)]) == ExitStatus.FAILED


@pytest.fixture
def pages(file: Path) -> Path:
    """The JSON with its Markdown and its page beside it."""
    held = real_report(*MARKETS)
    written(file.with_suffix(".md"), render_markdown(held))
    written(file.with_suffix(".html"), render_html(held))
    return file


def test_only_the_json_is_said_to_be_verified_where_no_page_is_there(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["audit", str(file)]) == ExitStatus.COMPLETE
    assert "Only the JSON was verified" in capsys.readouterr().out


def test_the_pages_beside_the_json_say_the_same(
    pages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["audit", str(pages)]) == ExitStatus.COMPLETE
    shown = capsys.readouterr().out
    assert "Pages: report.md says the same; report.html says the same.\n" in shown
    assert execute(["audit", str(pages), "--json"]) == ExitStatus.COMPLETE
    told = json.loads(capsys.readouterr().out)
    assert not told["only_json"]
    assert [form["same"] for form in told["forms"]] == [True, True]


@pytest.mark.parametrize("suffix", [".md", ".html"])
def test_a_changed_page_is_found_and_its_line_named(
    suffix: str, pages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = pages.with_suffix(suffix)
    text = page.read_bytes().decode()
    written(page, text.replace("2022-W43", "2022-W43 \x1b[31mand 4.35 %", 1))
    assert execute(["audit", str(pages)]) == ExitStatus.FAILED
    shown = capsys.readouterr().out
    assert f"- report{suffix}: it is not the page of this JSON: line " in shown
    assert "4.35 %" in shown
    assert "\x1b" not in shown
    assert execute(["audit", str(pages), "--json"]) == ExitStatus.FAILED
    told = json.loads(capsys.readouterr().out)
    assert told["verified"] is False
    assert sum(form["same"] for form in told["forms"]) == 1
