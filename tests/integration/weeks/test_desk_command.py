"""The commands of the README, run as a user runs them, at one `desk up`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.processes.command import Answer, DeskCommand, eventually
from tests.support.processes.homes import PROJECT

WEEK = "2026-W44"
PAIRS = "USD/JPY,EUR/USD"
SUBSET = f"weekly-{WEEK}-eurusd-usdjpy"
MOST_HISTORY = 50_000
"""Bytes of the history of one market."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up, with the whole test week published."""
    command = DeskCommand(tmp_path_factory.mktemp("desk"))
    with command.up():
        first = command("run", "--week", WEEK, "--json")
        assert first.code == 0, first.err
        assert first.json["revision"] == 1
        yield command


def report_of(desk: DeskCommand, week: str = WEEK) -> dict[str, object]:
    path = desk.directory / "reports" / "weekly" / f"{week}-asia-g10-fx.json"
    report: dict[str, object] = json.loads(path.read_text())
    return report


def test_the_report_counts_every_market_and_names_the_missing(desk: DeskCommand) -> None:
    coverage = report_of(desk)["coverage"]
    assert isinstance(coverage, dict)
    assert (coverage["expected"], coverage["researched"]) == (38, 36)
    assert [m["market"] for m in coverage["missing"]] == ["USD/TWD", "SG"]


def test_the_three_forms_lie_under_the_week_and_under_the_revision(desk: DeskCommand) -> None:
    folder = desk.directory / "reports" / "weekly"
    stem = f"{WEEK}-asia-g10-fx"
    for suffix in ("md", "html", "json"):
        assert (folder / f"{stem}.{suffix}").read_bytes()
        assert (folder / f"{stem}.r1.{suffix}").read_bytes()


def test_a_second_run_shows_what_is_published(desk: DeskCommand) -> None:
    again = desk("run", "--week", WEEK, "--json")
    assert (again.code, again.json["already_published"]) == (0, True)


def test_some_markets_get_a_report_of_their_own_and_a_copy(
    desk: DeskCommand, tmp_path: Path
) -> None:
    answer = desk(
        "run", "--week", WEEK, "--markets", PAIRS, "--out", str(tmp_path / "copies"), "--json"
    )
    assert answer.code == 0
    assert answer.json["workflow_id"] == SUBSET
    assert sorted(path.name for path in (tmp_path / "copies").iterdir()) == [
        f"{WEEK}-eurusd-usdjpy.{suffix}" for suffix in ("html", "json", "md")
    ]
    assert report_of(desk)["coverage"]["expected"] == 38  # type: ignore[index]


def test_a_week_that_the_data_do_not_cover_is_published_as_incomplete(desk: DeskCommand) -> None:
    answer = desk("run", "--week", "2026-W46", "--markets", "USD/JPY", "--json")
    assert answer.code == 3
    assert answer.json["outcome"] == "incomplete"
    assert answer.json["coverage"]["researched"] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("run", "--week", "2026-44"), "2026-W44"),
        (("run", "--week", "2099-W01"), "not over"),
        (("run", "--week", "1990-W01"), "data"),
        (("run", "--week", WEEK, "--markets", "USD/JPX"), "USD/JPY"),
        (("rerun", "USD/JPX", "--week", WEEK, "--reason", "x"), "USD/JPY"),
        (("worker", "accountant"), "orchestrator"),
        (("backfill", "--from", "2026-W44", "--to", "2026-W40"), "2026-W40"),
        (("backfill", "--from", "1998-W40", "--to", "1998-W41"), "1999-01-04"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    desk: DeskCommand, arguments: tuple[str, ...], told: str
) -> None:
    answer = desk(*arguments)
    assert answer.code == 2
    assert told in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""


def test_a_rerun_makes_a_revision_that_says_why(desk: DeskCommand) -> None:
    before = {m["market"]: m for m in report_of(desk)["markets"]}  # type: ignore[attr-defined]
    answer = desk(
        "rerun", "USD/KRW", "--week", WEEK, "--reason", "the fixing was revised", "--json"
    )
    assert answer.code == 0, answer.err
    report = report_of(desk)
    revision = report["revisions"][-1]  # type: ignore[index]
    assert (revision["market"], revision["reason"]) == ("USD/KRW", "the fixing was revised")
    after = {m["market"]: m for m in report["markets"]}  # type: ignore[attr-defined]
    assert after["USD/JPY"] == before["USD/JPY"]
    assert after["USD/KRW"]["revised_in"] == report["revision"]


def test_the_temporal_command_line_asks_for_a_rerun_too(desk: DeskCommand) -> None:
    revision = report_of(desk)["revision"]
    signalled = desk.temporal(
        *("workflow", "signal", "--workflow-id", f"weekly-{WEEK}", "--name", "rerun_market"),
        *("--input", '{"market":"JP","reason":"asked by hand"}'),
    )
    assert signalled.code == 0, signalled.err
    eventually(lambda: report_of(desk)["revision"] != revision, "a new revision")
    assert report_of(desk)["revisions"][-1]["reason"] == "asked by hand"  # type: ignore[index]
    answer = desk("report", "--week", WEEK, "--revisions")
    assert "asked by hand" in answer.out


