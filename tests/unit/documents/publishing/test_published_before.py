"""Documents that were published before are read, rendered and audited as they were."""

import pytest

from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.publishing import read_answer_file
from desk.programs.week.document.audit.report import audit
from desk.programs.week.document.publishing import read_published
from tests.published import ANSWERS, FOLDER, REPORTS, forms


@pytest.mark.parametrize("name", [*REPORTS, *ANSWERS])
def test_a_published_document_renders_to_the_same_bytes(name: str) -> None:
    for suffix, text in forms(name).items():
        assert text == (FOLDER / f"{name}.{suffix}").read_text(encoding="utf-8"), suffix


def test_a_published_report_follows_from_its_evidence() -> None:
    report = read_published(FOLDER / "week.json")
    assert report is not None
    assert audit(report) == ()


@pytest.mark.parametrize("name", ANSWERS)
def test_a_published_answer_follows_from_its_evidence(name: str) -> None:
    answer = read_answer_file(FOLDER / f"{name}.json")
    assert answer is not None
    assert findings_in_answer(answer) == ()


def test_what_does_not_follow_is_found_as_it_was() -> None:
    report = read_published(FOLDER / "traced.json")
    assert report is not None
    found = [f"{finding.where}: {finding.words}" for finding in audit(report)]
    assert found == (FOLDER / "traced.audit").read_text(encoding="utf-8").splitlines()
