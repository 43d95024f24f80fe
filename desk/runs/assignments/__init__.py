"""What an agent is given to do, until when, and who takes over."""

from desk.runs.assignments.budget import (
    NOTHING,
    Budget,
    Stage,
    affordable,
    all_of,
    lost,
    lost_call,
    minus,
    pays_for,
    spent,
)
from desk.runs.assignments.deadlines import (
    MARGIN,
    answer_due,
    call_allowance,
    model_works_until,
    reminder_due,
    share_of,
    time_left,
    works_until,
)
from desk.runs.assignments.effort import effort_for, turns_for
from desk.runs.assignments.outages import outage_of, together
from desk.runs.assignments.reassignment import Undelivered, next_agent
from desk.runs.assignments.tasks import (
    VALIDATION,
    assignment_of,
    market_task,
    node_deadline,
    place_of,
    policy_at,
    shown_to,
    week_before,
    window_before,
)

__all__ = [
    "MARGIN",
    "NOTHING",
    "VALIDATION",
    "Budget",
    "Stage",
    "Undelivered",
    "affordable",
    "all_of",
    "answer_due",
    "assignment_of",
    "call_allowance",
    "effort_for",
    "lost",
    "lost_call",
    "market_task",
    "minus",
    "model_works_until",
    "next_agent",
    "node_deadline",
    "outage_of",
    "pays_for",
    "place_of",
    "policy_at",
    "reminder_due",
    "share_of",
    "shown_to",
    "spent",
    "time_left",
    "together",
    "turns_for",
    "week_before",
    "window_before",
    "works_until",
]
