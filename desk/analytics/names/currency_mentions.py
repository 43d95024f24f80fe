"""Which currencies a text speaks of, of all that there are.

Their names are those of the Unicode CLDR, as Babel has it, and those that `spoken` has besides. Of
two names at one place the longer counts: the Danish krone is no krone of Norway, and the Egyptian
pound no sterling. A name's last word alone, such as peso, stands for the one that the desk calls
so, or else for the only one that the ECB quotes; who else is called so is told with it.

Babel takes some 70 ms when it is first asked, so workflow code does not import this.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from babel import Locale
from babel.lists import format_list
from babel.numbers import get_currency_name, get_territory_currencies

from desk.analytics.names.central_banks import bank_mentions
from desk.analytics.names.countries import countries_named
from desk.analytics.names.currencies import QUOTING_ORDER, currency_name
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.spoken import ALSO_CALLED, OTHER_MARKETS

_WORDS_BESIDES: Final = frozenset({"real", "reals", "won"})
"""Units that are English words besides: alone they count beside another currency."""

_SURE: Final = MappingProxyType({"the won": "KRW"})
"""Where the word before makes a name of one."""

_BESIDE: Final = re.compile(
    r"\s*(?:[,/-]|\b(?:and|or|nor|than|against|versus|vs\.?|to)\b)\s*(?:the\s+)?", re.IGNORECASE
)


_AGAINST: Final = re.compile(
    r"(?:['’]s?)?(?:\s+\w+){0,6}?\s+(?:against|versus|vs\.?|over)\s+(?:the\s+)?"
    r"|\s*(?:\b(?:over|to|per)\b|/|-)\s*(?:the\s+)?",
    re.IGNORECASE,
)
"""What stands between two currencies of which one is told in the other."""

JOINED: Final = frozenset("/-")
"""Signs by which a country stands for its currency beside one: `euro-swiss`."""


class CurrencyMention(NamedTuple):
    """A currency that a text speaks of, as it is written, and where. `others` are those that are
    called so too, of the ones that the ECB quotes."""

    code: str
    written: str
    start: int
    end: int
    others: tuple[str, ...] = ()


NO_MARKET: Final = "no_market"
"""The parameter of a question with the codes of currencies, and the names of other markets, that it
names and that no market of the desk has."""

SHARED_NAME: Final = "shared_name"
"""The parameter with the names in it that several currencies have: `peso=PHP/MXN`, the one first
that it was taken for."""


def told_of_mentions(
    mentions: Sequence[CurrencyMention], held: Collection[str], others: Sequence[str] = ()
) -> dict[str, str]:
    """What a question carries along of the currencies that it names, and of other markets, so that
    its answer says which have no market, and which were taken for one of several."""
    without = dict.fromkeys(each.code for each in mentions if each.code not in held)
    without |= dict.fromkeys(others)
    shared = {
        each.written.lower(): "/".join((each.code, *each.others))
        for each in mentions
        if each.others and each.code in held
    }
    named = ", ".join(f"{written}={codes}" for written, codes in shared.items())
    told = {NO_MARKET: ", ".join(without), SHARED_NAME: named}
    return {name: words for name, words in told.items() if words}


def mentions_told(told: Mapping[str, str]) -> tuple[str, ...]:
    """The sentences about the currencies that a question named (`told_of_mentions`)."""
    return tuple(filter(None, (without_market_told(told), shared_name_told(told))))


def without_market_told(told: Mapping[str, str]) -> str:
    """The sentence on the currencies without a market; empty without any."""
    without = _listed(told.get(NO_MARKET, ""))
    if not without:
        return ""
    named = [each if each in OTHER_MARKETS else f"the {currency_name(each)}" for each in without]
    names = format_list(named, locale="en_GB")
    it = "it" if len(without) == 1 else "them"
    return f"The desk has no market for {names}: nothing was measured of {it}."


def shared_name_told(told: Mapping[str, str]) -> str:
    """The sentences on the names that several currencies have; empty without any."""
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
    """What a name stands for, and for which others it may."""

    code: str
    others: tuple[str, ...] = ()


def currency_mentions(text: str) -> tuple[CurrencyMention, ...]:
    """The currencies that a text speaks of by name or by code, in its order: those of a pair as
    well, and those that share a unit with the next (`the Australian and the New Zealand dollar`).
    Codes that the desk has no area for count in capital letters: some are words besides."""
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
    """The markets beside currencies that a text names, by what a sentence calls them."""
    return tuple(name for name, named in _other_markets().items() if named.search(text))


def without_other_markets(text: str, instead: str) -> str:
    """A text with the same words in the place of each of those names."""
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
    """Whether a text is about the pair of two currencies of which one is none of some: they stand
    beside each other, or one is told in the other."""
    named = currency_mentions(text)
    if len(named) != 2 or sum(each.code in held for each in named) != 1:
        return False
    between = text[named[0].end : named[1].start]
    return not between.strip() or is_against(between)


def is_against(between: str) -> bool:
    """Whether of two currencies one is told in the other, by the text that stands between them."""
    return _AGAINST.fullmatch(between) is not None


def countries_beside(text: str) -> tuple[CurrencyMention, ...]:
    """The currencies that a text names by their country right behind or before another one and a
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
    """A text with spaces in the place of each currency that is none of some, so that no part of
    such a name is taken for one of these."""
    for mention in currency_mentions(text):
        if mention.code not in codes:
            blank = " " * (mention.end - mention.start)
            text = f"{text[: mention.start]}{blank}{text[mention.end :]}"
    return text


