"""The optional packages of the desk, and the commands that install them."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class Extra(StrEnum):
    """Optional packages, by the names of the extras in `pyproject.toml`."""

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
    """What installs an extra, in a checkout and beside a wheel, to be read after `run` or `by`."""
    return f"`make install-{extra}` in a checkout, or `pip install 'research-desk[{extra}]'`"


def extras_named(told: Iterable[str]) -> tuple[Extra, ...]:
    """The extras whose install commands stand in some messages, each once."""
    found = (Extra(match[1]) for words in told for match in _NAMED.finditer(words))
    return tuple(dict.fromkeys(found))
