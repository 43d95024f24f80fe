"""Faults over stdio, on the wire: a filter between the real streams and those the server has."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import BinaryIO, Final

from desk.sources.knowledge.faults.faults import FaultKind, Faults, ToolRequest, tool_request

BROKEN_OFF: Final = 70
"""The exit status after half an answer."""

_INTERNAL_ERROR: Final = -32603


@contextmanager
def faults_over_stdio(faults: Faults) -> Iterator[None]:
    """While it lasts, `sys.stdin` and `sys.stdout` are pipes of a filter that holds the faults.

    What is printed by the way goes to standard error, as it does without the filter.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    server_reads, to_server = os.pipe()
    from_server, server_writes = os.pipe()
    given = sys.stdin, sys.stdout
    sys.stdin = TextIOWrapper(os.fdopen(server_reads, "rb"), encoding="utf-8")
    sys.stdout = TextIOWrapper(os.fdopen(server_writes, "wb"), encoding="utf-8")
    wire = _FaultyWire(faults, os.fdopen(to_server, "wb"), os.fdopen(wire_out, "wb"))
    asking = threading.Thread(target=wire.ask, args=(os.fdopen(wire_in, "rb"),), daemon=True)
    answering = threading.Thread(target=wire.answer, args=(os.fdopen(from_server, "rb"),))
    asking.start()
    answering.start()
    try:
        yield
    finally:
        sys.stdout.close()
        answering.join()
        sys.stdin, sys.stdout = given


class _FaultyWire:
    """Lines to the server and lines from it, each a JSON-RPC message."""

    def __init__(self, faults: Faults, to_server: BinaryIO, to_client: BinaryIO) -> None:
        self._faults = faults
        self._to_server = to_server
        self._to_client = to_client
        self._writing = threading.Lock()
        self._waiting: set[threading.Timer] = set()
        self._harmed: dict[str | int, FaultKind] = {}

    def ask(self, lines: BinaryIO) -> None:
        """Give the client's lines to the server, those that have latency later; then its end."""
        for line in lines:
            call = tool_request(line)
            if call is None:
                self._give(self._to_server, line)
                continue
            fault = self._faults.drawn(call)
            if not fault.latency:
                self._hit(line, call, fault.kind)
                continue
            timer = threading.Timer(fault.latency, self._hit, (line, call, fault.kind))
            self._waiting = {held for held in self._waiting if held.is_alive()} | {timer}
            timer.start()
        for timer in self._waiting:
            timer.cancel()
        with suppress(OSError):
            self._to_server.close()

    def answer(self, lines: BinaryIO) -> None:
        """Give the server's lines to the client, with what is done to them."""
        for line in lines:
            kind = self._harmed.pop(_answered(line), None) if self._harmed else None
            if kind is FaultKind.MALFORMED:
                line = b"<html>" + line[: len(line) // 2].replace(b"{", b"(") + b"\n"
            if kind is FaultKind.TRUNCATED:
                self._give(self._to_client, line[: len(line) // 2])
                os._exit(BROKEN_OFF)
            self._give(self._to_client, line)
            if kind is FaultKind.DUPLICATE:
                self._give(self._to_client, line)

    def _hit(self, line: bytes, call: ToolRequest, kind: FaultKind | None) -> None:
        if kind is FaultKind.TIMEOUT:
            return
        if kind is FaultKind.INTERNAL_ERROR:
            error = {"code": _INTERNAL_ERROR, "message": "Internal error"}
            told = {"jsonrpc": "2.0", "id": call.request_id, "error": error}
            self._give(self._to_client, json.dumps(told).encode() + b"\n")
            return
        if kind is not None:
            self._harmed[call.request_id] = kind
        self._faults.handled(call)
        self._give(self._to_server, line)

    def _give(self, stream: BinaryIO, line: bytes) -> None:
        # Who reads may have gone; the server is told so by the end of its input.
        with self._writing, suppress(OSError, ValueError):
            stream.write(line)
            stream.flush()


def _answered(line: bytes) -> str | int:
    """The id of the request that a line answers; an empty one where it answers none."""
    with suppress(ValueError, RecursionError):
        told = json.loads(line)
        if isinstance(told, dict) and ("result" in told or "error" in told):
            found = told.get("id")
            return found if isinstance(found, str | int) else ""
    return ""
