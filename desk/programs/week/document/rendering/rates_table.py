"""The table of policy rates: the line of each area over the year, and the notes of its rows. A note
of several rows is printed once below the table."""

from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from string import ascii_lowercase
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day, print_known_day
from desk.analytics.names.central_banks import named_in_a_sentence
from desk.analytics.names.listing import listed
from desk.analytics.prices.rate_steps import Point, rate_steps
from desk.analytics.prices.series import window_days
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.source_results import MonthEndRates, PolicyRate
from desk.contracts.week.report import RateRow, ResearchReport
from desk.documents.rendering.drawing.sparks import spark_points
from desk.programs.week.document.judging.claims import returned_by
from desk.programs.week.document.rendering.wording import UNEVEN
from desk.programs.week.document.sections.markets import CHART_SPAN
from desk.programs.week.document.sections.tables import policy_rate_facts

SHARED_BY: Final = 2
"""A note of at least this many rows is printed below the table."""


class RateNotes(NamedTuple):
    """The notes of a table. `shared` are those below it, by their marks. `marks` are the marks of
    each area's row, `own` the notes of that area alone."""

    shared: Mapping[str, str]
    marks: Mapping[str, str]
    own: Mapping[str, str]


def noted_rates(rows: Sequence[RateRow]) -> RateNotes:
    """Returns the notes of a table, without duplicates."""
    parts = {row.area: row.remarks for row in rows}
    counts = Counter(part for each in parts.values() for part in each)
    shared = [part for part, count in counts.most_common() if count >= SHARED_BY]
    marked = dict(zip(shared, ascii_lowercase, strict=False))
    return RateNotes(
        shared={mark: part for part, mark in marked.items()},
        marks={
            area: " ".join(marked[part] for part in told if part in marked)
            for area, told in parts.items()
        },
        own={
            area: "; ".join(part for part in told if part not in marked)
            for area, told in parts.items()
        },
    )


def instruments(report: ResearchReport) -> Mapping[str, str]:
    """Returns the instrument whose rate is printed as each area's policy rate: `one-year loan prime
    rate`. Areas without a rate are not included."""
    facts = policy_rate_facts(report.evidence)
    rated = (row.area for row in report.policy_rates if row.rate is not None)
    return {area: facts[area].instrument for area in rated if area in facts}


def uneven(report: ResearchReport) -> tuple[str, ...]:
    """Returns the areas whose differentials compare rates of different days: the base rate changed
    after the last day to which theirs is known."""
    facts = policy_rate_facts(report.evidence)
    base = facts.get(report.base_area)
    if base is None or base.since is None:
        return ()
    rows = report.policy_rates
    return tuple(row.area for row in rows if _is_before(row, facts, base.since))


def differential_words(report: ResearchReport) -> str | None:
    """Says which differentials are marked as uneven, and why, in a sentence. None without any."""
    facts, older = policy_rate_facts(report.evidence), uneven(report)
    base = facts.get(report.base_area)
    if not older or base is None or base.since is None:
        return None
    days = sorted({day for area in older if (day := facts[area].covered_until)})
    known = listed(print_full_day(day) for day in days)
    changed = print_known_day(base.since, base.since_precision)
    return (
        f"{UNEVEN} The differentials of {listed(older)} and of their pairs combine rates of "
        f"different days: rates there are known to {known}, and that of "
        f"{named_in_a_sentence(base.bank)} changed on {changed}. "
        "Later decisions there are not included."
    )


def _is_before(row: RateRow, facts: Mapping[str, PolicyRate], changed: date) -> bool:
    fact = facts.get(row.area)
    if row.differential is None or fact is None or not fact.stale:
        return False
    return fact.covered_until is not None and fact.covered_until < changed


def rate_lines(report: ResearchReport) -> dict[str, str]:
    """Returns the small line of each area's policy rate over the year. Areas without a rate are not
    included."""
    _, last = window_days(report.window)
    first, ends = last - CHART_SPAN, month_ends(report.evidence)
    changes = {
        r.area: (r.since, r.rate) for r in report.policy_rates if r.since and r.rate is not None
    }
    steps = {
        area: rate_steps([change], ends.get(area, ()), first, last)
        for area, change in changes.items()
    }
    lines = {area: spark_points(each, in_steps=True, first=first) for area, each in steps.items()}
    return {area: line for area, line in lines.items() if line}


def month_ends(evidence: Iterable[ToolResult]) -> Mapping[str, Sequence[Point]]:
    """Returns the policy rates at month ends by area, as a collector of rates publishes them."""
    found: dict[str, dict[date, Decimal]] = {}
    for answer in returned_by("get_month_end_rates", MonthEndRates, evidence):
        for told in answer.rates:
            month = date.fromisoformat(f"{told.month}-01")
            end = month.replace(day=monthrange(month.year, month.month)[1])
            found.setdefault(told.area, {})[end] = told.rate
    return {area: tuple(sorted(rates.items())) for area, rates in found.items()}
