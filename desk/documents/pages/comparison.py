"""Whether a page says what its JSON says: compared with the page that is rendered of it now."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from pydantic import JsonValue

from desk.documents.pages.reading import Element, Page, read_page
from desk.documents.pages.rendering_version import unmarked
from desk.documents.rendering.wording import one_line, typographic

SHOWN: Final = 160
"""Characters of a line that are shown."""
MOST_SHOWN: Final = 3
"""Of the passages that are worded by another version."""
LARGEST_SHIFT: Final = 0.2
"""Points by which versions of the drawing library place the same thing apart, at the most."""

Run = tuple[str, ...]

_PLACES: Final = frozenset({"d", "height", "points", "transform", "width", "x", "y"})
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_BETWEEN_WORDS: Final = re.compile(r"\[\[[^\]]*\]\]|[\n*_`#|\\]+")
"""What parts a text of the JSON where its page has something else: references and Markdown."""
_AROUND: Final = ".,;:()[]“”\"'"


class Comparison(NamedTuple):
    """How a page compares with the JSON beside it.

    `wrong` is what the page must not say or hold, whichever version rendered it. `unverified` is
    what another version rendered otherwise and nobody can tell from an edit: neither its figures
    nor the texts of the JSON are among it. `redrawn` says that charts are drawn by another version
    of the drawing library and show the same points and words, `other_version` that the page names
    another version of the desk, or none, and was compared by its figures and texts.
    """

    wrong: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    redrawn: bool = False
    other_version: bool = False


def compared_html(text: str, expected: str, told: JsonValue) -> Comparison:
    """A page compared with the one that is expected of the JSON's contents `told`.

    Charts are compared by their elements, positions to within a fifth of a point. A page that
    names this version must otherwise be the same letter by letter; one that names another, or none,
    must have the figures and the texts of the JSON.
    """
    (body, version), (other, ours) = unmarked(text), unmarked(expected)
    page = read_page(body)
    if page.faults:
        return Comparison(tuple(f"it holds {fault}" for fault in page.faults))
    if body == other:
        return Comparison()
    wanted = read_page(other)
    charts = _chart_difference(page, wanted)
    if charts is not None:
        return Comparison((charts,))
    if page.frame == wanted.frame:
        return Comparison(redrawn=True)
    if version == ours:
        return Comparison((f"it is not the page of this JSON: {difference(text, expected)}",))
    return _by_contents(page, wanted, told)


def compared_markdown(text: str, expected: str, told: JsonValue) -> Comparison:
    """The same of a Markdown page, where nothing is drawn."""
    (body, version), (other, ours) = unmarked(text), unmarked(expected)
    if body == other:
        return Comparison()
    if version == ours:
        return Comparison((f"it is not the page of this JSON: {difference(text, expected)}",))
    renderer = MarkdownIt("commonmark").enable("table")
    page, wanted = (read_page(renderer.render(each)) for each in (body, other))
    if page.faults:
        return Comparison(tuple(f"it holds {fault}" for fault in page.faults))
    return _by_contents(page, wanted, told)


def difference(text: str, expected: str) -> str | None:
    """The first line in which two texts differ, shortened and without control characters."""
    if text == expected:
        return None
    ours, theirs = text.split("\n"), expected.split("\n")
    pairs = zip(ours, theirs, strict=False)
    at = next((n for n, (one, two) in enumerate(pairs) if one != two), min(len(ours), len(theirs)))
    return f"line {at + 1}: {_excerpt(ours, theirs, at)}"


def _excerpt(ours: list[str], theirs: list[str], at: int) -> str:
    """The two lines from a little before the place where they part."""
    one, two = (lines[at] if at < len(lines) else "" for lines in (ours, theirs))
    same = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    start = max(0, (same if same is not None else min(len(one), len(two))) - SHOWN // 4)
    return " | ".join(f"`{one_line(line[start : start + SHOWN])}`" for line in (one, two))


def _by_contents(page: Page, wanted: Page, told: JsonValue) -> Comparison:
    """A page of another version: what it must share with this version's, and what it need not."""
    ours, theirs = Counter(page.passages), Counter(wanted.passages)
    added, gone = list((ours - theirs).elements()), list((theirs - ours).elements())
    values = _Values(told)
    wrong = [
        *_not_there(_keys(gone, values), _keys(added, values)),
        *(f"it leads to {link}, the JSON does not" for link in sorted(page.links - wanted.links)),
        *(f"it does not say `{run}`" for run in _lost_runs(gone, added, values)),
    ]
    if wrong:
        return Comparison(tuple(one_line(words) for words in wrong), other_version=True)
    return Comparison(unverified=tuple(_unverified(page, wanted, added)), other_version=True)


