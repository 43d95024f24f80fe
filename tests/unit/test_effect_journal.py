"""Effects that happen once."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from infra.effect_journal import EffectJournal


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
