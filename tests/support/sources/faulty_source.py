"""A source of the desk's own behind a wire that can be told to fail, over stdio or HTTP.

`python -m tests.support.sources.faulty_source MODULE CONTROL [--http PORT]`

The server MODULE answers by itself; CONTROL is a file that names the fault from which its tools
suffer while it stands there, as one of `Fault`. Every call of a tool adds a line to
`CONTROL.asked`. Within `started_again`, the server is a fork.
"""

import argparse
import asyncio
import gzip
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from tests.support.processes.homes import PROJECT, await_port, free_port
from tests.support.sources.forked_source import forked_source

HUGE: Final = 50 * 2**20
"""Bytes of the answer that is too large."""

SLOW_SECONDS: Final = 30.0
START_SECONDS: Final = 60.0
_CHUNK: Final = 64 * 1024


class Fault(StrEnum):
    """What becomes of a call on its way back."""

    RESET = "reset"
    HALF = "half"
    SILENT = "silent"
    MALFORMED = "malformed"
    GARBAGE = "garbage"
    SLOW = "slow"
    HUGE = "huge"
    ERROR = "error"
    PACKED = "packed"


class Controls:
    """The files by which a source is told what to do, and tells what it was asked."""

    def __init__(self, control: Path) -> None:
        self.path = control
        self._asked = control.with_name(f"{control.name}.asked")

    @property
    def fault(self) -> Fault | None:
        """What is wrong now."""
        told = self.path.read_text() if self.path.exists() else ""
        return Fault(told) if told else None

    def suffer(self, fault: Fault | None) -> None:
        """From now on, and for every call."""
        aside = self.path.with_name(f"{self.path.name}.new")
        aside.write_text(fault or "")
        aside.replace(self.path)

    def note(self, tool: str) -> None:
        """A tool was called."""
        with self._asked.open("a") as file:
            file.write(f"{tool}\n")

    @property
    def asked(self) -> int:
        """How many calls have arrived."""
        return len(self._asked.read_text().splitlines()) if self._asked.exists() else 0


def over_stdio(module: str, controls: Path) -> dict[str, Any]:
    """The source as an entry of `.mcp.json`."""
    arguments = ["-m", "tests.support.sources.faulty_source", module, str(controls)]
    return {"command": sys.executable, "args": arguments, "module": module}


@contextmanager
def over_http(module: str, controls: Path) -> Iterator[dict[str, Any]]:
    """The same, as a process that listens."""
    port = free_port()
    described = over_stdio(module, controls)
    command = [described["command"], *described["args"], "--http", str(port)]
    process = subprocess.Popen(command, cwd=PROJECT)
    try:
        await_port(process, port, START_SECONDS)
        yield {"type": "http", "url": f"http://127.0.0.1:{port}/mcp", "module": module}
    finally:
        process.kill()
        process.wait()


@contextmanager
def started_again(module: str, controls: Path) -> Iterator[None]:
    """For a source that is started often: the server behind it has its imports at once."""
    with forked_source(module, _behind(controls)):
        yield


def _behind(controls: Path) -> Path:
    return controls.with_name(f"{controls.name}.behind")


