"""The Synthesis agent: what was found for a question, in the words of its sources.

It uses no tool, reads no English and judges nothing: a question of a ticket's field or of a table's
cell is answered with that, for any other the passages that fit are quoted as found. What a source
says is never an order to it.

What research agents found of a market is told as they left it.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date, timedelta
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.currency_mentions import NO_MARKET, mentions_told
from desk.analytics.names.listing import listed
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.periods import DAYS_ASKED, READ, UNREAD
from desk.analytics.names.subjects import AskedSubject, NamedAs, subjects_asked
from desk.analytics.prices.series import window_days
from desk.analytics.retrieval.full_text import FullTextIndex, stems
from desk.analytics.retrieval.meaning import WORKERS_MEANING
from desk.contracts.agents.tasks import Query
from desk.contracts.findings.claims import Claim, Metric
from desk.contracts.findings.results import (
    EventType,
    Impact,
    Leaning,
    MarketEvent,
    ResearchResult,
    ValidationResult,
    View,
    ViewKind,
)
from desk.contracts.question.knowledge import Quotation, Section, Synthesis, Ticket
from desk.contracts.question.tickets import TICKET_ID
from desk.contracts.runs.turns import StateEntry, Turn, TurnRequest
from desk.contracts.weeks import TimeWindow
from desk.programs.question.builtin.asking import (
    named_tickets,
    parameter_list,
    query_of,
)
from desk.programs.question.builtin.banks import NOT_KNOWN, DaysAsked, bank_standing, is_known
from desk.programs.question.builtin.kinds import NOT_KNOWN as UNANSWERED
from desk.programs.question.builtin.kinds import OF_A_BANK, QuestionKind, kind_of, likeliest
from desk.programs.question.builtin.passages import SourceKind, SourcePassage, passages_in
from desk.programs.question.builtin.ranked_moves import RANK, largest_first, ranking_told
from desk.programs.question.builtin.ranking import Fit, fits
from desk.programs.question.builtin.unread_words import safe_line, unread_words
from desk.programs.question.builtin.verdicts import bank_verdict, move_verdict
from desk.trust.claims.yield_claims import LEVELS
from desk.trust.prose import LONGEST_TEXT, clip, references, split_sentences

PAPERS: Final = "papers"
"""The parameter by which what is written goes before what was measured."""

MOST_EVENTS: Final = 3
"""Events in the summary."""

TOLD_OF_A_MOVE: Final = 2
"""Sentences of its description: from where to where it went, and between which fixings. How far the
last one is from these is told as well."""

LONGEST_SECTION: Final = 20_000
UNJUDGED: Final = "What caused a move is not judged without a model."
NO_PERIOD: Final = "the last week, as no period was read in the question"
NOT_COVERED: Final = "Nothing is said here of"
NO_EVENT: Final = "The research found no event."

_STANDING: Final = (Metric.LAST, Metric.YEAR_LOW, Metric.YEAR_HIGH, Metric.RANGE_POSITION)
_ORDER: Final = {Impact.HIGH: 0, Impact.MEDIUM: 1, Impact.LOW: 2}
_LEANINGS: Final = {
    ViewKind.DIRECTION: {Leaning.UP: "rising", Leaning.DOWN: "falling"},
    ViewKind.STANCE: {Leaning.UP: "tightening", Leaning.DOWN: "easing"},
    ViewKind.RECOMMENDATION: {Leaning.UP: "buy", Leaning.DOWN: "sell"},
}


def research_in(state: Sequence[StateEntry]) -> tuple[ResearchResult, ...]:
    """What research agents brought, in the order of the graph."""
    return tuple(e.result for e in state if isinstance(e.result, ResearchResult))


def research_summary(
    query: Query, window: TimeWindow, results: Sequence[ResearchResult], standing: str = ""
) -> str | None:
    """The days that were measured with what named them, which of several moved most, where a
    pair is `standing`, what the market did, and the events of most impact, in the words of those
    who found them; None without any event. What else is known of a move, and decision days that
    nothing is known of, are left to the sections."""
    events = sorted(_ranked(results), key=lambda event: not _is_move(event))
    of_weight = [event for event in events if not _is_scheduled(event)] or events
    told = list(dict.fromkeys(map(_in_short, of_weight)))[: max(MOST_EVENTS, _moves(events))]
    if not told:
        return None
    said = (*_days(query, window, results), largest_first(results), standing, *told, UNJUDGED)
    said += _unread_of_a_pair(query)[1:]
    return clip(" ".join(filter(None, said)), LONGEST_TEXT)


def _moves(events: Sequence[MarketEvent]) -> int:
    """How many moves there are: of several markets that are asked about each is told."""
    return len({_in_short(event) for event in events if _is_move(event)})


def _is_scheduled(event: MarketEvent) -> bool:
    """Whether it is a decision that is to come, or whose outcome is not known."""
    return event.event_type is EventType.SCHEDULED_DECISION


def _in_short(event: MarketEvent) -> str:
    """An event's description; of a move the sentences that say how far it went."""
    if not _is_move(event):
        return event.description
    sentences = split_sentences(event.description)
    far = (each for each in sentences[TOLD_OF_A_MOVE:] if any(map(_is_distance, references(each))))
    return "".join((*sentences[:TOLD_OF_A_MOVE], *far)).strip()


