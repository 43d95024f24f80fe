"""`desk up`."""

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk up"


def up() -> ExitStatus:
    """Run the embedded server and all workers until Ctrl-C.

    With a Temporal server of your own (TEMPORAL_ADDRESS or temporal.toml), only the workers.
    """
    from starters.operations.up.serve import stay_up

    return stay_up()
