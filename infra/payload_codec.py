"""Compression of larger payloads: a market's history stays small and whole."""

import zlib
from collections.abc import Sequence

from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

SMALLEST = 2 * 1024
"""Payloads below this many bytes stay as they are: readable in the Temporal UI and `temporal`."""

ENCODING = b"binary/zlib"
FASTEST = 1


class CompressingCodec(PayloadCodec):
    """Packs JSON to about a quarter. Decodes what it packed and leaves everything else alone."""

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class."""
        return [_packed(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        """See base class.

        Raises:
            zlib.error: a packed payload is damaged.
        """
        return [unpacked(payload) for payload in payloads]


def _packed(payload: Payload) -> Payload:
    if len(payload.data) < SMALLEST:
        return payload
    data = zlib.compress(payload.SerializeToString(), FASTEST)
    return Payload(metadata={"encoding": ENCODING}, data=data)


def unpacked(payload: Payload) -> Payload:
    """What was packed; any other payload as it is.

    Raises:
        zlib.error: the payload is damaged.
    """
    if payload.metadata.get("encoding") != ENCODING:
        return payload
    return Payload.FromString(zlib.decompress(payload.data))
