"""`desk scorecard`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk scorecard --as-of 2026-W44; desk scorecard --market USD/JPY"


def scorecard(
    week: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            "--week",
            metavar="WEEK",
            help="As a run of that week knew it, such as 2026-W44; without it, as of now.",
            show_default=False,
        ),
    ] = None,
    market: Annotated[
        str | None,
        typer.Option("--market", metavar="MARKET", help="One market alone.", show_default=False),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print it as JSON, with every scored forecast.")
    ] = False,
) -> ExitStatus:
    """Show how the desk's forecasts did whose horizon has passed, and what follows for the votes.

    Against a random walk and carry, with the calibration, the weights and their reasons, and
    whether the forecasts lean one way. Beside them the hypotheses of research swarms.
    """
    from starters.learning.scorecard.actions import show_scorecard

    return show_scorecard(week, market, as_json=as_json)
