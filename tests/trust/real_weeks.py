"""Real weeks without Temporal: the built-in analysts' turns, the real servers' answers.

The steps are those of `workflows/`, one after the other: the loop of an agent, the research of a
market, the report of a week.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from desk.agents.roster import profile_of
from desk.analytics.weeks import window_of
from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import (
    ConflictRecord,
    DecidedBy,
    ResearchResult,
    ValidationResult,
)
from desk.contracts.findings.verdicts import RejectedFigure
from desk.contracts.markets import MarketSpec
from desk.contracts.runs.turns import AgentResult, Exchange, TurnRequest
from desk.contracts.runs.week import MarketRequest, WeekRecord
from desk.contracts.week.plan import PlannedTask, WeekPlan
from desk.contracts.week.report import (
    Contribution,
    MarketOutcome,
    ResearchReport,
    Revision,
    RevisionKind,
)
from desk.contracts.weeks import TimeWindow
from desk.platform.settings.desk_toml import read_desk_file
from desk.programs.turns import builtin_turn
from desk.programs.week.document.compile_report import compile_report
from desk.runs.assignments.tasks import VALIDATION, market_task
from desk.runs.boards.market_board import decide_outcome, reasons_missing
from desk.trust.conflicts.detection import detect_conflicts
from desk.trust.conflicts.records import merged
from desk.trust.conflicts.voting import decide, default_position
from desk.trust.prose.prose_review import review, without_rejected
from tests.support.processes.homes import PROJECT
from tests.trust.in_process import Tools

WEEKS: Final = (
    "2015-W03",
    "2016-W26",
    "2020-W12",
    "2022-W43",
    "2026-W38",
)
"""The Swiss floor given up, the days after the British referendum, the crash of March 2020, the yen
after an intervention, and a week with decisions in Washington, London and Tokyo."""


def real_config(tools: Tools) -> RunConfig:
    """What `desk.toml` says, with the sources that are there."""
    config = read_desk_file(PROJECT / "desk.toml").run
    policy = config.policy.model_copy(update={"sources": tuple(sorted(tools.servers))})
    return config.model_copy(update={"policy": policy})


@dataclass(frozen=True, slots=True)
class Findings:
    """What the research agents delivered on one market of a week, before it is validated."""

    week: str
    spec: MarketSpec
    results: tuple[ResearchResult, ...]
    evidence: tuple[ToolResult, ...]
    agents: tuple[Contribution, ...]

    def with_results(self, results: Iterable[ResearchResult]) -> "Findings":
        """The same, with other results."""
        return replace(self, results=tuple(results))

    def with_evidence(self, evidence: Iterable[ToolResult]) -> "Findings":
        """The same, with other evidence."""
        return replace(self, evidence=tuple(evidence))


class Desk:
    """A desk of built-in analysts that works step by step, for one configuration."""

    def __init__(self, tools: Tools, config: RunConfig) -> None:
        self._tools = tools
        self.config = config
        self._specs = {spec.market: spec for spec in config.markets}

    def window(self, week: str) -> TimeWindow:
        """The window of a week."""
        return window_of(week, self.config.schedule)

    def plan(self, week: str) -> WeekPlan:
        """The product manager's plan."""
        specs = self.config.markets
        request = self._market_request(week, specs[0], None)
        planned = PlannedTask.model_validate({"task_type": "plan_week", "agent": "product_manager"})
        turn = builtin_turn(
            TurnRequest(assignment=self._assignment(request, planned), markets=specs)
        )
        assert isinstance(turn.result, WeekPlan)
        return turn.result

    def research(self, week: str, market: str, stale_by: timedelta = timedelta(0)) -> Findings:
        """What the research agents deliver on a market, from tools that answer for an instant
        that lies `stale_by` before the one they are asked for."""
        spec = self._specs[market]
        tasks = next(line.tasks for line in self.plan(week).markets if line.market == market)
        request = self._market_request(week, spec, tasks)
        ordered = sorted(tasks, key=_task_order)
        done = [self._work(request, planned, stale_by=stale_by) for planned in ordered]
        results = [result for result, _, _ in done]
        assert all(isinstance(result, ResearchResult) for result in results)
        return Findings(
            week=week,
            spec=spec,
            results=tuple(result for result in results if isinstance(result, ResearchResult)),
            evidence=tuple(evidence for _, found, _ in done for evidence in found),
            agents=tuple(line for _, _, line in done),
        )

    def validate(self, findings: Findings) -> MarketOutcome:
        """The outcome of a market's workflow, with every open conflict decided by default."""
        request = self._market_request(findings.week, findings.spec, None)
        validation, evidence, line = self._work(request, VALIDATION, findings)
        assert isinstance(validation, ValidationResult)
        agents = (*findings.agents, line)
        detected = detect_conflicts(
            findings.spec.market, findings.results, self.config.policy.voting
        )
        return MarketOutcome(
            market=findings.spec.market,
            outcome=decide_outcome(findings.spec, findings.results, agents),
            results=findings.results,
            validation=validation,
            conflicts=tuple(map(settled, merged(detected, validation.conflicts))),
            evidence=(*findings.evidence, *evidence),
            agents=tuple(sorted(agents, key=lambda c: (c.task_type, c.agent))),
            missing=reasons_missing(findings.results, agents),
        )

    def publish(
        self,
        week: str,
        outcomes: Sequence[MarketOutcome],
        previous: ResearchReport | None = None,
    ) -> ResearchReport:
        """The report of a week, or of some of its markets."""
        there = {outcome.market for outcome in outcomes}
        markets = tuple(spec for spec in self.config.markets if spec.market in there)
        window = self.window(week)
        record = WeekRecord(
            week=week,
            window=window,
            plan=self.plan(week),
            outcomes=tuple(outcomes),
            revisions=(Revision(revision=1, kind=RevisionKind.FIRST, published_at=window.end),),
            started_at=window.end,
        )
        return compile_report(
            record,
            self.config.model_copy(update={"markets": markets}),
            finished_at=window.end + timedelta(seconds=12),
            workflow_id=f"weekly-{week}",
            run_id="in-process",
            previous=previous,
        )

    def _market_request(
        self, week: str, spec: MarketSpec, tasks: tuple[PlannedTask, ...] | None
    ) -> MarketRequest:
        plan = {"market": spec.market, "priority": spec.priority, "tasks": tasks or (VALIDATION,)}
        window = self.window(week)
        return MarketRequest.model_validate(
            {
                "week": week,
                "market": spec,
                "plan": plan,
                "window": window,
                "deadline": window.end + timedelta(minutes=10),
                "report_due": window.end + timedelta(minutes=30),
                "policy": self.config.policy,
            }
        )

    def _assignment(self, request: MarketRequest, planned: PlannedTask) -> TaskAssignment:
        profile = profile_of(planned.agent, self.config.policy.agents)
        return market_task(profile, planned, request)

    def _work(
        self,
        request: MarketRequest,
        planned: PlannedTask,
        findings: Findings | None = None,
        stale_by: timedelta = timedelta(0),
    ) -> tuple[AgentResult, tuple[ToolResult, ...], Contribution]:
        """The loop of an agent, as `workflows/engine/task_runner.py` has it."""
        assignment = self._assignment(request, planned)
        results = findings.results if findings else ()
        evidence = findings.evidence if findings else ()
        exchanges: list[Exchange] = []
        draft: Rejected | None = None
        for number in range(1, assignment.limits.max_turns + 1):
            turn = builtin_turn(
                TurnRequest(
                    assignment=assignment,
                    exchanges=tuple(exchanges),
                    findings=results,
                    evidence=evidence,
                    rejected=draft or (),
                )
            )
            assert turn.failure is None, turn.failure
            if turn.result is not None:
                delivered = delivered_or_none(turn.result, results, draft)
                if isinstance(delivered, tuple):
                    draft = delivered
                    continue
                found = tuple(result for exchange in exchanges for result in exchange.results)
                return delivered, found, _contribution(planned, number, found)
            profile = profile_of(planned.agent, self.config.policy.agents)
            assert all(profile.may_call(call.server, call.tool) for call in turn.calls), turn.calls
            as_of = request.window.end - stale_by
            answers = tuple(self._tools.ask(call, as_of) for call in turn.calls)
            exchanges.append(Exchange(results=answers))
        raise AssertionError(f"{assignment.task_id} has no result after {number} turns")


Rejected = tuple[RejectedFigure, ...]


def delivered_or_none(
    result: AgentResult, findings: Sequence[ResearchResult], draft: Rejected | None
) -> AgentResult | Rejected:
    """What the loop delivers, or what is objected to in the draft that it hands back."""
    rejected = review(result, {c.claim_id: c for found in findings for c in found.claims})
    if not rejected:
        return result
    return without_rejected(result, rejected) if draft == rejected else rejected


def after_review(result: ResearchResult) -> ResearchResult:
    """What is left of a result whose agent does not mend it."""
    left = without_rejected(result, review(result))
    assert isinstance(left, ResearchResult)
    return left


def settled(conflict: ConflictRecord) -> ConflictRecord:
    """A conflict, by the stated default where it would need a person."""
    if conflict.resolved:
        return conflict
    return decide(conflict, default_position(conflict), DecidedBy.DEFAULT, None)


def _task_order(planned: PlannedTask) -> str:
    return planned.task_type


def _contribution(planned: PlannedTask, turns: int, evidence: Sequence[ToolResult]) -> Contribution:
    return Contribution(
        agent=planned.agent,
        task_type=planned.task_type,
        delivered=True,
        turns=turns,
        tool_calls=len(evidence),
    )
