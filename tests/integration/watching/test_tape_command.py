"""`desk tape save` and `desk run --tape`, as a user runs them."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desk.contracts.runs.tape import Take
from desk.programs.week.document.json_form import apart_from_the_run
from desk.runs.tapes import from_bytes, to_bytes
from starters.published.published_files import read_report
from tests.support.processes.command import Answer, DeskCommand
from tests.tapes.record import COMMAND, MARKETS, REPORT, SLUG, TAPE, WEEK

BEFORE = "2026-W43"
SECRETS = {
    "MARKET_DATA_TOKEN": "hush-token-0123456789",
    "NEWS_SERVER_PASSWORD": "hush-password-0123456789",
}
KEY = "hush-key-0123456789"
NOWHERE = {
    "TEMPORAL_ADDRESS": "127.0.0.1:9",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "DESK_MCP_CONFIG": "no-such-file.json",
}
"""A desk without a server, without a model, without sources."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up, with two weeks published and secrets in its environment."""
    command = DeskCommand(tmp_path_factory.mktemp("desk"), **SECRETS)
    with command.up():
        for week in (BEFORE, WEEK):
            done = command("run", "--week", week, "--markets", MARKETS)
            assert done.code in (0, 3), done.err
            command.listed(f"WorkflowType = 'WeeklyResearchWorkflow' AND ResearchWeek = '{week}'")
        yield command


@pytest.fixture(scope="module")
def saved(desk: DeskCommand) -> Path:
    """The tape of the second week."""
    file = desk.directory / "saved.tape.gz"
    answer = desk.asked_with(ANTHROPIC_API_KEY=KEY)("tape", "save", WEEK, str(file))
    assert answer.code == 0, answer.err
    return file


def played(tmp_path: Path, tape: Path, *options: str) -> Answer:
    """How a desk that has nothing but a tape plays it."""
    elsewhere = DeskCommand(tmp_path, **NOWHERE)
    return elsewhere("run", "--tape", str(tape), "--out", str(tmp_path / "out"), *options)


def test_the_tape_that_is_committed_gives_the_report_beside_it(tmp_path: Path) -> None:
    answer = played(tmp_path, TAPE, "--json")
    assert answer.code == 3, f"{answer.err}\nIf the change is meant: {COMMAND}"
    assert (answer.json["week"], answer.json["coverage"]["researched"]) == (WEEK, 2)
    assert [missing["market"] for missing in answer.json["coverage"]["missing"]] == ["USD/TWD"]
    report = read_report(tmp_path / "out" / REPORT.name)
    expected = apart_from_the_run(read_report(REPORT))
    assert apart_from_the_run(report) == expected, f"If the change is meant: {COMMAND}"
    stem = REPORT.stem
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        f"{stem}.{form}" for form in ("html", "json", "md")
    ]


def test_a_saved_week_is_played_elsewhere_and_passes_the_audit(
    desk: DeskCommand, saved: Path, tmp_path: Path
) -> None:
    answer = played(tmp_path, saved)
    assert answer.code == 3, answer.err
    assert f"Tape      {saved}, 28 takes" in answer.out
    original = desk.directory / "reports" / "weekly" / f"{WEEK}-{SLUG}.json"
    assert read_report(original).changes.against == BEFORE, "the week before is on the tape too"
    audited = desk("audit", str(tmp_path / "out" / original.name), "--same-as", str(original))
    assert audited.code == 0, audited.out
    assert "The same as" in audited.out


def test_a_tape_is_played_beside_the_published_week(desk: DeskCommand, saved: Path) -> None:
    weekly = desk.directory / "reports" / "weekly"
    before = {path: path.read_bytes() for path in weekly.iterdir()}
    answer = desk("run", "--tape", str(saved), "--week", WEEK, "--json")
    assert answer.code == 3, answer.err
    assert Path(answer.json["files"]["json_file"]).parent == desk.directory / "reports" / "tape"
    assert {path: path.read_bytes() for path in weekly.iterdir()} == before
    again = desk("run", "--week", WEEK, "--markets", MARKETS, "--json")
    assert (again.json["already_published"], again.json["revision"]) == (True, 1)


