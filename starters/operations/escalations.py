"""`desk escalations`."""

import asyncio
import getpass
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, NamedTuple, TypeVar

import typer
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

from desk.contracts.agents.tools import ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.escalations import (
    EscalationAnswer,
    EscalationDecision,
    EscalationListing,
    EscalationRequest,
    EscalationState,
    EscalationStatus,
)
from desk.contracts.findings.results import Position
from desk.contracts.names import Message, Queue, WorkflowType
from desk.documents.rendering.words.trust import stated_words
from desk.documents.rendering.words.wording import one_line
from desk.platform.settings import load_settings
from desk.runs.escalations import claims_at, decided_already, evidence_at
from starters.runs.server_runs import history_of
from starters.session import Desk, require_workers, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.options import AsJson

EXAMPLE = (
    "Example: desk escalations resolve weekly-2026-W44/market/USD/JPY --choose 1 --by anna "
    '--note "the other is a typing error"'
)

LONGEST_ARGUMENTS = 160

Case = Annotated[str, typer.Argument(metavar="ID", help="Its workflow id, or the beginning of it.")]

escalations = typer.Typer(
    help="List the conflicts that a person is asked to decide, show one, or decide it.",
    epilog=EXAMPLE,
    no_args_is_help=True,
)


@escalations.command("list", epilog="Example: desk escalations list --all")
def list_them(
    every: Annotated[
        bool, typer.Option("--all", help="Also those that are decided, as long as they are kept.")
    ] = False,
    as_json: AsJson = False,
) -> ExitStatus:
    """List the conflicts that wait for a person, the most urgent first."""
    return list_cases(every=every, as_json=as_json)


@escalations.command(epilog="Example: desk escalations show weekly-2026-W44/market/USD/JPY")
def show(identity: Case, as_json: AsJson = False) -> ExitStatus:
    """Show a case: who holds what, on what evidence, and what holds when nobody answers."""
    return show_case(identity, as_json=as_json)


@escalations.command(epilog=EXAMPLE)
def resolve(
    identity: Case,
    choose: Annotated[
        str,
        typer.Option(
            "--choose",
            metavar="N|none",
            help="The position that is right, counted from 1; none withholds the figure.",
        ),
    ],
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="NAME",
            help="Who decides; printed in the report. Without it, the login name.",
            show_default=False,
        ),
    ] = None,
    note: Annotated[
        str | None,
        typer.Option("--note", metavar="TEXT", help="Why; kept with the case.", show_default=False),
    ] = None,
) -> ExitStatus:
    """Decide a case, and let its market go on.

    The same from the Temporal CLI, which counts positions from 0: temporal workflow update execute
    --workflow-id ID --name resolve_escalation --input '{"position":0,"by":"anna"}'.
    """
    return resolve_case(identity, choose=choose, by=by, note=note)


def listing_lines(listed: EscalationListing, now: datetime) -> Iterator[str]:
    """Formats a case for the list."""
    status = listed.status
    request = status.request
    stands = standing_words(status, now)
    yield f"{request.week}  {request.market}  {request.conflict.kind}  {stands}"
    yield f"  id       {listed.workflow_id}"
    if status.decision is not None:
        yield f"  decided  {_decided_words(status.decision)}"
    for number, position in enumerate(request.conflict.positions, start=1):
        yield f"  {number}        {_held(position)}"


def case_lines(listed: EscalationListing, now: datetime) -> Iterator[str]:
    """Formats a case with everything that is known about it."""
    status = listed.status
    request = status.request
    stands = standing_words(status, now)
    yield f"{request.week}  {request.market}  {request.conflict.kind}  {stands}"
    yield f"id       {listed.workflow_id}"
    yield f"case     {one_line(request.conflict.resolution)}"
    for number, position in enumerate(request.conflict.positions, start=1):
        yield ""
        yield f"{number}  {_held(position)}"
        yield f"   {weight_words(position)}"
        for claim in claims_at(request, position):
            yield f"   claim     {claim_words(claim)}"
        for result in evidence_at(request, position):
            yield f"   evidence  {evidence_words(result)}"
    yield ""
    yield f"default  {default_of(status)}"
    yield f"deadline {request.deadline:%Y-%m-%d %H:%M:%S} UTC"
    if status.reminded:
        yield "reminded yes"
    if status.decision is not None:
        yield from decision_lines(status.decision)
    elif status.state is EscalationState.OPEN:
        yield f"answer   desk escalations resolve {listed.workflow_id} --choose N --by NAME"


def decision_lines(decision: EscalationDecision) -> Iterator[str]:
    """Says how a case ended."""
    conflict = decision.conflict
    yield f"decided  {_decided_words(decision)}"
    yield f"holds    {conflict.chosen or 'none: the figure is withheld'}"
    if decision.answer is not None and decision.answer.note:
        yield f"note     {one_line(decision.answer.note)}"


