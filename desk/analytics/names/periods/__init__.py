"""Parses the period that a question names, and finds which of its words were parsed.

It parses ISO 8601's weeks, months and spans; `this` and `last` before a unit of time; a number of
units (`the past three months`); to-date expressions (`year to date`, `on the month`, `ytd`); `the
year`; expressions with `ago`; a month, a quarter (`Q3`) or a northern season by its name; a year
(`in 2024`, `at the end of 2024`); a day (`on 5 August 2024`); spans between two days, months or
years; and `since` or `since the start of` before one of these. No other English is parsed. Other
words of time in a question are recognised by the Unicode CLDR's names of units of time, months,
quarters and days of the week, through Babel, and by `since`. If one of them was not parsed, the
question may be about other days than those that were measured.

No library does this well enough: of 80 expressions as strategists type them, read as of 30 October
2026, date-wrangler 2.3.0 had 59 right and 13 wrong, this package 44 and 8, recognizers-text 39 and
26, dateparser 1.5.0 20 and 40. Wrong days are worse than none.
"""

from desk.analytics.names.periods.coming import days_coming
from desk.analytics.names.periods.decisions import SinceDecision, since_decision
from desk.analytics.names.periods.lengths import NUMBERS, SpanNamed, span_given, spans_named
from desk.analytics.names.periods.reading import (
    READ,
    UNREAD,
    Period,
    names_period,
    objective_window,
    period_given,
    period_named,
    periods_named,
)
from desk.analytics.names.periods.time_words import limits_ahead, words_ahead

__all__ = [
    "NUMBERS",
    "READ",
    "UNREAD",
    "Period",
    "SinceDecision",
    "SpanNamed",
    "days_coming",
    "limits_ahead",
    "names_period",
    "objective_window",
    "period_given",
    "period_named",
    "periods_named",
    "since_decision",
    "span_given",
    "spans_named",
    "words_ahead",
]
