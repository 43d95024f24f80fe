"""What of a question about banks and markets nothing has read.

Read are the subjects that the desk knows, the words that named a period, those that say nothing of
what a text is about, its polite frame, and those in which a question of its kind is asked. All else
is left, and an answer tells it. Where it may change what is asked, it stands right behind the first
fact, which then says for what the question is taken.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import group_called
from desk.analytics.names.periods import READ, UNREAD, SpanNamed, spans_named
from desk.analytics.names.subjects import KIND_NAMES, by_their_kinds
from desk.analytics.retrieval.frames import without_frame
from desk.analytics.retrieval.full_text import is_function_word, stem, stems, words
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import RANK, Query
from desk.programs.question.builtin.kinds import NOT_KNOWN, SIDES, QuestionKind, wordings_of
from desk.trust.prose import REFERENCE, unbacked

NOT_READ: Final = "Not read in the question:"
OTHER_DAYS: Final = "`--period` names other days"

MOST_TOLD: Final = 8
"""Words that are told."""

_NAME: Final = re.compile(r"(?<=[^.?!:\s]\s)[A-Z][\w&]*|\b\w*\d[\w.,:]*")
"""A word with a capital within a sentence, or one with a digit."""

_PRICED: Final = frozenset({None, QuestionKind.MOVE, QuestionKind.LEVEL})
_ANY_DAY: Final = NOT_KNOWN | {QuestionKind.NEXT}
_LENGTHS: Final = frozenset({"year", "years", "yr", "yrs"})
_A_YEAR: Final = SpanNamed(1, "year")


class UnreadWords(NamedTuple):
    """What was left of a question: words that speak of `time`, `names` and numbers, and `others`
    that say what it is about. `is_judged`: there is a model of meaning to tell its kind."""

    time: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    is_judged: bool = True

    def matters(self, kind: QuestionKind | None) -> bool:
        """Whether the question may be of something else than its kind says: of other days, which
        a question of the next day names as well, of a name or number, or, where it is near to no
        kind, of any word."""
        time = self.time if kind not in _ANY_DAY else ()
        unknown = kind is None and self.is_judged
        return bool(time or self.names or (unknown and self.others))

    def told(self, kind: QuestionKind | None) -> str:
        """What was not read, in a sentence; of a kind that says itself that it is not known,
        without the days and words that it may be known by."""
        of_names = kind in NOT_KNOWN
        left = self.names if of_names else (*self.time, *self.names, *self.others)
        days = f" ({OTHER_DAYS})" if self.time and not of_names else ""
        return f"{NOT_READ} {_told(left[:MOST_TOLD])}{days}." if left else ""


def unread_words(
    query: Query, kind: QuestionKind | None, read: frozenset[str] = frozenset()
) -> UnreadWords:
    """What nothing read of a question of a kind. `read` are the stems of what was read besides."""
    time = [each for each in query.parameters.get(UNREAD, "").split(", ") if each]
    year_before = kind is QuestionKind.RATE and spans_named(query.question) == (_A_YEAR,)
    if kind is QuestionKind.YIELD or year_before:
        # How long a bond runs is said in years, and with a rate goes the one a year before.
        time = [each for each in time if each.casefold() not in _LENGTHS]
    of_names = stems(" ".join(KIND_NAMES))
    time = [each for each in time if not stems(by_their_kinds(each)) <= read | of_names]
    left = _left(query, kind, stems(" ".join(time)) | read)
    names = stems(" ".join(_NAME.findall(query.question)))
    named = tuple(word for word in left if stem(word) in names)
    others = tuple(word for word in left if word not in named)
    is_judged = WORKER_EMBEDDING_MODEL.get()() is not None
    return UnreadWords(tuple(dict.fromkeys(time)), named, others, is_judged)


def _left(query: Query, kind: QuestionKind | None, told: frozenset[str]) -> tuple[str, ...]:
    """The words that say what the question is about and are none of its subjects, of its period,
    of its group or of how its kind is asked."""
    parameters = query.parameters
    known = told | _asked_in(kind) | stems(f"{parameters.get(READ, '')} {parameters.get(RANK, '')}")
    market = parameters.get("market", "").replace("/", " ")
    known |= stems(" ".join((*KIND_NAMES, market)))
    question = without_frame(query.question)
    if group := parameters.get(RANK):
        question = group_called(group).sub(" ", question)
    asked = (word for word in words(by_their_kinds(question)) if not is_function_word(word))
    telling = (word for word in asked if len(word) > 1 or word.isdecimal())
    left = (word for word in telling if stem(word) not in known)
    return tuple(dict.fromkeys(left))


@cache
def _asked_in(kind: QuestionKind | None) -> frozenset[str]:
    """The words of a kind's wordings; without a kind those of all that the desk knows."""
    kinds = {kind} if kind is not None else {*QuestionKind} - NOT_KNOWN
    kinds |= _PRICED - {None} if kind in _PRICED else set()
    told = [each for known in kinds if known for each in wordings_of(known)]
    if kind not in NOT_KNOWN:
        told += [each for own in SIDES.wordings.values() for each in own]
    return stems(" ".join(told))


def _told(left: tuple[str, ...]) -> str:
    return listed(dict.fromkeys(safe_line(word, "a number") for word in left))


def safe_line(written: str, instead: str) -> str:
    """Words that are no prose of ours as they may be printed in prose: without references, and in
    other words where they hold figures."""
    plain = " ".join(REFERENCE.sub("", written).replace("[[", "").replace("]]", "").split())
    return plain if plain and not unbacked(plain) else instead
