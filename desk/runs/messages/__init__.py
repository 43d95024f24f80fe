"""A run's history as the messages between its agents."""

from desk.runs.messages.events import (
    Answered,
    Asked,
    Entered,
    Event,
    Failed,
    Fault,
    HandedOn,
    Lost,
    Pending,
    Reassigned,
    RerunAsked,
    Taken,
    ToldWorkflow,
    TurnAnswer,
    TurnAsked,
    WaitingNoted,
    WeekAsked,
    turn_of,
)
from desk.runs.messages.messages import chosen, told
from desk.runs.messages.now import WorkerSeen, WorkerState
from desk.runs.messages.telling import Entry

__all__ = [
    "Answered",
    "Asked",
    "Entered",
    "Entry",
    "Event",
    "Failed",
    "Fault",
    "HandedOn",
    "Lost",
    "Pending",
    "Reassigned",
    "RerunAsked",
    "Taken",
    "ToldWorkflow",
    "TurnAnswer",
    "TurnAsked",
    "WaitingNoted",
    "WeekAsked",
    "WorkerSeen",
    "WorkerState",
    "chosen",
    "told",
    "turn_of",
]
