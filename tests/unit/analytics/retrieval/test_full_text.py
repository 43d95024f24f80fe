"""Words as they are compared, and which texts have most of a question's."""

from contextlib import closing

import pytest

from desk.analytics.retrieval.full_text import FullTextIndex, content_stems, stem

TEXTS = (
    ("Settlement", "Won settles in Seoul before the internal cut-off."),
    ("Limits", "The limit of the Asia book is 40 million dollars."),
    ("東京外為", "円相場は東京市場で反発した。"),
    ("Notes", "The desk met. It talked of this and that in Seoul, and of the weather."),
)


def found(question: str) -> list[int]:
    with closing(FullTextIndex({"title": 2.0, "text": 1.0}, TEXTS)) as index:
        return [match.row for match in index.search(question)]


@pytest.mark.parametrize(
    ("word", "other"),
    [("settles", "settling"), ("Retained", "retain"), ("policies", "policy"), ("limits", "LIMIT")],
)
def test_forms_of_a_word_are_one(word: str, other: str) -> None:
    assert stem(word) == stem(other)


def test_words_that_say_nothing_are_not_looked_for() -> None:
    assert content_stems("What is the limit of the Asia book?") == ("limit", "asia", "book")
    assert set(found("what is it of")) == {1, 3}, "unless there are no others"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which limits has the Asia book?", [1]),
        ("a won settled in Seoul", [0, 3]),
        ("cutoff or cut-off", [0]),
        ("東京市場", [2]),
        ("nothing of it", []),
        ('limit" OR NEAR(seoul*', [1, 0, 3]),
        ("", []),
    ],
)
def test_texts_that_share_a_word_are_found_best_first(question: str, rows: list[int]) -> None:
    assert sorted(found(question)) == sorted(rows)
    assert found(question)[:1] == rows[:1]


def test_a_word_counts_more_in_a_heavier_column() -> None:
    rows = [("weather", "seoul and more"), ("seoul and more", "weather")]
    with closing(FullTextIndex({"title": 1.0, "text": 5.0}, rows)) as index:
        assert [match.row for match in index.search("seoul")] == [0, 1]
