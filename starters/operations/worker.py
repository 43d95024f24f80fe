"""`desk worker`."""

from enum import StrEnum
from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk worker research"


class WorkerRole(StrEnum):
    """The roles of `desk worker`, listed here so that `--help` imports no worker."""

    ORCHESTRATOR = "orchestrator"
    RESEARCH = "research"
    VALIDATION = "validation"
    SOURCES = "sources"
    ALL = "all"


def worker(
    role: Annotated[WorkerRole, typer.Argument(metavar="ROLE", help="What it works on.")],
    give_up_after: Annotated[
        float | None,
        typer.Option(
            "--give-up-after",
            metavar="SECONDS",
            min=0,
            help="Wait no longer than that for a server to work for, at the start.",
            show_default=False,
        ),
    ] = None,
) -> ExitStatus:
    """Run the workers of one role until Ctrl-C, for running them apart.

    ROLE is orchestrator, research, validation, sources or all. Where no server answers yet, they
    wait for it.
    """
    from starters.operations.up.serve import stay_as
    from workers.hosting import Role

    return stay_as(Role(role), give_up_after=give_up_after)
