"""Builds searches for Reuters news in the query language of LSEG's platform."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from desk.contracts.markets import PAIR_PATTERN
from desk.sources.central_banks.facts.policy import Area

FEWEST_WORDS: Final = 2
"""The fewest words by which a headline can be distinguished from others."""

_WORD = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:[/'’&][^\W\d_]+)*")
_UPDATED = re.compile(r"^(?:UPDATE|WRAPUP|RPT|REFILE|CORRECTED)(?: \d+)?-")
_DOTTED = re.compile(r"(?<!\w)(?:[A-Z]\.){2,}")
_ENDINGS = ("'s", "’s", "ing", "ed", "es", "s", "e")
_SHORTEST_STEM = 3
_DIRECTIONS = {
    "raise hike lift increase rise rose gain climb jump surge strengthen": "+",
    "cut lower reduce trim fall fell drop slide slip tumble weaken": "-",
    "hold held keep kept leave left maintain unchanged steady": "=",
}
"""Words for the directions in which rates and prices move."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_COMMON = _words(
    "a after all also an and are as at be but by for from has have in into is it its new of off "
    "on or over say says said than that the their this to was were will with"
)
_NEGATIONS = _words("no not never without")


def content_words(headline: str, banks: Iterable[Area]) -> list[str]:
    """The words and figures of a headline, as written, without common words and version marks, with
    the short names of central banks instead of their names."""
    text = _DOTTED.sub(lambda found: found[0].replace(".", ""), _UPDATED.sub("", headline))
    for bank in banks:
        name = rf"(?<!\w){re.escape(bank.bank)}(?!\w)"
        text = re.sub(name, bank.short_name, text, flags=re.IGNORECASE)
    return [word for word in _WORD.findall(text) if word.casefold() not in _COMMON]


class HeadlineSimilarity:
    """The similarity of headlines to one, by their words and not by their meaning."""

    def __init__(self, headline: str, banks: Sequence[Area]) -> None:
        """`banks` are recognised by their names and their short names."""
        self._banks = banks
        words = content_words(headline, banks)
        self._words = {_normalized(word) for word in words}
        self._needed = {_normalized(word) for word in _subjects(words)}

    @property
    def enough(self) -> bool:
        """Whether the headline has enough words to be distinguished from others."""
        return len(self._words) >= FEWEST_WORDS

    def share(self, other: str) -> float:
        """The share of the headline's words that the other also has.

        Words for one direction count as one. It is 0 if a figure or a name of the headline is
        missing, if only one of the two says "not", or if they name different directions.
        """
        other_words = {_normalized(word) for word in content_words(other, self._banks)}
        if not self._words or not self._needed <= other_words or self._opposed(other_words):
            return 0.0
        return len(self._words & other_words) / len(self._words)

    def _opposed(self, other_words: set[str | Decimal]) -> bool:
        if bool(self._words & _NEGATIONS) is not bool(other_words & _NEGATIONS):
            return True
        ours, theirs = (words & set(_DIRECTIONS.values()) for words in (self._words, other_words))
        return bool(ours and theirs) and not ours & theirs


def _subjects(words: Sequence[str]) -> list[str]:
    """The subjects of a headline: its figures, its names, and its first word.

    In a headline with mostly capitalised words, only words in all capitals are names.
    """
    figures = [word for word in words if word[0].isdecimal()]
    plain = [word for word in words if not word[0].isdecimal()]
    large = [word for word in plain if word[0].isupper()]
    if 2 * len(large) > len(plain):
        large = [word for word in large if not word[1:].islower()]
    return [*plain[:1], *figures, *large]


def _normalized(word: str) -> str | Decimal:
    if word[0].isdecimal():
        return Decimal(word.replace(",", "")).normalize()
    stem = _stem(word.casefold())
    return _DIRECTION_OF.get(stem, stem)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


_DIRECTION_OF = {
    _stem(word): direction for words, direction in _DIRECTIONS.items() for word in words.split()
}


REUTERS_IN_ENGLISH: Final = "Source:RTRS AND Language:LEN"
MARKETS: Final = "(Topic:FRX OR Topic:CEN)"
"""Reuters' topics of foreign exchange and central banks."""

MOST_WORDS: Final = 12
"""Words of a headline that are used to search for its story. Further words are omitted."""


def words_query(words: str, banks: Mapping[str, Area]) -> str | None:
    """Stories with all the words, or for a pair those filed under it. Words before and after an OR
    in capitals are alternatives.

    None without words. Nothing else in them is interpreted as query language.
    """
    found = [found for part in words.split(" OR ") if (found := _alternative(part, banks))]
    if not found:
        return None
    return _about(
        found[0] if len(found) == 1 else f"({' OR '.join(f'({each})' for each in found)})"
    )


def _alternative(words: str, banks: Mapping[str, Area]) -> str | None:
    plain = words.replace('"', "").strip()
    if re.fullmatch(PAIR_PATTERN, plain.upper()):
        return _pair(*plain.upper().split("/"))
    terms = _terms(plain, banks)
    return f"{' AND '.join(terms)} AND searchIn:FullStory" if terms else None


def markets_query() -> str:
    """All stories about currencies and central banks."""
    return _about(MARKETS)


def banks_query(banks: Iterable[Area]) -> str:
    """Headlines that name one of the banks, among those filed under central banks."""
    names = dict.fromkeys(name for bank in banks for name in (bank.bank, bank.short_name))
    return _about(f"({' OR '.join(map(_quoted, names))}) AND Topic:CEN")


def story_queries(headline: str, banks: Mapping[str, Area]) -> tuple[str, str]:
    """Two searches for a story, the narrow one first: all the words, then any of them."""
    terms = _terms(headline, banks)[:MOST_WORDS]
    narrow = f"{' AND '.join(terms)} AND searchIn:FullStory"
    return _about(narrow), _about(f"({' OR '.join(terms)}) AND searchIn:HeadlineOnly")


def _about(search: str) -> str:
    return f"{search} AND {REUTERS_IN_ENGLISH}"


def _pair(base: str, quote: str) -> str:
    """A pair by its Reuters code, which omits the dollar, or by its name."""
    code = {"USD": quote}.get(base) or {"USD": base}.get(quote) or f"{base}{quote}"
    return f'(R:{code}= OR "{base}/{quote}")'


def _terms(words: str, banks: Mapping[str, Area]) -> list[str]:
    """Each word in quotes, which the language reads as plain text."""
    known = {bank.short_name.upper(): bank for bank in banks.values()}
    return [_term(word, known) for word in dict.fromkeys(content_words(words, banks.values()))]


def _term(word: str, known: Mapping[str, Area]) -> str:
    """A short name counts in capitals, or as the bank writes it: BI is a bank and bi is not."""
    bank = known.get(word.upper())
    if bank is None or (not word.isupper() and word != bank.short_name):
        return _quoted(word)
    return f"({_quoted(bank.bank)} OR {_quoted(bank.short_name)})"


def _quoted(words: str) -> str:
    return f'"{words.replace(chr(34), "")}"'
