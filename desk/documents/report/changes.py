"""What is materially different from an earlier report, by thresholds of the configuration."""

from collections.abc import Mapping
from typing import Final

from desk.contracts.config import MaterialityConfig
from desk.contracts.week.changes import ChangeKind, Changes
from desk.contracts.week.report import ResearchReport
from desk.documents.report.claims import printed_claims
from desk.documents.report.differences import (
    ReportPair,
    confidences,
    coverage,
    events,
    levels,
    origins,
    rates,
    stances,
)

MOST_CHANGES: Final = 2_000

RANKS: Final[Mapping[ChangeKind, int]] = {
    kind: rank
    for rank, kind in enumerate(
        (
            ChangeKind.RATE,
            ChangeKind.EVENT,
            ChangeKind.COVERAGE,
            ChangeKind.LEVEL,
            ChangeKind.STANCE,
            ChangeKind.CONFIDENCE,
            ChangeKind.SOURCE,
        )
    )
}
"""Which kind is told first. Within a kind, what exceeds its threshold most."""

FIRST_REPORT: Final = "There is no earlier report to compare with."
NOT_EARLIER: Final = "The other report is not of an earlier week, so nothing is compared with it."


def changes_between(
    before: ResearchReport | None, after: ResearchReport, materiality: MaterialityConfig
) -> Changes:
    """The differences that are as large as their threshold or larger, most important first.

    Without an earlier report, or with one that is not of an earlier week and as-of instant, there
    are none and the note says so. No differences is a finding, and has no note.
    """
    if before is None:
        return Changes(note=FIRST_REPORT)
    if before.week >= after.week or before.as_of >= after.as_of:
        return Changes(note=NOT_EARLIER)
    pair = ReportPair(before, after, printed_claims(before), printed_claims(after))
    found = sorted(
        (
            *rates(pair, materiality.rate),
            *events(pair),
            *coverage(pair),
            *levels(pair, materiality.level),
            *stances(pair, materiality.level),
            *confidences(pair, materiality.confidence),
            *origins(pair),
        ),
        key=lambda line: (RANKS[line.change.kind], -line.size),
    )
    more = len(found) - MOST_CHANGES
    return Changes(
        against=before.week,
        against_revision=before.revision,
        entries=tuple(line.change for line in found[:MOST_CHANGES]),
        note=f"{more} changes of lesser importance are not listed." if more > 0 else None,
    )
