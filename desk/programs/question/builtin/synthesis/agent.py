"""The Synthesis agent: combines the findings for a question, in the words of their sources.

It calls no tool, does not parse English and makes no judgement: a question about a ticket's field
or a table's cell is answered with that; for any other question the matching passages are quoted as
found. Instructions in a source are never followed.

The findings of research agents on a market are used unchanged.
"""

from collections.abc import Sequence
from typing import Final

from desk.analytics.names.listing import listed
from desk.analytics.names.markets import DOLLAR
from desk.analytics.names.mentions import NO_MARKET, mention_sentences
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.periods import READ
from desk.analytics.names.subjects import subjects_asked
from desk.contracts.agents.tasks import PAPERS, RANK, SINCE_DECISION, Query
from desk.contracts.findings.results import (
    ResearchResult,
)
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import StateEntry, Turn, TurnRequest
from desk.programs.question.builtin.asking import (
    named_tickets,
    parameter_list,
    query_of,
)
from desk.programs.question.builtin.banks import NOT_KNOWN, bank_sentences
from desk.programs.question.builtin.kinds import QuestionKind
from desk.programs.question.builtin.synthesis.bank_answer import bank_answer
from desk.programs.question.builtin.synthesis.markets.asked import (
    IN_A_ROW,
    Aspect,
    MarketQuestion,
    market_question,
)
from desk.programs.question.builtin.synthesis.markets.counted import is_dated
from desk.programs.question.builtin.synthesis.markets.coverage import (
    is_all_read,
    is_measured,
    measured,
    not_covered,
)
from desk.programs.question.builtin.synthesis.markets.leading import first_sentence, only_pair_asked
from desk.programs.question.builtin.synthesis.markets.move_sentences import (
    NONE_SURE,
    UNJUDGED,
    events_words,
    in_short,
    looked_at,
    newest_fixing_words,
    pair_move_words,
    standing_summary,
    with_doubt,
)
from desk.programs.question.builtin.synthesis.markets.ranked_moves import (
    largest_first,
    ranking_words,
)
from desk.programs.question.builtin.synthesis.markets.results import (
    has_events,
    has_levels,
    is_move,
    is_of_a_bank,
    is_of_the_dollar,
    ranked,
    research_in,
    whole_days,
)
from desk.programs.question.builtin.synthesis.markets.sections import research_sections
from desk.programs.question.builtin.synthesis.markets.since import (
    UNKNOWN,
    is_since_another,
    since_decision_words,
)
from desk.programs.question.builtin.synthesis.parts import QuestionPart, parts_of
from desk.programs.question.builtin.synthesis.verdicts import move_verdict
from desk.programs.question.builtin.synthesis.written.answers import (
    MOST_QUOTED,
    NEAREST,
    NOTHING_FITS,
    NOTHING_WRITTEN,
    cell_asked,
    further,
    nearest,
    of_best,
    of_named,
    quoted,
    side_by_side,
)
from desk.programs.question.builtin.synthesis.written.passages import SourcePassage, passages_in
from desk.programs.question.builtin.synthesis.written.quoting import Draft, Quoter
from desk.programs.question.builtin.synthesis.written.ranking import (
    Fit,
    distinct_fits,
    fits,
    is_of_others,
)
from desk.programs.question.builtin.unread_words import safe_line, spelling_sentences
from desk.trust.prose import LONGEST_TEXT, clip, split_sentences

NO_PART: Final = "Nothing that is known here answers this part of the question:"


