"""The parts that a market's section prints in full, and those that it only refers to.

A decision of the Federal Reserve is an event of every dollar pair. It is printed in full in the
section of its area; the pairs' sections name it in a line. The JSON form has all of it.
"""

from datetime import date
from typing import NamedTuple

from desk.contracts.findings.results import Tone
from desk.contracts.markets import MarketKind
from desk.contracts.week.report import CalendarRow, MarketReport, ReportedEvent, ResearchReport
from desk.programs.week.document.rendering.once.lacking import Lacking


class Digest(NamedTuple):
    """One market's events and remarks, without those that an area's section prints word for word.

    `decisions` are the calendar rows of the events that are printed there.
    """

    events: tuple[ReportedEvent, ...]
    decisions: tuple[CalendarRow, ...]
    missing: tuple[str, ...]
    warnings: tuple[str, ...]
    tones: tuple[Tone, ...] = ()


class _WeekDigest(NamedTuple):
    decisions: dict[tuple[str | None, date], CalendarRow]
    remarks: frozenset[str]


_TextKey = tuple[object, ...]
"""The key by which two tones are of the same text."""


def digests(report: ResearchReport, lacking: Lacking | None = None) -> dict[str, Digest]:
    """Returns the digest of every market. Gaps that are printed once for all banks are in none of
    them."""
    once = (lacking or Lacking(report)).remarks
    told = _printed_by_areas(report, once)
    nowhere = _WeekDigest({}, once)
    own = {
        _text(t) for market in report.markets for t in market.tones if t.subject == market.market
    }
    return {
        market.market: _digest(
            market, told if market.kind is MarketKind.PAIR else nowhere
        )._replace(tones=_tones(market, own))
        for market in report.markets
    }


def _tones(market: MarketReport, own: set[_TextKey]) -> tuple[Tone, ...]:
    """Returns the market's tones. A bank's statement is omitted if its area has a section, which
    prints it."""
    return tuple(t for t in market.tones if t.subject == market.market or _text(t) not in own)


def _text(tone: Tone) -> _TextKey:
    return tone.subject, tone.url, tone.title, tone.published_at


def _printed_by_areas(report: ResearchReport, once: frozenset[str]) -> _WeekDigest:
    areas = [market for market in report.markets if market.kind is MarketKind.POLICY_RATE]
    events = {(event.area, event.event_date) for area in areas for event in area.events}
    rows = {(row.area, row.day): row for row in report.calendar}
    return _WeekDigest(
        {key: row for key, row in rows.items() if key in events},
        once.union(line for area in areas for line in (*area.missing, *area.warnings)),
    )


def _digest(market: MarketReport, told: _WeekDigest) -> Digest:
    keys = [(event.area, event.event_date) for event in market.events]
    return Digest(
        events=tuple(
            event
            for event, key in zip(market.events, keys, strict=True)
            if key not in told.decisions
        ),
        decisions=tuple(
            told.decisions[key] for key in dict.fromkeys(keys) if key in told.decisions
        ),
        missing=tuple(line for line in market.missing if line not in told.remarks),
        warnings=tuple(line for line in market.warnings if line not in told.remarks),
    )
