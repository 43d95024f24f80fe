"""The store of memories, and how they are found again."""

from desk.platform.memory.store import MemoryAway, MemoryStore, MemoryUnusable, memory_store

__all__ = [
    "MemoryAway",
    "MemoryStore",
    "MemoryUnusable",
    "memory_store",
]
