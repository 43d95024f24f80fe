"""Repeats the built-in analysts' work from the evidence in a report.

The analysts are pure functions of the tools' answers, and a report contains those answers. So their
results are recomputed and compared instead of being trusted.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from desk.contracts.agents.config import VotingConfig
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.results import ResearchResult, ValidationResult
from desk.contracts.markets import MarketSpec
from desk.contracts.runs.turns import AgentResult, Exchange, TurnRequest
from desk.contracts.week.report import Contribution, MarketOutcome, MarketReport, ResearchReport
from desk.learning.advice import policy_with
from desk.programs.turns import builtin_turn, judged
from desk.programs.week.document.audit.words import by_builtin
from desk.runs.boards import after_decisions, decide_outcome, reasons_missing
from desk.trust.conflicts import week_conflicts, with_decisions

RESEARCH: Final = frozenset({TaskType.RESEARCH_FX, TaskType.RESEARCH_RATES})


class NotDerivable(Exception):
    """The result of an agent cannot be recomputed from what the report contains."""


def derived_outcomes(report: ResearchReport) -> Mapping[str, MarketOutcome]:
    """Recomputes the outcomes, by market, of markets on which only built-in analysts of this
    version worked.

    Raises:
        NotDerivable: the evidence of a market is not what its agents must have had.
    """
    voting = policy_with(report.config.policy, report.advice, report.follows).voting
    specs = {spec.market: spec for spec in report.config.markets}
    outcomes = {
        section.market: _MarketAgents(report, specs[section.market], section, voting).outcome()
        for section in report.markets
        if section.market in specs and by_builtin(section)
    }
    across = {record.conflict_id for record in week_conflicts([*outcomes.values()], voting)}
    decided = [record for record in report.conflicts if record.conflict_id in across]
    return {
        market: after_decisions(
            specs[market], with_decisions(outcome, (r for r in decided if r.market == market))
        )
        for market, outcome in outcomes.items()
    }


class _MarketAgents:
    """The agents of one market, with the answers that they had."""

    def __init__(
        self,
        report: ResearchReport,
        spec: MarketSpec,
        section: MarketReport,
        voting: VotingConfig,
    ) -> None:
        self._report = report
        self._spec = spec
        self._section = section
        self._voting = voting

    def outcome(self) -> MarketOutcome:
        """Recomputes the outcome of the market's agents, with the report's decisions."""
        lines = sorted(self._section.agents, key=lambda line: line.task_type)
        results = tuple(self._research(lines))
        validation = next(self._validation(lines, results), None)
        found = MarketOutcome(
            market=self._spec.market,
            outcome=decide_outcome(self._spec, results, self._section.agents),
            results=results,
            validation=validation,
            conflicts=validation.conflicts if validation else (),
            evidence=self._evidence(lines),
            agents=self._section.agents,
            missing=reasons_missing(results, self._section.agents),
            spent_before=self._section.spent_before,
        )
        own = {record.conflict_id for record in found.conflicts}
        decided = (c for c in self._report.conflicts if c.conflict_id in own)
        return after_decisions(self._spec, with_decisions(found, decided))

    def _research(self, lines: Sequence[Contribution]) -> Iterator[ResearchResult]:
        for line in lines:
            if line.delivered and line.task_type in RESEARCH:
                result = self._done(line, ())
                if not isinstance(result, ResearchResult):
                    raise NotDerivable(f"{self._task_id(line)} delivers no finding")
                yield result

    def _validation(
        self, lines: Sequence[Contribution], findings: tuple[ResearchResult, ...]
    ) -> Iterator[ValidationResult]:
        for line in lines:
            if line.delivered and line.task_type is TaskType.VALIDATE and findings:
                result = self._done(line, findings)
                if not isinstance(result, ValidationResult):
                    raise NotDerivable(f"{self._task_id(line)} delivers no validation")
                yield result

    def _done(self, line: Contribution, findings: tuple[ResearchResult, ...]) -> AgentResult:
        """Returns the result of an agent, without what the gate rejects."""
        request = TurnRequest(
            assignment=self._assignment(line),
            exchanges=tuple(Exchange(results=(answer,)) for answer in self._answers(line)),
            findings=findings,
            evidence=self._evidence(self._section.agents, RESEARCH) if findings else (),
            voting=self._voting,
        )
        turn = judged(builtin_turn(request), request)
        result = turn.without if turn.rejected else turn.result
        if result is None:
            why = turn.failure.error_message if turn.failure else "its agent would ask for more"
            raise NotDerivable(f"{request.assignment.task_id}: {why}")
        return result

    def _assignment(self, line: Contribution) -> TaskAssignment:
        report = self._report
        return TaskAssignment(
            task_id=self._task_id(line),
            task_type=line.task_type,
            agent=line.agent,
            week=report.week,
            market=self._spec,
            window=report.window,
            deadline=report.as_of,
            base_area=report.config.policy.base_area,
        )

    def _task_id(self, line: Contribution) -> str:
        return f"{self._spec.market}/{line.task_type}"

    def _answers(self, line: Contribution) -> tuple[ToolResult, ...]:
        of_task = f"{self._task_id(line)}/"
        return tuple(r for r in self._report.evidence if r.call.call_id.startswith(of_task))

    def _evidence(
        self, lines: Sequence[Contribution], of: frozenset[TaskType] | None = None
    ) -> tuple[ToolResult, ...]:
        return tuple(
            r for line in lines if of is None or line.task_type in of for r in self._answers(line)
        )