def take_turn(request: TurnRequest) -> Turn:
    """Returns the findings for the question, in one turn. Says so if none matches it.

    Raises:
        TaskNotPossible: there is no question.
    """
    query, quoter = query_of(request), Quoter()
    research = research_in(request.state)
    # The decision since which it asks how a pair did is told apart.
    asked = query.model_copy(update={"question": query.undecided})
    question = market_question(asked, request.assignment.window, research)
    passages = passages_in(request.state, named_tickets(query))
    fitting = fits(query.question, passages, measured(query, research))
    if _is_of_prices(question, research):
        fitting = []
    if not parameter_list(query, "first", "second"):
        fitting = distinct_fits(fitting)
    draft = _draft(question, passages, fitting, research, quoter)
    said = (*spelling_sentences(query), *_with_what_is_missing(draft, question, query, research))
    draft = draft._replace(summary=" ".join(filter(None, said)))
    near = () if draft.found or draft.told or not research else nearest(fitting, quoter)
    days = whole_days(request.assignment.window)
    measures = research_sections(request.state, days, query.days_asked)
    sections = (*further(fitting, draft, quoter), *measures, *near)
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


def _with_what_is_missing(
    draft: Draft, question: MarketQuestion, query: Query, research: Sequence[ResearchResult]
) -> list[str]:
    """Returns the draft with the subjects that it does not cover and the age of the newest
    fixings."""
    unheld = not research and _is_of_prices(question, research)
    # The answer itself says that no yields are known.
    yields = question.kind is not QuestionKind.YIELD
    left = "" if unheld else not_covered(query, research, draft.told, yields=yields)
    # That nothing is about a subject comes before the nearest texts, which may mislead.
    is_first = draft.nearest or (research and not draft.told)
    said = [left, draft.summary] if is_first else [draft.summary, left]
    if draft.told and draft.answered:
        return said
    # Matching texts may be about another currency.
    said = [*mention_sentences(query.parameters), *said]
    newest = newest_fixing_words(question, research)
    # That nothing known is an answer comes before how old what is known of now is.
    refused = READ not in query.parameters and draft.summary.startswith((NOT_KNOWN, NONE_SURE))
    return [*said, newest] if refused else [newest, *said]


def _is_of_prices(question: MarketQuestion, research: Sequence[ResearchResult]) -> bool:
    """Returns whether a question asks for the price of a market, covered or not, or of a currency
    that it names. No text is quoted for it then, because papers do not say what a market did."""
    named = any("/" in each.market for each in research) or NO_MARKET in question.query.parameters
    if not named and not question.is_unknown and not question.left.others:
        # Otherwise the words that were not read may ask for something written.
        subjects = subjects_asked(question.query.question)
        named = any(subject.kind is NamedAs.CURRENCY for subject in subjects)
    return question.is_of_prices and named and not named_tickets(question.query)


def _draft(
    question: MarketQuestion,
    passages: Sequence[SourcePassage],
    fitting: Sequence[Fit],
    research: Sequence[ResearchResult],
    quoter: Quoter,
) -> Draft:
    query = question.query
    names = named_tickets(query)
    if parameter_list(query, "first", "second"):
        return side_by_side(query, fitting, quoter)
    if names:
        return of_named(query.question, names, passages, fitting, quoter)
    found = [fit for fit in fitting if fit.found]
    # A passage that mentions a thing without a value, such as that its cost is unknown, is not an
    # answer, and neither are passages that match less well.
    found = found if found and found[0].answers else []
    if question.kind is QuestionKind.MEANING:
        # What uses a word does not say what it means.
        found = []
    if not found and (parts := parts_of(question, research)):
        return _of_parts(parts, quoter)
    of_pairs = any("/" in result.market for result in research)
    if (group := query.parameters.get(RANK)) and of_pairs:
        return _of_a_group(question, group, research, found, quoter)
    researched = has_events(research) or has_levels(research)
    if (researched or is_of_a_bank(research)) and PAPERS in query.parameters:
        instead = (
            _pairs_instead(question, research)
            if of_pairs
            else bank_answer(question, research, fitting, quoter)
        )
        # A bank's decision is a certain fact; a paper with the question's words may be about
        # something else.
        if found and not (instead.found and is_of_a_bank(research)):
            return _of_papers(query, found, quoter)
        return instead
    if researched:
        told = quoted(found, quoter) if found else Draft("", answered=True)
        summary = " ".join(filter(None, (_of_pairs(question, research), told.summary)))
        sure = _is_sure(question, research)
        return Draft(summary, sure, sure, told.told)
    if found:
        return _of_papers(query, found, quoter)
    if not research and _is_of_prices(question, research):
        unheld = NO_MARKET in query.parameters
        unread = f"{NONE_SURE} {question.left.told(question.kind)}".strip()
        return Draft("" if unheld else unread, answered=False)
    return _nearest_written(query, fitting, quoter)


