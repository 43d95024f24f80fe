"""The fact that decides a yes-or-no question, and the answer that follows from it.

The embedding model decides what a yes would mean; if it cannot, the fact is given alone. The answer
is computed from claims.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from desk.analytics.figures import print_full_day
from desk.analytics.names.central_banks import bank_in_a_sentence
from desk.analytics.names.markets import AREAS, DOLLAR
from desk.analytics.names.mentions import currency_mentions
from desk.analytics.names.name_table import NamedAs
from desk.analytics.names.subjects import subjects_asked
from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.agents.tasks import DaysAsked
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.findings.results import ResearchResult
from desk.programs.question.builtin.banks import YEAR, changes_within, did, next_days
from desk.programs.question.builtin.kinds import (
    OF_CHANGES,
    OF_PRICES,
    AskedSide,
    QuestionKind,
    kind_of,
    side_of,
)
from desk.programs.question.builtin.synthesis.markets.ranked_moves import RankedMove, ranked_moves

_OF_A_MOVE: Final = {AskedSide.UP: 1, AskedSide.DOWN: -1}
_OF_A_GAP: Final = {AskedSide.ABOVE: 1, AskedSide.BELOW: -1, AskedSide.LEVEL: 0}
_OF_AN_ORDER: Final = {AskedSide.EARLIER: -1, AskedSide.LATER: 1}
_THAN: Final = re.compile(r"\bthan\b", re.IGNORECASE)
_SIGNS: Final = {1: "above", -1: "below"}


class _Gap(NamedTuple):
    """The policy rates of two areas, the one that a question names first before the other, and
    their difference in basis points, if it was computed."""

    rate: Claim
    against: Claim
    apart: Claim | None

    @property
    def sign(self) -> int:
        return _sign(self.rate.value - self.against.value)


def move_verdict(question: str, research: Sequence[ResearchResult]) -> str:
    """Says whether the currency that a question names rose or fell, if it asks for that; empty if
    it does not, or no move of it is known."""
    moved, compared = _move_of(question, research), _moves_compared(question, research)
    if not (moved or compared) or kind_of(question, WORKER_EMBEDDING_MODEL.get()) not in OF_PRICES:
        return ""
    side = side_of(question, _OF_A_MOVE, WORKER_EMBEDDING_MODEL.get())
    if side is None:
        return ""
    if moved is None:
        one, other = compared
        is_so = _sign(one.gained - other.gained) == _OF_A_MOVE[side]
        told = "; ".join(f"[[{each.claim.claim_id}|{each.currency}]]" for each in compared)
        return f"{'Yes' if is_so else 'No'}: {told}."
    code, move = moved
    went = _sign(move.value) * (1 if move.subject.startswith(code) else -1)
    said = "Yes" if went == _OF_A_MOVE[side] else "No"
    return f"{said}: [[{move.claim_id}|{code}]]."


def bank_verdict(
    question: str,
    kind: QuestionKind | None,
    research: Sequence[ResearchResult],
    day: date,
    asked: DaysAsked | None,
) -> str:
    """Returns the fact that decides a question about rates, about which of two banks decides first,
    or about what a bank did within some days."""
    if kind is QuestionKind.NEXT:
        return order_verdict(question, research, day)
    if kind is QuestionKind.RATE:
        since = day - YEAR if asked is None else asked[0]
        apart = gap_verdict(question, research) if asked is None else ""
        return apart or then_and_now_verdict(question, research, since)
    if kind in (QuestionKind.DECIDED, QuestionKind.CHANGED) and asked is not None:
        within = changes_within(research, day, asked)
        if within is not None:
            side = changes_asked(question)
            return change_said(side, within.changes, all_known=within.all_known)
    return ""


def order_verdict(question: str, research: Sequence[ResearchResult], day: date) -> str:
    """Says whether the bank that a question names first decides before or after the other one;
    empty if it does not ask for that, or the next day of one is unknown."""
    known, areas = next_days(research, day), _areas(question, research)
    if len(areas) != 2 or not known.keys() >= {*areas}:
        return ""
    side = side_of(question, _OF_AN_ORDER, WORKER_EMBEDDING_MODEL.get())
    if side is None:
        return ""
    apart = (known[areas[0]] - known[areas[1]]).days
    return "Yes." if apart * _OF_AN_ORDER[side] > 0 else "No."


def gap_verdict(question: str, research: Sequence[ResearchResult]) -> str:
    """Says which of two policy rates that a question names is higher, and by how much; empty unless
    it names two with known rates."""
    gap = _gap(question, research)
    if gap is None:
        return ""
    side = side_of(question, _OF_A_GAP, WORKER_EMBEDDING_MODEL.get())
    said = "" if side is None else "Yes: " if _OF_A_GAP[side] == gap.sign else "No: "
    the = "the" if said else "The"
    told = f"{said}{the} policy rate of {_bank(gap.rate)}, [[{gap.rate.claim_id}]], is"
    other = f"that of {_bank(gap.against)}, [[{gap.against.claim_id}]]"
    if not gap.sign:
        return f"{told} the same as {other}."
    by = f"[[{gap.apart.claim_id}|size]] " if gap.apart else ""
    return f"{told} {by}{_SIGNS[gap.sign]} {other}."


def then_and_now_verdict(
    question: str, research: Sequence[ResearchResult], since: date | None
) -> str:
    """Says whether the one policy rate that a question names is higher or lower than on a day;
    empty if it does not ask for that, or the rate then is unknown."""
    side = side_of(question, _OF_A_GAP, WORKER_EMBEDDING_MODEL.get())
    areas = _areas(question, research)
    known = _claims(research)
    now = known.get(claim_id(areas[0], Metric.POLICY_RATE)) if len(areas) == 1 else None
    decided = [
        claim
        for claim in known.values()
        if now and claim.metric is Metric.DECISION_RATE and claim.subject == now.subject
    ]
    then = max(
        (c for c in decided if since and c.as_of <= since), key=lambda c: c.as_of, default=None
    )
    if side is None or now is None or then is None or since is None:
        return ""
    sign = _sign(now.value - then.value)
    said = "Yes" if _OF_A_GAP[side] == sign else "No"
    day = print_full_day(since)
    stands = f"{_SIGNS[sign]} the [[{then.claim_id}]] of {day}" if sign else f"the same as on {day}"
    return (
        f"{said}: the policy rate of {_bank(now)}, [[{now.claim_id}]] as far as is known, is"
        f" {stands}."
    )


def changes_asked(question: str) -> AskedSide | None:
    """Returns whether a question asks if a bank raised, cut, moved or held its rate."""
    return side_of(question, OF_CHANGES, WORKER_EMBEDDING_MODEL.get())


def change_said(side: AskedSide | None, changes: Sequence[Decimal], *, all_known: bool) -> str:
    """Answers that from the changes of a bank's decisions within the days that are asked about. It
    only says for certain that there was no such change if the outcome of each decision is known."""
    if side is None or not changes:
        # A bank that did not decide in those days did not leave its rate as it was either.
        return ""
    is_so = did(side, changes)
    is_sure = all_known or is_so is not (side is AskedSide.HELD)
    return f"{'Yes' if is_so else 'No'}{'' if is_sure else ', as far as is known'}."


def _move_of(question: str, research: Sequence[ResearchResult]) -> tuple[str, Claim] | None:
    """Returns the currency that a question names first, with its move against the other one that it
    names, or else against the dollar."""
    kinds = (NamedAs.CURRENCY, NamedAs.COUNTRY)
    codes = [*dict.fromkeys(s.code for s in subjects_asked(question) if s.kind in kinds)]
    if not codes or len(codes) > 2:
        return None
    code, other = (*codes, DOLLAR)[:2]
    known = _claims(research)
    pairs = (f"{code}/{other}", f"{other}/{code}")
    moves = (known.get(claim_id(pair, Metric.MOVE)) for pair in pairs)
    return next(((code, move) for move in moves if move), None)


def _moves_compared(question: str, research: Sequence[ResearchResult]) -> tuple[RankedMove, ...]:
    """Returns the moves against the dollar of the two currencies of which a question compares one
    with the other, in its order; empty if it compares none, or one move is unknown."""
    codes = [*dict.fromkeys(each.code for each in currency_mentions(question))]
    known = {each.currency: each for each in ranked_moves(research)}
    if len(codes) != len(("one", "other")) or _THAN.search(question) is None:
        return ()
    return tuple(known[code] for code in codes) if known.keys() >= {*codes} else ()


def _gap(question: str, research: Sequence[ResearchResult]) -> _Gap | None:
    areas, known = _areas(question, research), _claims(research)
    rates = [known.get(claim_id(area, Metric.POLICY_RATE)) for area in areas]
    if len(rates) != 2 or rates[0] is None or rates[1] is None:
        return None
    inputs = {rate.claim_id for rate in rates if rate}
    gaps = (c for c in known.values() if c.metric is Metric.DIFFERENTIAL)
    apart = next((each for each in gaps if {*each.inputs} == inputs), None)
    return _Gap(rates[0], rates[1], apart)


def _areas(question: str, research: Sequence[ResearchResult]) -> list[str]:
    """Returns the areas whose banks were researched, in the order in which a question names
    them."""
    researched = {result.market for result in research}
    named = dict.fromkeys(AREAS.get(each.code, "") for each in subjects_asked(question))
    return [area for area in named if area in researched]


def _claims(research: Sequence[ResearchResult]) -> Mapping[str, Claim]:
    return {claim.claim_id: claim for claim in _all(research)}


def _all(research: Sequence[ResearchResult]) -> Iterator[Claim]:
    return (claim for result in research for claim in result.claims)


def _bank(claim: Claim) -> str:
    return bank_in_a_sentence(claim.subject)


def _sign(value: Decimal) -> int:
    return (value > 0) - (value < 0)
