"""Finds the findings that cannot all be right, and settles each conflict where the rules can."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import combinations
from typing import Final, NamedTuple

from desk.analytics.comparison import (
    LITTLE_CHANGED,
    Comparable,
    Difference,
    StatedFigure,
    normalise,
    statement_of,
)
from desk.analytics.names.quotation import reversed_pair, reversed_statement
from desk.contracts.agents.config import VotingConfig
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    Bounds,
    ConflictKind,
    ConflictRecord,
    Leaning,
    Position,
    ResearchResult,
    View,
    ViewKind,
)
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome
from desk.trust.claims.rejections import without_rejected
from desk.trust.conflicts.bounds import NO_RANGES, Ranges, bounds_of
from desk.trust.conflicts.positions import (
    StatedClaim,
    claim_position,
    origin_of,
    view_position,
    weakest_source,
    within,
)
from desk.trust.conflicts.surviving_claims import surviving_claims
from desk.trust.conflicts.voting import new_conflict

DATED: Final = (Metric.DECISION_RATE, Metric.DECISION_CHANGE)

LONGEST_SHIFT: Final = timedelta(days=7)
"""Decisions further apart than this are two decisions. No bank meets twice in a week."""

_Days = dict[str, dict[date, StatedClaim]]
"""The claims by result and day."""

LEANS: Final = frozenset({Leaning.UP, Leaning.DOWN})

KINDS: Final = {
    ViewKind.DIRECTION: ConflictKind.DIRECTION,
    ViewKind.STANCE: ConflictKind.STANCE,
    ViewKind.RECOMMENDATION: ConflictKind.RECOMMENDATION,
}

FIGURES: Final = {
    Metric.MOVE: ViewKind.DIRECTION,
    Metric.DECISION_CHANGE: ViewKind.STANCE,
    Metric.DECISION_RATE: ViewKind.STANCE,
}
"""The kind of view that a figure decides, by the figure's metric."""

REPORTERS: Final = frozenset(
    {
        AgentId.PRODUCT_MANAGER,
        AgentId.RESEARCH_AGENT_1,
        AgentId.RESEARCH_AGENT_2,
        AgentId.VALIDATOR,
    }
)
"""The agents of a week. If two of them report from the same source, they count once."""

_OPPOSITE: Final = {Leaning.UP: Leaning.DOWN, Leaning.DOWN: Leaning.UP}

Topic = tuple[ViewKind, str]
"""The topic of a view: its kind and its subject."""

MOST_CONFLICTS: Final = 50
"""The maximum number of conflicts of a market's outcome. Open ones come before settled ones."""

WEEK: Final = "week"

_Figure = tuple[str, Metric, date]
"""What a claim is about: subject, metric and day."""


