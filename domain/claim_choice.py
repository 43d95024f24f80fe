"""Which claim a written number states, of all that are known."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from contracts.claims import Claim, Metric
from domain.claim_context import speaks_of
from domain.claim_place import Place, is_compared
from domain.number_reading import Measure, WrittenNumber
from domain.stated_claims import Direction, direction, is_close, is_rough, states

MOST_NAMED: Final = 3
"""How many claims near a figure the reason names."""

_TOPIC: Final = re.compile(
    r"(?P<other>\b(?:inflation|unemployment|jobless|growth|savings?|mortgage|lending|swap|market|bond"
    r"|repo\smarket|tax|participation|exchange|10-year|two-year|ten-year)\s(?:rates?|ratio)\b"
    r"|\b(?:inflation|CPI|PPI|PCE|GDP|growth|unemployment|joblessness|payrolls?|wages?|earnings"
    r"|exports?|imports?|retail\ssales|PMI|ISM|tankan|production|output|deficit|surplus|debt"
    r"|reserves|yields?|stocks?|shares?|equit(?:y|ies)|index|oil|crude|brent|WTI|gold|copper"
    r"|bitcoin|intervention|tariffs?|probability|odds|chance|dots?|median|forecasts?|projections?|consensus|estimates?"
    r"|volatility|vols?|spending"
    r"|sales|orders|housing|prices|premium|futures|positions?|turnover|volumes?|S&P|Nikkei|Topix"
    r"|Nasdaq|Dow|VIX|DXY|BTP|Bunds?|Treasur(?:y|ies)|JGBs?|gilts?|spread)\b)"
    r"|(?P<own>\b(?:rates?|pair|fixing|fixings|close[ds]?|bank|moves?|week|streak|z-score|range|band"
    r"|differential|dollar|yen|euro|sterling|franc|won|yuan|rupee|rupiah|baht|ringgit|peso|kron\w+"
    r"|Fed|ECB|BoJ|BoE|it|they|[A-Z]{3}/[A-Z]{3}|hike[ds]?|cuts?|raised|lowered|settled|rose|fell"
    r"|gained|lost|climbed|dropped|traded|ended|finished)\b)",
    re.IGNORECASE,
)
_SOMETHING_ELSE_AFTER: Final = re.compile(
    r"\s(?:a\syear\s)?(?:annual\s|core\s|headline\s|year-on-year\s|month-on-month\s|economic\s|GDP\s)?"
    r"(?:inflation|CPI|GDP|growth|unemployment|joblessness|of\s(?:GDP|output|the\seconomy|exports"
    r"|reserves)|rise\sin\s(?:wages|prices|exports|output)|deficit|surplus|tariffs?|yields?"
    r"|target(?!\s(?:range|rate|midpoint))|chance|probability|odds)\b",
    re.IGNORECASE,
)
_CARRIES_ON: Final = re.compile(
    r"rose|fell|gained|lost|climbed|dropped|traded|ended|finished|settled|close[ds]?|it|they|raised"
    r"|lowered|cuts?|moves?"
)
"""Words that carry on with what was spoken of before them."""

_RATES: Final = re.compile(
    r"\b(?:rates?|bank|hik\w+|cut\w*|rais\w+|lower\w*|decision|polic\w+|tighten\w*|easing)\b",
    re.IGNORECASE,
)
_AWAY: Final = re.compile(
    r"\s(?:below|above|under|over|beneath|off|away|from|short|shy|higher|lower|weaker|stronger|up|down"
    r"|(?:over|under)valued|cheaper|richer|rich|cheap)\b",
    re.IGNORECASE,
)
"""What makes the number before it a distance, and no rate: `2 % below its high`."""

_BREAK: Final = re.compile(
    r"[;:—]|,\s|\b(?:but|while|whereas|although|though|as|because|after|when)\s"
)
_CUES: Final[Mapping[Metric, re.Pattern[str]]] = MappingProxyType(
    {
        metric: re.compile(words, re.IGNORECASE)
        for metric, words in {
            Metric.LAST: r"\b(?:close[sd]?|end(?:s|ed)?|finish(?:es|ed)?|settled?|last|to|now)\b",
            Metric.PREVIOUS: r"\b(?:from|previous|prior|start(?:ed)?|open(?:ed)?|before)\b",
            Metric.WINDOW_HIGH: r"\b(?:high|highest|peak(?:ed)?|top(?:ped)?|up to)\b",
            Metric.WINDOW_LOW: r"\b(?:low|lowest|bottom(?:ed)?|trough|down to)\b",
            Metric.YEAR_HIGH: r"\b(?:52-week|12-month|one-year|year's|yearly) (?:high|peak)\b",
            Metric.YEAR_LOW: r"\b(?:52-week|12-month|one-year|year's|yearly) (?:low|trough)\b",
            Metric.POLICY_RATE: r"\b(?:stands?|stood|policy rate (?:is|of|at)|rate is)\b",
            Metric.DECISION_RATE: r"\b(?:to|unchanged|left|kept|held|hold|decided)\b",
        }.items()
    }
)
"""The words next to a figure that say which of a subject's figures it is."""

