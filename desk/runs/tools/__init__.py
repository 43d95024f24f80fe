"""The record of agents' tools: each use, the tools that an agent needs, and proposals for new
ones."""

from desk.runs.tools._essential import Essential, described_for, essential, essential_tools
from desk.runs.tools._proposals import (
    LEAST_LIKENESS,
    Proposal,
    arguments_of,
    proposals,
    required_by,
)
from desk.runs.tools._usage import (
    counted_use,
    sharing_cost,
    status_for_learning,
    summed,
    tool_uses,
)

__all__ = [
    "LEAST_LIKENESS",
    "Essential",
    "Proposal",
    "arguments_of",
    "counted_use",
    "described_for",
    "essential",
    "essential_tools",
    "proposals",
    "required_by",
    "sharing_cost",
    "status_for_learning",
    "summed",
    "tool_uses",
]
