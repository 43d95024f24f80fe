"""The lesson of a week's run: its forecasts, troubles, sources and agents."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import chain, islice
from typing import Final

from desk.analytics.weeks import window_of
from desk.contracts.agents.config import RunConfig, ScheduleConfig
from desk.contracts.agents.search_attributes import COUNTED
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import (
    ConflictRecord,
    Forecast,
    Position,
    ResearchResult,
    ViewKind,
)
from desk.contracts.findings.verdicts import ClaimCheck, ClaimStatus, ClaimVerdict
from desk.contracts.learning.lessons import AgentRecord, Lesson, MadeForecast, SourceRecord
from desk.contracts.names import AgentId
from desk.contracts.runs.week import WeekRecord
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.contracts.weeks import monday_of, week_of
from desk.learning.forecasts import carry_probability
from desk.learning.lessons.troubles import troubles_of
from desk.runs.tools import tool_uses
from desk.trust.conflicts import agree, who_overruled, who_overruled_claim

MOST_TROUBLES: Final = 200
MOST_FORECASTS: Final = 400
MOST_TOOLS: Final = 200
MOST_SOURCES: Final = 50

VERIFIED: Final = "verified"
CONTESTED: Final = "contested"
REJECTED: Final = "rejected"
"""The counts of a source's record."""


def lesson_of(
    record: WeekRecord,
    config: RunConfig,
    *,
    workflow_id: str,
    whole: bool,
    told_at: datetime,
    by_series: bool = False,
) -> Lesson:
    """Returns the lesson of a run's week. A run of some of the markets is not `whole`. `by_series`
    is for runs of earlier versions: a claim whose series agrees with another origin's averages then
    counts as confirmed.

    Of more than `MOST_TROUBLES` the rest is only counted. Only a whole week makes forecasts.
    """
    desk_work = tuple(line for line in (record.planning, record.commenting) if line is not None)
    troubles = troubles_of(record.outcomes, desk_work, told_at)
    kept = tuple(islice(troubles, MOST_TROUBLES))
    return Lesson(
        workflow_id=workflow_id,
        week=record.week,
        as_of=record.window.end,
        told_at=told_at,
        whole=whole,
        expected=len(config.markets),
        researched=sum(each.outcome in COUNTED for each in record.outcomes),
        forecasts=_forecasts(record, config.schedule) if whole else (),
        troubles=kept,
        more_troubles=sum(1 for _ in troubles),
        tools=tool_uses(record.outcomes)[:MOST_TOOLS],
        sources=source_records(record.outcomes, by_series=by_series)[:MOST_SOURCES],
        agents=_agents([*desk_work, *_contributions(record.outcomes)]),
    )


def source_records(
    outcomes: Iterable[MarketOutcome], *, by_series: bool = False
) -> tuple[SourceRecord, ...]:
    """Returns the number of verified, contested and rejected claims of each server, by server name.

    A claim that other sources confirm, which a report calls verified, counts for its servers and
    for theirs; a rejected claim counts against its own. A contested claim counts as its conflict
    was decided, and for no server if it was not. Derived claims do not count, because their inputs
    do.
    """
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for outcome in outcomes:
        for server, counted in chain(
            _by_verdicts(outcome, by_series=by_series), _by_conflicts(outcome)
        ):
            found[server][counted] += 1
    return tuple(SourceRecord(server=server, **counts) for server, counts in sorted(found.items()))


def _forecasts(record: WeekRecord, schedule: ScheduleConfig) -> tuple[MadeForecast, ...]:
    found = (
        made
        for outcome in record.outcomes
        for result in outcome.results
        if (made := _forecast(record.week, outcome, result, schedule)) is not None
    )
    return tuple(islice(found, MOST_FORECASTS))


def _forecast(
    week: str, outcome: MarketOutcome, result: ResearchResult, schedule: ScheduleConfig
) -> MadeForecast | None:
    """Returns an agent's forecast for its market. None if it made none, or if the level that it
    starts from has been rejected or rests on no answer."""
    view = next(
        (
            view
            for view in result.views
            if view.kind is ViewKind.DIRECTION
            and view.subject == outcome.market
            and view.forecast is not None
        ),
        None,
    )
    forecast = view.forecast if view else None
    level = _surviving_claim(outcome, result, Metric.LAST)
    server = _servers(outcome).get(level.evidence[0]) if level and level.evidence else None
    if view is None or forecast is None or level is None or server is None:
        return None
    return MadeForecast(
        market=outcome.market,
        agent=result.agent,
        week=week,
        due=_due(week, forecast.weeks, schedule),
        probability=forecast.probability,
        carry=_carry(outcome, forecast),
        level=level.value,
        level_on=level.as_of,
        server=server,
        overruled_by=who_overruled(outcome.conflicts, outcome.market, view.leaning)
        or who_overruled_claim(outcome.conflicts, result.agent, level.claim_id),
    )


def _due(week: str, weeks: int, schedule: ScheduleConfig) -> datetime:
    """Returns the as-of instant of the week that is so many weeks later."""
    return window_of(week_of(monday_of(week) + timedelta(weeks=weeks)), schedule).end


def _carry(outcome: MarketOutcome, forecast: Forecast) -> float | None:
    """Returns the carry's forecast, from the first differential of the pair that an agent claims
    and that was not rejected."""
    for result in outcome.results:
        if (claim := _surviving_claim(outcome, result, Metric.DIFFERENTIAL)) is not None:
            return carry_probability(claim.value, forecast.weeks, forecast.deviation)
    return None


