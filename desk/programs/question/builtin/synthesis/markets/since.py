"""The first sentence of an answer on how a pair moved since a central bank's decision."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.listing import listed
from desk.analytics.names.periods import since_decision
from desk.analytics.prices.price_view import LONGEST_BREAK
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import EVENT_READ, SINCE_DECISION, DaysAsked
from desk.contracts.findings.claims import Claim, Metric, span_days, span_id
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import DatePrecision
from desk.programs.question.builtin.banks import KnownBank, known_bank, opening, when
from desk.programs.question.builtin.kinds import AskedSide, since_what
from desk.programs.question.builtin.synthesis.markets.asked import MarketQuestion
from desk.programs.question.builtin.synthesis.markets.results import of_the_market, whole_days

UNKNOWN: Final = "The day of the decision that the question names is not known here."

_BEFORE_DAYS: Final = r"(?:\s(?:in|of|on|at|over|during))?\s(?:the |last )?"

_DID: Final = {
    AskedSide.RAISED: "last raised its rate",
    AskedSide.CUT: "last cut its rate",
    AskedSide.MOVED: "last changed its rate",
    AskedSide.HELD: "decided last",
}

_DID_THEN: Final = {
    AskedSide.RAISED: "raised its rate",
    AskedSide.CUT: "cut its rate",
    AskedSide.MOVED: "changed its rate",
    AskedSide.HELD: "decided",
}

_DECISIONS: Final = {
    AskedSide.RAISED: "rise",
    AskedSide.CUT: "cut",
    AskedSide.MOVED: "change",
    AskedSide.HELD: "decision",
}


def since_decision_words(
    question: MarketQuestion,
    research: Sequence[ResearchResult],
    of_banks: Sequence[ResearchResult] = (),
) -> str:
    """Says how far each pair moved since the decision that a question names, or that its day is
    unknown; empty if it names none. `of_banks` is the research from which later decisions are
    known whose outcome or day is not."""
    words = question.query.parameters.get(SINCE_DECISION, "")
    since = since_decision(words)
    if since is None:
        return ""
    side = _side(question)
    told = [
        moved
        for result in research
        if "/" in result.market
        for decided in _decided(result, since.area, side)
        for moved in _moved_since(result, decided)
    ]
    if not told:
        return UNKNOWN
    day = next(_decided_by_any(research, since.area, side)).as_of
    bank = known_bank(since.area, (*research, *of_banks), whole_days(question.window)[1])
    from_what = _measured_from(bank, side, day, question.query.event_days)
    return f"{from_what} {' '.join(told)}"


def _side(question: MarketQuestion) -> AskedSide:
    """Which decision a question names, by the words that name it without its days."""
    parameters = question.query.parameters
    words, days = parameters.get(SINCE_DECISION, ""), parameters.get(EVENT_READ)
    if days:
        words = re.sub(
            rf"(?:\s(?:in|of|on|at|over|during))?\s(?:the )?{re.escape(days)}", "", words
        )
    return since_what(words, WORKER_EMBEDDING_MODEL.get()) or AskedSide.HELD


def _measured_from(bank: KnownBank, side: AskedSide, day: date, within: DaysAsked | None) -> str:
    """Says from which decision a move is measured, and before that why it is not from a later one,
    or not from one `within` the days that the question names, if there is one."""
    on, decision = print_full_day(day), _DECISIONS[side]
    if within and day >= within[0]:
        return f"{opening(bank.name)} {_DID_THEN[side]} on {on}."
    first, end = within or (day, date.max)
    later = [each for each in (*bank.past, *bank.decided) if first <= each.event_date <= end]
    unknown = [print_full_day(e.event_date) for e in bank.past if e in later and e.event_date > day]
    undated = [
        each
        for each in bank.decided
        if each in later and each.event_date > day and _fits(side, bank.change_claim(each))
    ]
    if unknown:
        why = f"What {bank.name} decided on {listed(unknown)} is not in the source yet"
    elif undated:
        why = (
            f"Of the {decision} of {bank.name} {when(undated[-1])} the source gives only the month"
        )
    elif within:
        why = f"No {decision} of {bank.name} {_from_to(within)} is known here"
    else:
        return f"{opening(bank.name)} {_DID[side]}, as far as is known, on {on}."
    if within:
        return f"{why}: this is measured from its {decision} before, {on}."
    known = f"last {decision} with a known day" if undated else f"last known {decision}"
    return f"{why}: this is measured from its {known}, {on}."


def _from_to(days: DaysAsked) -> str:
    first, last = map(print_full_day, days)
    return f"from {first} to {last}"


def _fits(side: AskedSide, change: Claim | None) -> bool:
    return change is not None and _did(side, change)


def is_since_another(question: MarketQuestion, research: Sequence[ResearchResult]) -> bool:
    """Whether the decision that a question names, in some days if it names those, is unknown."""
    words, within = question.query.parameters.get(SINCE_DECISION, ""), question.query.event_days
    since = since_decision(words)
    if since is None:
        return False
    side = _side(question)
    decided = next(_decided_by_any(research, since.area, side), None)
    return decided is None or (within is not None and decided.as_of < within[0])


def _decided_by_any(
    research: Sequence[ResearchResult], area: str, side: AskedSide
) -> Iterator[Claim]:
    return (claim for each in research for claim in _decided(each, area, side))


def _decided(result: ResearchResult, area: str, side: AskedSide) -> Iterator[Claim]:
    """Yields the newest decision of a bank with a known day that did what is asked for, if the
    pair's own research contains it."""
    changes = (c for c in result.claims if c.metric is Metric.DECISION_CHANGE and c.subject == area)
    dated = (claim for claim in changes if claim.precision is not DatePrecision.MONTH)
    of_it = (claim for claim in dated if _did(side, claim))
    newest = max(of_it, key=lambda claim: claim.as_of, default=None)
    if newest is not None:
        yield newest


def _did(side: AskedSide, change: Claim) -> bool:
    if side is AskedSide.RAISED:
        return change.value > 0
    if side is AskedSide.CUT:
        return change.value < 0
    return side is not AskedSide.MOVED or bool(change.value)


def _moved_since(result: ResearchResult, decided: Claim) -> Iterator[str]:
    """Describes the pair's move from the last fixing before a day to its newest one."""
    last = next((c for c in of_the_market((result,)) if c.metric is Metric.LAST), None)
    for move in of_the_market((result,)):
        days = span_days(move) if move.metric is Metric.SPAN_MOVE else None
        if days is None or last is None or days[1] != last.as_of:
            continue
        if timedelta(0) < decided.as_of - days[0] <= LONGEST_BREAK:
            start, end = (span_id(move.subject, m, *days) for m in _ENDS)
            yield (
                f"From the fixing before that day, [[{start}]] on {print_full_day(days[0])}, to"
                f" [[{end}]] on {print_full_day(days[1])} {move.subject} [[{move.claim_id}|moved]]."
            )
            return


_ENDS: Final = (Metric.SPAN_START, Metric.SPAN_END)
