"""The record of tools over all weeks, from the lessons of the learning system."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Annotated, Final

from pydantic import Field
from temporalio.client import Client

from desk.contracts.base import Contract, Figure, ShortText
from desk.contracts.learning.lessons import (
    AgentRecord,
    EssentialChange,
    EssentialTool,
    Lesson,
    ToolUse,
    UncitedTool,
)
from desk.contracts.learning.record import LearnedView, LearningRequest
from desk.contracts.names import LEARNING_SYSTEM_ID, AgentId, Message
from desk.documents.rendering.words.wording import one_line
from desk.learning.learned import Learned
from desk.platform.temporal.history import (
    HistoryGone,
    Signalled,
    WorkflowStarted,
    decoded,
    fetch_events,
)
from starters.learning.lines import cost_words
from starters.terminal.tables import folded, short_name, table_lines

NEWEST: Final = 8
"""The most changes in the table; the JSON has all of them."""


class RecordLine(Contract):
    """An agent's use of a tool over all weeks.

    `mean_ms` is the mean time of an answer. `kept` and `cited` are shares of the answers.
    `cost_usd` is the cost of the model's turns that made calls, divided among their calls.
    """

    agent: AgentId
    server: ShortText
    tool: ShortText
    calls: int
    failed: int
    refused: int
    mean_ms: int | None = None
    kept: float | None = None
    cited: float | None = None
    cost_usd: Figure = Decimal(0)


class ToolRecord(Contract):
    """The record of `weeks` weeks: each use, the outcomes and costs of each agent's tasks, each
    agent's essential tools, the changes of these lists, and tools that were called often and never
    cited."""

    weeks: int
    lines: Annotated[tuple[RecordLine, ...], Field(max_length=1_000)] = ()
    agents: Annotated[tuple[AgentRecord, ...], Field(max_length=60)] = ()
    essential: Annotated[tuple[EssentialTool, ...], Field(max_length=1_000)] = ()
    changes: tuple[EssentialChange, ...] = ()
    uncited: Annotated[tuple[UncitedTool, ...], Field(max_length=1_000)] = ()


def record_of(view: LearnedView) -> ToolRecord | None:
    """Returns the record, or None if there is none."""
    if not view.weeks:
        return None
    return ToolRecord(
        weeks=len(view.weeks),
        lines=tuple(map(_line, view.tools)),
        agents=view.agents,
        essential=view.advice.essential,
        changes=view.changes,
        uncited=view.advice.uncited,
    )


def record_lines(record: ToolRecord) -> Iterator[str]:
    """Formats the record for people."""
    yield f"record of {record.weeks} {'week' if record.weeks == 1 else 'weeks'}"
    costs = any(line.cost_usd for line in record.lines)
    titles = ("tool", "agent", "calls", "failed", "mean", "kept", "cited", "cost")
    shown = titles if costs else titles[:-1]
    rows = (_cells(line)[: len(shown)] for line in record.lines)
    yield from table_lines(shown, rows, right=range(2, len(shown)), indent="  ")
    yield from _agents(record.agents)
    yield from _essential(record.essential)
    yield from _changes(record.changes)
    if record.uncited:
        yield "called often and never cited: shown to models last, shortened"
    for tool in record.uncited:
        told = f"{short_name(tool.agent)} {_name(tool)}: {tool.answered} answers"
        yield from folded(told, "  ")
    yield "failed: or refused, mean: ms of a call at its worker, kept: from the cache"


def _line(use: ToolUse) -> RecordLine:
    answered = use.calls - use.failed - use.refused
    return RecordLine(
        agent=use.agent,
        server=use.server,
        tool=use.tool,
        calls=use.calls,
        failed=use.failed,
        refused=use.refused,
        mean_ms=round(1_000 * use.seconds / use.timed) if use.timed else None,
        kept=round(use.kept / answered, 4) if answered else None,
        cited=round(use.cited / answered, 4) if answered else None,
        cost_usd=use.cost_usd,
    )


def _cells(line: RecordLine) -> tuple[str, ...]:
    return (
        _name(line),
        short_name(line.agent),
        str(line.calls),
        str(line.failed + line.refused),
        "-" if line.mean_ms is None else str(line.mean_ms),
        _share(line.kept),
        _share(line.cited),
        _cost(line.cost_usd),
    )


def _agents(agents: Sequence[AgentRecord]) -> Iterator[str]:
    """What each agent's turns cost; empty if all were free."""
    told = [f"{short_name(one.agent)} {_cost(one.cost_usd)}" for one in agents if one.cost_usd]
    if told:
        yield from folded(f"cost of the agents: {', '.join(told)}")


def _essential(tools: Iterable[EssentialTool]) -> Iterator[str]:
    yield "essential tools"
    told = [
        f"{short_name(tool.agent)} {_name(tool)} since {tool.since}: {one_line(tool.reason)}"
        for tool in tools
    ]
    for line in told or ["none yet: a tool is one when cited in two of four weeks"]:
        yield from folded(line, "  ")


def _changes(changes: Sequence[EssentialChange]) -> Iterator[str]:
    if not changes:
        return
    earlier = len(changes) - NEWEST
    yield f"changes, newest first{f', {earlier} earlier not shown' if earlier > 0 else ''}"
    for change in list(reversed(changes))[:NEWEST]:
        became = "came" if change.added else "left"
        who = f"{short_name(change.agent)} {_name(change)}"
        yield from folded(f"{change.week} {who} {became}: {one_line(change.reason)}", "  ")


def _name(of: RecordLine | EssentialTool | EssentialChange | UncitedTool) -> str:
    return one_line(f"{of.server}.{of.tool}")


def _share(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f}%"


def _cost(cost: Decimal) -> str:
    return cost_words(cost) if cost else "-"


async def learned_from(client: Client) -> Learned:
    """Reads the record with the lessons of all runs from the learning system's history. Empty if
    there are none. Lacks the scores of the last forecasts, which are not signals.

    Raises:
        RPCError: the server went away.
    """
    learned, converter = Learned(), client.data_converter
    with suppress(HistoryGone):
        async for event in fetch_events(client, LEARNING_SYSTEM_ID):
            if isinstance(event, WorkflowStarted):
                learned = Learned((await decoded(converter, event.input, LearningRequest)).state)
            elif isinstance(event, Signalled) and event.name == Message.LEARN:
                learned.take(await decoded(converter, event.input, Lesson))
    return learned
