"""Whether a written number states a claim: in its unit, to its precision, with its sign."""

import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from enum import StrEnum
from typing import Final

from contracts.claims import Claim, Metric, Unit
from domain.figures import POSITIONS
from domain.number_reading import Measure, Sign, WrittenNumber

LEAST_DIGITS: Final = {
    Unit.LEVEL: 4,
    Unit.PERCENT: 2,
    Unit.PERCENT_A_YEAR: 2,
    Unit.BASIS_POINTS: 2,
    Unit.STANDARD_DEVIATIONS: 2,
    Unit.INDEX: 2,
    Unit.RATIO: 2,
}
"""How many significant digits must be written for a rounded figure to state a claim.

A figure that equals the claim needs no more than it has; with a word of approximation one digit
less is enough, and a level needs two. Days are counted and never rounded.
"""

LEAST_DIGITS_OF_A_ROUGH_LEVEL: Final = 2
CLOSE: Final = Decimal("0.02")
"""How near, as a share of the claim, a figure is that was perhaps meant to be it."""

UNITS: Final = {
    Measure.BARE: (Unit.LEVEL, Unit.INDEX, Unit.RATIO, Unit.COUNT),
    Measure.PERCENT: (Unit.PERCENT, Unit.PERCENT_A_YEAR, Unit.BASIS_POINTS),
    Measure.POINTS: (Unit.BASIS_POINTS,),
    Measure.BASIS_POINTS: (Unit.BASIS_POINTS,),
    Measure.DEVIATIONS: (Unit.STANDARD_DEVIATIONS,),
    Measure.DAYS: (Unit.DAYS,),
    Measure.OTHER: (),
}
"""What claims a number can state, by what it counts."""

_HUNDRED: Final = Decimal(100)
_ENOUGH: Final = 60
"""Digits enough to round any figure exactly."""

_SIGNED: Final = frozenset({Unit.PERCENT, Unit.BASIS_POINTS, Unit.STANDARD_DEVIATIONS, Unit.DAYS})


class Direction(StrEnum):
    """Which way the words around a number say that something went."""

    UP = "up"
    DOWN = "down"
    UNSAID = "unsaid"


_DOWN: Final = (
    r"fell|falls?|fallen|falling|los(?:t|es?|ing)|loss(?:es)?|drop(?:s|ped|ping)?|declin(?:e[sd]?|ing)"
    r"|slip(?:s|ped|ping)?|slid(?:es?|ing)?|plung(?:e[sd]?|ing)|weaken(?:s|ed|ing)?|weaker"
    r"|tumbl(?:e[sd]?|ing)|s[au]nk|sinks?|eas(?:e[sd]?|ing)|retreat(?:s|ed|ing)?|sheds?|shedding"
    r"|down|lower(?:s|ed|ing)?|cuts?|cutting|reduc(?:e[sd]?|ing|tion)|depreciat(?:e[sd]?|ing|ion)"
    r"|dip(?:s|ped|ping)?|decreas(?:e[sd]?|ing)|slump(?:s|ed|ing)?|soften(?:s|ed|ing)?|crash(?:ed)?"
    r"|giv(?:es|en|ing)\sup|gave\sup|pullback|setback"
)
_UP: Final = (
    r"rose|ris(?:es?|en|ing)|gain(?:s|ed|ing)?|climb(?:s|ed|ing)?|advanc(?:e[sd]?|ing)"
    r"|jump(?:s|ed|ing)?|surg(?:e[sd]?|ing)|strengthen(?:s|ed|ing)?|stronger|rall(?:y|ies|ied|ying)"
    r"|up|higher|rais(?:e[sd]?|ing)|hik(?:e[sd]?|ing)|increas(?:e[sd]?|ing)|add(?:s|ed|ing)?"
    r"|appreciat(?:e[sd]?|ing|ion)|firm(?:s|ed|ing)?|soar(?:s|ed|ing)?|spik(?:e[sd]?|ing)|leapt"
    r"|leaps?|rebound(?:s|ed|ing)?|recover(?:s|ed|ing|y)|bounc(?:e[sd]?|ing)"
)
_MOVED: Final = re.compile(rf"\b(?:(?P<down>{_DOWN})|(?P<up>{_UP}))\b", re.IGNORECASE)
_MOVE_AFTER: Final = re.compile(
    r"[\s-]*(?:\(?(?:weekly|daily|one-day|sharp|further|single|policy|rate|surprise|interest)[\s-])?"
    rf"(?:(?P<down>{_DOWN})|(?P<up>{_UP}))\b",
    re.IGNORECASE,
)
_UNMOVED: Final = re.compile(
    r"[;:]|\b(?:at|to|from|is|was|were|stands?|stood|between|near|around|remains?|remained"
    r"|now|leaving|bringing|taking|putting|above|below|beyond|through|unchanged|of)\b"
    r"(?!\s(?:about|around)\b)",
    re.IGNORECASE,
)
_OF: Final = re.compile(
    r"\sof\s(?:about\s|around\s|some\s|roughly\s|only\s|just\s)?$", re.IGNORECASE
)
_ROUGHLY: Final = re.compile(
    r"(?:\b(?:about|around|near|roughly|approximately|approx\.?|circa|ca?\.|some|close\sto)\s"
    r"|[~≈]\s?)(?:[A-Z]{0,2}[$€£¥₩]|[A-Z]{3}\s)?$",
    re.IGNORECASE,
)
_FAR: Final = 70


