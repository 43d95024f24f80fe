"""`desk report --origins`: how many figures have a second origin."""

import sys

from desk.contracts.base import Contract, ShortText
from desk.contracts.base import Text as BoundedText
from desk.contracts.findings.claims import ClaimId
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek
from desk.documents.rendering.words.wording import human
from desk.programs.week.document.judging.verdicts import (
    OneOrigin,
    SecondOrigins,
    of_one_origin,
    second_origins,
)
from starters.terminal.exit_status import ExitStatus
from starters.terminal.tables import table_lines

ORIGIN_COLUMNS = ("Without", "Rests on", "Figures", "Why")


class WithoutSecondOrigin(Contract):
    """Figures that have a single origin for the same reason, as in `OneOrigin`."""

    rests_on: ClaimId
    metrics: tuple[ShortText, ...]
    figures: int
    reason: BoundedText


class OriginsOfFigures(Contract):
    """How many printed figures of a report have a second origin; `--origins --json` prints it.
    `share` is the share of verified figures, 0 to 1."""

    week: IsoWeek
    figures: int
    verified: int
    single_source: int
    contested: int
    share: float
    without: tuple[WithoutSecondOrigin, ...]


def show_origins(report: ResearchReport, *, as_json: bool) -> ExitStatus:
    """Prints how many figures of a report have a second origin, and why the others have none."""
    counts, without = second_origins(report), of_one_origin(report)
    if as_json:
        told = _origins_of_figures(report.week, counts, without)
        sys.stdout.write(f"{told.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    sys.stdout.write(f"{report.week}: {origins_words(counts)}\n")
    rows = (
        (str(g.figures), g.rests_on, ", ".join(map(human, g.metrics)), g.reason) for g in without
    )
    if without:
        for line in table_lines(ORIGIN_COLUMNS, rows, right={0}):
            sys.stdout.write(f"{line}\n")
    return ExitStatus.COMPLETE


def origins_words(counts: SecondOrigins) -> str:
    """`476 of 540 printed figures (88.1 %) have a second origin; 64 from a single source, 0
    contested`."""
    return (
        f"{counts.verified:,} of {counts.figures:,} printed figures ({counts.share:.1%}".replace(
            "%", " %"
        )
        + f") have a second origin; {counts.single_source:,} from a single source, "
        f"{counts.contested:,} contested"
    )


def _origins_of_figures(
    week: str, counts: SecondOrigins, without: tuple[OneOrigin, ...]
) -> OriginsOfFigures:
    return OriginsOfFigures(
        week=week,
        figures=counts.figures,
        **counts._asdict(),
        share=round(counts.share, 4),
        without=tuple(WithoutSecondOrigin(**group._asdict()) for group in without),
    )