def _is_sure(question: MarketQuestion, research: Sequence[ResearchResult]) -> bool:
    """Whether what was measured is surely what a question asks for."""
    known = is_all_read(question, research) and is_measured(research)
    return known and not is_since_another(question, research)


def _nearest_written(query: Query, fitting: Sequence[Fit], quoter: Quoter) -> Draft:
    """Returns the nearest texts, if none matches."""
    named = [s for s in subjects_asked(query.question) if s.kind is not NamedAs.SEAT]
    near = [fit for fit in fitting if fit.near]
    # Texts about other currencies than the question's match by their words alone.
    near = [fit for fit in near if not named or not is_of_others(fit.passage, named)]
    if not near:
        return Draft(NOTHING_FITS, answered=False)
    told = quoted(near[:MOST_QUOTED], quoter)
    return told._replace(
        summary=f"{NEAREST} {told.summary}", answered=False, found=False, nearest=True
    )


def _of_parts(parts: Sequence[QuestionPart], quoter: Quoter) -> Draft:
    """Returns what is known about each part of a question, and last which part is unanswered. If
    both parts are about banks, includes only what is asked for."""
    known = [part for part in parts if part.is_known]
    besides = not all(part.is_of_banks for part in parts)
    drafts = [
        bank_answer(part.question, part.research, (), quoter, besides=besides)
        if part.is_of_banks
        else _draft(part.question, (), (), part.research, quoter)
        for part in known
    ]
    unknown = (safe_line(part.written, "one with a number") for part in parts if not part.is_known)
    every = split_sentences(" ".join(draft.summary for draft in drafts))
    # A fact that answers both parts is given once.
    told = dict.fromkeys(each.strip() for each in every)
    said = (*told, *(f"{NO_PART} {words}." for words in unknown))
    answered = len(known) == len(parts) and all(draft.answered for draft in drafts)
    return Draft(" ".join(said), answered, answered)


def _of_papers(query: Query, found: Sequence[Fit], quoter: Quoter) -> Draft:
    return cell_asked(query.question, found, quoter) or of_best(query.question, found, quoter)


def _of_pairs(question: MarketQuestion, research: Sequence[ResearchResult]) -> str:
    """Returns what was measured of pairs, what is asked for first: their levels come before their
    moves if the question is about levels."""
    of_it = only_pair_asked(question, research)
    banks = " ".join(bank_sentences(research, whole_days(question.window)[1]))
    since = _since_an_event(question, of_it, research)
    if since and since != UNKNOWN:
        # Neither the last week nor the largest events of other years are asked about.
        return with_doubt(question, (since, banks), since)
    lead = since or first_sentence(question, of_it) or _verdict(question, research)
    moved = "" if lead else _move_asked(question, of_it)
    standing = standing_summary(of_it) or ""
    from_day, to_day = whole_days(question.window)
    of_a_day = READ not in question.query.parameters or from_day == to_day
    kind = question.kind or question.likely
    first = of_a_day and kind is QuestionKind.LEVEL and not question.asked.aspect
    before = standing if first else ""
    aside = PAPERS in question.query.parameters and not question.asked.aspect and not before
    within, behind = (standing, "") if question.kind is None else ("", standing)
    said = (
        *(lead or moved, before),
        *(looked_at(question.query, question.window, of_it) if has_events(of_it) else ()),
        *(largest_first(of_it), within if aside else ""),
        *(each.removeprefix(moved).strip() for each in events_words(question, of_it)),
        *(behind if aside else "", banks),
    )
    return with_doubt(question, said, lead or before or pair_move_words(of_it))


