"""What goes with the coverage line: what is stale, and who stood in for whom."""

from collections.abc import Iterator

from contracts.report import ResearchReport
from reporting.wording import human

MOST_NAMED = 12


def coverage_lines(report: ResearchReport) -> tuple[str, ...]:
    """A line on stale rates and one for each task that another agent took over."""
    return (*_stale(report), *_taken_over(report))


def _stale(report: ResearchReport) -> Iterator[str]:
    areas = [row.area for row in report.policy_rates if row.stale and row.rate is not None]
    if areas:
        total = sum(row.rate is not None for row in report.policy_rates)
        named = ", ".join(areas[:MOST_NAMED])
        more = f" and {len(areas) - MOST_NAMED} more" if len(areas) > MOST_NAMED else ""
        yield (
            f"Stale: {len(areas)} of {total} policy rates ({named}{more}); "
            "later changes may not be in them"
        )


def _taken_over(report: ResearchReport) -> Iterator[str]:
    for market in report.markets:
        for line in market.agents:
            if line.reassigned_from and line.delivered:
                yield (
                    f"Fallback: {market.market}, {human(line.task_type)} by {human(line.agent)} "
                    f"in place of {human(line.reassigned_from)}"
                )
