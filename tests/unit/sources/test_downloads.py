"""A download is bounded in size and time, and fails in one way."""

import httpx2
import pytest

from desk.sources.serving.downloads import NotDownloaded, download, status_of
from tests.support.feed_address import Answer, feeds
from tests.support.homes import free_port


def downloaded(answer: Answer, largest: int = 100, seconds: float = 30) -> bytes:
    with feeds(answer) as url:
        return download(url, require_no_error, timeout_seconds=seconds, largest=largest)


def require_no_error(answer: httpx2.Response) -> None:
    if answer.is_error:
        raise NotDownloaded(status_of(answer))


def test_what_stands_at_the_address_is_had_up_to_the_last_byte_that_is_allowed() -> None:
    assert downloaded(Answer(b"x" * 100)) == b"x" * 100
    with pytest.raises(NotDownloaded, match="its answer is above 100 bytes"):
        downloaded(Answer(b"x" * 101))


@pytest.mark.parametrize(
    "answer",
    [
        Answer(stalls=True),
        Answer(b"half", stalls=True),
        Answer(b"x" * 100, pause_seconds=0.05),
    ],
    ids=["silent", "stops", "drips"],
)
def test_a_wait_has_an_end(answer: Answer) -> None:
    with pytest.raises(NotDownloaded, match="did not answer within 1 seconds"):
        downloaded(answer, seconds=1)


def test_the_status_is_judged_before_what_comes_with_it() -> None:
    with pytest.raises(NotDownloaded, match=r"^404 Not Found$"):
        downloaded(Answer(b"x" * 101, 404))


def test_an_address_without_an_answer_is_told_without_the_address() -> None:
    port = free_port()
    for url in (f"http://127.0.0.1:{port}", "http://127.0.0.1:port/", "no address"):
        with pytest.raises(NotDownloaded, match=r"^it could not be reached \(\w+\)$"):
            download(url, require_no_error, timeout_seconds=1, largest=100)
