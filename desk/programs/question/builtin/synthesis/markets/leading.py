"""The first sentence of an answer about markets: the figure that the question asks for, with its
day. It is computed from claims."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from desk.analytics.comparison import is_little_changed
from desk.analytics.figures import print_full_day
from desk.analytics.names.currencies import currency_name
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.mentions import currency_mentions
from desk.analytics.names.periods import READ
from desk.analytics.names.subjects import currencies_named
from desk.analytics.prices.fixings import has_lapsed
from desk.contracts.agents.tasks import RANK
from desk.contracts.findings.claims import Claim, Metric, span_id
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.synthesis.markets.asked import (
    AMONG_SEVERAL,
    OF_VOLATILITY,
    WHICH_WENT,
    Aspect,
    MarketQuestion,
    alone_among,
    is_quoted,
)
from desk.programs.question.builtin.synthesis.markets.counted import (
    COUNTED,
    OLDER_UNSEEN,
    counted_sentence,
    is_dated,
    over,
    volatility_compared,
)
from desk.programs.question.builtin.synthesis.markets.move_sentences import (
    level_words,
    year_range_place,
)
from desk.programs.question.builtin.synthesis.markets.ranked_moves import RankedMove, ranked_moves
from desk.programs.question.builtin.synthesis.markets.results import of_the_market, whole_days
from desk.programs.question.builtin.unread_words import safe_line

_SIDES: Final = {
    Aspect.EVER_ABOVE: 1,
    Aspect.EVER_BELOW: -1,
    Aspect.ALWAYS_ABOVE: 1,
    Aspect.ALWAYS_BELOW: -1,
    Aspect.IS_ABOVE: 1,
    Aspect.IS_BELOW: -1,
}
"""The side of a number on which a fixing has to be."""


class _Extreme(NamedTuple):
    """An end of a range: its name, its metrics in the window, in the year up to it, and in the days
    of a high or low that a question names, and the metric of the distance from it."""

    name: str
    in_window: Metric
    of_the_year: Metric
    of_its_days: Metric
    distance: Metric


_EXTREMES: Final = {
    1: _Extreme(
        "highest", Metric.WINDOW_HIGH, Metric.YEAR_HIGH, Metric.SPAN_HIGH, Metric.FROM_HIGH
    ),
    -1: _Extreme("lowest", Metric.WINDOW_LOW, Metric.YEAR_LOW, Metric.SPAN_LOW, Metric.FROM_LOW),
}


def only_pair_asked(
    question: MarketQuestion, research: Sequence[ResearchResult]
) -> tuple[ResearchResult, ...]:
    """Returns the research on the one pair whose figure a question asks for, or of which it names
    one currency beside the other; otherwise all research."""
    words, aspect = question.query.question, question.asked.aspect
    if aspect in AMONG_SEVERAL or (aspect is None and len(currencies_named(words)) != 1):
        return tuple(research)
    pairs = {each.market for each in research if "/" in each.market}
    alone = alone_among(words, pairs)
    return tuple(each for each in research if alone is None or each.market == alone)


def first_sentence(question: MarketQuestion, research: Sequence[ResearchResult]) -> str:
    """Returns what a question asks for, for each pair; empty if it has no aspect, asks for the move
    itself, or the figure is unknown."""
    aspect = question.asked.aspect
    if aspect in (None, Aspect.MOVE):
        return ""
    if aspect in OF_VOLATILITY:
        return volatility_compared(question, aspect, research)
    if aspect in AMONG_SEVERAL:
        return _first_of_several(question, aspect, research)
    pairs = (each for each in research if "/" in each.market)
    return " ".join(filter(None, (_of_a_pair(question, aspect, pair) for pair in pairs)))


def _of_a_pair(question: MarketQuestion, aspect: Aspect, result: ResearchResult) -> str:
    known = {claim.metric: claim for claim in of_the_market((result,))}
    known |= _since_extremes(question, result)
    match aspect:
        case Aspect.LEVEL:
            return _level(question, known)
        case Aspect.HIGHEST | Aspect.LOWEST:
            way = 1 if aspect is Aspect.HIGHEST else -1
            return _extreme(question, known, -way if _is_quoted(question, result) else way)
        case Aspect.RANGE:
            return _range(question, known)
        case Aspect.FROM_HIGHEST | Aspect.FROM_LOWEST:
            way = 1 if aspect is Aspect.FROM_HIGHEST else -1
            return _from_extreme(question, known, -way if _is_quoted(question, result) else way)
        case Aspect.AT_HIGHEST | Aspect.AT_LOWEST:
            way = 1 if aspect is Aspect.AT_HIGHEST else -1
            return _at_extreme(question, known, -way if _is_quoted(question, result) else way)
        case Aspect.STREAK:
            return _streak(known, result.market if _is_quoted(question, result) else "")
        case each if each in COUNTED:
            return counted_sentence(question, each, result)
        case Aspect.EVER_REACHED:
            return _reached(question, known)
        case Aspect.ALWAYS_ABOVE | Aspect.ALWAYS_BELOW:
            return _always_beyond(question, known, _SIDES[aspect])
        case Aspect.EVER_ABOVE | Aspect.EVER_BELOW:
            return _ever_beyond(question, known, _SIDES[aspect])
        case _:
            return _is_beyond(question, known, _SIDES[aspect])


def _since_extremes(question: MarketQuestion, result: ResearchResult) -> dict[Metric, Claim]:
    """Returns the high and the low of the days of which a question names one, and the distances
    from them, in the place of those of its window."""
    days, last = question.query.event_days, {c.metric: c for c in result.claims}.get(Metric.LAST)
    if not question.query.is_from_extreme or days is None or last is None:
        return {}
    named = {claim.claim_id: claim for claim in of_the_market((result,))}
    known = dict[Metric, Claim]()
    for end in _EXTREMES.values():
        if extreme := named.get(span_id(result.market, end.of_its_days, *days)):
            known[end.in_window] = extreme
            move = span_id(result.market, Metric.SPAN_MOVE, extreme.as_of, last.as_of)
            known |= {end.distance: named[move]} if move in named else {}
    return known


def _is_quoted(question: MarketQuestion, result: ResearchResult) -> bool:
    return is_quoted(question.query.question, result.market)


def _level(question: MarketQuestion, known: Mapping[Metric, Claim]) -> str:
    level = known.get(Metric.LAST)
    if level is None:
        return ""
    asked = whole_days(question.window)[1]
    is_near = level.as_of < asked and not has_lapsed(level.as_of, question.window.end)
    earlier = READ in question.query.parameters and is_near
    by = f", the last one by {print_full_day(asked)}" if earlier else ""
    return f"{level_words(known, by)} {year_range_place(known)}".strip()


def _extreme(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    told = _extreme_words(question, known, sign)
    return f"The {told}." if told else ""


def _at_extreme(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    """Says whether the last fixing is the highest or lowest one."""
    extreme, last = _extreme_of(question, known, sign), known.get(Metric.LAST)
    if extreme is None or last is None:
        return ""
    day = print_full_day(last.as_of)
    if extreme.value != last.value:
        told = _extreme_words(question, known, sign)
        return f"No: the fixing of {last.subject} of {day} is [[{last.claim_id}]]. The {told}."
    name, days = _EXTREMES[sign].name, over(question, last)
    unseen = "" if is_dated(question.query) else OLDER_UNSEEN
    told = f"the fixing of {last.subject} of {day}, [[{last.claim_id}]], is the {name} {days}"
    return f"Yes: {told}.{unseen}"


def _from_extreme(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    """Says how far the last fixing is from the highest or lowest one, if that was computed, or else
    gives both."""
    extreme, last = _extreme_of(question, known, sign), known.get(Metric.LAST)
    if extreme is None or last is None or extreme.value == last.value:
        return _at_extreme(question, known, sign).removeprefix("Yes: ").capitalize()
    name, distance = _EXTREMES[sign].name, _EXTREMES[sign].distance
    away = known.get(distance) if is_dated(question.query) else None
    side = "below" if last.value < extreme.value else "above"
    by = f"[[{away.claim_id}|size]] " if away else ""
    return (
        f"The fixing of {last.subject} of {print_full_day(last.as_of)}, [[{last.claim_id}]], is"
        f" {by}{side} the {name} {over(question, last)}, {_on_day(extreme)}."
    )


def _extreme_words(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    extreme, last = _extreme_of(question, known, sign), known.get(Metric.LAST)
    if extreme is None or last is None:
        return ""
    name = _EXTREMES[sign].name
    return f"{name} fixing of {extreme.subject} {over(question, last)} was {_on_day(extreme)}"


def _extreme_of(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> Claim | None:
    """Returns the highest or lowest fixing of the days that are asked about, or else of the
    year."""
    end = _EXTREMES[sign]
    return known.get(end.in_window if is_dated(question.query) else end.of_the_year)


def _streak(known: Mapping[Metric, Claim], quoted: str) -> str:
    """Says for how many days in a row the last fixings rose or fell. If the `quoted` currency of
    the pair is asked about, also says what that one did."""
    streak = known.get(Metric.STREAK)
    if streak is None:
        return ""
    day = print_full_day(streak.as_of)
    if not streak.value:
        return f"The fixing of {streak.subject} of {day} is that of the day before."
    went, other = ("risen", "fell") if streak.value > 0 else ("fallen", "rose")
    told = f"By its fixing of {day} {streak.subject} has {went} for [[{streak.claim_id}]] in a row"
    own = f"the {currency_name(quoted.partition('/')[2])}" if quoted else ""
    return f"{told}: {own} {other}." if own else f"{told}."


def _is_beyond(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    """Says whether the last fixing is beyond the number of a question, which is a level of the
    pair."""
    last = known.get(Metric.LAST)
    level = question.asked.level_of(last.value) if last else None
    if last is None or level is None:
        return ""
    said = "Yes" if (last.value - level) * sign > 0 else "No"
    day = print_full_day(last.as_of)
    return f"{said}: the fixing of {last.subject} of {day} is [[{last.claim_id}]]."


def _ever_beyond(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    """Says whether any fixing was beyond the number of a question."""
    last, extreme = known.get(Metric.LAST), _extreme_of(question, known, sign)
    level = question.asked.level_of(last.value) if last else None
    if last is None or extreme is None or level is None:
        return ""
    is_so = (extreme.value - level) * sign > 0
    said = "Yes" if is_so else _as_known(question, last, "No")
    unseen = "" if is_so or READ in question.query.parameters else OLDER_UNSEEN
    return f"{said}: the {_extreme_words(question, known, sign)}.{unseen}"


def _as_known(question: MarketQuestion, last: Claim, said: str) -> str:
    """Limits what is said of all days that a question names to those that are known."""
    dated = READ in question.query.parameters
    return (
        f"{said}, as far as is known"
        if dated and has_lapsed(last.as_of, question.window.end)
        else said
    )


def _always_beyond(question: MarketQuestion, known: Mapping[Metric, Claim], sign: int) -> str:
    """Whether all fixings were beyond the number of a question: the nearest one to it says."""
    last, nearest = known.get(Metric.LAST), _extreme_of(question, known, -sign)
    level = question.asked.level_of(last.value) if last else None
    if last is None or nearest is None or level is None:
        return ""
    is_so = (nearest.value - level) * sign > 0
    said = _as_known(question, last, "Yes") if is_so else "No"
    unseen = OLDER_UNSEEN if is_so and READ not in question.query.parameters else ""
    return f"{said}: the {_extreme_words(question, known, -sign)}.{unseen}"


def _reached(question: MarketQuestion, known: Mapping[Metric, Claim]) -> str:
    """Says whether the number of a question lies within the range of the fixings, from whichever
    side it was to be reached."""
    last = known.get(Metric.LAST)
    level = question.asked.level_of(last.value) if last else None
    high, low = (_extreme_of(question, known, sign) for sign in _EXTREMES)
    if last is None or level is None or high is None or low is None:
        return ""
    is_so = low.value <= level <= high.value
    unseen = "" if is_so or READ in question.query.parameters else OLDER_UNSEEN
    said = "Yes" if is_so else _as_known(question, last, "No")
    return f"{said}: the {_range(question, known)[4:]}{unseen}"


def _range(question: MarketQuestion, known: Mapping[Metric, Claim]) -> str:
    """Gives the range of the fixings, from the lowest to the highest."""
    last, ends = known.get(Metric.LAST), [_extreme_of(question, known, sign) for sign in (-1, 1)]
    if last is None or ends[0] is None or ends[1] is None:
        return ""
    low, high = map(_on_day, filter(None, ends))
    days = over(question, last)
    return f"The fixings of {last.subject} {days} ranged from {low}, to {high}."


def _on_day(claim: Claim) -> str:
    return f"[[{claim.claim_id}]], on {print_full_day(claim.as_of)}"


def _first_of_several(
    question: MarketQuestion, aspect: Aspect, research: Sequence[ResearchResult]
) -> str:
    """Says which currency did best or worst against the dollar, or whether the named one did."""
    ranked = ranked_moves(research)
    if len(ranked) < 2:
        return ""
    if aspect in WHICH_WENT:
        return _which_went(ranked, 1 if aspect is Aspect.WHICH_ROSE else -1)
    best = aspect in (Aspect.BEST, Aspect.IS_BEST, Aspect.ROSE_MORE)
    first, last = (ranked[0], ranked[-1]) if best else (ranked[-1], ranked[0])
    said = ""
    if aspect in _IS_IT_SO:
        named = next(iter(_named(question, ranked)), None)
        is_so = named == first.currency and first.gained * _MOVED_MORE.get(aspect, 0) >= 0
        said = "" if named is None else "Yes: " if is_so else "No: "
    if len(ranked) == 2:
        placed = f"did {'better' if best else 'worse'} than {last.currency}"
        return f"{said}{first.currency} {placed}: {_told(first)}; {_told(last)}."
    group = question.query.parameters.get(RANK, "")
    placed = f"did {'best' if best else 'worst'} {_among(group)}"
    several = question.asked.several
    if not said and 1 < several < len(ranked):
        placing = ranked[:several] if best else ranked[::-1][:several]
        return f"{listed(e.currency for e in placing)} {placed}: {'; '.join(map(_told, placing))}."
    return f"{said}{first.currency} {placed}: {_told(first)}."


_MOVED_MORE: Final = {Aspect.ROSE_MORE: 1, Aspect.FELL_MORE: -1}
"""Which way a currency must have gone to have gone it farther than another."""

_IS_IT_SO: Final = {Aspect.IS_BEST, Aspect.IS_WORST, *_MOVED_MORE}

_WENT: Final = {1: "rose", -1: "fell", 0: "hardly moved"}


def _which_went(ranked: Sequence[RankedMove], way: int) -> str:
    """Says which currencies rose and which fell, those that are asked for first."""
    went = {each: list[str]() for each in (way, -way, 0)}
    for each in ranked:
        little = is_little_changed(each.claim.value, pegged=False)
        went[0 if little else 1 if each.gained > 0 else -1].append(each.currency)
    told = [f"{listed(codes)} {_WENT[each]}" for each, codes in went.items() if codes]
    none = "" if went[way] else f"none {_WENT[way]}: "
    return f"Against the US dollar {none}{'; '.join(told)}."


def _named(question: MarketQuestion, ranked: Sequence[RankedMove]) -> Iterator[str]:
    known = {each.currency for each in ranked}
    mentions = currency_mentions(question.query.question)
    return (each.code for each in mentions if each.code in known and each.code != DOLLAR)


def _among(group: str) -> str:
    """Returns a group's name for the middle of a sentence."""
    name = safe_line(group, "the group")
    if group.isalnum():
        return f"in {name}"
    return f"of {name[:1].lower()}{name[1:]}" if name.startswith("All ") else f"of {name}"


def _told(first: RankedMove) -> str:
    return f"[[{first.claim.claim_id}|{first.currency}]]"
