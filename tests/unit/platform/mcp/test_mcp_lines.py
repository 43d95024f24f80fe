"""Lines of a stdio server: of a bounded length, and which request an unusable one answers."""

import pytest

from desk.platform.mcp.transports.stdio import LONG_LINE_EXCERPT, Lines, LongLine, request_of

MOST = 10_000


def lines_in(*chunks: bytes, most: int = MOST) -> list[bytes | LongLine]:
    lines = Lines(most)
    return [line for chunk in chunks for line in lines.of(chunk)]


def long_answer(start: str, end: str) -> bytes:
    return f"{start}{'x' * 3 * MOST}{end}\n".encode()


def test_a_line_is_put_together_from_its_chunks() -> None:
    assert lines_in(b"one\ntw", b"", b"o\n\nthr", b"ee") == [b"one", b"two", b""]


def test_of_a_line_that_is_too_long_only_its_ends_and_its_length_are_kept() -> None:
    text = long_answer("begins", "ends")
    chunks = [text[at : at + 999] for at in range(0, len(text), 999)]
    (long, after) = lines_in(*chunks, b"short\n")
    assert isinstance(long, LongLine)
    assert long.size == len(text) - 1
    assert len(long.beginning) == len(long.end) == LONG_LINE_EXCERPT
    assert long.beginning.startswith(b"begins") and long.end.endswith(b"xends")
    assert after == b"short"


def test_a_line_of_just_the_length_that_is_read_is_read() -> None:
    assert lines_in(b"x" * 10 + b"\n", most=10) == [b"x" * 10]
    assert isinstance(lines_in(b"x" * 11 + b"\n", most=10)[0], LongLine)


@pytest.mark.parametrize(
    ("start", "end", "request_id"),
    [
        ('{"jsonrpc":"2.0","id":7,"result":{"text":"', '"}}', 7),
        ('{ "id" : "a-7" , "jsonrpc": "2.0", "result": {"text": "', '"}}', "a-7"),
        ('{"result":{"text":"', '"},"jsonrpc":"2.0","id":7}', 7),
        ('{"jsonrpc":"2.0","result":{"text":"', '"},"id":7}', 7),
        ('{"jsonrpc":"2.0","result":{"text":"', '"}}', None),
        ('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"', '"}}', None),
        ('{"jsonrpc":"2.0","result":{"text":"\\"id\\":9, ', ' \\"id\\":9}"}}', None),
    ],
)
def test_which_request_an_answer_that_is_too_long_is_of(
    start: str, end: str, request_id: int | str | None
) -> None:
    (long,) = lines_in(long_answer(start, end))
    assert isinstance(long, LongLine)
    assert request_of(long) == request_id


def test_which_request_a_damaged_answer_is_of() -> None:
    assert request_of(b'{"jsonrpc": "2.0", "id": 7, "result": {"content": [oops') == 7
    assert request_of(b"Traceback (most recent call last):") is None
