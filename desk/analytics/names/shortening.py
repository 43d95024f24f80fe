"""Shortens texts to a length."""

from typing import Final

ELLIPSIS: Final = "…"
LEAST_KEPT: Final = 0.6
"""If cutting at a space would leave less than this share, the text is cut within a word."""


def shortened(text: str, longest: int) -> str:
    """The text, or its first words and an ellipsis, of at most `longest` characters.

    It is cut at the end of a word, or within a word that is too long.
    """
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    if not text[longest - 1].isspace():
        words = kept[: kept.rfind(" ")] if " " in kept else kept
        kept = words if len(words) >= LEAST_KEPT * len(kept) else kept
    return f"{kept.rstrip()}{ELLIPSIS}"


def on_one_line(text: str, longest: int) -> str:
    """The same as `shortened`, with line breaks replaced by spaces."""
    return shortened(" ".join(text.split()), longest)