_NEAR: Final = 24


def stated_by(
    number: WrittenNumber, place: Place, claims: Collection[Claim], rests_on: Collection[str]
) -> tuple[Claim, ...]:
    """The claims that a number states, none of them without need.

    Those that the text rests on go before the others, then those whose subject is named, then
    those of whose metric the words nearby speak. What is about something else states none.
    """
    said = direction(place.text, number, place.start)
    rough = is_rough(place.text, number)
    found = [
        claim
        for claim in claims
        if states(claim, number, said, rough=rough)
        and _may_be_about(claim, number, place)
        and (claim.claim_id in rests_on or _is_spoken_of(claim, number, place, said))
        and speaks_of(claim, number, place)
    ]
    if not found or is_about_something_else(number, place):
        return ()
    found = _preferred(found, [claim for claim in found if claim.claim_id in rests_on])
    found = _preferred(found, [claim for claim in found if claim.subject in place.named])
    found = _preferred(found, _cued(found, number, place.text))
    return tuple(sorted(found, key=lambda claim: (claim.as_of, claim.claim_id), reverse=True))


def close_to(
    number: WrittenNumber, place: Place, claims: Iterable[Claim], rests_on: Collection[str]
) -> tuple[Claim, ...]:
    """The claims that a number may have been meant to state, each of what the text rests on or
    names."""
    found = [
        claim
        for claim in claims
        if is_close(claim, number) and (claim.claim_id in rests_on or claim.subject in place.named)
    ]
    return tuple(sorted(found, key=lambda claim: claim.claim_id)[:MOST_NAMED])


def is_about_something_else(number: WrittenNumber, place: Place) -> bool:
    """Whether the words nearest to a number make it one that no claim is about: inflation, a
    yield, a stock index."""
    if _SOMETHING_ELSE_AFTER.match(place.text, number.end):
        return True
    before = place.text[max(place.start, number.start - 100) : number.start]
    start = 0
    for found in _BREAK.finditer(before):
        start = found.end()
    last = None
    for topic in _TOPIC.finditer(before, start):
        if topic["other"] or last is None or not _CARRIES_ON.fullmatch(topic[0].lower()):
            last = topic
    return last is not None and last["other"] is not None


def _preferred(found: list[Claim], better: Sequence[Claim]) -> list[Claim]:
    return list(better) if better else found


def is_one_thing(claims: Iterable[Claim]) -> bool:
    """Whether claims are all of one metric of one subject. An area's rate in force and the rate
    of its last decision are one where they are equal."""
    return len({_thing(claim) for claim in claims}) == 1


def _thing(claim: Claim) -> tuple[str, str]:
    if claim.metric in (Metric.POLICY_RATE, Metric.DECISION_RATE):
        return claim.subject, f"rate of {claim.value.normalize():f}"
    return claim.subject, claim.metric


def _cued(found: Iterable[Claim], number: WrittenNumber, text: str) -> list[Claim]:
    near = (
        text[max(0, number.start - _NEAR) : number.start],
        text[number.end : number.end + _NEAR].partition(",")[0],
    )
    cued = [c for c in found if c.metric in _CUES and any(map(_CUES[c.metric].search, near))]
    yearly = [c for c in cued if c.metric in (Metric.YEAR_HIGH, Metric.YEAR_LOW)]
    return yearly or cued


def _may_be_about(claim: Claim, number: WrittenNumber, place: Place) -> bool:
    """Whether the pair or bank that a sentence names last before a number is the claim's own."""
    is_pair = "/" in claim.subject
    if not is_pair and claim.metric is Metric.DIFFERENTIAL:
        return True
    alike = [naming for naming in place.namings if ("/" in naming.subject) is is_pair]
    before = [naming for naming in alike if naming.start < number.start]
    if before:
        told = [naming for naming in before if not is_compared(naming, place)]
        return (told or before)[-1].subject == claim.subject
    return not alike or any(naming.subject == claim.subject for naming in alike)


def _is_spoken_of(claim: Claim, number: WrittenNumber, place: Place, said: Direction) -> bool:
    """Whether an area's rate can be meant where the area is not named: a rise of 0.25 % is one of
    a rate, and no pair's, only where rates are spoken of."""
    if "/" in claim.subject or claim.subject in place.named:
        return True
    if number.measure is Measure.PERCENT and _AWAY.match(place.text, number.end):
        return False
    moved = said is not Direction.UNSAID and number.measure is not Measure.BASIS_POINTS
    return (
        not (moved or place.namings)
        or _RATES.search(place.text, place.start, place.end) is not None
    )
