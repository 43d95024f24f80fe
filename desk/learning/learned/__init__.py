"""The record of agents, sources and patterns from all runs."""

from desk.learning.learned.state import Learned, learned_details

__all__ = [
    "Learned",
    "learned_details",
]
