"""Which tool calls have no answer, counted the same way by `desk tools` and `desk agents`."""

from pydantic import JsonValue

from desk.agents.answer_form import unreachable_since
from desk.contracts.agents.tools import ToolStatus


def failure_reason(status: ToolStatus, error: str | None, content: JsonValue) -> str | None:
    """Returns why a call has no answer: it was refused, failed, or its live source was not reached,
    which only the content says. Returns None for an answered call."""
    since, why = unreachable_since(content)
    if since is not None:
        return why
    return None if status is ToolStatus.OK else error or str(status)
