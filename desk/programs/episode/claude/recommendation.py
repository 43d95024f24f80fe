"""The recommendation agent of an episode as a task of Claude: what to do over the horizon, and why.

The model writes the published summary from the claims on the blackboard, and gives insights as its
reasons. Lacking figures limit the confidence by the same rule as without a model. A confidence
above that limit is objected to, with the limit, instead of being lowered silently, so that the
model's words and its confidence match.
"""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import Field

from desk.agents.program import ModelTask
from desk.contracts.base import Confidence, Contract, ShortText
from desk.contracts.episode.stock import Blackboard, Recommended, StockRecommendation
from desk.contracts.findings.results import Leaning
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.turns import AgentResult, TurnRequest
from desk.learning.forecasts import PROBABILITY_DIGITS
from desk.programs.claude.findings import checked, duplicates, nearest_to
from desk.programs.claude.prompts import prompt
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.claude.board import (
    board_of,
    episode_for_model,
    missing_besides,
    told_parameters,
)
from desk.programs.episode.recommendation import LEAST_KNOWN, SURENESS, known
from desk.programs.question.claude.synthesis import (
    ProposedSection,
    ProposedSynthesis,
    Summary,
    answer_in,
    faults,
    texts,
    written,
)
from desk.programs.swarm.claude.material import withheld

CONFIDENCE_DIGITS: Final = 3
EVEN: Final = 0.5

_NOBODYS: Final[frozenset[Leaning]] = frozenset()
_FOR: Final[Mapping[Recommended, frozenset[Leaning]]] = MappingProxyType(
    {
        Recommended.BUY: frozenset({Leaning.UP}),
        Recommended.SELL: frozenset({Leaning.DOWN}),
        Recommended.HOLD: frozenset({Leaning.NEUTRAL}),
    }
)
_AGAINST: Final[Mapping[Recommended, frozenset[Leaning]]] = MappingProxyType(
    {
        Recommended.BUY: frozenset({Leaning.DOWN}),
        Recommended.SELL: frozenset({Leaning.UP}),
        Recommended.HOLD: frozenset({Leaning.UP, Leaning.DOWN}),
    }
)
"""The leanings of insights that speak for an action, and against it; none do for abstaining."""

Reasons = Annotated[tuple[ShortText, ...], Field(max_length=12)]


class ProposedRecommendation(Contract):
    """The action, its confidence, the probability of a higher price, and the topics of the insights
    that support the action and contradict it."""

    action: Recommended
    confidence: Confidence
    probability: Confidence
    reasons_for: Reasons = ()
    reasons_against: Reasons = ()


class ProposedAdvice(Contract):
    """The form of the model's answer."""

    summary: Summary
    sections: Annotated[tuple[ProposedSection, ...], Field(max_length=12)] = ()
    answered: bool = True
    recommendation: ProposedRecommendation


def material(request: TurnRequest, base: AgentResult | None) -> str:
    """Formats the blackboard with its insights, the claims, each agent's findings, the maximum
    confidence, and the desk's own recommendation, as JSON."""
    task, own = request.assignment, answer_in(base)
    return json.dumps(
        {
            **episode_for_model(request),
            "parameters": told_parameters(task.query),
            "missing": missing_besides(request, own.missing),
            "most_confidence": most_confidence(board_of(request)),
            "recommendation_of_the_desk": own.model_dump(
                mode="json", include={"summary", "recommendation", "answered"}
            ),
        },
        ensure_ascii=False,
    )


def result(request: TurnRequest, base: AgentResult | None, text: str) -> Synthesis:
    """Returns the recommendation in the model's words; what is missing is the desk's.

    Raises:
        ValidationError: the answer does not have its form.
        ValueError: it exceeds the maximum confidence, names a reason that is not an insight, none
            on a side that insights point to, or contradicts its claims or its action.
    """
    own, proposed = answer_in(base), ProposedAdvice.model_validate_json(text)
    prose = ProposedSynthesis(
        summary=proposed.summary, sections=proposed.sections, answered=proposed.answered
    )
    advised = proposed.recommendation
    found = (
        *faults(request, prose),
        *withheld(request, texts(prose)),
        *_faults(board_of(request), advised),
    )
    made = StockRecommendation(
        action=advised.action,
        confidence=round(advised.confidence, CONFIDENCE_DIGITS),
        probability=round(advised.probability, PROBABILITY_DIGITS),
        reasons_for=advised.reasons_for,
        reasons_against=advised.reasons_against,
    )
    return checked(
        found,
        lambda: written(request, own, prose).model_copy(update={"recommendation": made}),
    )


def most_confidence(board: Blackboard) -> float:
    """The highest confidence that the known figures on the blackboard allow."""
    return round(SURENESS * _known(board), CONFIDENCE_DIGITS)


def _known(board: Blackboard) -> float:
    return known(StockBoard.read_back(board).values)


def _faults(board: Blackboard, advised: ProposedRecommendation) -> Iterator[str]:
    """Yields what is wrong and where, without the model's words, which could end up in a report."""
    most, action = most_confidence(board), advised.action
    if advised.confidence > most:
        yield (
            f"recommendation.confidence: the figures on the blackboard allow at most {most}: lower"
            " it, and sound no surer in the summary"
        )
    if action is not Recommended.ABSTAIN and _known(board) < LEAST_KNOWN:
        yield "recommendation.action: too little is known on the blackboard: abstain"
    if _contradicts(action, advised.probability):
        yield f"recommendation.probability: it contradicts the action, which is {action}"
    yield from _of_reasons(board, advised)


def _contradicts(action: Recommended, probability: float) -> bool:
    if action is Recommended.BUY:
        return probability < EVEN
    return action is Recommended.SELL and probability > EVEN


def _of_reasons(board: Blackboard, advised: ProposedRecommendation) -> Iterator[str]:
    """Checks the reasons: each is the topic of an insight, on the side that the insight points to.
    An insight that points neither way may be a reason for or against buying and selling."""
    action, leanings = advised.action, {each.topic: each.leaning for each in board.insights}
    pro, contra = _FOR.get(action, _NOBODYS), _AGAINST.get(action, _NOBODYS)
    sides = (
        ("reasons_for", advised.reasons_for, contra, "contradicts"),
        ("reasons_against", advised.reasons_against, pro, "supports"),
    )
    pointing = {each.leaning for each in board.insights if each.strength > 0}
    needed = bool(pointing & pro and pointing & contra)
    for side, topics, wrong, speaks in sides:
        if needed and not topics:
            yield (
                f"recommendation.{side}: some insights support the action and some contradict it:"
                " name at least one here"
            )
        for place, topic in enumerate(topics):
            if topic not in leanings:
                yield (
                    f"recommendation.{side}.{place}: no insight on the blackboard has that topic;"
                    f" {nearest_to(topic, leanings)}"
                )
            elif leanings[topic] in wrong:
                yield (
                    f"recommendation.{side}.{place}: that insight points {leanings[topic]}, which"
                    f" {speaks} the action, {action}"
                )
    if action in (Recommended.BUY, Recommended.SELL) and not advised.reasons_for:
        yield f"recommendation.reasons_for: there is none, and the action is {action}"
    yield from duplicates(
        "recommendation.reasons", [*advised.reasons_for, *advised.reasons_against]
    )


TASK: Final = ModelTask((prompt("stock_recommendation"),), ProposedAdvice, material, result)
