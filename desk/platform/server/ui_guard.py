"""A proxy in front of the embedded Temporal UI, which itself answers to any host name.

Any web page can let its own name resolve to 127.0.0.1. The browser would then treat the UI as a
part of that page, which could read and signal workflows. So the UI itself listens at an address
that no page can guess, and only requests that name this machine are forwarded to it.
"""

import asyncio
import secrets
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from typing import Final, NamedTuple

LARGEST_HEAD: Final = 64 * 1024
HEAD_SECONDS: Final = 10.0
THIS_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
ALLOWED_HOSTS: Final = '["localhost:*","127.0.0.1:*","[::1]:*","localhost","127.0.0.1","[::1]"]'
"""The same for the server's HTTP API, which checks the name itself, in the form of its setting."""


class Address(NamedTuple):
    """The address of a listening socket."""

    ip: str
    port: int


def hidden_address() -> Address:
    """Picks an address of this machine that no page can guess, with a free port. On Linux it is one
    of some 16 million, because all of 127.0.0.0/8 is the machine's own."""
    ip = "127.0.0.1"
    if sys.platform == "linux":
        second, third, fourth = (1 + secrets.randbelow(254) for _ in range(3))
        ip = f"127.{second}.{third}.{fourth}"
    with socket.socket() as probe:
        probe.bind((ip, 0))
        return Address(ip, probe.getsockname()[1])


@asynccontextmanager
async def guarded(front: Address, behind: Address) -> AsyncIterator[None]:
    """Forwards requests at `front` that name this machine to `behind`, for the duration of the
    block. Answers others with 421.

    Raises:
        OSError: another program listens at `front`.
    """
    names = THIS_MACHINE | {front.ip if ":" not in front.ip else f"[{front.ip}]"}
    allowed = frozenset({*names, *(f"{name}:{front.port}" for name in names)})

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            await _serve(reader, writer, allowed, behind)
        writer.close()

    server = await asyncio.start_server(serve, front.ip, front.port, limit=LARGEST_HEAD)
    async with server:
        yield


async def _serve(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    allowed: frozenset[str],
    behind: Address,
) -> None:
    async with asyncio.timeout(HEAD_SECONDS):
        head = await reader.readuntil(b"\r\n\r\n")
    asked, *fields = head[:-4].split(b"\r\n")
    if not _names_this_machine(fields, allowed):
        writer.write(_refusal())
        await writer.drain()
        return
    onward, upstream = await asyncio.open_connection(*behind)
    # One request a connection, so that the host name of each is checked.
    kept = [field for field in fields if not field.lower().startswith(b"connection:")]
    upstream.write(b"\r\n".join([asked, *kept, b"Connection: close"]) + b"\r\n\r\n")
    try:
        async with asyncio.TaskGroup() as both:
            sending = both.create_task(_pipe(reader, upstream))
            await _pipe(onward, writer)
            sending.cancel()
    finally:
        upstream.close()


def _names_this_machine(fields: list[bytes], allowed: frozenset[str]) -> bool:
    hosts = [f.partition(b":")[2] for f in fields if f.lower().startswith(b"host:")]
    return len(hosts) == 1 and hosts[0].strip().decode("latin-1").lower() in allowed


def _refusal() -> bytes:
    words = b"This is the Temporal UI of a research desk. Ask for it by 127.0.0.1 or localhost.\n"
    status = HTTPStatus.MISDIRECTED_REQUEST
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain\r\n"
        f"Content-Length: {len(words)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + words


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(LARGEST_HEAD):
        writer.write(piece)
        await writer.drain()
