"""The built-in analysts behind one function: a turn from a request, without effects."""

from collections.abc import Callable, Mapping
from typing import Final

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.turns import Turn, TurnRequest
from desk.contracts.agents.usage import BUILTIN_VERSION
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.programs.builtin.evidence import TaskNotPossible
from desk.programs.episode.builtin import controller as stock_controller
from desk.programs.episode.builtin import insight as stock_insight
from desk.programs.episode.builtin import recommendation as stock_recommendation
from desk.programs.episode.builtin import research as stock_evaluation
from desk.programs.episode.builtin import research as stock_research
from desk.programs.episode.builtin import research as stock_technicals
from desk.programs.question.builtin import lookups, reading, synthesis
from desk.programs.swarm.builtin import fundamental as swarm_fundamental
from desk.programs.swarm.builtin import leader as swarm_leader
from desk.programs.swarm.builtin import market as swarm_market
from desk.programs.swarm.builtin import pattern as swarm_pattern
from desk.programs.swarm.builtin import sentiment as swarm_sentiment
from desk.programs.swarm.builtin import technical as swarm_technical
from desk.programs.week.builtin import price_analyst, product_manager, rates_analyst, validator

ANALYSTS: Final[Mapping[TaskType, Callable[[TurnRequest], Turn]]] = {
    TaskType.PLAN_WEEK: product_manager.take_turn,
    TaskType.RESEARCH_FX: price_analyst.take_turn,
    TaskType.RESEARCH_RATES: rates_analyst.take_turn,
    TaskType.VALIDATE: validator.take_turn,
    TaskType.COMMENT_WEEK: product_manager.comment,
    TaskType.FETCH_TICKETS: lookups.fetch_tickets,
    TaskType.READ_DOCUMENTS: reading.read_documents,
    TaskType.READ_PDFS: reading.read_pdfs,
    TaskType.SEARCH_WEB: lookups.search_web,
    TaskType.SYNTHESISE: synthesis.take_turn,
    TaskType.PLAN_SWARM: swarm_leader.plan,
    TaskType.RESEARCH_CONDITIONS: swarm_market.take_turn,
    TaskType.ANALYSE_TECHNICALS: swarm_technical.take_turn,
    TaskType.ANALYSE_FUNDAMENTALS: swarm_fundamental.take_turn,
    TaskType.GAUGE_SENTIMENT: swarm_sentiment.take_turn,
    TaskType.MINE_PATTERNS: swarm_pattern.take_turn,
    TaskType.CONCLUDE_SWARM: swarm_leader.conclude,
    TaskType.CHOOSE_ACTION: stock_controller.choose,
    TaskType.FETCH_NEWS: stock_research.fetch_news,
    TaskType.FETCH_FUNDAMENTALS: stock_research.fetch_fundamentals,
    TaskType.FETCH_SENTIMENT: stock_research.fetch_sentiment,
    TaskType.RUN_TA_BASIC: stock_technicals.basic,
    TaskType.RUN_TA_ADVANCED: stock_technicals.advanced,
    TaskType.GENERATE_INSIGHT: stock_insight.generate,
    TaskType.GENERATE_RECOMMENDATION: stock_recommendation.generate,
    TaskType.EVALUATE_PERFORMANCE: stock_evaluation.evaluate,
}


def builtin_turn(request: TurnRequest) -> Turn:
    """The built-in analyst's turn: tool calls first, then the result or why there is none.

    The same request always gives the same turn. A tool that could not be asked or that refused
    ends in `failure`, so that the task can be given to somebody else; a tool that has no data
    does not.
    """
    try:
        turn = ANALYSTS[request.assignment.task_type](request)
    except TaskNotPossible as impossible:
        return Turn(failure=impossible.error)
    if isinstance(turn.result, ResearchResult | ValidationResult):
        result = turn.result.model_copy(update={"version": BUILTIN_VERSION})
        return turn.model_copy(update={"result": result})
    return turn
