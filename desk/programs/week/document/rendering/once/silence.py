"""Whether a week had no source that could say why a market moved.

This is a module of its own because `desk status` uses it, and must not load the rest of the gaps.
"""

from typing import Final

from desk.contracts.agents.capabilities import OWN_SOURCES, USUAL_ROUTES, Capability
from desk.contracts.week.report import ResearchReport

_NEWS: Final = (
    frozenset(
        route.server
        for capability in (Capability.NEWS_SEARCH, Capability.BANK_NEWS)
        for route in USUAL_ROUTES[capability]
    )
    - OWN_SOURCES
)


def is_silent(report: ResearchReport) -> bool:
    """Returns whether no news was reported on any market and some source of news could not be
    asked."""
    servers = {source.server for source in report.coverage.unreachable}
    return not _NEWS.isdisjoint(servers) and not any(m.reported for m in report.markets)
