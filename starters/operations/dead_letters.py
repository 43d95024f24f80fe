"""`desk dead-letters`."""

import asyncio
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Final

import typer
from pydantic import ValidationError
from temporalio.client import Client, WorkflowExecution, WorkflowFailureError
from temporalio.exceptions import ApplicationError

from desk.contracts.agents.search_attributes import Outcome, SearchAttribute
from desk.contracts.base import Contract, Instant, ShortText
from desk.contracts.findings.results import AgentError, DeadLetter
from desk.contracts.names import STOCK_RUN, SWARM_RUN, FailureType, WorkflowType, workflow_id_parts
from desk.documents.rendering.words.wording import failure_words, one_line
from desk.platform.settings import load_settings
from desk.trust.prose import clip
from starters.questions.graph.reset import GraphReset, ResetOptions, reset_graph
from starters.runs.server_runs import ServerRun
from starters.session import Desk, with_desk
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import folded
from starters.weeks.rerun import RerunOptions, rerun_market, rerun_of

EXAMPLE = (
    "Example: desk dead-letters retry weekly-2026-W44/market/USD/TWD/reassign/research_agent_1"
)

LONGEST_QUESTION = 60
LONGEST_ERROR = 2_000
AT_ONCE: Final = 16
"""How many dead letters are read concurrently."""

_SWARM = "of a swarm, whose rounds are not redone one by one; the `desk swarm`"
_EPISODE = "of an episode, whose steps are not redone one by one; the `desk stock`"

dead_letters = typer.Typer(
    help="List the tasks that failed with every agent, or try one again.", epilog=EXAMPLE
)


@dead_letters.callback(invoke_without_command=True)
def list_them(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> ExitStatus:
    """List the tasks that failed with every agent, newest first, or try one again."""
    if context.invoked_subcommand is not None:
        return ExitStatus.COMPLETE
    return list_letters(as_json=as_json)


@dead_letters.command(epilog=EXAMPLE)
def retry(
    identity: Annotated[
        str, typer.Argument(metavar="ID", help="Its workflow id, or the beginning of it.")
    ],
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only ask; do not wait for the new revision.")
    ] = False,
) -> ExitStatus:
    """Research the market of a dead letter again, for a new revision of the report; of a question,
    run its node again."""
    return retry_letter(identity, wait=not no_wait)


class FoundLetter(Contract):
    """A dead letter in the history. `redone` means that its market has been researched since, or
    its question answered in full."""

    workflow_id: ShortText
    run_of: ShortText
    closed_at: Instant
    redone: bool
    letter: DeadLetter


def list_letters(*, as_json: bool) -> ExitStatus:
    """Prints the dead letters that the server still has, newest first."""
    settings = load_settings()
    log_to_file(settings)
    letters = interruptible(with_desk(settings, letters_at, server_only=True))
    if as_json:
        text = "[" + ",\n".join(letter.model_dump_json(indent=2) for letter in letters) + "]"
    else:
        text = "\n".join(line for letter in letters for line in letter_lines(letter))
    sys.stdout.write(f"{text or 'no dead letters'}\n")
    return ExitStatus.COMPLETE


def retry_letter(workflow_id: str, *, wait: bool) -> ExitStatus:
    """Has the market of a dead letter researched again, in the run that it belongs to; or runs the
    node of a question's graph, and what follows it, again.

    Raises:
        UsageError: no dead letter has that id, or more than one starts with it; or it is a swarm's
            or an episode's.
    """
    settings = load_settings()
    log_to_file(settings)
    letters = interruptible(with_desk(settings, letters_at, server_only=True))
    options = retry_options(chosen_letter(letters, workflow_id), wait=wait)
    return reset_graph(options) if isinstance(options, ResetOptions) else rerun_market(options)


async def retried_at(desk: Desk, chosen: FoundLetter) -> ServerRun[Any]:
    """Requests a retry of a dead letter without waiting for it. Returns the run that does it.

    Raises:
        UsageError, CommandError: the message says what to do next.
    """
    options = retry_options(chosen, wait=False)
    if isinstance(options, ResetOptions):
        return await GraphReset(options).ask(desk)
    return await rerun_of(desk.settings, options).ask(desk)


def retry_options(chosen: FoundLetter, *, wait: bool) -> RerunOptions | ResetOptions:
    """Returns how a dead letter is retried: its market is researched again, or its node run again.

    Raises:
        UsageError: it is a swarm's or an episode's.
    """
    reason = f"retry of the dead letter {chosen.workflow_id}"
    if chosen.letter.assignment.query is not None:
        check_can_be_reset(chosen.run_of)
        node = chosen.letter.assignment.task_id
        return ResetOptions(run=chosen.run_of, node=node, reason=reason)
    return RerunOptions(
        market=chosen.letter.market or "",
        reason=reason,
        week=chosen.letter.week,
        wait=wait,
        workflow_id=chosen.run_of,
    )


