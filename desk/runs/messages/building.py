"""Makes the messages of one workflow, event by event, from its history."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from desk.agents.registry import delivers
from desk.contracts.agents.tasks import TaskAssignment
from desk.contracts.findings.results import Recovery
from desk.contracts.names import AgentId, activity_id_parts, agent_of
from desk.contracts.runs.messages import (
    PRIORITY_LEVELS,
    AgentMessage,
    BroadcastContent,
    Everyone,
    MessageContent,
    MessageType,
    PriorityName,
)
from desk.contracts.runs.turns import AgentResult
from desk.runs.messages import contents
from desk.runs.messages.events import (
    ActivityAsked,
    ActivityTaken,
    AttemptFailure,
    Entered,
    Failed,
    Lost,
    MessageEvent,
    Reassigned,
    RerunAsked,
    TurnAnswered,
    TurnKey,
    WaitingNoted,
    WorkflowEvents,
    turn_of,
)

PM: Final = AgentId.PRODUCT_MANAGER
SOURCE: Final = "source."
"""The prefix of the sources' queues. An activity there is a tool call and not an agent's turn."""


class SortedMessage(NamedTuple):
    """A message with its sort key. `family` is the market's workflow that it comes from; `market`
    is None for a message about the whole run."""

    at: datetime
    workflow_id: str
    event_id: int
    part: str
    family: str
    market: str | None
    message: AgentMessage


@dataclass
class Task:
    """The task of an agent at its place in a workflow, and its progress."""

    assignment: TaskAssignment
    message_id: str
    given_at: datetime
    calls: int = 0
    reported: bool = False


class MessageBuilder:
    """Makes the messages of one workflow, event by event."""

    def __init__(self, workflow: WorkflowEvents) -> None:
        self.workflow = workflow
        self.asked = {e.event_id: e for e in workflow.events if isinstance(e, ActivityAsked)}
        self.tasks = dict(self._given_tasks())
        self._failed_before = list(workflow.handed.tried) if workflow.handed else []
        self._last_turn = self._last_turns()
        self._delivering = self._deliveries()

    def entries(self) -> Iterator[SortedMessage]:
        """Yields the messages, in the order of the events."""
        for event in self.workflow.events:
            yield from self._messages_of(event)

    def _messages_of(self, event: MessageEvent) -> Iterator[SortedMessage]:
        match event:
            case ActivityAsked():
                yield from self._given(event)
            case ActivityTaken():
                yield from self._taken(event)
            case TurnAnswered():
                yield from self._answered(event)
            case Failed():
                yield from self._failed(event)
            case Entered():
                told_of = self.workflow
                content = contents.entered(event, told_of.market, told_of.workflow_id)
                yield self.entry(event, PM, Everyone.BROADCAST, content)
            case RerunAsked():
                yield self._rerun(event)
            case WaitingNoted():
                yield self._waiting(event)
            case Reassigned():
                yield from self._reassigned(event)
            case Lost():
                yield self._lost(event)

    def _given(self, event: ActivityAsked) -> Iterator[SortedMessage]:
        turn = self.turn(event)
        if turn is None or event.task is None:
            return
        content = contents.given(event.task, tuple(self._failed_before))
        if self.workflow.handed is not None:
            self._failed_before.append(turn.agent)
        starter = self.workflow.started_by
        for_manager = turn.agent is PM and contents.is_identity(starter)
        yield self.entry(
            event,
            starter if for_manager else PM,
            turn.agent,
            content,
            task=self.tasks[turn.place],
            answers=False,
            timeout=event.timeout,
        )

    def _taken(self, event: ActivityTaken) -> Iterator[SortedMessage]:
        asked = self.asked.get(event.asked)
        if asked is None:
            return
        turn = self.turn(asked)
        if event.before is not None:
            yield self.fault(event, asked, event.before, attempt=max(event.attempt - 1, 1))
        task = self.tasks.get(turn.place) if turn else None
        if turn is not None and task is not None and asked.task is not None:
            content = contents.accepted(task.assignment, event)
            yield self.entry(event, turn.agent, PM, content, task=task)

    def _answered(self, event: TurnAnswered) -> Iterator[SortedMessage]:
        asked = self.asked.get(event.asked)
        turn = self.turn(asked) if asked else None
        task = self.tasks.get(turn.place) if turn else None
        if asked is None or turn is None or task is None:
            return
        answer = event.turn
        task.calls += len(answer.calls)
        if answer.failure is not None:
            task.reported = True
            final = self._is_final(asked, turn)
            happened = self._happened(event, asked, self._after_turn(event, task, final=final))
            report = contents.error_report(
                answer.failure, happened, final=final, task_id=task.assignment.task_id
            )
            yield self.entry(event, turn.agent, PM, report, task=task)
        elif answer.result is not None and self._delivering.get(turn.place) == event.event_id:
            yield self._delivered(event, turn, task, answer.result)
        else:
            content = contents.progress(task.assignment, turn.number, task.calls, answer)
            yield self.entry(event, turn.agent, PM, content, task=task)

    def _delivered(
        self, event: TurnAnswered, turn: TurnKey, task: Task, result: AgentResult
    ) -> SortedMessage:
        seconds = (event.at - task.given_at).total_seconds()
        content = contents.delivered(result, task.assignment, seconds)
        said_to_all = isinstance(content, BroadcastContent)
        to = Everyone.BROADCAST if said_to_all else PM
        return self.entry(event, turn.agent, to, content, task=task)

    def _failed(self, event: Failed) -> Iterator[SortedMessage]:
        asked = self.asked.get(event.asked)
        if asked is None:
            return
        turn = self.turn(asked)
        task = self.tasks.get(turn.place) if turn else None
        if turn is not None and task is not None and asked.task is not None and not event.taken:
            content = contents.rejected(task.assignment, event)
            yield self.entry(event, turn.agent, PM, content, task=task)
            return
        if task is not None:
            task.reported = True
        yield self.fault(event, asked, event.fault, final=self._is_final(asked, turn))

    def _is_final(self, asked: ActivityAsked, turn: TurnKey | None) -> bool:
        """Returns whether a failure ends the work. An agent continues without a tool's answer; a
        delivery has no alternative."""
        if turn is None:
            return not asked.queue.startswith(SOURCE)
        return asked.event_id == self._last_turn[turn.place]

    def _after_turn(self, event: MessageEvent, task: Task | None, *, final: bool) -> Recovery:
        """Returns the recovery from the final failure of a turn, or of the desk's own work."""
        if not final:
            return Recovery.ANOTHER_TURN
        if self.workflow.handed is not None:
            later = (e for e in self.asked.values() if e.event_id > event.event_id)
            others = any(one.task is not None for one in later)
            return Recovery.REASSIGNMENT if others else Recovery.DEAD_LETTER
        handed = (
            one.request.assignment.task_id
            for one in self.workflow.events
            if isinstance(one, Reassigned)
        )
        mine = task is not None and task.assignment.task_id in handed
        return Recovery.REASSIGNMENT if mine else Recovery.NONE

    def _happened(
        self, event: MessageEvent, asked: ActivityAsked | None, recovery: Recovery
    ) -> contents.Happened:
        return contents.Happened(event.at, self._context(event, asked), recovery)

    def _context(self, event: MessageEvent, asked: ActivityAsked | None) -> dict[str, str | int]:
        """Returns the place of an error: its workflow, event, activity and queue."""
        place: dict[str, str | int] = {
            "workflow_id": self.workflow.workflow_id,
            "run_id": self.workflow.run_id,
            "event_id": event.event_id,
        }
        if asked is not None:
            place |= {"activity_id": asked.activity_id, "task_queue": asked.queue}
        return place

    def _reassigned(self, event: Reassigned) -> Iterator[SortedMessage]:
        """Reports why a task was reassigned if no earlier event did: a limit was reached."""
        request = event.request
        task = self._task_of(request.assignment)
        if (task is not None and task.reported) or not request.errors:
            return
        happened = self._happened(event, None, Recovery.REASSIGNMENT)
        report = contents.error_report(
            request.errors[-1], happened, final=True, task_id=request.assignment.task_id
        )
        yield self.entry(event, request.assignment.agent, PM, report, task=task)

    def _lost(self, event: Lost) -> SortedMessage:
        context = self._context(event, None)
        if event.workflow_id is not None:
            context["child_workflow_id"] = event.workflow_id
        content = contents.lost_report(event, context)
        letter = event.letter
        if letter is None:
            return self.entry(event, PM, Everyone.BROADCAST, content)
        agent = letter.errors[-1].agent if letter.errors else letter.assignment.agent
        return self.entry(event, agent, PM, content, task=self._task_of(letter.assignment))

    def _rerun(self, event: RerunAsked) -> SortedMessage:
        request = event.request
        by = event.by if contents.is_identity(event.by) else PM
        content = BroadcastContent(
            text=f"{request.market} is to be done again: {request.reason}"[:4_000],
            market=request.market,
            rerun=request,
        )
        return self.entry(event, by, Everyone.BROADCAST, content, market=request.market)

    def _waiting(self, event: WaitingNoted) -> SortedMessage:
        notice = event.notice
        cases = ", ".join(notice.escalations)
        words = f"waits for a person: {cases}" if cases else "waits for nobody any more"
        content = BroadcastContent(text=f"{notice.market} {words}"[:4_000], market=notice.market)
        return self.entry(event, PM, Everyone.BROADCAST, content, market=notice.market)

    def fault(
        self,
        event: MessageEvent,
        asked: ActivityAsked,
        fault: AttemptFailure,
        *,
        attempt: int = 1,
        final: bool = False,
    ) -> SortedMessage:
        """Returns the report of an activity's failure, by the agent that it was done for."""
        turn = self.turn(asked)
        task = self.tasks.get(turn.place) if turn else self.task_at(asked.activity_id)
        agent = agent_of(asked.activity_id)
        recovery = Recovery.ANOTHER_TRY
        if isinstance(event, Failed):
            recovery = self._after_turn(event, task, final=final)
            if turn is None and not final:
                recovery = Recovery.WITHOUT_IT
        content = contents.fault_report(
            fault,
            agent,
            self._happened(event, asked, recovery),
            final=final,
            task_id=task.assignment.task_id if task else None,
            tool=asked.queue.removeprefix(SOURCE) if asked.queue.startswith(SOURCE) else None,
            attempt=attempt,
        )
        part = f"attempt-{attempt}" if not isinstance(event, Failed) else ""
        return self.entry(event, agent, PM, content, task=task, part=part)

    def entry(
        self,
        event: MessageEvent,
        by: AgentId | str,
        to: AgentId | Everyone,
        content: MessageContent,
        *,
        task: Task | None = None,
        answers: bool = True,
        timeout: float | None = None,
        part: str = "",
        market: str | None = None,
    ) -> SortedMessage:
        """Returns the message of an event in its envelope. Within a task it replies to the
        assignment."""
        message = AgentMessage(
            message_id=self._id(event, part),
            from_agent=by,
            to_agent=to,
            type=MessageType(content.kind),
            timestamp=event.at,
            content=content,
            priority=task.assignment.priority if task else PRIORITY_LEVELS[PriorityName.NORMAL],
            reply_to=task.message_id if task and answers else None,
            correlation_id=task.assignment.task_id if task else None,
            timeout=timeout or None,
        )
        told_of = self.workflow
        about = market or told_of.market
        return SortedMessage(
            event.at, told_of.workflow_id, event.event_id, part, told_of.family, about, message
        )

    def turn(self, asked: ActivityAsked) -> TurnKey | None:
        """Returns the turn of an activity, or None for a tool call."""
        return None if asked.queue.startswith(SOURCE) else turn_of(asked.activity_id)

    def task_at(self, activity_id: str) -> Task | None:
        """Returns the task that an activity belongs to, as a turn or as a tool call of a turn."""
        places = (place for place in self.tasks if _is_at(place, activity_id))
        return next((self.tasks[place] for place in places), None)

    def _id(self, event: MessageEvent, part: str = "") -> str:
        name = f"{self.workflow.workflow_id}/{self.workflow.run_id}#{event.event_id}"
        return f"{name}.{part}" if part else name

    def _given_tasks(self) -> Iterator[tuple[str, Task]]:
        """Yields the tasks by their places, each from its first event on. Opening calls come before
        the first turn, whose request describes the task."""
        for event in self.asked.values():
            turn = self.turn(event)
            if turn is not None and event.task is not None:
                own = [e for e in self.asked.values() if _is_at(turn.place, e.activity_id)]
                opened = sum(_calls_before_turns(e.activity_id) for e in own)
                since = min(e.at for e in own)
                yield turn.place, Task(event.task.assignment, self._id(event), since, opened)

    def _task_of(self, assignment: TaskAssignment) -> Task | None:
        """Returns the task of an assignment. In a graph it is stored at the place of its node."""
        own = f"{assignment.agent}.{assignment.task_type}"
        return self.tasks.get(own) or self.tasks.get(f"{own}.{assignment.task_id}")

    def _last_turns(self) -> dict[str, int]:
        turns = ((self.turn(asked), asked.event_id) for asked in self.asked.values())
        return {turn.place: event_id for turn, event_id in turns if turn is not None}

    def _deliveries(self) -> dict[str, int]:
        """Returns for each place the answer that delivers: the last one with the kind of result
        that the task asks for."""
        found: dict[str, int] = {}
        kinds: dict[str, str | None] = {}
        for event in self.workflow.events:
            if isinstance(event, ActivityAsked) and event.task and (turn := self.turn(event)):
                kinds[turn.place] = delivers(event.task.assignment.task_type)
            elif isinstance(event, TurnAnswered) and event.asked in self.asked:
                turn = self.turn(self.asked[event.asked])
                result = event.turn.result
                if turn and result is not None and result.kind == kinds.get(turn.place):
                    found[turn.place] = event.event_id
        return found


def _is_at(place: str, activity_id: str) -> bool:
    """Returns whether an activity is a turn at a place, or a tool call of such a turn."""
    return activity_id.startswith(f"{place}.t")


def _calls_before_turns(activity_id: str) -> int:
    parts = activity_id_parts(activity_id)
    return parts.calls if parts and parts.turn == 0 else 0