def _decided_words(decision: EscalationDecision) -> str:
    at = f"{decision.decided_at:%Y-%m-%d %H:%M:%S} UTC"
    if decision.answer is not None:
        return f"{at} by {one_line(decision.answer.by)}"
    return f"{at} by nobody" + (f": {decision.note}" if decision.note else "")


def position_list(status: EscalationStatus) -> str:
    """The positions of a case in one line, counted from 1."""
    positions = enumerate(status.request.conflict.positions, start=1)
    return "; ".join(f"{number}: {_held(position)}" for number, position in positions)


def default_of(status: EscalationStatus) -> str:
    """The position that holds if nobody answers."""
    place = status.request.default
    if place is None:
        return "none: the figure is withheld"
    return f"{place + 1}  {_held(status.request.conflict.positions[place])}"


def standing_words(status: EscalationStatus, now: datetime) -> str:
    """Describes the state of a case: open with the time left, or how it ended."""
    if status.decision is not None:
        conflict = status.decision.conflict
        return f"{status.state}: {stated_words(conflict.chosen or 'withheld')}"
    if status.state is EscalationState.ENDED:
        return "ended from outside; the default holds"
    left = status.request.deadline - now
    if left <= timedelta(0):
        return "open, its deadline has passed"
    return f"open, {_span(left)} left" + (", reminded" if status.reminded else "")


def _held(position: Position) -> str:
    return (
        f"{one_line(stated_words(position.stated))}  {position.agent}, {one_line(position.source)}"
    )


def weight_words(position: Position) -> str:
    """Describes how much a position weighs, and why."""
    weight = "abstains" if position.abstains else f"weight {position.weight:.2f}"
    origin = f"origin {one_line(position.origin)}, " if position.origin else ""
    return f"{origin}{position.tier} source, confidence {position.confidence:.2f}, {weight}"


def claim_words(claim: Claim) -> str:
    """A claim with its figure, and what that is derived from."""
    derived = f" = {claim.formula}" if claim.formula else ""
    inputs = f" of {', '.join(claim.inputs)}" if claim.inputs else ""
    return f"{claim.claim_id} {claim.value} {claim.unit} on {claim.as_of}{derived}{inputs}"


def evidence_words(result: ToolResult) -> str:
    """A tool call with its arguments and time."""
    call = result.call
    arguments = json.dumps(call.arguments, ensure_ascii=False, sort_keys=True)
    when = f", {result.retrieved_at:%Y-%m-%d %H:%M:%S} UTC" if result.retrieved_at else ""
    return one_line(f"{call.server}.{call.tool} {arguments[:LONGEST_ARGUMENTS]}{when}")


def _span(left: timedelta) -> str:
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


ANSWER_SECONDS: Final = 10.0
"""How long a worker may take to answer for a case."""

AT_ONCE: Final = 16
"""How many cases are read concurrently."""

NOBODY_ANSWERS: Final = (
    "no worker answers for the run; start one with `desk worker orchestrator` or `desk up`, "
    "and see `desk doctor`"
)


class NobodyAnswers(CommandError):
    """No worker answered for a case in time. The request may still be carried out."""


class CaseRun(NamedTuple):
    """A case as the server lists it: its newest run, and the run's status."""

    workflow_id: str
    run_id: str
    status: WorkflowExecutionStatus | None

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.status is WorkflowExecutionStatus.RUNNING


class Listings(NamedTuple):
    """The cases that could be read, and a message with the id and the reason for each other
    case."""

    read: list[EscalationListing]
    silent: list[str]


