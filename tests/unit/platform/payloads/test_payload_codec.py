"""Packed payloads, in histories and for the UI."""

import json
import socket
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload

from desk.platform.payloads.codec import (
    ENCODING,
    LARGEST,
    SMALLEST,
    CompressingCodec,
    DamagedPayload,
    dictionary,
    unpacked,
)
from desk.platform.payloads.codec_server import codec_server

UI = "http://127.0.0.1:8233"
LARGE = Payload(metadata={"encoding": b"json/plain"}, data=b'{"a":1}' * 1_000)


@given(st.binary(max_size=3 * SMALLEST), st.binary(max_size=20).filter(lambda e: e != ENCODING))
async def test_every_payload_comes_back(data: bytes, encoding: bytes) -> None:
    payload = Payload(metadata={"encoding": encoding}, data=data)
    codec = CompressingCodec()
    assert await codec.decode(await codec.encode([payload])) == [payload]


async def test_a_small_payload_stays_readable() -> None:
    small = Payload(metadata={"encoding": b"json/plain"}, data=b"x" * (SMALLEST - 1))
    assert await CompressingCodec().encode([small]) == [small]


async def test_what_was_packed_without_the_dictionary_comes_back() -> None:
    earlier = packed_bytes(LARGE.SerializeToString())
    assert await CompressingCodec().decode([earlier]) == [LARGE]


def test_the_dictionary_is_the_one_that_histories_were_packed_beside() -> None:
    assert zlib.adler32(dictionary()) == 0xE56D76A


async def test_a_large_payload_shrinks() -> None:
    (packed,) = await CompressingCodec().encode([LARGE])
    assert packed.metadata["encoding"] == ENCODING
    assert packed.ByteSize() < LARGE.ByteSize() / 4


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with codec_server("127.0.0.1", UI) as address:
        yield address


def body_of(*payloads: Payload) -> dict[str, list[object]]:
    """A request in the JSON form of the protocol."""
    return {
        "payloads": [
            {
                "metadata": {k: b64encode(v).decode() for k, v in payload.metadata.items()},
                "data": b64encode(payload.data).decode(),
            }
            for payload in payloads
        ]
    }


async def test_the_ui_is_shown_what_was_packed(endpoint: str) -> None:
    (packed,) = await CompressingCodec().encode([LARGE])
    answer = httpx2.post(f"{endpoint}/decode", json=body_of(packed), headers={"Origin": UI})
    assert answer.headers["access-control-allow-origin"] == UI
    assert b64decode(answer.json()["payloads"][0]["data"]) == LARGE.data


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", json.dumps({"payloads": [1]}).encode()])
def test_nonsense_is_refused(endpoint: str, body: bytes) -> None:
    assert httpx2.post(f"{endpoint}/decode", content=body).status_code == 400


def packed_bytes(content: bytes) -> Payload:
    return Payload(metadata={"encoding": ENCODING}, data=zlib.compress(content))


CUT_SHORT = Payload(metadata={"encoding": ENCODING}, data=zlib.compress(b"x" * 5_000)[:-5])
DAMAGED = [Payload(metadata={"encoding": ENCODING}, data=b"?"), packed_bytes(b"\xff"), CUT_SHORT]


@pytest.mark.parametrize("damaged", DAMAGED)
async def test_a_damaged_payload_is_an_error(damaged: Payload) -> None:
    with pytest.raises(DamagedPayload):
        await CompressingCodec().decode([damaged])


@pytest.mark.parametrize("damaged", DAMAGED)
def test_the_ui_is_told_that_a_payload_is_damaged(endpoint: str, damaged: Payload) -> None:
    assert httpx2.post(f"{endpoint}/decode", json=body_of(damaged)).status_code == 400


def test_no_more_is_unpacked_than_allowed() -> None:
    with pytest.raises(DamagedPayload, match="more than"):
        unpacked(packed_bytes(b"\0" * (LARGEST + 1)))


async def test_the_limit_is_that_of_the_payload_itself() -> None:
    (packed,) = await CompressingCodec().encode([LARGE])
    assert unpacked(packed, LARGE.ByteSize()) == LARGE
    for too_little in (LARGE.ByteSize() - 1, 0, -1, -2):
        with pytest.raises(DamagedPayload, match="more than"):
            unpacked(packed, too_little)


async def test_the_limit_is_for_all_payloads_of_a_request(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desk.platform.payloads.codec_server.LARGEST_ANSWER", 2 * LARGE.ByteSize())
    (packed,) = await CompressingCodec().encode([LARGE])
    for number, status in ((2, 200), (3, 400)):
        answer = httpx2.post(f"{endpoint}/decode", json=body_of(*[packed] * number))
        assert answer.status_code == status


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8233", "http://localhost:8233"])
@pytest.mark.parametrize("method", ["POST", "OPTIONS"])
def test_the_ui_is_answered_under_both_its_names(endpoint: str, method: str, origin: str) -> None:
    headers = {"Origin": origin}
    answer = httpx2.request(method, f"{endpoint}/decode", json=body_of(LARGE), headers=headers)
    assert answer.is_success
    assert answer.headers["access-control-allow-origin"] == origin


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "http://localhost:8080", "https://localhost:8233"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_the_codec_server_refuses_pages_of_other_origins(
    endpoint: str, method: str, origin: str
) -> None:
    headers = {"Origin": origin}
    answer = httpx2.request(method, f"{endpoint}/decode", json=body_of(LARGE), headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    assert not answer.content


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8234", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8234", 200),
        ("localhost", 200),
        ("evil.example:8234", 421),
        ("localhost.evil.example", 421),
        ("[", 421),
        ("", 421),
    ],
)
def test_only_a_host_of_its_own_is_answered(endpoint: str, host: str, status: int) -> None:
    answer = httpx2.post(f"{endpoint}/decode", json=body_of(LARGE), headers={"Host": host})
    assert answer.status_code == status


def test_a_ui_elsewhere_is_answered_under_its_own_name_only() -> None:
    with codec_server("127.0.0.1", "https://desk.example/") as address:
        for origin, status in (("https://desk.example", 204), ("http://localhost", 403)):
            headers = {"Origin": origin, "Host": "desk.example:8234"}
            assert httpx2.options(address, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("length", "status"),
    [
        (None, 411),
        ("-1", 400),
        ("many", 400),
        ("1e3", 400),
        ("+5", 400),
        (str(17 * 1024 * 1024), 413),
        ("9" * 5_000, 413),
    ],
)
def test_a_length_that_cannot_be_is_refused(endpoint: str, length: str | None, status: int) -> None:
    where = urlsplit(endpoint)
    lines = ["POST /decode HTTP/1.1", f"Host: {where.netloc}"]
    lines += [f"Content-Length: {length}"] if length is not None else []
    with socket.create_connection((where.hostname, where.port), timeout=5) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        assert connection.recv(100).split()[1] == str(status).encode()