def _surviving_claim(
    outcome: MarketOutcome, result: ResearchResult, metric: Metric
) -> Claim | None:
    wanted = claim_id(outcome.market, metric)
    rejected = any(
        verdict.claim_id == wanted
        and verdict.status is ClaimStatus.REJECTED
        and verdict.result in (None, result.result_id)
        for verdict in _verdicts(outcome)
    )
    if rejected:
        return None
    return next((claim for claim in result.claims if claim.claim_id == wanted), None)


def _by_verdicts(outcome: MarketOutcome, *, by_series: bool) -> Iterator[tuple[str, str]]:
    """Yields the servers behind each claim that is in no conflict or is rejected, and how it
    counts."""
    delivered, servers = _delivered(outcome), _servers(outcome)
    disputed = {position.claim_id for record in outcome.conflicts for position in record.positions}
    for verdict in _verdicts(outcome):
        counted = _counted(verdict, by_series=by_series)
        if counted is None or (counted != REJECTED and verdict.claim_id in disputed):
            continue
        judged = [
            claim
            for result_id, claim in delivered.get(verdict.claim_id, ())
            if verdict.result in (None, result_id) and not claim.inputs
        ]
        named = {name for claim in judged for name in claim.evidence}
        if named and counted == VERIFIED:
            named.update(verdict.evidence)
        for server in {servers[name] for name in named if name in servers}:
            yield server, counted


def _counted(verdict: ClaimVerdict, *, by_series: bool) -> str | None:
    """Returns how a verdict by itself counts for its sources. Only a claim that a report calls
    verified is confirmed by another origin. Monthly averages that agree with a series confirm none
    of its figures."""
    if verdict.status is ClaimStatus.REJECTED:
        return REJECTED
    single = verdict.status is ClaimStatus.SINGLE_SOURCE
    agrees = by_series and single and verdict.decided_by is ClaimCheck.SERIES
    return VERIFIED if verdict.status is ClaimStatus.VERIFIED or agrees else None


def _by_conflicts(outcome: MarketOutcome) -> Iterator[tuple[str, str]]:
    """Yields the servers behind the positions on claims, and how the decision of each conflict
    counts for them. A server behind both sides counts for neither."""
    derived = {
        name for name, claims in _delivered(outcome).items() if any(c.inputs for _, c in claims)
    }
    for record in outcome.conflicts:
        parties = [
            position
            for position in record.positions
            if position.claim_id is not None and not position.abstains
        ]
        if not derived.isdisjoint(position.claim_id for position in parties):
            continue
        held, lost = _decided(record, parties)
        yield from ((server, VERIFIED) for server in held - lost)
        yield from ((server, CONTESTED) for server in lost - held)


def _decided(record: ConflictRecord, parties: Sequence[Position]) -> tuple[set[str], set[str]]:
    """Returns the servers that agree with the decision, and those that do not. Both are empty
    without a decision or if the values cannot be compared."""
    chosen = next((each for each in parties if each.stated == record.chosen), None)
    if chosen is None or not record.resolved:
        return set(), set()
    held, lost = set[str](), set[str]()
    try:
        for each in parties:
            if each.server is not None:
                (held if agree(record.kind, chosen, each, record.bounds) else lost).add(each.server)
    except ValueError:
        return set(), set()
    return held, lost


def _delivered(outcome: MarketOutcome) -> Mapping[str, Sequence[tuple[str, Claim]]]:
    """Returns by claim id every claim of that id, with the id of its result."""
    found: defaultdict[str, list[tuple[str, Claim]]] = defaultdict(list)
    for result in outcome.results:
        for claim in result.claims:
            found[claim.claim_id].append((result.result_id, claim))
    return found


def _verdicts(outcome: MarketOutcome) -> Sequence[ClaimVerdict]:
    return outcome.validation.verdicts if outcome.validation else ()


def _servers(outcome: MarketOutcome) -> Mapping[str, str]:
    """Returns by evidence id the server that was called."""
    return {result.evidence_id: result.call.server for result in outcome.evidence}


def _contributions(outcomes: Iterable[MarketOutcome]) -> Iterator[Contribution]:
    for outcome in outcomes:
        yield from outcome.agents


def _agents(lines: Iterable[Contribution]) -> tuple[AgentRecord, ...]:
    """Returns each agent's tasks, including those that were reassigned to another."""
    tasks: Counter[AgentId] = Counter()
    delivered: Counter[AgentId] = Counter()
    reassigned: Counter[AgentId] = Counter()
    turns: Counter[AgentId] = Counter()
    cost: dict[AgentId, Decimal] = {}
    for line in lines:
        tasks[line.agent] += 1
        delivered[line.agent] += line.delivered
        turns[line.agent] += line.turns
        cost[line.agent] = cost.get(line.agent, Decimal(0)) + line.usage.cost_usd
        if line.reassigned_from is not None:
            tasks[line.reassigned_from] += 1
            reassigned[line.reassigned_from] += 1
    return tuple(
        AgentRecord(
            agent=agent,
            tasks=tasks[agent],
            delivered=delivered[agent],
            reassigned=reassigned[agent],
            turns=turns[agent],
            cost_usd=cost.get(agent, Decimal(0)),
        )
        for agent in sorted(tasks)
    )
