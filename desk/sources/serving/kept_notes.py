"""Saying of an answer that it was kept, and that its source was asked nothing anew."""

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension
from mcp_types import CallToolRequestParams, CallToolResult

from desk.contracts.agents.tools import KEPT_ANSWER
from desk.sources.serving.kept_answers import looking_up


class KeptNotes(Extension):
    """Notes in the metadata of a tool's answer that all of it was kept from before. For servers
    that keep answers (`KeptAnswers`)."""

    identifier = KEPT_ANSWER

    async def intercept_tool_call(
        self,
        params: CallToolRequestParams,
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
    ) -> HandlerResult:
        """The answer, with the note where it belongs."""
        with looking_up() as seen:
            result = await call_next(ctx)
        if isinstance(result, CallToolResult) and not result.is_error and seen.all_kept:
            return result.model_copy(update={"meta": {**(result.meta or {}), KEPT_ANSWER: True}})
        return result