def _sharing_a_unit(text: str, named: Sequence[CurrencyMention]) -> Iterator[CurrencyMention]:
    """The currencies whose country alone stands beside a later one of the same unit."""
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
    """Without the words besides that stand beside no other currency."""
    for place, mention in enumerate(found):
        before, after = found[max(place - 1, 0) : place], found[place + 1 : place + 2]
        gaps = [text[each.end : mention.start] for each in before]
        gaps += [text[mention.end : each.start] for each in after]
        if mention.written.lower() not in _WORDS_BESIDES or any(map(_BESIDE.fullmatch, gaps)):
            yield mention


@cache
def _pattern() -> re.Pattern[str]:
    names = sorted(_names(), key=lambda name: (-len(name), name))
    told = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in names)
    own, codes = "|".join(AREAS), "|".join({*QUOTING_ORDER} - {*AREAS})
    return re.compile(rf"\b(?:(?i:{told}|{own})|{codes})(?!\w)")


@cache
def _names() -> Mapping[str, _Called]:
    """What each name stands for, in small letters and without accents."""
    codes = sorted({*_in_use(), *QUOTING_ORDER, *AREAS})
    names = {last: _Called(code) for code in codes for last in _tails(code)}
    units = _units(code for code in (*QUOTING_ORDER, *AREAS) if code in _in_use())
    # A unit that is the same of one and of many, such as yen, takes an s without its apostrophe.
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
    """The last words of the names of those that the ECB quotes, each by the one that it means."""
    sharing: dict[str, list[str]] = {}
    for code in dict.fromkeys(codes):
        for form in _forms(code):
            shared = sharing.setdefault(_folded(form.split()[-1]).lower(), [])
            shared += [] if code in shared else [code]
    return {unit: _Called(*_meant(unit, shared)) for unit, shared in sharing.items()}


def _meant(unit: str, shared: list[str]) -> tuple[str, tuple[str, ...]]:
    """Which of the currencies with a unit it means where nothing else is said, and the others. The
    dollar is what the desk's pairs are quoted against: nobody asks which is meant."""
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
    """`Mexico's peso`, where it is the money of the country that its code begins with."""
    country = Locale("en").territories.get(code[:2], "").removesuffix(" SAR China")
    if country and code in get_territory_currencies(code[:2]):
        for form in _forms(code):
            yield from (f"{country}{s} {form.split()[-1]}" for s in ("'s", "’s"))


def _forms(code: str) -> tuple[str, str]:
    """A currency's English name, of one and of many."""
    return get_currency_name(code, 1, "en"), get_currency_name(code, 2, "en")


@cache
def _in_use() -> frozenset[str]:
    """The currencies that are legal tender somewhere today."""
    territories = (f"{name}" for name in Locale("en").territories)
    codes = (name for name in territories if len(name) == len("US") and name.isalpha())
    return frozenset(code for name in codes for code in get_territory_currencies(name))


def _folded(text: str) -> str:
    """A text without accents, each letter in its place."""
    return "".join(unicodedata.normalize("NFD", sign)[0] for sign in text)
