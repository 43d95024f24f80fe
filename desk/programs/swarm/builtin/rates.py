"""The calls of a swarm's specialists for policy rates, and the sentences about them."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.listing import listed
from desk.analytics.prices.series import window_days
from desk.contracts.agents.capabilities import Capability
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.source_results import PolicyRates
from desk.contracts.markets import MarketKind, MarketSpec
from desk.programs.swarm.builtin.reading import SpecialistReading, consulted
from desk.trust.claims.rate_claims import differential_claim, policy_rate_claims

RATES: Final = Capability.POLICY_RATE


def ask_rates(market: MarketSpec) -> dict[Capability, Mapping[str, JsonValue]]:
    """Returns the call for the policy rates of a pair's two areas; none for other markets."""
    if market.kind is not MarketKind.PAIR or len(market.areas) != 2:
        return {}
    return {RATES: {"areas": [*market.areas]}}


def policy_rates(reading: SpecialistReading) -> SpecialistReading:
    """Adds the policy rates of a pair to a reading. A missing rate is a gap, an outdated one a
    warning."""
    if not ask_rates(reading.market):
        return reading
    evidence, reading = consulted(reading, RATES, PolicyRates)
    if evidence is None:
        return reading
    _, as_of_day = window_days(reading.request.assignment.window)
    rates = [rate for rate in evidence.answer.rates if rate.area in reading.market.areas]
    claims = policy_rate_claims(rates, as_of_day, evidence.evidence_id)
    answered = {claim.subject for claim in claims}
    reasons = {rate.area: rate.missing for rate in rates if rate.missing}
    gaps = [
        f"{area}: no policy rate: {reasons.get(area, 'it is not in the answer')}"
        for area in reading.market.areas
        if area not in answered
    ]
    warnings = [
        f"{rate.area}: the policy rate is known up to {print_full_day(rate.covered_until)}; a later"
        " change is not in it"
        for rate in rates
        if rate.rate is not None and rate.stale and rate.covered_until
    ]
    found = reading.with_claims(claims)
    return found.with_source(evidence).with_gaps(gaps).with_warnings(warnings)


def with_differential(reading: SpecialistReading) -> SpecialistReading:
    """Adds the differential of a pair's two rates, if both are known."""
    base = reading.request.assignment.base_area
    found = differential_claim(reading.market, base, tuple(reading.known.values()))
    return reading.with_claims((found,)) if found else reading


def policy_rates_words(reading: SpecialistReading) -> str:
    """Describes the policy rates of a pair in a sentence; empty without any."""
    told = [
        f"{bank_in_a_sentence(area)} at [[{claim_id(area, Metric.POLICY_RATE)}]]"
        for area in reading.market.areas
        if claim_id(area, Metric.POLICY_RATE) in reading.known
    ]
    return f"The policy rates behind the pair are those of {listed(told)}." if told else ""


def rate_gap_words(reading: SpecialistReading) -> str:
    """Describes the rate differential and the currency that it favours; empty without both
    rates."""
    apart = reading.value(Metric.DIFFERENTIAL)
    if apart is None:
        return ""
    reference = reading.reference(Metric.DIFFERENTIAL)
    if apart == 0:
        return f"The rates are level ({reference}): holding neither side pays."
    base, _, quote = reading.market.market.partition("/")
    payer = base if apart > 0 else quote
    return f"The differential of {reference} pays whoever holds {payer}."
