"""Policy rates: the notes are a list, and those of earlier versions are read as one; a change
stands with its day, or with its month where no more is known."""

from datetime import date

from desk.contracts.findings.source_results import DatePrecision
from desk.contracts.markets import MarketGroup
from desk.contracts.week.report import RateRow
from desk.programs.week.document.audit.tables import table_findings
from desk.programs.week.document.rendering.rates_table import noted_rates
from desk.programs.week.document.rendering.wording import rate_cells
from tests.support.documents.reports import sample_report

OLD = "changes are known until 31 Aug 2026 only"


def row(area: str, *notes: str, note: str | None = None) -> RateRow:
    return RateRow(area=area, bank=area, group=MarketGroup.G10, notes=notes, note=note)


def test_a_note_of_an_earlier_version_is_read_as_its_parts() -> None:
    assert row("US", note=f"the base; {OLD}").remarks == ("the base", OLD)
    assert row("US", "the base", OLD).remarks == ("the base", OLD)
    assert row("US").remarks == ()


def test_a_note_may_hold_what_once_stood_between_notes() -> None:
    noted = noted_rates([row("US", "a range; its midpoint"), row("JP", OLD), row("GB", OLD)])
    assert noted.own["US"] == "a range; its midpoint"
    assert noted.shared == {"a": OLD}
    assert noted.marks == {"US": "", "JP": "a", "GB": "a"}


def test_a_report_with_joined_notes_is_verified_as_one_with_a_list_is() -> None:
    report = sample_report()
    joined = tuple(
        each.model_copy(update={"note": "; ".join(each.notes) or None, "notes": ()})
        for each in report.policy_rates
    )
    assert any(each.note for each in joined)
    earlier = report.model_copy(update={"policy_rates": joined})
    for version in (report, earlier):
        assert not [each for each in table_findings(version) if each.where.startswith("policy")]


def test_a_change_known_by_its_month_stands_without_a_day() -> None:
    known = row("NO").model_copy(update={"since": date(2026, 5, 31)})
    assert "31 May 2026" in rate_cells(known)
    by_month = known.model_copy(update={"since_precision": DatePrecision.MONTH})
    assert "May 2026" in rate_cells(by_month)
