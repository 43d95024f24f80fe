"""Contradictions across markets between findings that are each correct alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Final, NamedTuple

from desk.analytics.comparison import TOLERANCES, Quantity
from desk.analytics.figures import print_full_day
from desk.analytics.prices.impact import LARGE_MOVE
from desk.analytics.prices.series import window_days
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tools import DataSource
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import EventType, MarketEvent
from desk.contracts.findings.verdicts import CrossCheck, CrossCheckKind
from desk.contracts.markets import MarketKind
from desk.contracts.week.report import MarketReport
from desk.contracts.weeks import TimeWindow
from desk.programs.week.document.judging.claims import claim_of
from desk.trust.judging.checks import check_event_date
from desk.trust.prose import reference, sentence

HALF: Final = Decimal("0.5")
TWICE_ROUNDED: Final = Decimal("1.1")
"""A level that the source rounded to one digit more than is printed can be off by a tenth more than
half a unit of its last digit."""

MOST_CHECKS: Final = 1_000


@dataclass(frozen=True, slots=True)
class CrossMarketCase:
    """The printed findings of a week for the checks across markets. `claims` are by id."""

    config: RunConfig
    window: TimeWindow
    claims: Mapping[str, Claim]
    sections: Sequence[MarketReport]
    sources: Sequence[DataSource]


class _Leg(NamedTuple):
    """The level of a pair as one side of a triangle."""

    base: str
    quote: str
    claim: Claim

    def rate(self, base: str) -> Decimal:
        """Units of the other currency for one of `base`."""
        return self.claim.value if base == self.base else 1 / self.claim.value

    @property
    def rounding(self) -> Decimal:
        """The largest relative error of the level due to its printed digits."""
        step = Decimal(1).scaleb(int(self.claim.value.as_tuple().exponent))
        return HALF * step * TWICE_ROUNDED / self.claim.value


def cross_checks_of(case: CrossMarketCase) -> tuple[CrossCheck, ...]:
    """All contradictions across markets; those between figures come first."""
    checks = (
        *_open_triangles(case),
        *_contradicted_decisions(case),
        *_unexplained_moves(case),
        *_stray_events(case),
    )
    return tuple(dict.fromkeys(checks))[:MOST_CHECKS]


def contested_by(checks: Iterable[CrossCheck]) -> Mapping[str, CrossCheck]:
    """Returns the claims that a check across markets contests, each with the first such check."""
    contested: dict[str, CrossCheck] = {}
    for check in checks:
        if check.kind is CrossCheckKind.TRIANGLE:
            for name in check.claims:
                contested.setdefault(name, check)
    return contested


def _open_triangles(case: CrossMarketCase) -> Iterator[CrossCheck]:
    """Triples of pairs of three currencies whose levels of one day do not multiply to one."""
    legs = {frozenset((leg.base, leg.quote)): leg for leg in _legs(case)}
    currencies = sorted({currency for sides in legs for currency in sides})
    for first, second, third in combinations(currencies, 3):
        ways = ((first, second), (second, third), (third, first))
        sides = [legs.get(frozenset(way)) for way in ways]
        triangle = [leg for leg in sides if leg is not None]
        if len(triangle) == len(ways) and len({leg.claim.as_of for leg in triangle}) == 1:
            product = Decimal(1)
            for leg, (base, _) in zip(triangle, ways, strict=True):
                product *= leg.rate(base)
            if abs(product - 1) > _allowance(triangle, case.sources):
                yield _open_triangle(triangle, case.claims)


def _legs(case: CrossMarketCase) -> Iterator[_Leg]:
    for spec in case.config.markets:
        last = claim_of(case.claims, spec.market, Metric.LAST)
        if spec.kind is MarketKind.PAIR and last is not None and last.value > 0:
            base, _, quote = spec.market.partition("/")
            yield _Leg(base, quote, last)


def _allowance(triangle: Sequence[_Leg], sources: Iterable[DataSource]) -> Decimal:
    """The allowed deviation: rounding for a single fixing; between two origins also the difference
    in hours."""
    rounding = sum((leg.rounding for leg in triangle), Decimal(0))
    named = {name for leg in triangle for name in leg.claim.evidence}
    origins = {s.origin or s.name for s in sources if s.evidence_id in named}
    hours = TOLERANCES[Quantity.OTHER_FIXING].size / 100
    return rounding if len(origins) <= 1 else rounding + hours


def _open_triangle(triangle: Sequence[_Leg], claims: Mapping[str, Claim]) -> CrossCheck:
    legs = sorted(triangle, key=lambda leg: leg.claim.subject)
    parts = [f"{leg.claim.subject} at {reference(leg.claim)}" for leg in legs]
    prose = (
        f"{parts[0]}, {parts[1]} and {parts[2]} do not fit together: none follows from "
        "the others, by more than rounding explains."
    )
    named = ", ".join(leg.claim.subject for leg in legs)
    return _check(CrossCheckKind.TRIANGLE, named, prose, claims, [leg.claim for leg in legs])


def _contradicted_decisions(case: CrossMarketCase) -> Iterator[CrossCheck]:
    """The newest decision of an area that contradicts its policy rate, if the rate is known up to
    then."""
    decided: dict[str, Claim] = {}
    for claim in case.claims.values():
        newest = decided.get(claim.subject)
        if claim.metric is Metric.DECISION_RATE and (not newest or newest.as_of < claim.as_of):
            decided[claim.subject] = claim
    for area, decision in sorted(decided.items()):
        rate = claim_of(case.claims, area, Metric.POLICY_RATE)
        if rate and rate.as_of >= decision.as_of and rate.value != decision.value:
            prose = (
                f"The decision of {area} of {print_full_day(decision.as_of)}, to "
                f"{reference(decision)}, contradicts its policy rate of {reference(rate)}."
            )
            kind = CrossCheckKind.DECISION_AGAINST_SERIES
            yield _check(kind, area, prose, case.claims, [decision, rate])


def _unexplained_moves(case: CrossMarketCase) -> Iterator[CrossCheck]:
    first_day, last_day = window_days(case.window)
    told = {
        event.area
        for event in _events(case)
        if event.event_type is not EventType.FX_MOVEMENT
        and first_day <= event.event_date <= last_day
    }
    for spec in case.config.markets:
        score = claim_of(case.claims, spec.market, Metric.Z_SCORE)
        large = score is not None and abs(score.value) >= LARGE_MOVE
        if score and large and not told.intersection(spec.areas):
            prose = (
                f"{spec.market} made a large move ({reference(score)}), and no scheduled decision "
                "or event of its areas in the window explains it."
            )
            kind = CrossCheckKind.MOVE_WITHOUT_EVENT
            yield _check(kind, spec.market, prose, case.claims, [score])


def _stray_events(case: CrossMarketCase) -> Iterator[CrossCheck]:
    first_day, last_day = window_days(case.window)
    for event in _events(case):
        if any(check_event_date(event, first_day, last_day)):
            day = print_full_day(event.event_date)
            about = f"{event.market} ({_kind(event)})"
            prose = f"An event of {about} is dated {day}, outside the window."
            kind = CrossCheckKind.EVENT_OUTSIDE_WINDOW
            yield _check(kind, event.market, prose, case.claims, ())


def _events(case: CrossMarketCase) -> Iterator[MarketEvent]:
    return (event for section in case.sections for event in section.events)


def _kind(event: MarketEvent) -> str:
    return event.event_type.replace("_", " ")


def _check(
    kind: CrossCheckKind,
    subject: str,
    prose: str,
    claims: Mapping[str, Claim],
    about: Sequence[Claim],
) -> CrossCheck:
    told = sentence(prose, claims)
    return CrossCheck(
        kind=kind,
        subject=subject,
        prose=told.prose,
        text=told.text,
        claims=tuple(claim.claim_id for claim in about),
    )