def _is_distance(reference: str) -> bool:
    """Whether a reference is to how far the last fixing is from an end of the period's range."""
    return any(
        str(metric) in reference.split(":") for metric in (Metric.FROM_HIGH, Metric.FROM_LOW)
    )


def standing_summary(results: Sequence[ResearchResult]) -> str | None:
    """Where each pair stands among its fixings of a year, in claims that were found; None without
    them."""
    told = dict.fromkeys(filter(None, map(_standing, results)))
    return " ".join(told) or None


def _standing(result: ResearchResult) -> str | None:
    known = {c.metric: c for c in _of_the_market((result,))}
    if not all(metric in known for metric in _STANDING):
        return None
    level, low, high, place = (known[metric] for metric in _STANDING)
    if low.value < level.value < high.value:
        stands = f"neither of these, at [[{place.claim_id}]] of that range"
    else:
        stands = f"the {'highest' if level.value == high.value else 'lowest'} of them"
    highest, lowest = known.get(Metric.HIGHEST_SINCE), known.get(Metric.LOWEST_SINCE)
    since = next((c for c in (highest, lowest) if c), None)
    told = f" It was the [[{since.claim_id}]]." if since else ""
    return (
        f"The fixing of {level.subject} of {print_full_day(level.as_of)} is [[{level.claim_id}]]."
        f" Its fixings of 52 weeks run from [[{low.claim_id}]] to [[{high.claim_id}]], and this one"
        f" is {stands}.{told}"
    )


def _of_the_market(results: Iterable[ResearchResult]) -> Iterator[Claim]:
    """The claims on what each result is about: a model's may be on other markets, and days."""
    return (c for result in results for c in result.claims if c.subject == result.market)


def _is_all_read(query: Query, research: Sequence[ResearchResult]) -> bool:
    """Whether what was measured is all that a question names."""
    unread = any(query.parameters.get(name) for name in (UNREAD, NO_MARKET))
    kind = kind_of(query.question, WORKERS_MEANING.get())
    unsure = kind in UNANSWERED or unread_words(query, kind).matters(kind)
    return not unread and not unsure and not _not_measured(query, research)


def _measured(query: Query, research: Sequence[ResearchResult]) -> tuple[AskedSubject, ...]:
    """What of that a question names some research is about."""
    asked = subjects_asked(query.question) if research else ()
    return tuple(subject for subject in asked if _is_researched(subject, research))


def _not_measured(query: Query, research: Sequence[ResearchResult]) -> tuple[AskedSubject, ...]:
    """What of that a question names no research is about. A place that is the seat of a bank as
    well is none of it."""
    asked = (s for s in subjects_asked(query.question) if s.kind is not NamedAs.SEAT)
    return tuple(subject for subject in asked if not _is_researched(subject, research))


def _is_researched(asked: AskedSubject, research: Sequence[ResearchResult]) -> bool:
    area = AREAS.get(asked.code)
    if asked.kind is NamedAs.BONDS:
        yields = (c for result in research for c in result.claims if c.metric in LEVELS.values())
        return any(claim.subject == area for claim in yields)
    if any(result.market == area for result in research):
        return True
    if area and asked.kind is not NamedAs.CURRENCY and any(_is_of_area(area, r) for r in research):
        return True
    pairs = {code for each in research if "/" in each.market for code in each.market.split("/")}
    return asked.kind is not NamedAs.BANK and asked.code in pairs


def _is_of_area(area: str, result: ResearchResult) -> bool:
    """Whether a result tells of a country's policy rate, or of its bank's decisions and days."""
    events = any(event.area == area for event in result.events)
    return result.market == area or events or any(c.subject == area for c in result.claims)


