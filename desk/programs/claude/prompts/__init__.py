"""What models are told about each task, in Markdown.

In a prompt, the lines from `{{if NAME …}}` to `{{end}}` are told only where one of the names is
there: a part of what the model is shown, or something that it can ask. `{{NAME}}` in a line of its
own stands for another prompt.
"""

import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Final

_PART: Final = re.compile(r"^\{\{if ([\w ]+)\}\}\n(.*?)^\{\{end\}\}\n", re.MULTILINE | re.DOTALL)

_GAP: Final = re.compile(r"\n{3,}")

_INCLUDED: Final = re.compile(r"^\{\{(\w+)\}\}\n", re.MULTILINE)


@cache
def prompt(name: str) -> str:
    """The text of a prompt of the desk's own."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")


def prompt_for(text: str, there: Collection[str]) -> str:
    """A prompt as it is told where these things are there."""
    told = _INCLUDED.sub(lambda included: prompt(included[1]), _told(text, there))
    return _GAP.sub("\n\n", _told(told, there))


def _told(text: str, there: Collection[str]) -> str:
    return _PART.sub(lambda part: part[2] if set(part[1].split()) & set(there) else "", text)
