"""The interface for calling tools. It imports no MCP library, so that callers stay light."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from pydantic import JsonValue

from desk.contracts.agents.tools import Attribution, OpenCircuit, ToolSpec
from desk.contracts.names import CallFault


class ToolUnreachable(Exception):
    """The server could not be asked, or went away before it answered. Another try may do, after
    the pause that the server asked for where it did; not so where `lasting`. `circuit` is why the
    call was not even made."""

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
    """What a server answered: structured content, or the text of its refusal. `kept`: it says that
    it asked its source nothing anew. `attribution`: see `ToolResult`."""

    content: JsonValue = None
    refusal: str | None = None
    kept: bool = False
    attribution: Attribution | None = None


@dataclass(frozen=True, slots=True)
class ServerCall:
    """One call of a tool of a named server.

    `key` names the call to the server (in the request's metadata), so that a server with side
    effects can recognise a repetition. `timeout_seconds` are for all that it takes, the opening of
    a connection included.
    """

    server: str
    tool: str
    arguments: Mapping[str, JsonValue]
    key: str
    timeout_seconds: float

    @property
    def name(self) -> str:
        """The tool's name with its server's."""
        return f"{self.server}.{self.tool}"


class ToolCaller(Protocol):
    """Whatever can call a tool of a named server."""

    async def call(self, call: ServerCall) -> ToolAnswer:
        """The server's answer.

        Raises:
            ToolUnreachable: no answer was had in time.
        """
        ...

    async def tools(self, server: str, *, timeout_seconds: float) -> tuple[ToolSpec, ...]:
        """What the server offers now, sorted by name, without the `as_of` that the desk adds.

        Raises:
            ToolUnreachable: no listing was had in time, or the server gave an error instead.
        """
        ...
