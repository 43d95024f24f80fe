"""What a question asks for: about which tickets, which of their fields, and what kind of thing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from desk.contracts.agents.tasks import Query
from desk.trust.conflicts import (
    CURRENCIES,
    STOP_WORDS,
    Token,
    stems,
    telling,
    tokens,
)

TICKET_ID: Final = re.compile(r"(?<![\w/-])([A-Za-z][A-Za-z0-9]{1,9}-\d{1,6})(?![\w-])")
"""A ticket as it is named: `DESK-101`."""

_DAY_NAMES: Final = stems(
    "January February March April June July August September October November December"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
)
MOST_PARTS: Final = 8
"""Questions in one text that are answered, the first ones."""

_AND_ASKS: Final = re.compile(
    r"[,;]?\s+and\s+(?=(?:who|whom|whose|what|when|where|why|which|how)\b)|\?\s+(?=\S)",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.:?!])\s+(?=\S)")
_ASKS: Final = re.compile(
    r"\b(?:who|whom|whose|what|when|where|why|which|how|is|are|does|has|tell|give|show|list|status)\b",
    re.IGNORECASE,
)


class Wanted(StrEnum):
    """What kind of thing answers a question."""

    PERSON = "person"
    TIME = "time"
    NUMBER = "number"
    DURATION = "duration"
    REASON = "reason"
    WHETHER = "whether"
    ANYTHING = "anything"


class TicketField(StrEnum):
    """What can be told of a ticket."""

    STATUS = "status"
    ASSIGNEE = "assignee"
    SUMMARY = "summary"


_INTERROGATIVE: Final = re.compile(
    r"\b(?:who|whom|whose|what|when|where|why|which|how)\b", re.IGNORECASE
)
_WANTED: Final = (
    (Wanted.REASON, r"why|what caused|(?:what|which) reason"),
    (
        Wanted.TIME,
        r"when|(?:what|which) (?:time|days?|dates?|months?|years?|deadline)(?! count)\b|how soon",
    ),
    (Wanted.DURATION, r"how long|what (?:length of time|duration|period)"),
    (
        Wanted.NUMBER,
        r"how (?:much|many|often|large|big|far|high|old|wide|fast|small)|what (?:number|share|"
        r"percentage|amount|fraction|notice|level|rate)|which (?:amount|level|number|percentage)",
    ),
    (
        Wanted.PERSON,
        r"who|whom|whose|which (?:[a-z]+ )?(?:person|people|editors?|colleagues?|analysts?)",
    ),
)
_KIND: Final = re.compile(
    r"\b(?:which|what)\s+(?!(?:of|is|are|was|were|do|does|did|has|have|can|will|may|must)\b)"
    r"([a-z-]+(?:\s+of\s+[a-z]+)?)",
    re.IGNORECASE,
)
_ASKED_OF: Final = re.compile(
    r"\b(?:what|which|how (?:much|large|big|high|long)|when)\s+(?:is|was|are|were)\s+the\s+"
    r"([\w\s-]{1,60}?)\s+(?:of|for|in|on|at|by|to|from)\b",
    re.IGNORECASE,
)
_WHETHER: Final = re.compile(
    r"\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|will|would|should)\b",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(r"\b(?:not|never|no)\b|n't\b", re.IGNORECASE)

_FIELDS: Final = (
    (
        TicketField.STATUS,
        r"\bstatus|\bcoming along\b|\bgetting on\b"
        r"|\bstate\b|\bstands?\b|\bprogress\b|\bdone\b|\bopen\b|\bclosed?\b|\bblocked\b"
        r"|\bfinished\b|\bcompleted?\b|\bcancell?ed\b|\bhow far\b|\bin review\b|\bresolved\b",
    ),
    (
        TicketField.ASSIGNEE,
        r"\bwho(?:se|m)?\b|\bassign|\bresponsible\b|\bworking on\b|\bowner\b|\banybody\b|\banyone\b"
        r"|\bin charge\b",
    ),
    (
        TicketField.SUMMARY,
        r"\bsummary\b|\bsummarise|\bsubject\b|\babout\b|\bask(?:s|ing)? for\b|\btopic\b|\btitle\b"
        r"|\bconcern|\bdescribe|\bdeals? with\b",
    ),
)
_FIELD_WORDS: Final = stems(
    "status state stand progress done open closed blocked finished completed cancelled resolved"
    " assigned assignee responsible working work owner charge summary summarise subject about"
    " topic title concern describe deal ticket tickets issue issues review compare comparison"
    " job look looking handle handling take care task tasks nobody unassigned in matter"
    " ask far along come whose hold"
)
_LISTS: Final = re.compile(
    r"\b(?:which|what|list|show|all|any|the)\b[^?.]{0,60}\b(?:tickets|issues)\b|\bworking on\?*\s*$"
    r"|\b(?:which|what) of\b[^?.]{0,60}\b(?:tickets|issues)\b",
    re.IGNORECASE,
)
_NOBODY: Final = re.compile(
    r"\bno assignee\b|\bunassigned\b|\bnobody\b|\bno ?one\b|\bwithout (?:an )?assignee\b"
    r"|\bnot (?:been )?assigned\b",
    re.IGNORECASE,
)
_STATUSES: Final[Mapping[str, str]] = {
    r"\bblocked\b": "blocked",
    r"\bin review\b|\bunder review\b|\bbeing reviewed\b": "in review",
    r"\bin progress\b|\bunder way\b": "in progress",
    r"\bcancell?ed\b": "cancelled",
    r"\bclosed\b": "closed",
    r"\bdone\b|\bfinished\b|\bcompleted?\b": "done",
    r"\bopen\b": "open",
    r"\bon hold\b": "on hold",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read.

    `asked` are all its words, `terms` those that say what it is about, each once. `essential` are
    those of them that an answer cannot do without: names, figures, currencies. `leading` are those
    that stand right before another of them, as `risk` in `the risk committee`, and `pairs` are
    both together. `kind_words` say what kind of thing is wanted, as `currency` in `which currency`;
    an answer need not hold them. `focus` is what is asked of something, as `cause` in `what was the
    cause of the delay`, and `after_counting` what a number is asked of. `negated` is a question for
    what is not.
    """

    text: str
    asked: frozenset[str]
    wanted: Wanted
    terms: tuple[str, ...]
    essential: frozenset[str]
    leading: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    kind_words: frozenset[str]
    focus: frozenset[str]
    after_counting: frozenset[str]
    negated: bool

    def without(self, gone: frozenset[str]) -> "Question":
        """The same without some words, as one of several things that it names side by side."""
        return Question(
            self.text,
            self.asked,
            self.wanted,
            tuple(t for t in self.terms if t not in gone),
            self.essential - gone,
            self.leading - gone,
            self.pairs,
            self.kind_words - gone,
            self.focus - gone,
            self.after_counting - gone,
            self.negated,
        )


