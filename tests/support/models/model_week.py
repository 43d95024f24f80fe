"""What a scripted Claude says in a week of the desk, agent by agent."""

import json
from dataclasses import dataclass, field
from typing import Any, Final, Self

KEY: Final = "sk-ant-hush"
LAST_WEEK: Final = "2026-W44"
USED: Final = {"input_tokens": 900, "output_tokens": 80}

PLANS: Final = "You plan the week"
RESEARCHES: Final = "You are a research agent"
VALIDATES: Final = "You are the validator"
CHECKS_FACTS: Final = "You are the fact checker"
COMMENTS: Final = "You write the head of the report"

NO_FAULT: Final[dict[str, Any]] = {
    "match": {"systemMessage": CHECKS_FACTS},
    "response": {"content": json.dumps({"objections": []}), "usage": USED},
}
"""The fixture of a fact checker that objects to nothing."""


@dataclass
class Lines:
    """What one agent is answered on one task, call after call."""

    market: str
    where: dict[str, str]
    fixtures: list[dict[str, Any]] = field(default_factory=list)

    def calls(self, tool: str, **arguments: Any) -> Self:
        """It asks for a tool."""
        return self.calls_all((tool, arguments))

    def calls_all(self, *asked: tuple[str, dict[str, Any]]) -> Self:
        """It asks for several tools at once."""
        place = len(self.fixtures)
        calls = [
            {"id": f"toolu_{place}_{number}", "name": tool, "arguments": arguments}
            for number, (tool, arguments) in enumerate(asked)
        ]
        return self._then({"content": "Let me look.", "toolCalls": calls, "usage": USED})

    def says(
        self, events: dict[str, str] | None = None, *, told: str | None = None, **rest: Any
    ) -> Self:
        """It delivers; `events` are descriptions by the type of the event, and `told` stands in
        the feedback that it answers to."""
        written = [
            {"event_id": f"{self.market}/{kind}/2026-10-30", "description": words}
            for kind, words in (events or {}).items()
        ]
        answer = {"events": written, "news": [], "views": [], "oddities": [], **rest}
        return self._then({"content": json.dumps(answer), "usage": USED}, told)

    def busy(self, status: int) -> Self:
        """The API is busy."""
        kind = {429: "rate_limit_error", 529: "overloaded_error"}[status]
        return self._then({"error": {"message": "busy", "type": kind}, "status": status})

    def stops(self, reason: str) -> Self:
        """It stops for a reason of the API's, with half an answer."""
        return self._then({"content": '{"events": [', "finishReason": reason, "usage": USED})

    def _then(self, response: dict[str, Any], told: str | None = None) -> Self:
        match: dict[str, Any] = {**self.where, "sequenceIndex": self._answered_before(told)}
        if told is not None:
            match["userMessage"] = told
        self.fixtures.append({"match": match, "response": response})
        return self

    def _answered_before(self, told: str | None) -> int:
        asked = told or self.where["userMessage"]
        return sum(fixture["match"]["userMessage"] == asked for fixture in self.fixtures)


@dataclass
class Scripted:
    """The lines of some agents; the others have nothing to add to what the desk has found."""

    lines: list[Lines] = field(default_factory=list)

    def research(self, market: str, task: str) -> Lines:
        """The lines of the research agent on a task."""
        asked = f'"market": "{market}", "task": "{task}"'
        lines = Lines(market, {"systemMessage": RESEARCHES, "userMessage": asked})
        self.lines.append(lines)
        return lines

    def fixtures(
        self,
        *markets: str,
        themes: tuple[dict[str, Any], ...] = (),
        issues: tuple[dict[str, Any], ...] = (),
        look_into: tuple[str, ...] = ("quote", "history", "policy_rate"),
    ) -> list[dict[str, Any]]:
        """All that is said in a week of these markets, as aimock takes it. `issues` are the
        validator's, and `look_into` is what the plan lets the agents ask about."""
        plan = [{"market": name, "priority": 1, "look_into": look_into} for name in markets]
        usual = {
            PLANS: {"markets": plan, "note": "As ever."},
            RESEARCHES: {"events": [], "news": [], "views": [], "oddities": []},
            VALIDATES: {"issues": issues, "confidence": 0.8},
            COMMENTS: {"headline": "A quiet week.", "themes": themes},
        }
        return [
            *(fixture for lines in self.lines for fixture in lines.fixtures),
            *(
                {
                    "match": {"systemMessage": system},
                    "response": {"content": json.dumps(answer), "usage": USED},
                }
                for system, answer in usual.items()
            ),
            NO_FAULT,
        ]
