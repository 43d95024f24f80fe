"""The hypotheses of a swarm's leader, by rule.

The numbers are conventions of the desk:

- A direction becomes a hypothesis if the views favour a side. Its probability is the share of the
  weight on that side, drawn towards one half: by how unsure the views are, and by `DRAWN_IN`,
  because specialists that read one price history are not independent. It lies between `LEAST` and
  `MOST`.
- A direction whose probability exceeds one half by at most `EVEN` is not a hypothesis. Nor is one
  that a person chose against the weight of the views: it would be the less likely side.
- A range spans the expected low and the expected high. The price stayed within it in `WITHIN` of
  the cases of its own past (`desk.analytics.technical.expected_range`).
- The probability of one built-in specialist's view follows the same rule, with its confidence and
  the whole weight on its side. A model's probability is the one that it gave, or none.
- All hypotheses are due in four weeks, as the specialists' views are.

A hypothesis on a specialist's market is decided by the same price as the specialist's view. So it
carries the views: the direction does if there is one, otherwise the range.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from desk.analytics.names.markets import market_in_a_sentence
from desk.analytics.prices.indicator_marks import WITHIN
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ConflictRecord, Leaning, ResearchResult, View
from desk.contracts.markets import MarketSpec
from desk.contracts.swarm.hypotheses import MOST_HYPOTHESES, HeldView, Hypothesis, HypothesisKind
from desk.contracts.swarm.plan import MOST_SUBAGENTS
from desk.learning.forecasts import PROBABILITY_DIGITS
from desk.learning.hypotheses import SIDES
from desk.programs.swarm.balance import Balance, is_on_views, opinions_on
from desk.trust.conflicts import who_overruled
from desk.trust.prose import reference

WEEKS: Final = 4
DRAWN_IN: Final = 0.6
LEAST: Final = 0.35
MOST: Final = 0.75
EVEN: Final = 0.02
EVEN_ODDS: Final = 0.5
PRINTED: Final = 0.01
"""The value of the last printed digit of a probability."""

_SIDES: Final = {Leaning.UP: ("above", "at or below"), Leaning.DOWN: ("below", "at or above")}


def hypotheses_on(
    markets: Sequence[MarketSpec],
    balances: Mapping[str, Balance],
    surviving: Mapping[str, Claim],
    as_of: datetime,
) -> tuple[Hypothesis, ...]:
    """Returns for each market a direction, if its views favour a side, and a range, if its figures
    are known; the directions first.

    Args:
        markets: The markets of the swarm.
        balances: The views by market.
        surviving: The claims that hold, by id.
        as_of: The as-of instant of the swarm.
    """
    due = as_of + timedelta(weeks=WEEKS)
    directions = (
        found
        for market in markets
        if (found := _direction(market, balances.get(market.market), surviving, due))
    )
    ranges = (found for market in markets if (found := _range(market, surviving, due)))
    return (*directions, *ranges)[:MOST_HYPOTHESES]


def is_likely(balance: Balance) -> bool:
    """Returns whether the views favour a side that is likelier than its opposite by more than
    `EVEN`."""
    return balance.leaning in _SIDES and probability_of(balance, balance.leaning) > EVEN_ODDS + EVEN


def probability_of(balance: Balance, leaning: Leaning) -> float:
    """Returns the probability of a side, rounded to two decimals."""
    return _drawn_in(balance.sureness, balance.share(leaning))


def probability_alone(confidence: float) -> float:
    """Returns the probability that one view gives its own side: by the same rule, as if it were the
    only view."""
    return _drawn_in(confidence, 1.0)


def is_by_rule(hypothesis: Hypothesis, conflicts: Sequence[ConflictRecord]) -> bool:
    """Returns whether the built-in leader can have given a hypothesis its probability. A range must
    have that of the cases of its past, a direction that of the positions that were put to the vote,
    up to the last printed digit. Without a vote the weights of the views are not recorded: then the
    probability must lie between those that the least sure and the surest view would give alone, and
    above even odds if the views are on both sides.
    """
    if hypothesis.kind is HypothesisKind.RANGE:
        return hypothesis.probability == WITHIN
    market, leaning, views = hypothesis.market.market, hypothesis.leaning, hypothesis.views
    voted = next((c for c in conflicts if c.market == market and is_on_views(c)), None)
    if voted is not None:
        expected = probability_of(Balance(market, (), voted), leaning)
        return round(abs(hypothesis.probability - expected), 2) <= PRINTED
    if not views:
        return True
    alone = [probability_alone(view.confidence) for view in views]
    of_both = any(view.leaning is not leaning for view in views)
    least = EVEN_ODDS + EVEN if of_both else min(alone)
    return least <= hypothesis.probability <= max(alone)


def _drawn_in(sureness: float, share: float) -> float:
    return round(min(MOST, max(LEAST, EVEN_ODDS + DRAWN_IN * sureness * (share - 0.5))), 2)


def _direction(
    market: MarketSpec, balance: Balance | None, surviving: Mapping[str, Claim], due: datetime
) -> Hypothesis | None:
    last = surviving.get(claim_id(market.market, Metric.LAST))
    if balance is None or last is None or not is_likely(balance):
        return None
    side, other = _SIDES[balance.leaning]
    level, name = reference(last), market_in_a_sentence(market.market)
    return Hypothesis(
        hypothesis_id=_named(market, HypothesisKind.DIRECTION),
        market=market,
        kind=HypothesisKind.DIRECTION,
        leaning=balance.leaning,
        level=last.value,
        level_on=last.as_of,
        weeks=WEEKS,
        due=due,
        probability=probability_of(balance, balance.leaning),
        statement=f"Four weeks on, the last known price of {name} is {side} {level}.",
        refuted_by=f"The last price of {name} known by then is {other} {level}.",
        claims=(last.claim_id,),
    )


def _range(market: MarketSpec, surviving: Mapping[str, Claim], due: datetime) -> Hypothesis | None:
    found = tuple(_claims(market, surviving))
    if len(found) != 3:
        return None
    (last, low, high), name = found, market_in_a_sentence(market.market)
    if not low.value <= last.value <= high.value:
        return None
    return Hypothesis(
        hypothesis_id=_named(market, HypothesisKind.RANGE),
        market=market,
        kind=HypothesisKind.RANGE,
        level=last.value,
        level_on=last.as_of,
        low=low.value,
        high=high.value,
        weeks=WEEKS,
        due=due,
        probability=WITHIN,
        statement=(
            f"Four weeks on, the last known price of {name} is from {reference(low)} to"
            f" {reference(high)}."
        ),
        refuted_by=(
            f"The last price of {name} known by then is below {reference(low)} or above"
            f" {reference(high)}."
        ),
        claims=tuple(claim.claim_id for claim in found),
    )


def _claims(market: MarketSpec, surviving: Mapping[str, Claim]) -> Iterator[Claim]:
    for metric in (Metric.LAST, Metric.EXPECTED_LOW, Metric.EXPECTED_HIGH):
        claim = surviving.get(claim_id(market.market, metric))
        if claim is not None:
            yield claim


def _named(market: MarketSpec, kind: HypothesisKind) -> str:
    """`usd-jpy-direction`. It becomes part of a workflow's id."""
    return f"{market.market.replace('/', '-').lower()}-{kind}"


