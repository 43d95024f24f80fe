"""The board of one market's research: the results of its agents, and the outcome that follows."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from desk.analytics.names.shortening import on_one_line
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tools import MAX_CALLS_A_TURN, MOST_EVIDENCE, ToolCall, ToolResult
from desk.contracts.agents.usage import Usage
from desk.contracts.base import MOST_SHORT
from desk.contracts.findings.claims import Metric, claim_id
from desk.contracts.findings.results import ConflictRecord, ResearchResult, ValidationResult
from desk.contracts.markets import MarketKind, MarketSpec
from desk.contracts.runs.tasks import TaskOutcome
from desk.contracts.runs.week import MarketRequest, MarketState, MarketStatus
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.runs.assignments import Undelivered
from desk.runs.boards.board import RunBoard
from desk.runs.boards.usage import usage_of
from desk.runs.escalations import waiting_details

_ESSENTIAL = {MarketKind.PAIR: Metric.LAST, MarketKind.POLICY_RATE: Metric.POLICY_RATE}

_WITH_FIGURES = frozenset({Outcome.RESEARCHED, Outcome.PARTIAL})


class MarketBoard(RunBoard):
    """The results of one market's agents so far, and the cases that it waits for."""

    def __init__(self, request: MarketRequest, started_at: datetime) -> None:
        super().__init__(Phase.RESEARCHING, request.allowance, started_at)
        self.is_with_validator = False
        self.waiting: tuple[str, ...] = ()
        self._market = request.market
        self._openings = request.openings
        self._delivered: list[TaskOutcome] = []
        self._agents: list[Contribution] = []
        self._dead_letters: list[str] = []

    def end(self, done: TaskOutcome | Undelivered) -> None:
        """Records a task's outcome, with the id of its dead letter if every agent failed."""
        self._agents.append(done.contribution)
        if isinstance(done, TaskOutcome):
            self._delivered.append(done)
        elif done.dead_letter is not None:
            self._dead_letters.append(done.dead_letter)

    @property
    def results(self) -> tuple[ResearchResult, ...]:
        """The findings of its research agents."""
        return tuple(o.result for o in self._in_order if isinstance(o.result, ResearchResult))

    @property
    def evidence(self) -> tuple[ToolResult, ...]:
        """The tool results of its agents."""
        found = tuple(result for outcome in self._in_order for result in outcome.evidence)
        return found[:MOST_EVIDENCE]

    def opening(self, task_id: str) -> tuple[ToolCall, ...]:
        """Returns the calls that are made before a task's first turn: those that its plan names,
        and those that follow from its input results, each once.

        If one of the results names none, none of the results' calls are made, and the task makes
        them itself. It also makes calls itself if two calls with the same id have different
        arguments.
        """
        of_results = [outcome.openings for outcome in self._in_order]
        whole = all(task_id in openings for openings in of_results)
        named = (self._openings, *(of_results if whole else ()))
        asked: dict[str, list[ToolCall]] = {}
        for call in (call for openings in named for call in openings.get(task_id, ())):
            same = asked.setdefault(call.call_id, [])
            if call not in same:
                same.append(call)
        return tuple(same[0] for same in asked.values() if len(same) == 1)[:MAX_CALLS_A_TURN]

    @property
    def is_judged(self) -> bool:
        """Whether a validator judged the conflicts between the findings."""
        validated = next((o for o in self._delivered if _validation_in(o)), None)
        return validated is not None and validated.judged

    def outcome(self) -> MarketOutcome:
        """Returns the current outcome of the market."""
        validation = next(filter(None, map(_validation_in, self._delivered)), None)
        return MarketOutcome(
            market=self._market.market,
            outcome=decide_outcome(self._market, self.results, self._agents),
            results=self.results,
            validation=validation,
            conflicts=validation.conflicts if validation else (),
            evidence=self.evidence,
            agents=tuple(sorted(self._agents, key=lambda c: (c.task_type, c.agent))),
            missing=reasons_missing(self.results, self._agents),
            dead_letters=tuple(sorted(self._dead_letters)),
        )

    def details(self) -> str:
        """Renders the cases that the market waits for, in Markdown."""
        if self.waiting:
            return waiting_details(self._market.market, self.waiting)
        return f"{self._market.market} is with the validator" if self.is_with_validator else ""

    @property
    def _in_order(self) -> list[TaskOutcome]:
        """The outcomes by task and not by arrival, so that the same findings give the same
        report."""
        return sorted(self._delivered, key=lambda o: o.contribution.task_type)


