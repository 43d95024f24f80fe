"""What models are told about each task, in Markdown."""

from functools import cache
from importlib.resources import files


@cache
def prompt(name: str) -> str:
    """The text of a prompt of the desk's own."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")
