"""The server `knowledge` as a process of its own, asked by hand-written JSON-RPC alone."""

import http.client
import json
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.support.processes.homes import PROJECT
from tests.support.sources.served import served

START_SECONDS = 60
ANSWER_SECONDS = 60
VERSION = "2025-06-18"


KNOWLEDGE = "desk.sources.knowledge.server"
FAULTY_KNOWLEDGE = "tests.support.knowledge.faulty_server"
_FAULT_OPTIONS = ("--latency", "--error-", "--fault")


def module_for(options: Sequence[str]) -> str:
    """The desk's server, or with options for faults the one that has them."""
    faulty = any(option.startswith(_FAULT_OPTIONS) for option in options)
    return FAULTY_KNOWLEDGE if faulty else KNOWLEDGE


def command(*options: str) -> list[str]:
    """How the server is started."""
    return [sys.executable, "-m", module_for(options), *options]


def called(request_id: int | str, tool: str, **arguments: Any) -> dict[str, Any]:
    """A `tools/call`."""
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def greeting() -> dict[str, Any]:
    """The first request of a connection."""
    client = {"name": "a stranger", "version": "1"}
    params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Answer:
    """What came back over HTTP."""

    def __init__(self, status: int, media_type: str, body: bytes) -> None:
        self.status = status
        self.media_type = media_type
        self.body = body

    def result(self) -> dict[str, Any]:
        """The result of a JSON-RPC answer."""
        told = json.loads(self.body)
        assert "error" not in told, told
        result: dict[str, Any] = told["result"]
        return result


class HttpAsking:
    """A plain HTTP client on a server's port."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/mcp"

    def post(self, message: dict[str, Any], timeout: float = ANSWER_SECONDS) -> Answer:
        """Send one message over a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        try:
            connection.request("POST", "/mcp", json.dumps(message), headers)
            answer = connection.getresponse()
            media_type = answer.headers.get("content-type", "")
            return Answer(answer.status, media_type, answer.read())
        finally:
            connection.close()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool."""
        result = self.post(called(1, tool, **arguments)).result()
        assert not result.get("isError"), result
        content: dict[str, Any] = result["structuredContent"]
        return content


@contextmanager
def http_server(*options: str) -> Iterator[HttpAsking]:
    """A server process over HTTP, which is stopped afterwards."""
    with served(module_for(options), *options) as port:
        yield HttpAsking(port)


class StdioAsking:
    """A server process over stdio, line by line."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._read = b""

    def send(self, message: dict[str, Any]) -> None:
        """Write one line."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def line(self, timeout: float = ANSWER_SECONDS) -> bytes | None:
        """The next line, or what there is of it when the server has ended; None where nothing
        comes in time."""
        assert self.process.stdout is not None
        until = time.monotonic() + timeout
        while b"\n" not in self._read:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            part = self.process.stdout.read1(65_536)  # type: ignore[attr-defined]
            if not part:
                break
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        return line

    def told(self) -> dict[str, Any]:
        """The next line as the message that it is."""
        line = self.line()
        assert line is not None
        message: dict[str, Any] = json.loads(line)
        return message

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool."""
        self.send(called("only", tool, **arguments))
        told = self.told()
        assert told["id"] == "only" and not told["result"].get("isError"), told
        content: dict[str, Any] = told["result"]["structuredContent"]
        return content


@contextmanager
def stdio_server(*options: str) -> Iterator[StdioAsking]:
    """A server process that has been greeted, which ends with its input."""
    process = subprocess.Popen(
        command(*options),
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    asking = StdioAsking(process)
    try:
        asking.send(greeting())
        assert asking.told()["result"]["serverInfo"]["name"] == "knowledge"
        asking.send(INITIALIZED)
        yield asking
    finally:
        process.communicate(timeout=START_SECONDS)
