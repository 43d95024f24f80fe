"""The tools that an agent's work rests on, in one run and over many weeks."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from desk.contracts.agents.tasks import ToolName
from desk.contracts.agents.tools import ToolSpec, ToolStatus
from desk.contracts.learning.lessons import (
    EssentialChange,
    EssentialTool,
    Lesson,
    ToolUse,
    UncitedTool,
)
from desk.contracts.names import AgentId
from desk.contracts.week.report import MarketOutcome
from desk.contracts.weeks import IsoWeek
from desk.runs.tools._usage import Key, key_of, rested_on, summed
from desk.trust.prose import split_sentences

WEEKS_TO_ADD: Final = 4
"""A tool is added to a list if it was cited in `CITED_TO_ADD` of this many newest weeks."""
CITED_TO_ADD: Final = 2
UNCITED_TO_REMOVE: Final = 8
"""A tool is removed if it was asked in this many newest weeks and cited in none of them."""
UNASKED_TO_REMOVE: Final = 12
"""A tool is removed if it was not asked in this many newest weeks."""
ENOUGH_WEEKS: Final = 8
"""The weeks of record, with `ENOUGH_ANSWERS` answers, from which on a tool can count as uncited."""
ENOUGH_ANSWERS: Final = 8


class Essential(NamedTuple):
    """The lists of all agents, the changes that led to them, and the tools that agents asked often
    and never cited. All are sorted, the changes by week."""

    tools: tuple[EssentialTool, ...] = ()
    changes: tuple[EssentialChange, ...] = ()
    uncited: tuple[UncitedTool, ...] = ()


def essential_tools(outcomes: Iterable[MarketOutcome]) -> Mapping[AgentId, Mapping[ToolName, int]]:
    """Returns for each agent the tools that it cited, with the number of claims, events and
    verdicts that name an answer of them.

    A tool that was asked and not cited is not among them.
    """
    found: defaultdict[AgentId, Counter[ToolName]] = defaultdict(Counter)
    for outcome in outcomes:
        answered = {
            result.evidence_id: ToolName(server=result.call.server, tool=result.call.tool)
            for result in outcome.evidence
            if result.status is ToolStatus.OK
        }
        for agent, evidence in rested_on(outcome):
            found[agent].update({answered[name] for name in evidence if name in answered})
    return found


def essential(lessons: Iterable[Lesson]) -> Essential:
    """Returns the lists after some lessons, given in any order.

    Only whole weeks count, each once by its latest lesson. A tool is added to an agent's list in
    the week in which it was cited in `CITED_TO_ADD` of the newest `COMING` weeks. It is removed if
    it was asked in the newest `LEAVING_UNCITED` weeks and cited in none, or not asked in the newest
    `LEAVING_UNASKED`.
    """
    weeks = _whole_weeks(lessons)
    records = _records(weeks)
    listed: list[EssentialTool] = []
    changes: list[EssentialChange] = []
    for key in sorted(records):
        own = tuple(_changes(key, records[key]))
        changes += own
        if own and own[-1].added:
            listed.append(_listed(records[key], own[-1]))
    changes.sort(key=lambda change: (change.week, change.agent, change.server, change.tool))
    uncited = _uncited(records, {tool.agent for tool in listed}) if listed else ()
    return Essential(tuple(listed), tuple(changes), tuple(uncited))


def described_for(
    agent: AgentId, specs: Sequence[ToolSpec], uncited: Iterable[UncitedTool]
) -> tuple[ToolSpec, ...]:
    """Returns the tools as they are described to a model. A tool that its agent asked often without
    citing it comes last, with only the first sentence of its description. The model may call every
    tool."""
    spare = {(tool.server, tool.tool) for tool in uncited if tool.agent is agent}
    needed = [spec for spec in specs if (spec.server, spec.tool) not in spare]
    return (
        *needed,
        *(_in_short(spec) for spec in specs if (spec.server, spec.tool) in spare),
    )


class _Record(NamedTuple):
    """An agent's use of a tool by the number of the week, and the numbers of all weeks."""

    weeks: Sequence[IsoWeek]
    uses: Mapping[int, ToolUse]

    def newest(self, number: int, last: int) -> list[ToolUse]:
        """Returns the uses in the last `number` weeks up to week `last` that had any."""
        span = range(max(0, last + 1 - number), last + 1)
        return [self.uses[week] for week in span if week in self.uses]

    def was_cited(self, week: int) -> bool:
        return week in self.uses and self.uses[week].cited > 0


