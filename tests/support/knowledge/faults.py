"""Faults that a tester asks for: which call has which is drawn from a seed and from the call."""

import argparse
import json
import math
import random
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Self

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field, JsonValue, model_validator

from desk.contracts.base import Contract
from desk.sources.serving.command_line import READS_ONLY

HIGHEST_LATENCY = 1_500
"""Milliseconds."""

MOST_CALLS_KNOWN = 10_000
_CHANGES_FAULTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class FaultKind(StrEnum):
    """How an answer fails.

    `500`: HTTP 500, or JSON-RPC's internal error over stdio; the call is not handled. `timeout`:
    no answer; the call is not handled. `malformed`: an answer that is no JSON. `truncated`: half
    an answer, then the connection ends, over stdio with the process. `duplicate`: over HTTP, which
    has one answer to a request, the call is handled twice; over stdio the answer is sent twice.
    """

    INTERNAL_ERROR = "500"
    TIMEOUT = "timeout"
    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    DUPLICATE = "duplicate"


Milliseconds = Annotated[int, Field(ge=0, le=HIGHEST_LATENCY)]
Rate = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Kinds = Annotated[tuple[FaultKind, ...], Field(min_length=1, max_length=len(FaultKind))]


class FaultSettings(Contract):
    """What is to go wrong. Latency is drawn between its two ends, in milliseconds; of the calls
    a share of `error_rate` fail, each in one of `kinds`."""

    latency_ms_min: Milliseconds = 0
    latency_ms_max: Milliseconds = 0
    error_rate: Rate = 0.0
    kinds: Kinds = (FaultKind.INTERNAL_ERROR,)
    seed: int = 0

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.latency_ms_max < self.latency_ms_min:
            raise ValueError("latency_ms_max lies below latency_ms_min; swap them")
        return self


class FaultStatus(Contract):
    """The settings, and what came of them since the server started.

    `received` and `handled` are calls by tool: one that was answered with a 500 was received and
    not handled, and one that came twice was handled twice. `injected` are the faults by kind.
    """

    settings: FaultSettings
    received: dict[str, int]
    handled: dict[str, int]
    injected: dict[str, int]


class ToolRequest(NamedTuple):
    """A `tools/call` as it came over the wire."""

    request_id: str | int
    tool: str
    arguments: Mapping[str, JsonValue]


class Fault(NamedTuple):
    """What a call has: how long it waits, in seconds, and how it fails, None where it does not."""

    latency: float
    kind: FaultKind | None


class Faults:
    """The faults of a server, which can be changed while it runs.

    The same call with the same seed has the same fault, in whatever order calls arrive; where it
    is made again, the next draw of its own.
    """

    def __init__(self, settings: FaultSettings) -> None:
        self._lock = threading.Lock()
        self._settings = settings
        self._made: OrderedDict[str, int] = OrderedDict()
        self._received: Counter[str] = Counter()
        self._handled: Counter[str] = Counter()
        self._injected: Counter[str] = Counter()

    def change(self, settings: FaultSettings) -> None:
        """Use other settings from the next call on, and draw from the beginning."""
        with self._lock:
            self._settings = settings
            self._made.clear()

    def drawn(self, call: ToolRequest) -> Fault:
        """What a call has that has come."""
        with self._lock:
            self._received[call.tool] += 1
            settings = self._settings
            draws = random.Random(f"{settings.seed} {self._place(call)}")
            latency = draws.uniform(settings.latency_ms_min, settings.latency_ms_max) / 1_000
            fails = draws.random() < settings.error_rate
            kind = draws.choice(settings.kinds) if fails else None
            if kind is not None:
                self._injected[kind] += 1
            return Fault(latency, kind)

    def handled(self, call: ToolRequest) -> None:
        """Count a call that the server itself is given."""
        with self._lock:
            self._handled[call.tool] += 1

    def status(self) -> FaultStatus:
        """The settings and the counts."""
        with self._lock:
            return FaultStatus(
                settings=self._settings,
                received=dict(self._received),
                handled=dict(self._handled),
                injected=dict(self._injected),
            )

    def _place(self, call: ToolRequest) -> str:
        """The call, and the how manyth of its like it is."""
        same = f"{call.tool} {json.dumps(call.arguments, sort_keys=True)}"
        made = self._made.pop(same, 0)
        self._made[same] = made + 1
        if len(self._made) > MOST_CALLS_KNOWN:
            self._made.popitem(last=False)
        return f"{made} {same}"


