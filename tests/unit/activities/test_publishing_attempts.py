"""Publishing beats while it writes, and a next attempt waits for one that was given up."""

import asyncio
import threading
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

import activities.effects
import activities.publishing.publishing as publishing
from activities.publishing.publishing import PublishingActivities
from desk.contracts.week.report import ResearchReport
from tests.support.documents.reports import sample_report
from tests.unit.documents.publishing.test_publishing_activity import request


class Compiling:
    """Stands for a report that takes as long to compile as a test says."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.told: list[str] = []
        self._begun = 0

    def __call__(self, *_: object, **__: object) -> ResearchReport:
        self._begun += 1
        number = self._begun
        self.told.append(f"{number} begins")
        self.go_on.wait(60)
        self.told.append(f"{number} ends")
        return sample_report()


@pytest.fixture
def compiling(monkeypatch: pytest.MonkeyPatch) -> Compiling:
    slow = Compiling()
    monkeypatch.setattr(publishing, "compile_report", slow)
    monkeypatch.setattr(activities.effects, "INTERVAL_SECONDS", 0.01)
    return slow


class Attempt:
    """An attempt at publishing, and the beats that came of it."""

    def __init__(self, of: PublishingActivities) -> None:
        self._beats = 0
        self._beaten = asyncio.Event()
        self.environment = ActivityEnvironment()
        self.environment.on_heartbeat = self._beat
        self.task = asyncio.ensure_future(self.environment.run(of.publish_report, request()))

    async def beats(self, more: int = 5) -> None:
        """Wait for so many more."""
        until = self._beats + more
        async with asyncio.timeout(60):
            while self._beats < until:
                self._beaten.clear()
                await self._beaten.wait()

    def _beat(self, *_: object) -> None:
        self._beats += 1
        self._beaten.set()


async def begun(compiling: Compiling) -> None:
    async with asyncio.timeout(60):
        while not compiling.told:
            await asyncio.sleep(0.01)


async def test_a_report_that_takes_long_to_write_is_heard_of_meanwhile(
    tmp_path: Path, compiling: Compiling
) -> None:
    attempt = Attempt(PublishingActivities(tmp_path))
    await begun(compiling)
    await attempt.beats()
    assert compiling.told == ["1 begins"]
    compiling.go_on.set()
    await attempt.task
    assert list((tmp_path / "weekly").glob("*.html"))


async def test_the_next_attempt_waits_for_what_one_that_was_given_up_still_writes(
    tmp_path: Path, compiling: Compiling
) -> None:
    activities_of_worker = PublishingActivities(tmp_path)
    first = Attempt(activities_of_worker)
    await begun(compiling)
    first.environment.cancel()
    second = Attempt(activities_of_worker)
    await second.beats()
    compiling.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await first.task
    await second.task
    assert compiling.told == ["1 begins", "1 ends", "2 begins", "2 ends"]
