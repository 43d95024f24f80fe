"""The swarm's part of an answer: how it was researched, its conflicts and its hypotheses."""

from desk.programs.swarm.document.part import PART

__all__ = ["PART"]
