"""Which store the desk's memory is in, by the settings."""

from pathlib import Path

from desk.platform.memory.store import MemoryStore
from desk.platform.settings import Settings

EMBEDDED = "embedded"
CHROMA_FOLDER = "chroma:"
CHROMA_SERVER = "chroma+"


def memory_store(settings: Settings) -> MemoryStore:
    """The store that is set. Nothing is opened before it is used, and what is wrong with it is
    said then."""
    chosen = settings.memory.store
    if chosen.startswith(CHROMA_SERVER):
        from desk.platform.memory.chroma import ChromaMemory
        from desk.platform.memory.chroma_places import ChromaServer

        return ChromaMemory(ChromaServer(chosen.removeprefix(CHROMA_SERVER)))
    if chosen.startswith(CHROMA_FOLDER):
        from desk.platform.memory.chroma import ChromaMemory
        from desk.platform.memory.chroma_places import ChromaFolder

        folder = Path(chosen.removeprefix(CHROMA_FOLDER)).expanduser()
        return ChromaMemory(ChromaFolder(settings.project_dir / folder))
    from desk.platform.memory.embedded import EmbeddedMemory

    return EmbeddedMemory(settings.memory_path)