def _since_an_event(
    question: MarketQuestion,
    of_it: Sequence[ResearchResult],
    of_banks: Sequence[ResearchResult],
) -> str:
    """Returns the moves up to now from the high or low of earlier days, or the decision, that a
    question names; empty if it names none."""
    if question.query.is_from_extreme:
        return first_sentence(question, of_it)
    return since_decision_words(question, of_it, of_banks)


def _move_asked(question: MarketQuestion, of_it: Sequence[ResearchResult]) -> str:
    """Returns the move of the one pair whose move a question asks for, in a sentence; empty if it
    asks for something else."""
    of_a_move = (question.kind or question.likely) is QuestionKind.MOVE
    if question.is_unsure or not of_a_move or (len(of_it) > 1 and largest_first(of_it)):
        return ""
    return next(iter(split_sentences(pair_move_words(of_it))), "").strip()


def _verdict(question: MarketQuestion, research: Sequence[ResearchResult]) -> str:
    sure = not question.is_unsure and not question.asked.aspect
    return move_verdict(question.query.question, research) if sure else ""


def _pairs_instead(question: MarketQuestion, research: Sequence[ResearchResult]) -> Draft:
    """Returns what was measured of pairs if no text matches. Says last that no text matches, if the
    question may be about texts."""
    of_now = question.kind is QuestionKind.LEVEL or question.asked.aspect in IN_A_ROW
    dated = of_now or is_dated(question.query) or SINCE_DECISION in question.query.parameters
    known = _is_sure(question, research)
    found = question.is_of_prices and dated and known
    said_already = question.is_of_prices or question.is_unsure
    said = (_of_pairs(question, research), "" if said_already else NOTHING_WRITTEN)
    return Draft(" ".join(filter(None, said)), answered=found, found=found)


def _of_a_group(
    question: MarketQuestion,
    group: str,
    research: Sequence[ResearchResult],
    found: Sequence[Fit],
    quoter: Quoter,
) -> Draft:
    """Returns a group of pairs in the order of their moves, and after it the matching texts."""
    aspect = question.asked.aspect
    of_it = only_pair_asked(question, research)
    since = _since_an_event(question, of_it, research)
    lead = (
        since
        or first_sentence(question, of_it)
        or _verdict(question, research)
        or _move_asked(question, of_it)
    )
    level = question.kind is QuestionKind.LEVEL and not aspect
    days = looked_at(question.query, question.window, of_it)
    worst_first = aspect in (Aspect.WORST, Aspect.IS_WORST)
    ranking = ranking_words(group, of_it, worst_first=worst_first)
    crosses = [e for e in ranked(of_it) if is_move(e) and not is_of_the_dollar(e)]
    ordered = largest_first([each for each in of_it if DOLLAR not in each.market.split("/")])
    told_apart = (in_short(event).removeprefix(lead).strip() for event in crosses)
    beside = dict.fromkeys((ordered, *told_apart))
    banks = " ".join(bank_sentences(research, whole_days(question.window)[1]))
    standing = (standing_summary(of_it) or "") if level else ""
    unjudged = "" if aspect else UNJUDGED
    said = (lead, standing, *days, ranking, *beside, banks, unjudged)
    if since and since != UNKNOWN:
        said = (since, banks)
    measured = with_doubt(question, said, lead or standing or ranking or pair_move_words(of_it))
    told = quoted(found, quoter) if found else Draft("", answered=True)
    sure = _is_sure(question, research)
    return Draft(f"{measured} {told.summary}".strip(), sure, sure, told.told)


def _failed(state: Sequence[StateEntry]) -> str:
    """Says that an answer lacks the results of some nodes. The reasons are listed with what is
    missing."""
    names = [safe_line(entry.node, "a node of the graph") for entry in state if entry.error]
    return f" Not all could be looked at: {listed(names)} failed." if names else ""
