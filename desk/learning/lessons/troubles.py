"""The troubles of a run: calls without an answer, and tasks not delivered as planned."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from desk.agents.answer_form import unreachable_since
from desk.contracts.agents.tools import AskedBesides, ToolResult, ToolStatus
from desk.contracts.learning.lessons import Trouble, TroubleKind
from desk.contracts.names import CallFault, agent_of, workflow_id_parts
from desk.contracts.week.report import Contribution, MarketOutcome
from desk.runs.tools import status_for_learning

LONGEST_WORDS: Final = 300
"""The maximum length of a trouble's message in characters."""

CALL_TROUBLES: Final = {
    ToolStatus.UNAVAILABLE: TroubleKind.TOOL_UNAVAILABLE,
    ToolStatus.REFUSED: TroubleKind.TOOL_REFUSED,
}
"""The kind of trouble for each status of a call."""


def troubles_of(
    outcomes: Iterable[MarketOutcome], desk_work: Iterable[Contribution], at: datetime
) -> Iterator[Trouble]:
    """Yields everything that went wrong, tasks before calls.

    `desk_work` is the work that belongs to no market. A call's trouble happened when the call
    ended; `at` is used for troubles without a time of their own. An answer without data is not a
    trouble of a source, nor is a source that no run can call.
    """
    every = tuple(outcomes)
    for line in desk_work:
        yield from _of_task(line, at)
    for outcome in every:
        for line in outcome.agents:
            yield from _of_task(line, at, outcome)
    for outcome in every:
        opened_by = {out.server: out.fault for line in outcome.agents for out in line.outages}
        for result in outcome.evidence:
            yield from _of_call(result, outcome.market, at, opened_by)


def _of_task(
    line: Contribution, at: datetime, outcome: MarketOutcome | None = None
) -> Iterator[Trouble]:
    market = outcome.market if outcome else None
    if line.reassigned_from is not None:
        instead = f"{line.agent} delivered {line.task_type} instead"
        yield Trouble(
            kind=TroubleKind.NOT_DELIVERED,
            market=market,
            agent=line.reassigned_from,
            at=at,
            words=instead,
        )
    if not line.delivered:
        lost = outcome is not None and _is_dead_letter(line, outcome)
        yield Trouble(
            kind=TroubleKind.DEAD_LETTERED if lost else TroubleKind.NOT_DELIVERED,
            market=market,
            agent=line.agent,
            at=at,
            words=(line.error or "")[:LONGEST_WORDS],
        )
    if line.remark is not None:
        yield Trouble(
            kind=TroubleKind.LESSER_WAY,
            market=market,
            agent=line.agent,
            at=at,
            words=line.remark[:LONGEST_WORDS],
        )


def _is_dead_letter(line: Contribution, outcome: MarketOutcome) -> bool:
    lost = (workflow_id_parts(letter).reassigned for letter in outcome.dead_letters)
    return line.task_type in lost


def _of_call(
    result: ToolResult, market: str, at: datetime, opened_by: Mapping[str, CallFault]
) -> Iterator[Trouble]:
    """Yields the trouble of a call. A call to a server that is not configured is not a trouble of a
    source. A skipped call has the failure that the source had before. An answer that is empty
    because the source's upstream was unreachable counts as a call without an answer."""
    if result.place is None:
        return
    agent = agent_of(result.place.activity_id)
    since, why = unreachable_since(result.content)
    asked = AskedBesides(
        server=result.call.server,
        tool=result.call.tool,
        status=status_for_learning(result),
        words=(result.error or why)[:LONGEST_WORDS],
        fault=result.fault if since is None else CallFault.UNREACHABLE,
    )
    for one in (asked, *result.besides):
        if (kind := CALL_TROUBLES.get(one.status)) is not None:
            yield Trouble(
                kind=kind,
                market=market,
                agent=agent,
                server=one.server,
                tool=one.tool,
                at=result.retrieved_at or at,
                fault=opened_by.get(one.server, one.fault) if _not_made(one) else one.fault,
                words=one.words,
            )


def _not_made(asked: AskedBesides) -> bool:
    return asked.fault is CallFault.CIRCUIT_OPEN
