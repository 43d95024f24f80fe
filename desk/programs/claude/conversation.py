"""What was said so far between the desk and a model, as the messages of its next call.

The first message is the material, then come the model's calls with what they brought, then its
last answer and what is wrong with it. Nothing said is changed later on, so that the prompt cache
serves it, but for what is condensed.
"""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from desk.contracts.agents.tools import MAX_CALLS_A_TURN, ToolResult, ToolStatus
from desk.contracts.agents.turns import Exchange, TurnRequest
from desk.contracts.findings.verdicts import RejectedFigure
from desk.programs.claude.condensing import LONGEST_RESULT, condensed, is_thought
from desk.programs.claude.tools import asked_for


class _Message(NamedTuple):
    role: str
    content: list[JsonValue]


MOST_BLOCKS: Final = 100
"""The bound of `desk.contracts.agents.turns.Said`."""

TOO_MANY: Final = f"Not called: at most {MAX_CALLS_A_TURN} calls are made at a time."
LAST: Final = "This was your last call of a tool. Give your result now."


def messages(material: str, request: TurnRequest) -> tuple[JsonValue, ...]:
    """The messages of a model's next call."""
    said = [_Message("user", [_text(material)])]
    exchanges = condensed([exchange for exchange in request.exchanges if exchange.said])
    for exchange in exchanges:
        said.append(_Message("assistant", list(exchange.said)))
        said.append(_Message("user", _results(exchange)))
    objection = request.objection or "\n".join(map(_rejection, request.rejected))
    if objection and request.draft and not _was_answered(request):
        said.append(_Message("assistant", list(request.draft)))
        said.append(_Message("user", _unanswered(request.draft)))
    if objection:
        said[-1].content.append(_text(f"{objection}\nGive the whole answer again, corrected."))
    elif request.last and exchanges:
        said[-1].content.append(_text(LAST))
    return tuple({"role": message.role, "content": message.content} for message in said)


def sayable(content: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
    """What a model said, as far as the API takes it back: it wants no text without a word, and no
    message that ends with a thought."""
    kept = [block for block in content if not _is_blank(block)][:MOST_BLOCKS]
    while kept and is_thought(kept[-1]):
        kept.pop()
    return tuple(kept)


def _is_blank(block: JsonValue) -> bool:
    text = block.get("text") if isinstance(block, dict) else None
    return isinstance(text, str) and not text.strip()


def _was_answered(request: TurnRequest) -> bool:
    """Whether the last that was said is the calls of the last exchange: it is shown there. It
    stands in the draft all the same where a model that was told of figures looks them up."""
    return bool(request.exchanges) and request.exchanges[-1].said == request.draft


def _results(exchange: Exchange) -> list[JsonValue]:
    """What a turn's calls brought, in the order in which they were asked for."""
    asked = asked_for(exchange.said)
    brought: list[JsonValue] = [
        _result(str(block.get("id")), shown(result), failed=result.status is not ToolStatus.OK)
        for block, result in zip(asked, exchange.results, strict=False)
    ]
    left = asked[len(exchange.results) :]
    return brought + [_result(str(block.get("id")), TOO_MANY, failed=True) for block in left]


def _unanswered(draft: Sequence[JsonValue]) -> list[JsonValue]:
    """An answer for each call in a draft that was never made: the API wants one."""
    return [_result(str(block.get("id")), "Not called.", failed=True) for block in asked_for(draft)]


def shown(result: ToolResult) -> str:
    """A tool's answer as a model reads it: JSON, under the name that it may refer to it by."""
    name = result.evidence_id.rsplit("/", 1)[-1]
    told = {"evidence": name, "content": result.content, "error": result.error}
    text = json.dumps({k: v for k, v in told.items() if v is not None}, ensure_ascii=False)
    if len(text) <= LONGEST_RESULT:
        return text
    return f"{text[:LONGEST_RESULT]} … cut off: {len(text)} characters in all"


def _result(block_id: str, content: str, *, failed: bool) -> JsonValue:
    return {
        "type": "tool_result",
        "tool_use_id": block_id,
        "content": content,
        **({"is_error": True} if failed else {}),
    }


def _rejection(figure: RejectedFigure) -> str:
    return f"'{figure.written}' in '{figure.sentence}': {figure.reason}"


def _text(words: str) -> JsonValue:
    return {"type": "text", "text": words}
