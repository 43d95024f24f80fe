"""The first sentence of an answer about markets: the one figure that the question asks for, with
its day. What is so is computed from claims."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.analytics.names.currency_mentions import currency_mentions
from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.periods import READ
from desk.analytics.names.subjects import NamedAs, pairs_named, subjects_asked
from desk.contracts.agents.tasks import RANK
from desk.contracts.findings.claims import Claim, Metric, span_days, span_id
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.synthesis.markets.asked import (
    AMONG_SEVERAL,
    Aspect,
    MarketQuestion,
    alone_among,
)
from desk.programs.question.builtin.synthesis.markets.moves_told import level_told, range_told
from desk.programs.question.builtin.synthesis.markets.ranked_moves import RankedMove, ranked_moves
from desk.programs.question.builtin.synthesis.markets.results import of_the_market, whole_days
from desk.programs.question.builtin.unread_words import safe_line


class _Threshold(NamedTuple):
    """On which side of a number a fixing has to be, and of which fixing that is asked."""

    sign: int
    ever: bool


_THRESHOLDS: Final = {
    Aspect.EVER_ABOVE: _Threshold(1, ever=True),
    Aspect.EVER_BELOW: _Threshold(-1, ever=True),
    Aspect.IS_ABOVE: _Threshold(1, ever=False),
    Aspect.IS_BELOW: _Threshold(-1, ever=False),
}
_EXTREMES: Final = {
    1: ("highest", Metric.WINDOW_HIGH, Metric.YEAR_HIGH),
    -1: ("lowest", Metric.WINDOW_LOW, Metric.YEAR_LOW),
}

_WAYS: Final = {Aspect.LARGEST_DAY: 0, Aspect.LARGEST_RISE: 1, Aspect.LARGEST_FALL: -1}
_MOVES: Final = {0: "move", 1: "rise", -1: "fall"}


_OF_MONEY: Final = frozenset({NamedAs.CURRENCY, NamedAs.COUNTRY})


def meant_alone(
    question: MarketQuestion, research: Sequence[ResearchResult]
) -> tuple[ResearchResult, ...]:
    """The research on the one pair of which a question asks for a figure; else all."""
    if question.asked.aspect in AMONG_SEVERAL | {None}:
        return tuple(research)
    pairs = {each.market for each in research if "/" in each.market}
    alone = alone_among(question.query.question, pairs)
    return tuple(each for each in research if alone is None or each.market == alone)


def first_sentence(question: MarketQuestion, research: Sequence[ResearchResult]) -> str:
    """What a question asks for, of each pair; empty where it asks for none of these, or the figure
    is not there."""
    aspect = question.asked.aspect
    if aspect is None:
        return ""
    if aspect in AMONG_SEVERAL:
        return _first_of_several(question, aspect, research)
    pairs = (each for each in research if "/" in each.market)
    return " ".join(filter(None, (_of_a_pair(question, aspect, pair) for pair in pairs)))


def _of_a_pair(question: MarketQuestion, aspect: Aspect, result: ResearchResult) -> str:
    known = {claim.metric: claim for claim in of_the_market((result,))}
    match aspect:
        case Aspect.LEVEL:
            return _level(question, known)
        case Aspect.HIGHEST | Aspect.LOWEST:
            way = 1 if aspect is Aspect.HIGHEST else -1
            return _extreme(question, known, -way if _is_quoted(question, result) else way)
        case Aspect.LARGEST_DAY | Aspect.LARGEST_RISE | Aspect.LARGEST_FALL:
            way = _WAYS[aspect]
            return _largest_day(question, result, -way if _is_quoted(question, result) else way)
        case _ if _is_quoted(question, result):
            # Whether a currency is above a number of its pair is said of either.
            ends = (_extreme(question, known, way) for way in _EXTREMES)
            return " ".join(filter(None, ends))
        case _:
            return _beyond(question, known, _THRESHOLDS[aspect])


def _is_quoted(question: MarketQuestion, result: ResearchResult) -> bool:
    """Whether a question names of a pair only the currency that it is quoted in, which is high
    where the pair is low."""
    named = {s.code for s in subjects_asked(question.query.question) if s.kind in _OF_MONEY}
    pairs = pairs_named(question.query.question)
    base, _, quote = result.market.partition("/")
    return quote in named and base not in named - {DOLLAR} and not pairs


def _level(question: MarketQuestion, known: Mapping[Metric, Claim]) -> str:
    level = known.get(Metric.LAST)
    if level is None:
        return ""
    asked = whole_days(question.window)[1]
    earlier = READ in question.query.parameters and level.as_of < asked
    by = f", the last one by {print_full_day(asked)}" if earlier else ""
    return f"{level_told(known, by)} {range_told(known)}".strip()


def _extreme(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    name, in_window, of_the_year = _EXTREMES[sign]
    dated = READ in question.query.parameters
    extreme = known.get(in_window if dated else of_the_year)
    last = known.get(Metric.LAST)
    if extreme is None or last is None:
        return ""
    return f"The {name} fixing of {extreme.subject} {_over(question, last)} was {_on_day(extreme)}."


def _largest_day(question: MarketQuestion, result: ResearchResult, way: int) -> str:
    """The day that rose most, or that fell most, or of these the one that moved most."""
    # A model's spans may be of more days.
    spans = [c for c in result.claims if c.metric is Metric.SPAN_MOVE and result.version]
    spans = [claim for claim in spans if claim.value * way > 0 or not way]
    last = next((c for c in of_the_market((result,)) if c.metric is Metric.LAST), None)
    largest = max(spans, key=lambda claim: abs(claim.value), default=None)
    days = span_days(largest) if largest else None
    if last is None or largest is None or days is None:
        return ""
    before, day = map(print_full_day, days)
    start, end = (span_id(last.subject, m, *days) for m in (Metric.SPAN_START, Metric.SPAN_END))
    return (
        f"The largest one-day {_MOVES[way]} of {last.subject} {_over(question, last)} was"
        f" [[{largest.claim_id}|signed]] on {day}, from [[{start}]] on {before} to [[{end}]]."
    )


def _beyond(question: MarketQuestion, known: Mapping[Metric, Claim], threshold: _Threshold) -> str:
    """Whether a fixing was beyond the number of a question, which has to be a level of the pair."""
    last = known.get(Metric.LAST)
    level = question.asked.level_of(last.value) if last else None
    if last is None or level is None:
        return ""
    sign = threshold.sign
    if not threshold.ever:
        said = "Yes" if (last.value - level) * sign > 0 else "No"
        day = print_full_day(last.as_of)
        return f"{said}: the fixing of {last.subject} of {day} is [[{last.claim_id}]]."
    dated = READ in question.query.parameters
    name, in_window, of_the_year = _EXTREMES[sign]
    extreme = known.get(in_window if dated else of_the_year)
    if extreme is None:
        return ""
    said = "Yes" if (extreme.value - level) * sign > 0 else "No"
    told = f"the {name} fixing of {last.subject} {_over(question, last)} was {_on_day(extreme)}"
    unseen = "" if dated or said == "Yes" else " Older fixings were not looked at."
    return f"{said}: {told}.{unseen}"


def _over(question: MarketQuestion, last: Claim) -> str:
    """The days of which an extreme is told."""
    if READ not in question.query.parameters:
        return f"in the 52 weeks to {print_full_day(last.as_of)}"
    first, end = map(print_full_day, whole_days(question.window))
    return f"from {first} to {end}"


def _on_day(claim: Claim) -> str:
    return f"[[{claim.claim_id}]], on {print_full_day(claim.as_of)}"


def _first_of_several(
    question: MarketQuestion, aspect: Aspect, research: Sequence[ResearchResult]
) -> str:
    """Which currency did best or worst against the dollar, or whether the one that is named did."""
    ranked = ranked_moves(research)
    if len(ranked) < 2:
        return ""
    best = aspect in (Aspect.BEST, Aspect.IS_BEST)
    first, last = (ranked[0], ranked[-1]) if best else (ranked[-1], ranked[0])
    said = ""
    if aspect in (Aspect.IS_BEST, Aspect.IS_WORST):
        named = next(iter(_named(question, ranked)), None)
        said = "" if named is None else "Yes: " if named == first.currency else "No: "
    if len(ranked) == 2:
        placed = f"did {'better' if best else 'worse'} than {last.currency}"
    else:
        group = question.query.parameters.get(RANK, "")
        placed = f"did {'best' if best else 'worst'} {_among(group)}"
    return f"{said}{first.currency} {placed}: {_told(first)}."


def _named(question: MarketQuestion, ranked: Sequence[RankedMove]) -> Iterator[str]:
    known = {each.currency for each in ranked}
    mentions = currency_mentions(question.query.question)
    return (each.code for each in mentions if each.code in known and each.code != DOLLAR)


def _among(group: str) -> str:
    """A group as a sentence goes on with it."""
    name = safe_line(group, "the group")
    if group.isalnum():
        return f"in {name}"
    return f"of {name[:1].lower()}{name[1:]}" if name.startswith("All ") else f"of {name}"


def _told(first: RankedMove) -> str:
    return f"[[{first.claim.claim_id}|{first.currency}]]"
