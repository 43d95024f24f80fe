"""Asking the server `knowledge` in this process."""

from pathlib import Path
from typing import Any

from mcp import Client
from mcp.types import TextContent

from desk.sources.knowledge.server import build_server
from tests.support.knowledge.corpus import LATER


async def asked(folder: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers as of `LATER`, where no other instant is given."""
    (answer,) = await asked_in_turn(folder, (tool, arguments))
    return answer


async def asked_in_turn(folder: Path, *calls: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The same of several calls of one server."""
    async with Client(build_server(corpus_dir=folder)) as client:
        answers = [
            await client.call_tool(tool, {"as_of": LATER} | arguments) for tool, arguments in calls
        ]
    for answer in answers:
        assert not answer.is_error, answer.content
    return [answer.structured_content or {} for answer in answers]


async def refused(folder: Path, tool: str, **arguments: Any) -> str:
    """The words with which a tool refuses."""
    async with Client(build_server(corpus_dir=folder)) as client:
        answer = await client.call_tool(tool, {"as_of": LATER} | arguments)
    assert answer.is_error, answer.structured_content
    (words,) = answer.content
    assert isinstance(words, TextContent)
    return words.text