def read_question(text: str) -> Question:
    """A question, or one of the questions in it, read for what it asks."""
    words = telling(TICKET_ID.sub(" ", text))
    terms = tuple(dict.fromkeys(word.stem for word in words))
    first = next(iter(tokens(text)), None)
    pairs = _pairs(text, words)
    return Question(
        text=text,
        asked=stems(text),
        wanted=_wanted(text),
        terms=terms,
        essential=frozenset(w.stem for w in words if _is_essential(w, first)),
        leading=frozenset(first for first, _ in pairs),
        pairs=pairs,
        kind_words=_kind_words(text),
        focus=_focus(text),
        after_counting=_counted(text),
        negated=_NEGATION.search(text) is not None,
    )


def parts_of(text: str) -> tuple[str, ...]:
    """The questions in a text, each by itself. What is no question but leads up to one is not
    among them."""
    sentences = [s for s in _SENTENCE.split(text) if s.strip()]
    asking = [s for s in sentences if _ASKS.search(s)] or sentences
    pieces = (piece.strip(" ,;?") for s in asking for piece in _AND_ASKS.split(s))
    kept = tuple(piece for piece in pieces if telling(piece) or _ASKS.search(piece))
    return tuple(dict.fromkeys(kept))[:MOST_PARTS] or (text,)


