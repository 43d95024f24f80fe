"""Misspelled words of a question are read as the one name or word that they are near to, and words
that are in no vocabulary are known as that."""

import pytest

from desk.contracts.agents.tasks import Query
from desk.programs.question.spelling import spelling_of

VOCABULARY = frozenset(
    ("austria", "frank", "marsh", "round", "whose", "office", "found", "write", "back"),
)


def read(question: str) -> dict[str, str]:
    return dict(spelling_of(question, _is_word).read)


def _is_word(word: str) -> bool:
    return word.casefold() in VOCABULARY


@pytest.mark.parametrize(
    ("question", "words"),
    [
        # Names of currencies, banks, countries and pairs.
        ("what did USDJYP do", {"USDJYP": "USDJPY"}),
        ("usd/jyp now", {"usd/jyp": "usd/jpy"}),
        ("EURSUD", {"EURSUD": "EURUSD"}),
        ("when does the ricksbank meet", {"ricksbank": "riksbank"}),
        ("the canadain dollar", {"canadain": "canadian"}),
        ("is Sweeden's rate higher", {"Sweeden": "Sweden"}),
        # Vowels are left out in haste: `strong` is as near.
        ("where is strlng", {"strlng": "sterling"}),
        # Words of time, and those in which a fact is asked for.
        ("what did cable do in febuary", {"febuary": "february"}),
        ("the kiwi last wendsday", {"wendsday": "wednesday"}),
        ("what is the boe polcy rate", {"polcy": "policy"}),
        ("whats the volitility of cable", {"volitility": "volatility"}),
    ],
)
def test_a_word_with_a_slip_is_read_as_the_one_that_is_near(
    question: str, words: dict[str, str]
) -> None:
    assert read(question) == words


@pytest.mark.parametrize(
    "question",
    [
        "where is the euro",
        "how did the kiwi do last week and why isn't it higher",
        # Words of other meanings that are a letter away from a name.
        "the swiss frank",
        "is the office in Austria",
        "what is marsh",
        # Two names are as near: the krona and the krone.
        "kronx",
        # Other forms of words that the vocabulary has.
        "the badge of offices and whose bulletin backs it",
        # A code of another currency, an id, an address, and parts of them.
        "USDBRL",
        "what holds up DESK-101",
        "read corpus://documents/polcy-limits and polcy.pdf",
        # A name within a sentence is no word of asking.
        "what did Mr Polcy write",
        # Too short to be near to one word only.
        "the bhat",
    ],
)
def test_a_word_that_is_known_or_near_to_several_stays_as_it_is(question: str) -> None:
    assert read(question) == {}


def test_a_word_that_is_nowhere_is_unknown() -> None:
    spelling = spelling_of("where is euro stonkie, whats the level and who is Varga", _is_word)
    assert (spelling.read, spelling.unknown) == ((), ("stonkie", "Varga"))


def test_the_question_stays_as_it_is_written_beside_how_it_is_read() -> None:
    question = "what did strlng do in febuary"
    query = Query(question=question, parameters=spelling_of(question, _is_word).parameters)
    assert query.question == question
    assert query.as_read.question == "what did sterling do in february"
