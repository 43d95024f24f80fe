"""Which rate of a central bank is meant. Light: workflows use it."""

from enum import StrEnum
from typing import Final


class Instrument(StrEnum):
    """The kinds of policy instrument that are mistaken for one another."""

    LOWER_BOUND = "lower bound of the target range"
    MIDPOINT = "midpoint of the target range"
    UPPER_BOUND = "upper bound of the target range"
    DEPOSIT = "deposit facility rate"
    REFINANCING = "main refinancing rate"
    LENDING = "lending facility rate"


_WORDS: Final = (
    ("midpoint", Instrument.MIDPOINT),
    ("mid-point", Instrument.MIDPOINT),
    ("lower", Instrument.LOWER_BOUND),
    ("upper", Instrument.UPPER_BOUND),
    ("refinancing", Instrument.REFINANCING),
    ("deposit", Instrument.DEPOSIT),
    ("lending", Instrument.LENDING),
)


def instrument_kind(name: str | None) -> Instrument | None:
    """The kind of an instrument by its name.

    None where the name says nothing that tells it from the other rates of the same bank, such as
    "policy rate" or a bank's own name for it; it is then taken to be what the other side names.
    """
    if name is None:
        return None
    lowered = name.casefold()
    return next((kind for word, kind in _WORDS if word in lowered), None)