def check_can_be_reset(run: str) -> None:
    """Checks that the nodes of a run can be run again.

    Raises:
        UsageError: the run is a swarm or an episode.
    """
    for begins, what in ((SWARM_RUN, _SWARM), (STOCK_RUN, _EPISODE)):
        if run.startswith(begins):
            raise UsageError(f"{run} is {what} command that began it asks anew with `--again`")


def chosen_letter(letters: list[FoundLetter], written: str) -> FoundLetter:
    """Returns the letter with the given id, or the only one whose id starts with it.

    Raises:
        UsageError: there is none, or more than one.
    """
    exact = [letter for letter in letters if letter.workflow_id == written]
    matching = exact or [each for each in letters if each.workflow_id.startswith(written)]
    if len({letter.workflow_id for letter in matching}) > 1:
        raise UsageError(f"{len(matching)} dead letters start with '{written}'; write more of it")
    if not matching:
        raise UsageError(f"no dead letter '{written}'; `desk dead-letters` lists them")
    return matching[0]


def letter_lines(found: FoundLetter) -> Iterator[str]:
    """Formats a dead letter for people."""
    letter = found.letter
    state = "redone since" if found.redone else "open"
    subject = f"{letter.week}  {letter.market}"
    if letter.assignment.query is not None:
        subject = one_line(letter.assignment.query.question)[:LONGEST_QUESTION]
    yield f"{subject}  {letter.assignment.task_type}  {state}"
    yield f"  id     {found.workflow_id}"
    yield f"  tried  {', '.join(letter.tried)}"
    for error in letter.errors[-1:]:
        yield from folded(one_line(error_words(error)), "  ", first="  error  ")


def error_words(error: AgentError) -> str:
    """Describes why a task failed, with the kind of the failure unless the message has it."""
    words = clip(error.error_message, LONGEST_ERROR)
    kind = failure_words(error.error_type)
    return words if f"{kind}: " in words else f"{kind}: {words}"


async def letters_at(desk: Desk) -> list[FoundLetter]:
    """Returns the dead letters that the server still has, newest first.

    Raises:
        CommandError: one cannot be read.
    """
    query = f'{SearchAttribute.OUTCOME} = "{Outcome.DEAD_LETTERED}" AND ExecutionStatus = "Failed"'
    turns = asyncio.Semaphore(AT_ONCE)

    async def read(execution: WorkflowExecution) -> FoundLetter | None:
        async with turns:
            return await _found(desk.client, execution)

    listed = [read(execution) async for execution in desk.client.list_workflows(query)]
    found = [letter for letter in await asyncio.gather(*listed) if letter is not None]
    return sorted(found, key=lambda letter: letter.closed_at, reverse=True)


async def _found(client: Client, execution: WorkflowExecution) -> FoundLetter | None:
    letter = await _letter_in(client, execution)
    if letter is None or execution.close_time is None:
        return None
    return FoundLetter(
        workflow_id=execution.id,
        run_of=execution.root_id or workflow_id_parts(execution.id).run,
        closed_at=execution.close_time,
        redone=await _redone(client, execution, letter, execution.close_time),
        letter=letter,
    )


async def _letter_in(client: Client, execution: WorkflowExecution) -> DeadLetter | None:
    handle = client.get_workflow_handle(execution.id, run_id=execution.run_id)
    try:
        await handle.result(follow_runs=False)
    except WorkflowFailureError as error:
        cause = error.cause
        if isinstance(cause, ApplicationError) and cause.type == FailureType.DEAD_LETTERED:
            return _decoded(execution.id, cause)
    return None


def _decoded(workflow_id: str, failure: ApplicationError) -> DeadLetter:
    try:
        return DeadLetter.model_validate(failure.details[0])
    except (ValidationError, IndexError):
        raise CommandError(f"the dead letter {workflow_id} cannot be read") from None


async def _redone(
    client: Client, execution: WorkflowExecution, letter: DeadLetter, closed_at: datetime
) -> bool:
    query = (
        f'WorkflowId = "{execution.root_id or execution.id}" AND '
        f'{SearchAttribute.OUTCOME} = "{Outcome.COMPLETE}"'
        if letter.assignment.query is not None
        else _researched(letter)
    )
    return any([run.start_time > closed_at async for run in client.list_workflows(query)])


def _researched(letter: DeadLetter) -> str:
    return (
        f'WorkflowType = "{WorkflowType.MARKET_RESEARCH}" AND '
        f'{SearchAttribute.RESEARCH_WEEK} = "{letter.week}" AND '
        f'{SearchAttribute.MARKET} = "{letter.market}" AND '
        f'{SearchAttribute.OUTCOME} = "{Outcome.RESEARCHED}"'
    )
