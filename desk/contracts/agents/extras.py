"""The desk's optional packages and the commands that install them."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Extra(StrEnum):
    """The optional packages, by the names of the extras in `pyproject.toml`."""

    LIVE = "live"
    SWARM = "swarm"
    EPISODES = "episodes"
    TRAIN = "train"
    MEMORY = "memory"
    CHROMA = "chroma"
    DELIVER = "deliver"
    PDF = "pdf"
    FRAMES = "frames"
    OBSERVE = "observe"


_NAMED: Final = re.compile(rf"make install-({'|'.join(Extra)})\b")


def install_words(extra: Extra) -> str:
    """Returns the commands that install an extra, in a checkout and from a wheel, to follow `run`
    or `by`."""
    return f"`make install-{extra}` in a checkout, or `pip install 'research-desk[{extra}]'`"


def extras_named(told: Iterable[str]) -> tuple[Extra, ...]:
    """Returns the extras whose install commands appear in the messages, each once."""
    found = (Extra(match[1]) for words in told for match in _NAMED.finditer(words))
    return tuple(dict.fromkeys(found))