def decide_outcome(
    spec: MarketSpec, results: Sequence[ResearchResult], agents: Sequence[Contribution]
) -> Outcome:
    """Returns the outcome of a market. It is `missing` without its essential figure.

    It is `dead_lettered` if every task failed, and `partial` if some failed and the essential
    figure is available.
    """
    if not any(contribution.delivered for contribution in agents):
        return Outcome.DEAD_LETTERED
    if not _has_essential(spec, results):
        return Outcome.MISSING if _all_delivered(agents) else Outcome.DEAD_LETTERED
    return Outcome.RESEARCHED if _all_delivered(agents) else Outcome.PARTIAL


def after_decisions(spec: MarketSpec, outcome: MarketOutcome) -> MarketOutcome:
    """Returns the outcome once its conflicts are decided. Withheld claims are named as missing.

    A market that loses its essential figure becomes `partial`.
    """
    withheld = _withheld(outcome.conflicts)
    if not withheld:
        return outcome
    named = (
        f"{spec.market}: {name} is withheld, because its sources disagree and none was chosen"
        for name in withheld
    )
    missing = tuple(dict.fromkeys((*outcome.missing, *named)))[:20]
    essential = claim_id(spec.market, _ESSENTIAL[spec.kind])
    lacking = essential in withheld and outcome.outcome is Outcome.RESEARCHED
    became = Outcome.PARTIAL if lacking else outcome.outcome
    return outcome.model_copy(update={"missing": missing, "outcome": became})


def after_rerun(before: MarketOutcome | None, again: MarketOutcome) -> MarketOutcome:
    """Returns the outcome after a rerun.

    If the rerun found nothing, the earlier findings stay, and `missing` says that the rerun failed
    and why.
    """
    if before is None:
        return again
    if again.outcome in _WITH_FIGURES or before.outcome not in _WITH_FIGURES:
        return again.model_copy(update={"spent_before": _spent(before)})
    reason = again.missing[0] if again.missing else again.outcome
    note = f"a rerun found nothing, the earlier findings stand: {reason}"
    return before.model_copy(
        update={
            "missing": (*before.missing, note[:4_000])[-20:],
            "dead_letters": (*before.dead_letters, *again.dead_letters)[-8:],
            "spent_before": before.spent_before.plus(_spent(again)),
        }
    )


def _spent(outcome: MarketOutcome) -> Usage:
    """Returns the usage of an outcome and of everything before it."""
    return usage_of(outcome.agents).plus(outcome.spent_before)


def reasons_missing(
    results: Iterable[ResearchResult], agents: Iterable[Contribution]
) -> tuple[str, ...]:
    """Returns what was not found and which tasks were not done, each once, in the order of the
    agents."""
    reasons = [reason for result in results for reason in result.missing]
    return tuple(dict.fromkeys((*reasons, *_undelivered(agents))))[:20]


def _undelivered(agents: Iterable[Contribution]) -> Iterator[str]:
    for contribution in agents:
        if not contribution.delivered:
            yield f"{contribution.task_type} was not delivered: {contribution.error}"


def ended_status(outcome: MarketOutcome) -> MarketStatus:
    """Returns the status of a market that has ended. Its note is why it is not fully researched: a
    task that failed, before a figure that was not found."""
    reason = next(iter((*_undelivered(outcome.agents), *outcome.missing)), None)
    return MarketStatus(
        market=outcome.market,
        state=MarketState.DONE,
        outcome=outcome.outcome,
        note=on_one_line(reason, MOST_SHORT) if reason else None,
    )


def _has_essential(spec: MarketSpec, results: Iterable[ResearchResult]) -> bool:
    wanted = _ESSENTIAL[spec.kind]
    return any(
        claim.metric is wanted and claim.subject == spec.market
        for result in results
        for claim in result.claims
    )


def _withheld(conflicts: Iterable[ConflictRecord]) -> tuple[str, ...]:
    """Returns the claims withheld by a decision that chose no position, in their order."""
    return tuple(
        dict.fromkeys(
            position.claim_id
            for conflict in conflicts
            if conflict.resolved and conflict.chosen is None
            for position in conflict.positions
            if position.claim_id is not None
        )
    )


def _all_delivered(agents: Iterable[Contribution]) -> bool:
    return all(contribution.delivered for contribution in agents)


def _validation_in(outcome: TaskOutcome) -> ValidationResult | None:
    return outcome.result if isinstance(outcome.result, ValidationResult) else None
