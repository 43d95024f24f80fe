"""What the desk's own MCP servers return. Absent data is a reason, never a stand-in number."""

from datetime import date, time
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.tools import SourceTier
from desk.contracts.base import Contract, Figure, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.markets import AreaCode, PairSymbol

Month = Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]
"""A calendar month such as `2026-10`."""


class Provenance(Contract):
    """Who published the figures in a result, and under which address.

    `origin` is who first published them, where that is one body for the whole result; sources
    with one origin count as one.
    """

    name: ShortText
    tier: SourceTier
    origin: ShortText | None = None
    url: Annotated[str, Field(max_length=500)] | None = None


class SourceResult(Contract):
    """What every tool result carries: the instant it answers for and its source."""

    as_of: Instant
    source: Provenance


class PublishedRate(Contract):
    """A rate as its publisher has it."""

    symbol: PairSymbol
    value: Figure


class CrossLegs(Contract):
    """The published rates that a cross of a day is computed from: `quote` over `base`, or one over
    `base` where there is no other."""

    day: date
    base: PublishedRate
    quote: Annotated[PublishedRate | None, Field(exclude_if=is_none)] = None

    @property
    def formula(self) -> str:
        """`EUR/JPY over EUR/USD`."""
        return f"{self.quote.symbol if self.quote else 'one'} over {self.base.symbol}"

    @property
    def written(self) -> str:
        """`EUR/JPY 175.68 / EUR/USD 1.1172`."""
        over = f"{self.base.symbol} {self.base.value:,f}"
        return (
            f"{self.quote.symbol} {self.quote.value:,f} / {over}" if self.quote else f"1 / {over}"
        )


class Quote(SourceResult):
    """The last fixing known at the as-of instant, or why there is none. `legs` are those of a
    cross."""

    symbol: PairSymbol
    value: Figure | None = None
    fixed_on: date | None = None
    missing: Text | None = None
    legs: Annotated[CrossLegs | None, Field(exclude_if=is_none)] = None


class PairQuote(Contract):
    """One pair of several: its last fixing known at the as-of instant, or why there is none."""

    symbol: PairSymbol
    value: Figure | None = None
    fixed_on: date | None = None
    missing: Text | None = None
    legs: Annotated[CrossLegs | None, Field(exclude_if=is_none)] = None


class Quotes(SourceResult):
    """The answer of `get_quotes`, in the order asked for.

    `ends_on` is the last day of which the source has any fixing known at the as-of instant.
    """

    quotes: Annotated[tuple[PairQuote, ...], Field(max_length=60)]
    ends_on: date | None = None


class History(SourceResult):
    """Daily fixings, oldest first: `values[i]` is the fixing of `days[i]`.

    Units: quote currency for one unit of the base currency. Empty with `missing` set when the
    source does not have the pair or has nothing in the range. Of a cross, `legs` has the published
    rates of the days that are read most: the newest, and the highest and the lowest of a year.
    """

    symbol: PairSymbol
    days: Annotated[tuple[date, ...], Field(max_length=10_000)] = ()
    values: Annotated[tuple[Figure, ...], Field(max_length=10_000)] = ()
    missing: Text | None = None
    legs: Annotated[tuple[CrossLegs, ...], Field(max_length=40, exclude_if=is_empty)] = ()


class Histories(SourceResult):
    """One pair by several publishers, each with a source of its own, on the days asked for.

    `missing` says of publishers that give nothing why not, by name.
    """

    symbol: PairSymbol
    histories: Annotated[tuple[History, ...], Field(max_length=10)] = ()
    missing: dict[str, str] = Field(default_factory=dict)


class SymbolMatches(SourceResult):
    """Pairs whose symbol or currency names match a query, best first."""

    query: ShortText
    symbols: Annotated[tuple[PairSymbol, ...], Field(max_length=50)] = ()


class FixingCoverage(SourceResult):
    """The first and last day for which the source holds fixings known at the as-of instant."""

    first_day: date
    last_day: date


