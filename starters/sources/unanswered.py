"""Which calls of tools came to nothing, as `desk tools` and `desk agents` count them alike."""

from pydantic import JsonValue

from desk.agents.answer_form import unreachable_since
from desk.contracts.agents.tools import ToolStatus


def why_unanswered(status: ToolStatus, error: str | None, content: JsonValue) -> str | None:
    """Why a call has no answer: it was refused, failed, or its live source was not reached, which
    only the content says. None for a call that was answered."""
    since, why = unreachable_since(content)
    if since is not None:
        return why
    return None if status is ToolStatus.OK else error or str(status)
