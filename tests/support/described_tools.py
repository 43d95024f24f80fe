"""What MCP tools are described by, made once in a test process."""

from collections.abc import Callable
from typing import Any, Final

from mcp.server.mcpserver.tools import Tool

_described: Final[dict[object, Tool]] = {}


def describe_once() -> None:
    """Let servers that are built again take the schemas of their tools from those built before. A
    process of the desk builds each server once, a process of tests hundreds of times; to make the
    schemas is most of what that takes, and they follow from a method's signature alone."""
    made = Tool.from_function

    def from_function(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Tool:
        method = getattr(fn, "__func__", None)
        if method is None:
            return made(fn, *args, **kwargs)
        key = (method, repr(args), repr(sorted(kwargs.items())))
        if key not in _described:
            _described[key] = made(fn, *args, **kwargs)
        return _described[key].model_copy(update={"fn": fn})

    Tool.from_function = staticmethod(from_function)  # type: ignore[method-assign]
