"""Effects that happen once."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.effect_journal import EffectJournal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[EffectJournal]:
    journal = EffectJournal(tmp_path / "effects.db")
    yield journal
    journal.close()


class Effect:
    """Counts how often it is had."""

    def __init__(self) -> None:
        self.times = 0

    async def __call__(self) -> str:
        self.times += 1
        await asyncio.sleep(0)
        return f"result {self.times}"


async def test_a_repeated_effect_returns_its_first_result(journal: EffectJournal) -> None:
    effect = Effect()
    assert await journal.once("a", effect) == await journal.once("a", effect) == "result 1"
    assert effect.times == 1


async def test_attempts_at_the_same_time_have_one_effect(journal: EffectJournal) -> None:
    effect = Effect()
    results = await asyncio.gather(*(journal.once("a", effect) for _ in range(20)))
    assert set(results) == {"result 1"}


async def test_keys_do_not_wait_for_each_other(journal: EffectJournal) -> None:
    inside = asyncio.Event()

    async def waits() -> str:
        await inside.wait()
        return "late"

    async def frees() -> str:
        inside.set()
        return "early"

    late, early = await asyncio.gather(journal.once("a", waits), journal.once("b", frees))
    assert (late, early) == ("late", "early")


async def test_a_failed_effect_may_be_tried_again(journal: EffectJournal) -> None:
    async def fails() -> str:
        raise ValueError("not yet")

    with pytest.raises(ValueError, match="not yet"):
        await journal.once("a", fails)
    assert await journal.once("a", Effect()) == "result 1"


async def test_another_process_finds_the_result(journal: EffectJournal, tmp_path: Path) -> None:
    effect = Effect()
    await journal.once("a", effect)
    other = EffectJournal(tmp_path / "effects.db")
    assert await other.once("a", effect) == "result 1"
    other.close()
