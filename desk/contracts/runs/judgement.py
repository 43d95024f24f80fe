"""The inputs and results of judging activities: findings and their conflicts, hypotheses, and the
prices and fixings that are due."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tools import ToolResult
from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.episode.stock import Blackboard
from desk.contracts.findings.claims import Metric
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.learning.record import Resolution
from desk.contracts.markets import AreaCode, MarketName, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.graph import MOST_OUTCOMES
from desk.contracts.runs.graph import NodeOutcome
from desk.contracts.runs.swarm import HypothesisRequest
from desk.contracts.swarm.hypotheses import Hypothesis, ScoredHypothesis
from desk.contracts.week.report import MarketOutcome
from desk.contracts.weeks import TimeWindow


class Scope(StrEnum):
    """Which findings are compared: those within each market, or those of different markets."""

    WITHIN_MARKETS = "within_markets"
    ACROSS_MARKETS = "across_markets"


class FindingsToJudge(Contract):
    """The findings by market, with the conflicts that were decided before.

    With a `window`, the outcomes include the evidence of their findings, and a finding that does
    not follow from it takes part in no conflict; `markets` and `base_area` are the run's, as far as
    they matter. Without one, the outcomes include only the evidence about policy rates.
    """

    scope: Scope
    outcomes: Annotated[tuple[MarketOutcome, ...], Field(max_length=200)]
    voting: VotingConfig
    markets: Annotated[tuple[MarketSpec, ...], Field(max_length=200, exclude_if=is_empty)] = ()
    base_area: Annotated[AreaCode | None, Field(exclude_if=is_none)] = None
    window: Annotated[TimeWindow | None, Field(exclude_if=is_none)] = None


class JudgedFindings(Contract):
    """The conflicts, each settled as far as a vote or an earlier decision can settle it."""

    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=200)] = ()


class HypothesesToJudge(Contract):
    """The hypotheses of a swarm's leader, with the results they rest on."""

    hypotheses: Annotated[tuple[Hypothesis, ...], Field(max_length=50)]
    results: Annotated[tuple[ResearchResult, ...], Field(max_length=1_000)]
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=200)]
    as_of: Instant


class JudgedHypotheses(Contract):
    """The hypotheses that can be scored by a price, with the specialists' views that come due with
    them."""

    sound: Annotated[tuple[Hypothesis, ...], Field(max_length=50)] = ()


class PriceVerdict(StrEnum):
    """What an answer means for a hypothesis that is due."""

    SCORED = "scored"
    """The price decides it."""

    EARLY = "early"
    """The price is older than expected; the source's latest answer tells whether a newer one may
    still arrive."""

    LACKING = "lacking"
    """There is no price yet; there may be one later."""

    NEVER = "never"
    """No price can decide the hypothesis."""


class PriceToJudge(Contract):
    """A source's `answer` about the moment at which a hypothesis was due. `latest` is its answer
    about now, when that was requested. Without an answer, the question is whether any price can
    decide the hypothesis."""

    request: HypothesisRequest
    workflow_id: ShortText
    now: Instant
    answer: ToolResult | None = None
    latest: ToolResult | None = None


class JudgedPrice(Contract):
    """The verdict, with the score if there is one, and otherwise the reason."""

    verdict: PriceVerdict
    scored: ScoredHypothesis | None = None
    words: Text = ""


class FixingsToJudge(Contract):
    """A server's answers about the fixings that were due at an instant."""

    answers: Annotated[tuple[ToolResult, ...], Field(max_length=1_000)]
    due: Instant
    now: Instant


class JudgedFixings(Contract):
    """The usable fixings, and the markets for which an answer says that there is none."""

    resolutions: Annotated[tuple[Resolution, ...], Field(max_length=1_000)] = ()
    refused: Annotated[tuple[MarketName, ...], Field(max_length=1_000)] = ()


class EvaluationToJudge(Contract):
    """The state of an episode whose horizon has come: the metrics that are `known` for the stock,
    the outcomes of its nodes, and the evaluation if there is one. `failed` says why there is
    none."""

    symbol: ShortText
    known: Annotated[tuple[Metric, ...], Field(max_length=200)]
    outcomes: Annotated[tuple[NodeOutcome, ...], Field(max_length=MOST_OUTCOMES)]
    found: ResearchResult | None = None
    failed: Text | None = None
    due: Instant
    now: Instant
    given_up_after: timedelta


class JudgedEvaluation(Contract):
    """The judgement on an evaluation. `no_price`: when the episode began, a source said that it has
    no price of the stock. If the evaluation is to be retried, `waits_because` gives the reason and
    `until` the deadline."""

    no_price: bool = False
    waits_because: Text | None = None
    until: Instant | None = None


class RecommendationToJudge(Contract):
    """An episode's blackboard with its evaluation, the agents behind it, and when the
    recommendation was written; None in runs of earlier versions."""

    board: Blackboard
    agents: Annotated[tuple[AgentId, ...], Field(max_length=200)]
    workflow_id: ShortText
    now: Instant
    written_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None


class JudgedRecommendation(Contract):
    """The recommendation as a scored hypothesis; None when it takes no side, or when `untellable`
    says why it cannot be scored by a price."""

    scored: ScoredHypothesis | None = None
    untellable: Text | None = None
