"""Labelled contradictions, and what only looks like one, from the desk's own data.

The levels are the packaged reference rates, the decisions and rates those of the project's tables.
Every true figure is a real one; every wrong one is a real figure of another day, sign or form. Two
forms are made up, because the project has no data for them: a fixing at another hour lies a
quarter of the way to the next day's, and sources other than the desk's are called by letters.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from desk.analytics.comparison.normalise import StatedFigure
from desk.contracts.agents.tools import DataSource, SourceTier, ToolResult
from desk.contracts.findings.claims import Claim, Metric, Unit, claim_id
from desk.contracts.findings.results import ResearchResult, View
from desk.contracts.markets import MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.weeks import TimeWindow
from tests.support.builders import PAIRS, real_fixings
from tests.support.processes.homes import PROJECT

FACTS: Final = PROJECT / "desk" / "sources" / "central_banks" / "facts"
EARLIEST: Final = datetime(2026, 1, 1, tzinfo=UTC)
ECB: Final = "European Central Bank"
BIS: Final = "Bank for International Settlements"
SCALED: Final = {"USD/JPY": 2, "USD/KRW": 3, "USD/INR": 2, "USD/IDR": 3, "USD/THB": 2, "USD/PHP": 2}
"""The power of ten by which a pair is quoted for many units."""


class Expected(StrEnum):
    """What should become of a case."""

    AGREEMENT = "no conflict"
    ARTEFACT = "artefact resolved"
    RIGHT = "settled right"
    PERSON = "escalated"


class Case(NamedTuple):
    """Some results and who of them is right. With `statements` the case is about those two, and
    the results only carry them for whoever does not normalise. With a `reading` the results cite
    tool results, which can be read again."""

    group: str
    expected: Expected
    results: tuple[ResearchResult, ...]
    right: frozenset[str]
    statements: tuple[StatedFigure, StatedFigure] | None = None
    reading: "Reading | None" = None


class Reading(NamedTuple):
    """What the results of a case cite, and what it takes to read it."""

    market: MarketSpec
    evidence: tuple[ToolResult, ...]
    window: TimeWindow


@dataclass(frozen=True, slots=True)
class Voice:
    """How a result speaks: how sure, on which source, and retrieved as the how many-th."""

    name: str
    confidence: float = 0.9
    tier: SourceTier = SourceTier.AUTHORITATIVE
    origin: str = ECB
    turn: int = 0

    def result(self, *claims: Claim, views: Sequence[View] = ()) -> ResearchResult:
        """A result with these claims and views on this voice's source."""
        source = DataSource(
            server="suite",
            tool="get",
            name=f"{self.origin}, table",
            tier=self.tier,
            origin=self.origin,
            retrieved_at=EARLIEST + timedelta(minutes=self.turn),
            evidence_id=self.name,
        )
        return ResearchResult(
            result_id=self.name,
            task_id=self.name,
            agent=list(AgentId)[1 + sum(map(ord, self.name)) % 2],
            market=(claims[0].subject if claims else views[0].subject),
            claims=tuple(c.model_copy(update={"evidence": (self.name,)}) for c in claims),
            views=tuple(views),
            sources=(source,),
            confidence=self.confidence,
        )


class Level(NamedTuple):
    """A pair's real fixing of a day, the one before it and the one after."""

    pair: str
    day: date
    before: Decimal
    value: Decimal
    after: Decimal

    @property
    def move(self) -> Decimal:
        """The percent change from the day before."""
        return (100 * (self.value / self.before - 1)).quantize(Decimal("0.01"))


class Decided(NamedTuple):
    """A real decision of the project's table."""

    area: str
    day: date
    rate: Decimal
    change: Decimal
    low: Decimal | None
    high: Decimal | None
    instrument: str


SURE: Final = Voice("sure")
CLOSE: Final = Voice("close", 0.7, SourceTier.SECONDARY, "source A")
DOUBTFUL: Final = Voice("doubtful", 0.3, SourceTier.SECONDARY, "source A")


