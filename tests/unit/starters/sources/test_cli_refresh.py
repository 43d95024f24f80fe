"""`desk refresh` fetches what the sources keep, and `desk doctor` says how old it is."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from desk.contracts.findings.sources import KeptFileState
from desk.platform.settings import load_settings
from starters.main import execute
from starters.operations.doctor.check import Level
from starters.operations.doctor.server import queues_wanted
from starters.operations.doctor.sources import age_check, age_checks, none_yet_check
from starters.sources.refresh import schedule_warning
from tests.standins.configuration import write_configuration
from tests.standins.provider import Failure, today
from tests.standins.serving import Standins

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path, standins: Standins, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a desk whose one source is the ECB's stand-in."""
    path = write_configuration(standins, tmp_path)
    servers = json.loads(path.read_text())["mcpServers"]
    path.write_text(json.dumps({"mcpServers": {"ecb": servers["ecb"]}}))
    monkeypatch.setenv("DESK_MCP_CONFIG", str(path))
    monkeypatch.setenv("DESK_HOME", str(tmp_path))
    monkeypatch.delenv("DESK_OFFLINE", raising=False)
    return tmp_path


def refreshed(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """The exit status, and what came of each source by its name."""
    status = execute(["refresh", "--json"])
    return status, {each["source"]: each for each in json.loads(capsys.readouterr().out)}


def test_everything_that_the_sources_keep_is_fetched(
    home: Path, standins: Standins, capsys: pytest.CaptureFixture[str]
) -> None:
    status, told = refreshed(capsys)
    rates = told["ECB reference rates"]
    assert (status, rates["server"], rates["status"]) == (0, "ecb", "replaced")
    assert date.fromisoformat(rates["last_day"]) > today() - timedelta(days=4)
    assert rates["changed"].endswith(" added")
    assert rates["age_days"] == (today() - date.fromisoformat(rates["last_day"])).days
    assert (home / "cache" / "eurofxref-hist.zip").exists()
    assert refreshed(capsys)[1]["ECB reference rates"]["changed"] == "nothing"


def test_a_source_that_fails_is_told_and_ends_the_command_with_1(
    home: Path, standins: Standins, capsys: pytest.CaptureFixture[str]
) -> None:
    standins.fail("ecb", Failure.ERROR)
    status, told = refreshed(capsys)
    rates = told["ECB reference rates"]
    assert (status, rates["status"]) == (1, "unreachable")
    assert "500 Internal Server Error: it has trouble of its own" in rates["reason"]
    assert rates["last_day"] == "2026-10-30"
    assert execute(["refresh"]) == 1
    shown = capsys.readouterr().out
    assert "source" in shown and "30 Oct 2026" in shown
    assert "the earlier data stay in use" in shown


def test_nothing_is_fetched_where_that_is_forbidden(
    home: Path,
    standins: Standins,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DESK_OFFLINE", "1")
    assert execute(["refresh"]) == 2
    assert "DESK_OFFLINE is set" in capsys.readouterr().err
    assert not standins.asked


def test_the_doctor_says_how_old_each_source_is_and_what_to_do(home: Path) -> None:
    checks = {check.sentence.partition(":")[0]: check for check in age_checks(load_settings(), NOW)}
    rates = checks["ECB reference rates"]
    assert (rates.name, rates.level) == ("source ecb", Level.WARN)
    assert rates.sentence == (
        "ECB reference rates: to 30 Oct 2026, 25 days old, never fetched; "
        "`desk refresh` gets newer ones"
    )


def test_a_source_that_is_fresh_is_well_and_a_failure_is_told() -> None:
    day = date(2026, 11, 23)
    fresh = KeptFileState(source="Rates", last_day=day, looked=NOW)
    check = age_check("rates", fresh, day, NOW)
    assert check.level is Level.OK
    assert check.sentence == "Rates: to 23 Nov 2026, 1 day old, fetched 24 Nov 2026 12:00 UTC"
    failed = age_check("rates", fresh.model_copy(update={"failure": "it\nis slow"}), day, NOW)
    assert "just now it failed: it is slow" in failed.sentence


def test_what_was_never_fetched_is_one_line_for_a_source() -> None:
    files = [KeptFileState(source=name, failure="no network") for name in ("Rates", "Yields")]
    check = none_yet_check("official", files)
    assert (check.name, check.level) == ("source official", Level.WARN)
    assert check.sentence == (
        "nothing fetched yet of 2 files; just now it failed: no network, and 1 more; "
        "`desk refresh` names them"
    )


def test_no_worker_is_missed_for_a_source_whose_package_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "mcp.json"
    names = {"ecb": "ecb", "yahoo_finance": "yahoo"}
    servers = {name: {"inProcess": f"desk.sources.{own}.server"} for name, own in names.items()}
    config.write_text(json.dumps({"mcpServers": servers}))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "source.ecb" in queues_wanted(config)
    assert "source.yahoo_finance" not in queues_wanted(config)


def test_a_schedule_warns_of_data_that_will_be_older_than_its_week(
    home: Path, standins: Standins, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert schedule_warning(load_settings(), NOW) == (
        "data will be older than 2026-W48 when its run starts: ECB reference rates to 30 Oct 2026"
        " (not fetched within a week; `desk refresh` does it, or says why not)"
    )
    assert execute(["refresh"]) == 0
    assert schedule_warning(load_settings(), datetime.now(UTC)) is None
    monkeypatch.setenv("DESK_OFFLINE", "1")
    later = datetime.now(UTC) + timedelta(days=14)
    offline = schedule_warning(load_settings(), later)
    assert offline is not None
    assert offline.endswith("(DESK_OFFLINE keeps them from being fetched)")


def test_a_schedule_names_one_old_file_and_counts_the_others_and_knows_the_holidays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warning(*last_days: date | None) -> str | None:
        states = [("ecb", KeptFileState(source=f"Rates {d}", last_day=d)) for d in last_days]
        monkeypatch.setattr("starters.sources.refresh.ages", lambda settings: states)
        return schedule_warning(load_settings(), datetime(2026, 12, 22, 12, tzinfo=UTC))

    christmas_eve, before = date(2026, 12, 24), date(2026, 12, 23)
    assert warning(christmas_eve) is None, "the Friday of 2026-W52 is Christmas Day"
    told = warning(None, before, None, christmas_eve)
    assert told is not None
    assert "older than 2026-W52" in told
    assert "Rates 2026-12-23 to 23 Dec 2026 and 2 more, 2 never fetched" in told