def _not_covered(
    query: Query, research: Sequence[ResearchResult], shown: Sequence[SourcePassage]
) -> str:
    """The sentence that names what a question names and neither the research nor a passage that is
    quoted is about; empty where there is nothing."""
    read = " ".join(" ".join(filter(None, (p.source, p.within, p.text))) for p in shown)
    quoted = {subject.code for subject in subjects_asked(read)}
    without = set(query.parameters.get(NO_MARKET, "").split(", ")) if not shown else set()
    left = [s for s in _not_measured(query, research) if s.code not in quoted | without]
    named = dict.fromkeys(subject.name for subject in left)
    return f"{NOT_COVERED} {listed(named)}." if named else ""


def _days(query: Query, window: TimeWindow, results: Sequence[ResearchResult]) -> Iterator[str]:
    """What of a question was not read, and the days between which a market's move was measured:
    another period than the one that was meant is not told as that."""
    first, _ = _unread_of_a_pair(query)
    yield first
    yield from _looked_at(query, window, results)


def _unread_of_a_pair(query: Query) -> tuple[str, str]:
    """What was not read of a question about pairs: told first where it matters, and else last."""
    kind = kind_of(query.question, WORKERS_MEANING.get())
    left = unread_words(query, kind)
    told = left.told(kind)
    if kind in UNANSWERED:
        return f"{NOT_KNOWN} {told}".strip(), ""
    return (told, "") if left.matters(kind) else ("", told)


def _looked_at(
    query: Query, window: TimeWindow, results: Sequence[ResearchResult]
) -> Iterator[str]:
    """The days between which a move was measured, and what of the question named them."""
    named = query.parameters.get(READ)
    what = safe_line(named, "the days asked for") if named else NO_PERIOD
    days = {c.metric: c.as_of for c in _of_the_market(results)}
    if Metric.PREVIOUS in days and Metric.LAST in days:
        first, last = (print_full_day(days[metric]) for metric in (Metric.PREVIOUS, Metric.LAST))
        yield f"Measured for {what}: from the fixing of {first} to that of {last}."
        return
    if not days:
        # Where there is no claim at all, no digit stands in an answer: not even those of a day.
        silent = listed(dict.fromkeys(r.market for r in results if "/" in r.market))
        yield (
            f"No fixing of {silent} is known of the days that are asked about."
            if silent
            else ("No move was measured of the days that are asked about.")
        )
        return
    first, last = map(print_full_day, _whole_days(window))
    if any("/" in result.market for result in results):
        yield f"No move was measured for {what}, {first} to {last}."
    else:
        yield f"Looked at for {what}: {first} to {last}."


def _whole_days(window: TimeWindow) -> tuple[date, date]:
    """The first day of a window and the last of which it has more than its first instant."""
    before = max(window.start, window.end - timedelta(microseconds=1))
    return window_days(window.model_copy(update={"end": before}))


def _is_of_a_bank(results: Sequence[ResearchResult]) -> bool:
    """Whether what was researched is a bank, of which its calendar tells even without an event."""
    return any("/" not in result.market for result in results)


def _prices_ended(results: Sequence[ResearchResult]) -> Iterator[str]:
    """Of which pairs the newest price is older than the days that are asked about, and what to do.
    The day is told with what is missing: no digit stands in an answer without a claim."""
    ended = dict.fromkeys(each.market for each in results if each.ends_on is not None)
    if ended:
        yield (
            f"No fixing of {listed(ended)} is here for the days that are asked about: what is"
            " missing says of which day the newest is, and `--as-of` with that day answers as of"
            " then."
        )


def _is_measured(results: Sequence[ResearchResult]) -> bool:
    """Whether a move is known, where a pair was researched."""
    pair = any("/" in result.market for result in results)
    return not pair or any(c.metric is Metric.MOVE for r in results for c in r.claims)


def research_sections(state: Sequence[StateEntry]) -> Iterator[Section]:
    """A section for each research result, and one for what the validator says."""
    for result in research_in(state):
        yield Section(title=f"{result.market}: {_who(result)}", content=_content(result))
    validated = [e.result for e in state if isinstance(e.result, ValidationResult)]
    if validated:
        known = {claim.claim_id for result in research_in(state) for claim in result.claims}
        lines = dict.fromkeys(_founded(each.recommendation, known) for each in validated)
        told = "\n\n".join(line for line in lines if line)
        if told:
            yield Section(title="Validation", content=clip(told, LONGEST_SECTION))