def test_no_secret_gets_onto_a_tape(desk: DeskCommand, saved: Path) -> None:
    text = gzip.decompress(saved.read_bytes()).decode()
    assert [value for value in (*SECRETS.values(), KEY) if value in text] == []
    assert str(desk.directory) not in text


def test_a_secret_that_would_get_onto_a_tape_stops_it(desk: DeskCommand, tmp_path: Path) -> None:
    """As if an agent had been told the key: here it is a word that the reports are full of."""
    telling = desk.asked_with(SOME_API_KEY="policy_rate")
    answer = telling("tape", "save", WEEK, str(tmp_path / "tape.json"))
    assert answer.code == 1
    assert "SOME_API_KEY" in answer.err
    assert "policy_rate" not in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_replaced_only_by_force(desk: DeskCommand, tmp_path: Path) -> None:
    file = tmp_path / "tape.json"
    file.write_text("mine")
    refused = desk("tape", "save", WEEK, str(file))
    assert (refused.code, file.read_text()) == (2, "mine")
    assert "--force" in refused.err
    forced = desk("tape", "save", f"weekly-{WEEK}-{SLUG}", str(file), "--force")
    assert forced.code == 0, forced.err
    assert from_bytes(file.read_bytes()).week == WEEK
    assert [path.name for path in tmp_path.iterdir()] == ["tape.json"]


@pytest.mark.parametrize(
    ("run", "code", "told"),
    [
        ("2026-W99", 2, "W99"),
        ("2020-W10", 1, "desk run --week 2020-W10"),
        ("weekly-never", 1, "weekly-never"),
        (f"weekly-{WEEK}-{SLUG}/market/USD/JPY", 2, "a tape holds the run of a week"),
    ],
)
def test_what_is_no_run_of_a_week_is_not_saved(
    desk: DeskCommand, tmp_path: Path, run: str, code: int, told: str
) -> None:
    answer = desk("tape", "save", run, str(tmp_path / "tape.json"))
    assert answer.code == code
    assert told in answer.err
    assert list(tmp_path.iterdir()) == []


def test_a_tape_that_lacks_an_answer_says_which(tmp_path: Path) -> None:
    answer = played(tmp_path, with_takes(tmp_path, without("validate.t1")))
    assert answer.code == 1
    assert "the run asks for take_turn validator_agent.validate.t1 of market/" in answer.err
    assert "the tape holds of market/" in answer.err
    assert list((tmp_path / "out").iterdir()) == []


def test_a_tape_with_more_than_the_run_asks_for_says_so(tmp_path: Path) -> None:
    answer = played(tmp_path, with_takes(tmp_path, and_one_more))
    assert answer.code == 1
    assert "never asked for 1 of its" in answer.err
    assert list((tmp_path / "out").iterdir()) == []


def without(ending: str) -> Callable[[list[Take]], list[Take]]:
    return lambda takes: [take for take in takes if not take.activity_id.endswith(ending)]


def and_one_more(takes: list[Take]) -> list[Take]:
    return [*takes, takes[0].model_copy(update={"activity_id": "never"})]


def with_takes(tmp_path: Path, alter: Callable[[list[Take]], list[Take]]) -> Path:
    """The committed tape with other takes, sealed as if it had been saved so."""
    tape = from_bytes(TAPE.read_bytes())
    file = tmp_path / "altered.tape.json"
    takes = tuple(alter(list(tape.takes)))
    assert takes != tape.takes
    file.write_bytes(to_bytes(tape.model_copy(update={"takes": takes}), packed=False))
    return file


def test_the_committed_tape_is_small_and_of_no_machine() -> None:
    assert TAPE.stat().st_size < 50_000
    held = json.loads(gzip.decompress(TAPE.read_bytes()))
    assert held["previous"] is None
    assert {take["effect"] for take in held["takes"]} >= {"take_turn", "call_tool"}
