"""Finds pairs by symbol or by the names of their currencies."""

import re
from collections.abc import Collection, Sequence
from functools import cache

from desk.analytics.names.currencies import QUOTING_ORDER, home_of, names_of, quoted_as

_SEARCHED_BY = {"GBP": "UK", "USD": "American"}
_RANK = {code: rank for rank, code in enumerate(QUOTING_ORDER)}
_COUNTERPARTS = ("USD", "EUR", "JPY", "GBP")
_EXACT_CODE, _WHOLE_WORD, _BEGINNING = 4, 2, 1


def matching_symbols(query: str, currencies: Collection[str], limit: int) -> tuple[str, ...]:
    """Pairs of the given currencies that match every word of a query, best first.

    A word matches a currency by its code, by a word of its name, or by the beginning of either. A
    single currency is paired with all others, the most traded first.
    """
    words = re.findall(r"\w+", query.lower())
    scores = [{code: _score(word, code) for code in currencies} for word in words]
    found = {
        symbol: rank
        for symbol, one, other in _pairs(currencies)
        if (rank := _rank(one, other, scores)) is not None
    }
    best = sorted(found, key=lambda symbol: (found[symbol], symbol))
    return _as_written(query, currencies, best)[:limit]


def _pairs(currencies: Collection[str]) -> list[tuple[str, str, str]]:
    codes = sorted(currencies)
    return [
        (quoted_as(one, other), one, other)
        for at, one in enumerate(codes)
        for other in codes[at + 1 :]
    ]


@cache
def _search_words(code: str) -> tuple[str, ...]:
    words = (*names_of(code), home_of(code), _SEARCHED_BY.get(code, ""))
    return tuple(dict.fromkeys(" ".join(words).lower().split()))


def _score(word: str, code: str) -> int:
    names = _search_words(code)
    if word == code.lower():
        return _EXACT_CODE
    if word in names:
        return _WHOLE_WORD
    return _BEGINNING if any(name.startswith(word) for name in (code.lower(), *names)) else 0


def _rank(one: str, other: str, scores: Sequence[dict[str, int]]) -> tuple[int, ...] | None:
    best = [max(score[one], score[other]) for score in scores]
    if not best or min(best) == 0:
        return None
    both_named = any(score[one] for score in scores) and any(score[other] for score in scores)
    return (-sum(best), -int(both_named), min(_trade(one), _trade(other)), _position(one, other))


def _trade(code: str) -> int:
    return _COUNTERPARTS.index(code) if code in _COUNTERPARTS else len(_COUNTERPARTS)


def _position(one: str, other: str) -> int:
    return _RANK.get(one, len(_RANK)) + _RANK.get(other, len(_RANK))


def _as_written(query: str, currencies: Collection[str], found: list[str]) -> tuple[str, ...]:
    """A symbol that the query spells out comes first, even against the market's custom."""
    codes = re.fullmatch(r"\W*([A-Z]{3})\W*([A-Z]{3})\W*", query.upper())
    if codes is None or not set(codes.groups()) <= set(currencies) or codes[1] == codes[2]:
        return tuple(found)
    written = f"{codes[1]}/{codes[2]}"
    return (written, *(symbol for symbol in found if symbol != written))
