"""A week whose plan and results name what their tasks ask first, and a source that is asked several
questions at once."""

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall
from desk.contracts.names import CallFault
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.mcp.tool_calling import ToolAnswer, ToolUnreachable
from tests.support.runs.scripted import finding, plan_of

RESEARCH: Final = "USD/JPY/research_fx"
VALIDATION: Final = "USD/JPY/validate"


def asked(task: str, tool: str, server: str = "ecb") -> ToolCall:
    """A call of a tool for a task of the market."""
    return ToolCall(
        call_id=f"{task}/{tool}", server=server, tool=tool, arguments={"symbol": "USD/JPY"}
    )


def opening_turn(request: TurnRequest) -> Turn | None:
    """The plan with what the research asks first, and the result with what the validator does."""
    task = request.assignment.task_type
    if task is TaskType.PLAN_WEEK:
        first = (asked(RESEARCH, "get_quote"), asked(RESEARCH, "get_historical"))
        return Turn(result=plan_of(request), openings={RESEARCH: first})
    if task is TaskType.RESEARCH_FX and request.exchanges:
        calls = (asked(VALIDATION, "get_quote"),)
        return Turn(result=finding(request), openings={VALIDATION: calls})
    return None


def together(config: RunConfig, *servers: str) -> RunConfig:
    """The configuration of a desk that asks these servers several questions at once."""
    policy = config.policy.model_copy(update={"together": servers})
    return config.model_copy(update={"policy": policy})


class FirstUnanswered:
    """A script of tools: the first try of one tool has no answer."""

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._was_tried = False

    def __call__(
        self, server: str, tool: str, arguments: Mapping[str, JsonValue]
    ) -> ToolAnswer | None:
        """See `ScriptedTools.script`."""
        if tool == self._tool and not self._was_tried:
            self._was_tried = True
            raise ToolUnreachable("it is restarting", fault=CallFault.UNREACHABLE)
        return None
