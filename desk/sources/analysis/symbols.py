"""Finds the markets that a text names: pairs, currencies by any name, tickers and companies."""

import re
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from desk.analytics.names.currencies import currency_name, quoted_as
from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.mentions import (
    countries_beside,
    country_mentions,
    currency_mentions,
    is_against,
    printed_pairs,
    without_other_currencies,
    written_pairs,
)
from desk.sources.ecb.rates import EURO

OTHER_CROSSES: Final = ("GBP/JPY", "AUD/JPY", "NZD/JPY", "CAD/JPY", "CHF/JPY", "AUD/NZD")
"""Pairs without the dollar and the euro that are quoted directly."""


class Company(NamedTuple):
    """A stock's name, and a pattern of its names in text."""

    name: str
    spoken: str


COMPANIES: Final[Mapping[str, Company]] = {
    "NVDA": Company("Nvidia", r"(?i:nvidia)"),
    "AMZN": Company("Amazon", r"(?i:amazon)"),
    "MSFT": Company("Microsoft", r"(?i:microsoft)"),
    "NFLX": Company("Netflix", r"(?i:netflix)"),
    "TSLA": Company("Tesla", r"(?i:tesla)"),
    "AAPL": Company("Apple", r"Apple|apple(?='s|\s(?i:stock|shares|earnings))"),
    "IBM": Company("International Business Machines", r"(?i:international\sbusiness\smachines)"),
    "GOOG": Company("Google", r"(?i:google|alphabet(?=\s(?:inc|stock|shares)|'s))"),
    "FB": Company("Facebook", r"(?i:facebook)|Meta(?:\sPlatforms)?"),
    "^GSPC": Company("S&P 500", r"(?i:S&P(?:\s?500)?|SPX|S\sand\sP\s500)"),
    "XAUUSD=X": Company("Gold, London fixing", r"(?i:gold|bullion)|XAU(?:/?USD)?"),
}


def name_of_pair(symbol: str) -> str:
    """The names of a pair's currencies: `euro / US dollar`."""
    return " / ".join(currency_name(code) for code in symbol.split("/"))


YEN: Final = "JPY"
CARRY_PAIRS: Final = ("USD/JPY", "AUD/JPY")
"""The markets for a text about the carry trade in yen that names no other market: the main funding
pair, and the usual gauge of the trade."""

CUTOFF: Final = 0.75
"""The similarity, by `difflib`, from which a word may be a misspelled name."""


_DOLLARS: Final = {
    "australian": "AUD",
    "aussie": "AUD",
    "canadian": "CAD",
    "zealand": "NZD",
    "singapore": "SGD",
}
_QUALIFIED_DOLLAR = re.compile(r"\b(?P<whose>[a-z]{5,})\s+dollars?(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;:!?()\"“”]+")
_TICKER = re.compile(r"\$?(?P<symbol>[A-Z^][A-Z0-9.^=-]{0,14})")
_CARRY = re.compile(r"\bcarr?y\b", re.IGNORECASE)


class _Mention(NamedTuple):
    """A symbol, or a currency, in a text, with the position."""

    name: str
    start: int
    end: int


def named_symbols(text: str, held: Collection[str], codes: Collection[str]) -> tuple[str, ...]:
    """The symbols that a text names, in order, each once.

    `held` are the symbols with prices, `codes` the currencies. A pair of two such currencies counts
    however it is quoted, and neither of them adds another pair. A symbol after a `$` counts whether
    it has prices or not. A country or a central bank refers to its currency if no market is named
    otherwise.
    """
    written = [*_pairs(text)]
    pairs = [pair for pair in written if {*pair.name.split("/")} <= {*codes}]
    bare = without_other_currencies(_blanked(text, written), codes)
    stocks = [*_stocks(bare, held)]
    currencies = _currencies(_blanked(bare, stocks), codes)
    if not written and not stocks and not currencies:
        named = (each for each in country_mentions(bare) if each.code in codes)
        currencies = [_Mention(each.code, each.start, each.end) for each in named]
    quoted = {code for pair in pairs for code in pair.name.split("/")}
    besides = [mention for mention in currencies if mention.name not in quoted]
    found = [*pairs, *stocks, *_usual_pairs(bare, besides)]
    ordered = [mention.name for mention in sorted(found, key=lambda mention: mention.start)]
    if not pairs and ordered == [quoted_as(DOLLAR, YEN)] and _CARRY.search(text):
        ordered += CARRY_PAIRS
    return tuple(dict.fromkeys(ordered))


