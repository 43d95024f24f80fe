"""`desk agents`."""

from typing import Annotated

import typer

from starters.endings import ExitStatus

EXAMPLE = "Example: desk agents; desk agents --json"


def agents(
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> ExitStatus:
    """Say how every agent and source is: healthy, degraded or offline, and why.

    From Temporal's workers, task queues and the histories of the last day. Exit status 0 whatever
    is found.
    """
    from starters.agents_show import show_agents

    return show_agents(as_json=as_json)
