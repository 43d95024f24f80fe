"""The first sentence of an answer on how a pair moved since a central bank's decision."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.periods import since_decision
from desk.analytics.prices.price_view import LONGEST_BREAK
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import SINCE_DECISION
from desk.contracts.findings.claims import Claim, Metric, span_days, span_id
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.banks import opening
from desk.programs.question.builtin.kinds import AskedSide, since_what
from desk.programs.question.builtin.synthesis.markets.asked import MarketQuestion
from desk.programs.question.builtin.synthesis.markets.results import of_the_market

UNKNOWN: Final = "The day of the decision that the question names is not known here."

_DID: Final = {
    AskedSide.RAISED: "last raised its rate",
    AskedSide.CUT: "last cut its rate",
    AskedSide.MOVED: "last changed its rate",
    AskedSide.HELD: "decided last",
}


def since_decision_words(question: MarketQuestion, research: Sequence[ResearchResult]) -> str:
    """Says how far each pair moved since the decision that a question names, or that its day is
    unknown; empty if it names none."""
    words = question.query.parameters.get(SINCE_DECISION, "")
    since = since_decision(words)
    if since is None:
        return ""
    side = since_what(words, WORKER_EMBEDDING_MODEL.get()) or AskedSide.HELD
    told = [
        moved
        for result in research
        if "/" in result.market
        for decided in _decided(result, since.area, side)
        for moved in _moved_since(result, decided)
    ]
    if not told:
        return UNKNOWN
    day = print_full_day(next(_decided_by_any(research, since.area, side)).as_of)
    bank = opening(bank_in_a_sentence(since.area))
    return f"{bank} {_DID[side]}, as far as is known, on {day}. {' '.join(told)}"


def _decided_by_any(
    research: Sequence[ResearchResult], area: str, side: AskedSide
) -> Iterator[Claim]:
    return (claim for each in research for claim in _decided(each, area, side))


def _decided(result: ResearchResult, area: str, side: AskedSide) -> Iterator[Claim]:
    """Yields the newest decision of a bank that did what is asked for, if the pair's own research
    contains it."""
    changes = (c for c in result.claims if c.metric is Metric.DECISION_CHANGE and c.subject == area)
    of_it = (claim for claim in changes if _did(side, claim))
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