def nearest_symbols(text: str, held: Collection[str], most: int) -> tuple[str, ...]:
    """The symbols with prices whose names are most similar to a word of the text, best first."""
    names: dict[str, str] = {}
    for symbol in held:
        named = COMPANIES[symbol].name if symbol in COMPANIES else name_of_pair(symbol)
        # The first symbol keeps a name: of a currency's pairs, the usual one.
        for word in (symbol.lower(), symbol.replace("/", "").lower(), *named.lower().split()):
            names.setdefault(word, symbol)
    usable = [name for name in names if len(name) > 2]
    words = [word.lower() for word in _WORD.findall(text) if len(word) > 2]
    found = (names[near] for word in words for near in get_close_matches(word, usable, 3, CUTOFF))
    return tuple(dict.fromkeys(found))[:most]


def _pairs(text: str) -> Iterator[_Mention]:
    starts: set[int] = set()
    for each in (*written_pairs(text), *printed_pairs(text)):
        if each.start not in starts:
            starts.add(each.start)
            yield _Mention("/".join(each.meaning.codes), each.start, each.end)


def _stocks(text: str, held: Collection[str]) -> Iterator[_Mention]:
    for word in _WORD.finditer(text):
        written = word[0].rstrip(".'’").removesuffix("'s").removesuffix("’s")
        ticker = _TICKER.fullmatch(written)
        if ticker and (ticker["symbol"] in held or written.startswith("$")):
            yield _Mention(ticker["symbol"], word.start(), word.start() + len(written))
    for symbol, company in COMPANIES.items():
        if symbol in held:
            for spoken in re.finditer(rf"\b(?:{company.spoken})(?!\w)", text):
                yield _Mention(symbol, spoken.start(), spoken.end())


def _currencies(text: str, codes: Collection[str]) -> list[_Mention]:
    """The currencies that a text names, by name or by code, each position once."""
    spoken = (*currency_mentions(text), *countries_beside(text))
    found = [_Mention(each.code, each.start, each.end) for each in spoken]
    found += _misspelled_dollars(text)
    chosen: list[_Mention] = []
    for mention in sorted(found, key=lambda one: (one.start, -one.end)):
        if mention.name in codes and (not chosen or mention.start >= chosen[-1].end):
            chosen.append(mention)
    return chosen


def _misspelled_dollars(text: str) -> Iterator[_Mention]:
    """`austrlian dollar`: the country of the dollar precedes it, misspelled."""
    for spoken in _QUALIFIED_DOLLAR.finditer(text):
        for whose in get_close_matches(spoken["whose"].lower(), _DOLLARS, 1, CUTOFF):
            yield _Mention(_DOLLARS[whose], *spoken.span())


def _usual_pairs(text: str, currencies: list[_Mention]) -> Iterator[_Mention]:
    """Each currency's pair with the dollar, or with the other one if it is quoted against it."""
    others = any(mention.name != DOLLAR for mention in currencies)
    at = 0
    while at < len(currencies):
        one = currencies[at]
        other = currencies[at + 1] if at + 1 < len(currencies) else None
        at += 1
        if other and one.name != other.name and is_against(text[one.end : other.start]):
            yield _Mention(quoted_as(one.name, other.name), one.start, other.end)
            at += 1
        elif one.name == DOLLAR:
            # The dollar alone means its rate against the euro. Beside others, it is in their pairs.
            if not others:
                yield _Mention(quoted_as(DOLLAR, EURO), one.start, one.end)
        else:
            yield _Mention(quoted_as(DOLLAR, one.name), one.start, one.end)


def _blanked(text: str, mentions: list[_Mention]) -> str:
    for mention in mentions:
        blank = " " * (mention.end - mention.start)
        text = text[: mention.start] + blank + text[mention.end :]
    return text
