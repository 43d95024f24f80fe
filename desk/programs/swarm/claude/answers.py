"""What the desk's own questions brought a specialist, as a model is shown it.

Figures are told as claims; here is what stands around them: how something was computed, what the
tool reads out of it, headlines, lines of accounts. Whatever has a claim is not told twice, and a
series of prices not at all: the model may ask for it.
"""

from typing import Final

from pydantic import JsonValue

from desk.contracts.agents.turns import TurnRequest
from desk.programs.claude.news import short_id
from desk.programs.question.claude.knowledge_state import clipped, room_for
from desk.programs.swarm.claude.claims import usable

LONGEST_ANSWERS: Final = 12_000
"""Characters of one answer: some 3,000 tokens."""

_AS_CLAIMS: Final = frozenset({"figures", "rates", "decisions"})
_SERIES: Final = frozenset(
    {"days", "values", "closes", "opens", "highs", "lows", "volumes", "averages"}
)
_LEFT_OUT: Final = _AS_CLAIMS | _SERIES | {"as_of", "source"}


def told_answers(request: TurnRequest) -> list[JsonValue]:
    """The answers that something can rest on, each under the name by which it is referred to."""
    own = {
        result.evidence_id
        for exchange in request.exchanges
        if not exchange.said
        for result in exchange.results
    }
    answers = {n: answer for n, answer in usable(request).items() if answer.evidence_id in own}
    room = min(LONGEST_ANSWERS, room_for(len(answers)))
    return [
        {
            "evidence": short_id(answer),
            "tool": answer.call.tool,
            "content": clipped(_without_figures(answer.content), room),
        }
        for answer in answers.values()
    ]


def _without_figures(content: JsonValue) -> JsonValue:
    if not isinstance(content, dict):
        return content
    return {name: value for name, value in content.items() if value and name not in _LEFT_OUT}
