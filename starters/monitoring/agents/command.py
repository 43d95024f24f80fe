"""`desk agents`."""

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk agents; desk agents --json"


def agents(
    as_json: AsJson = False,
) -> ExitStatus:
    """Say how every agent and source is: healthy, degraded or offline, and why.

    From Temporal's workers, task queues and the histories of the last day. Exit status 0 whatever
    is found.
    """
    from starters.monitoring.agents.actions import show_agents

    return show_agents(as_json=as_json)
