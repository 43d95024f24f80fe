"""Verifies what an answer says of a stock's episode, from the answer alone."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import Final

from pydantic import JsonValue

from desk.agents.capabilities import usual_route
from desk.analytics.evaluation import POSITIONS, performance, position_name
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolCall, ToolResult
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import PriceHistory
from desk.contracts.episode.stock import Blackboard, BoardPart, EpisodeStep, Evaluation, StockRecord
from desk.contracts.findings.claims import Claim, Metric, claim_id
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.graph import NodeState
from desk.documents.answer.nodes import MOST_MISSING
from desk.documents.audit.conflicts import conflict_findings, prose_findings
from desk.documents.audit.findings import AuditFinding
from desk.programs.episode.actions import DATA, PART_FIELDS, PART_METRICS, why_not
from desk.programs.episode.blackboard import StockBoard
from desk.programs.episode.document.record import (
    built_in_actions,
    claimed,
    departures,
    is_wanted,
    recommended,
    texts_of_stock,
    undone,
)
from desk.programs.episode.recommendation import answers
from desk.programs.episode.run.assignments import charges_told, question_on
from desk.trust.ledger import EvidenceUnusable, read_answer
from desk.trust.prose import clip

RECOMMENDING = ("recommendation", "confidence", "probability", "reasons_for", "reasons_against")
"""The fields that a recommendation writes."""

_ASKED: Final = ("made_at", "position", "cost")
"""The arguments with which the desk's own tool gets a recommendation."""

_DEVIATION: Final = Decimal("0.005")
"""How far a figure with two decimals may be from its unrounded value."""

_BARELY_MORE: Final = Decimal("0.0050001")
"""The same, with the error of computing backwards from it."""

_FOLLOWING: Final = (Metric.FORWARD_MOVE, Metric.OVER_CASH, Metric.OVER_HOLDING, Metric.REWARD)
"""The figures of an evaluation that follow from the others."""


def stock_findings(answer: AnswerReport) -> Iterator[AuditFinding]:
    """Checks that steps and blackboards agree with each other, with the graph and with the claims
    of the answer; that the built-in analysts' results follow from the figures; and that the outcome
    of the recommendation follows from its prices and its costs.

    What a model's insights and recommendation say beyond their figures cannot be derived: only the
    seal protects it, and the times of the steps.
    """
    stock = answer.stock
    if stock is None:
        return
    claims = {claim.claim_id: claim for claim in answer.claims}
    yield from _of_frame(answer, stock)
    yield from _of_answered(answer, stock)
    yield from _of_undone(answer, stock)
    yield from _of_steps(stock)
    yield from _of_nodes(answer, stock)
    for where, board in _boards(stock):
        yield from _of_figures(where, board, claims)
        yield from _of_words(where, board)
    yield from _of_evaluation(answer, stock, claims)
    yield from _of_prices(answer, stock)
    yield from prose_findings(texts_of_stock(stock), claims, answer.rules)
    for step, words in departures(stock.steps, built_in_actions(answer.nodes)):
        yield AuditFinding(f"step {step.number}", words)
    yield from conflict_findings(stock.conflicts, claims)


def _boards(stock: StockRecord) -> Iterator[tuple[str, Blackboard]]:
    yield "blackboard", stock.board
    for step in stock.steps:
        yield f"step {step.number}, blackboard", step.board


