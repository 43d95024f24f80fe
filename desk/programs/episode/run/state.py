"""Where a stock's episode stands: its blackboard, its steps, and what its agents brought.

Light: the workflow uses it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolStatus, capability_of
from desk.contracts.agents.turns import StateEntry
from desk.contracts.episode.run import StockRequest
from desk.contracts.episode.stock import ActionChoice, EpisodeStep, StockAction, StockRecord
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.question.graph import (
    GraphRecord,
    GraphRequest,
    NodeOutcome,
    NodeSpec,
    NodeState,
)
from desk.contracts.week.report import MarketOutcome
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.horizon import due_of
from desk.programs.episode.run.actions import DATA, next_in_order
from desk.programs.episode.run.assignments import market_of, query_of
from desk.programs.episode.run.board import StockBoard
from desk.programs.episode.run.graph import CONTROLLER, acting, controlling, graph_of
from desk.runs.assignments.assignments import week_before, window_before

NO_STEPS: Final = "it had taken as many steps as it was allowed before it was at its end"
NO_TIME: Final = "its time was used up before it was at its end"
MOST_NOTES: Final = 20
"""The bound of `StockRecord.notes`."""


class StockState:
    """One episode so far. It is also what the board of its nodes shows."""

    def __init__(self, request: StockRequest, started_at: datetime) -> None:
        self._request = request
        self.started_at = started_at
        self.as_of = request.as_of or started_at
        self.due = due_of(self.as_of, request.weeks)
        self.query = query_of(request, self.as_of)
        self.board = StockBoard(request.symbol, self.as_of, request.weeks)
        self.steps: list[EpisodeStep] = []
        self.outcomes: list[NodeOutcome] = []
        self.conflicts: tuple[ConflictRecord, ...] = ()
        self.memory: str | None = None
        self.cut_off: str | None = None
        self.notes: list[str] = []
        self.waited = timedelta(0)
        self._actions: list[StockAction] = []
        self._rounds: dict[str, int] = {}

    @property
    def window(self) -> TimeWindow:
        """What the episode looks at: the days before its as-of instant."""
        return window_before(self.as_of, self._request.time_zone)

    @property
    def horizon(self) -> TimeWindow:
        """What an evaluation looks at: from the as-of instant to the end of the horizon."""
        zone = self._request.time_zone
        return TimeWindow(start=self.as_of, end=self.due, time_zone=zone)

    @property
    def deadline(self) -> datetime:
        """Until when another step may begin: the horizon is waited for besides."""
        return self.started_at + self._request.policy.deadlines.week + self.waited

    def goes_on(self, now: datetime) -> bool:
        """Whether there is a further step to choose; one that there would be, and no room for it,
        is told in `cut_off`. An episode that an evaluation has ended goes on only where its steps
        were given: the rest are refused."""
        given = len(self._request.steps)
        if given and len(self.steps) >= given:
            return False
        if not given and StockAction.EVALUATE_PERFORMANCE in self.board.taken:
            return False
        if not given and len(self.steps) >= self._request.most_steps:
            self.cut_off = NO_STEPS
        elif now >= self.deadline:
            self.cut_off = NO_TIME
        return self.cut_off is None

    def by_rule(self) -> StockAction | None:
        """The next action without a controller: the next of those given, or of the usual order the
        first that was not tried yet."""
        if self._request.steps:
            return self._request.steps[len(self.steps)]
        return next_in_order(self.board, {step.action for step in self.steps})

    @property
    def results(self) -> tuple[StateEntry, ...]:
        """What each action brought when it last delivered, in the order in which they were first
        taken; of one that never did, why not."""
        found: dict[str, StateEntry] = {}
        for outcome in self.outcomes:
            entry = outcome.entry
            known = found.get(entry.node)
            if entry.node != CONTROLLER and (known is None or entry.result or known.error):
                found[entry.node] = entry
        return tuple(found.values())

    @property
    def choices(self) -> tuple[StateEntry, ...]:
        """What the controller chose so far, with why it was refused where it was."""
        made = [o.entry for o in self.outcomes if isinstance(o.entry.result, ActionChoice)]
        refused = {step.number: step.refused for step in self.steps}
        return tuple(
            entry.model_copy(update={"error": refused[entry.round]})
            if refused.get(entry.round)
            else entry
            for entry in made
        )

    @property
    def researchers(self) -> tuple[AgentId, ...]:
        """Those whose figures stand on the blackboard."""
        return tuple(dict.fromkeys(result.agent for result in self._parts))

    @property
    def found(self) -> MarketOutcome:
        """What the parts have found, for what they contradict each other in."""
        return MarketOutcome(
            market=self._request.symbol, outcome=Outcome.RESEARCHED, results=tuple(self._parts)
        )

    @property
    def _parts(self) -> Sequence[ResearchResult]:
        return [
            entry.result
            for entry in self.results
            if entry.node in DATA and isinstance(entry.result, ResearchResult)
        ]

    @property
    def prices(self) -> str | None:
        """The tool result that holds the prices of the time before."""
        asked = [result for outcome in self.outcomes for result in outcome.evidence]
        found = [
            result.evidence_id
            for result in asked
            if result.status is ToolStatus.OK
            and capability_of(result.call) is Capability.PRICE_HISTORY
        ]
        return found[-1] if found else None

    def record(self, workflow_id: str, run_id: str) -> GraphRecord:
        """All that the report is compiled from."""
        request = self._request
        place = {node.name: n for n, node in enumerate(self.nodes)}
        return GraphRecord(
            request=GraphRequest(
                graph=graph_of(self._actions, self._rounds),
                query=self.query,
                policy=request.policy,
                market=market_of(request.symbol),
                as_of=self.as_of,
                time_zone=request.time_zone,
            ),
            week=week_before(self.as_of),
            window=self.window,
            nodes=tuple(sorted(self.outcomes, key=lambda outcome: place[outcome.entry.node])),
            started_at=self.started_at,
            workflow_id=workflow_id,
            run_id=run_id,
            stock=StockRecord(
                market=market_of(request.symbol),
                steps=tuple(self.steps),
                board=self.board.told(),
                due=self.due,
                cost=request.cost,
                prices=self.prices,
                conflicts=self.conflicts,
                memory=self.memory,
                cut_off=self.cut_off,
                notes=tuple(dict.fromkeys(self.notes))[:MOST_NOTES],
            ),
        )

    # What a board asks.

    @property
    def nodes(self) -> Sequence[NodeSpec]:
        """The nodes that there are by now."""
        return (controlling(self._actions), *(acting(action) for action in self._actions))

    def begin(self, name: str) -> None:
        """A node has begun a round."""
        self._rounds[name] = self._rounds.get(name, 0) + 1
        if name != CONTROLLER and name not in self._actions:
            self._actions.append(StockAction(name))

    def state_of(self, name: str) -> NodeState:
        """Where a node stands, in its last round."""
        round_ = self.rounds_of(name)
        ended = next((o for o in self.outcomes if self._is(o, name, round_)), None)
        if ended is not None:
            return NodeState.FAILED if ended.entry.error else NodeState.DONE
        return NodeState.RUNNING if round_ else NodeState.WAITING

    def rounds_of(self, name: str) -> int:
        """How often a node was begun."""
        return self._rounds.get(name, 0)

    @staticmethod
    def _is(outcome: NodeOutcome, name: str, round_: int) -> bool:
        return (outcome.entry.node, outcome.entry.round) == (name, round_)
