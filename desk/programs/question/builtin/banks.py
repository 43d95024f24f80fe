"""What is known of a central bank that a question names: when it decides next, and what it decided
last."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import EventType, MarketEvent, ResearchResult

NO_PERIOD_OF_A_BANK: Final = "the quarter before, as no period was read in the question"
"""What a question about a bank says in place of its days where it names none."""

_MATURITIES: Final = {Metric.YIELD_2Y: "Two-year", Metric.YIELD_10Y: "Ten-year"}


def bank_standing(results: Sequence[ResearchResult], as_of_day: date) -> str:
    """The next decision day of a bank by its calendar, its rate, and its last decision in the days
    that were looked at; empty where a pair was researched. Of several the rates go first, in their
    order."""
    areas = dict.fromkeys(r.market for r in results if "/" not in r.market)
    told = (sentence for area in areas for sentence in _of_bank(area, results, as_of_day))
    return " ".join((*_highest_first(areas, results), *told))


def _highest_first(areas: Iterable[str], results: Sequence[ResearchResult]) -> Iterator[str]:
    rates = [(area, rate) for area in areas for rate in _rates(results, area)]
    if len(rates) < 2:
        return
    ordered = sorted(rates, key=lambda each: -each[1].value)
    told = ", ".join(f"{bank_in_a_sentence(area)} [[{rate.claim_id}]]" for area, rate in ordered)
    yield f"Policy rates, the highest first: {told}."


def _of_bank(area: str, results: Sequence[ResearchResult], as_of_day: date) -> Iterator[str]:
    bank, events = bank_in_a_sentence(area), _events(results, area)
    ahead = [e for e in events if _is_scheduled(e) and e.event_date >= as_of_day]
    decided = [event for event in events if event.event_type is EventType.RATE_DECISION]
    yield (
        f"By its calendar {bank} decides next on {print_full_day(ahead[0].event_date)}."
        if ahead
        else f"No later decision day of {bank} is known here."
    )
    for rate in _rates(results, area):
        day = print_full_day(rate.as_of)
        yield f"Its policy rate was [[{rate.claim_id}]], as far as is known up to {day}."
    for known in _yields(results, area):
        bonds, day = f"{_MATURITIES[known.metric]} government bonds", print_full_day(known.as_of)
        yield f"{bonds} there yielded [[{known.claim_id}]] on {day}."
    if not decided:
        yield "No decision of it is known of the days that were looked at."
    for newest in decided[-1:]:
        day = print_full_day(newest.event_date)
        yield f"It decided last, as far as is known, on {day}: {newest.description}"
    for event in events:
        if _is_scheduled(event) and event.event_date < as_of_day:
            yield f"{print_full_day(event.event_date)}: {event.description}"


def _events(results: Iterable[ResearchResult], area: str) -> list[MarketEvent]:
    own = (event for result in results for event in result.events if event.area == area)
    return sorted(own, key=lambda event: event.event_date)


def _rates(results: Iterable[ResearchResult], area: str) -> list[Claim]:
    name = claim_id(area, Metric.POLICY_RATE)
    return [claim for result in results for claim in result.claims if claim.claim_id == name][:1]


def _yields(results: Iterable[ResearchResult], area: str) -> list[Claim]:
    """The yields of an area's government bonds, each once."""
    claims = (c for r in results for c in r.claims if c.subject == area)
    return list({c.claim_id: c for c in claims if c.metric in _MATURITIES}.values())


def _is_scheduled(event: MarketEvent) -> bool:
    return event.event_type is EventType.SCHEDULED_DECISION
