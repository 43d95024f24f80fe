"""A company's quarterly accounts as known at an instant, and their figures and signal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Final

from desk.analytics.technical.companies import (
    LARGE_GROWTH,
    MOST_STRENGTH,
    UNKNOWN_FILING_DELAY,
    AccountItem,
    AccountLine,
    line_of,
    quotient,
)
from desk.analytics.technical.measures import CENT, Unmeasured, share, towards
from desk.contracts.episode.analysis import Hint, MeasuredFigure, Signal
from desk.contracts.findings.claims import Metric

QUARTER_DELAY: Final = timedelta(days=45)
"""How long after its end a quarter counts as unknown if no report day is given: the longest that
the SEC allows for a quarterly report (Form 10-Q). The last quarter of a financial year comes with
the annual report, and takes `UNKNOWN_FILING_DELAY`."""

OF_QUARTERS: Final = (
    "Revenue of the newest quarter known at as_of, compared with the same quarter a year before, "
    "and its net income divided by its revenue, in percent. A quarter counts as known from the end "
    f"of the day of its report (UTC); if that is not known, from {QUARTER_DELAY.days} days after "
    f"its end, and from {UNKNOWN_FILING_DELAY.days} days after the end of a financial year."
)

_A_YEAR: Final = (355, 376)
"""Days between the ends of a quarter and of the same one a year later, years of 52 and 53 weeks
included."""

_SENTENCES: Final = {
    Hint.UP: "The revenue of the last quarter was above that of a year before",
    Hint.DOWN: "The revenue of the last quarter was below that of a year before",
    Hint.NEUTRAL: "The revenue of the last quarter was level with that of a year before",
}

_Quarter = dict[AccountItem, AccountLine]


@dataclass(frozen=True, slots=True)
class Quarters:
    """The quarterly accounts of a company. `notes` say what was omitted, and why."""

    lines: tuple[AccountLine, ...] = ()
    notes: tuple[str, ...] = ()

    def known(self, as_of: datetime) -> "Quarters":
        """What was known at an instant, oldest first."""
        lines = (line for line in self.lines if line.known_from <= as_of)
        return Quarters(tuple(sorted(lines, key=lambda at: (at.period_end, at.name))), self.notes)


def longest_delay(end: date, year_ends: Iterable[date]) -> timedelta:
    """How long a quarter may go unreported: longer if a financial year ends with it, or if the ends
    of the financial years are unknown."""
    months = {year.month for year in year_ends}
    return UNKNOWN_FILING_DELAY if not months or end.month in months else QUARTER_DELAY


def figures_of(known: Quarters) -> tuple[tuple[MeasuredFigure, ...], tuple[str, ...]]:
    """The growth and the margin of the newest quarter, dated to its end, and why one of them is
    missing."""
    ends = sorted({line.period_end for line in known.lines}, reverse=True)
    if not ends:
        return (), ()
    newest = _quarter(known.lines, ends[0])
    before = next((e for e in ends if _A_YEAR[0] <= (ends[0] - e).days <= _A_YEAR[1]), None)
    measures: Mapping[Metric, Callable[[], Decimal]] = {
        Metric.QUARTER_REVENUE_GROWTH: partial(_growth, newest, known.lines, before),
        Metric.QUARTER_NET_MARGIN: partial(_margin, newest),
    }
    figures: list[MeasuredFigure] = []
    missing: list[str] = []
    for metric, measure in measures.items():
        try:
            value = measure().quantize(CENT)
        except Unmeasured as reason:
            missing.append(f"{metric}: {reason}.")
            continue
        figures.append(MeasuredFigure(metric=metric, value=value or abs(value), as_of=ends[0]))
    return tuple(figures), tuple(missing)


def growth_signal(growth: Decimal) -> Signal:
    """The signal of a quarter's growth on the year, in percent."""
    hint = towards(growth)
    strength = share(MOST_STRENGTH * min(1.0, abs(float(growth)) / LARGE_GROWTH))
    return Signal(
        name="quarter's revenue", hint=hint, strength=strength, words=f"{_SENTENCES[hint]}."
    )


def _quarter(lines: Sequence[AccountLine], end: date) -> _Quarter:
    named = set(AccountItem)
    return {AccountItem(at.name): at for at in lines if at.period_end == end and at.name in named}


def _growth(newest: _Quarter, lines: Sequence[AccountLine], before: date | None) -> Decimal:
    if before is None:
        raise Unmeasured("no quarter a year before the newest one was known")
    earlier = line_of(_quarter(lines, before), AccountItem.REVENUE)
    return 100 * (quotient(line_of(newest, AccountItem.REVENUE), earlier) - 1)


def _margin(newest: _Quarter) -> Decimal:
    income = line_of(newest, AccountItem.NET_INCOME)
    return 100 * quotient(income, line_of(newest, AccountItem.REVENUE))
