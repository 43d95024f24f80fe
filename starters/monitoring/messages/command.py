"""`desk messages`."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Final

import typer

from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Synthesis
from desk.contracts.runs.messages import (
    AgentMessage,
    BroadcastContent,
    ErrorReportContent,
    Everyone,
    HeartbeatContent,
    MessageContent,
    MessageType,
    ResearchResultContent,
    ResultStatus,
    SystemStatusContent,
    TaskAcceptanceContent,
    TaskAssignmentContent,
    TaskProgressContent,
    ValidationRequestContent,
    ValidationResultContent,
)
from desk.documents.rendering.words.wording import failure_words
from desk.platform.settings import load_settings
from desk.runs.messages import chosen
from starters.monitoring.messages.history import entries_of
from starters.runs.week_runs import run_named, week_in
from starters.session import Desk, with_desk
from starters.terminal.completion import markets, weeks
from starters.terminal.exit_status import ExitStatus, UsageError
from starters.terminal.interrupts import interruptible
from starters.terminal.logs import log_to_file
from starters.terminal.tables import short_name, table_lines

EXAMPLE = "Example: desk messages 2026-W44 --market USD/JPY; desk messages 2026-W44 --json"

LEGEND: Final = "PM manager, R1 R2 research, V validator, others of graphs; UTC"
_THINGS: Final = {
    "research": "claims",
    "tickets": "tickets",
    "documents": "documents",
    "pdfs": "files",
    "search": "hits",
    "synthesis": "quotations",
}
"""What agents deliver, by the kind of the result."""


def messages(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", autocompletion=weeks, help="A week such as 2026-W44, or a workflow id."
        ),
    ],
    market: Annotated[
        str | None,
        typer.Option(
            "--market",
            metavar="MARKET",
            autocompletion=markets,
            help="Only what is about one market.",
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--type", metavar="TYPE", help="Only one type, such as research_result."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, one message a line.")
    ] = False,
) -> ExitStatus:
    """Show a run's history as the messages between its agents, oldest first."""
    return show_messages(run, market=market, kind=kind, as_json=as_json)


def lines_of(messages: Sequence[AgentMessage]) -> Iterator[str]:
    """Formats the messages in order, under their days, and the number of each type."""
    yield from table_lines(("", "", "", ""), _rows(messages))
    yield from _counts(messages)


def _rows(messages: Sequence[AgentMessage]) -> Iterator[tuple[str, ...] | str]:
    """For each message its time, type, sender and recipient, and a short text."""
    day: date | None = None
    for message in messages:
        at = message.timestamp.astimezone(UTC)
        if at.date() != day:
            day = at.date()
            yield f"{day}  {LEGEND}"
        parties = f"{_short(message.from_agent)}>{_short(message.to_agent)}"
        when = f"{at:%H:%M:%S}.{at.microsecond // 1_000:03}"
        yield when, message.type, parties, _said(message)


def _short(party: str) -> str:
    if party == Everyone.BROADCAST:
        return "all"
    return short_name(AgentId(party)) if party in AgentId.known() else "ext"


def _said(message: AgentMessage) -> str:
    words = _words(message.content)
    told_of = message.correlation_id
    known = told_of is None or isinstance(message.content, BroadcastContent)
    return words if known else f"{told_of} {words}"


def _words(content: MessageContent) -> str:
    match content:
        case TaskAssignmentContent():
            again = content.reassigned_from
            return f"instead of {short_name(again)}" if again else "to do"
        case TaskAcceptanceContent():
            return content.rejection_reason or f"{content.status}"
        case TaskProgressContent():
            note = f", {content.note}" if content.note else ""
            return f"turn {content.turn}, {content.tool_calls} calls{note}"
        case ResearchResultContent():
            found = _found(content)
            whole = content.status is ResultStatus.COMPLETED
            return found if whole else f"{found}, {content.status}"
        case ValidationRequestContent():
            return f"{len(content.research_results_to_validate)} results to check"
        case ValidationResultContent():
            return f"{len(content.result.verdicts)} verdicts"
        case ErrorReportContent():
            last = " (final)" if content.final else ""
            return f"{failure_words(content.error.error_type)}{last}: {content.error.error_message}"
        case HeartbeatContent():
            return f"at work, attempt {content.attempt}"
        case SystemStatusContent():
            return f"{content.worker} {content.agent_status}"
        case BroadcastContent():
            return content.text


def _found(content: ResearchResultContent) -> str:
    """`11 claims`, or the action of a recommendation."""
    made = content.result.recommendation if isinstance(content.result, Synthesis) else None
    if made is not None:
        return f"to {made.action}"
    return f"{content.data_points_collected} {_THINGS[content.result.kind]}"


def _counts(messages: Sequence[AgentMessage]) -> Iterator[str]:
    found = Counter(message.type for message in messages)
    yield f"{len(messages)} message{'' if len(messages) == 1 else 's'}"
    rows = ((kind, str(count)) for kind, count in found.most_common())
    yield from table_lines(("", ""), rows, right={1}, indent="  ")


def show_messages(run: str, *, market: str | None, kind: str | None, as_json: bool) -> ExitStatus:
    """Prints a run's history as its messages; as JSON, one message a line.

    Raises:
        UsageError: the week or the type is invalid, or the run has no such market.
        CommandError: there is no such run, or its history cannot be read.
    """
    settings = load_settings()
    week = week_in(run)
    wanted = type_in(kind) if kind is not None else None
    log_to_file(settings)

    async def work(desk: Desk) -> Sequence[AgentMessage]:
        found = await run_named(desk.client, run.strip(), week)
        return chosen(await entries_of(found, market, datetime.now(UTC)), kind=wanted)

    messages = interruptible(with_desk(settings, work, server_only=True))
    lines = (message.model_dump_json() for message in messages) if as_json else lines_of(messages)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return ExitStatus.COMPLETE


def type_in(written: str) -> MessageType:
    """Returns the message type for what was typed: `heart-beat` and `Heartbeat` are `heartbeat`.

    Raises:
        UsageError: there is no such type; the message lists all types.
    """
    for kind in MessageType:
        if _key(kind) == _key(written):
            return kind
    raise UsageError(f"no type '{written.strip()}'; types: {', '.join(MessageType)}")


def _key(name: str) -> str:
    return name.strip().lower().replace("_", "").replace("-", "")
