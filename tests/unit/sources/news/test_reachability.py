"""What is known of the hosts of a live source, and for how long."""

import socket
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from mcp import Client

from desk.contracts.agents.tools import REACH_TOOL, Reachability
from desk.sources.news.server import build_server, from_arguments
from desk.sources.serving.reachability import (
    FAILURE_CACHE_SECONDS,
    PROBE_SECONDS,
    NotReachable,
    Reach,
)
from tests.support.addresses.feeds import Answer, feeds

CLOSED = "http://127.0.0.1:9"
"""Nobody listens there."""


class Clock:
    """Seconds since 1970 that pass when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_host_that_answers_anything_can_be_reached() -> None:
    with feeds(Answer(b"", 404)) as url:
        reach = Reach("news", (url,)).check()
    assert reach.reachable
    assert reach.answered_at is not None


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_that_could_not_get_there_is_no_answer(status: int) -> None:
    with feeds(Answer(b"", status)) as url:
        reach = Reach("news", (url,)).check()
    assert not reach.reachable
    assert str(status) in (reach.reason or "")


def test_one_of_several_hosts_is_enough() -> None:
    with feeds(Answer()) as url:
        assert Reach("news", (CLOSED, url)).check().reachable


def test_a_host_that_is_silent_costs_two_seconds_at_most_and_then_nothing(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        began = time.monotonic()
        first = Reach("news", (url, f"{url}/another"), tmp_path).check()
        took = time.monotonic() - began
        again = time.monotonic()
        second = Reach("news", (url,), tmp_path).check()
        took_again = time.monotonic() - again
    assert not first.reachable
    assert took < PROBE_SECONDS + 1
    assert took_again < 0.5
    assert second.since == first.since


def test_a_failure_is_remembered_for_a_minute_by_the_next_process(tmp_path: Path) -> None:
    clock = Clock()
    with feeds(Answer()) as url:
        reach = Reach("news", (url,), tmp_path, clock=clock)
        since = reach.note_failure(url, "it did not answer")
        clock.now += FAILURE_CACHE_SECONDS - 1
        later = Reach("news", (url,), tmp_path, clock=clock)
        with pytest.raises(NotReachable, match="it did not answer"):
            later.require(url)
        told = later.check()
        assert (told.reachable, told.since) == (False, since)
        clock.now += 2
        later.require(url)
        assert later.check().reachable


def test_since_is_the_first_failure_after_the_last_answer(tmp_path: Path) -> None:
    clock = Clock()
    reach = Reach("news", (CLOSED,), tmp_path, clock=clock)
    reach.note_success(CLOSED)
    answered = datetime.fromtimestamp(clock.now, UTC)
    clock.now += 100
    since = reach.note_failure(CLOSED, "first")
    clock.now += 30
    assert reach.note_failure(CLOSED, "second") == since
    told = reach.check()
    assert (told.since, told.answered_at) == (since, answered)


def test_a_note_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "reach-news.json").write_text('{"http://127.0.0.1:9": {"colour": "red"}}')
    reach = Reach("news", (CLOSED,), tmp_path)
    reach.require(CLOSED)
    since = reach.note_failure(CLOSED, "it did not answer")
    with pytest.raises(NotReachable) as caught:
        Reach("news", (CLOSED,), tmp_path).require(CLOSED)
    assert caught.value.since == since


def test_offline_nothing_is_asked() -> None:
    asked: list[str] = []
    with feeds(Answer(), asked=asked) as url:
        reach = Reach("news", (url,), offline=True)
        told = reach.check()
        with pytest.raises(NotReachable, match="DESK_OFFLINE"):
            reach.require(url)
    assert asked == []
    assert (told.reachable, told.since) == (False, None)
    assert "DESK_OFFLINE" in (told.reason or "")


async def test_a_server_says_whether_its_provider_can_be_reached(tmp_path: Path) -> None:
    for url, reachable in ((CLOSED, False), (None, True)):
        with feeds(Answer(b"", 404)) as address:
            async with Client(build_server(tmp_path, url=url or address)) as client:
                answer = await client.call_tool(REACH_TOOL, {})
        assert Reachability.model_validate(answer.structured_content).reachable is reachable


async def test_a_worker_that_refreshes_nothing_fetches_no_news(tmp_path: Path) -> None:
    asked: list[str] = []
    with feeds(Answer(), asked=asked) as url:
        server = from_arguments(["--url", url], cache_dir=tmp_path, refresh_every=None)
        async with Client(server) as client:
            arguments = {"query": "yen", "as_of": "2026-10-30T16:00:00Z"}
            answer = await client.call_tool("search_news", arguments)
    assert asked == []
    assert answer.structured_content["unreachable_since"]
