"""The words by which topics name markets and banks, and those that mean the same or the opposite.

Light: workflows use it. Stems are those of `desk.analytics.full_text`.
"""

from collections.abc import Iterable, Mapping
from itertools import permutations
from types import MappingProxyType
from typing import Final

from desk.analytics.full_text import stem


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