def _founded(prose: str, known: Container[str]) -> str:
    """The sentences that refer to nothing but claims of the research."""
    kept = (s for s in split_sentences(prose) if all(name in known for name in references(s)))
    return "".join(kept).strip()


def _ranked(results: Sequence[ResearchResult]) -> list[MarketEvent]:
    events = [event for result in results for event in result.events]
    return sorted(events, key=lambda event: _ORDER[event.impact])


def _who(result: ResearchResult) -> str:
    moves = any(_is_move(event) for event in result.events)
    leans = any(view.kind is ViewKind.DIRECTION for view in result.views)
    return "prices" if moves or leans else "policy rates and news"


def _is_move(event: MarketEvent) -> bool:
    return event.event_type is EventType.FX_MOVEMENT


def _is_of_the_dollar(event: MarketEvent) -> bool:
    return DOLLAR in event.market.split("/")


def _content(result: ResearchResult) -> str:
    lines = [f"- {event.description}" for event in _ranked((result,))]
    lines += [f"- {rate}" for rate in _other_rates(result)]
    lines += [f"- {_view(view)}" for view in result.views]
    lines += [f"- Note: {warning}" for warning in result.warnings]
    return clip("\n".join(lines) or NO_EVENT, LONGEST_SECTION)


def _other_rates(result: ResearchResult) -> Iterator[str]:
    """The market's policy rates of which no event tells: a bank has one without a day ahead too."""
    told = {name for event in result.events for name in references(event.description)}
    decided = {event.area for event in result.events if event.event_type is EventType.RATE_DECISION}
    for claim in result.claims:
        of_the_market = "/" in result.market or claim.subject == result.market
        if claim.metric is not Metric.POLICY_RATE or claim.claim_id in told or not of_the_market:
            continue
        if claim.subject not in decided:
            bank = bank_in_a_sentence(claim.subject)
            known = f"as far as is known up to {print_full_day(claim.as_of)}"
            yield f"The policy rate of {bank} was [[{claim.claim_id}]], {known}."


def _view(view: View) -> str:
    leaning = _LEANINGS[view.kind].get(view.leaning, view.leaning.value)
    kind = view.kind.value.capitalize()
    rests = ", ".join(f"[[{claim}]]" for claim in view.claims)
    return f"{kind} of {view.subject}: {leaning}{f', by {rests}' if rests else ''}."


NOTHING_FITS: Final = "Nothing that was found fits the question."
NEAREST: Final = "No passage surely fits the question. What comes nearest:"
NEAREST_WRITTEN: Final = "Nearest in what is written"
NOTHING_WRITTEN: Final = "Nothing written fits the question."
TAKEN_FOR: Final = "Which fact is asked for was not read for sure. It is taken for"
OF_THE_BANKS: Final = "What the desk knows of central banks:"
UNKNOWN: Final = "The ticket that the question names is not available."
SOME_UNKNOWN: Final = "Not every ticket that the question names is available."
TOO_MANY: Final = "More tickets were found than an answer holds."

AS_THEY_STAND: Final = (
    "These are rows of one table as they stand: without a model nothing is computed from them."
)

MOST_QUOTED: Final = 3
"""Passages in a summary."""

MOST_FURTHER: Final = 3
"""Passages of each kind of source that are shown besides."""

MOST_TOLD: Final = 20
"""Tickets whose fields a summary tells."""

MOST_QUOTATIONS: Final = 100
"""The bound of `Synthesis.quotations`."""

QUOTED_OF_A_TICKET: Final = 4
"""Quotations that telling one takes."""

_TITLES: Final[Mapping[SourceKind, str]] = {
    SourceKind.TICKET: "Tickets",
    SourceKind.DOCUMENT: "Documents",
    SourceKind.PDF: "PDF files",
    SourceKind.WEB: "Web pages",
}
_FIELDS: Final = ("status", "assignee", "summary")


class Draft(NamedTuple):
    """A summary, what it is, and the passages that it tells."""

    summary: str
    answered: bool
    found: bool = False
    told: tuple[SourcePassage, ...] = ()