class Wire:
    """The server behind, asked line by line."""

    def __init__(self, to: asyncio.StreamWriter, answers: asyncio.StreamReader) -> None:
        self._to = to
        self._lines = answers
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._asked = 0
        self._answers = asyncio.create_task(self._read())

    @classmethod
    async def to(cls, module: str, behind: Path) -> "Wire":
        """A running server."""
        if behind.exists():
            port = int(behind.read_text())
            answers, to = await asyncio.open_connection("127.0.0.1", port, limit=2**26)
            return cls(to, answers)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", module, stdin=pipe, stdout=pipe, limit=2**26
        )
        assert process.stdin is not None and process.stdout is not None
        return cls(process.stdin, process.stdout)

    async def ask(self, message: dict[str, Any]) -> bytes | None:
        """The answer to a message, with the message's id; None for one that has no answer."""
        if "id" not in message:
            self._send(message)
            return None
        self._asked += 1
        number = self._asked
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({**message, "id": number})
        answer = json.loads(await waiting)
        return json.dumps({**answer, "id": message["id"]}).encode()

    def _send(self, message: dict[str, Any]) -> None:
        self._to.write(json.dumps(message).encode() + b"\n")

    async def _read(self) -> None:
        async for line in self._lines:
            waiting = self._waiting.pop(json.loads(line).get("id", 0), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(line)


async def huge_answer(message: dict[str, Any]) -> AsyncIterator[bytes]:
    """A sound answer with a text of `HUGE` bytes, as it is written."""
    start = {"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}}
    head, tail = json.dumps(start).split("[]")
    yield f'{head}[{{"type": "text", "text": "'.encode()
    for _ in range(HUGE // _CHUNK):
        yield b"x" * _CHUNK
    yield f'"}}]{tail}'.encode()


def damaged(message: dict[str, Any]) -> bytes:
    """The beginning of an answer to a message, which breaks off."""
    return f'{{"jsonrpc": "2.0", "id": {message["id"]}, "result": {{"content": [oops'.encode()


def error(message: dict[str, Any]) -> bytes:
    """A server that failed by itself."""
    told = {"code": -32603, "message": "Internal error: the feed is down"}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": told}).encode()


class OverStdio:
    """The source as a process that is spoken to by lines."""

    def __init__(self, wire: Wire, controls: Controls) -> None:
        self._wire = wire
        self._controls = controls

    async def serve(self) -> None:
        """Until the input ends."""
        loop, lines = asyncio.get_running_loop(), asyncio.StreamReader(limit=2**26)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
        running: set[asyncio.Task[None]] = set()
        async for line in lines:
            task = asyncio.create_task(self._answer(json.loads(line)))
            running.add(task)
            task.add_done_callback(running.discard)

    async def _answer(self, message: dict[str, Any]) -> None:
        fault = _fault_of(message, self._controls)
        match fault:
            case Fault.RESET:
                os._exit(1)
            case Fault.HALF:
                sys.stdout.buffer.write(damaged(message))
                sys.stdout.buffer.flush()
                os._exit(1)
            case Fault.MALFORMED:
                self._say(damaged(message))
            case Fault.GARBAGE | Fault.PACKED:
                self._say(b"Traceback: the feed is not what it was")
            case Fault.ERROR:
                self._say(error(message))
            case Fault.HUGE:
                self._say(b"".join([chunk async for chunk in huge_answer(message)]))
            case Fault.SILENT:
                pass
            case _:
                await asyncio.sleep(SLOW_SECONDS if fault is Fault.SLOW else 0)
                answer = await self._wire.ask(message)
                if answer is not None:
                    self._say(answer)

    def _say(self, line: bytes) -> None:
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()


class OverHttp:
    """The source as an address."""

    def __init__(self, wire: Wire, controls: Controls) -> None:
        self._wire = wire
        self._controls = controls

    async def serve(self, port: int) -> None:
        """Until it is killed."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", port, limit=2**26)
        await server.serve_forever()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (asked := await _request(reader)) is not None:
                method, body = asked
                if method == "POST":
                    await self._answer(json.loads(body), writer)
                else:
                    _respond(writer, 405, b"")
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, message: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        fault = _fault_of(message, self._controls)
        match fault:
            case Fault.RESET:
                _reset(writer)
            case Fault.HALF:
                _respond(writer, 200, damaged(message), length=10_000)
                await writer.drain()
                writer.close()
            case Fault.MALFORMED:
                _respond(writer, 200, damaged(message))
            case Fault.GARBAGE:
                _respond(writer, 200, b"Traceback: the feed is not what it was")
            case Fault.ERROR:
                _respond(writer, 503, b"<html>no</html>", kind="text/html")
            case Fault.PACKED:
                whole = b"".join([chunk async for chunk in huge_answer(message)])
                _respond(writer, 200, gzip.compress(whole), encoding="gzip")
            case Fault.HUGE:
                chunks = [chunk async for chunk in huge_answer(message)]
                _respond(writer, 200, b"", length=sum(map(len, chunks)))
                for chunk in chunks:
                    writer.write(chunk)
                    await writer.drain()
            case Fault.SILENT:
                await asyncio.Event().wait()
            case _:
                await asyncio.sleep(SLOW_SECONDS if fault is Fault.SLOW else 0)
                answer = await self._wire.ask(message)
                _respond(writer, 202 if answer is None else 200, answer or b"")


def _fault_of(message: dict[str, Any], controls: Controls) -> Fault | None:
    if message.get("method") != "tools/call":
        return None
    # Read before it is told that the call has come: who waits for that may end the fault then.
    fault = controls.fault
    controls.note(message["params"]["name"])
    return fault


async def _request(reader: asyncio.StreamReader) -> tuple[str, bytes] | None:
    """The method and the body of the next request of a connection."""
    line = await reader.readline()
    if not line:
        return None
    length = 0
    while (header := await reader.readline()).strip():
        name, _, value = header.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
    return line.decode().split()[0], await reader.readexactly(length)


def _respond(
    writer: asyncio.StreamWriter,
    status: int,
    body: bytes,
    *,
    length: int | None = None,
    kind: str = "application/json",
    encoding: str = "identity",
) -> None:
    size = len(body) if length is None else length
    headers = {"content-type": kind, "content-encoding": encoding, "content-length": size}
    lines = (f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {status} x\r\n{''.join(lines)}\r\n".encode() + body)


def _reset(writer: asyncio.StreamWriter) -> None:
    """A connection that is closed without a word: RST."""
    writer.get_extra_info("socket").setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )
    writer.transport.abort()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("module")
    parser.add_argument("control", type=Path)
    parser.add_argument("--http", type=int)
    options = parser.parse_args()
    wire, controls = (
        await Wire.to(options.module, _behind(options.control)),
        Controls(options.control),
    )
    if options.http:
        await OverHttp(wire, controls).serve(options.http)
    else:
        await OverStdio(wire, controls).serve()


if __name__ == "__main__":
    asyncio.run(main())
