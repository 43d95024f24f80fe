"""What is published, as typed objects and frames."""

import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pandas
import pytest

import desk
from desk import Answer, Report, load_answer, load_report
from desk.api._documents import SealBroken
from desk.api._frames import FramesMissing
from desk.contracts.findings.claims import Claim, Metric, Unit
from desk.contracts.learning.lessons import MadeForecast, ScoredForecast
from desk.contracts.names import AgentId
from desk.learning.calibration import scorecard
from starters.terminal.exit_status import CommandError, UsageError
from tests.published import FOLDER
from tests.support.documents.published import STEM, copied_week, week
from tests.support.processes.homes import home_environment

LIGHT = """
import sys
import desk
assert "load_report" in dir(desk)
heavy = {"numpy", "pandas", "pydantic", "temporalio", "desk.api"}
print(sorted(heavy & sys.modules.keys()))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desk's folder with one published week."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    copied_week(tmp_path / "reports")
    return tmp_path


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """A week with two markets, from its file."""
    return load_report(copied_week(tmp_path))


@pytest.fixture(scope="module")
def answer() -> Answer:
    """The answer to a question about a market."""
    return load_answer(FOLDER / "market.json")


def test_importing_the_desk_loads_nothing() -> None:
    ran = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_name_that_the_desk_has_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'load_everything'"):
        _ = desk.load_everything


def test_a_week_is_found_where_the_desk_publishes(home: Path) -> None:
    for found in (load_report("2022-W43"), load_report("2022-w43"), load_report()):
        assert found.week == "2022-W43"
        assert found.path == home / "reports" / "weekly" / f"{STEM}.json"


@pytest.mark.parametrize("suffix", ["json", "html", "md"])
def test_any_form_of_a_report_names_it(tmp_path: Path, suffix: str) -> None:
    path = copied_week(tmp_path).with_suffix(f".{suffix}")
    assert load_report(str(path)).document == week()


@pytest.mark.usefixtures("home")
def test_a_week_that_is_not_there_says_what_to_do() -> None:
    with pytest.raises(CommandError, match="`desk run --week 2022-W42` publishes it"):
        load_report("2022-W42")
    with pytest.raises(UsageError):
        load_report("2022-W60")


def test_a_changed_file_is_told_and_read(tmp_path: Path) -> None:
    path = copied_week(tmp_path)
    path.write_text(path.read_text().replace('"title": "', '"title": "Our ', 1))
    with pytest.warns(SealBroken, match="was changed since it was published"):
        assert load_report(path).document.title.startswith("Our ")


def test_movers_are_numbers_and_days_with_their_units(report: Report) -> None:
    movers = report.movers()
    (row,) = movers.to_dict("records")
    told = week().movers[0]
    assert row["market"] == "USD/JPY"
    assert (row["move"], row["last"]) == (float(told.move), float(told.last))
    assert movers.dtypes["move"] == "float64"
    assert movers.dtypes["last_on"] == "datetime64[s]"
    assert row["last_on"].date() == told.last_on
    assert movers.attrs["units"]["move"] == "percent"


def test_every_claim_is_a_row_with_its_unit_and_its_verdict(report: Report) -> None:
    claims = report.claims()
    document = report.document
    assert len(claims) == sum(len(m.claims) for m in document.markets) + len(document.counts)
    move = claims.set_index("claim_id").loc["USD/JPY:move"]
    stated = next(c for c in report.market("USD/JPY").claims if c.claim_id == "USD/JPY:move")
    assert move["value"] == float(stated.value)
    assert (move["unit"], move["market"]) == ("percent", "USD/JPY")
    assert move["formula"] == "percent_change"
    assert set(move["inputs"].split()) == {"USD/JPY:previous", "USD/JPY:last"}
    assert move["printed"] == report.trace("USD/JPY:move").printed
    assert set(claims["status"].dropna()) <= {"verified", "single_source", "contested"}
    assert claims.dtypes["value"] == "float64"
    assert claims.dtypes["as_of"] == "datetime64[s]"


def test_a_figure_that_is_a_day_is_a_day_and_no_number(report: Report) -> None:
    claims = _with_a_day(report).claims().set_index("claim_id")
    assert claims.loc["USD/JPY:highest_since", "day"].date() == date(1998, 8, 14)
    assert pandas.isna(claims.loc["USD/JPY:highest_since", "value"])
    assert claims["day"].notna().sum() == 1


def test_fixings_are_a_column_for_each_pair_by_day(report: Report) -> None:
    fixings = report.fixings(["USD/JPY"])
    section = report.market("USD/JPY")
    assert list(fixings.columns) == ["USD/JPY"]
    assert len(fixings) == len(section.days)
    assert isinstance(fixings.index, pandas.DatetimeIndex)
    assert fixings.loc[str(section.days[-1]), "USD/JPY"] == float(section.values[-1])
    with pytest.raises(KeyError, match="EUR/USD"):
        report.fixings(["EUR/USD"])


def test_a_table_without_a_row_keeps_the_types_of_its_columns(report: Report) -> None:
    missing = report.missing()
    assert missing.empty
    assert list(missing.dtypes.astype(str)) == ["str", "str"]


def test_a_trace_is_found_in_any_case_and_a_slip_has_the_nearest(report: Report) -> None:
    trace = report.trace("usdjpy:MOVE")
    assert trace.claim.claim_id == "USD/JPY:move"
    assert {step.claim.claim_id for step in trace.inputs} == {"USD/JPY:previous", "USD/JPY:last"}
    with pytest.raises(CommandError, match=r"no figure 'USD/JPY:mve' .* nearest: USD/JPY:move"):
        report.trace("USD/JPY:mve")


def test_an_answer_has_its_claims_its_quotations_and_their_sources(answer: Answer) -> None:
    claims = answer.claims()
    assert len(claims) == len(answer.document.claims) > 0
    first = answer.document.claims[0].claim_id
    assert answer.trace(first).evidence
    assert answer.markdown.startswith(f"# {answer.question}")
    quotations = answer.quotations()
    assert list(quotations["text"]) == [each.text for each in answer.document.quotations]


def test_a_file_that_is_no_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is no published answer"):
        load_answer(copied_week(tmp_path))
    with pytest.raises(CommandError, match="cannot be read"):
        load_answer(tmp_path / "none.json")


def test_a_file_that_is_no_report_is_named() -> None:
    with pytest.raises(CommandError, match=r"market\.json is damaged, or no report of a week"):
        load_report(FOLDER / "market.json")


def test_without_pandas_a_frame_says_how_to_install_it(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert report.document.movers
    with pytest.raises(FramesMissing, match=r"research-desk\[frames\]"):
        report.movers()


def test_without_pandas_a_notebook_shows_the_words_of_scores(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    scores = desk.Scores(scorecard((), (), datetime(2026, 11, 2, tzinfo=UTC)))
    assert scores._repr_html_() is None
    assert "0 open" in repr(scores)


def test_scores_are_numbers_with_the_brier_score_of_each_forecast() -> None:
    forecasts = (_scored("0.8", "151"), _scored("0.6", "149"), _scored("0.7", None))
    card = scorecard(forecasts, (), datetime(2026, 11, 2, tzinfo=UTC))
    scores = desk.Scores(card, forecasts=forecasts)
    table = scores.table().set_index("of")
    assert table.loc["all", "scored"] == 2
    assert table.loc["all", "brier"] == pytest.approx((0.2**2 + 0.6**2) / 2)
    assert table.loc["all", "hit_rate"] == 0.5
    told = scores.forecasts()
    assert list(told["brier"].dropna()) == pytest.approx([0.04, 0.36])
    assert told.dtypes["due"] == "datetime64[us, UTC]"
    assert pandas.isna(told["value"].iloc[2])
    calibration = scores.calibration()
    assert calibration["forecasts"].sum() == 2
    assert scores.hypotheses().empty
    assert scores.weights().empty
    assert "<table" in (scores._repr_html_() or "")


def _with_a_day(report: Report) -> Report:
    """The report with one claim more: since when the fixing is the highest."""
    since = Claim(
        claim_id="USD/JPY:highest_since",
        subject="USD/JPY",
        metric=Metric.HIGHEST_SINCE,
        value=Decimal(19980814),
        unit=Unit.CALENDAR_DAY,
        as_of=date(2022, 10, 21),
    )
    first, *others = report.document.markets
    section = first.model_copy(update={"claims": (*first.claims, since)})
    document = report.document.model_copy(update={"markets": (section, *others)})
    return Report(document, report.path)


def _scored(probability: str, value: str | None) -> ScoredForecast:
    made = MadeForecast(
        market="USD/JPY",
        agent=AgentId.RESEARCH_AGENT_1,
        week="2026-W43",
        due=datetime(2026, 11, 1, tzinfo=UTC),
        probability=float(probability),
        level=Decimal(150),
        level_on=date(2026, 10, 23),
        server="ecb",
    )
    return ScoredForecast(
        made=made,
        value=None if value is None else Decimal(value),
        value_on=None if value is None else date(2026, 10, 30),
    )