async def all_cases(client: Client, *, every: bool) -> Listings:
    """Returns the open cases, or all, those with the nearest deadline first."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def look(run: CaseRun) -> EscalationListing | str:
        async with turns:
            try:
                return await read_case(client, run)
            except CommandError as silent:
                return str(silent)

    found = await asyncio.gather(*map(look, await _runs(client, running=not every)))
    read = [each for each in found if isinstance(each, EscalationListing)]
    read.sort(key=lambda listed: (_is_closed(listed), listed.status.request.deadline))
    return Listings(read, [each for each in found if isinstance(each, str)])


async def one_case(client: Client, written: str) -> EscalationListing:
    """Returns the case with the given id, or the only one whose id starts with it. Reads no other
    case.

    Raises:
        UsageError: there is none, or more than one.
        CommandError: it is open, and no worker answers for it.
    """
    run = await _named(client, written)
    if run is None:
        running = await _runs(client, running=True)
        begin_so = any(each.workflow_id.startswith(written) for each in running)
        run = chosen_case(running if begin_so else await _runs(client, running=False), written)
    return await read_case(client, run)


def chosen_case(cases: Iterable[CaseRun], written: str) -> CaseRun:
    """Returns the case with the given id, or the only one whose id starts with it. Open cases take
    precedence.

    Raises:
        UsageError: there is none, or more than one.
    """
    matching = [case for case in cases if case.workflow_id.startswith(written)]
    exact = [case for case in matching if case.workflow_id == written]
    matching = exact or [case for case in matching if case.is_running] or matching
    if len(matching) > 1:
        ids = ", ".join(case.workflow_id for case in matching[:4])
        raise UsageError(f"{len(matching)} cases start with '{written}': {ids}; write more of it")
    if not matching:
        raise UsageError(f"no case '{written}'; `desk escalations list --all` lists them")
    return matching[0]


async def read_case(client: Client, run: CaseRun) -> EscalationListing:
    """Reads a case. An open or decided case is read from its history, without a worker; one that
    was ended from outside is queried from its run.

    Raises:
        NobodyAnswers: no worker answers for it.
    """
    status = None
    if run.is_running or run.status is WorkflowExecutionStatus.COMPLETED:
        status = await _as_written(client, run)
    if status is None:
        status = await asked(client.get_workflow_handle(run.workflow_id, run_id=run.run_id))
    if status.decision is None and not run.is_running:
        status = status.model_copy(update={"state": EscalationState.ENDED})
    return EscalationListing(workflow_id=run.workflow_id, status=status)


async def asked(handle: WorkflowHandle[object, object]) -> EscalationStatus:
    """Queries the status of a case from its run.

    Raises:
        NobodyAnswers: no worker answers.
    """
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            status: EscalationStatus = await handle.query(
                Message.ESCALATION, result_type=EscalationStatus
            )
    except (TimeoutError, WorkflowQueryFailedError):
        raise NobodyAnswers(f"{handle.id}: {NOBODY_ANSWERS}") from None
    except RPCError as error:
        if error.status is RPCStatusCode.UNAVAILABLE:
            raise
        raise NobodyAnswers(f"{handle.id}: {NOBODY_ANSWERS}") from None
    return status


async def _as_written(client: Client, run: CaseRun) -> EscalationStatus | None:
    """Reads a case from the start and the end of its history. Returns None if the history lacks the
    request or the decision. An open case has no decision: the first answer closes it."""
    history = await history_of(client, run.workflow_id, run.run_id)
    if not history.started.input:
        return None
    request = await history.decode(history.started.input, EscalationRequest)
    if history.ended is None:
        reminded = datetime.now(UTC) >= request.remind_at
        return EscalationStatus(request=request, state=EscalationState.OPEN, reminded=reminded)
    if not history.ended.result:
        return None
    decision = await history.decode(history.ended.result, EscalationDecision)
    return EscalationStatus(
        request=request,
        state=decision.state,
        reminded=decision.decided_at >= request.remind_at,
        decision=decision,
    )


async def _named(client: Client, written: str) -> CaseRun | None:
    """Returns the case with exactly that id."""
    try:
        found = await client.get_workflow_handle(written).describe()
    except RPCError as error:
        if error.status in (RPCStatusCode.NOT_FOUND, RPCStatusCode.INVALID_ARGUMENT):
            return None
        raise
    return _run(found) if found.workflow_type == WorkflowType.ESCALATION else None


async def _runs(client: Client, *, running: bool) -> list[CaseRun]:
    """Returns the newest run of each case on the server, or of each that is running."""
    newest: dict[str, WorkflowExecution] = {}
    async for run in _listed(client, running=running):
        if run.id not in newest or run.start_time > newest[run.id].start_time:
            newest[run.id] = run
    return [_run(run) for run in newest.values()]


def _listed(client: Client, *, running: bool) -> AsyncIterator[WorkflowExecution]:
    query = f'WorkflowType = "{WorkflowType.ESCALATION}"'
    return client.list_workflows(query + ' AND ExecutionStatus = "Running"' * running)


def _run(run: WorkflowExecution) -> CaseRun:
    return CaseRun(run.id, run.run_id, run.status)


def _is_closed(listed: EscalationListing) -> bool:
    return listed.status.state is not EscalationState.OPEN


Result = TypeVar("Result")

LONGEST_NAME: Final = 200
LONGEST_NOTE: Final = 1_000
"""The most characters of an answer's note."""


