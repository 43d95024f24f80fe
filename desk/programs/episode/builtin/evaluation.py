"""The evaluator: what came of a recommendation, held against cash and against holding."""

from typing import Final

from pydantic import JsonValue

from desk.analytics.evaluation import EVALUATION_METRICS
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.episode.analysis import Analysis
from desk.contracts.episode.stock import StockAction
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import AgentError, ResearchResult
from desk.contracts.names import FailureType
from desk.programs.builtin.evidence import TaskNotPossible, market_of
from desk.programs.episode.builtin.part import own_figures, read_part
from desk.programs.question.builtin.asking import query_of
from desk.programs.swarm.builtin.delivery import findings_of, noted
from desk.programs.swarm.conclusion.reading import (
    Questions,
    Reading,
    questions,
    stop_if_nobody_answered,
)
from desk.programs.swarm.conclusion.wording import joined
from desk.programs.swarm.parts.signals import judge
from desk.trust.ledger import NOTHING_FOUND

MADE_AT, POSITION, COST = "made_at", "position", "cost"
"""The parameters of the query that say what is to be evaluated."""

_FULL_REACH: Final = 1.0


def evaluate(request: TurnRequest) -> Turn:
    """Ask what came of the recommendation; with that, submit its figures.

    Raises:
        TaskNotPossible: the query does not say what is to be evaluated, or nobody could be asked.
    """
    if not request.exchanges:
        return questions(request, _asked(request), "what came of the recommendation")
    action = StockAction.EVALUATE_PERFORMANCE
    reading = read_part(request, action, {Capability.PERFORMANCE: Analysis})
    stop_if_nobody_answered(reading, Capability.PERFORMANCE)
    return Turn(result=_result(own_figures(reading, EVALUATION_METRICS)))


def _asked(request: TurnRequest) -> Questions:
    parameters = query_of(request).parameters
    try:
        made_at, position, cost = (parameters[name] for name in (MADE_AT, POSITION, COST))
        percent = float(cost)
    except (KeyError, ValueError) as error:
        raise TaskNotPossible(
            AgentError(
                error_type=FailureType.UNUSABLE_REQUEST,
                error_message=(
                    f"the task {request.assignment.task_id} does not say which recommendation is to"
                    f" be evaluated: it takes {MADE_AT}, {POSITION} and {COST}, a number ({error})"
                ),
                agent=request.assignment.agent,
            )
        ) from error
    asked: dict[str, JsonValue] = {"symbol": market_of(request).market}
    return {Capability.PERFORMANCE: {**asked, MADE_AT: made_at, POSITION: position, COST: percent}}


def _result(reading: Reading) -> ResearchResult:
    """A measurement points nowhere: it is as sure as it is complete."""
    told = (
        ("price", _price(reading)),
        ("beside cash", _beside_cash(reading)),
        ("beside holding", _beside_holding(reading)),
        ("reward", _reward(reading)),
    )
    found = findings_of(reading, judge((), _FULL_REACH, 0), noted(told))
    share = len(reading.known) / len(EVALUATION_METRICS)
    sure = max(NOTHING_FOUND, round(share, 3))
    findings = tuple(each.model_copy(update={"confidence": sure}) for each in found.findings)
    return found.model_copy(update={"findings": findings, "confidence": sure})


def _price(reading: Reading) -> str:
    if not reading.has(Metric.ENTRY, Metric.EXIT):
        return ""
    entry, exit_ = reading.reference(Metric.ENTRY), reading.reference(Metric.EXIT)
    told = f"The price went from {entry} to {exit_}"
    if not reading.has(Metric.FORWARD_MOVE):
        return f"{told}."
    return f"{told}, a move of {reading.reference(Metric.FORWARD_MOVE)}."


def _beside_cash(reading: Reading) -> str:
    told = []
    if reading.has(Metric.CASH_MOVE):
        told.append(f"Cash would have brought {reading.reference(Metric.CASH_MOVE)}.")
    if reading.has(Metric.OVER_CASH):
        over = reading.reference(Metric.OVER_CASH)
        told.append(f"After costs the recommendation came to {over} beside cash.")
    return joined(told)


def _beside_holding(reading: Reading) -> str:
    if not reading.has(Metric.OVER_HOLDING):
        return ""
    over = reading.reference(Metric.OVER_HOLDING)
    return f"Beside having bought and held it came to {over}."


def _reward(reading: Reading) -> str:
    if not reading.has(Metric.REWARD):
        return ""
    reward = reading.reference(Metric.REWARD)
    if not reading.has(Metric.RISK):
        return f"That is a reward of {reward}."
    risk = reading.reference(Metric.RISK)
    return f"Told in units of the risk over that time, which was {risk}, the reward is {reward}."
