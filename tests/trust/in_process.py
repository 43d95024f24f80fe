"""The desk's own MCP servers, asked in this process and each question once."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.platform.mcp.pool import McpPool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer
from desk.platform.settings.mcp_json import read_mcp_config
from desk.trust.seals import content_hash
from tests.support.processes.homes import PROJECT

PATIENCE_SECONDS = 60.0


class Tools:
    """The servers that `.mcp.json` names. A context manager: leaving it closes them.

    They answer from what comes with the project; nothing is fetched.
    """

    def __init__(self, cache_dir: Path) -> None:
        self.servers = read_mcp_config(PROJECT / ".mcp.json")
        self._runner = asyncio.Runner()
        self._pool = McpPool(
            self.servers, in_process=True, project_dir=PROJECT, cache_dir=cache_dir
        )
        self._answers: dict[str, ToolAnswer] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner.run(self._pool.__aexit__(None, None, None))
        self._runner.close()

    def ask(self, call: ToolCall, as_of: datetime) -> ToolResult:
        """The answer as the desk keeps it, said to be retrieved at the as-of instant."""
        answer = self._answer(call, as_of)
        if answer.refusal is not None:
            return ToolResult(
                call=call,
                status=ToolStatus.REFUSED,
                error=answer.refusal[:4_000],
                retrieved_at=as_of,
            )
        return ToolResult(
            call=call,
            status=ToolStatus.OK,
            content=answer.content,
            retrieved_at=as_of,
            content_hash=content_hash(answer.content),
        )

    def _answer(self, call: ToolCall, as_of: datetime) -> ToolAnswer:
        arguments = {**call.arguments, "as_of": as_of.isoformat()}
        key = json.dumps([call.server, call.tool, arguments], sort_keys=True)
        if key not in self._answers:
            asked = ServerCall(call.server, call.tool, arguments, key, PATIENCE_SECONDS)
            self._answers[key] = self._runner.run(self._pool.call(asked))
        return self._answers[key]