class Quoter:
    """Gives words of sources their ids. The same words of the same place have one id."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str | None], Quotation] = {}

    @property
    def quotations(self) -> tuple[Quotation, ...]:
        """All that was quoted, in its order."""
        return tuple(self._known.values())

    @property
    def has_room(self) -> bool:
        """Whether an answer holds what telling another passage takes."""
        return len(self._known) + QUOTED_OF_A_TICKET <= MOST_QUOTATIONS

    def passage(self, passage: SourcePassage) -> str:
        """The reference to a passage; of a ticket the sentence that tells its fields."""
        if passage.ticket is not None:
            return self.ticket(passage, passage.ticket)
        return self.quote(passage.text, passage, passage.place)

    def ticket(self, passage: SourcePassage, ticket: Ticket, first: str | None = None) -> str:
        """A sentence that says what is in a ticket, after a field that is told by itself."""
        told = {
            "status": f"has the status {self._field(passage, ticket.status, 'status')}",
            "assignee": f"is assigned to {self._field(passage, ticket.assignee, 'assignee')}"
            if ticket.assignee
            else "has no assignee",
            "summary": f"is about {self._field(passage, ticket.summary, 'summary')}",
        }
        alone = f"{self._field(passage, getattr(ticket, first), first)}. " if first else ""
        subject = self.quote(ticket.id, passage, None)
        rest = (words for name, words in told.items() if name != first)
        return f"{alone}{subject} {listed(rest)}"

    def quote(self, words: str, passage: SourcePassage, place: str | None) -> str:
        """The reference to words of a passage's source."""
        key = (passage.evidence_id, words, place)
        if key not in self._known:
            self._known[key] = Quotation(
                quotation_id=f"q{len(self._known) + 1}",
                text=words,
                source=passage.source,
                place=place,
                url=passage.url,
                evidence_id=passage.evidence_id,
            )
        return f"[[{self._known[key].quotation_id}]]"

    def _field(self, passage: SourcePassage, value: str, name: str) -> str:
        return self.quote(value[:1_000], passage, name)


def take_turn(request: TurnRequest) -> Turn:
    """What was found for the question, in one turn. It says so where nothing fits it.

    Raises:
        TaskNotPossible: there is no question.
    """
    query, quoter = query_of(request), Quoter()
    passages = passages_in(request.state, named_tickets(query))
    window = request.assignment.window
    research = research_in(request.state)
    ranked = fits(query.question, passages, _measured(query, research))
    draft = _draft(query, window, passages, ranked, research, quoter)
    left = _not_covered(query, research, draft.told)
    said = [left, draft.summary] if research and not draft.told else [draft.summary, left]
    if draft.answered and not (draft.told and PAPERS in query.parameters):
        said = [move_verdict(query.question, research), *said]
    if not draft.told or not draft.answered:
        # What is written and fits is of whatever currency the paper is of.
        said = [*_prices_ended(research), *mentions_told(query.parameters), *said]
    draft = draft._replace(summary=" ".join(filter(None, said)))
    nearest = () if draft.found or draft.told or not research else _nearest(ranked, quoter)
    further = _further(ranked, draft, quoter)
    sections = (*further, *research_sections(request.state), *nearest)
    return Turn(
        result=Synthesis(
            task_id=request.assignment.task_id,
            agent=request.assignment.agent,
            summary=clip(f"{draft.summary}{_failed(request.state)}", LONGEST_TEXT),
            sections=sections[:20],
            quotations=quoter.quotations,
            answered=draft.answered,
            found=draft.found,
        )
    )


def _draft(
    query: Query,
    window: TimeWindow,
    passages: Sequence[SourcePassage],
    ranked: Sequence[Fit],
    research: Sequence[ResearchResult],
    quoter: Quoter,
) -> Draft:
    names = named_tickets(query)
    researched = research_summary(query, window, research)
    if parameter_list(query, "first", "second"):
        return _side_by_side(query, ranked, quoter)
    if names:
        return _of_named(query.question, names, passages, ranked, quoter)
    found = [fit for fit in ranked if fit.found]
    # What speaks of a thing without a value of it, such as that its cost is not known, is no
    # answer, and what fits less well is none either.
    found = found if found and found[0].answers else []
    if group := query.parameters.get(RANK):
        return _of_a_group(query, window, group, research, found, quoter)
    if (researched or _is_of_a_bank(research)) and PAPERS in query.parameters:
        measured = _measured_instead(query, window, research, ranked, quoter)
        # What a bank did is known for sure; a paper that has the question's words may not be of it.
        if found and not (measured.found and _is_of_a_bank(research)):
            return _cell_asked(query.question, found, quoter) or _of_best(
                query.question, found, quoter
            )
        return measured
    if researched:
        told = _quoted(found, quoter) if found else Draft("", answered=True)
        sure = _is_all_read(query, research) and _is_measured(research)
        banks = bank_standing(research, _whole_days(window)[1])
        level = _level_asked(query, research)
        summary = " ".join(filter(None, (level, researched, banks, told.summary)))
        return Draft(summary, sure, sure, told.told)
    if found:
        return _cell_asked(query.question, found, quoter) or _of_best(query.question, found, quoter)
    near = [fit for fit in ranked if fit.near][:MOST_QUOTED]
    if not near:
        return Draft(NOTHING_FITS, answered=False)
    told = _quoted(near, quoter)
    return told._replace(summary=f"{NEAREST} {told.summary}", answered=False, found=False)


