"""A whole week by Claude, through the command, against a server of another's: agents side by side,
tool calls, a busy API, a refusal, a truncated answer, and an invented figure that is refused."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.models.model_server import ModelServer, model_server
from tests.support.models.model_week import KEY, LAST_WEEK, Scripted
from tests.support.processes.command import DeskCommand

RUN = ("run", "--week", LAST_WEEK, "--markets", "USD/JPY,EUR/USD,JP")


def desk_with(tmp_path: Path, server: ModelServer, **environment: str) -> DeskCommand:
    return DeskCommand(
        tmp_path, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url, **environment
    )


def report_of(tmp_path: Path) -> dict[str, Any]:
    (path,) = (tmp_path / "reports" / "weekly").glob("*.r1.json")
    for file in path.parent.glob("*"):
        assert KEY not in file.read_text(), f"the key stands in {file.name}"
    report: dict[str, Any] = json.loads(path.read_text())
    return report


def section(report: dict[str, Any], market: str) -> dict[str, Any]:
    found: dict[str, Any] = next(m for m in report["markets"] if m["market"] == market)
    return found


def work(report: dict[str, Any], market: str, task: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        line for line in section(report, market)["agents"] if line["task_type"] == task
    )
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model").mkdir()
    return tmp_path / "model"


def test_a_week_by_claude_and_its_tape_without_key_or_model(tmp_path: Path, folder: Path) -> None:
    script = Scripted()
    # A cross rate that it asked for is a claim, and so is the other agent's differential.
    script.research("USD/JPY", "research_fx").calls("ecb__get_quote", symbol="EUR/JPY").says(
        events={"fx_movement": "USD/JPY rose to 151.234, which nobody has measured."}
    ).says(
        events={
            "fx_movement": "USD/JPY moved by [[USD/JPY:move]] as yields diverged, by"
            " [[USD/JPY:differential|size]], with EUR/JPY at [[EUR/JPY:last]]."
        },
        told="151.234",
    )
    script.research("EUR/USD", "research_fx").busy(429).busy(529).says()
    script.research("EUR/USD", "research_rates").stops("refusal")
    script.research("JP", "research_rates").stops("length").says(told="cut off")
    with model_server(folder, script.fixtures("USD/JPY", "EUR/USD", "JP")) as server:
        desk = desk_with(tmp_path, server)
        with desk.up():
            done = desk(*RUN)
            assert done.code == 0, done.err
            assert "research_agent_1 is claude-sonnet-5-5" in done.err
            report, tape = report_of(tmp_path), tmp_path / "week.tape.gz"
            saved = desk("tape", "save", report["timings"]["workflow_id"], str(tape))
            assert saved.code == 0, saved.err
        asked = server.asked
    told = [event["text"] for event in section(report, "USD/JPY")["events"]]
    assert any("as yields diverged" in text for text in told)
    assert not any("151.234" in text for text in told)
    printed = {claim["claim_id"]: claim for claim in section(report, "USD/JPY")["claims"]}
    assert printed["EUR/JPY:last"]["evidence"] == ["USD/JPY/research_fx/get_quote.1.1"]
    assert printed["USD/JPY:differential"]["inputs"] == ["US:policy_rate", "JP:policy_rate"]
    assert work(report, "USD/JPY", "research_fx")["tool_calls"] == 4, (
        "its own, those of the other agent, and the one that it asked"
    )
    assert "refused" in work(report, "EUR/USD", "research_rates")["remark"]
    assert work(report, "EUR/USD", "research_fx")["remark"] is None
    assert work(report, "JP", "research_rates")["remark"] is None
    assert report["lead"]["written"] and report["lead"]["headline"]["text"] == "A quiet week."
    assert {entry["model"] for entry in asked} == {"claude-opus-5-5", "claude-sonnet-5-5"}
    offered = {tool["function"]["name"] for entry in asked for tool in entry.get("tools") or ()}
    assert {"ecb__get_historical", "central_banks__get_policy_rate"} <= offered
    assert report["usage"]["input_tokens"] == 900 * _answered(asked)
    (file,) = (tmp_path / "reports" / "weekly").glob("*.r1.json")
    audited = desk("audit", str(file))
    assert audited.code == 0, audited.out
    plays_from(tape, file, tmp_path)
    said = _answered(asked) - 1
    assert len(server_turns(tape)) == said, "a turn of the tape for each answer but the refusal"


def _answered(asked: list[dict[str, Any]]) -> int:
    """All calls but the two that the script answers with an error."""
    return len(asked) - 2


def plays_from(tape: Path, file: Path, tmp_path: Path) -> None:
    """A desk that has the tape alone comes to the same report."""
    assert KEY.encode() not in gzip.decompress(tape.read_bytes())
    alone, out = DeskCommand(tmp_path / "alone"), tmp_path / "played"
    played = alone("run", "--tape", str(tape), "--out", str(out))
    assert played.code == 0, played.err
    (again,) = out.rglob("*.json")
    same = alone("audit", str(file), "--same-as", str(again))
    assert same.code == 0, same.out


def server_turns(tape: Path) -> list[dict[str, Any]]:
    """The turns on a tape that a model took."""
    takes = json.loads(gzip.decompress(tape.read_bytes()))["takes"]
    return [take for take in takes if (take.get("result") or {}).get("said")]
