"""Finds the currencies that a text refers to, among all currencies.

Their names come from the Unicode CLDR, through Babel, and from `aliases`. Of two names at one
position the longer one counts: the Danish krone is not a krone of Norway, and the Egyptian pound is
not sterling. A name's last word alone, such as peso, refers to the currency that the desk gives
this name, or else to the only one that the ECB quotes. The other currencies of that name are
reported too.

Babel takes about 70 ms at its first use, so workflow code does not import this.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from babel import Locale
from babel.lists import format_list
from babel.numbers import get_currency_name, get_territory_currencies

from desk.analytics.names.aliases import ALSO_CALLED, OTHER_MARKETS
from desk.analytics.names.central_banks import bank_mentions
from desk.analytics.names.countries import countries_named
from desk.analytics.names.currencies import QUOTING_ORDER, currency_name
from desk.analytics.names.markets import AREAS, DOLLAR

_WORDS_BESIDES: Final = frozenset({"real", "reals", "won"})
"""Units that are also English words. Alone they count only beside another currency."""

_SURE: Final = MappingProxyType({"the won": "KRW"})
"""Words that the preceding word makes a currency."""

_BESIDE: Final = re.compile(
    r"\s*(?:[,/-]|\b(?:and|or|nor|than|against|versus|vs\.?|to)\b)\s*(?:the\s+)?", re.IGNORECASE
)


_AGAINST: Final = re.compile(
    r"(?:['’]s?)?(?:\s+\w+){0,6}?\s+(?:against|versus|vs\.?|over)\s+(?:the\s+)?"
    r"|\s*(?:\b(?:over|to|per)\b|/|-)\s*(?:the\s+)?",
    re.IGNORECASE,
)
"""The text between two currencies of which one is quoted in the other."""

JOINED: Final = frozenset("/-")
"""Signs by which a country refers to its currency beside another one: `euro-swiss`."""


class CurrencyMention(NamedTuple):
    """A currency that a text refers to, with the matched text and its position. `others` are the
    other currencies of that name, among those that the ECB quotes."""

    code: str
    written: str
    start: int
    end: int
    others: tuple[str, ...] = ()


NO_MARKET: Final = "no_market"
"""The parameter of a question with the currency codes, and names of other markets, that it names
and for which the desk has no market."""

SHARED_NAME: Final = "shared_name"
"""The parameter with the names in the question that several currencies share: `peso=PHP/MXN`, with
the assumed one first."""


def mention_parameters(
    mentions: Sequence[CurrencyMention], held: Collection[str], others: Sequence[str] = ()
) -> dict[str, str]:
    """The parameters of a question about the currencies and other markets that it names, so that
    its answer says which have no market, and which of several currencies was assumed."""
    without = dict.fromkeys(each.code for each in mentions if each.code not in held)
    without |= dict.fromkeys(others)
    shared = {
        each.written.lower(): "/".join((each.code, *each.others))
        for each in mentions
        if each.others and each.code in held
    }
    named = ", ".join(f"{written}={codes}" for written, codes in shared.items())
    parameters = {NO_MARKET: ", ".join(without), SHARED_NAME: named}
    return {name: words for name, words in parameters.items() if words}


def mention_sentences(told: Mapping[str, str]) -> tuple[str, ...]:
    """The sentences about the currencies that a question named (`mention_parameters`)."""
    return tuple(filter(None, (no_market_sentence(told), shared_name_sentences(told))))


def no_market_sentence(told: Mapping[str, str]) -> str:
    """The sentence about the currencies without a market. Empty if there are none."""
    without = _listed(told.get(NO_MARKET, ""))
    if not without:
        return ""
    named = [each if each in OTHER_MARKETS else f"the {currency_name(each)}" for each in without]
    names = format_list(named, locale="en_GB")
    it = "it" if len(without) == 1 else "them"
    return f"The desk has no market for {names}: nothing was measured of {it}."


def shared_name_sentences(told: Mapping[str, str]) -> str:
    """The sentences about names that several currencies share. Empty if there are none."""
    return " ".join(map(_taken, _listed(told.get(SHARED_NAME, ""))))


def _taken(named: str) -> str:
    written, _, codes = named.partition("=")
    taken, *others = (currency_name(code) for code in codes.split("/"))
    also = format_list([f"the {name}" for name in others], locale="en_GB")
    verb = "is" if len(others) == 1 else "are"
    return f"By {written} the {taken} is taken to be meant; {also} {verb} called so too."


def _listed(words: str) -> list[str]:
    return [each for each in words.split(", ") if each]


class _Called(NamedTuple):
    """The currency that a name refers to, and the others that it may refer to."""

    code: str
    others: tuple[str, ...] = ()


# Cached, because each reading of a question looks for them, some twice.
@lru_cache(maxsize=64)
def currency_mentions(text: str) -> tuple[CurrencyMention, ...]:
    """The currencies that a text refers to by name or by code, in order, including those of a pair
    and those that share a unit with the next (`the Australian and the New Zealand dollar`). Codes
    of currencies for which the desk has no area count only in capitals, because some are also
    words."""
    names = _names()
    found: list[CurrencyMention] = []
    for match in _pattern().finditer(_folded(text)):
        called = names.get(" ".join(match[0].lower().split())) or _Called(match[0].upper())
        place = text[match.start() : match.end()], match.start(), match.end()
        found.append(CurrencyMention(called.code, *place, called.others))
    standing = list(_standing(text, found))
    every = (*_sharing_a_unit(text, standing), *standing)
    return tuple(sorted(every, key=lambda each: each.start))


def other_markets_named(text: str) -> tuple[str, ...]:
    """The markets other than currencies that a text names, by their names within a sentence."""
    return tuple(name for name, named in _other_markets().items() if named.search(text))


def without_other_markets(text: str, instead: str) -> str:
    """Replaces each name of another market by the given words."""
    for named in _other_markets().values():
        text = named.sub(instead, text)
    return text


@cache
def _other_markets() -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(
            rf"(?<![\w/])(?:{'|'.join(map(re.escape, called))})(?![\w/])", re.IGNORECASE
        )
        for name, called in OTHER_MARKETS.items()
    }


def is_cross_with(text: str, held: Collection[str]) -> bool:
    """Whether a text is about a pair of two currencies of which exactly one is in `held`: they are
    side by side, or one is quoted in the other."""
    named = currency_mentions(text)
    if len(named) != 2 or sum(each.code in held for each in named) != 1:
        return False
    between = text[named[0].end : named[1].start]
    return not between.strip() or is_against(between)


def is_against(between: str) -> bool:
    """Whether one of two currencies is quoted in the other, by the text between them."""
    return _AGAINST.fullmatch(between) is not None


def countries_beside(text: str) -> tuple[CurrencyMention, ...]:
    """The currencies that a text names by their country directly after or before another one and a
    hyphen or slash, as the market does: `euro-swiss`."""
    named = currency_mentions(text)
    ends, starts = {each.end for each in named}, {each.start for each in named}
    return tuple(
        CurrencyMention(each.code, text[each.start : each.end], each.start, each.end)
        for each in countries_named(text, QUOTING_ORDER)
        if (text[each.start - 1 : each.start] in JOINED and each.start - 1 in ends)
        or (text[each.end : each.end + 1] in JOINED and each.end + 1 in starts)
    )


def without_other_currencies(text: str, codes: Collection[str]) -> str:
    """Blanks each currency that is not among `codes`, so that no part of such a name is mistaken
    for one of these."""
    for mention in currency_mentions(text):
        if mention.code not in codes:
            blank = " " * (mention.end - mention.start)
            text = f"{text[: mention.start]}{blank}{text[mention.end :]}"
    return text


def _sharing_a_unit(text: str, named: Sequence[CurrencyMention]) -> Iterator[CurrencyMention]:
    """The currencies named by country alone, beside a later one of the same unit."""
    taken = {each.end for each in named} | {each.end for each in bank_mentions(text)}
    following = {each.start: each.code for each in named if " " in each.written}
    for country in reversed(countries_named(text, QUOTING_ORDER) if following else ()):
        beside = _BESIDE.match(text, country.end)
        code = following.get(beside.end()) if beside else None
        if code and country.end not in taken and _unit(code) == _unit(country.code):
            following[country.start] = country.code
            written = text[country.start : country.end]
            yield CurrencyMention(country.code, written, country.start, country.end)


def _unit(code: str) -> str:
    return currency_name(code).split()[-1]


def _standing(text: str, found: list[CurrencyMention]) -> Iterator[CurrencyMention]:
    """Omits currency names that are also words and are not beside another currency."""
    for place, mention in enumerate(found):
        before, after = found[max(place - 1, 0) : place], found[place + 1 : place + 2]
        gaps = [text[each.end : mention.start] for each in before]
        gaps += [text[mention.end : each.start] for each in after]
        if mention.written.lower() not in _WORDS_BESIDES or any(map(_BESIDE.fullmatch, gaps)):
            yield mention


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_names(), key=lambda name: (-len(name), name))
    pattern = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in names)
    own, codes = "|".join(AREAS), "|".join({*QUOTING_ORDER} - {*AREAS})
    return re.compile(rf"\b(?:(?i:{pattern}|{own})|{codes})(?!\w)")


@cache
def _names() -> Mapping[str, _Called]:
    """The currency of each name, in lower case and without accents."""
    codes = sorted({*_in_use(), *QUOTING_ORDER, *AREAS})
    names = {last: _Called(code) for code in codes for last in _tails(code)}
    units = _units(code for code in (*QUOTING_ORDER, *AREAS) if code in _in_use())
    # A unit with the same plural, such as yen, may have the s of a genitive without apostrophe.
    names |= {f"{unit}s": called for unit, called in units.items()} | units
    names |= {
        _folded(f"{called}{plural}").lower(): _Called(code)
        for code in codes
        for called in (*ALSO_CALLED.get(code, ()), *_forms(code), *_at_home(code))
        for plural in ("", "s")
        if " " in called or called.lower() not in names
    }
    return MappingProxyType(names | {name: _Called(code) for name, code in _SURE.items()})


def _units(codes: Iterable[str]) -> dict[str, _Called]:
    """The last words of the names of the currencies that the ECB quotes, each with the currency it
    means."""
    sharing: dict[str, list[str]] = {}
    for code in dict.fromkeys(codes):
        for form in _forms(code):
            shared = sharing.setdefault(_folded(form.split()[-1]).lower(), [])
            shared += [] if code in shared else [code]
    return {unit: _Called(*_default_currency(unit, shared)) for unit, shared in sharing.items()}


def _default_currency(unit: str, shared: list[str]) -> tuple[str, tuple[str, ...]]:
    """The currency that a unit means by default, and the others. The dollar has no others: the
    desk's pairs are quoted against it, so it is not ambiguous."""
    if DOLLAR in shared:
        return DOLLAR, ()
    called = (c for c in shared if unit.removesuffix("s") in ALSO_CALLED.get(c, ()))
    code = next(called, shared[0])
    return code, tuple(each for each in shared if each != code)


