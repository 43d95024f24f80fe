"""The gaps of a week that are printed once: outcomes of decisions, calendars of banks, newer rates,
news."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from desk.analytics.figures import print_full_day, print_weekday
from desk.analytics.names.central_banks import named_in_a_sentence
from desk.contracts.findings.source_results import DecisionCalendar, PolicyRates
from desk.contracts.week.report import CalendarRow, Freshness, ResearchReport
from desk.documents.rendering.words.wording import named_together
from desk.programs.builtin.rate_remarks import known_until, without_calendar, without_outcome
from desk.programs.week.document.judging.claims import returned_by
from desk.programs.week.document.rendering.once.silence import is_silent
from desk.programs.week.document.sections.calendar import Undated, is_decided, undated_banks
from desk.trust.prose import clip

WHAT_TO_DO: Final = (
    "With a network, “desk refresh” fetches newer figures, and a new run asks the sources of news."
)


class Lacking:
    """The decisions, calendars and rates that a report lacks.

    A page prints each gap in one place for all banks, and omits the analysts' remarks about it for
    every market (`remarks`).
    """

    def __init__(self, report: ResearchReport) -> None:
        self._report = report

    @cached_property
    def unknown(self) -> tuple[CalendarRow, ...]:
        """The decisions in the window whose outcome no source has."""
        return tuple(r for r in self._report.calendar if not r.ahead and not is_decided(r))

    @cached_property
    def undated(self) -> Mapping[str, str]:
        """The banks with a rate and no announced decision day, by area."""
        return {each.area: each.bank for each in self._undated}

    @cached_property
    def _undated(self) -> tuple[Undated, ...]:
        told = self._report
        return undated_banks(told.policy_rates, told.calendar, told.evidence)

    @cached_property
    def remarks(self) -> frozenset[str]:
        """The analysts' remarks that are printed once for all banks."""
        return frozenset(clip(words) for words in self._remarks())

    @cached_property
    def _calendars(self) -> tuple[DecisionCalendar, ...]:
        return tuple(returned_by("get_decision_calendar", DecisionCalendar, self._report.evidence))

    def _remarks(self) -> Iterator[str]:
        undated = self.undated
        for calendar in self._calendars:
            for area, why in calendar.missing.items():
                if area in undated:
                    yield without_calendar(area, why)
        for answer in returned_by("get_policy_rate", PolicyRates, self._report.evidence):
            yield from (known_until(rate) for rate in answer.rates if rate.stale)
        yield from (without_outcome(row.area, row.bank, row.day) for row in self.unknown)

    @property
    def first_words(self) -> str | None:
        """What is not in the report, in a sentence, and what to do. None if everything is current
        and the sources of news were asked."""
        told = self._report.coverage.freshness
        parts = [*(_parts(told) if told else ()), *self._news()]
        return f"Not in this report: {named_together(parts)}. {WHAT_TO_DO}" if parts else None

    def _news(self) -> Iterator[str]:
        if is_silent(self._report):
            yield "news that says why a market moved"

    @property
    def unknown_words(self) -> str | None:
        """The decisions without an outcome, in a sentence."""
        if not self.unknown:
            return None
        named = named_together(f"{row.bank} ({print_weekday(row.day)})" for row in self.unknown)
        return f"Decided, with an outcome that no source of this report has: {named}."

    @property
    def undated_words(self) -> str | None:
        """The banks without a calendar, in a sentence."""
        if not self.undated:
            return None
        named = named_together(map(named_in_a_sentence, self.undated.values()))
        return (
            f"Of {named}, no announced day is on record: a decision of theirs in the week is not"
            f" counted among those due.{self._ends_words}"
        )

    @property
    def _ends_words(self) -> str:
        """The last announced days of the banks that have some on record; empty without any."""
        ended = [
            f"{print_full_day(each.ends)} ({named_in_a_sentence(each.bank)})"
            for each in self._undated
            if each.ends
        ]
        return f" Announced days on record end on {named_together(ended)}." if ended else ""


def _parts(told: Freshness) -> Iterator[str]:
    if told.open_decisions:
        yield f"what {told.open_decisions} bank{'s' if told.open_decisions > 1 else ''} decided"
    # The days that are known are in the line before, with the areas.
    if told.stale_prices:
        yield "later prices"
    if told.stale_rates:
        yield "later changes of policy rates"
