"""What is judged together: the findings on some markets, what they contradict each other in, and
what is taken to be likely because of them."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Instant
from contracts.config import VotingConfig
from contracts.report import MarketOutcome
from contracts.results import ConflictRecord, ResearchResult
from contracts.swarm import Hypothesis


class Scope(StrEnum):
    """What is compared: the findings within each market, or those of different markets."""

    WITHIN_MARKETS = "within_markets"
    ACROSS_MARKETS = "across_markets"


class FindingsToJudge(Contract):
    """The findings, by market, with the conflicts that were decided before."""

    scope: Scope
    outcomes: Annotated[tuple[MarketOutcome, ...], Field(max_length=200)]
    voting: VotingConfig


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
