"""The coverage of a week: what was expected, what is covered, and what is missing and why."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from desk.agents.answer_form import unreachable_since
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.search_attributes import COUNTED, Outcome
from desk.contracts.agents.tools import UnreachableSource
from desk.contracts.week.report import Coverage, MarketOutcome, MissingMarket
from desk.runs.assignments import merged_outages
from desk.trust.prose import clip

NOT_REACHED: Final = "its research had not ended when the report was due"
UNEXPLAINED: Final = "its research ended without a result and without a reason"
DEAD_LETTERED: Final = "its task failed for good with every agent and is kept as a dead letter"


def coverage_of(
    outcomes: Mapping[str, MarketOutcome],
    config: RunConfig,
    elsewhere: Collection[str] = (),
) -> Coverage:
    """Computes the coverage of the configured markets. Each is counted, or missing with a reason.
    Freshness is added later. `elsewhere` are remarks that apply to other markets too and are
    printed once for all; they are not a market's own reason."""
    expected = config.market_names
    there = [market for market in expected if is_counted(outcomes.get(market))]
    return Coverage(
        expected=len(expected),
        researched=len(there),
        threshold=config.policy.thresholds.coverage,
        current_threshold=config.policy.thresholds.current,
        missing=tuple(
            MissingMarket(market=market, reason=reason_of(outcomes.get(market), elsewhere))
            for market in expected
            if market not in there
        ),
        outages=merged_outages(
            outage
            for outcome in outcomes.values()
            for line in outcome.agents
            for outage in line.outages
        ),
        unreachable=(*config.policy.unreachable, *_stopped(outcomes.values())),
        notes=tuple(
            clip(f"{market} is partial: {reason_of(outcomes[market], elsewhere)}")
            for market in there
            if outcomes[market].outcome is Outcome.PARTIAL
        ),
    )


def _stopped(outcomes: Iterable[MarketOutcome]) -> Iterator[UnreachableSource]:
    """Yields the live sources that left calls without an answer, without duplicates."""
    unanswered: defaultdict[str, list[tuple[datetime, str]]] = defaultdict(list)
    for outcome in outcomes:
        for result in outcome.evidence:
            since, why = unreachable_since(result.content)
            if since is not None:
                unanswered[result.call.server].append((since, why))
    for server, told in sorted(unanswered.items()):
        since, why = min(told)
        yield UnreachableSource(server=server, since=since, reason=clip(why), unanswered=len(told))


def is_counted(outcome: MarketOutcome | None) -> bool:
    """Returns whether a market counts as researched."""
    return outcome is not None and outcome.outcome in COUNTED


def reason_of(outcome: MarketOutcome | None, elsewhere: Collection[str] = ()) -> str:
    """Returns why a market is missing or partial, in the words of its agents. Omits remarks that
    are printed `elsewhere` if there are others."""
    if outcome is None:
        return NOT_REACHED
    reasons = list(dict.fromkeys(outcome.missing))
    reasons = [reason for reason in reasons if reason not in elsewhere] or reasons
    if not reasons:
        reasons = [line.error for line in outcome.agents if not line.delivered and line.error]
    if outcome.outcome is Outcome.DEAD_LETTERED:
        reasons = [DEAD_LETTERED, *reasons]
    told = (reason.removeprefix(f"{outcome.market}: ").removesuffix(".") for reason in reasons)
    return clip("; ".join(told)) if reasons else UNEXPLAINED
