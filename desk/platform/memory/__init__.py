"""Stores the desk's memories and retrieves them by words and by meaning."""

from desk.platform.memory.choice import memory_store
from desk.platform.memory.store import MemoryAway, MemoryStore, MemoryUnusable

__all__ = [
    "MemoryAway",
    "MemoryStore",
    "MemoryUnusable",
    "memory_store",
]
