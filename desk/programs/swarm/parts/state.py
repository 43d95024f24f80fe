"""Where a swarm stands: what its rounds brought, carried from one into the next.

Light: the workflow uses it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.turns import StateEntry
from desk.contracts.agents.usage import Usage
from desk.contracts.findings.results import ConflictRecord
from desk.contracts.markets import MarketSpec
from desk.contracts.question.graph import (
    GraphRecord,
    GraphRequest,
    NodeOutcome,
    NodeSpec,
    NodeState,
)
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.swarm.run import SwarmCarried, SwarmRequest
from desk.contracts.swarm.swarm import (
    Hypothesis,
    Refinement,
    SwarmPlan,
    SwarmRecord,
    SwarmRound,
    TokenRecord,
)
from desk.contracts.weeks import TimeWindow
from desk.programs.swarm.graph import following, graph_of, plan_node, planning
from desk.programs.swarm.parts.tokens import Reads, tokens_of
from desk.runs.assignments.assignments import week_before, window_before
from desk.runs.assignments.budget import NOTHING


class SwarmState:
    """One run's rounds so far, whichever of its executions they were in.

    It is also what the board shows: the nodes of the plans, each of which is begun once.
    """

    def __init__(self, request: SwarmRequest, started_at: datetime) -> None:
        carried = request.carried
        self._request = request
        self.started_at = carried.started_at if carried else started_at
        self.as_of = carried.as_of if carried else request.as_of or started_at
        self.objective = carried.objective if carried else request.query.question
        self.rounds: list[SwarmRound] = list(carried.rounds) if carried else []
        self.outcomes: list[NodeOutcome] = list(carried.outcomes) if carried else []
        self.conflicts: tuple[ConflictRecord, ...] = carried.conflicts if carried else ()
        self.reads: dict[str, Reads] = dict(carried.reads) if carried else {}
        self.spent_before = carried.spent if carried else NOTHING
        self.waited = carried.waited if carried else timedelta(0)
        self.number = len(self.rounds) + 1
        self.memory: str | None = carried.memory if carried else None
        self._nodes: list[NodeSpec] = [*self._nodes_before(), planning(self.number)]
        self._begun: set[str] = set()

    @property
    def window(self) -> TimeWindow:
        """What the run looks at: the days before its as-of instant."""
        return window_before(self.as_of, self._request.time_zone)

    @property
    def entries(self) -> tuple[StateEntry, ...]:
        """What was brought, in the order of the graph."""
        return tuple(outcome.entry for outcome in self.in_order)

    @property
    def in_order(self) -> tuple[NodeOutcome, ...]:
        """What came of every node, in the order of the graph and not of arrival."""
        place = {node.name: n for n, node in enumerate(self._nodes)}
        return tuple(sorted(self.outcomes, key=lambda outcome: place[outcome.entry.node]))

    @property
    def usage(self) -> Usage:
        """What everybody took so far."""
        total = Usage()
        for outcome in self.outcomes:
            total = total.plus(outcome.contribution.usage)
        return total

    @property
    def markets(self) -> tuple[MarketSpec, ...]:
        """The markets of all plans, each once."""
        found: dict[str, MarketSpec] = {}
        for each in self.rounds:
            for subagent in each.plan.subagents:
                found.setdefault(subagent.market.market, subagent.market)
        return tuple(found.values())

    @property
    def tokens(self) -> TokenRecord:
        """What was read so far; the leader is shown what was found."""
        shown = (e for e in self.entries if not isinstance(e.result, SwarmPlan))
        reads = (self.reads[n.name] for n in self._nodes if n.name in self.reads)
        return tokens_of(reads, shown, self.usage.tokens)

    @property
    def usage_of_round(self) -> Usage:
        """What everybody took in the round that was planned last."""
        nodes = {node.name for node in following(self.rounds[-1].plan, self.rounds[-1].number)}
        total = Usage()
        for outcome in self.outcomes:
            if outcome.entry.node in nodes:
                total = total.plus(outcome.contribution.usage)
        return total

    @property
    def concluded(self) -> Synthesis | None:
        """The leader's last conclusion."""
        made = [e.result for e in self.entries if isinstance(e.result, Synthesis)]
        return made[-1] if made else None

    def planned(self, plan: SwarmPlan, recalled: Sequence[str], nodes: Sequence[NodeSpec]) -> None:
        """A round has its plan, and its nodes stand on the board."""
        self.rounds.append(
            SwarmRound(
                number=self.number,
                objective=self.objective,
                plan=plan,
                recalled=tuple(recalled),
            )
        )
        self._nodes += nodes

    def ended(self, *, refined: Refinement | None, stopped: str | None) -> None:
        """The round that is under way has been concluded."""
        last = self.rounds[-1]
        self.rounds[-1] = last.model_copy(update={"refined": refined, "stopped": stopped})

    @property
    def deadline(self) -> datetime:
        """Until when another round may begin: persons are waited for besides."""
        return self.started_at + self._request.policy.deadlines.week + self.waited

    def carried(self, objective: str, spent: Allowance) -> SwarmCarried:
        """What the next round starts from, with what was spent so far."""
        return SwarmCarried(
            objective=objective,
            rounds=tuple(self.rounds),
            outcomes=tuple(self.outcomes),
            conflicts=self.conflicts,
            reads={node: tuple(read) for node, read in self.reads.items()},
            memory=self.memory,
            spent=spent,
            waited=self.waited,
            started_at=self.started_at,
            as_of=self.as_of,
        )

    def record(
        self, hypotheses: Sequence[Hypothesis], workflow_id: str, run_id: str
    ) -> GraphRecord:
        """All that the report is compiled from. Where nothing was planned there is no swarm to tell
        of, but for the leader's failure."""
        request = self._request
        graph = graph_of(self.rounds, planned_in_vain=self._planned_in_vain)
        place = {node.name: n for n, node in enumerate(graph.nodes)}
        known = [outcome for outcome in self.outcomes if outcome.entry.node in place]
        return GraphRecord(
            request=GraphRequest(
                graph=graph,
                query=request.query,
                policy=request.policy,
                as_of=self.as_of,
                time_zone=request.time_zone,
            ),
            week=week_before(self.as_of),
            window=self.window,
            nodes=tuple(sorted(known, key=lambda outcome: place[outcome.entry.node])),
            started_at=self.started_at,
            workflow_id=workflow_id,
            run_id=run_id,
            swarm=self._swarm(hypotheses) if self.rounds else None,
        )

    # What a board asks.

    @property
    def nodes(self) -> Sequence[NodeSpec]:
        """The nodes that there are by now."""
        return self._nodes

    def begin(self, name: str) -> None:
        """A node has been begun."""
        self._begun.add(name)

    def state_of(self, name: str) -> NodeState:
        """Where a node stands."""
        ended = next((o for o in self.outcomes if o.entry.node == name), None)
        if ended is not None:
            return NodeState.FAILED if ended.entry.error else NodeState.DONE
        return NodeState.RUNNING if name in self._begun else NodeState.WAITING

    def rounds_of(self, name: str) -> int:
        """How often a node was begun: once or not at all."""
        return 0 if self.state_of(name) is NodeState.WAITING else 1

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
    def _planned_in_vain(self) -> bool:
        """Whether a round was to be planned after the last, and could not be."""
        failed = (o.entry.node for o in self.outcomes if o.entry.error)
        return plan_node(len(self.rounds) + 1) in failed

    def _nodes_before(self) -> tuple[NodeSpec, ...]:
        return graph_of(self.rounds).nodes if self.rounds else ()
