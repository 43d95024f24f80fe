"""Effects that happen once."""

import asyncio
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import BaseModel

from desk.contracts.agents.model_calls import ModelAnswer, StopReason
from desk.contracts.agents.usage import Usage
from desk.platform.effects.journal import EffectJournal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[EffectJournal]:
    journal = EffectJournal(tmp_path / "effects.db")
    yield journal
    journal.close()


class Result(BaseModel):
    """What an effect leaves."""

    text: str


class Effect:
    """Counts how often it is had."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self) -> Result:
        self.times += 1
        await asyncio.sleep(0)
        return Result(text=f"result {self.times}")


async def test_a_repeated_effect_returns_its_first_result(journal: EffectJournal) -> None:
    effect = Effect()
    first = await journal.once("a", effect, Result)
    assert first == await journal.once("a", effect, Result) == Result(text="result 1")
    assert effect.times == 1


async def test_attempts_at_the_same_time_have_one_effect(journal: EffectJournal) -> None:
    effect = Effect()
    results = await asyncio.gather(*(journal.once("a", effect, Result) for _ in range(20)))
    assert {result.text for result in results} == {"result 1"}


async def test_keys_do_not_wait_for_each_other(journal: EffectJournal) -> None:
    inside = asyncio.Event()

    async def waits() -> Result:
        await inside.wait()
        return Result(text="late")

    async def frees() -> Result:
        inside.set()
        return Result(text="early")

    late, early = await asyncio.gather(
        journal.once("a", waits, Result), journal.once("b", frees, Result)
    )
    assert (late.text, early.text) == ("late", "early")


async def test_a_failed_effect_may_be_tried_again(journal: EffectJournal) -> None:
    async def fails() -> Result:
        raise ValueError("not yet")

    with pytest.raises(ValueError, match="not yet"):
        await journal.once("a", fails, Result)
    assert (await journal.once("a", Effect(), Result)).text == "result 1"


async def test_another_process_finds_the_result(journal: EffectJournal, tmp_path: Path) -> None:
    effect = Effect()
    await journal.once("a", effect, Result)
    other = EffectJournal(tmp_path / "effects.db")
    assert (await other.once("a", effect, Result)).text == "result 1"
    other.close()


async def test_workers_that_start_at_once_begin_one_file(tmp_path: Path) -> None:
    """Without waiting for one another, one in a hundred found the new file locked."""

    def begin(path: Path) -> None:
        EffectJournal(path).close()

    with ThreadPoolExecutor(8) as workers:
        for number in range(40):
            path = tmp_path / str(number) / "effects.db"
            list(workers.map(begin, [path] * 8))
            journal = EffectJournal(path)
            assert (await journal.once("a", Effect(), Result)).text == "result 1"
            journal.close()
            assert not list(path.parent.glob("*.damaged-*"))


def by_hand(tmp_path: Path, statement: str, *values: str | bytes) -> list[tuple[object, ...]]:
    """Run a statement on the file, as another process would."""
    with closing(sqlite3.connect(tmp_path / "effects.db", isolation_level=None)) as connection:
        return list(connection.execute(statement, values))


def test_a_damaged_file_is_moved_aside_and_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "effects.db"
    for n in (1, 2):
        path.write_bytes(b"this is no database" * 100)
        EffectJournal(path).close()
        aside = tmp_path / f"effects.db.damaged-{n}"
        assert aside.read_bytes().startswith(b"this is no database")
        assert str(aside) in caplog.text


async def test_a_new_file_is_begun_where_one_was_damaged(tmp_path: Path) -> None:
    path = tmp_path / "effects.db"
    journal = EffectJournal(path)
    for n in range(200):
        await journal.once(f"{n}", Effect(), Result)
    journal.close()
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    journal = EffectJournal(path)
    effect = Effect()
    await journal.once("a", effect, Result)
    await journal.once("a", effect, Result)
    journal.close()
    assert effect.times == 1


def test_a_file_that_another_process_holds_is_left_where_it_is(
    journal: EffectJournal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "effects.db"
    connect = sqlite3.connect

    def impatient(path: Path, **others: object) -> sqlite3.Connection:
        return connect(path, timeout=0, isolation_level=None)

    with closing(connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr("desk.platform.effects.journal.sqlite3.connect", impatient)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            EffectJournal(path)
    assert not list(tmp_path.glob("*.damaged-*"))


@pytest.mark.parametrize("kept", ['{"words": 1}', "{", b"\xff\xfe"])
async def test_a_kept_result_that_cannot_be_read_counts_as_absent(
    journal: EffectJournal, tmp_path: Path, kept: str | bytes
) -> None:
    by_hand(tmp_path, "INSERT INTO effects (key, result) VALUES ('a', CAST(? AS TEXT))", kept)
    effect = Effect()
    assert (await journal.once("a", effect, Result)).text == "result 1"
    assert (await journal.once("a", effect, Result)).text == "result 1"
    assert effect.times == 1


async def test_a_result_that_cannot_be_kept_is_returned(
    journal: EffectJournal, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    by_hand(
        tmp_path,
        "CREATE TRIGGER full BEFORE INSERT ON effects BEGIN SELECT RAISE(FAIL, 'disk full'); END",
    )
    assert (await journal.once("a", Effect(), Result)).text == "result 1"
    assert "disk full" in caplog.text
    assert not by_hand(tmp_path, "SELECT * FROM effects")


async def test_the_result_of_the_process_that_was_first_is_returned(
    journal: EffectJournal, tmp_path: Path
) -> None:
    async def overtaken() -> Result:
        other = Result(text="first").model_dump_json()
        by_hand(tmp_path, "INSERT INTO effects (key, result) VALUES ('a', ?)", other)
        return Result(text="second")

    assert (await journal.once("a", overtaken, Result)).text == "first"


def test_a_file_of_before_answers_were_kept_keeps_them_from_now_on(tmp_path: Path) -> None:
    path = tmp_path / "effects.db"
    with closing(sqlite3.connect(path)) as before:
        before.execute(
            "CREATE TABLE paid (id INTEGER PRIMARY KEY, key TEXT NOT NULL,"
            " attempt INTEGER NOT NULL, usage TEXT NOT NULL,"
            " at TEXT NOT NULL DEFAULT (datetime('now')))"
        )
    answer = ModelAnswer(content=(), text="42", stop_reason=StopReason.END_TURN, usage=Usage())
    for opened in map(EffectJournal, (path, path)):
        opened.paid.settle(opened.paid.begin("turn", 1), answer.usage, answer)
        assert opened.paid.answer("turn") == answer
        opened.close()


async def test_old_results_are_forgotten_when_the_file_is_opened(
    journal: EffectJournal, tmp_path: Path
) -> None:
    await journal.once("old", Effect(), Result)
    await journal.once("new", Effect(), Result)
    by_hand(tmp_path, "UPDATE effects SET at = datetime('now', '-15 days') WHERE key = 'old'")
    EffectJournal(tmp_path / "effects.db").close()
    assert by_hand(tmp_path, "SELECT key FROM effects") == [("new",)]