def _level_asked(query: Query, research: Sequence[ResearchResult]) -> str:
    """Where the pairs stand, for a question of that."""
    kind = kind_of(query.question, WORKERS_MEANING.get())
    return (standing_summary(research) or "") if kind is QuestionKind.LEVEL else ""


def _measured_instead(
    query: Query,
    window: TimeWindow,
    research: Sequence[ResearchResult],
    ranked: Sequence[Fit],
    quoter: Quoter,
) -> Draft:
    """What was measured where nothing written fits, which is said last.

    Of banks that goes first which the question is of, where its kind is told, and else the days
    where some are named. Of places that are the seats of banks among other things, what is written
    and comes near goes before, where the kind is none of a bank's.
    """
    if any("/" in result.market for result in research):
        return _pairs_instead(query, window, research)
    day, asked, kind = _whole_days(window)[1], _days_asked(query), _kind_of_a_bank(query)
    left = unread_words(query, kind)
    doubt = left.told(kind)
    days = "" if asked else " ".join(_looked_at(query, window, research))
    likely = None if kind else likeliest(query.question, OF_A_BANK, WORKERS_MEANING.get())
    standing = bank_standing(research, day, kind or likely, asked)
    kinds = {subject.kind for subject in subjects_asked(query.question)}
    if kind is None and NamedAs.SEAT in kinds and NamedAs.BANK not in kinds:
        near = [fit for fit in ranked if fit.near and fit.of_subject][:MOST_QUOTED]
        if near:
            told = _quoted(near, quoter)
            summary = f"{NEAREST} {told.summary} {OF_THE_BANKS} {standing} {days}"
            return told._replace(summary=summary, answered=False, found=False)
    sure = kind not in (None, *UNANSWERED) and not left.matters(kind)
    known = is_known(research, day, kind, asked)
    found = sure and known and _is_all_read(query, research)
    leads = kind in UNANSWERED or left.matters(kind)
    taken = f"{TAKEN_FOR} {likely.value}." if likely else ""
    first, last = (doubt, "") if leads else ("", doubt)
    verdict = "" if leads else bank_verdict(query.question, kind, research, day, asked)
    written = "" if known else NOTHING_WRITTEN
    said = (first, taken, verdict, standing, last, days, written)
    return Draft(" ".join(filter(None, said)), answered=found, found=found)


def _days_asked(query: Query) -> DaysAsked | None:
    """The first and the last day that a question about a bank names."""
    first, _, last = query.parameters.get(DAYS_ASKED, "").partition("/")
    return (date.fromisoformat(first), date.fromisoformat(last)) if first and last else None


def _kind_of_a_bank(query: Query) -> QuestionKind | None:
    """The kind of a question about banks, where it is one of theirs."""
    kind = kind_of(query.question, WORKERS_MEANING.get())
    return None if kind in (QuestionKind.MOVE, QuestionKind.LEVEL) else kind


def _pairs_instead(query: Query, window: TimeWindow, research: Sequence[ResearchResult]) -> Draft:
    """What was measured of pairs: where they stand before how far they went, where the question is
    of that and of no period, and after it where it is of moves."""
    standing = standing_summary(research) or ""
    kind = kind_of(query.question, WORKERS_MEANING.get())
    aside = kind in (QuestionKind.LEVEL, QuestionKind.MOVE)
    moves = research_summary(query, window, research, "" if aside else standing)
    one_day = len({*_whole_days(window)}) == 1
    first = kind is QuestionKind.LEVEL and (one_day or READ not in query.parameters)
    levels_first, levels_last = (standing, "") if first else ("", standing if aside else "")
    banks = bank_standing(research, _whole_days(window)[1])
    dated = kind is QuestionKind.LEVEL or READ in query.parameters
    found = aside and dated and _is_all_read(query, research) and _is_measured(research)
    said = (levels_first, moves, levels_last, banks, "" if found else NOTHING_WRITTEN)
    return Draft(" ".join(filter(None, said)), answered=found, found=found)


