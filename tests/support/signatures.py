"""What the MCP SDK reads from the signature of a tool, kept for the time of a process of tests.

From each it makes a model of the arguments, and schemas of them and of the answer: a quarter of a
second for the servers of a desk. A desk builds each server once; tests build them by the hundred.
"""

from collections.abc import Callable, Sequence

from mcp.server.mcpserver.tools import base
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata

_Read = tuple[Callable[..., object], tuple[str, ...], bool | None]
_known: dict[_Read, FuncMetadata] = {}


def _remembered(
    func: Callable[..., object],
    skip_names: Sequence[str] = (),
    structured_output: bool | None = None,
) -> FuncMetadata:
    """As `func_metadata`. Of methods of our servers each is read once, whatever object has it."""
    function = getattr(func, "__func__", None)
    if function is None or not function.__module__.startswith("desk."):
        return func_metadata(func, skip_names, structured_output)
    read = (function, tuple(skip_names), structured_output)
    if read not in _known:
        _known[read] = func_metadata(func, skip_names, structured_output)
    return _known[read]


def remember_signatures() -> None:
    """From now on in this process."""
    setattr(base, "func_metadata", _remembered)  # noqa: B010  # the SDK does not export it
