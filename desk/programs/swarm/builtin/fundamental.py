"""The fundamental specialist: rates and carry of a pair, valuation and earnings of a company."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from desk.analytics.figures import day_of
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.listing import listed
from desk.contracts.agents.capabilities import Capability
from desk.contracts.episode.analysis import (
    Analysis,
    CompanyFundamentals,
    Hint,
    QuarterlyAccounts,
    Signal,
)
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.programs.builtin.evidence import is_offered, market_of
from desk.programs.swarm.builtin.delivery import Note, noted
from desk.programs.swarm.builtin.rates import (
    ask_rates,
    policy_rates,
    policy_rates_words,
    rate_gap_words,
    with_differential,
)
from desk.programs.swarm.builtin.reading import (
    Questions,
    SpecialistReading,
    about,
    calendar_asked,
    consulted,
    questions,
    read_analyses,
    stop_if_nobody_answered,
)
from desk.programs.swarm.builtin.widening import Widening, ask_on_or_deliver, opening
from desk.programs.swarm.conclusion.wording import joined
from desk.programs.swarm.tasks import SPECIALITIES

RESTS_ON: Final = (
    Metric.DIFFERENTIAL,
    Metric.CARRY_TO_VOLATILITY,
    Metric.PRICE_TO_EARNINGS,
    Metric.PRICE_TO_BOOK,
    Metric.NET_MARGIN,
    Metric.DEBT_TO_EQUITY,
    Metric.REVENUE_GROWTH,
    Metric.EARNINGS_SURPRISE,
    Metric.QUARTER_REVENUE_GROWTH,
    Metric.QUARTER_NET_MARGIN,
)

AHEAD: Final = timedelta(weeks=4)

ACCOUNTS: Final = (Capability.RATIOS, Capability.EARNINGS, Capability.FUNDAMENTALS)
"""The calls about a company; its quarters as well, if a source has them."""

WIDE: Final = Decimal(400)
"""Basis points. A differential of at least this much is the strongest signal, by convention. It
only counts if the tool for ratios gives no signal of its own."""

_VALUATIONS: Final = (
    (Metric.PRICE_TO_EARNINGS, "of earnings"),
    (Metric.PRICE_TO_BOOK, "of book value"),
)


def take_turn(request: TurnRequest) -> Turn:
    """Asks for rates and ratios of a pair, or for accounts, ratios and earnings of a company. Once
    the answers are there, delivers the result.

    Raises:
        TaskNotPossible: no tool could be asked.
    """
    market = market_of(request)
    asked = _asked(request, market)
    if not request.exchanges:
        return questions(request, asked, "the fundamentals")
    widening = OF_COMPANIES if market.kind is MarketKind.STOCK else OF_PAIRS
    reading = _read(opening(request, widening), market)
    stop_if_nobody_answered(reading, next(iter(asked)))
    speciality = SPECIALITIES[AgentId.FUNDAMENTAL_SPECIALIST]
    return ask_on_or_deliver(request, reading, widening, speciality, _notes, RESTS_ON)


def _calendar(reading: SpecialistReading) -> Questions:
    """Returns the calls for the next decisions of the banks of a pair."""
    market, window = reading.market, reading.request.assignment.window
    if len(market.areas) != len(market.market.split("/")):
        return {}
    return {Capability.DECISION_CALENDAR: calendar_asked(market, window), **_record(reading)}


def _record(reading: SpecialistReading) -> Questions:
    """Returns the call for what the bank that decides next decided after earlier meetings like its
    last, if the decision is within the four weeks of the specialists' horizon."""
    last = (reading.request.assignment.window.end + AHEAD).date()
    days = {
        area: day
        for area in reading.market.areas
        if (claim := reading.known.get(claim_id(area, Metric.NEXT_DECISION)))
        and (day := day_of(claim.value))
        and day <= last
    }
    if not days:
        return {}
    return {Capability.DECISION_RECORD: {"symbol": min(days, key=lambda area: days[area])}}


OF_PAIRS: Final = Widening(
    capability=Capability.RATIOS,
    metric=Metric.CARRY_TO_VOLATILITY,
    lead="The carry per unit of volatility",
    form="signed",
    votes=False,
    narrow=_calendar,
)
OF_COMPANIES: Final = Widening(
    capability=Capability.RATIOS,
    metric=Metric.PRICE_TO_EARNINGS,
    lead="The price in times of earnings",
    votes=False,
)


def read_company(request: TurnRequest) -> SpecialistReading:
    """The answers of the tools for a company's `ACCOUNTS`."""
    kinds: dict[Capability, type[Analysis]] = dict.fromkeys(
        (Capability.RATIOS, Capability.EARNINGS), Analysis
    )
    if is_offered(request.assignment, Capability.QUARTERS):
        kinds[Capability.QUARTERS] = QuarterlyAccounts
    reading = read_analyses(request, kinds)
    evidence, reading = consulted(reading, Capability.FUNDAMENTALS, CompanyFundamentals)
    if evidence is None:
        return reading
    return reading.with_source(evidence).with_gaps(evidence.answer.missing)


