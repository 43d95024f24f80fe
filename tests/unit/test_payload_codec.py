"""Packed payloads, in histories and for the UI."""

import json
from base64 import b64decode, b64encode

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload

from infra.codec_server import codec_server
from infra.payload_codec import ENCODING, SMALLEST, CompressingCodec

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


async def test_a_large_payload_shrinks() -> None:
    (packed,) = await CompressingCodec().encode([LARGE])
    assert packed.metadata["encoding"] == ENCODING
    assert packed.ByteSize() < LARGE.ByteSize() / 4


async def test_the_ui_is_shown_what_was_packed() -> None:
    (packed,) = await CompressingCodec().encode([LARGE])
    body = {
        "payloads": [
            {
                "metadata": {"encoding": b64encode(ENCODING).decode()},
                "data": b64encode(packed.data).decode(),
            }
        ]
    }
    with codec_server("127.0.0.1", UI) as address:
        answer = httpx2.post(f"{address}/decode", json=body)
    assert answer.headers["access-control-allow-origin"] == UI
    assert b64decode(answer.json()["payloads"][0]["data"]) == LARGE.data


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", json.dumps({"payloads": [1]}).encode()])
def test_nonsense_is_refused(body: bytes) -> None:
    with codec_server("127.0.0.1", UI) as address:
        assert httpx2.post(f"{address}/decode", content=body).status_code == 400
