"""The quotation of pairs: which currency is the base, for how many units, and which number of a
text is a level of one."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from desk.analytics.names.aliases import LEVELS_CALLED
from desk.contracts.findings.claims import Metric, Unit

PLAIN_DISAGREEMENT: Final = Decimal("1.05")
"""Levels closer than this factor disagree plainly: no reversal or scale explains them."""

QUOTED_FOR_MANY: Final = frozenset({"JPY", "KRW", "IDR", "INR", "THB", "PHP"})
"""Currencies that are also quoted for 100 or 1000 units."""

LEAST_DIGITS: Final = 4

MOST_TIMES: Final = 2
"""By how much a number may differ from a pair's fixing to be meant as a level of it."""

NUMBER: Final = re.compile(
    r"(?<![\w.,/&-])\d[\d,]*(?:\.\d+)?(?![\w/-]|[.,]\d|\s?%)"
    rf"|\b(?:{'|'.join(map(re.escape, LEVELS_CALLED))})\b",
    re.IGNORECASE,
)
"""A number as a text writes it, or what the market calls one. A percentage is no level."""

_HUNDREDTHS: Final = Decimal(100)
_LEVEL_POWERS: Final = (2, 3, -2, -3)
_PERCENT_POWERS: Final = (2, -2)
_PERCENTAGES: Final = frozenset({Unit.PERCENT, Unit.PERCENT_A_YEAR, Unit.BASIS_POINTS})

_REVERSED: Final = {
    Metric.LAST: Metric.LAST,
    Metric.PREVIOUS: Metric.PREVIOUS,
    Metric.WINDOW_HIGH: Metric.WINDOW_LOW,
    Metric.WINDOW_LOW: Metric.WINDOW_HIGH,
    Metric.YEAR_HIGH: Metric.YEAR_LOW,
    Metric.YEAR_LOW: Metric.YEAR_HIGH,
    Metric.TARGET: Metric.TARGET,
    Metric.EXPECTED_LOW: Metric.EXPECTED_HIGH,
    Metric.EXPECTED_HIGH: Metric.EXPECTED_LOW,
}
_NEGATED: Final = frozenset(
    {
        Metric.STREAK,
        Metric.DIFFERENTIAL,
        Metric.YIELD_DIFFERENTIAL,
        Metric.YIELD_DIFFERENTIAL_CHANGE,
        Metric.WEEK_STREAK,
    }
)


def reversed_pair(subject: str) -> str | None:
    """The pair quoted the other way round. None if it is not a pair."""
    base, slash, quote = subject.partition("/")
    return f"{quote}/{base}" if slash else None


def reversed_statement(metric: Metric, value: Decimal) -> tuple[Metric, Decimal] | None:
    """The equivalent figure of the reversed pair. None if there is none."""
    if metric in _REVERSED:
        return (_REVERSED[metric], reciprocal(value)) if value > 0 else None
    if metric in _NEGATED:
        return metric, -value
    if metric is Metric.MOVE and value > -100:
        turned = (100 / (100 + value) - 1) * 100
        return metric, turned.quantize(value)
    return None


def reciprocal(value: Decimal) -> Decimal:
    """One over a level, with one significant digit less than the level, and at least four: the last
    digit of a rounded level is lost in the division."""
    digits = max(LEAST_DIGITS, len(value.as_tuple().digits) - 1)
    turned = 1 / value
    return turned.quantize(Decimal(1).scaleb(turned.adjusted() - digits + 1))


def far_apart(one: Decimal, other: Decimal) -> bool:
    """Whether two levels differ by more than any two quotes of one pair."""
    low, high = sorted((one, other))
    return low > 0 and high / low > PLAIN_DISAGREEMENT


def scale_powers(unit: Unit, subject: str) -> tuple[int, ...]:
    """The powers of ten by which figures of a subject may be off."""
    if unit is Unit.LEVEL:
        return _LEVEL_POWERS if QUOTED_FOR_MANY.intersection(subject.split("/")) else ()
    return _PERCENT_POWERS if unit in _PERCENTAGES else ()


def numbers_in(words: str) -> tuple[str, ...]:
    """The numbers of a text as they are written; of a date it is to be rid of first."""
    return tuple(NUMBER.findall(words))


def level_meant(written: Sequence[str], last: Decimal) -> Decimal | None:
    """Of some written numbers the one that may be a level of a pair with this last fixing, or else
    the one that may be so in hundredths, such as 72 of a dollar. A comma groups digits, or begins
    the decimals. None where several may be."""
    called = [LEVELS_CALLED.get(each.casefold(), each) for each in written]
    read = (each.replace(",", sign) for each in called for sign in ("", "."))
    told = {Decimal(each) for each in read if each.count(".") < 2}
    for unit in (1, _HUNDREDTHS):
        levels = [n / unit for n in told if last / MOST_TIMES <= n / unit <= last * MOST_TIMES]
        if levels:
            return levels[0] if len(levels) == 1 else None
    return None