@cache
def levels() -> tuple[Level, ...]:
    """For every pair a fixing that lies more than two percent from the one 60 fixings before."""
    found = []
    for number, pair in enumerate(PAIRS):
        series = real_fixings(pair)
        for place in range(len(series) - 40 - 7 * number, 100, -1):
            day, value = series[place]
            if _far(value, series[place - 60][1]) and abs(value / series[place - 1][1] - 1) > 0.002:
                neighbours = series[place - 1][1], value, series[place + 1][1]
                found.append(Level(pair, day, *neighbours))
                break
    return tuple(found)


def stale(level: Level) -> Decimal:
    """The pair's real fixing of 60 fixings earlier."""
    series = dict(real_fixings(level.pair))
    days = sorted(series)
    return series[days[days.index(level.day) - 60]]


@cache
def decisions() -> tuple[Decided, ...]:
    """The last change of each area in the project's table."""
    newest: dict[str, Decided] = {}
    for row in _rows("rate_decisions.csv"):
        if row["change_bp"] not in ("", "0"):
            newest[row["area"]] = _decided(row)
    return tuple(newest.values())


@cache
def all_decisions() -> tuple[Decided, ...]:
    """Every row of the table with a change, holds included."""
    return tuple(_decided(row) for row in _rows("rate_decisions.csv") if row["change_bp"])


def month_ends() -> Iterator[tuple[str, date, Decimal]]:
    """Area, last day of the month and rate, from the table of the BIS."""
    for row in _rows("bis_month_end_rates.csv"):
        year, month = map(int, row["month"].split("-"))
        last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        yield from ((a, last, Decimal(v)) for a, v in row.items() if a != "month" and v)


def of_level(level: Level, value: Decimal, *, metric: Metric = Metric.LAST) -> Claim:
    """A claim on a pair's level or move of a day."""
    unit = Unit.LEVEL if metric is Metric.LAST else Unit.PERCENT
    return claim_on(level.pair, metric, value, unit, level.day)


def of_decision(
    decided: Decided, change: Decimal, unit: Unit = Unit.BASIS_POINTS, day: date | None = None
) -> Claim:
    """A claim on the change that a decision made."""
    return claim_on(decided.area, Metric.DECISION_CHANGE, change, unit, day or decided.day)


def of_rate(decided: Decided, rate: Decimal, unit: Unit = Unit.PERCENT_A_YEAR) -> Claim:
    """A claim on the rate after a decision."""
    return claim_on(decided.area, Metric.DECISION_RATE, rate, unit, decided.day)


def two(
    group: str,
    expected: Expected,
    right: Claim,
    wrong: Claim,
    number: int,
    other: Voice = CLOSE,
    sure: Voice = SURE,
) -> Case:
    """A case of two voices; which is first and which is newer alternates with the number."""
    results = (turned(sure, number).result(right), turned(other, number + 1).result(wrong))
    ordered = results if number % 4 < 2 else results[::-1]
    names = {SURE.name, other.name} if expected is Expected.AGREEMENT else {SURE.name}
    return Case(group, expected, ordered, frozenset(names))


def both_right(case: Case) -> Case:
    """The case with all its results right, each in its own terms."""
    return case._replace(right=frozenset(result.result_id for result in case.results))


def turned(voice: Voice, number: int) -> Voice:
    """The voice as first or second to be retrieved, by the number's parity."""
    return replace(voice, turn=number % 2)


def claim_on(subject: str, metric: Metric, value: Decimal, unit: Unit, day: date) -> Claim:
    """A claim whose evidence is still to be named."""
    dated = metric in (Metric.DECISION_CHANGE, Metric.DECISION_RATE)
    return Claim(
        claim_id=claim_id(subject, metric, day if dated else None),
        subject=subject,
        metric=metric,
        value=value,
        unit=unit,
        as_of=day,
    )


def _decided(row: dict[str, str]) -> Decided:
    low, high = (Decimal(row[f"rate_{end}_pct"] or "NaN") for end in ("low", "high"))
    return Decided(
        area=row["area"],
        day=date.fromisoformat(row["decision_date"]),
        rate=Decimal(row["rate_pct"]),
        change=Decimal(row["change_bp"]),
        low=None if low.is_nan() else low,
        high=None if high.is_nan() else high,
        instrument=row["instrument"],
    )


def _rows(name: str) -> list[dict[str, str]]:
    with (FACTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _far(one: Decimal, other: Decimal) -> bool:
    return abs(one / other - 1) > Decimal("0.02")