def _tails(code: str) -> Iterator[str]:
    """The last two words of a longer name, such as `CFA franc`."""
    for form in _forms(code):
        if len(words := _folded(form).lower().split()) > 2:
            yield " ".join(words[-2:])


def _at_home(code: str) -> Iterator[str]:
    """`Mexico's peso`, if it is legal tender in the country that its code begins with."""
    country = Locale("en").territories.get(code[:2], "").removesuffix(" SAR China")
    if country and code in get_territory_currencies(code[:2]):
        for form in _forms(code):
            yield from (f"{country}{s} {form.split()[-1]}" for s in ("'s", "’s"))


def _forms(code: str) -> tuple[str, str]:
    """A currency's English name, singular and plural."""
    return get_currency_name(code, 1, "en"), get_currency_name(code, 2, "en")


@cache
def _in_use() -> frozenset[str]:
    """The currencies that are legal tender somewhere today."""
    territories = (f"{name}" for name in Locale("en").territories)
    codes = (name for name in territories if len(name) == len("US") and name.isalpha())
    return frozenset(code for name in codes for code in get_territory_currencies(name))


def _folded(text: str) -> str:
    """Removes accents. Each letter keeps its position."""
    return "".join(unicodedata.normalize("NFD", sign)[0] for sign in text)
