"""What views and findings are about, by one name where they mean one thing.

Light: workflows use it.

Within the research on a market, words that name the market are the market: `yen`, `JPY`, `USDJPY`
and `the dollar-yen exchange rate` are all USD/JPY. Those that name its other side are turned: a
stronger yen is a lower USD/JPY. All other words mean one thing when the same markets and banks are
named in them, the same numbers stand in them, no two of their words are opposites, and their stems
overlap by `ALIKE` or more. docs/method.md says the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.analytics.full_text import is_function_word, stem
from desk.analytics.names.quotation import reversed_pair
from desk.contracts.markets import AREA_PATTERN, PAIR_PATTERN


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CURRENCIES: Final = {
    "USD": "dollar|us dollar|greenback|buck|usd",
    "EUR": "euro|single currency|eur",
    "JPY": "yen|japanese yen|jpy",
    "GBP": "sterling|pound|pound sterling|british pound|cable|gbp",
    "CHF": "franc|swiss franc|swissie|chf",
    "AUD": "aussie|aussie dollar|australian dollar|aud",
    "NZD": "kiwi|kiwi dollar|new zealand dollar|nzd",
    "CAD": "loonie|canadian dollar|cad",
    "SEK": "krona|swedish krona|sek",
    "NOK": "krone|norwegian krone|nok",
    "CNY": "yuan|chinese yuan|renminbi|cny|cnh",
    "HKD": "hong kong dollar|hkd",
    "SGD": "singapore dollar|sgd",
    "KRW": "won|korean won|south korean won|krw",
    "INR": "rupee|indian rupee|inr",
    "IDR": "rupiah|indonesian rupiah|idr",
    "THB": "baht|thai baht|thb",
    "MYR": "ringgit|malaysian ringgit|myr",
    "PHP": "peso|philippine peso|php",
    "TWD": "taiwan dollar|twd",
}

_STOCKS: Final = {
    "NVDA": "nvda|nvidia",
    "AAPL": "aapl|apple",
    "GOOG": "goog|googl|google|alphabet",
    "IBM": "ibm",
    "MSFT": "msft|microsoft",
    "AMZN": "amzn|amazon",
    "META": "meta|facebook",
    "TSLA": "tsla|tesla",
    "^GSPC": "gspc|s&p|s&p 500|spx",
}

_BANKS: Final = {
    "US": "fed|federal reserve|fomc|us",
    "XM": "ecb|european central bank|euro area|euro zone|eurozone",
    "JP": "boj|bank of japan|japan|japanese",
    "GB": "boe|bank of england|uk|british",
    "CH": "snb|swiss national bank|switzerland|swiss",
    "AU": "rba|reserve bank of australia|australia|australian",
    "NZ": "rbnz|reserve bank of new zealand|new zealand",
    "CA": "boc|bank of canada|canada|canadian",
    "SE": "riksbank|sweden|swedish",
    "NO": "norges bank|norway|norwegian",
    "CN": "pboc|people's bank of china|china|chinese",
    "HK": "hkma|hong kong monetary authority|hong kong",
    "SG": "monetary authority of singapore|singapore",
    "KR": "bok|bank of korea|korea|korean",
    "IN": "rbi|reserve bank of india|india|indian",
    "ID": "bank indonesia|indonesia|indonesian",
    "TH": "bank of thailand|thailand|thai",
    "MY": "bnm|bank negara malaysia|malaysia|malaysian",
    "PH": "bsp|bangko sentral ng pilipinas|philippines|philippine",
    "TW": "taiwan|taiwanese",
}

NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        phrase: code
        for table in (_BANKS, _STOCKS, _CURRENCIES)
        for code, phrases in table.items()
        for phrase in phrases.split("|")
    }
)
"""What a phrase names, in small letters: a currency, a stock, or the area of a bank."""

LONGEST_NAME: Final = max(len(phrase.split()) for phrase in NAMES)

FILLERS: Final = _words(
    "exchange rate spot fx forex currency pair price level outlook direction trend strength"
    " appreciation rally stock stocks share shares equity inc corp corporation company index view"
    " forecast versus vs against"
)
"""Words that add nothing to the name of a market: a view of its strength is one of the market."""

WEAKER: Final = _words("weakness depreciation decline fall selloff weak weaker")
"""Words that turn what is said of a market round."""

FOR_POLICY: Final = _words("policy monetary stance rate rates interest decision central bank")
"""Words that add nothing to the name of a bank."""


def _of_groups(*groups: str) -> Mapping[str, str]:
    cut = [[stem(word) for word in group.split()] for group in groups]
    return MappingProxyType({each: group[0] for group in cut for each in group})


def _of_pairs(*pairs: str) -> Mapping[str, frozenset[str]]:
    return MappingProxyType(_against(stems(pair) for pair in pairs))


def stems(words: str) -> tuple[str, ...]:
    """Words as they are compared."""
    return tuple(SYNONYMS.get(cut, cut) for cut in map(stem, words.split()))


def _against(pairs: Iterable[tuple[str, ...]]) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in pairs:
        for one, other in permutations(pair, 2):
            found[one] = found.get(one, frozenset()) | {other}
    return found


SYNONYMS: Final = _of_groups(
    "rate yield interest",
    "differential gap spread",
    "tone sentiment mood",
    "appetite tolerance",
    "unwind unwinding liquidation",
    "volatility vol",
    "seasonality seasonal season",
    "momentum trend",
    "earnings profit",
    "revenue sales turnover",
    "valuation multiple",
    "inflation cpi",
    "intervention intervene",
    "positioning position",
    "headline news",
    "employment job payroll",
)
"""What a stem stands for, where several mean one thing."""

OPPOSITES: Final = _of_pairs(
    "implied realised",
    "appetite aversion",
    "import export",
    "long short",
    "core headline",
    "buy sell",
    "call put",
    "support resistance",
    "monthly weekly yearly daily quarterly",
    "nominal real",
)
"""Stems that keep two topics apart that are alike in all else."""


ALIKE: Final = 0.6
"""The share that two sets of stems have in common, of all stems in either."""

LONGEST_TOPIC: Final = 80

_TOKEN: Final = re.compile(r"[^\W_]+(?:['’&.][^\W_]+)*")
_YAHOO: Final = re.compile(r"=X\b", re.IGNORECASE)
_EXACT: Final = re.compile(rf"(?:{PAIR_PATTERN}|{AREA_PATTERN})")


class Topic(NamedTuple):
    """What words are about, by the name that it goes by, and whether they are of its other side."""

    subject: str
    turned: bool = False


class _Meaning(NamedTuple):
    """What stands in some words: currencies, stocks and banks in their order, and the rest."""

    names: tuple[str, ...]
    rest: tuple[str, ...]


def topics(written: Iterable[str], market: str) -> dict[str, Topic]:
    """The topic of each of the words that go with a market; their order does not matter.

    What is a pair or an area letter by letter, and another market than this, is its own topic.
    """
    words = sorted(set(written), key=lambda each: (len(each), each))
    named = {each: topic for each in words if (topic := topic_named(each, market)) is not None}
    groups: list[list[str]] = []
    for each in words:
        if each in named:
            continue
        like = (group for group in groups if all(alike(each, other, market) for other in group))
        group = next(like, None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
    free = {each: Topic(_plain(group[0])) for group in groups for each in group}
    return {**named, **free}


def topic_named(words: str, market: str) -> Topic | None:
    """The market or the bank that words name and say no more of; None where they say more."""
    if words == market:
        return Topic(market)
    if reversed_pair(words) == market:
        return Topic(market, turned=True)
    if _EXACT.fullmatch(words):
        return Topic(words)
    meaning = _read(words, market)
    sides = tuple(market.split("/"))
    if meaning.names and set(meaning.names) <= set(sides):
        weaker = sum(word in WEAKER for word in meaning.rest)
        if all(word in FILLERS or word in WEAKER for word in meaning.rest):
            other_side = meaning.names[0] != sides[0]
            return Topic(market, turned=other_side is not bool(weaker % 2))
    return _bank_named(meaning)


def alike(one: str, other: str, market: str = "") -> bool:
    """Whether two topics that name no market alone mean one thing."""
    first, second = _read(one, market), _read(other, market)
    own = set(market.split("/"))
    if set(first.names) - own != set(second.names) - own:
        return False
    stems, others = _stems(first.rest), _stems(second.rest)
    if _numbers(stems) != _numbers(others) or _opposed(stems - others, others - stems):
        return False
    either, both = stems | others, stems & others
    return not either or len(both) >= ALIKE * len(either)


def _bank_named(meaning: _Meaning) -> Topic | None:
    areas = {name for name in meaning.names if len(name) == len("JP")}
    if len(areas) != 1 or areas != set(meaning.names):
        return None
    if all(word in FILLERS or word in FOR_POLICY for word in meaning.rest):
        return Topic(areas.pop())
    return None


@lru_cache(maxsize=2_000)
def _read(words: str, market: str) -> _Meaning:
    tokens = _TOKEN.findall(_YAHOO.sub("", words))
    names: list[str] = []
    rest: list[str] = []
    at = 0
    while at < len(tokens):
        found, taken = _name_at(tokens, at, market)
        names += found
        if not found and (tokens[at].lower() in WEAKER or not is_function_word(tokens[at])):
            rest.append(tokens[at].lower())
        at += taken
    return _Meaning(tuple(dict.fromkeys(names)), tuple(rest))


def _name_at(tokens: Sequence[str], at: int, market: str) -> tuple[tuple[str, ...], int]:
    """What the tokens from a place on name, the longest name first, and how many of them do."""
    for length in range(min(LONGEST_NAME, len(tokens) - at), 0, -1):
        name = NAMES.get(" ".join(tokens[at : at + length]).lower())
        if name is not None:
            return (name,), length
    token = tokens[at]
    if token in market.lstrip("^").split("/"):
        return (market if "/" not in market else token,), 1
    halves = (NAMES.get(token[:3].lower()), NAMES.get(token[3:].lower()))
    if len(token) == len("USDJPY") and None not in halves:
        return tuple(half for half in halves if half is not None), 1
    return (), 1


def _stems(words: Iterable[str]) -> frozenset[str]:
    cut = (stem(word) for word in words if word not in FILLERS)
    return frozenset(SYNONYMS.get(each, each) for each in cut)


def _numbers(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(each for each in stems if any(sign.isdigit() for sign in each))


def _opposed(stems: Iterable[str], others: frozenset[str]) -> bool:
    return any(not OPPOSITES.get(each, frozenset()).isdisjoint(others) for each in stems)


def _plain(words: str) -> str:
    """A topic as an id can hold it."""
    plain = " ".join(_TOKEN.findall(words))[:LONGEST_TOPIC].strip()
    return plain or "unnamed"
