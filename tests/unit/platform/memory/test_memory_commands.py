"""`desk memory search` and `desk memory list`, as their users call them."""

import json
import sys
from pathlib import Path

import pytest

from desk.contracts.learning.memory import MemoryAnswer, MemoryKind
from desk.platform import memory
from desk.platform.memory.embedded import EmbeddedMemory
from desk.platform.memory.store import MemoryStore
from desk.platform.settings import Settings
from starters.main import execute
from tests.memory.held import held_set
from tests.memory.remembered import entry
from tests.support.processes.homes import home_environment, home_settings


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddedMemory:
    """A memory of three entries, which the commands of this process see."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    store = EmbeddedMemory(home_settings(tmp_path).memory_path, lambda: None)
    monkeypatch.setattr("starters.learning.memory.memory_store", lambda settings: store)
    store.put(
        [
            entry("yen", "Carry positions were closed. " * 40),
            entry("ore", "Metal prices carry the Aussie.", markets=("AUD/USD",), day=10),
            entry("chip", "Orders grew.", kind=MemoryKind.PLAN, markets=("NVDA",), day=20),
        ]
    )
    return store


@pytest.mark.usefixtures("store")
def test_a_search_prints_what_comes_nearest_in_eighty_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert execute(["memory", "search", "metal", "prices"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].split() == [
        *("1.00", "relevance", "1.00", "findings", "2026-10-11", "07:00", "AUD/USD")
    ]
    assert "less relevant than 0.50 is not recalled" in told[-1]
    assert any("Metal prices carry the Aussie." in line for line in told)
    assert all(len(line) <= 80 for line in told)


@pytest.mark.usefixtures("store")
def test_a_search_takes_markets_a_time_and_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    def found(*options: str) -> list[str]:
        assert execute(["memory", "search", "carry trade", *options, "--json"]) == 0
        answer = MemoryAnswer.model_validate_json(capsys.readouterr().out)
        return [one.entry.memory_id for one in answer.recalled]

    assert set(found()) == {"yen", "ore", "chip"}
    assert found("--market", "audusd")[0] == "ore"
    assert found("--market", "nvda")[0] == "chip"
    assert found("--as-of", "2026-10-05") == ["yen"]
    assert found("--kind", "plan") == ["chip"]
    assert set(found("--kind", "plan", "--kind", "findings", "--most", "3")) == {
        *("yen", "ore", "chip"),
    }


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--kind", "plans"], "no kind 'plans'; kinds: plan, findings, hypothesis, outcome"),
        (["--as-of", "tomorrow"], "--as-of 'tomorrow' is no day and no instant"),
        (["--market", "the yen"], "the markets cannot be used"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(
    options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["memory", "search", "carry", *options]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.usefixtures("store")
def test_the_list_has_everything_in_the_order_in_which_it_was_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert execute(["memory", "list"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told] == ["2026-10-01", "2026-10-11", "2026-10-21"]
    assert all(len(line) <= 80 for line in told)
    assert execute(["memory", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["entries"]
    assert [one["memory_id"] for one in listed] == ["yen", "ore", "chip"]


def test_what_was_lost_is_told_with_the_command_that_brings_it_back(
    store: EmbeddedMemory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home_settings(tmp_path).memory_path.write_text("no database at all " * 400)
    assert execute(["memory", "list"]) == 0
    told = capsys.readouterr()
    assert told.out == "Nothing is remembered yet.\n"
    assert "`desk memory rebuild`" in told.err


@pytest.mark.parametrize("address", ["chroma:chroma", "chroma+http://127.0.0.1:9"])
def test_without_chroma_the_error_names_the_command_that_installs_it(
    address: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in home_environment(tmp_path, DESK_MEMORY=address).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "chromadb", None)
    assert execute(["memory", "list"]) == 1
    assert "make install-chroma" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("embedded", "EmbeddedMemory"),
        ("chroma:chroma", "ChromaMemory"),
        ("chroma+http://memory:8000", "ChromaMemory"),
    ],
)
def test_the_settings_say_which_store_it_is(address: str, kind: str, tmp_path: Path) -> None:
    settings: Settings = home_settings(tmp_path, DESK_MEMORY=address)
    store: MemoryStore = memory.memory_store(settings)
    assert type(store).__name__ == kind


def test_every_held_question_has_its_entry_and_every_entry_an_id_of_its_own() -> None:
    held = held_set()
    known = {one.id for one in held.entries}
    assert len(known) == len(held.entries) == 60
    asked = [*held.held, *held.tried]
    assert [one.ask for one in asked if not set(one.right) <= known] == []
    assert len({one.ask for one in asked}) == len(asked)