def direction(text: str, number: WrittenNumber, start: int) -> Direction:
    """What the words say: `fell by 1.2 %`, `a fall of 1.2 %`, `a 1.2 % fall`, `down 1.2 %`.

    A number after `to`, `at` or `from` is where something stands, whatever the verb.
    """
    behind = _MOVE_AFTER.match(text, number.end)
    if behind:
        return Direction.DOWN if behind["down"] else Direction.UP
    before = text[max(start, number.start - _FAR) : number.start]
    moved = tuple(_MOVED.finditer(before))
    if not moved:
        return Direction.UNSAID
    last = moved[-1]
    between = before[last.end() :]
    if _UNMOVED.search(between) and not _OF.fullmatch(between):
        return Direction.UNSAID
    return Direction.DOWN if last["down"] else Direction.UP


def is_rough(text: str, number: WrittenNumber) -> bool:
    """Whether a word of approximation stands before a number."""
    return _ROUGHLY.search(text[max(0, number.start - 24) : number.start]) is not None


def is_of_its_kind(claim: Claim, number: WrittenNumber) -> bool:
    """Whether a number is counted in something that the claim can be told in."""
    return claim.unit in UNITS[number.measure] and number.value is not None


def states(claim: Claim, number: WrittenNumber, said: Direction, *, rough: bool) -> bool:
    """Whether a number states a claim: its unit, its sign, and its value as far as is written."""
    if number.value is None or not is_of_its_kind(claim, number):
        return False
    value = value_in(claim, number.measure)
    return _sign_fits(claim, number.sign, said) and _value_fits(claim, value, number.value, rough)


def is_close(claim: Claim, number: WrittenNumber) -> bool:
    """Whether a number that does not state a claim may have been meant to: within two percent,
    whatever its sign."""
    if number.value is None or not is_of_its_kind(claim, number):
        return False
    value = abs(value_in(claim, number.measure))
    return abs(value - number.value) <= CLOSE * value


def value_in(claim: Claim, measure: Measure) -> Decimal:
    """A claim's value as a number of that measure would tell it: basis points as percent."""
    converts = measure in (Measure.PERCENT, Measure.POINTS)
    if claim.unit is Unit.BASIS_POINTS and converts:
        return claim.value / _HUNDRED
    return claim.value


def _sign_fits(claim: Claim, sign: Sign, said: Direction) -> bool:
    """A change may leave its sign to the words. Where something stands has its sign or is positive,
    and what rose or fell by a percentage is no rate and no place in a range."""
    if sign is Sign.EITHER or not claim.value:
        return True
    negative = claim.value < 0
    if sign is not Sign.NONE:
        return negative is (sign is Sign.MINUS)
    if claim.unit not in _SIGNED or claim.metric in POSITIONS:
        changed = said is not Direction.UNSAID and claim.unit is not Unit.LEVEL
        return not negative and not changed
    if said is Direction.UNSAID or claim.metric is Metric.DIFFERENTIAL:
        return True
    return negative is (said is Direction.DOWN)


def _value_fits(claim: Claim, value: Decimal, written: Decimal, rough: bool) -> bool:
    value = abs(value)
    if value == written:
        return True
    least = LEAST_DIGITS.get(claim.unit)
    if least is None or _significant(written) < _needed(claim.unit, least, rough):
        return False
    with localcontext() as exact:
        exact.prec = _ENOUGH
        step = Decimal(1).scaleb(_exponent(written))
        if abs(value - written) > step:
            return False
        return written in {value.quantize(step, way) for way in (ROUND_HALF_EVEN, ROUND_HALF_UP)}


def _needed(unit: Unit, least: int, rough: bool) -> int:
    if not rough:
        return least
    return LEAST_DIGITS_OF_A_ROUGH_LEVEL if unit is Unit.LEVEL else least - 1


def _significant(written: Decimal) -> int:
    """The digits that a number is written with, leading zeros apart; of 0.00 those after the
    point."""
    return -_exponent(written) if not written else len(written.as_tuple().digits)


def _exponent(written: Decimal) -> int:
    exponent = written.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
