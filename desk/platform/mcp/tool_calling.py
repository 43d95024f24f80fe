"""The interface for calling tools. It imports no MCP library, so that importing it stays cheap."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from pydantic import JsonValue

from desk.contracts.agents.tools import Attribution, OpenCircuit, ToolSpec
from desk.contracts.names import CallFault


class ToolUnreachable(Exception):
    """The server could not be asked, or the connection was lost before it answered. Unless
    `lasting`, another attempt may succeed, after the pause `after` if the server asked for one.
    `circuit` is the open circuit if the call was not made."""

    def __init__(
        self,
        words: str,
        *,
        fault: CallFault = CallFault.UNREACHABLE,
        after: timedelta | None = None,
        circuit: OpenCircuit | None = None,
    ) -> None:
        super().__init__(words)
        self.fault = fault
        self.after = after
        self.circuit = circuit

    @property
    def details(self) -> tuple[object, ...]:
        """The details of the failure besides its fault."""
        return () if self.circuit is None else (self.circuit,)

    @property
    def lasting(self) -> bool:
        """Whether the same call, repeated at once, would fail in the same way."""
        return self.fault in (
            CallFault.TOO_LARGE,
            CallFault.CIRCUIT_OPEN,
            CallFault.MISCONFIGURED,
        )


@dataclass(frozen=True)
class ToolAnswer:
    """A server's answer: structured content, or the text of its refusal. `kept`: the server says
    that it answered from its cache. `attribution`: see `ToolResult`."""

    content: JsonValue = None
    refusal: str | None = None
    kept: bool = False
    attribution: Attribution | None = None


@dataclass(frozen=True, slots=True)
class ServerCall:
    """One call of a tool of a named server.

    `key` names the call to the server (in the request's metadata), so that a server with side
    effects can recognise a repetition. `timeout_seconds` covers the whole call, including the
    opening of a connection.
    """

    server: str
    tool: str
    arguments: Mapping[str, JsonValue]
    key: str
    timeout_seconds: float

    @property
    def name(self) -> str:
        """The tool's name, prefixed with its server's."""
        return f"{self.server}.{self.tool}"


class ToolCaller(Protocol):
    """Calls tools of named servers."""

    async def call(self, call: ServerCall) -> ToolAnswer:
        """Returns the server's answer.

        Raises:
            ToolUnreachable: there was no answer in time.
        """
        ...

    async def tools(self, server: str, *, timeout_seconds: float) -> tuple[ToolSpec, ...]:
        """The tools that the server offers now, sorted by name, without the `as_of` that the desk
        adds.

        Raises:
            ToolUnreachable: there was no listing in time, or the server answered with an error.
        """
        ...
