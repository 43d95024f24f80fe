"""`desk cleanup`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus
from starters.terminal.options import AsJson

EXAMPLE = "Example: desk cleanup --dry-run"


def cleanup(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go; delete nothing.")
    ] = False,
    as_json: AsJson = False,
) -> ExitStatus:
    """Delete what is past its time: logs, old reports, payloads and results nobody refers to."""
    from starters.operations.cleanup.actions import clean_up

    return clean_up(dry_run=dry_run, as_json=as_json)
