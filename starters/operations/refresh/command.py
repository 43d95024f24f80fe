"""`desk refresh`."""

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk refresh"


def refresh(as_json: AsJson = False) -> ExitStatus:
    """Fetch once what the sources of .mcp.json keep, and say how far each goes now.

    Exit status 1 when a source could not be had: what was there of it stays in use.
    """
    from starters.operations.refresh.actions import refresh_sources

    return refresh_sources(as_json=as_json)
