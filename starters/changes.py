"""What a new revision says differently about a market."""

from collections.abc import Iterator

from desk.contracts.findings.claims import Claim
from desk.contracts.week.report import MarketReport, ResearchReport


def changes_between(
    before: ResearchReport | None, after: ResearchReport | None, market: str
) -> tuple[str, ...]:
    """A line for everything that changed; one line that says so when nothing did.

    Empty when one of the reports is not at hand.
    """
    if before is None or after is None:
        return ()
    old, new = _section(before, market), _section(after, market)
    if new is None:
        return (f"{market} is not in the report",)
    if old is None:
        return (f"{market} is new in the report",)
    return tuple(_changes(old, new)) or (f"{market}: every figure is as it was",)


def _changes(old: MarketReport, new: MarketReport) -> Iterator[str]:
    if old.outcome is not new.outcome:
        yield f"{new.market}: {old.outcome} -> {new.outcome}"
    was = {claim.claim_id: claim for claim in old.claims}
    now = {claim.claim_id: claim for claim in new.claims}
    for name, claim in now.items():
        if name not in was:
            yield f"{name} is new: {_figure(claim)}"
        elif was[name].value != claim.value:
            yield f"{name}: {_figure(was[name])} -> {_figure(claim)}"
    yield from (f"{name} is gone (was {_figure(was[name])})" for name in was if name not in now)
    if len(old.events) != len(new.events):
        yield f"{new.market}: {len(old.events)} -> {len(new.events)} events"


def _figure(claim: Claim) -> str:
    return f"{claim.value:f} {claim.unit.replace('_', ' ')}"


def _section(report: ResearchReport, market: str) -> MarketReport | None:
    return next((section for section in report.markets if section.market == market), None)
