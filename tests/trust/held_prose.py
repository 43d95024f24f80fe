"""The gate held against sentences of other people.

Each set was gathered by somebody who had not seen the gate; the document beside it says how. The
gate was mended after it had been held against the first set and, in what it lets stand, after the
second; it has met the third once, whose share is therefore the one that counts. A sentence with a
figure passes when nothing in it is refused; one without a figure is refused when anything in it is.
"""

import json
from pathlib import Path
from typing import Final, NamedTuple

from desk.trust.prose.gate import unbacked

SETS: Final = (
    Path(__file__).with_name("held_sentences.json"),
    Path(__file__).with_name("held_sentences_2.json"),
    Path(__file__).with_name("held_sentences_3.json"),
)

NAMES: Final = ("first set", "second set", "third set")


class Held(NamedTuple):
    """What came of the sentences: how many there are, and which went the wrong way."""

    with_figures: int
    passed: tuple[str, ...]
    without_figures: int
    refused: tuple[str, ...]


def held(of: Path) -> Held:
    """Every sentence of a set read by the gate, beside no claims."""
    sentences = json.loads(of.read_text(encoding="utf-8"))
    figured = [each["text"] for each in sentences if each["figures"]]
    clean = [each["text"] for each in sentences if not each["figures"]]
    return Held(
        with_figures=len(figured),
        passed=tuple(text for text in figured if not unbacked(text)),
        without_figures=len(clean),
        refused=tuple(text for text in clean if unbacked(text)),
    )


def table() -> str:
    """The shares of all sets, as a table in Markdown."""
    lines = ["| sentences | read | wrong | share |", "| --- | ---: | ---: | ---: |"]
    for name, of in zip(NAMES, map(held, SETS), strict=True):
        for kind, read, wrong in (
            ("with figures, of which one passes", of.with_figures, len(of.passed)),
            ("without figures, refused", of.without_figures, len(of.refused)),
        ):
            lines.append(f"| {name}, {kind} | {read} | {wrong} | {wrong / read:.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
    for found in map(held, SETS):
        print("", *found.passed, "", *found.refused, sep="\n")
