"""Finds the words of a text that refer to time, whether or not they can be parsed."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal

from babel import Locale
from babel.units import format_unit

from desk.analytics.names.periods.iso import ISO
from desk.analytics.names.periods.months import NAMED_YEAR, WORDS_BESIDES, short_months
from desk.analytics.names.periods.relative import RELATIVE, weekdays
from desk.analytics.names.subjects import without_subjects

_UNITS: Final = ("day", "week", "month", "quarter", "year", "decade", "century")
_BESIDE_NOW: Final = ("yesterday", "tomorrow")
_SINCE_WHEN: Final = re.compile(r"\bsince(?: [^\W\d_]+){0,3}", re.I)
_ATTRIBUTE: Final = re.compile(r"\b\w+-(?:month|year)\b", re.I)
"""A length that describes the kind of a thing, such as a ten-year bond, and not days of the
calendar. A move within so many days does refer to days."""


def words_ahead(words: str) -> tuple[str, ...]:
    """The words of time in a text that may say how far ahead it asks. Omits those with `last` or
    `since`."""
    bare = RELATIVE.sub(lambda m: " " if m["which"].casefold() == "last" else m[0], words)
    return tuple(dict.fromkeys(calendar_words(_SINCE_WHEN.sub(" ", bare))))


_LIMIT_WORDS: Final = (
    r" (?P<when>(?:(?:the|this|next) )?(?!(?:the|this|next|an?|how|what|which|whom|far)\b)"
    r"[^\W\d_][\w'’-]*)"
)
_BY: Final = re.compile(rf"\bby{_LIMIT_WORDS}", re.I)
_BEFORE: Final = re.compile(rf"\b(?:before|until|till|in time for){_LIMIT_WORDS}", re.I)


def limits_ahead(words: str) -> tuple[str, ...]:
    """The events that something is said to happen by, before, until, or in time for: `christmas`,
    `the summit`. Their days are unknown here. `By` before a currency, a country, a bank or an
    amount is not a time."""
    found = (*_BY.finditer(without_subjects(words)), *_BEFORE.finditer(words))
    return tuple(dict.fromkeys(each["when"] for each in found))


def calendar_words(words: str) -> Iterator[str]:
    """The words of a text that the CLDR has for units of time, months, quarters and days, dates and
    years, and the words after `since`."""
    yield from (found[0] for found in _SINCE_WHEN.finditer(words))
    yield from (found[0] for found in ISO.finditer(words))
    dated = _ATTRIBUTE.sub(" ", ISO.sub(" ", words))
    for word in re.findall(r"[A-Za-z]+\d?|\b(?:19|20)\d{2}\b", dated):
        if word not in WORDS_BESIDES and _is_of_time(word):
            yield word


def _is_of_time(word: str) -> bool:
    return word.casefold() in calendar_names() or re.fullmatch(NAMED_YEAR, word) is not None


def _lengths(unit: str) -> tuple[Literal["long", "short"], ...]:
    """The forms in which a unit is written. The short form of decade is excluded, because it equals
    that of December."""
    return ("long",) if unit == "decade" else ("long", "short")


@cache
def calendar_names() -> frozenset[str]:
    """The CLDR's names of units of time, months, quarters and days, in lower case."""
    english = Locale("en")
    units = [
        format_unit(count, f"duration-{unit}", length=length, locale=english).split()[-1]
        for unit in _UNITS
        for length in _lengths(unit)
        for count in (1, 2)
    ]
    names = (*english.months["format"]["wide"].values(), *short_months(), *weekdays(), *_BESIDE_NOW)
    quarters = english.quarters["format"]["abbreviated"].values()
    return frozenset(f"{name}".casefold() for name in (*units, *names, *quarters))
