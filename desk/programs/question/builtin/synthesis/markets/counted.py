"""The first sentence of an answer that counts a pair's fixings: on how many days it rose, fell or
was beyond a number, on which day first or last, for how many weeks in a row it went one way, its
largest day, week or month, its mean, its volatility."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.currencies import currency_name
from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.periods import READ
from desk.analytics.names.subjects import pairs_named, subjects_asked
from desk.analytics.prices.fixings import has_lapsed
from desk.contracts.agents.tasks import Query
from desk.contracts.findings.claims import Claim, Metric, level_named, span_days, span_id
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.synthesis.markets.asked import (
    COUNTED_BEYOND,
    LATEST_BEYOND,
    OF_A_DAY,
    OF_A_MONTH,
    OF_A_WEEK,
    Aspect,
    MarketQuestion,
    is_quoted,
)
from desk.programs.question.builtin.synthesis.markets.results import (
    of_the_market,
    volatilities,
    whole_days,
)

OLDER_UNSEEN: Final = " Older fixings were not looked at."

_MOVES: Final = {0: "move", 1: "rise", -1: "fall"}

LONGEST_DAY: Final = timedelta(days=5)
"""The maximum time from one fixing to the next: over Easter."""

LONGEST_WEEK: Final = timedelta(days=10)
"""The maximum time from the last fixing of one week to that of the next."""

LONGEST_MONTH: Final = timedelta(days=35)
"""The maximum time from the last fixing of one month to that of the next."""

COUNTED: Final = (
    COUNTED_BEYOND
    | OF_A_DAY
    | OF_A_WEEK
    | OF_A_MONTH
    | {Aspect.WEEK_STREAK, Aspect.DAYS_UP, Aspect.DAYS_DOWN, Aspect.MEAN, Aspect.VOLATILITY}
    | {Aspect.BAND, Aspect.LONGEST_RISE, Aspect.LONGEST_FALL}
)

_WAYS: Final = {
    Aspect.LARGEST_DAY: 0,
    Aspect.LARGEST_RISE: 1,
    Aspect.LARGEST_FALL: -1,
    Aspect.LARGEST_WEEK: 0,
    Aspect.WEEK_RISE: 1,
    Aspect.WEEK_FALL: -1,
    Aspect.LARGEST_MONTH: 0,
    Aspect.MONTH_RISE: 1,
    Aspect.MONTH_FALL: -1,
}
_LENGTHS: Final = {"day": OF_A_DAY, "week": OF_A_WEEK, "month": OF_A_MONTH}
_SPANS: Final = {
    "day": (timedelta(0), LONGEST_DAY),
    "week": (LONGEST_DAY, LONGEST_WEEK),
    "month": (LONGEST_WEEK, LONGEST_MONTH),
}
"""Between which times from its first to its last fixing a move is that of a day, week or month."""

_BEYOND: Final = {
    Aspect.DAYS_ABOVE: (Metric.DAYS_ABOVE, "above"),
    Aspect.DAYS_BELOW: (Metric.DAYS_BELOW, "below"),
    Aspect.FIRST_ABOVE: (Metric.FIRST_ABOVE, "above"),
    Aspect.FIRST_BELOW: (Metric.FIRST_BELOW, "below"),
    Aspect.LAST_ABOVE: (Metric.LAST_ABOVE, "above"),
    Aspect.LAST_BELOW: (Metric.LAST_BELOW, "below"),
}
_WENT: Final = {1: ("rose", Metric.DAYS_RISEN), -1: ("fell", Metric.DAYS_FALLEN)}
_RUNS: Final = {1: Metric.LONGEST_RISE, -1: Metric.LONGEST_FALL}
_THE_NUMBER: Final = "the number that is asked about"


def counted_sentence(question: MarketQuestion, aspect: Aspect, result: ResearchResult) -> str:
    """Returns the count that is asked for about a pair; empty if it was not computed."""
    known = {
        claim.metric: claim for claim in of_the_market((result,)) if not level_named(claim.claim_id)
    }
    last = known.get(Metric.LAST)
    if last is None:
        return ""
    turn = -1 if is_quoted(question.query.question, result.market) else 1
    match aspect:
        case Aspect.DAYS_UP | Aspect.DAYS_DOWN:
            way = 1 if aspect is Aspect.DAYS_UP else -1
            return _days_moved(question, known, way * turn)
        case each if each in _WAYS:
            return _largest_span(question, result, last, aspect, turn)
        case Aspect.LONGEST_RISE | Aspect.LONGEST_FALL:
            way = 1 if aspect is Aspect.LONGEST_RISE else -1
            return _longest_run(question, known, way * turn)
        case Aspect.WEEK_STREAK:
            return _weeks_in_a_row(known, result.market if turn < 0 else "")
        case Aspect.MEAN:
            mean = known.get(Metric.SPAN_MEAN)
            told = f"The mean of the fixings of {last.subject} {over(question, last)} is"
            return f"{told} [[{mean.claim_id}]]." if mean else ""
        case Aspect.VOLATILITY:
            swing = known.get(Metric.SPAN_VOLATILITY)
            told = f"The daily moves of {last.subject} {over(question, last)} come to a volatility"
            return f"{told} of [[{swing.claim_id}]] a year." if swing else ""
        case Aspect.BAND:
            return _in_its_band(known, last)
        case _:
            return _beyond(question, aspect, result, last)


def is_dated(query: Query) -> bool:
    """Whether a question names days, of its own or of a high or low."""
    return READ in query.parameters or query.is_from_extreme


def over(question: MarketQuestion, last: Claim) -> str:
    """Returns the words for the days that a figure covers. They end with the last fixing if the
    series ended before the days asked about."""
    if not is_dated(question.query):
        return f"in the 52 weeks to {print_full_day(last.as_of)}"
    first, end = question.query.event_days or whole_days(question.window)
    if has_lapsed(last.as_of, question.window.end):
        end = min(end, last.as_of)
    return f"from {print_full_day(first)} to {print_full_day(end)}"


def _largest_span(
    question: MarketQuestion, result: ResearchResult, last: Claim, aspect: Aspect, turn: int
) -> str:
    """Describes the largest rise, fall or move from one fixing to the next, or from the last fixing
    of one week or month to that of the next. If the quoted currency is asked about, `turn` is
    -1."""
    length = next(each for each, aspects in _LENGTHS.items() if aspect in aspects)
    shortest, longest = _SPANS[length]
    way = _WAYS[aspect] * turn
    # A model's spans may cover more days.
    moves = [c for c in result.claims if c.metric is Metric.SPAN_MOVE and result.version]
    spans = [
        (claim, days)
        for claim in moves
        if (days := span_days(claim)) and shortest < days[1] - days[0] <= longest
    ]
    of_it = [each for each in spans if each[0].value * way > 0 or not way]
    if not of_it:
        return ""
    largest, days = max(of_it, key=lambda each: abs(each[0].value))
    before, day = map(print_full_day, days)
    start, end = (span_id(last.subject, m, *days) for m in (Metric.SPAN_START, Metric.SPAN_END))
    when = "on" if length == "day" else f"in the {length} to"
    return (
        f"The largest one-{length} {_MOVES[way]} of {last.subject} {over(question, last)} was"
        f" [[{largest.claim_id}|signed]] {when} {day}, from [[{start}]] on {before} to [[{end}]]."
    )


def volatility_compared(
    question: MarketQuestion, aspect: Aspect, research: Sequence[ResearchResult]
) -> str:
    """Says which pairs moved more over the days that are asked about, from the most volatile one or
    the calmest one; yes or no, if the question asks that of the one that it names first. Empty
    unless the volatility of two is known."""
    swings = volatilities(question.query, research)
    calm_first = aspect in (Aspect.LEAST_VOLATILE, Aspect.LESS_VOLATILE)
    ranked = sorted(swings, key=lambda claim: claim.value, reverse=not calm_first)
    if len(ranked) < 2:
        return ""
    first, *others = ranked
    said = ""
    if aspect in (Aspect.MORE_VOLATILE, Aspect.LESS_VOLATILE):
        said = "Yes: " if first.subject == _named_first(question, ranked) else "No: "
    of_others = ", ".join(f"that of {each.subject} [[{each.claim_id}]]" for each in others)
    most = "least" if calm_first else "most"
    if len(ranked) == len(("one", "other")):
        most = "less" if calm_first else "more"
    days = _of_its_days(question, first)
    return (
        f"{said}{first.subject} was the {most} volatile {days}: the volatility of its daily moves"
        f" is [[{first.claim_id}]] a year, {of_others}."
    )


def _named_first(question: MarketQuestion, ranked: Sequence[Claim]) -> str | None:
    """The pair that a question names first, or the only one of the currency that it names first."""
    words = question.query.question
    pairs = {claim.subject for claim in ranked}
    named = [pair for pair in pairs_named(words) if pair in pairs]
    if len(named) > 1:
        return named[0]
    codes = (subject.code for subject in subjects_asked(words) if subject.code != DOLLAR)
    first = next(codes, "")
    of_it = [pair for pair in pairs if first in pair.split("/")]
    return of_it[0] if len(of_it) == 1 else None


def _longest_run(question: MarketQuestion, known: Mapping[Metric, Claim], way: int) -> str:
    """Says for how many days in a row a pair rose or fell at most. None is known of a pair that did
    not."""
    run, fixings = known.get(_RUNS[way]), known.get(Metric.FIXINGS_WITHIN)
    if run is None or fixings is None:
        return ""
    goes = "rising" if way > 0 else "falling"
    return (
        f"The longest run of {goes} fixings of {run.subject} {_of_its_days(question, fixings)} is"
        f" [[{run.claim_id}]], up to {print_full_day(run.as_of)}."
    )


def _days_moved(question: MarketQuestion, known: Mapping[Metric, Claim], way: int) -> str:
    fixings, counts = (
        known.get(Metric.FIXINGS_WITHIN),
        {w: known.get(m) for w, (_, m) in _WENT.items()},
    )
    first, other = counts[way], counts[-way]
    if fixings is None or first is None or other is None:
        return ""
    days = _of_its_days(question, fixings)
    return (
        f"{first.subject} {_WENT[way][0]} on [[{first.claim_id}]] of its [[{fixings.claim_id}]]"
        f" fixings {days}, and {_WENT[-way][0]} on [[{other.claim_id}]]."
    )


def _of_its_days(question: MarketQuestion, claim: Claim) -> str:
    """Returns the words for the days in a claim's name, or else for the question's window."""
    days = span_days(claim)
    first, last = days or whole_days(question.window)
    return f"from {print_full_day(first)} to {print_full_day(last)}"


def _weeks_in_a_row(known: Mapping[Metric, Claim], quoted: str) -> str:
    """Says for how many weeks in a row the pair rose or fell. If its `quoted` currency is asked
    about, also says what that one did."""
    streak = known.get(Metric.WEEK_STREAK)
    if streak is None:
        return ""
    if not streak.value:
        return f"The last week of {streak.subject} ended where the one before it did."
    went, other = ("risen", "fell") if streak.value > 0 else ("fallen", "rose")
    told = f"From Friday to Friday {streak.subject} has {went} for [[{streak.claim_id}]] in a row"
    own = f"the {currency_name(quoted.partition('/')[2])}" if quoted else ""
    return f"{told}: {own} {other}." if own else f"{told}."


def _in_its_band(known: Mapping[Metric, Claim], last: Claim) -> str:
    """Where the last fixing stands in the band that an authority keeps the pair in."""
    edges = (Metric.BAND_POSITION, Metric.BAND_LOW, Metric.BAND_HIGH)
    position, low, high = (known.get(metric) for metric in edges)
    if position is None or low is None or high is None:
        return ""
    return (
        f"The fixing of {last.subject} of {print_full_day(last.as_of)}, [[{last.claim_id}]], stands"
        f" at [[{position.claim_id}]] of its band, from [[{low.claim_id}]] to [[{high.claim_id}]]."
    )


def _beyond(question: MarketQuestion, aspect: Aspect, result: ResearchResult, last: Claim) -> str:
    """Says on how many days the pair was beyond the number of the question, and on which first or
    last. If the question names no days, the latest is looked for in the whole history."""
    level = question.asked.level_of(last.value)
    metric, side = _BEYOND[aspect]
    count = Metric.DAYS_ABOVE if side == "above" else Metric.DAYS_BELOW
    of_it = [claim for claim in of_the_market((result,)) if level_named(claim.claim_id) == level]
    dated = READ in question.query.parameters
    starts = sorted(days[0] for claim in of_it if (days := span_days(claim)))
    if level is None or not starts:
        return ""
    start = starts[-1] if dated or aspect not in LATEST_BEYOND else starts[0]
    told = {c.metric: c for c in of_it if (days := span_days(c)) and days[0] == start}
    within = f"from {print_full_day(start)} to {print_full_day(last.as_of)}"
    unseen = "" if dated else OLDER_UNSEEN
    if count not in told:
        return ""
    if not told[count].value:
        return f"No fixing of {last.subject} {within} was {side} {_THE_NUMBER}.{unseen}"
    found = told[metric]
    if metric is count:
        return (
            f"[[{found.claim_id}]] of the fixings of {last.subject} {within} were {side}"
            f" {_THE_NUMBER}."
        )
    which = "first" if aspect in (Aspect.FIRST_ABOVE, Aspect.FIRST_BELOW) else "last"
    return (
        f"The {which} fixing of {last.subject} {side} {_THE_NUMBER}, {within}, is that of"
        f" [[{found.claim_id}]]."
    )
