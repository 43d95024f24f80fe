"""The words of a question about banks and markets that were not parsed.

Parsed are the subjects that the desk knows, the words for a period, words without content, the
polite frame, and the words in which a question of its kind is asked. All others are listed in the
answer. If they may change what is asked, they follow the first fact, which then says how the
question was understood.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import group_called
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.periods import READ, UNREAD, SpanNamed, spans_named
from desk.analytics.names.subjects import KIND_NAMES, by_their_kinds
from desk.analytics.retrieval.frames import without_frame
from desk.analytics.retrieval.full_text import is_function_word, stem, stems, words
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import EVENT_READ, RANK, UNKNOWN_WORDS, Query
from desk.programs.question.builtin.kinds import NOT_KNOWN, SIDES, QuestionKind, wordings_of
from desk.trust.prose import REFERENCE, unbacked

NOT_READ: Final = "Not read in the question:"
OTHER_DAYS: Final = "`--period` names other days"

MOST_TOLD: Final = 8
"""The maximum number of words that are listed."""

_NAME: Final = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w&]*|\b\w*\d[\w.,:]*")
"""A capitalised word within a sentence, or one with a digit."""

_AFTER_A_CURRENCY: Final = re.compile(rf"\b{NamedAs.CURRENCY} ([^\W\d_]+)")
_JOINING: Final = re.compile(rf"{_AFTER_A_CURRENCY.pattern} (?=(?:the )?{NamedAs.CURRENCY}\b)")

_PRICED: Final = frozenset({None, QuestionKind.MOVE, QuestionKind.LEVEL})
_ABOUT_A_LEVEL: Final = frozenset({None, QuestionKind.LEVEL})
_ANY_DAY: Final = NOT_KNOWN | {QuestionKind.NEXT}
_LENGTHS: Final = frozenset({"year", "years", "yr", "yrs"})
_A_YEAR: Final = SpanNamed(1, "year")


class UnreadWords(NamedTuple):
    """The unparsed words of a question: words for `time`, `names` and numbers, and `others` that
    say what it is about. `is_judged`: there is an embedding model to determine its kind.
    `unknown` are those of the others that are in no vocabulary, and `may_name` those that may name
    another market or bank."""

    time: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    is_judged: bool = True
    unknown: tuple[str, ...] = ()
    may_name: tuple[str, ...] = ()

    @property
    def come_first(self) -> bool:
        """Whether an answer begins with the unparsed words."""
        return bool(self.unknown or self.may_name)

    def matters(self, kind: QuestionKind | None) -> bool:
        """Returns whether the question may be about something else than its kind says: about other
        days (except for a question about the next day, which names days as well), about a name or
        number, or, if it is near to no kind, because of any word."""
        time = self.time if kind not in _ANY_DAY else ()
        of_no_kind = kind is None and self.is_judged
        return bool(time or self.names or self.may_name or (of_no_kind and self.others))

    def told(self, kind: QuestionKind | None) -> str:
        """Returns a sentence with the words that were not parsed. For a kind that says itself that
        it is unknown, only lists names."""
        of_names = kind in NOT_KNOWN
        left = self.names if of_names else (*self.time, *self.names, *self.others)
        days = f" ({OTHER_DAYS})" if self.time and not of_names else ""
        return f"{NOT_READ} {_told(left[:MOST_TOLD])}{days}." if left else ""


def unread_words(
    query: Query, kind: QuestionKind | None, read: frozenset[str] = frozenset()
) -> UnreadWords:
    """Returns the words of a question of a kind that were not parsed. `read` are the stems of
    further parsed words."""
    time = [each for each in query.parameters.get(UNREAD, "").split(", ") if each]
    year_before = kind is QuestionKind.RATE and spans_named(query.question) == (_A_YEAR,)
    if kind is QuestionKind.YIELD or year_before:
        # The maturity of a bond is given in years, and a rate is given with the one a year
        # before.
        time = [each for each in time if each.casefold() not in _LENGTHS]
    of_names = stems(" ".join(KIND_NAMES))
    time = [each for each in time if not stems(by_their_kinds(each)) <= read | of_names]
    told = stems(" ".join(time)) | read
    left = _left(query, kind, told)
    names = stems(" ".join(_NAME.findall(query.question)))
    named = tuple(word for word in left if stem(word) in names)
    others = tuple(word for word in left if word not in named)
    is_judged = WORKER_EMBEDDING_MODEL.get()() is not None
    not_known = stems(query.parameters.get(UNKNOWN_WORDS, ""))
    unknown = tuple(word for word in others if stem(word) in not_known)
    # The one word of a question about a move says how it went, and is not a name.
    is_how = kind is QuestionKind.MOVE and {*_content(query)} == {*unknown}
    beside = _beside_a_currency(query, kind, others)
    may_name = tuple(
        word for word in others if (word in unknown and not is_how) or stem(word) in beside
    )
    return UnreadWords(tuple(dict.fromkeys(time)), named, others, is_judged, unknown, may_name)


def _beside_a_currency(
    query: Query, kind: QuestionKind | None, others: Sequence[str]
) -> frozenset[str]:
    """Returns the stems of the words that make a question about a level one about another market or
    measure: the word directly after a currency's name, or all `others` if nothing else is asked.
    A word that joins two currencies is none of them."""
    if kind not in _ABOUT_A_LEVEL:
        return frozenset()
    named = by_their_kinds(query.question)
    joining = {stem(word) for word in _JOINING.findall(named)}
    content = {stem(word) for word in _content(query)} - joining
    left = {stem(word) for word in others} - joining
    if content == left and kind is QuestionKind.LEVEL:
        return frozenset(left)
    return stems(" ".join(_AFTER_A_CURRENCY.findall(named))) - joining


def _left(query: Query, kind: QuestionKind | None, told: frozenset[str]) -> tuple[str, ...]:
    """Returns the content words of the question that are not part of how its kind is asked."""
    known = told | _asked_in(kind)
    return tuple(word for word in _content(query) if stem(word) not in known)


def _content(query: Query) -> tuple[str, ...]:
    """Returns the content words of the question that are not its subjects, its period or its
    group."""
    parameters = query.parameters
    named = (parameters.get(name, "") for name in (READ, EVENT_READ, RANK))
    known = stems(" ".join(named))
    market = parameters.get("market", "").replace("/", " ")
    known |= stems(" ".join((*KIND_NAMES, market)))
    question = without_frame(query.question)
    if group := parameters.get(RANK):
        question = group_called(group).sub(" ", question)
    asked = (word for word in words(by_their_kinds(question)) if not is_function_word(word))
    telling = (word for word in asked if len(word) > 1 or word.isdecimal())
    return tuple(dict.fromkeys(word for word in telling if stem(word) not in known))


@cache
def _asked_in(kind: QuestionKind | None) -> frozenset[str]:
    """Returns the words of a kind's wordings; without a kind those of all kinds that the desk
    knows."""
    kinds = {kind} if kind is not None else {*QuestionKind} - NOT_KNOWN
    kinds |= _PRICED - {None} if kind in _PRICED else set()
    told = [each for known in kinds if known for each in wordings_of(known)]
    if kind not in NOT_KNOWN:
        told += [each for own in SIDES.wordings.values() for each in own]
    return stems(" ".join(told))


def spelling_sentences(query: Query) -> tuple[str, ...]:
    """Returns the sentence that says as what each misspelled word of a question was read; none if
    nothing was misspelled."""
    read = [f"'{written}' as '{word}'" for written, word in query.respelled]
    return (f"Read {listed(read)}.",) if read else ()


def _told(left: tuple[str, ...]) -> str:
    return listed(dict.fromkeys(safe_line(word, "a number") for word in left))


def safe_line(written: str, instead: str) -> str:
    """Makes third-party words printable in prose: removes references, and returns `instead` if they
    contain figures."""
    plain = " ".join(REFERENCE.sub("", written).replace("[[", "").replace("]]", "").split())
    return plain if plain and not unbacked(plain) else instead