class FaultTools:
    """The tools with which a tester changes the faults. No fault hits them."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def set_faults(
        self,
        latency_ms_min: Annotated[
            Milliseconds, Field(description="least wait of every call, in milliseconds")
        ] = 0,
        latency_ms_max: Annotated[
            Milliseconds, Field(description="longest wait of every call, in milliseconds")
        ] = 0,
        error_rate: Annotated[Rate, Field(description="share of calls that fail, 0 to 1")] = 0.0,
        kinds: Annotated[Kinds, Field(description="how they fail, each as likely")] = (
            FaultKind.INTERNAL_ERROR,
        ),
        seed: Annotated[int, Field(description="the same seed gives the same faults")] = 0,
    ) -> FaultStatus:
        """Change what goes wrong from the next call on; without arguments, nothing does."""
        if latency_ms_max < latency_ms_min:
            ends = f"latency_ms_max {latency_ms_max} lies below latency_ms_min {latency_ms_min}"
            raise ToolError(f"{ends}; swap them")
        settings = FaultSettings(
            latency_ms_min=latency_ms_min,
            latency_ms_max=latency_ms_max,
            error_rate=error_rate,
            kinds=kinds,
            seed=seed,
        )
        self._faults.change(settings)
        return self._faults.status()

    def get_faults(self) -> FaultStatus:
        """What goes wrong now, and how many calls came, were handled and failed so far."""
        return self._faults.status()

    def offer(self, server: MCPServer[Any]) -> None:
        """Add both tools to a server."""
        server.add_tool(self.set_faults, annotations=_CHANGES_FAULTS, structured_output=True)
        server.add_tool(self.get_faults, annotations=READS_ONLY, structured_output=True)


UNHARMED = frozenset({"set_faults", "get_faults"})


def tool_request(message: bytes | str) -> ToolRequest | None:
    """The tool call that a message is, None where it is something else that no fault hits."""
    try:
        told = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("method") != "tools/call":
        return None
    request_id, params = told.get("id"), told.get("params")
    if not isinstance(request_id, str | int) or not isinstance(params, dict):
        return None
    tool, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(tool, str) or tool in UNHARMED or not isinstance(arguments, dict):
        return None
    return ToolRequest(request_id, tool, arguments)


USUAL_LATENCY = "0-500"
"""What `--latency` without a figure means."""


def add_fault_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a server's own."""
    group = parser.add_argument_group("faults, for tests of clients (off unless one is given)")
    group.add_argument(
        "--latency",
        type=_latency,
        nargs="?",
        const=_latency(USUAL_LATENCY),
        metavar="MS|MIN-MAX",
        help=f"wait before each call, at most {HIGHEST_LATENCY} ms (alone: {USUAL_LATENCY})",
    )
    group.add_argument(
        "--error-rate", type=_rate, metavar="RATE", help="share of calls that fail, 0 to 1"
    )
    group.add_argument(
        "--error-kinds",
        type=_kinds,
        default=(FaultKind.INTERNAL_ERROR,),
        metavar="KINDS",
        help=f"how they fail, of {','.join(FaultKind)} (default: 500)",
    )
    group.add_argument(
        "--fault-seed",
        type=int,
        default=0,
        metavar="N",
        help="the same seed gives the same faults (default: 0)",
    )
    group.add_argument(
        "--faults-tool",
        action="store_true",
        help="offer the tools set_faults and get_faults, which change faults while it runs",
    )


def faults_of(arguments: argparse.Namespace) -> Faults | None:
    """The faults that parsed arguments ask for, None where they ask for none."""
    asked = (arguments.latency, arguments.error_rate)
    if all(option is None for option in asked) and not arguments.faults_tool:
        return None
    least, most = arguments.latency or (0, 0)
    settings = FaultSettings(
        latency_ms_min=least,
        latency_ms_max=most,
        error_rate=arguments.error_rate or 0.0,
        kinds=arguments.error_kinds,
        seed=arguments.fault_seed,
    )
    return Faults(settings)


def _latency(text: str) -> tuple[int, int]:
    ends = text.split("-") if "-" in text else [text, text]
    if len(ends) == 2 and all(end.isascii() and end.isdecimal() for end in ends):
        least, most = int(ends[0]), int(ends[1])
        if least <= most <= HIGHEST_LATENCY:
            return least, most
    raise argparse.ArgumentTypeError(
        f"{text!r} is no latency; use 0 to {HIGHEST_LATENCY} ms, or two ends such as 0-500"
    )


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if 0 <= rate <= 1:
        return rate
    raise argparse.ArgumentTypeError(f"{text!r} is no rate; use 0 to 1")


def _kinds(text: str) -> tuple[FaultKind, ...]:
    try:
        return tuple(dict.fromkeys(FaultKind(kind.strip()) for kind in text.split(",")))
    except ValueError:
        known = ",".join(FaultKind)
        raise argparse.ArgumentTypeError(f"{text!r} are no kinds; use some of {known}") from None
