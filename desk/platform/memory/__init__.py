"""The store of memories, and how they are found again."""
