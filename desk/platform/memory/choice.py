"""Selects the memory store that the settings name."""

from pathlib import Path
from typing import Final

from desk.platform.memory.store import MemoryStore
from desk.platform.settings import Settings

CHROMA_FOLDER: Final = "chroma:"
CHROMA_SERVER: Final = "chroma+"


def memory_store(settings: Settings) -> MemoryStore:
    """The store that the settings name. It is opened at its first use, and reports its errors
    then."""
    chosen = settings.memory.store
    if chosen.startswith(CHROMA_SERVER):
        from desk.platform.memory.chroma import ChromaMemory, ChromaServer

        return ChromaMemory(ChromaServer(chosen.removeprefix(CHROMA_SERVER)))
    if chosen.startswith(CHROMA_FOLDER):
        from desk.platform.memory.chroma import ChromaFolder, ChromaMemory

        folder = Path(chosen.removeprefix(CHROMA_FOLDER)).expanduser()
        return ChromaMemory(ChromaFolder(settings.project_dir / folder))
    from desk.platform.memory.embedded import EmbeddedMemory

    return EmbeddedMemory(settings.memory_path)