def ticket_ids(text: str) -> tuple[str, ...]:
    """The tickets that a text names, each once, as trackers write them."""
    return tuple(dict.fromkeys(found.upper() for found in TICKET_ID.findall(text)))


def fields_of(text: str) -> tuple[TicketField, ...]:
    """Which fields of a ticket a text asks for, in the usual order."""
    return tuple(f for f, pattern in _FIELDS if re.search(pattern, text, re.IGNORECASE))


def status_of(text: str) -> str | None:
    """The status that tickets are to have, in lower case."""
    for pattern, status in _STATUSES.items():
        if re.search(pattern, text, re.IGNORECASE):
            return status
    return None


def lists_tickets(text: str) -> bool:
    """Whether a text asks for all tickets of some kind, and names none."""
    return not TICKET_ID.search(text) and _LISTS.search(text) is not None


def wants_unassigned(text: str) -> bool:
    """Whether a text asks for tickets that nobody is assigned to."""
    return _NOBODY.search(text) is not None


def topic_of(text: str) -> frozenset[str]:
    """What a question is about beyond tickets and their fields."""
    words = telling(TICKET_ID.sub(" ", text))
    return frozenset(word.stem for word in words) - _FIELD_WORDS


def names_in(text: str) -> tuple[str, ...]:
    """Names of people or firms: two or more capitalised words in a row, the first of a sentence
    aside where it is an everyday word."""
    found = re.findall(r"\b[A-Z][\w-]+(?:\s+[A-Z][\w-]+)+", re.sub(r"['’]s\b", "", text))
    kept = (_without_opener(name) for name in found)
    return tuple(dict.fromkeys(name for name in kept if " " in name))


def parameter_list(query: Query, *names: str) -> tuple[str, ...]:
    """The values of parameters that may hold several, separated by commas or line breaks."""
    values = (query.parameters.get(name, "") for name in names)
    pieces = (piece.strip() for value in values for piece in re.split(r"[,;\n]", value))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def _without_opener(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if first.lower() in STOP_WORDS else name


def _focus(text: str) -> frozenset[str]:
    found = _ASKED_OF.search(text)
    words = telling(found[1]) if found else ()
    return frozenset({words[-1].stem}) if words else frozenset()


def _wanted(text: str) -> Wanted:
    """By the first word that asks."""
    asks = _INTERROGATIVE.search(text)
    if asks is None:
        return Wanted.WHETHER if _WHETHER.match(text) else Wanted.ANYTHING
    for wanted, pattern in _WANTED:
        if re.compile(rf"(?:{pattern})\b", re.IGNORECASE).match(text, asks.start()):
            return wanted
    return Wanted.ANYTHING


def _kind_words(text: str) -> frozenset[str]:
    found = _KIND.search(text)
    return stems(found[1]) if found else frozenset()


def _is_essential(word: Token, first: Token | None) -> bool:
    opens = first is not None and word.start == first.start
    named = word.written[0].isupper() and not opens
    return named or word.is_figure or word.stem in CURRENCIES or word.stem in _DAY_NAMES


def _pairs(text: str, words: tuple[Token, ...]) -> frozenset[tuple[str, str]]:
    """Telling words with nothing but a blank or a hyphen between them."""
    found = set()
    for word, following in pairwise(words):
        between = text[word.start + len(word.written) : following.start]
        if between in (" ", "-"):
            found.add((word.stem, following.stem))
    return frozenset(found)


def _counted(text: str) -> frozenset[str]:
    """`minutes` in `within how many minutes is a breach reported`."""
    found = re.search(
        r"\b(?:how many|what number of)\s+([\w-]+(?:\s+[\w-]+)?)", text, re.IGNORECASE
    )
    return stems(found[1].split()[0]) if found else frozenset()
