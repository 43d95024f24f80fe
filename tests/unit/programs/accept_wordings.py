"""Makes the vectors of the wordings that are new, and forgets those of wordings that are gone:
`python -m tests.unit.programs.accept_wordings`, where `make install-memory` was run."""

from collections.abc import Mapping

import numpy as np

from desk.platform.memory.meaning import installed_meaning
from desk.programs.swarm.objectives.matching import FILE, Vector, all_wordings, wording_vectors


def main() -> None:
    meaning = installed_meaning()
    if meaning is None:
        raise SystemExit("the model of meaning is not installed: run `make install-memory`")
    known = dict(wording_vectors()) if FILE.exists() else {}
    wanted = all_wordings()
    new = [wording for wording in wanted if wording not in known]
    known |= dict(zip(new, meaning.passages(new), strict=True))
    write_vectors({wording: known[wording] for wording in wanted})
    print(f"{len(new)} wordings are new, {len(wanted)} in all")


def write_vectors(vectors: Mapping[str, Vector]) -> None:
    """In half the bytes: cosines differ by less than 0.001."""
    halved = np.array([*vectors.values()], dtype=np.float16)
    np.savez_compressed(FILE, wordings=np.array([*vectors]), vectors=halved)


if __name__ == "__main__":
    main()
