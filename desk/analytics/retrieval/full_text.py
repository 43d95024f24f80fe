"""Full-text search over English texts with SQLite's FTS5 and bm25, on Snowball's stems.

Other scripts work as well: words are compared unchanged, and in a script without spaces each two
adjacent characters are a term.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import snowballstemmer

MOST_TERMS: Final = 120
"""The most terms of a question that are searched: the first ones. The others are dropped."""

_FUNCTION_WORDS: Final = """
a about after all am an and any are as at be because been before being between both but by can
could did do does doing during each few for from further had has have having he her here hers
him his how i if in into is it its itself just long many may me more most much must my no nor
not now of off often on once only or other our out over own s same shall she should so some
such t than that the their them then there these they this those through to too under until up
us very was we were what when where which while who whom whose why will with would you your
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""Words that say nothing about the subject of a text."""

_WORD: Final = re.compile(r"\w+(?:[-./:,@&'’+]\w+)*")
_PART: Final = re.compile(r"[^\W_]+")
_UNSPACED: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CHARACTER: Final = re.compile(f"([{_UNSPACED}])")
_RUN: Final = re.compile(f"[{_UNSPACED}]+")


class Match(NamedTuple):
    """A row that contains a term of a question. A higher score is a better match."""

    row: int
    score: float


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a word, in lower case."""
    # A stemmer holds the word that it works on, so threads cannot share one.
    return str(snowballstemmer.stemmer("english").stemWord(word.casefold()))


def words(text: str) -> Iterator[str]:
    """The words of a text in order, unchanged. Hyphenated words are split."""
    return (found[0] for found in _PART.finditer(text))


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset(map(stem, words(text)))


def is_function_word(word: str) -> bool:
    """Whether a word (such as `the`) says nothing about the subject of a text."""
    return word.casefold() in FUNCTION_WORDS


@lru_cache(maxsize=5_000)
def content_stems(text: str) -> tuple[str, ...]:
    """The distinct stems of a text's words, without function words."""
    return tuple(dict.fromkeys(stem(word) for word in words(text) if not is_function_word(word)))


class FullTextIndex:
    """An in-memory index of rows of texts. One thread at a time may search it.

    Args:
        columns: The weight of each column of a row.
        rows: The texts of each row, one a column.
    """

    def __init__(self, columns: Mapping[str, float], rows: Iterable[Sequence[str]]) -> None:
        self._weights = ", ".join(str(weight) for weight in columns.values())
        self._table = sqlite3.connect(":memory:", check_same_thread=False)
        names = ", ".join(columns)
        self._table.execute(
            f"CREATE VIRTUAL TABLE texts USING fts5({names},"
            " tokenize = 'unicode61 remove_diacritics 2')"
        )
        places = ", ".join("?" * (len(columns) + 1))
        self._table.executemany(
            f"INSERT INTO texts(rowid, {names}) VALUES ({places})",  # noqa: S608 - our own names
            ((number, *map(_compared, row)) for number, row in enumerate(rows)),
        )

    def search(self, question: str) -> list[Match]:
        """The rows that contain a word of a question, best first. Of equal ones the earlier row
        comes first."""
        asked = _expression(question)
        if not asked:
            return []
        found = self._table.execute(
            f"SELECT rowid, -bm25(texts, {self._weights}) FROM texts"  # noqa: S608
            " WHERE texts MATCH ?",
            (asked,),
        )
        return sorted((Match(*each) for each in found), key=lambda each: (-each.score, each.row))

    def close(self) -> None:
        """Frees the rows."""
        self._table.close()


def _compared(text: str) -> str:
    """A text with its words as stems, and the characters of unspaced scripts separated."""
    spaced = _CHARACTER.sub(r" \1 ", text.replace("\x00", " "))
    return _PART.sub(lambda found: stem(found[0]), spaced)


def _expression(question: str) -> str:
    """A question as an FTS5 expression: any of its words, each quoted, so that nothing in it is an
    operator. Empty if it contains no word."""
    found = [word for word in _WORD.findall(question) if _PART.search(word)]
    telling = [word for word in found if not is_function_word(word)] or found
    terms = dict.fromkeys(_compared(term) for word in telling for term in _terms(word))
    return " OR ".join(f'"{term}"' for term in list(terms)[:MOST_TERMS])


def _terms(word: str) -> Iterator[str]:
    """A word, the parts of a compound word, and each two characters of a script without spaces."""
    runs = _RUN.findall(word)
    yield from (" ".join(run[at : at + 2]) for run in runs for at in range(max(1, len(run) - 1)))
    rest = _RUN.sub(" ", word).strip()
    parts = _PART.findall(rest)
    if parts:
        yield rest
    yield from (part for part in parts if not is_function_word(part)) if len(parts) > 1 else ()
