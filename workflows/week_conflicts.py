"""What contradicts across the markets of a week: settled before the report goes out."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime

from temporalio import workflow

from desk.contracts.agents.search_attributes import Phase
from desk.contracts.findings.judgement import Scope
from desk.contracts.names import escalation_run_id
from desk.contracts.week.run import WeekRequest
from desk.runs.boards.market_outcome import after_decisions
from desk.runs.boards.week_board import WeekBoard
from desk.runs.escalations.case import Asking
from desk.trust.conflicts.records import with_week_conflicts
from workflows.escalating import decided
from workflows.judging import judged_conflicts
from workflows.week_learning import policy_of


async def settle_across(
    request: WeekRequest, board: WeekBoard, report_due: datetime, enter: Callable[[Phase], None]
) -> None:
    """Settle what markets contradict each other in, by a vote or by persons, on the board.

    What was decided before a rerun stands where the rerun has left the positions as they were.
    """
    policy = policy_of(request, board)
    outcomes = tuple(board.outcomes[m] for m in board.markets if m in board.outcomes)
    found = await judged_conflicts(
        Scope.ACROSS_MARKETS, outcomes, policy, f"r{board.last_revision + 1}"
    )
    undecided = tuple(record for record in found if not record.resolved)

    async def told(opened: Sequence[str]) -> None:
        waiting: defaultdict[str, list[str]] = defaultdict(list)
        for record in undecided:
            case = escalation_run_id(workflow.info().workflow_id, record.conflict_id)
            if case in opened:
                waiting[record.market].append(case)
        board.waiting = {market: tuple(cases) for market, cases in waiting.items()}
        enter(Phase.AWAITING_PERSON if opened else Phase.RESEARCHING)

    asking = Asking(board.week, policy.deadlines, report_due, urgency=1)
    settled = {r.conflict_id: r for r in await decided(asking, undecided, outcomes, told)}
    records = [settled.get(record.conflict_id, record) for record in found]
    specs = {spec.market: spec for spec in request.config.markets}
    for outcome in with_week_conflicts(outcomes, records):
        board.outcomes[outcome.market] = after_decisions(specs[outcome.market], outcome)