def _of_frame(answer: AnswerReport, stock: StockRecord) -> Iterator[AuditFinding]:
    if answer.market != stock.market:
        yield AuditFinding("stock", "it is not the market that was asked about")
    for where, board in _boards(stock):
        about = (board.symbol, board.as_of, board.weeks)
        if about != (stock.market.market, answer.as_of, stock.board.weeks):
            yield AuditFinding(where, "it is of another stock, another instant or another horizon")
    if stock.due != answer.as_of + timedelta(weeks=stock.board.weeks):
        yield AuditFinding("horizon", "its end is not as many weeks off as it is said to be long")
    symbol = answer.parameters.get("symbol", stock.market.market)
    if answer.question != question_on(symbol, stock.board.weeks):
        yield AuditFinding("question", "it is not what an episode of this horizon asks")
    told = [("weeks", str(stock.board.weeks)), ("cost", str(stock.cost))]
    if stock.charges:
        told.append(("charges", charges_told(stock.charges)))
    for name, value in told:
        if answer.parameters.get(name, value) != value:
            yield AuditFinding(name, f"it is {value}, and {answer.parameters[name]} was asked for")
    last = stock.steps[-1].board if stock.steps else None
    if stock.board != (last or _empty(stock)):
        yield AuditFinding("blackboard", "it is not the one that the last step left")


def _of_answered(answer: AnswerReport, stock: StockRecord) -> Iterator[AuditFinding]:
    """Checks whether the answer says that there is no answer although the blackboard has one, or
    the opposite although there is no recommendation. A model decides itself whether its
    recommendation is an answer."""
    recommending = StockAction.GENERATE_RECOMMENDATION
    if recommending not in stock.board.taken:
        answered = bool(stock.board.taken) and not is_wanted(stock, answer.parameters)
    elif recommended(stock.board) and recommending in built_in_actions(answer.nodes):
        # An answer of an earlier version may count as one although more figures were lacking.
        answered = answer.answered or answers(_before_last(recommending, stock))
    else:
        return
    if answer.answered is not answered:
        yield AuditFinding("answered", f"by what was done it is {answered}")


def _before_last(action: StockAction, stock: StockRecord) -> StockBoard:
    """The blackboard before the last step with an action."""
    boards = (_empty(stock), *(step.board for step in stock.steps))
    before = [
        board for board, step in zip(boards, stock.steps, strict=False) if step.action is action
    ]
    return StockBoard.read_back(before[-1])


def _of_undone(answer: AnswerReport, stock: StockRecord) -> Iterator[AuditFinding]:
    if stock.cut_off is not None and answer.outcome is not Outcome.INCOMPLETE:
        yield AuditFinding("outcome", f"the episode was cut off, and it says {answer.outcome}")
    if len(answer.missing) < MOST_MISSING:
        for line in map(clip, undone(stock)):
            if line.strip() and line not in answer.missing:
                yield AuditFinding("missing", f"it does not tell that {line}")


def _empty(stock: StockRecord) -> Blackboard:
    """The blackboard before the first step."""
    return Blackboard.model_validate(
        {name: getattr(stock.board, name) for name in ("symbol", "as_of", "weeks")}
    )


def _of_steps(stock: StockRecord) -> Iterator[AuditFinding]:
    before = _empty(stock)
    for number, step in enumerate(stock.steps, start=1):
        where = f"step {number}"
        if step.number != number:
            yield AuditFinding(where, f"it says that it is step {step.number}")
        if step.refused != why_not(before, step.action):
            yield AuditFinding(where, "whether its action made sense then is told otherwise")
        for name in _changed(before, step):
            yield AuditFinding(where, f"{step.action} changed {name.replace('_', ' ')}")
        taken = before.taken if step.refused else (*before.taken, step.action)
        if step.board.taken not in {taken, before.taken}:
            yield AuditFinding(where, "the actions taken are not those of the steps")
        if step.charge != (0 if step.refused else stock.charges.get(step.action, 0)):
            yield AuditFinding(where, f"its charge of {step.charge} is not that of {step.action}")
        if step.reward != _reward(step):
            yield AuditFinding(where, f"its reward of {step.reward} is not the evaluation's")
        before = step.board


def _changed(before: Blackboard, step: EpisodeStep) -> Iterator[str]:
    """Yields the fields that a step changed and must not write."""
    own = {"taken"}
    if step.refused is None:
        own.add(PART_FIELDS[step.action])
        own.update(RECOMMENDING if step.action is StockAction.GENERATE_RECOMMENDATION else ())
    for name in Blackboard.model_fields:
        if name not in own and getattr(before, name) != getattr(step.board, name):
            yield name