def list_cases(*, every: bool, as_json: bool) -> ExitStatus:
    """Prints the open cases, or all that the server still has. Names a case that no worker answers
    for on standard error, and prints the others.

    Raises:
        CommandError: no worker answers for any case.
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
    sys.stdout.write(f"{text or 'no open conflicts'}\n")
    sys.stderr.writelines(f"desk: {line}\n" for line in silent)
    return ExitStatus.INCOMPLETE if silent else ExitStatus.COMPLETE


def show_case(written: str, *, as_json: bool) -> ExitStatus:
    """Prints a case with its evidence.

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
    """Decides a case and prints the decision.

    Raises:
        UsageError: there is no such case or position, the name is missing, or the name or note is
            too long.
        CommandError: it is decided already, or no worker answers.
    """
    name = by if by is not None else login_name()
    check_answer(name, note)

    async def work(desk: Desk) -> EscalationDecision:
        listed = await one_case(desk.client, written)
        answer = answer_to(listed, choose, name, note)
        return await decide_case(desk.client, listed, answer)

    decision = _at_a_desk(work, deciding=True)
    sys.stdout.write("\n".join(decision_lines(decision)) + "\n")
    return ExitStatus.COMPLETE


def check_answer(by: str, note: str | None) -> None:
    """Checks that an answer has a name, and that the name and note are not too long.

    Raises:
        UsageError: the name is missing, or the name or note is too long.
    """
    if not by.strip():
        raise UsageError("--by is empty: the report says who decided")
    refuse_longer(by.strip(), "--by", LONGEST_NAME)
    refuse_longer(note or "", "--note", LONGEST_NOTE)


def answer_to(
    listed: EscalationListing, choose: str, by: str, note: str | None
) -> EscalationAnswer:
    """Builds the answer that a user gives to an open case.

    Raises:
        UsageError: there is no such position, the name is missing, or the name or note is too long.
        CommandError: it is decided already.
    """
    check_answer(by, note)
    refuse_decided(listed)
    position = chosen_position(listed.status, choose)
    return EscalationAnswer(position=position, by=by.strip(), note=note)


def refuse_longer(words: str, what: str, most: int) -> None:
    """Checks that a text fits into an answer.

    Raises:
        UsageError: it is too long.
    """
    if len(words) > most:
        raise UsageError(f"{what} has {len(words):,} characters; at most {most:,}")


def chosen_position(status: EscalationStatus, written: str) -> int | None:
    """Returns the index of the position that the user chose, counted from 0; None for `none`.

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
    """Checks that a case is open.

    Raises:
        CommandError: it is not; the message says who decided and when, and what to do instead.
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


def _at_a_desk(work: Callable[[Desk], Awaitable[Result]], *, deciding: bool = False) -> Result:
    """Does the work at a desk. Only a decision needs a worker: cases are read from histories."""
    settings = load_settings()
    log_to_file(settings)

    async def with_a_worker(desk: Desk) -> Result:
        if deciding and not desk.hosting:
            await require_workers(desk, Queue.DESK, ANSWER_SECONDS)
        return await work(desk)

    return interruptible(with_desk(settings, with_a_worker, server_only=not deciding))


async def decide_case(
    client: Client,
    listed: EscalationListing,
    answer: EscalationAnswer,
    within: float = ANSWER_SECONDS,
) -> EscalationDecision:
    """Decides a case.

    Raises:
        CommandError: it is decided already.
        NobodyAnswers: no worker answers within `within` seconds.
    """
    handle = client.get_workflow_handle(listed.workflow_id)
    try:
        async with asyncio.timeout(within):
            decision: EscalationDecision = await handle.execute_update(
                Message.RESOLVE_ESCALATION, answer, result_type=EscalationDecision
            )
    except WorkflowUpdateFailedError as refused:
        cause = refused.cause
        reason = cause.message if isinstance(cause, ApplicationError) else str(cause)
        raise CommandError(f"{listed.workflow_id}: {one_line(reason)}") from None
    except (TimeoutError, WorkflowUpdateRPCTimeoutOrCancelledError):
        raise NobodyAnswers(
            f"{NOBODY_ANSWERS}; `desk escalations show {listed.workflow_id}` says whether the "
            "answer was taken"
        ) from None
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        # It ended after it was looked up, or before and was still listed as open.
        refuse_decided(await one_case(client, listed.workflow_id))
        raise CommandError(f"{listed.workflow_id} has ended; `desk escalations list`") from None
    return decision


async def leave_answer(client: Client, listed: EscalationListing, answer: EscalationAnswer) -> None:
    """Leaves an answer with the server. The next worker decides the case with it, unless it is
    decided by then.

    Raises:
        CommandError: it is decided already.
    """
    try:
        handle = client.get_workflow_handle(listed.workflow_id)
        await handle.signal(Message.ANSWER_ESCALATION, answer)
    except RPCError as error:
        if error.status is not RPCStatusCode.NOT_FOUND:
            raise
        refuse_decided(await one_case(client, listed.workflow_id))
        raise CommandError(f"{listed.workflow_id} has ended; `desk escalations list`") from None


def login_name() -> str:
    """Returns the login name on this machine.

    Raises:
        UsageError: there is none.
    """
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("--by is needed: this machine has no login name") from None
