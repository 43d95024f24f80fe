"""Derives decisions from daily series of policy rates, and joins them to the tables of announced
ones.

The rule, by area:

1. A decision in the tables remains unchanged: the bank's announcement takes precedence over any
series. If a series has another level for it, the row's source says so. 2. After the end of the
tables' coverage, decisions come from the bank's own series, and after the end of that from the
BIS's. A step of a series within the bank's days from a scheduled meeting is the decision of that
meeting; any other is dated by the day on which it took effect. 3. A scheduled meeting was a hold if
a series extends beyond the last day on which its decision could have taken effect, and has the same
level until then. That rests on two sources, the calendar and the series, and the row's source names
both. 4. The coverage extends to the last day whose decisions a series would show by now.

A series records what a bank announced. A decision is therefore known from the announcement, as in
the tables: from the bank's hour on a scheduled day, else from the end of its day.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal

from desk.contracts.findings.source_results import DatePrecision
from desk.sources.central_banks.facts.policy import Area, Decision, Meeting, PolicyFacts
from desk.sources.central_banks.recorded.rate_series import RateSeries, Step


@dataclass(frozen=True, slots=True)
class RecordedRates:
    """A daily series of one area's policy rate, and its source.

    `origin` is its publisher, `name` the name of its rows, such as "BIS CBPOL daily". `ranges` are
    the bounds of a target range by day, if the series has them.
    """

    series: RateSeries
    origin: str
    name: str
    ranges: Mapping[date, tuple[Decimal, Decimal]] = field(default_factory=dict)


def with_recorded(
    facts: PolicyFacts, recorded: Mapping[str, Sequence[RecordedRates]]
) -> PolicyFacts:
    """The tables extended by series, by area; the series with precedence comes first.

    Areas for which the tables have no rate are unchanged.
    """
    for code, all_of_area in recorded.items():
        for rates in all_of_area:
            facts = _with_series(facts, code, rates)
    return facts


def _with_series(facts: PolicyFacts, code: str, rates: RecordedRates) -> PolicyFacts:
    area = facts.areas.get(code)
    if area is None or area.covered_until is None or area.effective_within_days is None:
        return facts
    meetings = [row for row in facts.meetings.get(code, ()) if row.withdrawn_from is None]
    recorded_series = _RecordedSeries(area, area.effective_within_days, meetings, rates)
    known = [recorded_series.beside(row) for row in facts.decisions[code]]
    later = _news(
        known[-1], [row for row in recorded_series.decisions() if row.day > area.covered_until]
    )
    return replace(
        facts,
        areas={**facts.areas, code: recorded_series.covered_to(later)},
        decisions={**facts.decisions, code: (*known, *later)},
    )


def _news(last: Decision, rows: Iterable[Decision]) -> list[Decision]:
    """Omits steps to a level that had been announced before, which only takes effect there."""
    kept: list[Decision] = []
    for row in rows:
        if not row.change or row.rate != last.rate:
            kept.append(row)
            last = row
    return kept


@dataclass(frozen=True, slots=True)
class _RecordedSeries:
    """One series of one area, combined with the bank's calendar."""

    area: Area
    days_to_effect: int
    meetings: Sequence[Meeting]
    rates: RecordedRates

    @property
    def shows_until(self) -> date:
        """The last day whose decisions have taken effect within the series."""
        return self.rates.series.last_day - timedelta(days=self.days_to_effect)

    def covered_to(self, later: Sequence[Decision]) -> Area:
        """The area with its coverage extended to the end of the series, never reduced."""
        before = self.area.covered_until or date.min
        until = max(before, self.shows_until, *(row.day for row in later))
        scheduled = max((row.day for row in self.meetings), default=date.min)
        # After the last scheduled day holds would be missing, and so no meeting can be counted.
        every_meeting = until <= scheduled or until == before
        return replace(
            self.area,
            covered_until=until,
            meetings_from=self.area.meetings_from if every_meeting else None,
        )

    def decisions(self) -> list[Decision]:
        """The decisions of the series from its first day on, oldest first."""
        found = {row.day: row for row in self._holds()}
        found |= {row.day: row for row in map(self._change, self.rates.series.steps)}
        return [found[day] for day in sorted(found)]

    def beside(self, row: Decision) -> Decision:
        """A row of the tables, with a remark if the series has another level."""
        if row.precision is DatePrecision.MONTH:
            return self._dated(row)
        level = self._level_after(row.day)
        if level is None or level == row.rate:
            return row
        return replace(row, source=f"{row.source}; {self.rates.name} has {level} instead")

    def _dated(self, row: Decision) -> Decision:
        """A change known by its month, with the day that the series has for it."""
        for change in map(self._change, self.rates.series.steps):
            same_month = (change.day.year, change.day.month) == (row.day.year, row.day.month)
            if same_month and change.rate == row.rate:
                return replace(
                    row,
                    day=change.day,
                    precision=change.precision,
                    known_from=change.known_from,
                    source=f"{row.source}; day: {self.rates.name}",
                )
        return row

    def _level_after(self, decided_on: date) -> Decimal | None:
        """The level once a decision has taken effect. None if the series does not show it, or
        another decision may have been taken meanwhile."""
        effective = decided_on + timedelta(days=self.days_to_effect)
        if decided_on < self.rates.series.first_day:
            return None
        if any(decided_on < row.day <= effective for row in self.meetings):
            return None
        return self.rates.series.level_on(effective)

    def _holds(self) -> Iterator[Decision]:
        for meeting in self.meetings:
            before = self.rates.series.level_on(meeting.day - timedelta(days=1))
            after = self._level_after(meeting.day)
            if before is not None and before == after and self._is_flat(meeting.day):
                yield self._decision(
                    meeting.day,
                    DatePrecision.DAY,
                    Step(meeting.day, before, after),
                    f"held, derived: {self.rates.name} has {after} before the meeting and until "
                    f"{meeting.day + timedelta(days=self.days_to_effect)}; "
                    f"meeting: {meeting.source}",
                )

    def _is_flat(self, decided_on: date) -> bool:
        effective = decided_on + timedelta(days=self.days_to_effect)
        return not any(decided_on <= step.day <= effective for step in self.rates.series.steps)

    def _change(self, step: Step) -> Decision:
        earliest = step.day - timedelta(days=self.days_to_effect)
        decided = [row for row in self.meetings if earliest <= row.day <= step.day]
        source = f"{self.rates.name}, {step.after} from {step.day}"
        if not decided:
            return self._decision(step.day, DatePrecision.EFFECTIVE, step, source)
        meeting = decided[-1]
        named = f"{source}; meeting: {meeting.source}"
        return self._decision(meeting.day, DatePrecision.DAY, step, named)

    def _decision(
        self, decided_on: date, precision: DatePrecision, step: Step, source: str
    ) -> Decision:
        on_schedule = precision is DatePrecision.DAY
        known_from = self.area.announcement_on if on_schedule else self.area.end_of
        low, high = self.rates.ranges.get(step.day, (None, None))
        return Decision(
            area=self.area,
            day=decided_on,
            precision=precision,
            known_from=known_from(decided_on),
            rate=step.after,
            change=_plain((step.after - step.before) * 100),
            low=low,
            high=high,
            instrument=self.area.instrument,
            source=source,
            origin=self.rates.origin,
        )


def _plain(value: Decimal) -> Decimal:
    """A figure without trailing zeros."""
    return Decimal(f"{value.normalize():f}")
