"""The sentences on what was measured of markets, in the words of the agents that measured it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.listing import listed
from desk.analytics.names.periods import READ, SpanNamed
from desk.analytics.prices.fixings import has_lapsed
from desk.contracts.agents.tasks import EVENT_DAYS, SINCE_DECISION, Query
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    EventType,
    MarketEvent,
    ResearchResult,
)
from desk.contracts.weeks import TimeWindow
from desk.programs.question.builtin.banks import NOT_KNOWN, opening, when
from desk.programs.question.builtin.kinds import NOT_KNOWN as UNANSWERED
from desk.programs.question.builtin.kinds import QuestionKind
from desk.programs.question.builtin.synthesis.markets.asked import Aspect, MarketQuestion
from desk.programs.question.builtin.synthesis.markets.coverage import is_measured
from desk.programs.question.builtin.synthesis.markets.ranked_moves import largest_first
from desk.programs.question.builtin.synthesis.markets.results import (
    MOST_EVENTS,
    is_move,
    of_the_market,
    ranked,
    whole_days,
)
from desk.programs.question.builtin.unread_words import safe_line
from desk.trust.prose import references, split_sentences

TOLD_OF_A_MOVE: Final = 2
"""The first sentences of a move's description: from where to where it went, and between which
fixings. The distance of the last fixing from these is added."""

UNJUDGED: Final = "What caused a move is not judged without a model."

TAKEN_FOR: Final = "Taken for a question about"

NONE_SURE: Final = "No fact that is known here surely answers the question."
"""The words for a question that may be about a fact of the desk although no kind is certain."""

NOW_OR_LAST_WEEK: Final = "now and the last week"

THE_DAYS: Final = "the days asked for"
"""What the days of a question are called if the words that named them are no prose."""

NEWEST_DAY: Final = "the newest day before with a fixing"

NO_PERIOD: Final = "the last week, as no period was read in the question"

_STANDING: Final = frozenset(
    {Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH, Metric.RANGE_POSITION}
)


def events_words(question: MarketQuestion, results: Sequence[ResearchResult]) -> Iterator[str]:
    """Describes what the market did and, if a question may ask why, the events with the highest
    impact, in the words of the agents that found them. Further details of a move, and decision days
    without information, are left to the sections."""
    events = sorted(ranked(results), key=lambda event: not is_move(event))
    if question.kind is QuestionKind.LEVEL or question.asked.aspect not in (None, Aspect.MOVE):
        yield from dict.fromkeys(in_short(event) for event in events if is_move(event))
        return
    of_weight = [event for event in events if not _is_scheduled(event)] or events
    yield from list(dict.fromkeys(map(_dated, of_weight)))[: max(MOST_EVENTS, _moves(events))]
    if events:
        yield UNJUDGED


def pair_move_words(results: Sequence[ResearchResult]) -> str:
    """Describes the moves of several pairs in order, or that of one; empty if no move is known."""
    moves = (event for event in ranked(results) if is_move(event))
    return largest_first(results) or next(map(in_short, moves), "")


def _moves(events: Sequence[MarketEvent]) -> int:
    """Counts the moves: each of several markets that are asked about is described."""
    return len({in_short(event) for event in events if is_move(event)})


def _is_scheduled(event: MarketEvent) -> bool:
    """Returns whether it is a future decision, or one whose outcome is unknown."""
    return event.event_type is EventType.SCHEDULED_DECISION


def _dated(event: MarketEvent) -> str:
    """Describes an event briefly; a decision with its day."""
    bank = bank_in_a_sentence(event.area) if event.area else ""
    told = in_short(event)
    if event.event_type is not EventType.RATE_DECISION or not told.startswith(opening(bank)):
        return told
    return f"{opening(when(event))} {bank}{told.removeprefix(opening(bank))}"


def in_short(event: MarketEvent) -> str:
    """Returns an event's description; for a move only the sentences on its size."""
    if not is_move(event):
        return event.description
    sentences = split_sentences(event.description)
    far = (each for each in sentences[TOLD_OF_A_MOVE:] if any(map(_is_distance, references(each))))
    return "".join((*sentences[:TOLD_OF_A_MOVE], *far)).strip()


def _is_distance(reference: str) -> bool:
    """Returns whether a reference is to the distance of the last fixing from an end of the period's
    range."""
    return any(
        str(metric) in reference.split(":") for metric in (Metric.FROM_HIGH, Metric.FROM_LOW)
    )


def standing_summary(results: Sequence[ResearchResult]) -> str | None:
    """Describes each pair's position among its fixings of a year, from claims that were found; None
    without them."""
    told = dict.fromkeys(filter(None, map(_standing, results)))
    return " ".join(told) or None


def _standing(result: ResearchResult) -> str | None:
    known = {c.metric: c for c in of_the_market((result,))}
    return f"{level_words(known)} {year_range_place(known)}" if known.keys() >= _STANDING else None


def level_words(known: Mapping[Metric, Claim], remark: str = "") -> str:
    """Gives a pair's last fixing with its day, and a remark on that."""
    level = known[Metric.LAST]
    day = print_full_day(level.as_of)
    return f"The fixing of {level.subject} of {day} is [[{level.claim_id}]]{remark}."


