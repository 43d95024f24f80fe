"""What `desk escalations` does."""

import asyncio
import getpass
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Final, TypeVar

from temporalio.client import (
    Client,
    WorkflowUpdateFailedError,
    WorkflowUpdateRPCTimeoutOrCancelledError,
)
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationListing,
    EscalationState,
    EscalationStatus,
)
from desk.contracts.names import Message, Queue
from desk.platform.settings import load_settings
from desk.runs.escalations.case import decided_already
from starters.case_lines import case_lines, decision_lines, listing_lines, one_line, position_list
from starters.case_look import ANSWER_SECONDS, NOBODY_ANSWERS, all_cases, one_case
from starters.desk_logs import log_to_file
from starters.desk_session import Desk, require_workers, with_desk
from starters.endings import CommandError, ExitStatus, UsageError
from starters.interrupts import interruptible

Result = TypeVar("Result")

LONGEST_NAME: Final = 200
LONGEST_NOTE: Final = 1_000
"""What an answer holds, in characters."""


def list_cases(*, every: bool, as_json: bool) -> ExitStatus:
    """Print the open cases, or all that the server still keeps. One that nobody answers for is
    named on standard error, and the others are printed.

    Raises:
        CommandError: no worker answers for any.
    """
    found, silent = _at_a_desk(lambda desk: all_cases(desk.client, every=every))
    if silent and not found:
        raise CommandError(silent[0])
    shown = found if every else [c for c in found if c.status.state is EscalationState.OPEN]
    now = datetime.now(UTC)
    if as_json:
        text = "[" + ",\n".join(listed.model_dump_json(indent=2) for listed in shown) + "]"
    else:
        text = "\n".join(line for listed in shown for line in listing_lines(listed, now))
    sys.stdout.write(f"{text or 'nobody is asked to decide anything'}\n")
    sys.stderr.writelines(f"desk: {line}\n" for line in silent)
    return ExitStatus.INCOMPLETE if silent else ExitStatus.COMPLETE


def show_case(written: str, *, as_json: bool) -> ExitStatus:
    """Print a case with its evidence.

    Raises:
        UsageError: no case has that id, or more than one starts with it.
        CommandError: no worker answers.
    """

    listed = _at_a_desk(lambda desk: one_case(desk.client, written))
    now = datetime.now(UTC)
    text = listed.model_dump_json(indent=2) if as_json else "\n".join(case_lines(listed, now))
    sys.stdout.write(f"{text}\n")
    return ExitStatus.COMPLETE


def resolve_case(written: str, *, choose: str, by: str | None, note: str | None) -> ExitStatus:
    """Decide a case and print the decision.

    Raises:
        UsageError: no such case or position, nobody is named, or the name or note is too long.
        CommandError: it is decided already, or no worker answers.
    """
    name = (by if by is not None else _login_name()).strip()
    if not name:
        raise UsageError("--by is empty: the report says who decided")
    refuse_longer(name, "--by", LONGEST_NAME)
    refuse_longer(note or "", "--note", LONGEST_NOTE)

    async def work(desk: Desk) -> EscalationDecision:
        listed = await one_case(desk.client, written)
        refuse_decided(listed)
        position = chosen_position(listed.status, choose)
        answer = EscalationAnswer(position=position, by=name, note=note)
        return await _decide(desk.client, listed, answer)

    decision = _at_a_desk(work)
    sys.stdout.write("\n".join(decision_lines(decision)) + "\n")
    return ExitStatus.COMPLETE


def refuse_longer(words: str, what: str, most: int) -> None:
    """Nothing where the words fit into an answer.

    Raises:
        UsageError: they do not.
    """
    if len(words) > most:
        raise UsageError(f"{what} has {len(words):,} characters; at most {most:,}")


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


def _at_a_desk(work: Callable[[Desk], Awaitable[Result]]) -> Result:
    settings = load_settings()
    log_to_file(settings)

    async def with_a_worker(desk: Desk) -> Result:
        if not desk.hosting:
            await require_workers(desk, Queue.DESK)
        return await work(desk)

    return interruptible(with_desk(settings, with_a_worker))


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
        # It has ended since it was looked up, or before, and was listed as open still.
        refuse_decided(await one_case(client, listed.workflow_id))
        raise CommandError(f"{listed.workflow_id} has ended; `desk escalations list`") from None
    return decision


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("--by is needed: this machine has no login name") from None
