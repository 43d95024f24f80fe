"""Whether the words around a number speak of what a claim measures.

A number that happens to equal some claim states it only where the sentence speaks of that figure:
a bank's rate is no pair's move, a 52-week high is no last fixing, and what a currency did against
another is no move of the pair quoted the other way round.
"""

import re
from typing import Final

from contracts.claims import Claim, Metric
from domain.claim_place import Place, is_compared
from domain.number_reading import WrittenNumber
from domain.subject_names import currencies_named

_NEAR: Final = 40
_DIFFERENTIAL: Final = re.compile(
    r"\b(?:differential|gap|rate\sspread|policy\sspread|premium|discount|carry|advantage|over|above"
    r"|below|versus|vs|against)\b",
    re.IGNORECASE,
)
_POSITION: Final = re.compile(r"\b(?:range|band|way|position\w*|percentile)\b", re.IGNORECASE)
_MOVED: Final = re.compile(
    r"\b(?:it|its|they|pair|week|move[ds]?|spot|fixings?|ending|up|down|higher|lower)\b",
    re.IGNORECASE,
)
_CURRENCY_AGAIN: Final = re.compile(
    r"\b(?:dollar|greenback|currenc(?:y|ies)|pairs?|spot|fixings?|yen|euro|sterling|pound|franc|won"
    r"|yuan|renminbi|rupee|rupiah|baht|ringgit|peso|kron[ae]|aussie|kiwi|loonie)\b",
    re.IGNORECASE,
)
_RATE_WORDS: Final = re.compile(
    r"\b(?:rates?|polic\w+|bank|hik\w+|cut\w*|rais\w+|lower\w*|held|holds?|kept|keeps?|left|eas\w+"
    r"|tighten\w*|decision|differential|gap)\b",
    re.IGNORECASE,
)
_YEARLY: Final = r"(?:52[-\s]week|12[-\s]month|twelve[-\s]month|one[-\s]year|year'?s|yearly|annual)"
_AT: Final = r"(?:\s(?:of|at|was|is|came\sat|stood\sat|near|around))?\s?$"
_HIGH: Final = re.compile(rf"\b(?:high|highest|peak){_AT}", re.IGNORECASE)
_LOW: Final = re.compile(rf"\b(?:low|lowest|trough){_AT}", re.IGNORECASE)
_YEAR_EXTREME: Final = re.compile(
    rf"\b{_YEARLY}\s(?:\w+\s)?(?:high|low|peak|trough){_AT}", re.IGNORECASE
)

_LEVELS: Final = frozenset(
    {
        Metric.LAST,
        Metric.PREVIOUS,
        Metric.WINDOW_HIGH,
        Metric.WINDOW_LOW,
        Metric.YEAR_HIGH,
        Metric.YEAR_LOW,
    }
)
_HIGHS: Final = frozenset({Metric.WINDOW_HIGH, Metric.YEAR_HIGH})
_LOWS: Final = frozenset({Metric.WINDOW_LOW, Metric.YEAR_LOW})
_YEARLY_EXTREMES: Final = frozenset({Metric.YEAR_HIGH, Metric.YEAR_LOW})
_POSITIONS: Final = frozenset({Metric.RANGE_POSITION, Metric.BAND_POSITION})


def speaks_of(claim: Claim, number: WrittenNumber, place: Place) -> bool:
    """Whether the sentence around a number can mean a claim's figure."""
    sentence = place.text[place.start : place.end]
    if claim.metric is Metric.DIFFERENTIAL:
        return _DIFFERENTIAL.search(sentence) is not None
    if claim.metric in _POSITIONS:
        return _POSITION.search(sentence) is not None
    if not _is_of_the_last_named(claim, number, place):
        return False
    if claim.metric in _LEVELS:
        return claim.metric in _meant_levels(place.text[place.start : number.start])
    if claim.metric is Metric.MOVE:
        spoken_of = claim.subject in place.named or _MOVED.search(sentence) is not None
        return spoken_of and _is_subject(claim, number, place)
    return True


def _meant_levels(before: str) -> frozenset[Metric]:
    """Which of a pair's levels the words right before a number allow."""
    near = before[-_NEAR:]
    meant = _LEVELS
    if _HIGH.search(near):
        meant = _HIGHS
    elif _LOW.search(near):
        meant = _LOWS
    return meant & _YEARLY_EXTREMES if _YEAR_EXTREME.search(near) else meant


def _is_of_the_last_named(claim: Claim, number: WrittenNumber, place: Place) -> bool:
    """A figure after a bank's name is the bank's until a currency is named again, and one after a
    pair's name is the pair's until rates are spoken of."""
    before = [n for n in place.namings if n.start < number.start and not is_compared(n, place)]
    if not before:
        return True
    between = place.text[before[-1].start : number.end + _NEAR]
    after_pair, of_pair = "/" in before[-1].subject, "/" in claim.subject
    if after_pair is of_pair:
        return True
    again = _CURRENCY_AGAIN if of_pair else _RATE_WORDS
    return again.search(between) is not None


def _is_subject(claim: Claim, number: WrittenNumber, place: Place) -> bool:
    """Whether the currency that a sentence says moved is the base of the pair, and no third one.

    Of the quote currency the same move has another sign and another size.
    """
    before = place.text[place.start : number.start]
    named = any(n.subject == claim.subject and n.start < number.start for n in place.namings)
    told = currencies_named(before)
    return named or not told or "pair" in before or told[0] == claim.subject.split("/")[0]
