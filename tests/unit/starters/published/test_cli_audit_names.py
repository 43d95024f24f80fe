"""`desk audit` of files that hold something else than their names say."""

import shutil
from pathlib import Path

import pytest

from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.publishing import publish_answer
from desk.programs.week.document.json_form import to_json
from desk.trust.seals import sealed
from tests.support.documents.answers import FINISHED_AT, ticket_record
from tests.support.documents.published import STEM, Audit, auditing, copied_week, week


@pytest.fixture
def audit(capsys: pytest.CaptureFixture[str]) -> Audit:
    return auditing(capsys)


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return copied_week(tmp_path)


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    record = ticket_record().model_copy(update={"workflow_id": "ask-0123456789ab"})
    files = publish_answer(compile_answer(record, finished_at=FINISHED_AT), tmp_path)
    return Path(files.json_file)


def named(file: Path, name: str) -> Path:
    """The file and its pages under another name."""
    for suffix in (".json", ".md", ".html"):
        shutil.copyfile(file.with_suffix(suffix), file.with_name(f"{name}{suffix}"))
    return file.with_name(f"{name}.json")


@pytest.mark.parametrize("name", [STEM, f"{STEM}.r1", "2022-W43-usdjpy-jp", "my-2022w43"])
def test_a_name_that_tells_the_week_and_the_revision_is_verified(
    name: str, report: Path, audit: Audit
) -> None:
    status, told = audit(named(report, name) if name != STEM else report)
    assert status == 0
    assert "Its file name" not in told


@pytest.mark.parametrize(
    "name",
    [
        "2026-W44-asia-g10-fx",
        "2022-W42-asia-g10-fx.r1",
        f"{STEM}.r2",
        "old-2026w44",
        "2022-W4",
        "2022-W43-or-2022-W44",
        "ask-0123456789ab",
    ],
)
def test_a_report_under_the_name_of_another_is_found(name: str, report: Path, audit: Audit) -> None:
    status, told = audit(named(report, name))
    assert status == 1
    assert f"- name: it is named {name}.json and holds revision 1 of 2022-W43" in told


def test_a_name_that_tells_nothing_is_said_to(report: Path, audit: Audit) -> None:
    status, told = audit(named(report, "sent-by-mail"))
    assert status == 0
    assert "Its file name has no week or answer to compare with." in told
    assert '"name_compared": false' in audit(named(report, "sent-by-mail"), "--json")[1]


def test_a_later_revision_goes_by_its_own_number(report: Path, audit: Audit) -> None:
    first = week()
    again = first.revisions[0].model_copy(update={"revision": 2})
    changed = first.model_copy(update={"revision": 2, "revisions": (*first.revisions, again)})
    for name, status in ((f"{STEM}.r2.json", 0), (f"{STEM}.r1.json", 1)):
        path = report.with_name("other") / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(to_json(sealed(changed)))
        assert ("- name: " in audit(path)[1]) is bool(status)


def test_an_answer_goes_by_the_id_of_its_run(answer: Path, audit: Audit) -> None:
    assert audit(answer)[0] == 0
    for name in ("ask-ba9876543210", "swarm-0123456789ab", "stock-NVDA-0123456789ab", STEM):
        status, told = audit(named(answer, name))
        assert status == 1
        assert f"it is named {name}.json and holds ask-0123456789ab" in told
    status, told = audit(named(answer, "sent-by-mail"))
    assert status == 0
    assert "Its file name has no week or answer" in told
