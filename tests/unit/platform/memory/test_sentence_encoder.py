"""The model of meaning of a process: one, whoever asks for it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError

import pytest

from desk.platform.memory import sentence_encoder
from desk.platform.memory.sentence_encoder import desk_embedding_model, loaded


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    loaded.cache_clear()
    yield
    loaded.cache_clear()


def test_threads_that_ask_side_by_side_have_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    together, made = Barrier(2), []

    class Slow:
        """Waits until another is made beside it, or nobody comes."""

        def __init__(self) -> None:
            made.append(self)
            try:
                together.wait(0.2)
            except BrokenBarrierError:
                return

    monkeypatch.setattr(sentence_encoder, "_SentenceEncoder", Slow)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda _: desk_embedding_model(), range(2))
    assert first is second
    assert len(made) == 1
