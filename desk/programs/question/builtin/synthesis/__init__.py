"""The Synthesis agent, and its two kinds of evidence: measurements of markets, and texts."""

from desk.programs.question.builtin.synthesis.agent import take_turn

__all__ = ["take_turn"]