def year_range_place(known: Mapping[Metric, Claim]) -> str:
    """Describes the position of a pair's last fixing among those of the year up to it; empty if not
    all of them are known."""
    if not known.keys() >= _STANDING:
        return ""
    level, low, high = (known[m] for m in (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH))
    if low.value < level.value < high.value:
        stands = f"it stands at [[{known[Metric.RANGE_POSITION].claim_id}]] of that range"
    else:
        stands = f"it is the {'highest' if level.value == high.value else 'lowest'} of them"
    highest, lowest = known.get(Metric.HIGHEST_SINCE), known.get(Metric.LOWEST_SINCE)
    since = next((c for c in (highest, lowest) if c), None)
    told = f" It was the [[{since.claim_id}]]." if since else ""
    return (
        f"The fixings of the 52 weeks to then run from [[{low.claim_id}]] to [[{high.claim_id}]],"
        f" and {stands}.{told}"
    )


def with_doubt(question: MarketQuestion, said: Sequence[str], fact: str) -> str:
    """Adds to the sentences which words of a question were not parsed: last if that does not
    matter. If it does, a `fact` comes first with how the question was understood, then the unparsed
    words; before it if they may be names. If no fact can answer it, the answer starts by saying
    so."""
    doubt = question.left.told(question.kind)
    if not question.is_unsure:
        told = (doubt, *said) if question.left.come_first else (*said, doubt)
    elif question.is_unknown or not fact:
        told = (NOT_KNOWN if question.kind in UNANSWERED else NONE_SURE, doubt, *said)
    else:
        parameters = question.query.parameters
        named = parameters.get(READ)
        days = safe_line(named, THE_DAYS) if named else NOW_OR_LAST_WEEK
        # The fact about an event says itself from when on it is.
        of_event = not {EVENT_DAYS, SINCE_DECISION}.isdisjoint(parameters)
        taken = fact if of_event else f"{TAKEN_FOR} {days}: {fact}"
        first = (doubt, taken) if question.left.come_first else (taken, doubt)
        told = (*first, *(each for each in said if each != fact))
    return " ".join(filter(None, told))


def looked_at(query: Query, window: TimeWindow, results: Sequence[ResearchResult]) -> Iterator[str]:
    """Says between which days a move was measured, and which words of the question named them."""
    named = query.parameters.get(READ)
    what = safe_line(named, THE_DAYS) if named else NO_PERIOD
    days = {c.metric: c.as_of for c in of_the_market(results)}
    if Metric.PREVIOUS in days and Metric.LAST in days:
        first, last = (print_full_day(days[metric]) for metric in (Metric.PREVIOUS, Metric.LAST))
        old = named and any(result.ends_on for result in results)
        which = NEWEST_DAY if old else what
        yield f"Measured from the fixing of {first} to that of {last} ({which})."
        return
    if not days:
        # Without any claim an answer contains no digits, not even those of a date.
        silent = listed(dict.fromkeys(r.market for r in results if "/" in r.market))
        yield (
            f"No fixing of {silent} is known of the days that are asked about."
            if silent
            else ("No move was measured of the days that are asked about.")
        )
        return
    first, last = map(print_full_day, whole_days(window))
    if any(result.ends_on for result in results):
        return
    if any("/" in result.market for result in results):
        yield f"No move was measured for {what}, {first} to {last}."
    else:
        yield f"Looked at for {what}: {first} to {last}."


def newest_fixing_words(question: MarketQuestion, results: Sequence[ResearchResult]) -> str:
    """Says of which day the newest fixing of each pair is, if it is older than the question
    expects, and that none is known of its days, if none is."""
    dated = READ in question.query.parameters
    pairs = dict[tuple[date, bool], list[str]]()
    for each in results:
        if day := _older_day(question, each):
            pairs.setdefault((day, is_measured((each,))), []).append(each.market)
    return " ".join(
        _newest_words(listed(markets), day, whole_days(question.window)[1], dated, some_known)
        for (day, some_known), markets in pairs.items()
    )


def _newest_words(pairs: str, day: date, asked: date, dated: bool, some_known: bool) -> str:
    on, older = print_full_day(day), SpanNamed((asked - day).days, "day").words
    if not dated:
        newest = f"The newest fixing of {pairs} known here is that of {on}"
        return f"{newest}, {older} before this question."
    if some_known:
        end = f"The fixings of {pairs} known here end on {on}"
        return f"{end}, {older} before the last of the days that are asked about."
    none = f"No fixing of {pairs} is known here of the days that are asked about"
    return f"{none}: the newest is that of {on}, {older} before their last."


def _older_day(question: MarketQuestion, result: ResearchResult) -> date | None:
    """The day of a pair's newest fixing, if it is before the days of a question, or long before
    their end."""
    last = next((c for c in of_the_market((result,)) if c.metric is Metric.LAST), None)
    if last is None:
        return None
    ended = result.ends_on and not (is_measured((result,)) and READ in question.query.parameters)
    return last.as_of if ended or has_lapsed(last.as_of, question.window.end) else None
