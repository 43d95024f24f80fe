"""What a workflow sends, held on its way to the server."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from temporalio.api.common.v1 import Payload

from desk.platform.payloads.codec import CompressingCodec

TELLS_OF_A_CASE = b'{"market":"USD/JPY","escalations":["'
"""How what the market USD/JPY tells its week begins, while it waits for a person."""

TELLS_OF_NO_CASE = b'{"market":"USD/JPY","escalations":[]'
"""The same once it waits no more."""


class Held:
    """A workflow task that sends something: `reached` once it would, sent when `let_go` is set."""

    def __init__(self) -> None:
        self.reached, self.let_go = asyncio.Event(), asyncio.Event()


@contextmanager
def held(beginning: bytes) -> Iterator[Held]:
    """What begins so waits in the worker. Whatever comes to its workflow meanwhile stands in its
    history behind what it sends, and before what becomes of that."""
    task, send = Held(), CompressingCodec.encode

    async def encode(codec: CompressingCodec, payloads: Sequence[Payload]) -> list[Payload]:
        if any(payload.data.startswith(beginning) for payload in payloads):
            task.reached.set()
            await task.let_go.wait()
        return await send(codec, payloads)

    with patch.object(CompressingCodec, "encode", encode):
        yield task
