"""The board of a swarm: the results of its rounds, carried from one round to the next."""

from collections.abc import Sequence
from datetime import datetime

from desk.contracts.agents.usage import Usage
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.learning.memory import RELEVANCE_FLOOR
from desk.contracts.markets import MarketSpec
from desk.contracts.question.graph import NodeSpec
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.graph import GraphRecord, GraphRequest
from desk.contracts.runs.swarm import SwarmCarried, SwarmRequest
from desk.contracts.swarm.hypotheses import Hypothesis
from desk.contracts.swarm.plan import Refinement, SwarmPlan
from desk.contracts.swarm.record import SwarmRecord, SwarmRound, TokenRecord
from desk.contracts.weeks import TimeWindow
from desk.programs.swarm.run.graph import GRAPH, following, graph_of, plan_node, planning
from desk.programs.swarm.run.tokens import Reads, tokens_of
from desk.runs.assignments import NOTHING, as_usage
from desk.runs.boards import NodeBoard, sum_of


class SwarmBoard(NodeBoard):
    """The rounds of a run so far, over all of its executions, and the nodes of their plans, each
    started once."""

    def __init__(self, request: SwarmRequest, started_at: datetime) -> None:
        carried, asked = request.carried, request.window
        began = carried.started_at if carried else started_at
        self.rounds: list[SwarmRound] = list(carried.rounds) if carried else []
        self.number = len(self.rounds) + 1
        before = graph_of(self.rounds).nodes if self.rounds else ()
        super().__init__(
            GRAPH,
            request.query,
            request.policy,
            as_of=carried.as_of if carried else asked.end if asked else request.as_of or began,
            time_zone=request.time_zone,
            started_at=began,
            nodes=(*before, planning(self.number)),
        )
        self.request = request
        self.objective = carried.objective if carried else request.query.question
        self.conflicts: tuple[ConflictRecord, ...] = carried.conflicts if carried else ()
        self.reads: dict[str, Reads] = dict(carried.reads) if carried else {}
        self.memory: str | None = carried.memory if carried else None
        if carried:
            self.waited = carried.waited
            self.restore_outcomes(carried.outcomes)
            self.budget.settle(NOTHING, as_usage(carried.spent))

    @property
    def window(self) -> TimeWindow:
        """The window of the objective; without one, the days before its as-of instant."""
        return self.request.window or super().window

    @property
    def markets(self) -> tuple[MarketSpec, ...]:
        """The markets of all plans, without duplicates."""
        found: dict[str, MarketSpec] = {}
        for each in self.rounds:
            for subagent in each.plan.subagents:
                found.setdefault(subagent.market.market, subagent.market)
        return tuple(found.values())

    @property
    def tokens(self) -> TokenRecord:
        """The tokens read so far. The leader is shown the findings."""
        shown = (e for e in self.entries if not isinstance(e.result, SwarmPlan))
        reads = (self.reads[n.name] for n in self._nodes if n.name in self.reads)
        return tokens_of(reads, shown, self.usage.tokens)

    @property
    def usage_of_round(self) -> Usage:
        """The cost of the last planned round."""
        nodes = {node.name for node in following(self.rounds[-1].plan, self.rounds[-1].number)}
        done = (each for each in self.outcomes if each.entry.node in nodes)
        return sum_of(each.contribution.usage for each in done)

    @property
    def concluded(self) -> Synthesis | None:
        """The leader's last conclusion."""
        made = [e.result for e in self.entries if isinstance(e.result, Synthesis)]
        return made[-1] if made else None

    def planned(self, plan: SwarmPlan, recalled: Sequence[str], nodes: Sequence[NodeSpec]) -> None:
        """Records the plan of a round and puts its nodes on the board."""
        self.rounds.append(
            SwarmRound(
                number=self.number,
                objective=self.objective,
                plan=plan,
                recalled=tuple(recalled),
                recall_floor=RELEVANCE_FLOOR,
            )
        )
        self._nodes += nodes

    def ended(self, *, refined: Refinement | None, stopped: str | None) -> None:
        """Records that the current round is concluded."""
        last = self.rounds[-1]
        self.rounds[-1] = last.model_copy(update={"refined": refined, "stopped": stopped})

    def carried(self, objective: str) -> SwarmCarried:
        """Returns what the next round starts with, including what was spent so far."""
        return SwarmCarried(
            objective=objective,
            rounds=tuple(self.rounds),
            outcomes=self.arrivals,
            conflicts=self.conflicts,
            reads={node: tuple(read) for node, read in self.reads.items()},
            memory=self.memory,
            spent=self.budget.spent,
            waited=self.waited,
            started_at=self.started_at,
            as_of=self.as_of,
        )

    def record(
        self, hypotheses: Sequence[Hypothesis], workflow_id: str, run_id: str
    ) -> GraphRecord:
        """Returns everything that the report is compiled from. If nothing was planned, this holds
        only the leader's failure."""
        request = self.request
        asked = GraphRequest(
            graph=graph_of(self.rounds, planning_failed=self._planning_failed),
            query=request.query,
            policy=request.policy,
            as_of=self.as_of,
            time_zone=request.time_zone,
        )
        swarm = self._swarm(hypotheses) if self.rounds else None
        return self.record_of(asked, workflow_id, run_id, swarm=swarm)

    def _swarm(self, hypotheses: Sequence[Hypothesis]) -> SwarmRecord:
        return SwarmRecord(
            rounds=tuple(self.rounds),
            markets=self.markets,
            conflicts=self.conflicts,
            hypotheses=tuple(hypotheses),
            tokens=self.tokens,
            memory=self.memory,
        )

    @property
    def _planning_failed(self) -> bool:
        """Whether planning another round after the last one failed."""
        failed = (o.entry.node for o in self.outcomes if o.entry.error)
        return plan_node(len(self.rounds) + 1) in failed