def _of_a_group(
    query: Query,
    window: TimeWindow,
    group: str,
    research: Sequence[ResearchResult],
    found: Sequence[Fit],
    quoter: Quoter,
) -> Draft:
    """A group of pairs in the order of their moves, and behind it what is written that fits."""
    ranking = ranking_told(group, research)
    crosses = [
        event for event in _ranked(research) if _is_move(event) and not _is_of_the_dollar(event)
    ]
    ordered = largest_first([each for each in research if DOLLAR not in each.market.split("/")])
    beside = dict.fromkeys((ordered, *map(_in_short, crosses)))
    banks = bank_standing(research, _whole_days(window)[1])
    level = _level_asked(query, research)
    parts = (level, *_days(query, window, research), ranking, *beside, banks, UNJUDGED)
    measured = " ".join(filter(None, parts))
    told = _quoted(found, quoter) if found else Draft("", answered=True)
    sure = _is_all_read(query, research) and _is_measured(research)
    return Draft(f"{measured} {told.summary}".strip(), sure, sure, told.told)


def _of_named(
    question: str,
    names: Sequence[str],
    passages: Sequence[SourcePassage],
    ranked: Sequence[Fit],
    quoter: Quoter,
) -> Draft:
    """What is in the tickets that are named: answered where one field of one of them is asked for.
    What fits the rest of the question better than they do goes before them."""
    tickets = {each.ticket.id.upper(): (each, each.ticket) for each in passages if each.ticket}
    known = [tickets[name] for name in names if name in tickets]
    if not known:
        return Draft(UNKNOWN, answered=False)
    field = _field_asked(question) if len(known) == 1 else None
    field = field if field and getattr(known[0][1], field) else None
    told = tuple(passage for passage, _ in known)
    own = max((fit.share for fit in ranked if fit.passage in told), default=0.0)
    beyond = [fit for fit in ranked if _goes_on(fit, own, more=field is not None)][:MOST_QUOTED]
    field = None if beyond else field
    first = _quoted(beyond, quoter) if beyond else Draft("", True)
    sentences = [f"{quoter.ticket(*each, field)}." for each in known[:MOST_TOLD]]
    sentences += [TOO_MANY] if len(known) > MOST_TOLD else []
    sentences += [SOME_UNKNOWN] if len(known) < len(names) else []
    summary = " ".join((first.summary, *sentences)).strip()
    return Draft(summary, True, field is None, (*first.told, *told))


def _goes_on(fit: Fit, own: float, *, more: bool) -> bool:
    """Whether a passage says more of what is asked than the tickets that are named: as much of it
    at least, where they name its source. Where a field of theirs may be meant it says `more`, and
    nearly all."""
    if fit.passage.ticket:
        return False
    if more:
        return bool(fit.passage.linked) and fit.found and fit.share > own
    return fit.share >= own if fit.passage.linked else fit.near and fit.share > own


def _field_asked(question: str) -> str | None:
    """The field of a ticket that a question is about, where the names and descriptions of its
    fields leave no doubt; None else."""
    rows = [(name, str(Ticket.model_fields[name].description)) for name in _FIELDS]
    with closing(FullTextIndex({"name": 2.0, "about": 1.0}, rows)) as index:
        best = index.search(" ".join(TICKET_ID.sub(" ", question).split()))
    return _FIELDS[best[0].row] if len(best) == 1 else None


def _cell_asked(question: str, found: Sequence[Fit], quoter: Quoter) -> Draft | None:
    """The cell of a table that a question names by its row and its column, where both are one
    alone; None else."""
    asked = stems(question)
    rows = [
        (fit.passage, row)
        for fit in found
        if (row := fit.passage.span.row) and row.cells[0] and stems(row.cells[0]) <= asked
    ]
    if len(rows) != 1 or rows[0][0] is not found[0].passage:
        return None
    passage, row = rows[0]
    columns = [
        at
        for at, (head, cell) in enumerate(zip(row.heads, row.cells, strict=False))
        if at and stems(head) <= asked and not stems(cell) <= asked
    ]
    if len(columns) != 1:
        return None
    where = (passage.within, f"row {row.cells[0]}", f"column {row.heads[columns[0]]}")
    place = clip(", ".join(filter(None, where)), 200)
    told = quoter.quote(row.cells[columns[0]], passage, place)
    also = _quoted(found[1:MOST_QUOTED], quoter, "Also: ") if found[1:] else Draft("", True)
    return Draft(f"{told}. {also.summary}".strip(), True, told=(passage, *also.told))


