"""Precomputed embeddings of the wordings that ship with the desk, because a model takes a while for
each."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from desk.analytics.retrieval.meaning import Vector


@cache
def load_vectors(file: Path) -> Mapping[str, Vector]:
    """Loads the vectors of a file, by wording."""
    with np.load(file) as stored:
        return dict(
            zip(stored["wordings"].tolist(), stored["vectors"].astype(np.float32), strict=True)
        )


def save_vectors(file: Path, vectors: Mapping[str, Vector]) -> None:
    """Saves vectors to a file, in half precision: cosines change by less than 0.001."""
    halved = np.array([*vectors.values()], dtype=np.float16)
    np.savez_compressed(file, wordings=np.array([*vectors]), vectors=halved)
