"""The models' prompts for each task, in Markdown.

The lines from `{{if NAME …}}` to `{{end}}` are only included if one of the names is present: a part
of what the model is shown, or something that it can ask. `{{NAME}}` on a line of its own includes
another prompt.
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
    """Reads one of the desk's own prompts."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")


def prompt_for(text: str, there: Collection[str]) -> str:
    """Renders a prompt under the given conditions."""
    told = _INCLUDED.sub(lambda included: prompt(included[1]), _told(text, there))
    return _GAP.sub("\n\n", _told(told, there))


def _told(text: str, there: Collection[str]) -> str:
    return _PART.sub(lambda part: part[2] if set(part[1].split()) & set(there) else "", text)
