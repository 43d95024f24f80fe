"""`desk audit`."""

from pathlib import Path
from typing import Annotated

import typer

from starters.terminal.exit_status import ExitStatus

EXAMPLE = "Example: desk audit reports/weekly/2026-W44-asia-g10-fx.json"


def audit(
    report: Annotated[
        str,
        typer.Argument(
            metavar="REPORT",
            help="The JSON form of a report or of an answer, or a week such as 2026-W44.",
        ),
    ],
    same_as: Annotated[
        Path | None,
        typer.Option(
            "--same-as",
            metavar="OTHER",
            help="Also say whether another report is the same apart from the run's own times.",
            show_default=False,
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="PUBLIC-KEY",
            help="Also check that this publisher signed it: the file of a public key in PEM form.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> ExitStatus:
    """Verify a published report or answer from its evidence alone. Needs no server and no
    network.

    Exit status 0: all of it is verified. 1: something is not as it should be. 3: nothing is wrong,
    and a page that another version of the desk rendered could be verified only in part. With --key,
    before those: 4 not signed, 5 signed with another key, 6 changed after it was signed.
    """
    from starters.published.audit.actions import audit_report

    return audit_report(report, same_as=same_as, key=key, as_json=as_json)
