"""`desk schedule`."""

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk schedule apply && desk schedule show"

schedule = typer.Typer(
    help="The weekly schedule, as desk.toml has it.", epilog=EXAMPLE, no_args_is_help=True
)


@schedule.command(epilog="Example: desk schedule apply")
def apply() -> ExitStatus:
    """Put the schedule of desk.toml into force; again changes nothing, and paused stays paused."""
    from starters.weeks.schedule import actions

    return actions.at_the_server(actions.apply)


@schedule.command(epilog="Example: desk schedule show")
def show() -> ExitStatus:
    """Show the schedule, its next starts and its latest runs."""
    from starters.weeks.schedule import actions

    return actions.at_the_server(actions.show)


@schedule.command(epilog="Example: desk schedule pause")
def pause() -> ExitStatus:
    """Start no more runs until it is resumed."""
    from starters.weeks.schedule import actions

    return actions.at_the_server(actions.pause)


@schedule.command(epilog="Example: desk schedule resume")
def resume() -> ExitStatus:
    """Start runs again."""
    from starters.weeks.schedule import actions

    return actions.at_the_server(actions.resume)


@schedule.command(epilog="Example: desk schedule trigger")
def trigger() -> ExitStatus:
    """Start a run now, of the latest week whose as-of instant has passed.

    Unlike `desk run`, it takes that week also when the data do not reach it yet, or when it is
    published already: then the report gets a new revision.
    """
    from starters.weeks.schedule import actions

    return actions.at_the_server(actions.trigger)


@schedule.command(epilog="Example: desk schedule delete")
def delete() -> ExitStatus:
    """Take the schedule away; runs and reports stay."""
    from starters.weeks.schedule import actions

    return actions.at_the_server(actions.delete)