def test_an_update_that_makes_no_sense_is_refused_by_the_run(desk: DeskCommand) -> None:
    refused = desk.temporal(
        *("workflow", "update", "execute", "--workflow-id", f"weekly-{WEEK}"),
        *("--name", "request_rerun", "--input", '{"market":"USD/JPX","reason":"typo"}'),
    )
    assert refused.code != 0
    assert "USD/JPY" in refused.err + refused.out


def test_status_report_and_doctor_answer(desk: DeskCommand) -> None:
    status = desk("status", "--week", WEEK)
    assert status.code == 0
    assert "USD/JPY" in status.out
    report = desk("report", "--week", WEEK, "--json")
    assert report.json["week"] == WEEK
    doctor = desk("doctor")
    assert doctor.code == 0, doctor.out + doctor.err


def test_runs_are_found_by_their_search_attributes(desk: DeskCommand) -> None:
    query = f"ResearchWeek='{WEEK}' AND Market='USD/TWD' AND Outcome='missing'"
    desk.listed(query)
    listed = desk.temporal("workflow", "list", "--query", query, "--output", "json")
    ids = [run["execution"]["workflowId"] for run in listed.json]
    assert ids == [f"weekly-{WEEK}/market/USD/TWD"]


def test_the_history_of_every_market_stays_small(desk: DeskCommand) -> None:
    query = f"WorkflowType='MarketResearchWorkflow' AND ResearchWeek='{WEEK}'"
    desk.listed(f"{query} AND ExecutionStatus='Completed'", 38)
    listed = desk.temporal(
        "workflow", "list", "--query", query, "--limit", "200", "--output", "json"
    )
    sizes = {
        run["execution"]["workflowId"]: int(run["historySizeBytes"])
        for run in listed.json
        if run["execution"]["workflowId"].startswith(f"weekly-{WEEK}/market/")
        and run["status"] == "WORKFLOW_EXECUTION_STATUS_COMPLETED"
    }
    assert len(sizes) >= 38
    assert {market: size for market, size in sizes.items() if not 0 < size < MOST_HISTORY} == {}


def test_a_task_that_nobody_can_do_is_listed_and_tried_again(
    tmp_path: Path,
) -> None:
    sources = tmp_path / "mcp.json"
    broken = {"mcpServers": {"central_banks": {"command": "no-such-program"}}}
    working = json.loads((PROJECT / ".mcp.json").read_text())
    broken["mcpServers"] = {**working["mcpServers"], **broken["mcpServers"]}
    sources.write_text(json.dumps(broken))
    desk = DeskCommand(tmp_path, DESK_MCP_CONFIG=str(sources))
    answer = desk("run", "--week", WEEK, "--markets", "USD/JPY", "--json")
    assert answer.code == 0, answer.err
    sources.write_text(json.dumps(working))
    letter = f"weekly-{WEEK}-usdjpy/market/USD/JPY/reassign/research_rates"
    with desk.up():
        desk.until(lambda listed: "USD/JPY" in listed.out, "dead-letters")
        retried = desk("dead-letters", "retry", letter)
    assert retried.code == 0, retried.err
    path = desk.directory / "reports" / "weekly" / f"{WEEK}-usdjpy.json"
    (market,) = json.loads(path.read_text())["markets"]
    assert market["outcome"] == "researched"


class Closed(NamedTuple):
    """A desk that is up, whose runs close at once, and the week that it ran with a damaged file of
    its data."""

    desk: DeskCommand
    ran: Answer


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Closed]:
    folder = tmp_path_factory.mktemp("closed")
    configured = (PROJECT / "desk.toml").read_text()
    config = folder / "desk.toml"
    config.write_text(
        configured.replace('open_for_reruns = "6 days"', 'open_for_reruns = "100 ms"')
    )
    desk = DeskCommand(folder, DESK_CONFIG=str(config))
    cached = Path(desk.variables["DESK_HOME"]) / "cache" / "eurofxref-hist.zip"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"not a zip")
    with desk.up():
        yield Closed(desk, desk("run", "--week", WEEK, "--markets", PAIRS, "--json"))


def test_a_rerun_after_the_close_touches_only_its_market(closed: Closed) -> None:
    desk = closed.desk
    desk.listed(f"WorkflowId = '{SUBSET}' AND ExecutionStatus = 'Completed'")
    answer = desk("rerun", "USD/JPY", "--week", WEEK, "--reason", "after the close", "--json")
    assert answer.code == 0, answer.err
    path = desk.directory / "reports" / "weekly" / f"{WEEK}-eurusd-usdjpy.json"
    report = json.loads(path.read_text())
    assert [r["revision"] for r in report["revisions"]] == [1, 2]
    assert [m["revised_in"] for m in report["markets"]] == [1, 2]


def test_a_port_in_use_is_an_error_that_names_it(desk: DeskCommand, tmp_path: Path) -> None:
    port = desk.variables["DESK_SERVER_PORT"]
    other = DeskCommand(tmp_path)
    other.variables = {**other.variables, "DESK_SERVER_PORT": port}
    answer = other("run", "--week", WEEK)
    assert answer.code == 1
    assert port in answer.err
    assert "Traceback" not in answer.err


def test_a_damaged_data_file_is_told_and_survived(closed: Closed) -> None:
    assert closed.ran.code == 0, closed.ran.err


def test_without_a_server_the_status_says_what_to_do(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path, TEMPORAL_ADDRESS="127.0.0.1:9")
    answer = desk("status", "--week", WEEK)
    assert answer.code == 1
    assert "TEMPORAL_ADDRESS" in answer.err
