"""Makes the vectors of the wordings that are new, forgets those of wordings that are gone, and
solves what forms of objective are told apart by: `python -m tests.unit.programs.accept_wordings`.
"""

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from desk.analytics.retrieval.meaning import EmbeddingModel
from desk.analytics.retrieval.wordings import load_vectors, save_vectors
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.programs.question.builtin import kinds
from desk.programs.question.builtin.synthesis.markets import asked
from desk.programs.swarm.objectives import nearness
from desk.programs.swarm.objectives.registry import FORMS
from desk.trust.seals import content_hash

Floats = NDArray[np.float64]

MANY = 64
"""Texts that are turned into vectors at once."""


def main() -> None:
    meaning = desk_embedding_model()
    if meaning is None:
        raise SystemExit("the model of meaning is not installed: run `make install`")
    accept("questions", kinds.FILE, kinds.all_wordings(), meaning)
    accept("aspects of markets", asked.FILE, asked.ASPECTS.every(), meaning)
    fit(meaning)


def accept(what: str, file: Path, wanted: Iterable[str], meaning: EmbeddingModel) -> None:
    """Bring the file of some wordings up to date."""
    known = dict(load_vectors(file)) if file.exists() else {}
    new = [wording for wording in wanted if wording not in known]
    known |= dict(zip(new, meaning.passages(new), strict=True)) if new else {}
    save_vectors(file, {wording: known[wording] for wording in wanted})
    print(f"{what}: {len(new)} wordings are new, {len([*wanted])} in all")


def seal() -> str:
    """By what a fit is known to be that of the wordings."""
    return content_hash({name: [*own] for name, own in nearness.wordings().items()})


def fit(meaning: EmbeddingModel) -> None:
    """Solve the regressions over the wordings of objectives, and keep what they come to."""
    rows = [(name, each) for name, own in nearness.wordings().items() for each in own]
    texts = [text for _, text in rows]
    held = Counter(feature for text in texts for feature in nearness.features_of(text))
    weights = {feature: math.log(1 + len(texts) / times) for feature, times in held.items()}
    own = _words_of(texts, weights)
    means = np.stack(
        [v for at in range(0, len(texts), MANY) for v in meaning.passages(texts[at : at + MANY])]
    ).astype(np.float64)
    alike = nearness.WORDS_COUNT * own @ own.T
    both = _solved(alike + nearness.closeness(means @ means.T), [name for name, _ in rows])
    words = _solved(own @ own.T, [name for name, _ in rows])
    fitted = nearness.Fitted(
        features=np.array([*weights]),
        weights=np.array([*weights.values()], dtype=np.float16),
        unknown=np.array([math.log(1 + len(texts))], dtype=np.float16),
        meanings=np.rint(nearness.HALF_BYTE * means).astype(np.int8),
        beside_meaning=(nearness.WORDS_COUNT * own.T @ both).astype(np.float16),
        by_meaning=both.astype(np.float16),
        by_words=(own.T @ words).astype(np.float16),
        of=np.array([seal()]),
    )
    np.savez_compressed(nearness.FITTED, **fitted._asdict())
    print(f"objectives: {len(texts)} wordings, {len(weights)} words and pairs of neighbours")


def _words_of(texts: list[str], weights: dict[str, float]) -> Floats:
    places = {feature: place for place, feature in enumerate(weights)}
    found = np.zeros((len(texts), len(weights)))
    for row, text in enumerate(texts):
        for feature in nearness.features_of(text):
            found[row, places[feature]] = weights[feature]
        found[row] /= math.sqrt(float(found[row] @ found[row])) or 1
    return found


def _solved(alike: Floats, names: list[str]) -> Floats:
    """What each wording counts for each kind, for the side, and for how many are asked of."""
    every = nearness.kinds_of_forms()
    columns = [[float(name in kind) for name in names] for kind in every]
    found = np.zeros((len(names), len(every) + 3))
    found[:, :-3] = _regressed(alike, np.array(columns).T)
    sides = {name: float(nearness.side_of_form(name)) for name in FORMS}
    of_all = {form.name: -1.0 for form in FORMS.values() if form.of_first}
    of_first = {form.of_first: 1.0 for form in FORMS.values() if form.of_first}
    comparing = [form for form in FORMS.values() if form.compares]
    kinds = [kind for kind in every for form in comparing if form.name in kind]
    of_each = {name: -1.0 for kind in kinds for name in kind}
    several = of_each | {form.name: 1.0 for form in comparing}
    for column, wanted in ((-3, sides), (-2, of_all | of_first), (-1, several)):
        own = np.array([wanted.get(name, 0.0) for name in names])
        told = np.flatnonzero(own)
        found[told, column] = _regressed(alike[np.ix_(told, told)], own[told])
    return found


def _regressed(alike: Floats, wanted: Floats) -> Floats:
    found = np.linalg.solve(alike + nearness.RIDGE * np.eye(len(alike)), wanted)
    return np.asarray(found, dtype=np.float64)


if __name__ == "__main__":
    main()