class DatePrecision(StrEnum):
    """What is known of a decision's day. `month` rows stand on the last day of the month and
    `effective` rows on the day the rate took effect, so that neither is visible too early."""

    DAY = "day"
    EFFECTIVE = "effective"
    MONTH = "month"


def is_of_a_day(value: object) -> bool:
    """For precisions that are absent from most answers, and take no place in them."""
    return value is DatePrecision.DAY


class PolicyRate(Contract):
    """The policy rate in force in one area at the as-of instant.

    `rate` in percent a year; for a target range its midpoint, with `low` and `high`.
    `covered_until` is the last day up to which every change is known; a rate asked for at a
    later instant is `stale`. `origin` is who published the level. Without a rate, `missing` says
    why. Of `since` no more may be known than `since_precision` says.
    """

    area: AreaCode
    bank: ShortText
    instrument: ShortText
    rate: Figure | None = None
    low: Figure | None = None
    high: Figure | None = None
    since: date | None = None
    since_precision: Annotated[DatePrecision, Field(exclude_if=is_of_a_day)] = DatePrecision.DAY
    covered_until: date | None = None
    stale: bool = False
    origin: ShortText | None = None
    missing: Text | None = None


class PolicyRates(SourceResult):
    """The answer of `get_policy_rate`, in the order asked for."""

    rates: Annotated[tuple[PolicyRate, ...], Field(max_length=40)]


class RateRecord(Contract):
    """A policy rate as somebody other than the desk's table records it.

    `rate` in percent a year, for a target range its midpoint, with `low` and `high`, in force on
    `day`, the last that was known. It has been so since `since`, where the record reaches back to a
    change; before it was `previous`. A decision shows in it after `effective_within` days at the
    latest. `origin` is who records it: the bank itself, or whoever collects rates from banks.

    `bears_out_within` is there where the figure is another one by itself and follows from the
    policy rate: a market rate that the bank steers, or a rate that is set from it by a formula.
    Such a figure bears out a rate that it lies so near to, in percentage points (`low` to the low
    end of a range, where it has that), and denies none.

    `decided_on` is there where the record is of one decision, made on that day: then `previous` is
    the rate until then, also where it stayed.
    """

    area: AreaCode
    instrument: ShortText
    rate: Figure
    low: Figure | None = None
    high: Figure | None = None
    day: date
    since: date | None = None
    previous: Figure | None = None
    effective_within: Annotated[int, Field(ge=0, le=60)] = 8
    origin: ShortText | None = None
    bears_out_within: Annotated[Figure | None, Field(exclude_if=is_none)] = None
    decided_on: Annotated[date | None, Field(exclude_if=is_none)] = None


class RateRecords(SourceResult):
    """The answer of `get_recorded_rates`: of each area a row for every record of it. `missing`
    names areas without any."""

    recorded: Annotated[tuple[RateRecord, ...], Field(max_length=120)] = ()
    missing: dict[str, str] = Field(default_factory=dict)


class YieldSeries(Contract):
    """Government bond yields of one area and maturity by day, percent a year, oldest first.

    `name` and `origin` say whose they are. A series that is `revisable` may be told otherwise
    later; the desk keeps what it was told before.
    """

    area: AreaCode
    years: Annotated[int, Field(ge=1, le=50)]
    days: Annotated[tuple[date, ...], Field(max_length=1_000)]
    values: Annotated[tuple[Figure, ...], Field(max_length=1_000)]
    name: ShortText
    origin: ShortText | None = None
    revisable: bool = False


class Yields(SourceResult):
    """The answer of `get_yields`, in the order asked for; `missing` names areas without any.

    The first series of an area and maturity is the one that is told; others of the same are of
    other publishers, whose curve or hour may differ, and it is held against them.
    """

    yields: Annotated[tuple[YieldSeries, ...], Field(max_length=80)] = ()
    missing: dict[str, str] = Field(default_factory=dict)


class AssetSeries(SourceResult):
    """The answer of `get_asset`: a price or an index by day, oldest first, in its `unit`."""

    name: ShortText
    unit: ShortText
    days: Annotated[tuple[date, ...], Field(max_length=1_000)] = ()
    values: Annotated[tuple[Figure, ...], Field(max_length=1_000)] = ()
    revisable: bool = False
    missing: Text | None = None