def detect_conflicts(
    market: str,
    results: Sequence[ResearchResult],
    voting: VotingConfig,
    ranges: Ranges = NO_RANGES,
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts between results on a market, in the order of their ids.

    Each is settled as far as the rules can; one with `resolved=False` needs a person. The order of
    the results does not matter, and no result conflicts with itself. `ranges` are the known target
    ranges: the midpoint and the ends of a range are the same statement.
    """
    figures: list[ConflictRecord] = []
    covered: set[tuple[ViewKind, str]] = set()
    targets: set[str] = set()
    for (subject, metric, day), stated_claims in _claims_by_figure(market, results).items():
        bounds = bounds_of(subject, metric, day, voting, ranges)
        if _disagree(stated_claims, lambda stated_claim: stated_claim.result.result_id, bounds):
            besides = {stated_claim.result.result_id for stated_claim in stated_claims}
            positions = (
                *(_position(stated_claim, voting) for stated_claim in stated_claims),
                *abstentions(metric, subject, results, voting, besides=besides),
            )
            topic = f"{market}/conflict/{subject}:{metric}@{day.isoformat()}"
            kind = _kind(stated_claims, results)
            figures.append(new_conflict(topic, market, kind, positions, voting, bounds))
            if metric in FIGURES:
                covered.add((FIGURES[metric], subject))
            if metric is Metric.TARGET:
                targets.update(stated_claim.claim.subject for stated_claim in stated_claims)
    timing = timing_conflicts(market, results, voting)
    held = with_implied_views(results, targets)
    views = view_conflicts(market, held, voting, settled_by_figures=covered)
    return _bounded((*figures, *timing, *views))


def week_conflicts(
    outcomes: Sequence[MarketOutcome], voting: VotingConfig, ranges: Ranges = NO_RANGES
) -> tuple[ConflictRecord, ...]:
    """Returns the conflicts between surviving claims of different markets.

    A record's market is the one that the claim is about, if that is among the markets.
    """
    markets = {outcome.market for outcome in outcomes}
    found = []
    for name, stated_claims in _by_claim(outcomes).items():
        claim = stated_claims[0].claim
        bounds = bounds_of(claim.subject, claim.metric, claim.as_of, voting, ranges)
        if _disagree(stated_claims, lambda stated_claim: stated_claim.result.market, bounds):
            about = claim.subject if claim.subject in markets else min(markets)
            positions = [claim_position(stated_claim, voting) for stated_claim in stated_claims]
            topic = f"{WEEK}/conflict/{name}"
            kind = _kind(stated_claims)
            found.append(new_conflict(topic, about, kind, positions, voting, bounds))
    return _bounded(found)


def timing_conflicts(
    market: str, results: Iterable[ResearchResult], voting: VotingConfig
) -> Iterator[ConflictRecord]:
    """Yields the decisions of an area that results date differently, within a week of each other.

    A result with both days has two decisions and conflicts with none of the others.
    """
    for (subject, metric), claimed in _by_decision(results).items():
        for days in _disputed(claimed):
            positions = [
                claim_position(by_day[day], voting, with_day=True)
                for by_day in claimed.values()
                for day in days.intersection(by_day)
                if len(days.intersection(by_day)) == 1
            ]
            topic = f"{subject}:{metric}@{min(days).isoformat()}"
            yield new_conflict(
                f"{market}/conflict/{ConflictKind.TIMING}/{topic}",
                market,
                ConflictKind.TIMING,
                positions,
                voting,
            )


def with_implied_views(
    results: Sequence[ResearchResult], contested: Collection[str]
) -> tuple[ResearchResult, ...]:
    """Returns the results, with the views of direction that follow from their targets. Targets of
    markets whose figures are `contested` are left out, so that no person is asked twice."""
    return tuple(_with_implied(result, results, contested) for result in results)


def last_price(
    subject: str, result: ResearchResult, results: Iterable[ResearchResult]
) -> Decimal | None:
    """Returns the last price that the result states, or else the one that all others agree on."""
    own = _stated(subject, Metric.LAST, (result,))
    stated = own or _stated(subject, Metric.LAST, results)
    return next(iter(stated)) if len(stated) == 1 else None


def target_side(value: Decimal, last: Decimal) -> Leaning:
    """Returns the side of the last price on which a target lies; neutral if it is close to the
    price."""
    away = value - last
    if abs(away) * 100 < LITTLE_CHANGED * last:
        return Leaning.NEUTRAL
    return Leaning.UP if away > 0 else Leaning.DOWN


def across_last(stated_claims: Sequence[StatedClaim], results: Iterable[ResearchResult]) -> bool:
    """Returns whether some targets lie above the last price and some below."""
    known = tuple(results)
    lasts = [(s.claim, last_price(s.claim.subject, s.result, known)) for s in stated_claims]
    sides = {target_side(claim.value, last) for claim, last in lasts if last is not None}
    return sides >= LEANS


class Opinion(NamedTuple):
    """A view of one result."""

    result: ResearchResult
    view: View


def view_conflicts(
    market: str,
    results: Iterable[ResearchResult],
    voting: VotingConfig,
    *,
    settled_by_figures: Collection[Topic] = (),
) -> Iterator[ConflictRecord]:
    """Yields the topics on which views of different results point up and down.

    Views that come from word lists alone are left out. So are topics whose figures are in conflict,
    so that no person is asked twice.
    """
    for topic, opinions in _opinions_by_topic(market, results).items():
        if topic in settled_by_figures:
            continue
        if any(_opposed(one, other) for one, other in combinations(opinions, 2)):
            kind, subject = topic
            yield new_conflict(
                f"{market}/conflict/{subject}:{kind}",
                market,
                KINDS[kind],
                [
                    own_judgement(view_position(opinion.result, opinion.view, voting))
                    for opinion in opinions
                ],
                voting,
            )


def abstentions(
    metric: Metric,
    subject: str,
    results: Iterable[ResearchResult],
    voting: VotingConfig,
    *,
    besides: Collection[str],
) -> tuple[Position, ...]:
    """Returns abstentions on a view that a figure decides, by results that are not among
    `besides`."""
    kind = FIGURES.get(metric)
    return tuple(
        view_position(result, view, voting)
        for result in results
        if result.result_id not in besides
        for view in result.views
        if (view.kind, view.subject, view.leaning) == (kind, subject, Leaning.ABSTAINS)
    )


def own_judgement(position: Position) -> Position:
    """Returns a specialist's view as an independent position.

    Specialists read the same prices by different methods. None of them repeats another, so each one
    counts, although the source is the same.
    """
    if position.agent in REPORTERS:
        return position
    return position.model_copy(update={"origin": None})


def _by_decision(results: Iterable[ResearchResult]) -> dict[tuple[str, Metric], _Days]:
    found: dict[tuple[str, Metric], _Days] = defaultdict(lambda: defaultdict(dict))
    for result in results:
        for claim in result.claims:
            if claim.metric in DATED:
                days = found[(claim.subject, claim.metric)][result.result_id]
                days.setdefault(claim.as_of, StatedClaim(result, claim))
    return found


def _disputed(claimed: _Days) -> list[set[date]]:
    """Returns the groups of days that are dates of one decision, earliest first."""
    groups: list[set[date]] = []
    for one in claimed.values():
        for other in claimed.values():
            for first in one.keys() - other.keys():
                for second in other.keys() - one.keys():
                    if abs(first - second) <= LONGEST_SHIFT:
                        groups = _joined(groups, {first, second})
    return sorted(groups, key=min)


def _joined(groups: Sequence[set[date]], pair: set[date]) -> list[set[date]]:
    apart = [group for group in groups if not group & pair]
    return [*apart, pair.union(*(group for group in groups if group & pair))]


def _with_implied(
    result: ResearchResult, results: Sequence[ResearchResult], contested: Collection[str]
) -> ResearchResult:
    implied = tuple(
        view
        for claim in result.claims
        if claim.metric is Metric.TARGET and claim.subject not in contested
        if (view := _implied(claim, result, results)) is not None
    )
    return result.model_copy(update={"views": (*result.views, *implied)}) if implied else result


def _implied(
    claim: Claim, result: ResearchResult, results: Sequence[ResearchResult]
) -> View | None:
    if any(v.kind is ViewKind.DIRECTION for v in result.views):
        return None
    last = last_price(claim.subject, result, results)
    side = Leaning.NEUTRAL if last is None else target_side(claim.value, last)
    if side not in LEANS:
        return None
    return View(
        subject=claim.subject,
        kind=ViewKind.DIRECTION,
        leaning=side,
        confidence=result.confidence,
        claims=(claim.claim_id,),
    )


def _stated(subject: str, metric: Metric, results: Iterable[ResearchResult]) -> set[Decimal]:
    return {
        claim.value
        for result in results
        for claim in result.claims
        if (claim.subject, claim.metric) == (subject, metric)
    }


def _opinions_by_topic(
    market: str, results: Iterable[ResearchResult]
) -> dict[Topic, list[Opinion]]:
    """Returns the opinions by topic. A view of the market in its reverse quotation counts as one of
    the market, with the opposite leaning."""
    found: dict[Topic, list[Opinion]] = defaultdict(list)
    for result in results:
        for view in result.views:
            if view.by_words:
                continue
            if reversed_pair(view.subject) == market:
                view = _turned(market, view)
            found[(view.kind, view.subject)].append(Opinion(result, view))
    return found


def _turned(market: str, view: View) -> View:
    leaning = _OPPOSITE.get(view.leaning, view.leaning)
    return view.model_copy(update={"subject": market, "leaning": leaning})


def _opposed(one: Opinion, other: Opinion) -> bool:
    if one.result.result_id == other.result.result_id:
        return False
    return _OPPOSITE.get(one.view.leaning) is other.view.leaning


def _claims_by_figure(
    market: str, results: Iterable[ResearchResult]
) -> dict[_Figure, list[StatedClaim]]:
    found: dict[_Figure, list[StatedClaim]] = defaultdict(list)
    for result in results:
        for claim in result.claims:
            found[_figure(market, claim)].append(StatedClaim(result, claim))
    return found


def _figure(market: str, claim: Claim) -> _Figure:
    """Returns what a claim is about. A claim on the reverse pair is converted to one about the
    market."""
    if reversed_pair(claim.subject) == market:
        turned = reversed_statement(claim.metric, claim.value)
        if turned is not None:
            return market, turned[0], claim.as_of
    return claim.subject, claim.metric, claim.as_of


def _by_claim(outcomes: Iterable[MarketOutcome]) -> dict[str, list[StatedClaim]]:
    stated_claims: dict[str, list[StatedClaim]] = defaultdict(list)
    for outcome in outcomes:
        results = without_rejected(outcome.results, outcome.validation)
        surviving = surviving_claims(results, outcome.conflicts)
        for result in results:
            for claim in result.claims:
                if surviving.get(claim.claim_id) == claim:
                    stated_claims[claim.claim_id].append(StatedClaim(result, claim))
    return stated_claims


def _disagree(
    stated_claims: Sequence[StatedClaim], whose: Callable[[StatedClaim], str], bounds: Bounds | None
) -> bool:
    """Returns whether the claims of two results or markets contradict each other. Equal statements,
    such as every market's of the dollar's rate, are only compared once."""
    stated = [
        (whose(stated_claim), within(_statement(stated_claim), bounds))
        for stated_claim in stated_claims
    ]
    # Equal values may have different precision, which determines how near another must be.
    pairs = {
        (one, str(one.value), other, str(other.value)): (one, other)
        for (by, one), (who, other) in combinations(stated, 2)
        if by != who
    }
    return any(_contradict(one, other) for one, other in pairs.values())


def _position(stated_claim: StatedClaim, voting: VotingConfig) -> Position:
    position = claim_position(stated_claim, voting)
    return own_judgement(position) if stated_claim.claim.metric is Metric.TARGET else position


def _contradict(one: StatedFigure, other: StatedFigure) -> bool:
    compared = normalise(one, other)
    if isinstance(compared, Comparable):
        return not compared.agree
    return compared.reason is Difference.UNIT


def _statement(stated_claim: StatedClaim) -> StatedFigure:
    source = weakest_source(stated_claim.result, stated_claim.claim.evidence)
    return statement_of(stated_claim.claim, origin_of(source))


def _kind(
    stated_claims: Sequence[StatedClaim], results: Iterable[ResearchResult] = ()
) -> ConflictKind:
    if stated_claims[0].claim.metric in DATED:
        return ConflictKind.DECISION
    if stated_claims[0].claim.metric is Metric.TARGET:
        opposed = across_last(stated_claims, results)
        return ConflictKind.DIRECTION if opposed else ConflictKind.LEVEL
    statements = [_statement(stated_claim) for stated_claim in stated_claims]
    compared = (normalise(one, other) for one, other in combinations(statements, 2))
    if any(isinstance(pair, Comparable) and pair.opposed for pair in compared):
        return ConflictKind.DIRECTION
    return ConflictKind.LEVEL


def _bounded(conflicts: Iterable[ConflictRecord]) -> tuple[ConflictRecord, ...]:
    ranked = sorted(conflicts, key=lambda conflict: (conflict.resolved, conflict.conflict_id))
    return tuple(sorted(ranked[:MOST_CONFLICTS], key=lambda conflict: conflict.conflict_id))