def company_words(reading: SpecialistReading) -> tuple[tuple[str, str], ...]:
    """Describes a company's accounts, by topic. A topic is empty if the accounts do not cover
    it."""
    return (
        ("valuation", _valuation(reading)),
        ("balance sheet", _balance_sheet(reading)),
        ("earnings", _earnings(reading)),
        ("last quarter", _quarter(reading)),
    )


def accounts_asked(request: TurnRequest, market: MarketSpec) -> Questions:
    """Returns the calls about a company in this run."""
    offered = is_offered(request.assignment, Capability.QUARTERS)
    return about(market, *ACCOUNTS, *((Capability.QUARTERS,) if offered else ()))


def _asked(request: TurnRequest, market: MarketSpec) -> Questions:
    if market.kind is MarketKind.STOCK:
        return accounts_asked(request, market)
    return {**ask_rates(market), **about(market, Capability.RATIOS)}


def _read(request: TurnRequest, market: MarketSpec) -> SpecialistReading:
    if market.kind is MarketKind.STOCK:
        return read_company(request)
    reading = policy_rates(read_analyses(request, {Capability.RATIOS: Analysis}))
    return _with_carry(with_differential(reading))


def _with_carry(reading: SpecialistReading) -> SpecialistReading:
    """Adds the differential as a signal, if no tool has weighed it."""
    apart = reading.value(Metric.DIFFERENTIAL)
    if apart is None or reading.signals:
        return reading
    base, _, quote = reading.market.market.partition("/")
    hint = Hint.UP if apart > 0 else Hint.DOWN if apart < 0 else Hint.NEUTRAL
    signal = Signal(
        name="carry",
        hint=hint,
        strength=float(min(Decimal(1), abs(apart) / WIDE)),
        words=f"The rate differential favours {base if apart > 0 else quote}",
    )
    return replace(reading, signals=(signal,))


def _notes(reading: SpecialistReading) -> Iterator[Note]:
    return noted(
        (
            ("policy rates", joined((policy_rates_words(reading), rate_gap_words(reading)))),
            ("carry", _carry(reading)),
            ("calendar", _decisions(reading)),
            *company_words(reading),
        )
    )


def _carry(reading: SpecialistReading) -> str:
    if not reading.has(Metric.CARRY_TO_VOLATILITY):
        return ""
    ratio = reading.reference(Metric.CARRY_TO_VOLATILITY)
    return f"Compared with the pair's swings, the carry is {ratio} of its volatility."


def _decisions(reading: SpecialistReading) -> str:
    told = [
        f"{bank_in_a_sentence(area)} on [[{claim_id(area, Metric.NEXT_DECISION)}]]"
        for area in reading.market.areas
        if claim_id(area, Metric.NEXT_DECISION) in reading.known
    ]
    if len(told) == 1:
        return f"The next decision is that of {told[0]}."
    return f"The next decisions are those of {listed(told)}." if told else ""


def _valuation(reading: SpecialistReading) -> str:
    told = [
        f"{reading.reference(metric)} times its share {words}"
        for metric, words in _VALUATIONS
        if reading.has(metric)
    ]
    return f"{reading.name} is priced at {listed(told)}." if told else ""


def _balance_sheet(reading: SpecialistReading) -> str:
    told = []
    if reading.has(Metric.NET_MARGIN):
        told.append(f"Its net margin is {reading.reference(Metric.NET_MARGIN)}.")
    if reading.has(Metric.DEBT_TO_EQUITY):
        told.append(f"Its debt is {reading.reference(Metric.DEBT_TO_EQUITY)} of its equity.")
    return joined(told)


def _earnings(reading: SpecialistReading) -> str:
    told = []
    if reading.has(Metric.REVENUE_GROWTH):
        told.append(f"Its revenue grew by {reading.reference(Metric.REVENUE_GROWTH)} on the year.")
    surprise = reading.value(Metric.EARNINGS_SURPRISE)
    if surprise is not None:
        side = "above" if surprise > 0 else "below" if surprise < 0 else "at"
        reference = reading.reference(Metric.EARNINGS_SURPRISE)
        told.append(f"Its last earnings were {side} what was expected ({reference}).")
    return joined(told)


def _quarter(reading: SpecialistReading) -> str:
    told = []
    if reading.has(Metric.QUARTER_REVENUE_GROWTH):
        growth = reading.reference(Metric.QUARTER_REVENUE_GROWTH)
        told.append(f"Its revenue of the last quarter grew by {growth} on the year.")
    if reading.has(Metric.QUARTER_NET_MARGIN):
        margin = reading.reference(Metric.QUARTER_NET_MARGIN)
        told.append(f"The quarter's net margin was {margin}.")
    return joined(told)
