"""Lines of tables for people: of a bounded width, whatever the words in them."""

from collections.abc import Iterator
from typing import Final

from desk.agents.registry import AGENTS
from desk.contracts.names import AgentId

WIDTH: Final = 80


def short_name(agent: AgentId) -> str:
    """An agent's name in a narrow table: two letters, where it is registered those it is given."""
    profile = AGENTS.get(agent)
    return agent[:2].upper() if profile is None else profile.short


def cut(text: str, width: int) -> str:
    """A column of a width: the text with at least one blank after it."""
    room = width - 1
    return (text if len(text) <= room else f"{text[: room - 1]}…").ljust(width)


def folded(text: str, indent: str = "") -> Iterator[str]:
    """Lines of at most `WIDTH` columns, the second and later ones indented further."""
    line = indent
    for word in text.split():
        grown = f"{line} {word}" if line.strip() else f"{line}{word}"
        if len(grown) > WIDTH and line.strip():
            yield line[:WIDTH]
            grown = f"{indent}    {word}"
        line = grown
    yield line[:WIDTH]
