"""`desk audit` of an answer: the same command, what it prints, its exit status."""

import json
from pathlib import Path

import pytest

from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.json_form import answer_to_json
from desk.documents.answer.publishing import publish_answer
from starters.main import execute
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.answers import FINISHED_AT, market_record, ticket_record


@pytest.fixture
def file(tmp_path: Path) -> Path:
    files = publish_answer(compile_answer(ticket_record(), finished_at=FINISHED_AT), tmp_path)
    return Path(files.json_file)


def test_a_sound_answer_is_verified_with_its_pages(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["audit", str(file)]) == ExitStatus.COMPLETE
    shown = capsys.readouterr().out
    assert "6 quotations" in shown
    assert "Verified" in shown
    assert shown.count("says the same") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.25 % a day", "0.35 % a day"),
        ('"summary_prose": "The', '"summary_prose": "THE'),
        ('"question"', '"unknown": 1,\n  "question"'),
    ],
)
def test_a_changed_answer_fails(
    file: Path, old: str, new: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    assert execute(["audit", str(file)]) == ExitStatus.FAILED
    assert "Not verified" in capsys.readouterr().out


def test_a_page_that_says_something_else_is_found(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = file.with_suffix(".html")
    page.write_text(page.read_text().replace("In Progress", "Closed"))
    assert execute(["audit", str(file), "--json"]) == ExitStatus.FAILED
    told = json.loads(capsys.readouterr().out)
    assert told["verified"] is False
    assert told["counts"]["quotations"] == 6
    assert [finding["where"] for finding in told["findings"]] == [page.name]


def test_two_runs_of_one_question_are_the_same_apart_from_the_run(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = ticket_record().model_copy(update={"run_id": "run-2", "workflow_id": "ask-another"})
    other = tmp_path / "other.json"
    later = FINISHED_AT.replace(year=2027)
    other.write_text(answer_to_json(compile_answer(again, finished_at=later)))
    assert execute(["audit", str(file), "--same-as", str(other)]) == ExitStatus.COMPLETE
    other.write_text(answer_to_json(compile_answer(market_record(), finished_at=FINISHED_AT)))
    assert execute(["audit", str(file), "--same-as", str(other)]) == ExitStatus.FAILED
    assert "Differs" in capsys.readouterr().out


def test_half_an_answer_is_no_report(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(file.read_text())
    del told["window"]
    file.write_text(json.dumps(told))
    assert execute(["audit", str(file)]) == ExitStatus.FAILED
    assert "window" in capsys.readouterr().err
