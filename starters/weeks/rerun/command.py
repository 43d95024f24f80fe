"""`desk rerun`."""

from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = 'Example: desk rerun USD/JPY --week 2026-W44 --reason "the fixing of Friday was revised"'


def rerun(
    market: Annotated[str, typer.Argument(metavar="MARKET", help="Such as USD/JPY, or JP.")],
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why; printed in the report.")
    ],
    week: Annotated[
        str | None,
        typer.Option(
            "--week",
            metavar="WEEK",
            help="ISO week such as 2026-W44; without it, the latest that was researched.",
            show_default=False,
        ),
    ] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Only ask; do not wait for the new revision.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON, and nothing else.")
    ] = False,
) -> ExitStatus:
    """Research one market again, and publish a new revision that says what was redone and why.

    The same from the Temporal CLI: temporal workflow signal --workflow-id weekly-2026-W44
    --name rerun_market --input '{"market":"USD/JPY","reason":"..."}'. A week that has closed is
    started again from its published result, and only that market is touched.
    """
    from starters.weeks.rerun.actions import RerunOptions, rerun_market

    return rerun_market(RerunOptions(market, reason, week, not no_wait, as_json))