def views_on(
    market: str, results: Sequence[ResearchResult], conflicts: Sequence[ConflictRecord] = ()
) -> tuple[HeldView, ...]:
    """Returns the views that lean up or down on a market, with the resulting probabilities: the
    newest of each specialist. Neutral views and abstentions cannot turn out wrong and are
    omitted."""
    held = (
        HeldView(
            agent=result.agent,
            leaning=view.leaning,
            confidence=view.confidence,
            probability=_likely(result, view),
            own=_is_own(result, view),
            overruled_by=who_overruled(conflicts, market, view.leaning),
        )
        for result, view in opinions_on(market, results)
        if view.leaning in SIDES
    )
    return tuple(held)[:MOST_SUBAGENTS]


def _likely(result: ResearchResult, view: View) -> float | None:
    """Returns the probability that a specialist gives to the side of its view."""
    if result.version:
        return probability_alone(view.confidence)
    if view.probability is None:
        return None
    up = view.leaning is Leaning.UP
    return round(view.probability if up else 1 - view.probability, PROBABILITY_DIGITS)


def _is_own(result: ResearchResult, view: View) -> bool:
    return not result.version and view.probability is not None


def with_views(
    hypotheses: Iterable[Hypothesis],
    results: Sequence[ResearchResult],
    conflicts: Sequence[ConflictRecord] = (),
) -> tuple[Hypothesis, ...]:
    """Returns the hypotheses in order, one for each market with the views on it: one that is due
    when the views are, and a direction rather than a range."""
    given = tuple(hypotheses)
    carrying = set(_carriers(given).values())
    return tuple(
        each.model_copy(update={"views": views_on(each.market.market, results, conflicts)})
        if place in carrying
        else each
        for place, each in enumerate(given)
    )


def uncarried(
    hypotheses: Sequence[Hypothesis], results: Sequence[ResearchResult]
) -> tuple[str, ...]:
    """Returns the markets with a specialist's view that no hypothesis carries."""
    carried = {each.market.market for each in hypotheses if each.views}
    markets = dict.fromkeys(result.market for result in results)
    return tuple(name for name in markets if name not in carried and views_on(name, results))


def _carriers(hypotheses: Sequence[Hypothesis]) -> dict[str, int]:
    """Returns for each market the index of the hypothesis that carries its views."""
    fitting = [place for place, each in enumerate(hypotheses) if each.weeks == WEEKS]
    ranges_last = sorted(
        fitting, key=lambda place: hypotheses[place].kind is not HypothesisKind.DIRECTION
    )
    found: dict[str, int] = {}
    for place in ranges_last:
        found.setdefault(hypotheses[place].market.market, place)
    return found
