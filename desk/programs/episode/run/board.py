"""The state of a stock's episode: its blackboard, its steps, and its agents' results."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tools import ToolStatus, capability_of
from desk.contracts.episode.actions import Charges, StockAction
from desk.contracts.episode.stock import ActionChoice, EpisodeStep, StockRecord
from desk.contracts.findings.results import ConflictRecord, ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.question.graph import NodeSpec
from desk.contracts.runs.episode import EpisodeStatus, StockRequest
from desk.contracts.runs.graph import AnswerPublication, GraphRecord, GraphRequest
from desk.contracts.runs.turns import StateEntry
from desk.contracts.week.report import MarketOutcome
from desk.contracts.weeks import TimeWindow
from desk.programs.episode.actions import DATA, next_in_order
from desk.programs.episode.blackboard import StockBoard, board_details
from desk.programs.episode.horizon import due_of
from desk.programs.episode.run.assignments import market_of, query_of
from desk.programs.episode.run.graph import CONTROLLER, GRAPH, acting, controlling, graph_of
from desk.runs.boards import NodeBoard

NO_STEPS: Final = "it had taken as many steps as it was allowed before it was at its end"
NO_TIME: Final = "its time was used up before it was at its end"
MOST_NOTES: Final = 20
"""The limit of `StockRecord.notes`."""


class EpisodeBoard(NodeBoard):
    """The state of one episode: its controller, and its actions in the order in which they were
    first taken. `recommended_at` is when its recommendation was written, `waits_for` the day that
    it waits for, `waits_because` why it is retried then; `charges` are the costs of its actions."""

    def __init__(self, request: StockRequest, started_at: datetime) -> None:
        as_of = request.as_of or started_at
        super().__init__(
            GRAPH,
            query_of(request, as_of),
            request.policy,
            as_of=as_of,
            time_zone=request.time_zone,
            started_at=started_at,
        )
        self._request = request
        self.due = due_of(as_of, request.weeks)
        self.blackboard = StockBoard(request.symbol, as_of, request.weeks)
        self.steps: list[EpisodeStep] = []
        self.charges: Charges = {}
        self.conflicts: tuple[ConflictRecord, ...] = ()
        self.memory: str | None = None
        self.cut_off: str | None = None
        self.notes: list[str] = []
        self.recommended_at: datetime | None = None
        self.waits_for: datetime | None = None
        self.waits_because: str | None = None
        self.published: AnswerPublication | None = None
        self._actions: list[StockAction] = []

    @property
    def horizon(self) -> TimeWindow:
        """The window of an evaluation: from the as-of instant to the end of the horizon."""
        zone = self._request.time_zone
        return TimeWindow(start=self.as_of, end=self.due, time_zone=zone)

    @property
    def nodes(self) -> Sequence[NodeSpec]:
        """The controller, and the actions that it has taken."""
        return (controlling(self._actions), *(acting(action) for action in self._actions))

    def begin(self, node: str, at: datetime) -> None:
        """Records that a node has begun a round."""
        super().begin(node, at)
        if node != CONTROLLER and node not in self._actions:
            self._actions.append(StockAction(node))

    def episode(self) -> EpisodeStatus:
        """The status of the episode."""
        return EpisodeStatus(
            request=self._request,
            as_of=self.as_of,
            board=self.blackboard.snapshot(),
            steps=tuple(self.steps),
            waits_for=self.waits_for,
            published=self.published.files if self.published else None,
            outcome=self.published.outcome if self.published else None,
            note="; ".join(filter(None, (self.waits_because, *self.notes)))[:4_000] or None,
        )

    def details(self) -> str:
        """The nodes, the blackboard, and what it waits for."""
        waits = f"waits until {self.waits_for:%Y-%m-%d %H:%M} UTC" if self.waits_for else ""
        texts = (super().details(), board_details(self.blackboard.snapshot()), waits)
        return "\n\n".join(filter(None, texts))

    def goes_on(self, now: datetime) -> bool:
        """Returns whether there is another step to choose. If there would be one and the steps or
        the time are used up, `cut_off` says so. An episode that was evaluated continues only if its
        steps were given: the rest are refused."""
        given = len(self._request.steps)
        if given and len(self.steps) >= given:
            return False
        if not given and StockAction.EVALUATE_PERFORMANCE in self.blackboard.taken:
            return False
        if not given and len(self.steps) >= self._request.most_steps:
            self.cut_off = NO_STEPS
        elif now >= self.deadline:
            self.cut_off = NO_TIME
        return self.cut_off is None

    def by_rule(self) -> StockAction | None:
        """Returns the next action without a controller: the next given step, or the first of the
        usual order that was not tried yet."""
        if self._request.steps:
            return self._request.steps[len(self.steps)]
        return next_in_order(self.blackboard, {step.action for step in self.steps})

    @property
    def results(self) -> tuple[StateEntry, ...]:
        """The last result of each action, in the order in which they were first taken; or the error
        of an action without a result."""
        found: dict[str, StateEntry] = {}
        for outcome in self.arrivals:
            entry = outcome.entry
            known = found.get(entry.node)
            if entry.node != CONTROLLER and (known is None or entry.result or known.error):
                found[entry.node] = entry
        return tuple(found.values())

    @property
    def choices(self) -> tuple[StateEntry, ...]:
        """The controller's choices so far, with the reason if one was refused."""
        made = [o.entry for o in self.arrivals if isinstance(o.entry.result, ActionChoice)]
        refused = {step.number: step.refused for step in self.steps}
        return tuple(
            entry.model_copy(update={"error": refused[entry.round]})
            if refused.get(entry.round)
            else entry
            for entry in made
        )

    @property
    def researchers(self) -> tuple[AgentId, ...]:
        """The agents whose figures are on the blackboard."""
        return tuple(dict.fromkeys(result.agent for result in self._parts))

    @property
    def found(self) -> MarketOutcome:
        """The findings of the parts, to be checked for contradictions."""
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
        """The tool result with the earlier prices."""
        asked = [result for outcome in self.arrivals for result in outcome.evidence]
        found = [
            result.evidence_id
            for result in asked
            if result.status is ToolStatus.OK
            and capability_of(result.call) is Capability.PRICE_HISTORY
        ]
        return found[-1] if found else None

    def record(self, workflow_id: str, run_id: str) -> GraphRecord:
        """The record that the report is compiled from."""
        request = self._request
        asked = GraphRequest(
            graph=graph_of(self._actions, self._rounds),
            query=self.query,
            policy=request.policy,
            market=market_of(request.symbol),
            as_of=self.as_of,
            time_zone=request.time_zone,
        )
        return self.record_of(
            asked,
            workflow_id,
            run_id,
            stock=StockRecord(
                market=market_of(request.symbol),
                steps=tuple(self.steps),
                board=self.blackboard.snapshot(),
                due=self.due,
                cost=request.cost,
                recommended_from=request.policy.thresholds.recommended or None,
                prices=self.prices,
                conflicts=self.conflicts,
                memory=self.memory,
                cut_off=self.cut_off,
                notes=tuple(dict.fromkeys(self.notes))[:MOST_NOTES],
                charges=self.charges,
            ),
        )
