"""What `desk escalations` does."""

import asyncio
import getpass
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TypeVar

from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowHandle,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from contracts.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationListing,
    EscalationState,
    EscalationStatus,
)
from contracts.names import Message, Queue, WorkflowType
from domain.escalation_case import decided_already
from infra.settings import load_settings
from starters.case_lines import case_lines, decision_lines, listing_lines, one_line, position_list
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, require_workers, with_desk
from starters.endings import CommandError, ExitStatus, UsageError

T = TypeVar("T")

ANSWER_SECONDS = 10.0
"""How long a worker may take to answer for a case."""

NOBODY_ANSWERS = (
    "no worker answers for the run; start one with `desk worker orchestrator` or `desk up`, "
    "and see `desk doctor`"
)


def list_cases(*, every: bool, as_json: bool) -> ExitStatus:
    """Print the open cases, or all that the server still keeps.

    Raises:
        CommandError: no worker answers.
    """
    found = _at_a_desk(lambda desk: _listings(desk.client, every=every))
    shown = found if every else [c for c in found if c.status.state is EscalationState.OPEN]
    now = datetime.now(UTC)
    if as_json:
        text = "[" + ",\n".join(listed.model_dump_json(indent=2) for listed in shown) + "]"
    else:
        text = "\n".join(line for listed in shown for line in listing_lines(listed, now))
    sys.stdout.write(f"{text or 'nobody is asked to decide anything'}\n")
    return ExitStatus.COMPLETE


def show_case(written: str, *, as_json: bool) -> ExitStatus:
    """Print a case with its evidence.

    Raises:
        UsageError: no case has that id, or more than one starts with it.
        CommandError: no worker answers.
    """

    async def work(desk: Desk) -> EscalationListing:
        return chosen_case(await _listings(desk.client, every=True), written)

    listed = _at_a_desk(work)
    now = datetime.now(UTC)
    text = listed.model_dump_json(indent=2) if as_json else "\n".join(case_lines(listed, now))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def resolve_case(written: str, *, choose: str, by: str | None, note: str | None) -> ExitStatus:
    """Decide a case and print the decision.

    Raises:
        UsageError: no such case or position, or nobody is named.
        CommandError: it is decided already, or no worker answers.
    """
    name = (by if by is not None else _login_name()).strip()
    if not name:
        raise UsageError("--by is empty: the report says who decided")

    async def work(desk: Desk) -> EscalationDecision:
        listed = chosen_case(await _listings(desk.client, every=True), written)
        refuse_decided(listed)
        answer = EscalationAnswer(
            position=chosen_position(listed.status, choose), by=name[:200], note=note
        )
        return await _decide(desk.client, listed, answer)

    decision = _at_a_desk(work)
    sys.stdout.write("\n".join(decision_lines(decision)) + "\n")
    return ExitStatus.COMPLETE


def chosen_case(cases: list[EscalationListing], written: str) -> EscalationListing:
    """The case whose id is, or alone starts with, what the user wrote; open ones go before.

    Raises:
        UsageError: there is none, or more than one.
    """
    matching = [case for case in cases if case.workflow_id == written]
    if not matching:
        matching = [case for case in cases if case.workflow_id.startswith(written)]
        still_open = [c for c in matching if c.status.state is EscalationState.OPEN]
        matching = still_open or matching
    if len(matching) > 1:
        ids = ", ".join(case.workflow_id for case in matching[:4])
        raise UsageError(f"{len(matching)} cases start with '{written}': {ids}; write more of it")
    if not matching:
        raise UsageError(f"no case '{written}'; `desk escalations list --all` lists them")
    return matching[0]


def chosen_position(status: EscalationStatus, written: str) -> int | None:
    """The place of the position that the user chose, counted from 0; None for `none`.

    Raises:
        UsageError: there is no such position; the message lists them.
    """
    if written.strip().casefold() == "none":
        return None
    count = len(status.request.conflict.positions)
    if written.strip().isascii() and written.strip().isdigit() and 1 <= int(written) <= count:
        return int(written) - 1
    raise UsageError(
        f"--choose is '{written}'; allowed: {position_list(status)}; none: withhold the figure"
    )


def refuse_decided(listed: EscalationListing) -> None:
    """Nothing while a case is open.

    Raises:
        CommandError: it is not; with who decided and when, and what to do instead.
    """
    status = listed.status
    if status.decision is not None:
        raise CommandError(f"{listed.workflow_id}: {decided_already(status.decision)}")
    if status.state is EscalationState.ENDED:
        market = status.request.market
        raise CommandError(
            f"{listed.workflow_id} was ended from outside and the default holds; "
            f"`desk rerun {market}` researches the market and asks again"
        )


def _at_a_desk(work: Callable[[Desk], Awaitable[T]]) -> T:
    settings = load_settings()
    log_to_file(settings)

    async def with_a_worker(desk: Desk) -> T:
        if not desk.hosting:
            await require_workers(desk, Queue.DESK)
        return await work(desk)

    return asyncio.run(with_desk(settings, with_a_worker))


async def _listings(client: Client, *, every: bool) -> list[EscalationListing]:
    """The cases with what their runs answer, those with the nearest deadline first."""
    query = f'WorkflowType = "{WorkflowType.ESCALATION}"'
    if not every:
        query += ' AND ExecutionStatus = "Running"'
    newest: dict[str, WorkflowExecution] = {}
    async for run in client.list_workflows(query):
        if run.id not in newest or run.start_time > newest[run.id].start_time:
            newest[run.id] = run
    found = await asyncio.gather(*(_listing(client, run) for run in newest.values()))
    return sorted(found, key=lambda listed: (_is_closed(listed), listed.status.request.deadline))


async def _listing(client: Client, run: WorkflowExecution) -> EscalationListing:
    handle = client.get_workflow_handle(run.id, run_id=run.run_id)
    status = await _status(handle)
    if status.decision is None and run.status is not WorkflowExecutionStatus.RUNNING:
        status = status.model_copy(update={"state": EscalationState.ENDED})
    return EscalationListing(workflow_id=run.id, status=status)


async def _status(handle: WorkflowHandle[object, object]) -> EscalationStatus:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            status: EscalationStatus = await handle.query(
                Message.ESCALATION, result_type=EscalationStatus
            )
    except (TimeoutError, WorkflowQueryFailedError):
        raise CommandError(f"{handle.id}: {NOBODY_ANSWERS}") from None
    except RPCError as error:
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
        raise CommandError(f"{handle.id}: {NOBODY_ANSWERS}") from None
    return status


async def _decide(
    client: Client, listed: EscalationListing, answer: EscalationAnswer
) -> EscalationDecision:
    handle = client.get_workflow_handle(listed.workflow_id)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            decision: EscalationDecision = await handle.execute_update(
                Message.RESOLVE_ESCALATION, answer, result_type=EscalationDecision
            )
    except WorkflowUpdateFailedError as refused:
        cause = refused.cause
        reason = cause.message if isinstance(cause, ApplicationError) else str(cause)
        raise CommandError(f"{listed.workflow_id}: {one_line(reason)}") from None
    except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
        raise CommandError(
            f"{NOBODY_ANSWERS}; `desk escalations show {listed.workflow_id}` says whether the "
            "answer was taken"
        ) from None
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        # It was decided and has ended since it was looked up.
        refuse_decided(listed.model_copy(update={"status": await _status(handle)}))
        raise CommandError(f"{listed.workflow_id} has ended; `desk escalations list`") from None
    return decision


def _is_closed(listed: EscalationListing) -> bool:
    return listed.status.state is not EscalationState.OPEN


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("--by is needed: this machine has no login name") from None
