"""Episodes of a stock as their workflow records them, for tests of what is made of them.

NVDA as of 10 June 2024, on the evening of its split, by the built-in agents: what the servers
answer offline in this process, so prices and no news, no tone and no accounts.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Final

from pydantic import validate_call

from desk.agents.roster import profile_of
from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tasks import AgentLimits, TaskAssignment
from desk.contracts.agents.tools import SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.analysis import Analysis, MeasuredFigure
from desk.contracts.episode.stock import ActionChoice, EpisodeStep
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ResearchResult
from desk.contracts.findings.source_results import Provenance, SourceResult
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.episode import StockRequest
from desk.contracts.runs.graph import GraphRecord
from desk.contracts.runs.judgement import FindingsToJudge, Scope
from desk.contracts.runs.turns import AgentResult, Exchange, TurnRequest
from desk.programs.episode.actions import DATA, ORDER, pointers_of, values_of, why_not
from desk.programs.episode.program import STOCK_TASKS
from desk.programs.episode.run.assignments import episode_task, market_of, outcome_parameters
from desk.programs.episode.run.board import EpisodeBoard
from desk.programs.episode.run.graph import CONTROLLER
from desk.programs.judging.findings import judged_findings
from desk.programs.turns import builtin_turn
from desk.sources.analysis.companies import CompanyTools
from desk.sources.analysis.performance import PerformanceTools
from desk.sources.analysis.prices import PriceStore
from desk.sources.analysis.server import AnalysisTools
from desk.sources.central_banks.facts.policy import FACTS_DIR, read_facts
from desk.sources.ecb.store import RatesStore
from desk.sources.knowledge.files import CORPUS_DIR, read_corpus
from desk.sources.sentiment.server import SentimentTools
from desk.sources.sentiment.stories import Newsroom
from tests.support.builders import answered, failed
from tests.support.documents.answers import STARTED_AT, outcome

Answers = Mapping[str, Callable[[ToolCall, datetime], Analysis]]
"""What a tool answers in place of the real one, by its name."""

AS_OF: Final = datetime(2024, 6, 10, 22, tzinfo=UTC)
SYMBOL: Final = "NVDA"
RUN: Final = "stock-0123456789ab"
FEED: Final = Provenance(name="a feed of news", tier=SourceTier.SECONDARY, origin="A publisher")
ACCOUNTS: Final = Provenance(name="accounts", tier=SourceTier.SECONDARY, origin="The company")


def measuring(source: Provenance, **figures: str) -> Callable[[ToolCall, datetime], Analysis]:
    """A tool that measures these figures, of the day of the as-of instant."""

    def tool(call: ToolCall, as_of: datetime) -> Analysis:
        return Analysis(
            as_of=as_of,
            source=source,
            symbol=str(call.arguments["symbol"]),
            method="as its documentation says",
            figures=tuple(
                MeasuredFigure(metric=Metric(name), value=Decimal(value), as_of=as_of.date())
                for name, value in figures.items()
            ),
        )

    return tool


ALL_THERE: Final[Answers] = {
    "news_aggregator": measuring(FEED, news_count="31"),
    "sentiment_analyzer": measuring(FEED, news_tone="18.5", news_count="31"),
    "ratio_calculator": measuring(
        ACCOUNTS,
        price_to_earnings="71.20",
        price_to_book="60.41",
        net_margin="53.40",
        debt_to_equity="0.23",
    ),
    "earnings_analyzer": measuring(ACCOUNTS, revenue_growth="262.10", earnings_surprise="9.35"),
}
"""What a live feed could have told of news and accounts."""


@cache
def stock_record(
    *steps: StockAction,
    failing: Collection[StockAction] = (),
    failing_steps: Collection[int] = (),
    complete: bool = False,
    given: bool = False,
    as_of: datetime = AS_OF,
) -> GraphRecord:
    """An episode of these steps, or of the usual order. The agents of the actions that are
    `failing`, and of the `failing_steps` by their numbers, deliver nothing; with `complete`, news
    and accounts are there; `given` steps are those that were asked for."""
    request = StockRequest(symbol=SYMBOL, as_of=as_of, steps=steps if given else ())
    order = steps or ORDER
    numbers = {n for n, action in enumerate(order, start=1) if action in failing}
    answers = ALL_THERE if complete else {}
    return Play(request, numbers.union(failing_steps), answers).through(order)


class Play:
    """The built-in agents at work, as the workflow has them, without Temporal."""

    def __init__(
        self, request: StockRequest, failing_steps: Collection[int], answers: Answers
    ) -> None:
        self.board = EpisodeBoard(request, STARTED_AT)
        self._request = request
        self._failing_steps = failing_steps
        self._answers = answers

    def through(self, steps: Sequence[StockAction]) -> GraphRecord:
        """What a run of these steps found."""
        for number, action in enumerate(steps, start=1):
            self._choose(action, number)
            refused = why_not(self.board.blackboard, action)
            if refused is None:
                self.board.begin(action, STARTED_AT)
                self._act(action, failing=number in self._failing_steps)
            self._note(action, number, refused)
        return self.board.record(RUN, "run-1")

    def _choose(self, action: StockAction, number: int) -> None:
        task = self._assigned(None, number)
        choice = ActionChoice(
            task_id=task.task_id,
            market=market_of(SYMBOL),
            action=action,
            reason="It is the next of the usual order.",
        )
        self.board.begin(CONTROLLER, STARTED_AT)
        self._end(CONTROLLER, task, choice, ())

    def _act(self, action: StockAction, *, failing: bool) -> None:
        board = self.board
        if action is StockAction.GENERATE_RECOMMENDATION:
            asked = FindingsToJudge(
                scope=Scope.WITHIN_MARKETS, outcomes=(board.found,), voting=VotingConfig()
            )
            board.conflicts = judged_findings(asked).conflicts
        task = self._assigned(action, board.rounds_of(action))
        result, evidence = (None, ()) if failing else self._worked(task)
        self._end(action, task, result, evidence)
        claims = result.claims if isinstance(result, ResearchResult) else ()
        values, days = values_of(claims, action, SYMBOL)
        if action in DATA:
            if result is not None or action not in board.blackboard.taken:
                board.blackboard.write_part(action, values, days)
        elif action is StockAction.EVALUATE_PERFORMANCE:
            board.blackboard.write_evaluation(values, days)
        elif isinstance(result, ResearchResult):
            board.blackboard.write_insights(pointers_of(result))
        elif isinstance(result, Synthesis) and result.recommendation is not None:
            board.blackboard.write_recommendation(result.recommendation)

    def _assigned(self, action: StockAction | None, round_: int) -> TaskAssignment:
        board = self.board
        agent = STOCK_TASKS[action][0] if action else AgentId.CONTROLLER_AGENT
        profile = profile_of(agent).model_copy(update={"tools": (), "limits": AgentLimits()})
        query, window = board.query, board.window
        made = board.blackboard.recommendation
        if action is StockAction.EVALUATE_PERFORMANCE and made is not None:
            told = {**query.parameters, **outcome_parameters(board.as_of, made.action)}
            query, window = query.model_copy(update={"parameters": told}), board.horizon
        return episode_task(
            profile, action or CONTROLLER, round_, self._request, query, window, STARTED_AT
        )

    def _worked(self, task: TaskAssignment) -> tuple[AgentResult | None, tuple[ToolResult, ...]]:
        request = TurnRequest(
            assignment=task,
            state=self.board.results,
            board=self.board.blackboard.snapshot(),
            conflicts=self.board.conflicts,
        )
        results: list[ToolResult] = []
        while True:
            turn = builtin_turn(request)
            if not turn.calls:
                return turn.result, tuple(results)
            new = [asked(call, task.window.end, self._answers) for call in turn.calls]
            results += new
            exchange = Exchange(results=tuple(new))
            request = request.model_copy(update={"exchanges": (*request.exchanges, exchange)})

    def _end(
        self,
        node: str,
        task: TaskAssignment,
        result: AgentResult | None,
        evidence: tuple[ToolResult, ...],
    ) -> None:
        error = None if result is not None else "the server was down"
        ended = outcome(
            node,
            result,
            *evidence,
            agent=task.agent,
            task=task.task_type,
            error=error,
            in_round=self.board.rounds_of(node),
        )
        self.board.restore_outcomes([ended])

    def _note(self, action: StockAction, number: int, refused: str | None) -> None:
        evaluates = action is StockAction.EVALUATE_PERFORMANCE and refused is None
        reward = self.board.blackboard.reward if evaluates else None
        at = self.board.started_at + timedelta(seconds=number)
        step = EpisodeStep(
            number=number,
            action=action,
            reason="It is the next of the usual order.",
            refused=refused,
            reward=reward or Decimal(0),
            board=self.board.blackboard.snapshot(),
            started_at=at,
            ended_at=at + timedelta(milliseconds=500),
        )
        self.board.steps.append(step)


def asked(call: ToolCall, as_of: datetime, answers: Answers) -> ToolResult:
    """The answer of the server that has the tool, or its refusal."""
    other = answers.get(call.tool)
    if other is not None:
        return answered(call, other(call, as_of))
    told = really_answered(call.tool, json.dumps(call.arguments), as_of)
    if isinstance(told, str):
        return failed(call, ToolStatus.REFUSED, told)
    return answered(call, told)


@cache
def really_answered(name: str, arguments: str, as_of: datetime) -> SourceResult | str:
    """What a server's tool answers, or why it refuses."""
    tool = next(getattr(each, name) for each in servers() if hasattr(each, name))
    try:
        told: SourceResult = validate_call(tool)(**json.loads(arguments), as_of=as_of)
    except Exception as refusal:  # As over MCP: whatever a tool raises is its refusal.
        return str(refusal)
    return told


@cache
def servers() -> tuple[object, ...]:
    """The tools of the real servers, offline."""
    prices = PriceStore(RatesStore())
    facts, corpus = read_facts(FACTS_DIR), read_corpus(CORPUS_DIR)
    newsroom = Newsroom(lambda _: facts, lambda: corpus, None)
    return (
        AnalysisTools(prices),
        CompanyTools(prices),
        PerformanceTools(prices),
        SentimentTools(newsroom),
    )
