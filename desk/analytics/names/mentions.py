"""Finds the names in a text by a scan of `name_table`. Of two names at one position the longer one
counts: the Danish krone is not a krone of Norway, and the Egyptian pound is not sterling.

A currency's last word alone, such as peso, refers to the currency that the desk gives this name, or
else to the only one that the ECB quotes. The other currencies of that name are reported too.

Babel takes about 70 ms at its first use, so workflow code does not call this.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from babel.lists import format_list

from desk.analytics.names.aliases import OTHER_MARKETS
from desk.analytics.names.currencies import currency_name
from desk.analytics.names.markets import AREAS
from desk.analytics.names.name_table import (
    CODES,
    FIRST_WORD,
    Meaning,
    NamedAs,
    codes_in_use,
    key_of,
    meanings,
    names_by_first_word,
)
from desk.contracts.markets import AreaCode

_MONEY: Final = frozenset({NamedAs.CURRENCY})
_OF_COUNTRIES: Final = frozenset({NamedAs.BANK, NamedAs.COUNTRY})

_UNITS_ALSO_WORDS: Final = frozenset({"real", "reals", "won"})
"""Units that are also English words. Alone they count in a question only beside another currency,
and in print only directly behind one and a sign of `_JOINING`."""

_ALSO_A_VERB: Final = "won"
"""The unit that also counts where a verb is unlikely: behind an article or `_BEFORE_A_NOUN`, and
with a capital letter as the first word of a text."""

_BEFORE_A_NOUN: Final = re.compile(
    r"\b(?:the|and|or|than|against|versus|vs\.?)[\s*_]+$", re.IGNORECASE
)
_ARTICLE: Final = re.compile(r"\bthe\s$", re.IGNORECASE)

_SPACES: Final = re.compile(r"\s+")
_BESIDE: Final = re.compile(
    r"\s*(?:,\s*(?:and|or)\b|[,/-]|\b(?:and|or|nor|than|against|versus|vs\.?|to)\b)\s*(?:the\s+)?",
    re.IGNORECASE,
)
_AGAINST: Final = re.compile(
    r"(?:['’]s?)?(?:\s+\w+){0,6}?\s+(?:against|versus|vs\.?|over)\s+(?:the\s+)?"
    r"|\s*(?:\b(?:over|to|per)\b|/|-)\s*(?:the\s+)?",
    re.IGNORECASE,
)
"""The text between two currencies of which one is quoted in the other."""

_JOINED: Final = re.compile(r"\s|\s?[/–-]\s?")
"""The text between two currencies that are a pair: `dollar-yen`, `euro swiss`."""

_JOINING: Final = frozenset("/–-")
"""The signs between two currencies that print joins without a space: `dollar/won`."""

_HYPHENS: Final = frozenset("/-")
"""Signs by which a country refers to its currency beside another one: `euro-swiss`."""

_QUOTED: Final = "|".join(CODES)
_WRITTEN: Final = re.compile(rf"\b(?P<base>{_QUOTED})[/ -]?(?P<quote>{_QUOTED})\b", re.IGNORECASE)
_SLASHED: Final = re.compile(r"\b([A-Z]{3})/([A-Z]{3})\b", re.IGNORECASE)
_OF_AREAS: Final = "|".join(AREAS)
_PRINTED: Final = re.compile(
    rf"\b(?:(?P<base>[A-Z]{{3}})/(?P<quote>[A-Z]{{3}})|(?P<one>{_OF_AREAS})-?(?P<other>{_OF_AREAS}))\b"
)


class NameMention(NamedTuple):
    """A name in a text: what it refers to, and its position."""

    meaning: Meaning
    written: str
    start: int
    end: int

    @property
    def code(self) -> str:
        """The currency, or the first of several."""
        return self.meaning.codes[0]

    @property
    def others(self) -> tuple[str, ...]:
        """The other currencies of that name, among those that the ECB quotes."""
        return self.meaning.others

    @property
    def area(self) -> AreaCode:
        """The area of the central bank."""
        return AREAS[self.code]

    @property
    def is_money(self) -> bool:
        """Whether it names a currency, a pair or several currencies."""
        return self.meaning.kind is NamedAs.CURRENCY

    def as_money(self) -> "NameMention":
        """The mention of a country, as one of its currency."""
        return self._replace(meaning=self.meaning._replace(kind=NamedAs.CURRENCY))


NO_MARKET: Final = "no_market"
"""The parameter of a question with the currency codes, and names of other markets, that it names
and for which the desk has no market."""

SHARED_NAME: Final = "shared_name"
"""The parameter with the names in the question that several currencies share: `peso=PHP/MXN`, with
the assumed one first."""


def mention_parameters(
    mentions: Sequence[NameMention], held: Collection[str], others: Sequence[str] = ()
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


def mentions(
    text: str, kinds: Collection[NamedAs] = frozenset(NamedAs), *, in_print: bool = False
) -> tuple[NameMention, ...]:
    """The names of some kinds in a text, in order. In print, a name that begins with a capital
    letter counts only with it, because some are also other words (`china`, `us`); otherwise, as in
    a question, most names count in any letters. Of units that are also words (`sterling won back`)
    print counts fewer."""
    found = tuple(_scanned(text, kinds, in_print))
    money = [each for each in found if each.is_money]
    stray = [
        each
        for each in money
        if each.written.lower() in _UNITS_ALSO_WORDS
        and not _is_currency(text, each, money, in_print)
    ]
    return tuple(each for each in found if each not in stray)


def _scanned(text: str, kinds: Collection[NamedAs], in_print: bool) -> Iterator[NameMention]:
    key = key_of(_SPACES.sub(" ", text))
    places: Sequence[int] = range(len(text))
    if len(key) < len(text):
        places = [0, *(n for n in places[1:] if not text[n - 1 : n + 1].isspace())]
    at = 0
    for word in FIRST_WORD.finditer(key):
        for name in names_by_first_word().get(word[0], ()) if word.start() >= at else ():
            end = word.start() + len(name)
            if key.startswith(name, word.start()) and not _goes_on(key, end):
                start, last = places[word.start()], places[end - 1]
                mention = _meant(name, text, start, last + 1, kinds, in_print)
                if mention is not None:
                    yield mention
                    at = end
                    break


def _goes_on(key: str, end: int) -> bool:
    """Whether a word goes on at a position."""
    return key[end : end + 1].isalnum() or key[end : end + 1] == "_"


def _meant(
    name: str, text: str, start: int, end: int, kinds: Collection[NamedAs], in_print: bool
) -> NameMention | None:
    for meaning in meanings()[name]:
        written = text[start:end]
        if meaning.kind in kinds and (
            _is_in_print(meaning.written, written) and not meaning.asked_only
            if in_print
            else meaning.counts_anywhere
            or (meaning.exact and written == meaning.written)
            or (meaning.after_article and _ARTICLE.search(text, 0, start))
        ):
            return NameMention(meaning, written, start, end)
    return None


def _is_in_print(called: str, written: str) -> bool:
    """Whether a name is written with its capital letters."""
    called, written = (
        name[4:] if name[:4].lower() == "the " else name for name in (called, written)
    )
    if called[1:2].isupper():
        # An abbreviation, such as US or BoJ.
        return written[:1].isupper() and any(sign.isupper() for sign in written[1:])
    return called[:1].islower() or written[:1].isupper()


def _is_currency(
    text: str, mention: NameMention, money: Sequence[NameMention], in_print: bool
) -> bool:
    """Whether a unit that is also a word refers to the currency."""
    before = text[: mention.start]
    if mention.written.lower() == _ALSO_A_VERB and (
        _BEFORE_A_NOUN.search(before)
        or (mention.written.istitle() and not FIRST_WORD.search(before))
    ):
        return True
    at = money.index(mention)
    if in_print:
        return bool(at) and text[money[at - 1].end : mention.start] in _JOINING
    if at and are_joined(money[at - 1], mention, text):
        # A sentence whose verb it is has an article: `the dollar won`.
        return not _ARTICLE.search(text, 0, money[at - 1].start)
    gaps = [text[each.end : mention.start] for each in money[max(at - 1, 0) : at]]
    gaps += [text[mention.end : each.start] for each in money[at + 1 : at + 2]]
    return any(map(_BESIDE.fullmatch, gaps))


def names_mentioned(text: str, *, in_print: bool = False) -> tuple[NameMention, ...]:
    """All names in a text, in order, each as one kind. A country beside a currency counts as its
    currency if both have one unit (`the Australian and the New Zealand dollar`) or if a hyphen or
    slash joins them (`euro-swiss`)."""
    pairs = tuple((printed_pairs if in_print else _pairs_of_codes)(text))
    for pair in pairs:
        text = f"{text[: pair.start]}{' ' * len(pair.written)}{text[pair.end :]}"
    found = mentions(text, in_print=in_print)
    money = [each for each in found if each.is_money]
    countries = [each for each in found if each.meaning.kind is NamedAs.COUNTRY]
    sharing = {*_sharing_a_unit(text, money, countries), *_beside(text, money, countries)}
    every = (each.as_money() if each in sharing else each for each in found)
    return tuple(sorted((*pairs, *every), key=lambda each: each.start))


def printed_pairs(text: str) -> Iterator[NameMention]:
    """The pairs that a text writes with both codes in capitals: `EUR/USD`, `EURUSD`."""
    for found in _PRINTED.finditer(text):
        base, quote = found["base"] or found["one"], found["quote"] or found["other"]
        if base != quote:
            yield _pair(base, quote, found)


def written_pairs(text: str) -> Iterator[NameMention]:
    """The pairs that a text writes with both codes, in the text's order, or by a name of their own:
    `eurchf`, `eurosterling`."""
    yield from _pairs_of_codes(text)
    yield from (each for each in mentions(text, _MONEY) if each.meaning.pair)


def _pairs_of_codes(text: str) -> Iterator[NameMention]:
    for found in _WRITTEN.finditer(text):
        if found["base"].upper() != found["quote"].upper():
            yield _pair(found["base"].upper(), found["quote"].upper(), found)


def _pair(base: str, quote: str, found: re.Match[str]) -> NameMention:
    meaning = Meaning(NamedAs.CURRENCY, (base, quote), found[0], pair=f"{base}/{quote}")
    return NameMention(meaning, found[0], *found.span())


def are_joined(one: NameMention, other: NameMention, text: str) -> bool:
    """Whether two adjacent names are those of a pair: `dollar-yen`."""
    single = len(one.meaning.codes) == len(other.meaning.codes) == 1 and one.code != other.code
    return single and _JOINED.fullmatch(text, one.end, other.start) is not None


# Cached, because each reading of a question looks for them, some twice.
@lru_cache(maxsize=64)
def currency_mentions(text: str) -> tuple[NameMention, ...]:
    """The currencies that a text refers to by name or by code, in order, including those of a pair
    and those that share a unit with the next (`the Australian and the New Zealand dollar`). Codes
    of currencies for which the desk has no area count only in capitals, because some are also
    words."""
    named = [each for each in mentions(text, _MONEY) if len(each.meaning.codes) == 1]
    named += _codes_in_pairs(text)
    sharing = _sharing_a_unit(text, named, mentions(text, _OF_COUNTRIES))
    every = (*(each.as_money() for each in sharing), *named)
    return tuple(sorted(every, key=lambda each: each.start))


def _codes_in_pairs(text: str) -> Iterator[NameMention]:
    """The currencies in use of which the table has no code, beside one of which it has one:
    `usd/vnd`. Alone, many of their codes are words."""
    for found in _SLASHED.finditer(text):
        pair = [code.upper() for code in found.groups()]
        if sum(code in CODES for code in pair) == 1 and codes_in_use().issuperset(pair):
            at = int(pair[0] in CODES)
            meaning = Meaning(NamedAs.CURRENCY, (pair[at],), found[at + 1])
            yield NameMention(meaning, found[at + 1], *found.span(at + 1))


def bank_mentions(text: str) -> tuple[NameMention, ...]:
    """The central banks that a text names, in order, in any letters. An abbreviation that is also a
    word counts in lower case only after an article (`the fed`)."""
    found = mentions(text, frozenset({NamedAs.BANK}))
    return tuple(each for each in found if len(each.meaning.codes) == 1)


def country_mentions(text: str) -> tuple[NameMention, ...]:
    """The countries and central banks that a text names, in order, in any letters."""
    return tuple(each for each in mentions(text, _OF_COUNTRIES) if len(each.meaning.codes) == 1)


def countries_beside(text: str) -> tuple[NameMention, ...]:
    """The currencies that a text names by their country directly after or before another one and a
    hyphen or slash, as the market does: `euro-swiss`."""
    return tuple(
        each.as_money() for each in _beside(text, currency_mentions(text), country_mentions(text))
    )


def _beside(
    text: str, money: Sequence[NameMention], countries: Sequence[NameMention]
) -> Iterator[NameMention]:
    ends, starts = {each.end for each in money}, {each.start for each in money}
    for each in countries:
        behind = text[each.start - 1 : each.start] in _HYPHENS and each.start - 1 in ends
        before = text[each.end : each.end + 1] in _HYPHENS and each.end + 1 in starts
        if each.meaning.kind is NamedAs.COUNTRY and (behind or before):
            yield each


def _sharing_a_unit(
    text: str, money: Sequence[NameMention], countries: Sequence[NameMention]
) -> Iterator[NameMention]:
    """The countries beside a later currency of the same unit as theirs."""
    taken = {each.end for each in money}
    following = {each.start: each.code for each in money if " " in each.written}
    for country in reversed(countries if following else ()):
        beside = _BESIDE.match(text, country.end)
        code = following.get(beside.end()) if beside else None
        is_country = country.meaning.kind is NamedAs.COUNTRY and country.end not in taken
        if code and is_country and _unit(code) == _unit(country.code):
            following[country.start] = country.code
            yield country


def _unit(code: str) -> str:
    return currency_name(code).split()[-1]


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


def without_other_currencies(text: str, codes: Collection[str]) -> str:
    """Blanks each currency that is not among `codes`, so that no part of such a name is mistaken
    for one of these."""
    for mention in currency_mentions(text):
        if mention.code not in codes:
            blank = " " * (mention.end - mention.start)
            text = f"{text[: mention.start]}{blank}{text[mention.end :]}"
    return text


def with_countries_as(sign: str, text: str) -> str:
    """Replaces each country's name, and its genitive, by a placeholder."""
    for each in reversed(country_mentions(text)):
        rest = re.sub(r"^['’]s\b", "", text[each.end :])
        text = f"{text[: each.start]}{sign}{rest}"
    return text
