"""Wrong claims: for a claim of the findings, what a hurried reader might have written instead.

Every function gives candidates; none of them is equal to the claim, or to what it says.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Final

from desk.analytics.formulas import percent_change
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.source_results import PolicyRate, PolicyRates
from desk.trust.ledger.evidence import read_answer
from desk.trust.ledger.rederivation import DATED
from tests.trust.corruptions import ErrorClass, changed
from tests.trust.real_weeks import Findings

Candidates = Iterator[Claim]

CONFUSED: Final = (
    (Metric.LAST, Metric.PREVIOUS),
    (Metric.PREVIOUS, Metric.LAST),
    (Metric.WINDOW_HIGH, Metric.YEAR_HIGH),
    (Metric.YEAR_HIGH, Metric.WINDOW_HIGH),
    (Metric.WINDOW_LOW, Metric.YEAR_LOW),
    (Metric.YEAR_LOW, Metric.WINDOW_LOW),
    (Metric.WINDOW_HIGH, Metric.WINDOW_LOW),
    (Metric.LAST, Metric.WINDOW_HIGH),
    (Metric.RANGE_POSITION, Metric.BAND_POSITION),
)
"""Metrics of a pair that are taken for each other: right, wrong."""

RECIPES: Final = (
    "percent_change",
    "basis_point_difference",
    "range_position",
    "highest",
    "z_score",
)


def wrong_digits(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """One digit is another one."""
    del findings
    sign, digits, exponent = claim.value.as_tuple()
    for place in random.sample(range(len(digits)), len(digits)):
        digit = random.choice([d for d in range(10) if d != digits[place]])
        changed_digits = (*digits[:place], digit, *digits[place + 1 :])
        yield changed(claim, value=Decimal((sign, changed_digits, int(exponent))))


def shifted(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """A unit in the last place off, or far off."""
    del findings
    step = Decimal(1).scaleb(int(claim.value.as_tuple().exponent))
    steps = [1, -1, random.randint(2, 9), -random.randint(2, 9), random.randint(100, 5_000)]
    for count in random.sample(steps, len(steps)):
        yield changed(claim, value=claim.value + count * step)


def wrong_sign(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """A rise for a fall, a fall for a rise."""
    del findings, random
    if not claim.value.is_zero() and claim.unit is not Unit.LEVEL:
        yield changed(claim, value=-claim.value)


def wrong_unit(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """The number as it is, counted in something else."""
    del findings
    others = [unit for unit in Unit if unit is not claim.unit]
    for unit in random.sample(others, len(others)):
        yield changed(claim, unit=unit)


def wrong_date(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """Some days off; for a decision in its id as well, or in one of the two only."""
    del findings
    days = [1, -1, random.randint(2, 6), -random.randint(2, 6), 7, -7, 365, -365]
    for count in random.sample(days, len(days)):
        day = claim.as_of + timedelta(days=count)
        if claim.metric in DATED and random.random() < 0.7:
            yield changed(claim, as_of=day, claim_id=claim_id(claim.subject, claim.metric, day))
        else:
            yield changed(claim, as_of=day)


def wrong_tenor(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """The figure of another metric of the same subject, with its day."""
    held = {c.metric: c for result in findings.results for c in result.claims}
    sources = [wrong for right, wrong in CONFUSED if right is claim.metric and wrong in held]
    for metric in random.sample(sources, len(sources)):
        other = held[metric]
        if (other.value, other.as_of) != (claim.value, claim.as_of):
            yield changed(claim, value=other.value, as_of=other.as_of)
            if other.value != claim.value:
                yield changed(claim, value=other.value)
    yield from _wrong_rates(claim, findings)


def _wrong_rates(claim: Claim, findings: Findings) -> Candidates:
    """The rate before the decision for the one after it, or an end of the range for its middle."""
    if claim.metric not in (Metric.DECISION_RATE, Metric.POLICY_RATE):
        return
    changes = [
        c.value
        for result in findings.results
        for c in result.claims
        if c.metric is Metric.DECISION_CHANGE and c.subject == claim.subject and c.value
    ]
    for change in changes:
        yield changed(claim, value=claim.value - change / 100)
    for rate in _policy_rates(findings.evidence, claim):
        for end in (rate.low, rate.high):
            if end is not None and end != claim.value:
                yield changed(claim, value=end)


def _policy_rates(evidence: tuple[ToolResult, ...], claim: Claim) -> Iterator[PolicyRate]:
    answers = (read_answer(e.content) for e in evidence if e.evidence_id in claim.evidence)
    for answer in answers:
        if isinstance(answer, PolicyRates):
            yield from (rate for rate in answer.rates if rate.area == claim.subject)


def inverted(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """The pair quoted the other way round, under its own name or under the inverted one."""
    base, _, quote = claim.subject.partition("/")
    if not quote:
        return
    value = _inverse(claim, findings)
    if value is None or value == claim.value:
        return
    subject = f"{quote}/{base}"
    turned = changed(claim, value=value, subject=subject, claim_id=claim_id(subject, claim.metric))
    yield from random.sample([changed(claim, value=value), turned], 2)


def _inverse(claim: Claim, findings: Findings) -> Decimal | None:
    if claim.unit is Unit.LEVEL:
        step = min(int(claim.value.as_tuple().exponent), -4)
        inverse = (1 / claim.value).quantize(Decimal(1).scaleb(step))
        return inverse if inverse else None
    if claim.metric is not Metric.MOVE:
        return None
    held = {c.metric: c.value for result in findings.results for c in result.claims}
    last, previous = held[Metric.LAST], held[Metric.PREVIOUS]
    return percent_change(1 / previous, 1 / last).quantize(Decimal("0.01"))


def wrong_scale(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """A hundred times too much or too little, as bp for % or per 100 units for per unit."""
    del findings
    if claim.value.is_zero() or claim.metric in (Metric.STREAK, Metric.Z_SCORE):
        return
    for places in random.sample((2, -2), 2):
        yield changed(claim, value=Decimal(f"{claim.value.scaleb(places):f}"))


def wrong_recipe(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """Another formula or none; the inputs in another order, some of them, or others."""
    held = [c.claim_id for result in findings.results for c in result.claims]
    formulas = [name for name in (*RECIPES, None) if name != claim.formula]
    candidates = [changed(claim, formula=name) for name in formulas]
    if len(claim.inputs) > 1:
        candidates.append(changed(claim, inputs=claim.inputs[::-1]))
        candidates.append(changed(claim, inputs=claim.inputs[:-1]))
    others = [name for name in held if name not in claim.inputs and name != claim.claim_id]
    if claim.inputs and others:
        candidates.append(changed(claim, inputs=(*claim.inputs[:-1], random.choice(others))))
    if others:
        candidates.append(changed(claim, inputs=(*claim.inputs, random.choice(others))))
    yield from random.sample(candidates, len(candidates))


def of_another_area(claim: Claim, findings: Findings, random: Random) -> Candidates:
    """One bank's rate under another's area."""
    if claim.metric not in (Metric.POLICY_RATE, Metric.DECISION_RATE):
        return
    others = {
        c.value
        for result in findings.results
        for c in result.claims
        if c.metric in (Metric.POLICY_RATE, Metric.DECISION_RATE) and c.subject != claim.subject
    }
    for value in random.sample(sorted(others), len(others)):
        if value != claim.value:
            yield changed(claim, value=value)


WRONG_CLAIMS: Final[Mapping[ErrorClass, Callable[[Claim, Findings, Random], Candidates]]] = {
    ErrorClass.DIGIT: wrong_digits,
    ErrorClass.SHIFT: shifted,
    ErrorClass.SIGN: wrong_sign,
    ErrorClass.UNIT: wrong_unit,
    ErrorClass.DATE: wrong_date,
    ErrorClass.TENOR: wrong_tenor,
    ErrorClass.INVERTED: inverted,
    ErrorClass.SCALE: wrong_scale,
    ErrorClass.BANK: of_another_area,
    ErrorClass.RECIPE: wrong_recipe,
}
