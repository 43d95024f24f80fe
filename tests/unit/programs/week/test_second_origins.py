"""How many printed figures have a second origin, and what the others rest on."""

from desk.contracts.findings.verdicts import ClaimStatus
from desk.programs.week.document.judging.verdicts import of_one_origin, second_origins
from tests.support.documents.traced_report import pair_section, traced_report


def test_only_what_another_origin_bears_out_counts() -> None:
    counts = second_origins(traced_report())
    assert (counts.verified, counts.single_source, counts.contested) == (1, 1, 1)
    assert counts.share == 1 / 3
    assert second_origins(traced_report(markets=())).share == 0


def test_a_rejected_figure_is_not_printed_and_not_counted() -> None:
    section = pair_section()
    verdicts = tuple(
        verdict.model_copy(update={"status": ClaimStatus.REJECTED}) for verdict in section.verdicts
    )
    gone = section.model_copy(update={"verdicts": verdicts})
    assert second_origins(traced_report(markets=(gone,))).figures == 0


def test_what_is_computed_rests_on_the_input_that_has_one_origin() -> None:
    section = pair_section()
    single = tuple(
        verdict.model_copy(update={"status": ClaimStatus.SINGLE_SOURCE})
        for verdict in section.verdicts
    )
    report = traced_report(markets=(section.model_copy(update={"verdicts": single}),))
    groups = of_one_origin(report)
    move = next(claim for claim in section.claims if claim.inputs)
    roots = {group.rests_on for group in groups}
    assert move.claim_id not in roots
    assert roots & set(move.inputs)
    assert sum(group.figures for group in groups) == second_origins(report).figures
