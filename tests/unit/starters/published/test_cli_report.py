"""`desk report --trace` and `--diff`: a figure's source and two weeks' difference, from files."""

import json
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from desk.contracts.week.changes import Changes
from desk.contracts.week.report import ResearchReport
from desk.documents.rendering.figures.traces import Trace, Traces
from desk.programs.week.document.publishing import publish
from desk.trust.seals import sealed
from starters.main import execute
from starters.published.report.tracing import console, trace_tree
from starters.terminal.exit_status import ExitStatus
from tests.support.documents.traced_report import AS_OF, MOVE, pair_section, traced_report
from tests.support.processes.homes import home_environment

EARLIER = "2026-W43"


def earlier_report(level: str = "150.00") -> ResearchReport:
    """The report of the week before, with another level of USD/JPY."""
    last, *others = pair_section().claims
    before = last.model_copy(update={"value": Decimal(level)})
    section = pair_section().model_copy(update={"claims": (before, *others)})
    window = traced_report().window.model_copy(update={"end": AS_OF - timedelta(days=7)})
    report = traced_report()
    return traced_report(
        week=EARLIER,
        as_of=window.end,
        window=window,
        markets=(section, *report.markets[1:]),
        changes=Changes(),
    )


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two published weeks and no server."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    for report in (earlier_report(), traced_report()):
        publish(report, tmp_path / "reports")
    return tmp_path / "reports"


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = execute(["report", *arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.usefixtures("reports")
def test_a_figure_is_followed_to_the_fixing_and_the_event_of_the_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = told(capsys, "--trace", "USD/JPY:move", "--week", "2026-W44")
    assert status == ExitStatus.COMPLETE
    for words in (
        *("USD/JPY:move  +0.29 %", "formula  percent change: (157.25 / 156.80 − 1) × 100"),
        *("verdict  Single source", "USD/JPY:last  157.25", "row  fixing of 30 Oct 2026: 157.25"),
        *("call  ecb.get_historical start 2025-10-01; symbol USD/JPY", "retrieved  2 Nov 2026"),
        *("workflow  weekly-2026-W44/market/USD/JPY", "run  0199-run-of-the-market", "event  17"),
        *("link  https://www.ecb.europa.eu/stats/", "checked with  Federal Reserve H.10"),
        "report  2026-W44, revision 1",
        *(f"as of  {AS_OF:%-d %b %Y %H:%M} UTC", "sha-256  "),
    ):
        assert words in out


@pytest.mark.parametrize("figure", ["USD/JPY:move", "usdjpy"])
def test_a_figure_that_the_newest_week_lacks_is_of_the_newest_that_has_it(
    figure: str, reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    end = AS_OF + timedelta(days=7)
    window = traced_report().window.model_copy(update={"end": end})
    empty = {"week": "2026-W45", "as_of": end, "window": window, "changes": Changes()}
    parts = dict.fromkeys(("markets", "conflicts", "movers", "summary", "cross_checks"), ())
    publish(traced_report(**parts, **empty), reports)
    status, out, err = told(capsys, "--trace", figure)
    assert status == ExitStatus.COMPLETE
    assert f"the newest week, 2026-W45, has no {figure}; this is of 2026-W44" in err
    assert "USD/JPY:move" in out
    status, _, err = told(capsys, "--trace", "USD/JPY:mvoe")
    assert status == ExitStatus.FAILED and "2026-W45" in err
    status, _, err = told(capsys, "--trace", figure, "--week", "2026-W45")
    assert status == ExitStatus.FAILED and "2026-W45" in err


@pytest.mark.usefixtures("reports")
def test_evidence_of_several_inputs_is_told_in_full_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = told(capsys, "--trace", MOVE)
    assert out.count("call  ecb.get_historical") == 1
    assert out.count("row  fixing of") == 2


@pytest.mark.usefixtures("reports")
def test_a_trace_as_json_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = told(capsys, "--trace", "usdjpy:move", "--json")
    assert status == ExitStatus.COMPLETE
    trace = Trace.model_validate_json(out)
    assert [step.printed for step in trace.inputs] == ["156.80", "157.25"]


@pytest.mark.usefixtures("reports")
def test_a_markets_name_lists_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = told(capsys, "--trace", "USD/JPY")
    assert status == ExitStatus.COMPLETE
    assert [line.split()[0] for line in out.splitlines()][:2] == [
        "USD/JPY:last",
        "USD/JPY:previous",
    ]
    assert out.splitlines()[0].endswith("157.25  verified")
    _, listed, _ = told(capsys, "--trace", "usd/jpy", "--json")
    assert json.loads(listed)["claims"][0]["claim_id"] == "USD/JPY:last"


@pytest.mark.usefixtures("reports")
def test_an_unknown_figure_is_answered_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = told(capsys, "--trace", "USD/JPY:mvoe")
    assert (status, out) == (ExitStatus.FAILED, "")
    assert "no figure 'USD/JPY:mvoe' in the report of 2026-W44; nearest: USD/JPY:move" in err


@pytest.mark.usefixtures("reports")
def test_two_weeks_are_compared_by_kind_with_both_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = told(capsys, "--diff", EARLIER)
    assert status == ExitStatus.COMPLETE
    assert out.startswith("2026-W43 (revision 1) to 2026-W44 (revision 1): 1 material change\n")
    row = next(line.split() for line in out.splitlines() if line.startswith("level"))
    assert row[:4] == ["level", "USD/JPY", "150.00", "157.25"]
    _, as_json, _ = told(capsys, "--diff", EARLIER, "--json")
    assert [entry.before for entry in Changes.model_validate_json(as_json).entries] == [
        Decimal("150.00")
    ]


def test_weeks_without_a_material_change_say_so_and_end_well(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = earlier_report("157.25").model_copy(update={"revision": 2})
    publish(again, reports)
    status, out, _ = told(capsys, "--diff", EARLIER, "--week", "2026-W44")
    assert (status, out.count("\n")) == (ExitStatus.COMPLETE, 1)
    assert out.endswith("no material change\n")


@pytest.mark.usefixtures("reports")
def test_the_figures_without_a_second_origin_are_counted_by_what_they_rest_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = told(capsys, "--origins", "--week", "2026-W44")
    assert status == ExitStatus.COMPLETE
    assert out.startswith("2026-W44: 1 of 3 printed figures (33.3 %) have a second origin; ")
    _, as_json, _ = told(capsys, "--origins", "--week", "2026-W44", "--json")
    counted = json.loads(as_json)
    assert (counted["figures"], counted["verified"]) == (3, 1)
    assert sum(group["figures"] for group in counted["without"]) == 2


@pytest.mark.usefixtures("reports")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--diff", "2026-W44"], "is the same week as the report's, 2026-W44; name an earlier one"),
        (["--diff", "2026-W44", "--week", "2026-W43"], "is later than the report's, 2026-W43"),
        (["--diff", "W43"], "'W43' is not a week"),
        (["--diff", EARLIER, "--trace", MOVE], "one of --trace and --diff at a time"),
        (["--open", "--revisions"], "one of --open and --revisions at a time"),
        (["--revisions", "--json"], "one of --revisions and --json at a time"),
        (["--json", "--open"], "one of --open and --json at a time"),
        (["--origins", "--open"], "one of --open and --origins at a time"),
        (["--trace", " "], "--trace names no figure"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_shown_together_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    status, out, err = told(capsys, *arguments)
    assert (status, out) == (ExitStatus.USAGE, "")
    assert says in err


@pytest.mark.usefixtures("reports")
def test_a_week_to_compare_with_that_is_not_published_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, _, err = told(capsys, "--diff", "2026-W40")
    assert status == ExitStatus.FAILED
    assert "no report of 2026-W40; published are 2026-W43, 2026-W44" in err


def of_some_markets(reports: Path, week: str, slug: str = "usdjpy") -> str:
    """Publishes a report of some markets, and returns its JSON file's name."""
    report = traced_report(week=week, title=f"Only {slug}")
    return publish(report, reports, slug).json_file


def test_a_report_of_some_markets_is_shown_by_its_markets_and_told_of(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = of_some_markets(reports, "2026-W44")
    whole, _, err = told(capsys, "--json")
    assert (whole, err) == (0, "desk: 2026-W44 has reports of other markets: --markets usdjpy\n")
    for written in ("USD/JPY", "usdjpy"):
        status, out, err = told(capsys, "--markets", written, "--json")
        assert (status, out, err) == (0, Path(path).read_text(), "")


def test_the_newest_report_is_shown_although_it_is_of_some_markets(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = of_some_markets(reports, "2026-W45")
    for arguments in ((), ("--week", "2026-W45")):
        status, out, err = told(capsys, *arguments, "--json")
        assert (status, out) == (0, Path(path).read_text())
        assert err == "desk: 2026-W45 of some markets only, usdjpy; the newest of all is 2026-W44\n"
    status, out, _ = told(capsys, "--trace", "USD/JPY:move")
    assert status == 0 and "2026-W45" in out


def test_a_report_of_other_markets_than_there_are_is_answered_with_what_there_is(
    reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = of_some_markets(reports, "2026-W45")
    status, out, err = told(capsys, "--markets", "EUR/USD")
    assert (status, out) == (ExitStatus.FAILED, "")
    assert "no report of eurusd of any week; published are 2026-W43, 2026-W44" in err
    assert path in err
    status, _, err = told(capsys, "--markets", "XYZ")
    assert status == ExitStatus.USAGE and "no market 'XYZ'; nearest" in err


def test_a_trace_prints_text_from_outside_as_text() -> None:
    report = traced_report()
    hostile = "[bold red]a\x1b[31m name[/]"
    source = report.sources[0].model_copy(update={"name": hostile, "url": "javascript:x"})
    trace = Traces(traced_report(sources=(source,))).trace("USD/JPY:last")
    screen = console()
    with screen.capture() as captured:
        screen.print(trace_tree(trace))
    assert "read from  [bold red]a [31m name[/]" in captured.get()
    assert "javascript" not in captured.get()


@pytest.mark.parametrize("asked", [("--trace", MOVE), ("--diff", EARLIER)])
def test_a_file_that_was_changed_since_is_told_of_on_standard_error(
    asked: tuple[str, str], reports: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, report in enumerate((earlier_report(), traced_report()), start=2):
        whole = sealed(report.model_copy(update={"revision": number}))
        publish(whole, reports)
    status, _, err = told(capsys, *asked, "--week", "2026-W44")
    assert (status, err) == (ExitStatus.COMPLETE, "")
    (file,) = (reports / "weekly").glob("2026-W44-asia-g10-fx.json")
    file.write_text(file.read_text().replace("157.25", "157.35"))
    status, _, err = told(capsys, *asked, "--week", "2026-W44")
    assert status == ExitStatus.COMPLETE
    assert err.count("\n") == 1
    assert "was changed since it was published; `desk audit 2026-W44` says where" in err
