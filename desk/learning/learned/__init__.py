"""What is known of agents, sources and patterns from all runs."""

from desk.learning.learned.details import learned_details
from desk.learning.learned.state import Learned

__all__ = [
    "Learned",
    "learned_details",
]
