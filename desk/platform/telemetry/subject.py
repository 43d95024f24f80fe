"""What a workflow or an activity is about, read from its ids: run, market, agent."""

import re
from typing import Final

from desk.contracts.names import AgentId

_WORKFLOW: Final = re.compile(
    # Whatever kind of child it is, it belongs to the run that its id begins with.
    r"(?P<run>[^/]+)(?:/market/(?P<market>.+?)(?:/(?:rerun|reassign|escalation)/|$))?"
)
_AGENTS: Final = frozenset(agent.value for agent in AgentId)


def subject_of(workflow_id: str | None, activity_id: str | None = None) -> dict[str, str]:
    """`run`, and `market` and `agent` where the ids name them; empty where there is no workflow."""
    found = _WORKFLOW.match(workflow_id or "")
    if found is None:
        return {}
    named = {name: value for name, value in found.groupdict().items() if value}
    agent = (activity_id or "").split(".", 1)[0]
    return {**named, "agent": agent} if agent in _AGENTS else named
