"""The Synthesis agent, and the two kinds of evidence that it answers from: what was measured of
markets, and what is written."""

from desk.programs.question.builtin.synthesis.agent import take_turn

__all__ = ["take_turn"]