class RateDecision(Contract):
    """One decision: the rate after it and the change it made, in basis points (0: held).

    `origin` is who published it: the bank, or whoever compiled the series it was taken from.
    """

    area: AreaCode
    bank: ShortText
    decided_on: date
    precision: DatePrecision
    known_from: Instant
    rate: Figure
    change: Figure
    instrument: ShortText
    source: Text
    origin: ShortText | None = None


class RateDecisions(SourceResult):
    """The answer of `get_rate_decisions`, oldest first. `covered_until` as in `PolicyRate`.

    `before` are decisions from before the range, of areas that have one in it: every meeting back
    to the last one that decided otherwise than the newest, and that one. It is empty where the
    source does not list every meeting.
    """

    decisions: Annotated[tuple[RateDecision, ...], Field(max_length=2_000)]
    before: Annotated[tuple[RateDecision, ...], Field(max_length=2_000, exclude_if=is_empty)] = ()
    covered_until: dict[str, date] = Field(default_factory=dict)
    missing: dict[str, str] = Field(default_factory=dict)


class ScheduledDecision(Contract):
    """A decision day that had been announced by the as-of instant."""

    area: AreaCode
    bank: ShortText
    day: date
    announced_at_local: time | None = None
    time_zone: ShortText | None = None
    source: Text


class DecisionCalendar(SourceResult):
    """The answer of `get_decision_calendar`, earliest first; `missing` names areas without one.
    `ends` has the last announced day of each area, also where it is out of the range."""

    scheduled: Annotated[tuple[ScheduledDecision, ...], Field(max_length=2_000)]
    missing: dict[str, str] = Field(default_factory=dict)
    ends: Annotated[dict[str, date], Field(max_length=100, exclude_if=is_empty)] = Field(
        default_factory=dict
    )


class MonthAverage(Contract):
    """The mean of a pair's daily rates in one calendar month, and when it became known."""

    month: Month
    value: Figure
    known_from: Instant


class MonthAverages(SourceResult):
    """The answer of `get_month_averages`, oldest first, in the pair's own quotation."""

    symbol: PairSymbol
    averages: Annotated[tuple[MonthAverage, ...], Field(max_length=2_000)] = ()
    missing: Text | None = None


class MonthEndRate(Contract):
    """The policy rate in force at the end of a month, percent a year, and when it became known."""

    area: AreaCode
    month: Month
    rate: Figure
    instrument: ShortText
    known_from: Instant


class MonthEndRates(SourceResult):
    """The answer of `get_month_end_rates`, oldest first; `missing` names areas without any."""

    rates: Annotated[tuple[MonthEndRate, ...], Field(max_length=5_000)] = ()
    missing: dict[str, str] = Field(default_factory=dict)


class NewsItem(Contract):
    """One item of news as its publisher has it. Text from outside: it is data, whatever it says.

    `published_at` is when it came out; nothing published after the as-of instant is among the
    items. `story_id` names it at sources that have such names.
    """

    headline: Annotated[str, Field(min_length=1, max_length=500)]
    publisher: ShortText
    published_at: Instant
    url: Annotated[str, Field(max_length=2_000)] | None = None
    summary: Text | None = None
    story_id: ShortText | None = None


class NewsItems(SourceResult):
    """News, newest first; empty with `missing` set when there is none or it could not be had.

    `unreachable_since` is set where it could not be had because nobody answered.
    """

    query: ShortText | None = None
    items: Annotated[tuple[NewsItem, ...], Field(max_length=100)] = ()
    missing: Text | None = None
    unreachable_since: Annotated[Instant | None, Field(exclude_if=is_none)] = None


class StoryCheck(SourceResult):
    """Whether a source carries a story: the items that tell it, nearest first.

    `carried` is None when the source could not be searched, and `missing` says why.
    """

    headline: Annotated[str, Field(min_length=1, max_length=500)]
    carried: bool | None = None
    items: Annotated[tuple[NewsItem, ...], Field(max_length=20)] = ()
    missing: Text | None = None
