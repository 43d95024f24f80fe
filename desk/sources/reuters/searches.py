"""Searches of Reuters news in the query language of LSEG's platform."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from desk.contracts.markets import PAIR_PATTERN
from desk.sources.central_banks.policy_facts import Area
from desk.sources.reuters.words import telling_words

REUTERS_IN_ENGLISH: Final = "Source:RTRS AND Language:LEN"
MARKETS: Final = "(Topic:FRX OR Topic:CEN)"
"""What Reuters files under foreign exchange or central banks."""

MOST_WORDS: Final = 12
"""Words of a headline by which its story is looked for; those of a longer one are left out."""


def words_query(words: str, banks: Mapping[str, Area]) -> str | None:
    """Stories that have all the words, whatever else; a pair finds those filed under it.

    None where there are no words. Nothing of the words is read as part of the language.
    """
    if re.fullmatch(PAIR_PATTERN, words.strip().upper()):
        return _about(_pair(*words.strip().upper().split("/")))
    terms = _terms(words, banks)
    return _about(f"{' AND '.join(terms)} AND searchIn:FullStory") if terms else None


def markets_query() -> str:
    """Everything on currencies and central banks."""
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
    """A pair by its code at Reuters, where the dollar is left out, or by its name."""
    code = {"USD": quote}.get(base) or {"USD": base}.get(quote) or f"{base}{quote}"
    return f'(R:{code}= OR "{base}/{quote}")'


def _terms(words: str, banks: Mapping[str, Area]) -> list[str]:
    """Each word in quotes, which is how the language has text as it stands."""
    known = {bank.short_name.upper(): bank for bank in banks.values()}
    return [_term(word, known) for word in dict.fromkeys(telling_words(words, banks.values()))]


def _term(word: str, known: Mapping[str, Area]) -> str:
    """A short name is one in capitals, or as the bank writes it: BI is a bank and bi is none."""
    bank = known.get(word.upper())
    if bank is None or (not word.isupper() and word != bank.short_name):
        return _quoted(word)
    return f"({_quoted(bank.bank)} OR {_quoted(bank.short_name)})"


def _quoted(words: str) -> str:
    return f'"{words.replace(chr(34), "")}"'
