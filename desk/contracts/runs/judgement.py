"""What is judged together: the findings on some markets, what they contradict each other in, what
is taken to be likely because of them, and what sources say when that is due."""

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
    """What is compared: the findings within each market, or those of different markets."""

    WITHIN_MARKETS = "within_markets"
    ACROSS_MARKETS = "across_markets"


class FindingsToJudge(Contract):
    """The findings, by market, with the conflicts that were decided before.

    Where there is a `window`, the outcomes have the evidence of their findings, and what does not
    follow from it contradicts nobody; `markets` and `base_area` are the run's, as far as they
    matter. Elsewhere they have of it what was asked about policy rates.
    """

    scope: Scope
    outcomes: Annotated[tuple[MarketOutcome, ...], Field(max_length=200)]
    voting: VotingConfig
    markets: Annotated[tuple[MarketSpec, ...], Field(max_length=200, exclude_if=is_empty)] = ()
    base_area: Annotated[AreaCode | None, Field(exclude_if=is_none)] = None
    window: Annotated[TimeWindow | None, Field(exclude_if=is_none)] = None


class JudgedFindings(Contract):
    """The conflicts, each settled as far as a vote or an earlier decision can."""

    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=200)] = ()


class HypothesesToJudge(Contract):
    """What the leader of a swarm takes to be likely, with what it rests on."""

    hypotheses: Annotated[tuple[Hypothesis, ...], Field(max_length=50)]
    results: Annotated[tuple[ResearchResult, ...], Field(max_length=1_000)]
    conflicts: Annotated[tuple[ConflictRecord, ...], Field(max_length=200)]
    as_of: Instant


class JudgedHypotheses(Contract):
    """Those that can be held against a price, with the specialists' views that come due with
    them."""

    sound: Annotated[tuple[Hypothesis, ...], Field(max_length=50)] = ()


class PriceVerdict(StrEnum):
    """What follows from an answer for a hypothesis that is due."""

    SCORED = "scored"
    """It has the price."""

    EARLY = "early"
    """Its price is older than the one expected; whether that may still come, the source's latest
    answer tells."""

    LACKING = "lacking"
    """It has no price, and may have one later."""

    NEVER = "never"
    """No price can decide the hypothesis any more."""


class PriceToJudge(Contract):
    """A source's `answer` about the moment at which a hypothesis was due. `latest` is what it says
    of now, where that was asked. Without an answer, whether any price can decide it at all."""

    request: HypothesisRequest
    workflow_id: ShortText
    now: Instant
    answer: ToolResult | None = None
    latest: ToolResult | None = None


class JudgedPrice(Contract):
    """What follows, with the score where there is one, and else why there is none."""

    verdict: PriceVerdict
    scored: ScoredHypothesis | None = None
    words: Text = ""


class FixingsToJudge(Contract):
    """What a server answered about the fixings that were due at an instant."""

    answers: Annotated[tuple[ToolResult, ...], Field(max_length=1_000)]
    due: Instant
    now: Instant


class JudgedFixings(Contract):
    """The fixings that hold, and the markets of which an answer says that it has none."""

    resolutions: Annotated[tuple[Resolution, ...], Field(max_length=1_000)] = ()
    refused: Annotated[tuple[MarketName, ...], Field(max_length=1_000)] = ()


class EvaluationToJudge(Contract):
    """How an episode stands whose horizon is to be held against a price: the metrics that are
    `known` of the stock, what its nodes brought, and the evaluation where there is one. `failed`
    says why there is none."""

    symbol: ShortText
    known: Annotated[tuple[Metric, ...], Field(max_length=200)]
    outcomes: Annotated[tuple[NodeOutcome, ...], Field(max_length=MOST_OUTCOMES)]
    found: ResearchResult | None = None
    failed: Text | None = None
    due: Instant
    now: Instant
    given_up_after: timedelta


class JudgedEvaluation(Contract):
    """`no_price`: a source said when the episode began that it has no price of the stock. Where the
    evaluation is to be tried again, `waits_because` says why, and `until` for how long."""

    no_price: bool = False
    waits_because: Text | None = None
    until: Instant | None = None


class RecommendationToJudge(Contract):
    """An episode's blackboard with its evaluation, who brought what it rests on, and when the
    recommendation was written; None in runs of earlier versions."""

    board: Blackboard
    agents: Annotated[tuple[AgentId, ...], Field(max_length=200)]
    workflow_id: ShortText
    now: Instant
    written_at: Annotated[Instant | None, Field(exclude_if=is_none)] = None


class JudgedRecommendation(Contract):
    """The recommendation as a hypothesis that was scored; None where it takes no side, or where
    `untellable` says why it cannot be held against a price."""

    scored: ScoredHypothesis | None = None
    untellable: Text | None = None
