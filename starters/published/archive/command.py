"""`desk archive`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk archive --open"


def archive(
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Say what is in it as JSON.")] = False,
) -> ExitStatus:
    """Write the archive of all published reports anew: weeks, markets, search. Needs no server."""
    from starters.published.archive.actions import write

    return write(browse=browse, as_json=as_json)
