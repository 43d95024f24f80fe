"""Which subjects a sentence names: pairs, banks, areas and currencies, as they are written."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.analytics.names.currencies import names_of
from desk.analytics.names.markets import AREAS, DOLLAR

_AREAS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "US": r"US|U\.S\.|United\sStates",
        "XM": r"[Ee]uro\s?(?:area|zone)",
        "JP": r"Japan(?:ese)?|JP",
        "GB": r"UK|U\.K\.|Britain|British|GB",
        "CH": r"Switzerland|Swiss|CH",
        "AU": r"Australian?|AU",
        "NZ": r"New\sZealand|NZ",
        "CA": r"Canad(?:a|ian)|CA",
        "SE": r"Sweden|Swedish|SE",
        "NO": r"Norway|Norwegian",
        "CN": r"China|Chinese|CN",
        "HK": r"Hong\sKong|HK",
        "SG": r"Singapore|SG",
        "KR": r"Korean?|KR",
        "IN": r"Indian?",
        "ID": r"Indonesian?",
        "TH": r"Thai(?:land)?|TH",
        "MY": r"Malaysian?|MY",
        "PH": r"Philippines?|PH",
        "TW": r"Taiwan(?:ese)?|TW",
    }
)
_CURRENCY_CODES: Final = tuple(code for code in AREAS if code != DOLLAR)


def _written(names: Iterable[str]) -> str:
    return "|".join(re.escape(name).replace(r"\ ", r"\s") for name in names)


def _currency(code: str) -> str:
    return rf"(?i:{_written(names_of(code))})|{code}"


_BANKS: Final = {
    area: _written((bank.name, *bank.also_called)) for area, bank in CENTRAL_BANKS.items()
}


_CURRENCIES: Final = {code: _currency(code) for code in _CURRENCY_CODES} | {
    "KRW": rf"[Tt]he\swon|{_currency('KRW')}"
}
_PAIR: Final = re.compile(r"\b(?P<base>[A-Z]{3})/(?P<quote>[A-Z]{3})\b")
_CODES: Final = "|".join(AREAS)
_JOINED: Final = re.compile(rf"\b(?P<base>{_CODES})-?(?P<quote>{_CODES})\b")


def _any_of(names: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(f"(?P<{k}>{v})" for k, v in names.items()) + r")(?!\w)")


_BANK: Final = _any_of(_BANKS)
_AREA: Final = _any_of(_AREAS)
_CURRENCY: Final = _any_of(_CURRENCIES)
_SPOKEN: Final = _any_of({**_CURRENCIES, DOLLAR: _currency(DOLLAR)})
_BESIDE: Final = re.compile(
    r"\b(?:against|versus|vs\.?|over|to|per|with)\s(?:the\s)?$", re.IGNORECASE
)


class Naming(NamedTuple):
    """A pair or a bank that a sentence names in so many words, and where."""

    subject: str
    start: int


def namings(sentence: str) -> tuple[Naming, ...]:
    """The pairs and banks that a sentence names, in order: whose figure is told is one of them."""
    found = [
        *(Naming(f"{m['base']}/{m['quote']}", m.start()) for m in _PAIR.finditer(sentence)),
        *(Naming(f"{m['base']}/{m['quote']}", m.start()) for m in _JOINED.finditer(sentence)),
        *(Naming(m.lastgroup or "", m.start()) for m in _BANK.finditer(sentence)),
    ]
    return tuple(sorted(found, key=lambda naming: naming.start))


def named_subjects(
    sentence: str, subjects: Iterable[str], named: Iterable[Naming]
) -> frozenset[str]:
    """Those of the subjects that a sentence names, the areas and currencies by any name."""
    exact = {naming.subject for naming in named}
    areas = {m.lastgroup for m in _AREA.finditer(sentence)}
    currencies = {m.lastgroup for m in _CURRENCY.finditer(sentence)}

    def is_named(subject: str) -> bool:
        if subject in exact:
            return True
        if "/" not in subject:
            return subject in areas
        return not currencies.isdisjoint(subject.split("/"))

    return frozenset(filter(is_named, subjects))


def currencies_named(text: str) -> tuple[str, ...]:
    """The currencies that a text speaks of by name, in order, pairs and those beside another
    (`against the yen`) left out."""
    bare = _JOINED.sub(lambda m: " " * len(m[0]), _PAIR.sub(lambda m: " " * len(m[0]), text))
    return tuple(
        found.lastgroup or ""
        for found in _SPOKEN.finditer(bare)
        if not _BESIDE.search(bare[: found.start()])
    )