def _reward(step: EpisodeStep) -> object:
    evaluates = step.action is StockAction.EVALUATE_PERFORMANCE and step.refused is None
    evaluation = step.board.evaluation if evaluates else None
    return (evaluation.reward if evaluation else None) or 0


def _of_nodes(answer: AnswerReport, stock: StockRecord) -> Iterator[AuditFinding]:
    """Checks that the steps taken are the rounds of the graph's nodes."""
    taken = Counter(str(step.action) for step in stock.steps if step.refused is None)
    rounds = {
        line.node: line.rounds
        for line in answer.nodes
        if line.node in set(StockAction) and line.state is not NodeState.WAITING
    }
    for name in sorted(taken.keys() | rounds.keys()):
        if taken[name] != rounds.get(name, 0):
            words = f"{name} was taken {taken[name]} times, and worked {rounds.get(name, 0)}"
            yield AuditFinding("steps", words)


def _of_figures(
    where: str, board: Blackboard, claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    for action in (*DATA, StockAction.EVALUATE_PERFORMANCE):
        field = PART_FIELDS[action]
        part: BoardPart | Evaluation | None = getattr(board, field)
        if part is None:
            continue
        metrics = [*(figure.metric for figure in part.figures), *part.lacking]
        if sorted(metrics) != sorted(PART_METRICS[action]):
            words = "its figures and what it lacks are not what belongs there"
            yield AuditFinding(where, f"{field}: {words}")
        for figure in part.figures:
            if not claimed(figure, board.symbol, claims):
                words = f"its {figure.metric} of {figure.value} is no claim of this answer"
                yield AuditFinding(where, f"{field}: {words}")
    held = {claim.metric for claim in claims.values() if claim.subject == board.symbol}
    for insight in board.insights:
        for name in sorted(set(insight.metrics) - held):
            yield AuditFinding(where, f"the insight into {insight.topic} rests on no {name}")


def _of_words(where: str, board: Blackboard) -> Iterator[AuditFinding]:
    """Checks that the reasons of a recommendation are insights, and that there are reasons only if
    something is recommended."""
    topics = {insight.topic for insight in board.insights}
    generated = board.taken[::-1]
    anew = StockAction.GENERATE_INSIGHT in _after_recommendation(generated)
    for name in (*board.reasons_for, *board.reasons_against):
        if name not in topics and not anew:
            yield AuditFinding(where, f"{name} is a reason, and no insight")
    nothing = recommended(board) is None
    if nothing and (board.confidence or board.reasons_for or board.reasons_against):
        yield AuditFinding(where, "it has reasons or a confidence, and recommends nothing")


def _after_recommendation(latest_first: tuple[StockAction, ...]) -> tuple[StockAction, ...]:
    """The actions since the last recommendation, after which insights may have been generated
    again."""
    if StockAction.GENERATE_RECOMMENDATION not in latest_first:
        return ()
    return latest_first[: latest_first.index(StockAction.GENERATE_RECOMMENDATION)]


def _of_evaluation(
    answer: AnswerReport, stock: StockRecord, claims: Mapping[str, Claim]
) -> Iterator[AuditFinding]:
    evaluation = stock.board.evaluation
    if evaluation is None:
        return
    rewards = [f.value for f in evaluation.figures if f.metric is Metric.REWARD]
    if evaluation.reward != next(iter(rewards), None):
        yield AuditFinding("evaluation", "its reward is not the figure of that name")
    ids = (claim_id(stock.market.market, figure.metric) for figure in evaluation.figures)
    names = {name for each in ids if each in claims for name in claims[each].evidence}
    for result in answer.evidence:
        if result.evidence_id in names:
            yield from _of_call(result, answer, stock)
    yield from outcome_findings(stock, evaluation)


def _of_call(
    result: ToolResult, answer: AnswerReport, stock: StockRecord
) -> Iterator[AuditFinding]:
    """Checks that the tool was called for the recommendation, its instant and its cost. The desk's
    own tool takes all of them as arguments; a third-party tool may have other names for them."""
    asked, told = result.call.arguments, recommended(stock.board)
    if _is_own(result.call):
        for name in _ASKED:
            if name not in asked:
                yield AuditFinding("evaluation", f"its tool was asked without {name}")
    if "made_at" in asked and _instant(asked["made_at"]) != answer.as_of:
        yield AuditFinding("evaluation", "it was asked for a recommendation of another instant")
    if told is not None and "position" in asked:
        position = position_name(told.action)
        if asked["position"] != position:
            words = f"{asked['position']} was held against what happened, and {position} is told"
            yield AuditFinding("evaluation", words)
    if "cost" in asked and _number(asked["cost"]) != stock.cost:
        yield AuditFinding("evaluation", "it was asked for other costs than are told")


def _is_own(call: ToolCall) -> bool:
    route = usual_route(Capability.PERFORMANCE)
    return (call.server, call.tool) == (route.server, route.tool)


def outcome_findings(stock: StockRecord, evaluation: Evaluation) -> Iterator[AuditFinding]:
    """Checks that the moves, and the performance of the recommendation, follow from entry and exit.
    Cash and risk are only known as printed, so what rests on them lies between two bounds."""
    told = {figure.metric: figure.value for figure in evaluation.figures}
    try:
        possible = _possible(stock, told)
    except (ValueError, ArithmeticError) as error:
        yield AuditFinding("evaluation", f"its figures cannot be followed: {error}")
        return
    for metric in _FOLLOWING:
        values = [each[metric] for each in possible if metric in each]
        if not values or metric not in told:
            continue
        if not min(values) - _DEVIATION <= told[metric] <= max(values) + _DEVIATION:
            words = f"its {metric} of {told[metric]} does not follow from its other figures"
            yield AuditFinding("evaluation", words)


def _possible(stock: StockRecord, told: Mapping[Metric, Decimal]) -> list[dict[Metric, Decimal]]:
    """Computes an evaluation at the bounds of its cash and of its risk; without a valid
    recommendation, only its move.

    Raises:
        ValueError: a price is not above zero.
        ArithmeticError: a figure is out of bounds.
    """
    entry, exit_ = told.get(Metric.ENTRY), told.get(Metric.EXIT)
    if entry is None or exit_ is None:
        return []
    made, days = recommended(stock.board), 7 * stock.board.weeks
    years = Decimal(days) / 365
    cash, risk = told.get(Metric.CASH_MOVE), told.get(Metric.RISK)
    rates = [None] if cash is None or made is None else [each / years for each in _bounds(cash)]
    measured = risk is not None and risk > _BARELY_MORE
    risks = [each / years.sqrt() for each in _bounds(risk)] if risk and measured else [None]
    position = POSITIONS[made.action] if made else 0
    return [
        performance(entry, exit_, position, stock.cost, rate, volatility, days)
        for rate, volatility in product(rates, risks)
    ]


def _bounds(printed: Decimal) -> tuple[Decimal, Decimal]:
    return printed - _BARELY_MORE, printed + _BARELY_MORE


def _of_prices(answer: AnswerReport, stock: StockRecord) -> Iterator[AuditFinding]:
    if stock.prices is None:
        return
    result = next((r for r in answer.evidence if r.evidence_id == stock.prices), None)
    try:
        read = read_answer(result.content) if result else None
    except EvidenceUnusable:
        read = None
    if not isinstance(read, PriceHistory):
        yield AuditFinding("chart", f"{stock.prices} is no tool result with prices")
    elif read.symbol != stock.market.market or read.as_of != answer.as_of:
        yield AuditFinding("chart", "its prices are of another stock or another instant")


def _number(written: JsonValue) -> Decimal | None:
    try:
        number = Decimal(str(written))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _instant(written: JsonValue) -> datetime | None:
    try:
        return datetime.fromisoformat(str(written))
    except ValueError:
        return None
