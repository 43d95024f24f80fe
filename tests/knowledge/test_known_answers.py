"""The questions that ship with known answers, asked of the built-in agents and the real corpus."""

from collections import Counter
from pathlib import Path

import pytest

from tests.knowledge.accuracy import verdict
from tests.knowledge.known import HELD_OUT, QUESTIONS, KnownQuestion, load
from tests.knowledge.make_pdfs import FOLDER, write_pdfs


@pytest.mark.parametrize("known", load(QUESTIONS), ids=lambda known: known.id)
def test_a_question_has_its_known_answer(known: KnownQuestion) -> None:
    assert verdict(known) is None


def test_nine_of_ten_questions_that_nothing_was_adjusted_to_are_answered_rightly() -> None:
    held_out = load(HELD_OUT)
    right = sum(verdict(known) is None for known in held_out)
    assert right / len(held_out) >= 0.9


def test_there_are_questions_of_every_kind() -> None:
    known = load(QUESTIONS)
    kinds = Counter(each.kind for each in known)
    assert len(known) >= 120 and len(load(HELD_OUT)) >= 30
    assert kinds["unanswerable"] >= 12 and kinds["as of"] >= 8 and kinds["pdf"] >= 12
    assert len({each.id for each in (*known, *load(HELD_OUT))}) == len(known) + len(load(HELD_OUT))


def test_the_pdf_files_are_those_that_are_written_from_their_texts(tmp_path: Path) -> None:
    for written in (*write_pdfs(tmp_path), tmp_path / "index.yaml"):
        assert written.read_bytes() == (FOLDER / written.name).read_bytes(), written.name
