"""Makes the vectors of the wordings that are new, and forgets those of wordings that are gone:
`python -m tests.unit.programs.accept_wordings`."""

from collections.abc import Iterable
from pathlib import Path

from desk.analytics.retrieval.meaning import Meaning
from desk.analytics.retrieval.wordings import keep_vectors, kept_vectors
from desk.platform.memory.sentence_encoder import meaning_of_the_desk
from desk.programs.question.builtin import kinds
from desk.programs.swarm.objectives import nearness


def main() -> None:
    meaning = meaning_of_the_desk()
    if meaning is None:
        raise SystemExit("the model of meaning is not installed: run `make install`")
    accept("questions", kinds.FILE, kinds.all_wordings(), meaning)
    asked = dict.fromkeys(each for own in nearness.wordings().values() for each in own)
    accept("objectives", nearness.VECTORS, asked, meaning)


def accept(what: str, file: Path, wanted: Iterable[str], meaning: Meaning) -> None:
    """Bring the file of some wordings up to date."""
    known = dict(kept_vectors(file)) if file.exists() else {}
    new = [wording for wording in wanted if wording not in known]
    known |= dict(zip(new, meaning.passages(new), strict=True)) if new else {}
    keep_vectors(file, {wording: known[wording] for wording in wanted})
    print(f"{what}: {len(new)} wordings are new, {len([*wanted])} in all")


if __name__ == "__main__":
    main()
