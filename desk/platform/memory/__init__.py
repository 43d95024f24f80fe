"""The store of memories, and how they are found again."""

from desk.platform.memory.choice import memory_store
from desk.platform.memory.store import MemoryAway, MemoryStore, MemoryUnusable

__all__ = [
    "MemoryAway",
    "MemoryStore",
    "MemoryUnusable",
    "memory_store",
]
