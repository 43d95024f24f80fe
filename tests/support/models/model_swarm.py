"""What a scripted Claude says when it leads a swarm, and when it is one of its specialists."""

from dataclasses import dataclass, field
from typing import Any, Final

from tests.support.models.model_questions import Part
from tests.support.models.model_week import NO_FAULT

ROLES: Final = {
    "plan": "You plan one round of research",
    "conclusion": "You planned research on",
    "technical": "Your field is the price itself",
    "fundamental": "Your field is what makes a market worth holding",
}
"""A sentence of each one's prompt that no other has."""


@dataclass
class Swarmed:
    """The lines of a leader and of its specialists."""

    parts: list[Part] = field(default_factory=list)

    def role(self, name: str) -> Part:
        """The lines of one of them."""
        part = Part("", {"systemMessage": ROLES[name], "userMessage": '"objective": "'})
        self.parts.append(part)
        return part

    def fixtures(self) -> list[dict[str, Any]]:
        """All that is said, as aimock takes it."""
        return [*(fixture for part in self.parts for fixture in part.fixtures), NO_FAULT]


def part_of(agent: str, market: str = "USD/JPY") -> dict[str, Any]:
    """A specialist's part in a plan."""
    return {
        "agent": f"{agent}_specialist",
        "market": market,
        "objective": f"What can be told of the yen from the {agent} side?",
        "boundaries": "The other side is somebody else's.",
    }


def finding(statement: str, claim: str, evidence: str) -> dict[str, Any]:
    """What a specialist delivers: one finding, which rests on one figure."""
    return {
        "figures": [{"evidence": evidence, "claim": claim}],
        "findings": [
            {"topic": "yen", "statement": statement, "confidence": 0.6, "claims": [claim]}
        ],
        "confidence": 0.6,
    }
