"""What a scripted Claude says when it is the agents that plan and answer a question."""

import json
from dataclasses import dataclass, field
from typing import Any, Final, Self

from tests.support.models.model_week import NO_FAULT, USED, Lines

AGENTS: Final = {
    "plan": "choose the markets to research for it",
    "tickets": "You are the JIRA agent",
    "documents": "You are the Doc agent",
    "pdfs": "You are the PDF agent",
    "search": "You are the Search agent",
    "synthesis": "You are the Synthesis agent",
}
NO_MARKETS: Final[dict[str, Any]] = {"markets": [], "first_day": None, "last_day": None}
NOTHING: Final[dict[str, Any]] = {"keep": []}
NO_ANSWER: Final[dict[str, Any]] = {
    "summary": "Nothing was found.",
    "sections": [],
    "quotations": [],
    "answered": False,
}


class Part(Lines):
    """What one of the agents is answered, call after call."""

    def delivers(self, answer: dict[str, Any], told: str | None = None) -> Self:
        """It delivers; `told` stands in the feedback that it answers to."""
        return self._then({"content": json.dumps(answer), "usage": USED}, told)

    def keeps(self, *names: str | tuple[str, int]) -> Self:
        """It keeps what stands in these tools' answers; of a search a hit by its number."""
        pairs = [name if isinstance(name, tuple) else (name, 0) for name in names]
        return self.delivers({"keep": [{"evidence": e, "item": n} for e, n in pairs]})


@dataclass
class Questioned:
    """The lines of some agents. The others plan nothing, keep nothing, and have no answer."""

    parts: list[Part] = field(default_factory=list)

    def agent(self, kind: str) -> Part:
        """The lines of an agent."""
        part = Part("", {"systemMessage": AGENTS[kind], "userMessage": '"question": "'})
        self.parts.append(part)
        return part

    def fixtures(self) -> list[dict[str, Any]]:
        """All that is said, as aimock takes it."""
        usual = dict.fromkeys(AGENTS, NOTHING) | {"plan": NO_MARKETS, "synthesis": NO_ANSWER}
        return [
            *(fixture for part in self.parts for fixture in part.fixtures),
            *(
                {
                    "match": {"systemMessage": AGENTS[kind]},
                    "response": {"content": json.dumps(answer), "usage": USED},
                }
                for kind, answer in usual.items()
            ),
            NO_FAULT,
        ]
