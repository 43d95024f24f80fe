"""The sealed questions: the same everywhere, each with its answer in one source, or in none."""

import hashlib
from collections import Counter
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from desk.evaluation.ask.corpus_files import write_corpus
from desk.evaluation.ask.questions import KnownQuestion, make_questions
from desk.evaluation.ask.scoring import contains_value
from desk.evaluation.ask.world import AS_OF, make_world
from desk.sources.knowledge.files import read_corpus
from desk.sources.knowledge.server import KnowledgeTools

SEEDS = (1, 2, 3)
MANY = 120


@pytest.fixture(scope="module", params=SEEDS)
def sealed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Sealed":
    return Sealed(request.param, tmp_path_factory.mktemp("corpus"))


class Sealed:
    """A seed's questions, and its corpus as the server reads it."""

    def __init__(self, seed: int, folder: Path) -> None:
        world = make_world(seed)
        write_corpus(world, folder)
        self.questions = make_questions(world, MANY)
        self._corpus = read_corpus(folder)
        self._tools = KnowledgeTools(folder)
        self._texts_at = cache(self._read_at)

    def texts(self, known: KnownQuestion) -> dict[str, str]:
        """What each source says at the instant of a question, by its address."""
        return self._texts_at(known.as_of)

    def _read_at(self, as_of: datetime) -> dict[str, str]:
        held = self._corpus.snapshot(as_of)
        texts = {text.url: text.markdown for text in held.texts}
        for ticket in held.tickets:
            texts[ticket.url] = f"{ticket.status} | {ticket.assignee} | {ticket.summary}"
        for pdf in held.pdfs:
            pages = self._tools.get_pdf(pdf.url, as_of).pages
            texts[pdf.url] = " ".join(page.text for page in pages)
        return texts


def test_an_answer_stands_in_its_source(sealed: Sealed) -> None:
    for known in sealed.questions:
        texts = sealed.texts(known)
        for value in known.values:
            assert [contains_value(value, texts[url]) for url in known.sources] == [True], known


def test_a_value_of_a_fact_stands_in_no_other_source(sealed: Sealed) -> None:
    for known in sealed.questions:
        if known.kind in ("plain", "colloquial", "multi-hop"):
            (value,) = known.values
            holders = [
                url for url, text in sealed.texts(known).items() if contains_value(value, text)
            ]
            # A head office may be asked for by its town, whose name a page alone has.
            assert holders == list(known.sources), known


def test_there_are_questions_of_every_kind_and_none_twice(sealed: Sealed) -> None:
    kinds = Counter(known.kind for known in sealed.questions)
    assert len(sealed.questions) == MANY
    assert len({known.question_id for known in sealed.questions}) == MANY
    assert all(kinds[kind] >= 8 for kind in ("colloquial", "multi-hop", "arithmetic", "as of"))
    assert kinds["unanswerable"] >= MANY // 8


def test_what_was_known_before_is_asked_for_before(sealed: Sealed) -> None:
    for known in sealed.questions:
        if known.kind == "as of":
            later = sealed.texts(known.model_copy(update={"as_of": AS_OF}))
            assert known.as_of < AS_OF - timedelta(days=1)
            assert not any(contains_value(value, later[known.sources[0]]) for value in known.values)


def test_a_seed_gives_the_same_bytes_everywhere(tmp_path: Path) -> None:
    world = make_world(1)
    write_corpus(world, tmp_path)
    digest = hashlib.sha256()
    for path in sorted(tmp_path.rglob("*")):
        if path.is_file() and path.suffix != ".pdf":
            digest.update(path.relative_to(tmp_path).as_posix().encode() + path.read_bytes())
    for known in make_questions(world, MANY):
        digest.update(known.model_dump_json().encode())
    assert digest.hexdigest()[:16] == "c37b26ed92361b4d"


def test_another_seed_has_other_names_and_values() -> None:
    one, other = make_world(1), make_world(2)
    assert not {fact.entity.name for fact in one.facts} & {fact.entity.name for fact in other.facts}
