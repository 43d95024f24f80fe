"""The vectors of the forms' wordings, made once: a model takes a second for each.

`tests/unit/programs/accept_wordings.py` writes the file after a wording has changed.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""Of length 1, so that the product of two is their cosine."""

FILE: Final = Path(__file__).with_name("wordings.npz")


@cache
def wording_vectors() -> Mapping[str, Vector]:
    """The vectors by the wording that each was made of."""
    with np.load(FILE) as kept:
        return dict(zip(kept["wordings"].tolist(), kept["vectors"].astype(np.float32), strict=True))


def write_vectors(vectors: Mapping[str, Vector], file: Path = FILE) -> None:
    """Keep the vectors of all wordings, in half the bytes: cosines differ by less than 0.001."""
    told: Iterable[Vector] = vectors.values()
    np.savez_compressed(
        file, wordings=np.array([*vectors]), vectors=np.array([*told], dtype=np.float16)
    )
