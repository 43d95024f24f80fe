"""What the desk's record says of its tools, as `desk tools` prints it beneath the run's."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Figure, ShortText
from desk.contracts.learning.lessons import (
    AgentRecord,
    EssentialChange,
    EssentialTool,
    ToolUse,
    UncitedTool,
)
from desk.contracts.learning.record import LearnedView
from desk.contracts.names import AgentId
from desk.documents.rendering.wording import one_line
from starters.learning.lines import cost_words
from starters.terminal.tables import folded, short_name, table_lines

NEWEST: Final = 8
"""Changes that the table tells; the JSON has them all."""


class RecordLine(Contract):
    """What an agent had of a tool in all weeks together.

    `mean_ms` is the mean time of an answer; `kept` and `cited` are shares of the answers.
    `cost_usd` is what the turns of a model cost that asked, shared among their calls.
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
    """What the lessons of `weeks` weeks say: each use, what became of each agent's tasks and what
    they cost, the essential tools of each agent, how these lists came about, and the tools that
    were asked often and of no use."""

    weeks: int
    lines: Annotated[tuple[RecordLine, ...], Field(max_length=1_000)] = ()
    agents: Annotated[tuple[AgentRecord, ...], Field(max_length=60)] = ()
    essential: Annotated[tuple[EssentialTool, ...], Field(max_length=1_000)] = ()
    changes: tuple[EssentialChange, ...] = ()
    uncited: Annotated[tuple[UncitedTool, ...], Field(max_length=1_000)] = ()


def record_of(view: LearnedView) -> ToolRecord | None:
    """The record, where there is one."""
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
    """The record for people."""
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
        yield "asked often and never cited: described to a model last, and in short"
    for tool in record.uncited:
        told = f"{short_name(tool.agent)} {_name(tool)}: {tool.answered} answers"
        yield from folded(told, "  ")
    yield "failed: or refused, mean: ms of an answer, kept: asked its source nothing anew"


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
    """What each agent's turns cost; nothing where all are free."""
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
