"""The questions that ship with known answers, asked of the built-in agents and the real corpus.

Of the longest list every third is asked here. `python -m tests.knowledge.accuracy` asks all of it,
and says what is wrong with which answer.
"""

from collections import Counter
from pathlib import Path

import pytest

from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.platform.memory.sentence_encoder import desk_embedding_model
from tests.knowledge.blind import counted
from tests.knowledge.known import HELD_OUT, QUESTIONS, SEALED, SPOKEN, load
from tests.knowledge.make_pdfs import FOLDER, write_pdfs


@pytest.mark.parametrize(
    ("path", "every", "first", "three"),
    [(QUESTIONS, 3, 0.9, 0.93), (HELD_OUT, 1, 0.9, 0.93), (SPOKEN, 1, 0.55, 0.6)],
    ids=lambda value: value.stem if isinstance(value, Path) else "",
)
def test_the_first_quotations_of_building_questions_are_right(
    path: Path, every: int, first: float, three: float
) -> None:
    answered = tuple(k for k in load(path) if k.expect.answered and "first" not in k.parameters)
    asked = answered[::every]
    counts = counted(asked).values()
    assert sum(each.first for each in counts) >= first * len(asked)
    assert sum(each.of_three for each in counts) >= three * len(asked)


def test_questions_without_an_answer_are_told_to_have_none() -> None:
    both = (*load(QUESTIONS), *load(SPOKEN))
    unanswerable = tuple(known for known in both if not known.expect.answered)
    counts = counted(unanswerable).values()
    assert sum(each.told_as_answered for each in counts) <= 0.05 * len(unanswerable)


def test_sealed_questions_are_answered_as_docs_say(with_meaning: None) -> None:
    held = WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    try:
        counts = counted(load(SEALED))
    finally:
        WORKER_EMBEDDING_MODEL.reset(held)
    unanswerable = counts.pop("unanswerable")
    assert sum(each.first for each in counts.values()) >= 46
    assert sum(each.of_three for each in counts.values()) >= 47
    assert unanswerable.asked - unanswerable.told_as_answered >= 17


def test_there_are_questions_of_every_kind() -> None:
    known = load(QUESTIONS)
    kinds = Counter(each.kind for each in known)
    assert len(known) >= 120 and len(load(HELD_OUT)) >= 30 and len(load(SEALED)) >= 60
    assert kinds["unanswerable"] >= 12 and kinds["as of"] >= 8 and kinds["pdf"] >= 12
    assert len({each.id for each in (*known, *load(HELD_OUT))}) == len(known) + len(load(HELD_OUT))


def test_the_pdf_files_are_those_that_are_written_from_their_texts(tmp_path: Path) -> None:
    for written in (*write_pdfs(tmp_path), tmp_path / "index.yaml"):
        assert written.read_bytes() == (FOLDER / written.name).read_bytes(), written.name
