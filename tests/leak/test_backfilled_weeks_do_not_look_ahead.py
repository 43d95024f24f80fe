"""Past weeks that a desk writes from late and revised data, in both directions. All 52 weeks of a
year and all markets: `python -m tests.leak`."""

import copy
import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from desk.contracts.weeks import monday_of, next_week
from tests.leak.backfilled import backfilled, environment, weeks_up_to
from tests.leak.published import findings_of
from tests.standins.serving import serving
from tests.support.processes.homes import PROJECT

WEEKS = weeks_up_to("2026-W38", 2)
FEW = ("EUR/USD", "US", "XM")
UNTIL = monday_of(next_week(WEEKS[-1]))


def few_markets(folder: Path) -> Path:
    named = re.compile(r'\{ (?:pair|area) = "([A-Z/]+)"')
    lines = (PROJECT / "desk.toml").read_text(encoding="utf-8").splitlines()
    file = folder / "desk.toml"
    kept = [line for line in lines if not (m := named.search(line)) or m[1] in FEW]
    file.write_text("\n".join(kept), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report of the last of two weeks that were compared, each of which held."""
    folder = tmp_path_factory.mktemp("backfilled")
    with serving() as standins:
        variables = environment(standins, folder, DESK_CONFIG=str(few_markets(folder)))
        checked = list(backfilled(standins, variables, WEEKS))
    assert [week.week for week in checked] == WEEKS
    for week in checked:
        assert week.findings is not None, f"{week.week} has no report"
        assert (week.findings.leaks, week.findings.missing) == ([], [])
        assert week.findings.checked > 250
    (path,) = (p for p in folder.glob(f"reports/weekly/{WEEKS[-1]}-*.json") if ".r" not in p.name)
    return json.loads(path.read_bytes())


def test_what_was_not_public_then_is_noticed(report: Any) -> None:
    seen = copy.deepcopy(report)
    (pair,) = (m for m in seen["markets"] if m["market"] == "EUR/USD")
    pair["values"][-1] = "1.3000"
    pair["claims"][0]["value"] = "1.3000"
    pair["claims"][1]["as_of"] = f"{UNTIL}"
    at = datetime.fromisoformat(seen["as_of"]) + timedelta(hours=1)
    pair["claims"].append({**pair["claims"][0], "metric": "policy_rate", "subject": "US"})
    seen["evidence"][0]["content"] = {"items": [{"published_at": at.isoformat()}]}
    assert len(findings_of(seen, UNTIL).leaks) == 5


def test_what_is_missing_is_noticed(report: Any) -> None:
    lacks = copy.deepcopy(report)
    assert any(not row["ahead"] for row in lacks["calendar"])
    lacks["calendar"] = []
    for market in lacks["markets"]:
        market["claims"] = [c for c in market["claims"] if c["metric"] != "decision_rate"]
        market["days"], market["values"] = market["days"][:-1], market["values"][:-1]
    missing = findings_of(lacks, UNTIL).missing
    assert any("the last fixing is of" in words for words in missing)
    assert any("decision_rate@" in words for words in missing)
    assert any("is not in the calendar" in words for words in missing)
