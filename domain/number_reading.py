"""Numbers as people write them: where they stand, what they are worth, what they count.

`1,309.22`, `1'309.22`, `1 309,22`, `(1.2) %`, `minus 0.5 %`, `4¼ %`, `1.5bn`, `25 basis points`,
`three percent`. Whether a number is a figure of a market is not decided here.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import Final

from domain.number_words import changes_a_rate, read_number_words
from domain.spoken_levels import read_spoken_levels

LONGEST_LINK: Final = 5
"""How far apart the two ends of a range stand at most."""

MOST_DIGITS: Final = 24
"""A number with more digits than `contracts.base.Figure` holds has no value that is read."""


class Measure(StrEnum):
    """What a written number counts, as its unit says."""

    BARE = "bare"
    """No unit, or a currency: a level."""
    PERCENT = "percent"
    POINTS = "percentage_points"
    BASIS_POINTS = "basis_points"
    DEVIATIONS = "standard_deviations"
    DAYS = "days"
    OTHER = "other"
    """Pips, points of an index, multiples: nothing that a claim is counted in."""


class Sign(StrEnum):
    """How a number's sign is written. `either`: brackets, which may mean a minus."""

    NONE = "none"
    PLUS = "plus"
    MINUS = "minus"
    EITHER = "either"


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number in a text.

    `start` and `end` bound what a reference replaces: sign, number and unit, but no currency.
    `written_at` is where the whole begins, currency included, and `digits_at` where the digits
    do. `value` is without its sign, at the precision that is written; None where it cannot be
    read with certainty. `spelled`: in words. `linked`: it forms a range with the number after
    it. `scale`: the power of ten of its million or billion.
    """

    start: int
    end: int
    digits_at: int
    written_at: int
    value: Decimal | None
    sign: Sign
    measure: Measure
    spelled: bool = False
    linked: bool = False
    scale: int = 0


_SAME: Final = {
    **dict.fromkeys("−－﹣‑‐", "-"),
    **dict.fromkeys("’‘", "'"),
    **dict.fromkeys("～〜", "~"),
    **dict.fromkeys("\u2009\u202f\u2007\u2008", "\u00a0"),
    **dict(zip("％．，＋（）￥＄：／\u3000٫٬٪", "%.,+()¥$:/ .,%", strict=True)),
}
_RAISED: Final = re.compile(r"[⁰¹²³⁴-⁹]{3,}|[₀-₉]{3,}")

_NUMBER: Final = re.compile(
    r"""(?<!\d)(?:
      (?P<grouped>[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)(?!\d)
    | (?P<apostrophe>[1-9]\d{0,2}(?:'\d{3})+(?:[.,]\d+)?)(?!\d)
    | (?P<spaced>[1-9]\d{0,2}(?:(?:\u00a0\d{3})+(?:[.,]\d+)?|(?:\ \d{3})+,\d{1,2}))(?!\d)
    | (?P<apart>(?<![\w.,'/:])(?<![A-Za-z]-)(?<!(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec
      |ary|rch|ril|une|uly|ber|day|eek)\s)(?<!gust\s)[1-9]\d{0,2}(?:\ \d{3})+)
      (?![\w/:']|-[A-Za-z]|[.,]\d|\s?%)
    | (?P<continental>[1-9]\d{0,2}(?:\.\d{3})+,\d{1,2}|[1-9]\d{0,2}(?:\.\d{3}){2,})(?!\d)
    | (?P<comma>(?<!\d,)\d+,(?:\d{1,2}|\d{4,})|0,\d{3})(?![\d]|,\d)
    | (?P<ratio>\d{1,2}/(?:2|4|8|16|32))(?![\d/])
    | (?P<plain>\d+(?:\.\d+)?|(?<![.\d])\.\d+)
    | (?P<vulgar>[¼½¾⅛⅜⅝⅞⅓⅔])
    )""",
    re.VERBOSE,
)
_FRACTION: Final = re.compile(r"[\s-]?(?P<n>\d{1,2})/(?P<d>2|4|8|16|32)(?![\d/])|\s?([¼½¾⅛⅜⅝⅞⅓⅔])")
_VULGAR: Final = {
    **dict(zip("¼½¾", map(Decimal, ("0.25", "0.5", "0.75")), strict=True)),
    **dict(zip("⅛⅜⅝⅞", map(Decimal, ("0.125", "0.375", "0.625", "0.875")), strict=True)),
}
_SCALE: Final = re.compile(
    r"\s?(?:(?P<k>thousand\b)|(?P<m>million\b|mln\b|mn\b)|(?P<b>billion\b|bn\b)"
    r"|(?P<t>trillion\b|trn\b|tn\b)|(?P<x>crore\b|lakh\b|[万億兆亿]))"
    r"|(?:(?P<ka>k)|(?P<ma>m)|(?P<ba>b))(?![a-z\d])",
    re.IGNORECASE,
)
_POWERS: Final = {"k": 3, "m": 6, "b": 9, "t": 12, "ka": 3, "ma": 6, "ba": 9}
_UNIT: Final = re.compile(
    r"[\s-]{0,2}(?:(?:of\sa(?:\sfull)?\s)?"
    r"(?:(?P<percentage_points>(?:%|per\s?cent(?:age)?)[\s-]?points?\b|ppts?\b|pp\b)"
    r"|(?P<basis_points>bps?\b|bips\b|basis[\s-]points?\b)"
    r"|(?P<percent>%|per\s?cent\b|pct\b|pc\b)"
    r"|(?P<standard_deviations>σ|sigmas?\b|standard[\s-]deviations?\b|std\.?\s?devs?\b|sd\b)"
    r"|(?P<days>(?:(?:st|nd|rd|th)[\s-])?(?:(?:trading|business|straight|consecutive|successive)\s){0,2}"
    r"(?:days?|sessions?|fixings?)\b)"
    r"|(?P<point>points?\b)|(?P<other>pips?\b|big\sfigures?\b|cents?\b|‰|x\b|times\b|(?:st|nd|rd|th)[\s-](?:(?:per)?centile|decile)\b"
    r"|(?:week|month|year)s?\b)))",
    re.IGNORECASE,
)
_CURRENCY: Final = re.compile(r"(?:[A-Z]{0,2}[$€£¥₩₹₱฿₫₽₺]|\b(?:Rp|RM|Rs|kr)\.?)\s?$")
_SPELLED_SIGN: Final = re.compile(r"\b(?:(?P<plus>plus)|minus|negative)\s$", re.IGNORECASE)
_SCORE: Final = re.compile(r"z-?scores?(?:\s(?:of|at|is|was))?:?\s\(?[+-]?$", re.IGNORECASE)
_LINK: Final = re.compile(r"\s?(?:-|–|—|~|/|to|and)\s?|\s-", re.IGNORECASE)
_SMALL: Final = Decimal(10)
_QUARTER: Final = Decimal("0.25")
_WIDEST_RANGE: Final = 20
_STEP: Final = Decimal(5)
_LARGEST_CHANGE: Final = Decimal(200)
"""Rates are changed by multiples of five basis points, and seldom by more than two hundred."""


def plain(prose: str) -> str:
    """The text with every digit, sign and blank in its ASCII form, place for place.

    White space that groups digits stays apart from other white space.
    """
    if prose.isascii():
        return prose
    text = "".join(_plain(sign) for sign in prose)
    return _RAISED.sub(lambda run: "".join(map(_digit, run[0])), text)


def _plain(sign: str) -> str:
    if sign.isascii():
        return sign
    return str(unicodedata.decimal(sign)) if sign.isdecimal() else _SAME.get(sign, sign)


def _digit(sign: str) -> str:
    return str(unicodedata.digit(sign))


def read_numbers(text: str) -> tuple[WrittenNumber, ...]:
    """Every number of a text in its `plain` form, in order, ranges linked."""
    found = sorted((*_in_digits(text), *_in_words(text)), key=lambda number: number.digits_at)
    numbers: list[WrittenNumber] = []
    for number in reversed(_apart(found)):
        following = numbers[-1] if numbers else None
        numbers.append(_joined(text, number, following) if following else number)
    return tuple(reversed(numbers))


def _apart(found: list[WrittenNumber]) -> list[WrittenNumber]:
    """Without those that stand within the one before."""
    kept: list[WrittenNumber] = []
    for number in found:
        if not kept or number.digits_at >= kept[-1].end:
            kept.append(number)
    return kept


def _in_digits(text: str) -> Iterator[WrittenNumber]:
    place = 0
    while found := _NUMBER.search(text, place):
        value, end = _with_fraction(text, found)
        yield _written(text, found.start(), end, value)
        place = end


def _in_words(text: str) -> Iterator[WrittenNumber]:
    for spelled in read_number_words(text):
        number = _written(text, spelled.start, spelled.end, spelled.value)
        of_rates = spelled.of_rates and number.measure is Measure.OTHER
        measure = Measure.POINTS if of_rates else number.measure
        yield replace(number, spelled=True, measure=measure)
    for start, end in read_spoken_levels(text):
        yield replace(_written(text, start, end, None), spelled=True)


def _with_fraction(text: str, found: re.Match[str]) -> tuple[Decimal | None, int]:
    value = _value(found)
    behind = _FRACTION.match(text, found.end()) if found["plain"] or found["grouped"] else None
    if behind is None or "." in found[0]:
        return value, found.end()
    part = Decimal(behind["n"]) / int(behind["d"]) if behind["n"] else _VULGAR.get(behind[3])
    return None if value is None or part is None else value + part, behind.end()


def _value(found: re.Match[str]) -> Decimal | None:
    kind = found.lastgroup
    if kind == "vulgar":
        return _VULGAR.get(found[0])
    if kind == "ratio":
        above, below = found[0].split("/")
        return Decimal(above) / int(below)
    digits = re.sub(r"[\s']", "", found[0])
    if kind == "grouped":
        digits = digits.replace(",", "")
    elif kind == "continental":
        digits = digits.replace(".", "")
    digits = digits.replace(",", ".")
    return Decimal(digits) if len(digits) <= MOST_DIGITS else None


def _written(text: str, start: int, end: int, value: Decimal | None) -> WrittenNumber:
    first = _before_currency(text, start)
    after, scale, known = _scaled(text, start, end)
    sign, from_sign = _sign(text, first)
    measure, to_unit = _measure(text, start, after, value)
    if text[first - 1 : first] == "(" and text[after : after + 1] == ")" and sign is Sign.NONE:
        sign, from_sign, measure, to_unit = _bracketed(text, first, after, measure, to_unit)
    elif text[first - 1 : first] == "(" and text[to_unit : to_unit + 1] == ")":
        sign = Sign.EITHER if sign is Sign.NONE else sign
    return WrittenNumber(
        start=from_sign if from_sign < first or first == start else start,
        end=to_unit,
        digits_at=start,
        written_at=min(from_sign, first),
        value=value.scaleb(scale) if value is not None and known else None,
        sign=sign,
        measure=measure,
        scale=scale,
    )


def _before_currency(text: str, start: int) -> int:
    sign = _CURRENCY.search(text[max(0, start - 6) : start])
    return start - len(sign[0]) if sign else start


def _scaled(text: str, start: int, end: int) -> tuple[int, int, bool]:
    """Where a number with its million ends, the power of ten, and whether that is certain."""
    found = _SCALE.match(text, end)
    if found is None:
        return end, 0, text[max(0, start - 1) : start] != "±"
    return found.end(), _POWERS.get(found.lastgroup or "", 0), found.lastgroup != "x"


def _sign(text: str, first: int) -> tuple[Sign, int]:
    """The sign before a number, and where it begins. A dash after a figure or word is none."""
    word = _SPELLED_SIGN.search(text[max(0, first - 10) : first])
    if word:
        return (Sign.PLUS if word["plus"] else Sign.MINUS), first - len(word[0])
    mark = text[first - 1 : first]
    if mark not in ("-", "+", "–") or not mark:
        return Sign.NONE, first
    before = text[: first - 1][-8:]
    if before[-1:].isalnum() or before[-1:] in ("%", "]", ")", "\ufffc"):
        return Sign.NONE, first
    if mark != "+" and before.rstrip()[-1:] and before.rstrip()[-1] in "0123456789%":
        return Sign.NONE, first
    return (Sign.PLUS if mark == "+" else Sign.MINUS), first - 1


def _measure(text: str, start: int, after: int, value: Decimal | None) -> tuple[Measure, int]:
    """What is counted, and where its name ends."""
    found = _UNIT.match(text, after)
    if found is None or found.lastgroup is None:
        score = _SCORE.search(text[max(0, start - 20) : start])
        return (Measure.DEVIATIONS if score else _unsaid(text, start, after, value)), after
    if found.lastgroup == "point":
        quarters = value is not None and value < _SMALL and value % 1 and not value % _QUARTER
        return (Measure.POINTS if quarters else Measure.OTHER), found.end()
    return Measure(found.lastgroup), found.end()


def _unsaid(text: str, start: int, after: int, value: Decimal | None) -> Measure:
    """What a number without a unit counts: `cut 1/4` points and `cut by 50` basis points, as rates
    are spoken of, and otherwise a level."""
    if "/" in text[start:after]:
        return Measure.POINTS if changes_a_rate(text, start, after, by=False) else Measure.BARE
    stepwise = value is not None and not value % _STEP and _STEP < value <= _LARGEST_CHANGE
    told = stepwise and changes_a_rate(text, start, after)
    return Measure.BASIS_POINTS if told else Measure.BARE


def _bracketed(
    text: str, first: int, after: int, measure: Measure, to_unit: int
) -> tuple[Sign, int, Measure, int]:
    """A number alone in brackets, as `(1.2)` or `(1.2) %`: the unit stands behind them."""
    found = _UNIT.match(text, after + 1)
    if found is None or found.lastgroup in (None, "point", "days", "other"):
        return Sign.EITHER, first, measure, to_unit
    return Sign.EITHER, first - 1, Measure(found.lastgroup), found.end()


def _alike(one: WrittenNumber, other: WrittenNumber) -> bool:
    """Whether two numbers are of a size that could be two ends of a range."""
    if not one.value or not other.value:
        return True
    low, high = sorted((one.value.scaleb(-one.scale), other.value.scaleb(-other.scale)))
    return high < _WIDEST_RANGE * low


def _joined(text: str, number: WrittenNumber, following: WrittenNumber) -> WrittenNumber:
    """A number with the unit and scale that it shares with the end of its range."""
    between = text[number.end : following.start]
    if len(between) > LONGEST_LINK or not _LINK.fullmatch(between):
        return number
    before = text[max(0, number.start - 14) : number.start]
    if between.strip().lower() == "and" and "etween" not in before:
        return number
    if not _alike(number, following):
        return number
    if number.measure is not Measure.BARE:
        return replace(number, linked=number.measure is following.measure)
    scale = following.scale if not number.scale else 0
    value = number.value.scaleb(scale) if number.value is not None else None
    return replace(
        number, linked=True, measure=following.measure, value=value, scale=scale or number.scale
    )