def _of_best(question: str, found: Sequence[Fit], quoter: Quoter) -> Draft:
    """The passages that fit, or the tickets that fit better, of which all that fit alike are named.

    A page of the web, which anybody may have written, is quoted where nothing else fits.
    """
    first = found[0]
    alike = [fit for fit in found if fit.passage.ticket and fit.share == first.share]
    if first.passage.ticket and len(alike) > 1:
        passages = [fit.passage for fit in alike][: MOST_QUOTATIONS - 1]
        named = listed(quoter.quote(each.source, each, None) for each in passages)
        told = tuple(passages[MOST_TOLD:])
        return Draft(f"These tickets fit: {named}.", answered=True, found=True, told=told)
    own = [fit for fit in found if fit.passage.kind is not SourceKind.WEB] or found
    best = _quoted(own[:MOST_QUOTED], quoter)
    rows = _rows_named(question, best.told)
    return best._replace(summary=f"{best.summary} {AS_THEY_STAND}") if rows > 1 else best


def _rows_named(question: str, passages: Sequence[SourcePassage]) -> int:
    """How many rows of the first passage's table a question names."""
    asked, first = stems(question), passages[0]
    tables = (
        (each.source, each.within, row.heads)
        for each in passages
        if (row := each.span.row) and row.cells[0] and stems(row.cells[0]) <= asked
    )
    heads = first.span.row.heads if first.span.row else None
    return sum(table == (first.source, first.within, heads) for table in tables)


def _quoted(chosen: Sequence[Fit], quoter: Quoter, opening: str = "") -> Draft:
    """The first passage, and the others after it."""
    passages = tuple(fit.passage for fit in chosen)
    first, *others = (quoter.passage(passage) for passage in passages)
    also = "".join(f" Also: {other}." for other in others)
    return Draft(f"{opening}{first}.{also}", True, True, passages)


def _side_by_side(query: Query, ranked: Sequence[Fit], quoter: Quoter) -> Draft:
    """What each of the two documents that are compared says to the question."""
    names = parameter_list(query, "first", "second")
    best = [next((f for f in ranked if f.near and _is_of(f.passage, name)), None) for name in names]
    told = [fit for fit in best if fit is not None]
    if not told:
        return Draft(NOTHING_FITS, answered=False)
    openings = ("One says:", *["The other says:"] * len(told))
    sentences = [
        f"{opening} {quoter.passage(fit.passage)}."
        for opening, fit in zip(openings, told, strict=False)
    ]
    if len(told) < len(names):
        sentences.append("The other says nothing that fits the question.")
    answered = len(told) == len(names)
    return Draft(" ".join(sentences), answered, answered, tuple(fit.passage for fit in told))


def _is_of(passage: SourcePassage, name: str) -> bool:
    return name in (passage.thing, passage.url) or (passage.url or "").endswith(f"/{name}")


def _further(ranked: Sequence[Fit], draft: Draft, quoter: Quoter) -> Iterator[Section]:
    """What else fits, by the kind of its source."""
    found = [fit.passage for fit in ranked if fit.found and fit.passage not in draft.told]
    for kind, title in _TITLES.items():
        most = MOST_TOLD if kind is SourceKind.TICKET else MOST_FURTHER
        shown = [each for each in found if each.kind is kind][:most]
        if draft.found and shown:
            lines = [f"- {quoter.passage(each)}." for each in shown if quoter.has_room]
            yield Section(title=title, content="\n".join(lines))


def _nearest(ranked: Sequence[Fit], quoter: Quoter) -> Iterator[Section]:
    """What comes nearest of that which is written, where the answer is what was measured: of that
    which speaks of it."""
    near = [fit for fit in ranked if fit.near and fit.of_subject][:MOST_QUOTED]
    if near:
        lines = [f"- {quoter.passage(fit.passage)}." for fit in near]
        yield Section(title=NEAREST_WRITTEN, content="\n".join(lines))


def _failed(state: Sequence[StateEntry]) -> str:
    """That an answer lacks what some nodes were to bring. Why they failed stands with what is
    missing, where the desk lists it."""
    names = [safe_line(entry.node, "a node of the graph") for entry in state if entry.error]
    return f" Not all could be looked at: {listed(names)} failed." if names else ""
