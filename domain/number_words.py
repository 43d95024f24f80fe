"""Numbers in English words: `three percent`, `a quarter point`, `one hundred and fifty yen`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final, NamedTuple

_BELOW_TWENTY: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_UNITS: Final = _BELOW_TWENTY.split()
_VALUES: Final = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), start=2)},
    "dozen": 12,
}
_MULTIPLIERS: Final = {"hundred": 100, "thousand": 1_000}
_DIGITS: Final = frozenset(_UNITS[1:10])
_COUNT: Final = re.compile(
    rf"(?:{'|'.join(_UNITS[1:])})\s(?=(?:{'|'.join(_TENS.split())})(?:-\w+)?$)", re.IGNORECASE
)
_FRACTIONS: Final = {
    "half": Decimal("0.5"),
    "halves": Decimal("0.5"),
    "quarter": Decimal("0.25"),
    "quarters": Decimal("0.25"),
    "fifth": Decimal("0.2"),
    "eighth": Decimal("0.125"),
    "eighths": Decimal("0.125"),
    "tenth": Decimal("0.1"),
    "tenths": Decimal("0.1"),
    "third": None,
    "thirds": None,
}
"""Parts of one; None where decimals cannot write them."""

_WORD: Final = "(?:" + "|".join((*_VALUES, *_MULTIPLIERS)) + ")"
_PART: Final = "(?:" + "|".join(_FRACTIONS) + ")"
_NUMBER: Final = (
    rf"(?P<whole>{_WORD}(?:(?:[\s-]|[\s-]and[\s-]){_WORD}){{0,8}})"
    rf"(?:\spoint(?P<decimals>(?:[\s-](?:{'|'.join(_UNITS)})){{1,8}})\b"
    rf"|[\s-]and[\s-]an?[\s-](?P<more>half|quarter))?"
)
_FRACTION: Final = (
    rf"(?:(?P<count>an?|{'|'.join(_UNITS[1:])})[\s-])?(?P<part>{_PART})"
    r"(?:[\s-]of)?(?:[\s-](?:an?|one|full)){0,2}"
)
_ARTICLE: Final = r"(?P<article>an?)(?:\s(?:full|whole))?"
SPELLED_UNIT: Final = (
    r"(?:%|per\s?cent|pct|pp\b|bps?\b|basis[\s-]points?|percentage[\s-]points?|points?\b|pips?\b"
    r"|big\sfigures?\b|cents?\b(?!['\s]worth)"
    r"|million|billion|trillion|yen\b|won\b|yuan\b|dollars?\b|euros?\b|pounds?\b|francs?\b|rupees?"
    r"\b|rupiah\b|baht\b|ringgit\b|pesos?\b|kron[aeo]r?\b|standard[\s-]deviations?|sigmas?\b|σ)"
)
_SPELLED: Final = re.compile(
    rf"\b(?:{_FRACTION}(?=[\s-](?:%|per\s?cent|pct|basis|points?\b))"
    rf"|{_NUMBER}(?!\w)"
    rf"|{_ARTICLE}(?=\s(?:percent(?:age\spoint)?\b|per\scent\b|basis\spoint\b|million\b|billion\b"
    rf"|trillion\b|big\sfigure\b|cent\b)|(?<=full|hole)\spoint\b))",
    re.IGNORECASE,
)
_HINT: Final = re.compile(
    r"cent|pct|%|point|figure|bps?\b|pips?\b|illion|yen|won|yuan|dollar|euro|pound|franc|rup|baht|ringgit"
    r"|peso|kron|deviation|sigma|σ|hundred|thousand|\bdays?\b|session|\bby\s",
    re.IGNORECASE,
)
_UNIT_AHEAD: Final = re.compile(rf"[\s-]?(?:full\s|whole\s)?{SPELLED_UNIT}", re.IGNORECASE)
_STREAK_AHEAD: Final = re.compile(
    r"[\s-](?:(?:straight|consecutive|successive)[\s-])?(?:days?|sessions?)\b", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    r"[\s-](?!(?:on|in|at|to|by|from|against|for|of|and|or|but|as|after|before|with|while|when|per"
    r"|versus|vs|over|under|since|last|this|next)\b)[a-z]",
    re.IGNORECASE,
)
_RATE_CHANGED: Final = (
    r"\b(?:cuts?|cutting|hik(?:e[sd]?|ing)|rais(?:e[sd]?|ing)|lower(?:s|ed|ing)?|eas(?:e[sd]?|ing)"
    r"|tighten(?:s|ed|ing)?|reduc(?:e[sd]?|ing))(?:\s[^\s\d,;]+){0,4}?\s"
)
_CHANGED: Final = re.compile(rf"{_RATE_CHANGED}(?:by\s)?(?:a\s|another\s)?$", re.IGNORECASE)
_CHANGED_BY: Final = re.compile(rf"{_RATE_CHANGED}?by\s(?:a\s|another\s)?$", re.IGNORECASE)
_DESK_STEPS: Final = re.compile(
    r"\bby\s(?:a\s|another\s)?(?:ten|fifteen|twenty(?:[\s-]five)?|thirty(?:[\s-]five)?"
    r"|forty(?:[\s-]five)?|fifty|sixty|seventy[\s-]five|(?:a\s|one\s)?hundred)$",
    re.IGNORECASE,
)
_PLACES: Final = (
    "second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS: Final = {word: value for value, word in enumerate(_PLACES.split(), start=2)}
_NTH: Final = re.compile(
    rf"\b(?P<nth>{'|'.join(_ORDINALS)})(?=[\s-](?:(?:straight|consecutive|successive)[\s-]"
    r"(?:(?:trading|business)[\s-])?(?:day|session)\b|(?:(?:trading|business)[\s-])?(?:day|session)"
    r"[\s-](?:running|in\sa\srow|in\ssuccession|on\sthe\strot)\b))",
    re.IGNORECASE,
)
"""The day that a streak has come to: `for a ninth straight session`."""

_SAID_OF_IT: Final = re.compile(r"\s(?:is|was|were|has|had|will|would|may|came|yesterday|then)\b")
_ONE_CURRENCY: Final = re.compile(r"\s(?:dollar|euro|pound|franc|rupee|peso)\b(?!-)")
_IDIOM: Final = re.compile(r"\b(?:my|our|your|his|her|their)\stwo\scents\b", re.IGNORECASE)
_POINT: Final = re.compile(r"[\s-]points?\b", re.IGNORECASE)
_POINTS_OUT: Final = re.compile(r"[\s-]points\b|\spoints?\s(?:to|out|up|towards?)\b", re.IGNORECASE)
_MOVED: Final = re.compile(
    r"(?:\bby|\bof|rose|fell|gain\w*|lost|los\w+|add\w*|shed|up|down|dropped|climbed|jumped"
    r"|raised|lowered|cut|hiked)\s(?:an?other\s|about\s|some\s)?$",
    re.IGNORECASE,
)


class SpelledNumber(NamedTuple):
    """A number in words: where it stands, and its value where decimals can write it."""

    start: int
    end: int
    value: Decimal | None
    of_rates: bool
    """A fraction of a point, which is how changes of interest rates are told."""


def read_number_words(text: str) -> Iterator[SpelledNumber]:
    """The numbers in words that are counted in something a market is counted in.

    `at one point`, `two points stand out` and `one dollar` are none. A number of two words or
    more with hundred or thousand in it, or with a spelled decimal point, needs no unit.
    """
    if not _HINT.search(text):
        return
    for found in _SPELLED.finditer(text):
        if _is_figure(text, found):
            of_rates = found["part"] is not None or found[0].lower().endswith(("full", "whole"))
            count = _count_of(text, found)
            yield SpelledNumber(found.start() + count, found.end(), _value(found, count), of_rates)
    for nth in _NTH.finditer(text):
        yield SpelledNumber(nth.start(), nth.end(), Decimal(_ORDINALS[nth[0].lower()]), False)


def changes_a_rate(text: str, start: int, end: int, *, by: bool = True) -> bool:
    """Whether a number without a unit is what a rate was changed by, as in `cut rates by fifty`.
    Not where something else is counted: `cut by fifty jobs`."""
    changed = _CHANGED_BY if by else _CHANGED
    found = changed.search(text[max(0, start - 60) : start])
    counted = _COUNTED.match(text, end) and not _SAID_OF_IT.match(text, end)
    return found is not None and not counted


def _is_figure(text: str, found: re.Match[str]) -> bool:
    if found["part"]:
        return _is_part(text, found)
    if found["article"]:
        return True
    if _IDIOM.search(text[max(0, found.start() - 8) : found.end() + 6]):
        return False
    before = text[max(0, found.start() - 30) : found.start()]
    if _POINT.match(text, found.end()):
        return _MOVED.search(before) is not None
    if found["whole"].lower() == "one" and _ONE_CURRENCY.match(text, found.end()):
        return False
    if found["decimals"]:
        told = found["whole"].lower() == "one" and before.lower().endswith("at ")
        return not told or _UNIT_AHEAD.match(text, found.end()) is not None
    if _UNIT_AHEAD.match(text, found.end()) or _STREAK_AHEAD.match(text, found.end()):
        return True
    if _DESK_STEPS.search(text[max(0, found.start() - 12) : found.end()]) and changes_a_rate(
        text, found.start(), found.end()
    ):
        return True
    words = found["whole"].lower().replace("-", " ").split()
    return len(words) > 1 and not _MULTIPLIERS.keys().isdisjoint(words) and not _counts(text, found)


def _count_of(text: str, found: re.Match[str]) -> int:
    """How long the count before a number is that is hyphened to its unit: `two fifty-basis-point
    cuts` are two of fifty."""
    counted = _COUNT.match(found[0]) if text.startswith("-", found.end()) else None
    return counted.end() if counted else 0


def _is_part(text: str, found: re.Match[str]) -> bool:
    """Not `the quarter points to slower growth`, nor `a third point to note`."""
    if not _POINT.match(text, found.end()) or " of" in found[0].lower():
        return True
    common = found["part"].lower() in ("half", "quarter", "quarters")
    return common and not (found["count"] is None and _POINTS_OUT.match(text, found.end()))


def _counts(text: str, found: re.Match[str]) -> bool:
    """Whether a number without a unit is followed by what it counts."""
    return _COUNTED.match(text, found.end()) is not None


def _value(found: re.Match[str], skipped: int) -> Decimal | None:
    if found["article"]:
        return Decimal(1)
    if found["part"]:
        part = _FRACTIONS[found["part"].lower()]
        count = (found["count"] or "a").lower()
        return None if part is None else part * _VALUES.get(count, 1)
    words = found["whole"][skipped:].lower().replace("-", " ").split()
    if not all(map(_adds_up, words, words[1:])):
        return None
    value = Decimal(_whole(words))
    if found["more"]:
        return value + (_FRACTIONS[found["more"].lower()] or 0)
    if found["decimals"]:
        digits = found["decimals"].lower().replace("-", " ").split()
        return Decimal(f"{value}.{''.join(str(_VALUES[digit]) for digit in digits)}")
    return value


def _adds_up(word: str, following: str) -> bool:
    """Whether two words of a number are told as one: `fifty-eight`, but not `one fifty`, which is
    150 of some and 1.50 of others."""
    if {word, following} & {*_MULTIPLIERS, "and"}:
        return True
    return word in _TENS.split() and following in _DIGITS


def _whole(words: list[str]) -> int:
    total = current = 0
    for word in words:
        if word == "hundred":
            current = max(current, 1) * 100
        elif word == "thousand":
            total, current = total + max(current, 1) * 1_000, 0
        else:
            current += _VALUES.get(word, 0)
    return total + current
