"""The published answer to a question. Its JSON form is this model, key for key."""

from datetime import datetime
from typing import Annotated, Final, NamedTuple

from pydantic import Field

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import MOST_LOST, DataSource, ToolResult
from desk.contracts.agents.usage import Usage
from desk.contracts.base import Contract, Instant, ShortText, Text, is_empty, is_none
from desk.contracts.episode.stock import StockRecord
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.findings.verdicts import ClaimVerdict, DroppedSentence, FactCheckRecord
from desk.contracts.markets import AreaCode, MarketName, MarketSpec
from desk.contracts.names import AgentId
from desk.contracts.question.graph import (
    MOST_NODES,
    GraphSpec,
    NodeName,
    NodeState,
    conflicts_of,
    markets_of,
)
from desk.contracts.question.knowledge import Quotation, YesOrNo
from desk.contracts.swarm.record import SwarmRecord
from desk.contracts.weeks import TimeWindow

MOST_CLAIMS: Final = 2_000
"""Of an answer: the decisions of all central banks over some years are several hundred."""


class AnswerSection(Contract):
    """A part of the answer: `prose` with references, `content` as printed, in Markdown."""

    title: ShortText
    content: Annotated[str, Field(max_length=60_000)]
    prose: Annotated[str, Field(max_length=20_000)]


class NodeReport(Contract):
    """How a node of the graph ended in its last round; `seconds` is its duration in all rounds.
    `lost` are the tools that did not answer it, as in `StateEntry`."""

    node: NodeName
    agent: AgentId
    state: NodeState
    rounds: int = 0
    seconds: Annotated[float, Field(ge=0.0)] = 0.0
    tool_calls: int = 0
    error: Text | None = None
    remark: Text | None = None
    usage: Usage = Usage()
    lost: Annotated[tuple[ShortText, ...], Field(max_length=MOST_LOST, exclude_if=is_empty)] = ()


class AnswerStatement(NamedTuple):
    """An answer's claims about a market."""

    market: MarketName
    claims: tuple[Claim, ...]
    verdicts: tuple[ClaimVerdict, ...]


class AnswerReport(Contract):
    """The answer to a question, with everything needed to verify it.

    `summary` and the sections are printed text, `summary_prose` holds the references. Every
    quotation appears word for word in the evidence it names, and every figure outside of quotations
    is a claim. `decided` is a swarm's answer to a yes-or-no question. `found` says that the
    quotations fit the question and that no judgement was made on whether they answer it. `missing`
    lists what was not found, including failed nodes; the outcome is `incomplete` when a node failed
    or there is no synthesis. `evidence` holds the tool results that quotations and claims rest on.

    For a swarm, `swarm` has its rounds, the conflicts between findings with their decisions, and
    the leader's hypotheses; for a stock's episode, `stock` has its steps and its blackboard.

    `window`, `market`, the markets of `swarm`, and `base_area` are the inputs for recomputing the
    claims, `verdicts` are a validator's verdicts on them. `rules` is the edition of the rules of
    prose that its words were checked by; 0 in answers of earlier versions. `fact_check` is set if a
    model wrote the answer; None in answers of earlier versions. `seal` is the SHA-256 of the
    canonical JSON of all the rest.
    """

    sections: Annotated[tuple[AnswerSection, ...], Field(max_length=20)] = ()
    summary: Annotated[str, Field(max_length=60_000)]
    summary_prose: Text
    question: Text
    parameters: Annotated[dict[ShortText, Text], Field(max_length=50)] = Field(default_factory=dict)
    answered: bool
    decided: Annotated[YesOrNo | None, Field(exclude_if=is_none)] = None
    found: Annotated[bool, Field(exclude_if=is_empty)] = False
    outcome: Outcome
    as_of: Instant
    started_at: Instant
    finished_at: Instant
    graph: GraphSpec
    nodes: Annotated[tuple[NodeReport, ...], Field(max_length=MOST_NODES)]
    quotations: Annotated[tuple[Quotation, ...], Field(max_length=100)] = ()
    claims: Annotated[tuple[Claim, ...], Field(max_length=MOST_CLAIMS)] = ()
    sources: Annotated[tuple[DataSource, ...], Field(max_length=400)] = ()
    evidence: Annotated[tuple[ToolResult, ...], Field(max_length=2_000)] = ()
    missing: Annotated[tuple[Text, ...], Field(max_length=200)] = ()
    dropped: Annotated[tuple[DroppedSentence, ...], Field(max_length=200)] = ()
    usage: Usage = Usage()
    workflow_id: ShortText
    run_id: ShortText
    window: TimeWindow
    market: Annotated[MarketSpec | None, Field(exclude_if=is_none)] = None
    base_area: AreaCode = "US"
    verdicts: Annotated[
        tuple[ClaimVerdict, ...], Field(max_length=MOST_CLAIMS, exclude_if=is_empty)
    ] = ()
    swarm: Annotated[SwarmRecord | None, Field(exclude_if=is_none)] = None
    stock: Annotated[StockRecord | None, Field(exclude_if=is_none)] = None
    rules: Annotated[int, Field(ge=0, exclude_if=is_empty)] = 0
    fact_check: Annotated[FactCheckRecord | None, Field(exclude_if=is_none)] = None
    seal: ShortText = ""

    @property
    def specs(self) -> tuple[MarketSpec, ...]:
        """The markets that its claims are about."""
        return markets_of(self.market, self.swarm, self.stock, self.graph)

    @property
    def due(self) -> datetime | None:
        """When an episode's outcome is due; None for other answers."""
        return self.stock.due if self.stock else None

    @property
    def statements(self) -> tuple[AnswerStatement, ...]:
        """All of its claims, as statements about its first market; empty without a market."""
        return tuple(
            AnswerStatement(spec.market, self.claims, self.verdicts) for spec in self.specs[:1]
        )

    @property
    def counts(self) -> tuple[Claim, ...]:
        """Always empty: an answer has no claims that count over its claims."""
        return ()

    @property
    def conflicts(self) -> tuple[ConflictRecord, ...]:
        """The conflicts between its findings."""
        return conflicts_of(self.swarm, self.stock)
