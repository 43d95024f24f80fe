"""What a Messages API would bill: a server in front of another that counts what it is asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx2


@dataclass
class Billing:
    """A running server. `calls` are the requests as they came in, each of them billed."""

    url: str = ""
    calls: list[bytes] = field(default_factory=list)

    async def asked(self, least: int) -> None:
        """Wait until so many calls have been billed."""
        while len(self.calls) < least:
            await asyncio.sleep(0.01)


@asynccontextmanager
async def billing(upstream: str, pause_seconds: float) -> AsyncIterator[Billing]:
    """In front of `upstream`, whose answers are held back a while, so that a kill finds calls under
    way."""
    bill = Billing()
    async with httpx2.AsyncClient(base_url=upstream, timeout=60) as client:

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                path, body = await _request(reader)
            except (asyncio.IncompleteReadError, ConnectionError):
                # Who asks died before a word was said: nothing is billed.
                writer.close()
                return
            bill.calls.append(body)
            try:
                await asyncio.sleep(pause_seconds)
                headers = {"content-type": "application/json"}
                answer = await client.post(path, content=body, headers=headers)
                writer.write(_response(answer))
                with suppress(ConnectionError):
                    await writer.drain()
                    await reader.read()
            finally:
                writer.close()

        async with await asyncio.start_server(serve, "127.0.0.1") as server:
            bill.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            yield bill


async def _request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
    return head[0].split(" ")[1], await reader.readexactly(int(fields["content-length"]))


def _response(answer: httpx2.Response) -> bytes:
    head = f"HTTP/1.1 {answer.status_code} {answer.reason_phrase}\r\n"
    head += "content-type: application/json\r\nconnection: close\r\n"
    return f"{head}content-length: {len(answer.content)}\r\n\r\n".encode() + answer.content