def _unverified(page: Page, wanted: Page, added: list[str]) -> Iterator[str]:
    if added:
        shown = "; ".join(f"`{one_line(words[:SHOWN])}`" for words in added[:MOST_SHOWN])
        more = f" and {len(added) - MOST_SHOWN} more" if len(added) > MOST_SHOWN else ""
        yield f"what it words otherwise than this version: {shown}{more}"
    if page.styles != wanted.styles:
        yield "its style sheet, which can hide and add words"
    yield "its markup and the order of its passages"


class _Values:
    """What the JSON says, as far as a page must repeat it letter by letter: texts of several words,
    parted where a page has a figure, and names such as `USD/CHF`."""

    def __init__(self, told: JsonValue) -> None:
        texts = set(_texts(told))
        self.names = frozenset(
            text for text in texts if not text.isspace() and " " not in text and not text.islower()
        )
        parts = (part.strip() for text in texts for part in _BETWEEN_WORDS.split(text))
        self.runs = sorted({typographic(part) for part in parts if " " in part})


def _texts(told: JsonValue) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict):
        for value in told.values():
            yield from _texts(value)
    elif isinstance(told, list):
        for value in told:
            yield from _texts(value)


def _keys(passages: Iterable[str], values: _Values) -> Counter[Run]:
    """The figures and names of each passage in their order, without the words around them."""
    keys = (
        tuple(
            word
            for written in passage.split(" ")
            if (word := written.strip(_AROUND)) in values.names or any(map(str.isdigit, word))
        )
        for passage in passages
    )
    return Counter(key for key in keys if key)


def _not_there(gone: Counter[Run], added: Counter[Run]) -> Iterator[str]:
    for key in gone - added:
        yield f"it does not have `{' … '.join(key)}` as the JSON has it"
    for key in added - gone:
        yield f"it has `{' … '.join(key)}`, the JSON does not have it so"


def _lost_runs(gone: list[str], added: list[str], values: _Values) -> Iterator[str]:
    before, after = "\n".join(gone), "\n".join(added)
    for run in values.runs:
        if before.count(run) > after.count(run):
            yield run


def _chart_difference(page: Page, wanted: Page) -> str | None:
    if len(page.charts) != len(wanted.charts):
        return f"it has {len(page.charts)} charts, {len(wanted.charts)} follow from the JSON"
    for number, (one, two) in enumerate(zip(page.charts, wanted.charts, strict=True), start=1):
        told = next((value for name, value in two[0].attributes if name == "aria-label"), "")
        if not _same_chart(one, two):
            return f"chart {number} is not the one of this JSON: {one_line(told)}"
    return None


def _same_chart(one: tuple[Element, ...], two: tuple[Element, ...]) -> bool:
    """Whether two charts show the same. The ids within and the order of the declarations of a style
    are the drawing library's."""
    if one == two:
        return True
    if len(one) != len(two):
        return False
    pairs = zip(_without_ids(one), _without_ids(two), strict=True)
    return all(_same_element(ours, theirs) for ours, theirs in pairs)


def _without_ids(chart: tuple[Element, ...]) -> Iterator[Element]:
    """The elements with the places of ids in the chart in place of the ids."""
    ids = [value for each in chart for name, value in each.attributes if name == "id"]
    places = {name: f"id-{place}" for place, name in enumerate(ids)}
    for tag, attributes, text in chart:
        told = sorted((name, _neutral(name, value, places)) for name, value in attributes)
        yield Element(tag, tuple(told), text)


def _neutral(name: str, value: str, places: dict[str, str]) -> str:
    if name == "id":
        return places[value]
    if name in {"href", "xlink:href"}:
        return places.get(value.removeprefix("#"), value)
    if name == "clip-path":
        return places.get(value.removeprefix("url(#").removesuffix(")"), value)
    if name == "style":
        return ";".join(sorted(part.strip() for part in value.split(";") if part.strip()))
    return " ".join(value.split())


def _same_element(one: Element, two: Element) -> bool:
    if one.tag != two.tag or one.text != two.text or len(one.attributes) != len(two.attributes):
        return False
    pairs = zip(one.attributes, two.attributes, strict=True)
    return all(a == b and (x == y or (a in _PLACES and _close(x, y))) for (a, x), (b, y) in pairs)


def _close(one: str, two: str) -> bool:
    """Whether two values are the same but for the last digits of their numbers."""
    if _NUMBER.sub("0", one) != _NUMBER.sub("0", two):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(two), strict=True)
    return all(abs(float(x) - float(y)) <= LARGEST_SHIFT for x, y in pairs)
