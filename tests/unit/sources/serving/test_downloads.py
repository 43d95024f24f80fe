"""A download is bounded in size and time, and fails in one way."""

import httpx2
import pytest

from desk.sources.serving.downloads import NotDownloaded, download, require_success, status_of
from tests.standins.provider import Failure
from tests.standins.serving import Standins
from tests.support.addresses.feeds import Answer, feeds
from tests.support.processes.homes import free_port


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
def test_a_download_gives_up_after_its_timeout(answer: Answer) -> None:
    with pytest.raises(NotDownloaded, match="did not answer within 1 seconds"):
        downloaded(answer, seconds=1)


def test_the_status_is_judged_before_what_comes_with_it() -> None:
    with pytest.raises(NotDownloaded, match=r"^404 Not Found$"):
        downloaded(Answer(b"x" * 101, 404))


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://127.0.0.1:{port}", "it could not be reached: nothing answers at its address"),
        (
            "http://rates.invalid/",
            "it could not be reached: its name has no address; is there a network?",
        ),
        ("http://127.0.0.1:port/", "its address is not a valid one"),
        ("no address", "its address does not begin with http:// or https://"),
    ],
)
def test_why_there_is_no_answer_is_told_in_plain_words_without_the_address(
    address: str, words: str
) -> None:
    with pytest.raises(NotDownloaded) as failed:
        download(address.format(port=free_port()), require_no_error, timeout_seconds=5, largest=100)
    assert str(failed.value) == words


def test_a_redirect_to_itself_and_a_connection_that_ends_are_told(standins: Standins) -> None:
    def told(kind: Failure) -> str:
        standins.fail("ecb", kind)
        with pytest.raises(NotDownloaded) as failed:
            download(standins.address("ecb"), require_no_error, timeout_seconds=5, largest=100)
        return str(failed.value)

    assert told(Failure.REDIRECT_LOOP) == "it redirects in a circle"
    assert told(Failure.CLOSED) == "the connection ended before its answer did"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(b"", 404), "it answered 404 Not Found: nothing stands at this address"),
        (
            Answer(b"", 503),
            "it answered 503 Service Unavailable: it has trouble of its own",
        ),
        (
            Answer(b"", 429, {"Retry-After": "30"}),
            "it answered 429 Too Many Requests: it was asked too often; it asks to wait 30 seconds",
        ),
        (Answer(b"", 418), "it answered 418 I'm a Teapot"),
    ],
)
def test_what_a_status_means_is_told(answer: Answer, words: str) -> None:
    with feeds(answer) as url, pytest.raises(NotDownloaded) as failed:
        download(url, require_success, timeout_seconds=30, largest=100)
    assert str(failed.value).lower() == words.lower()