def _whole_weeks(lessons: Iterable[Lesson]) -> tuple[Lesson, ...]:
    whole = (lesson for lesson in lessons if lesson.whole)
    latest = {
        lesson.week: lesson
        for lesson in sorted(whole, key=lambda one: (one.as_of, one.workflow_id))
    }
    return tuple(latest[week] for week in sorted(latest))


def _records(weeks: Sequence[Lesson]) -> dict[Key, _Record]:
    names = [lesson.week for lesson in weeks]
    found: defaultdict[Key, dict[int, ToolUse]] = defaultdict(dict)
    for number, lesson in enumerate(weeks):
        for use in lesson.tools:
            uses = found[key_of(use)]
            uses[number] = summed((uses[number], use))[0] if number in uses else use
    return {key: _Record(names, uses) for key, uses in found.items()}


def _changes(key: Key, record: _Record) -> Iterator[EssentialChange]:
    """Yields the changes of one tool on its agent's list, week by week."""
    agent, server, tool = key
    on = False
    for number, week in enumerate(record.weeks):
        reason = _why_removed(record, number) if on else _why_coming(record, number)
        if reason is not None:
            on = not on
            yield EssentialChange(
                week=week, agent=agent, server=server, tool=tool, added=on, reason=reason
            )


def _why_coming(record: _Record, week: int) -> str | None:
    if not record.was_cited(week):
        return None
    uses = record.newest(WEEKS_TO_ADD, week)
    return (
        _cited(uses, WEEKS_TO_ADD) if sum(use.cited > 0 for use in uses) >= CITED_TO_ADD else None
    )


def _why_removed(record: _Record, week: int) -> str | None:
    if record.was_cited(week):
        return None
    uses = record.newest(UNCITED_TO_REMOVE, week)
    asked = sum(use.calls for use in uses)
    if asked and not any(use.cited for use in uses):
        return f"asked {asked} times in the newest {UNCITED_TO_REMOVE} weeks and cited in none"
    if not record.newest(UNASKED_TO_REMOVE, week):
        return f"not asked in the newest {UNASKED_TO_REMOVE} weeks"
    return None


def _listed(record: _Record, came: EssentialChange) -> EssentialTool:
    known = min(UNCITED_TO_REMOVE, len(record.weeks))
    newest = record.newest(known, len(record.weeks) - 1)
    return EssentialTool(
        agent=came.agent,
        server=came.server,
        tool=came.tool,
        since=came.week,
        reason=_cited(newest, known),
    )


def _cited(uses: Sequence[ToolUse], weeks: int) -> str:
    if not uses:
        return f"cited before, and not asked in the newest {weeks} weeks"
    cited, answers = sum(use.cited for use in uses), sum(map(_answers, uses))
    in_weeks = sum(use.cited > 0 for use in uses)
    return f"cited in {in_weeks} of the newest {weeks} weeks, {cited} of {answers} answers"


def _uncited(records: Mapping[Key, _Record], agents: set[AgentId]) -> Iterator[UncitedTool]:
    """Yields, for agents with a list, the tools that they asked often and never cited."""
    for (agent, server, tool), record in sorted(records.items(), key=lambda item: item[0]):
        answers = sum(map(_answers, record.uses.values()))
        never = not any(use.cited for use in record.uses.values())
        enough = len(record.weeks) >= ENOUGH_WEEKS and answers >= ENOUGH_ANSWERS
        if agent in agents and never and enough:
            yield UncitedTool(agent=agent, server=server, tool=tool, answered=answers)


def _answers(use: ToolUse) -> int:
    return use.calls - use.failed - use.refused


def _in_short(spec: ToolSpec) -> ToolSpec:
    first = next(iter(split_sentences(spec.description)), "").strip()
    return spec.model_copy(update={"description": first, "last": True})
