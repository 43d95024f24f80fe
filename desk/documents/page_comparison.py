"""Compares two pages by their visible content, element by element."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from pydantic import JsonValue

from desk.analytics.links import web_link
from desk.documents.rendering.drawing.charts import UPSIDE_DOWN
from desk.documents.rendering.rendering_version import unmarked
from desk.documents.rendering.words.wording import one_line, typographic

Attributes = Sequence[tuple[str, str | None]]

CHART: Final = "svg"
EMPTY_CHART: Final = "<svg></svg>"


def _named(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VOID: Final = _named("br hr meta")
_INLINE: Final = _named("a b button code em i mark q small span strong sup th td")
"""Elements inside of a passage. A row of a table counts as one passage."""
_BLOCKS: Final = _named(
    "article blockquote body caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 "
    "h6 head header html li main nav ol p pre section style summary table tbody thead title tr ul"
)
_DRAWN: Final = _named(
    "circle clippath defs ellipse g line marker path polygon polyline rect svg text title tspan use"
)
_ATTRIBUTES: Final = _named(
    "aria-hidden charset class colspan content href http-equiv id interestfor lang name open "
    "popover popovertarget popovertargetaction rel role scope start style tabindex"
)
_DRAWN_ATTRIBUTES: Final = _named(
    "class clip-path cx cy d fill fill-opacity height href id marker-end opacity points "
    "preserveaspectratio r role rx ry stroke stroke-width style transform viewbox width x x1 x2 "
    "xlink:href y y1 y2 aria-hidden"
)
_TEXT_ATTRIBUTES: Final = _named("aria-label aria-description title")
"""Attributes that a reader sees or hears."""
_TELLING: Final = _TEXT_ATTRIBUTES | {"id"}
"""Attributes that count each time they are given."""
_POLICY: Final = {
    "http-equiv": "Content-Security-Policy",
    "content": "default-src 'none'; style-src 'unsafe-inline'",
}
_STYLE_FUNCTIONS: Final = _named(
    "attr calc max min minmax not nth-child repeat rgb rotate translate var"
)
_STYLE_RULES: Final = frozenset({"media", "page", "supports"})
_CALLED: Final = re.compile(r"([\w-]*)\(\s*(#?)")
_RULE: Final = re.compile(r"@([\w-]*)")


class Element(NamedTuple):
    """An element of a chart with its own text."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    text: str


class Page(NamedTuple):
    """The visible content of a page.

    `faults` are the parts that could act, load something, or be interpreted differently by a
    browser. `frame` is the markup with every chart emptied. `passages` are the words that a reader
    sees or hears, each a paragraph, a row of a table or a description. `links` lead out of the
    page.
    """

    faults: tuple[str, ...]
    frame: str
    charts: tuple[tuple[Element, ...], ...]
    passages: tuple[str, ...]
    styles: tuple[str, ...]
    links: frozenset[str]


def read_page(text: str) -> Page:
    """Parses a page element by element.

    Only elements and attributes with a visible effect are known; everything else is a fault. It is
    also a fault if serialising the parsed page does not give the original text, because a browser
    might interpret it differently.
    """
    reader = _PageParser()
    reader.feed(text)
    reader.close()
    return reader.page(text)


@dataclass
class _Drawn:
    tag: str
    attributes: Attributes
    words: list[str] = field(default_factory=list)

    def element(self) -> Element:
        attributes = tuple((name, value or "") for name, value in self.attributes)
        return Element(self.tag, attributes, _words(self.words))


class _PageParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self._written: list[str] = []
        self._frame: list[str] = []
        self._faults: dict[str, None] = {}
        self._open: list[str] = []
        self._chart: list[_Drawn] | None = None
        self._charts: list[tuple[Element, ...]] = []
        self._words: list[str] = []
        self._passages: list[str] = []
        self._spoken: list[str] = []
        self._styles: list[str] = []
        self._links: set[str] = set()
        self._ids: set[str] = set()
        self._sound: set[tuple[bool, str]] = set()

    def page(self, text: str) -> Page:
        self._end_passage()
        if "".join(self._written).lower() != text.lower():
            self._fault("markup that can be read in more than one way", placed=False)
        if self._open:
            self._fault(f"an element <{self._open[-1]}> without an end")
        return Page(
            tuple(self._faults),
            "".join(self._frame),
            tuple(self._charts),
            (*self._passages, *self._spoken),
            tuple(self._styles),
            frozenset(self._links),
        )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raw = self.get_starttag_text() or ""
        self._start(tag, attrs, raw)
        if tag in _VOID:
            self._end_passage()
        else:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._start(tag, attrs, self.get_starttag_text() or "")
        # Outside of a drawing, browsers do not treat such an element as closed.
        if tag == CHART or (self._chart is None and tag not in _VOID):
            self._fault(f"an element <{tag}/> without content")

    def _start(self, tag: str, attributes: Attributes, raw: str) -> None:
        if self._chart is None and tag == CHART:
            self._end_passage()
            self._chart = []
            self._frame.append(EMPTY_CHART)
        self._check_element(tag, attributes, raw)
        if self._chart is not None:
            self._chart.append(_Drawn(tag, attributes))
        elif tag not in _INLINE:
            self._end_passage()
        elif tag in {"td", "th"}:
            self._words.append(" ")
        self._write(raw)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self._fault(f"an end </{tag}> of nothing")
        self._write(f"</{tag}>")
        if self._chart is None and tag not in _INLINE:
            self._end_passage()
        if self._chart is not None and CHART not in self._open:
            self._charts.append(tuple(drawn.element() for drawn in self._chart))
            self._chart = None

    def handle_data(self, data: str) -> None:
        if "<" in data:
            self._fault("a < that is no markup")
        self._write(data)
        if self._open and self._open[-1] == "style":
            self._styles.append(data)
            self._check_style(data)
        else:
            self._add_words(data)

    def handle_entityref(self, name: str) -> None:
        self._write(f"&{name};")
        self._add_words(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write(f"&#{name};")
        self._add_words(f"&#{name};")

    def handle_decl(self, decl: str) -> None:
        if self._written or decl.lower() != "doctype html":
            self._fault("a declaration")
        self._write(f"<!{decl}>")

    def handle_comment(self, data: str) -> None:
        self._fault("a comment")

    def handle_pi(self, data: str) -> None:
        self._fault("an instruction")

    def unknown_decl(self, data: str) -> None:
        self._fault("a declaration")

    def _add_words(self, words: str) -> None:
        if self._chart is None:
            self._words.append(words)
        elif self._chart:
            self._chart[-1].words.append(words)

    def _write(self, raw: str) -> None:
        self._written.append(raw)
        if self._chart is None:
            self._frame.append(raw)

    def _end_passage(self) -> None:
        if not self._words:
            return
        words = _words(self._words)
        self._words.clear()
        if words:
            self._passages.append(words)

    def _check_element(self, tag: str, attributes: Attributes, raw: str) -> None:
        drawn = self._chart is not None
        # Of ten tags of a page nine are written as one before them.
        if (drawn, raw) in self._sound:
            return
        faults = len(self._faults)
        if tag not in (_DRAWN if drawn else _INLINE | _BLOCKS | _VOID):
            self._fault(f"an element <{tag}>")
        if not _is_plain(tag, attributes, raw):
            self._fault("a tag that can be read in more than one way")
        if len({name for name, _ in attributes}) < len(attributes):
            self._fault("an attribute given twice")
        if tag == "meta" and "http-equiv" in dict(attributes) and dict(attributes) != _POLICY:
            self._fault("an order to the browser")
        for name, value in attributes:
            known = name in (_DRAWN_ATTRIBUTES if drawn else _ATTRIBUTES)
            if not known and name not in _TEXT_ATTRIBUTES:
                self._fault(f"an attribute {name}")
            self._check_value(tag, name, value or "")
        if len(self._faults) == faults and not _TELLING & {name for name, _ in attributes}:
            self._sound.add((drawn, raw))

    def _check_value(self, tag: str, name: str, value: str) -> None:
        if name in {"href", "xlink:href"} and not value.startswith("#"):
            if self._chart is None and tag == "a" and web_link(value) == value:
                self._links.add(value)
            else:
                self._fault(f"a link to {value!r}")
        elif name == "id":
            # A figure opens the first element with the id that it names.
            if value in self._ids:
                self._fault(f"the id {value!r} a second time")
            self._ids.add(value)
        elif name in {"style", "clip-path", "fill", "stroke", "marker-end"}:
            self._check_style(value)
        elif name in _TEXT_ATTRIBUTES and self._chart is None:
            self._spoken.append(_words([value]))

    def _check_style(self, style: str) -> None:
        called = [(word.lower(), within) for word, within in _CALLED.findall(style)]
        wrong = [
            w for w, within in called if w and w not in _STYLE_FUNCTIONS and (w, within) != _WITHIN
        ]
        wrong += [rule for rule in _RULE.findall(style) if rule.lower() not in _STYLE_RULES]
        wrong += ["\\"] if "\\" in style else []
        for word in wrong:
            self._fault(f"a style with {word!r}")

    def _fault(self, words: str, *, placed: bool = True) -> None:
        self._faults.setdefault(f"{words} in line {self.getpos()[0]}" if placed else words)


_WITHIN: Final = ("url", "#")
"""The only thing that a style may fetch: parts of the page itself."""


def _is_plain(tag: str, attributes: Attributes, raw: str) -> bool:
    """Returns whether a start tag is written as `<tag name="value">`, which every browser
    interprets the same way."""
    rest = raw[1 + len(tag) :]
    for name, value in attributes:
        stripped = rest.lstrip()
        if stripped == rest or not stripped.lower().startswith(name):
            return False
        rest = stripped[len(name) :]
        if value is None:
            continue
        before, quote, behind = rest.partition('"')
        inner, end, rest = behind.partition('"')
        if before != "=" or not quote or not end or "<" in inner or unescape(inner) != value:
            return False
    return rest in {">", "/>", " />"}


def _words(parts: Iterable[str]) -> str:
    """Returns words as a browser shows them: white space is one space, except a non-breaking
    one."""
    return " ".join(unescape("".join(parts)).replace("\u00a0", "\ue000").split()).replace(
        "\ue000", "\u00a0"
    )


SHOWN: Final = 160
"""The maximum length in characters of a line in a message."""
MOST_SHOWN: Final = 3
"""The maximum number of differently worded passages in a message."""
LARGEST_SHIFT: Final = 0.2
"""The difference in points by which two versions of the drawing library may place the same
element."""

Run = tuple[str, ...]

_PLACES: Final = frozenset({"d", "height", "points", "transform", "width", "x", "y"})
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_BETWEEN_WORDS: Final = re.compile(r"\[\[[^\]]*\]\]|[\n*_`#|\\]+")
"""What splits a text of the JSON where its page has something else: references and Markdown."""
_AROUND: Final = ".,;:()[]“”\"'"


LINES_OF_CHARTS: Final = "the lines of its charts, which another version drew of other elements"


class Comparison(NamedTuple):
    """The result of comparing a page with the JSON beside it.

    `wrong` are differences that no version can have written. `unverified` is what another version
    rendered differently and cannot be distinguished from an edit; it contains no figures and no
    texts of the JSON. `redrawn` means that charts are by another version of the drawing library and
    show the same points and words. `other_version` means that the page names another version of the
    desk, or none, and was compared by its figures and texts.
    """

    wrong: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    redrawn: bool = False
    other_version: bool = False


def compared_html(text: str, expected: str, contents: JsonValue) -> Comparison:
    """Compares a page with the one that is expected for the JSON's contents.

    Charts are compared by their elements, with positions to a fifth of a point. Charts of a version
    that drew other elements are compared by their words, and their lines are named as not verified.
    A page that names this version must otherwise match letter by letter. Any other page must have
    the figures and the texts of the JSON.
    """
    (body, version), (other, ours) = unmarked(text), unmarked(expected)
    page = read_page(body)
    if page.faults:
        return Comparison(tuple(f"it holds {fault}" for fault in page.faults))
    if body == other:
        return Comparison()
    wanted = read_page(other)
    charts = _chart_difference(page, wanted, of_one_version=version == ours)
    drawn_otherwise = version != ours and _are_drawn_otherwise(page, wanted)
    if charts is not None and not drawn_otherwise:
        return Comparison((charts,))
    if page.frame == wanted.frame and charts is None:
        return Comparison(redrawn=True)
    if version == ours:
        return Comparison((f"it is not the page of this JSON: {difference(text, expected)}",))
    found = _by_contents(page, wanted, contents)
    unseen = (LINES_OF_CHARTS,) if charts is not None and not found.wrong else ()
    return found._replace(unverified=(*found.unverified, *unseen))


def compared_markdown(text: str, expected: str, contents: JsonValue) -> Comparison:
    """Compares a Markdown page, which has no charts, in the same way."""
    (body, version), (other, ours) = unmarked(text), unmarked(expected)
    if body == other:
        return Comparison()
    if version == ours:
        return Comparison((f"it is not the page of this JSON: {difference(text, expected)}",))
    renderer = MarkdownIt("commonmark").enable("table")
    page, wanted = (read_page(renderer.render(each)) for each in (body, other))
    if page.faults:
        return Comparison(tuple(f"it holds {fault}" for fault in page.faults))
    return _by_contents(page, wanted, contents)


def difference(text: str, expected: str) -> str | None:
    """Returns the first line in which two texts differ, shortened and without control
    characters."""
    if text == expected:
        return None
    ours, theirs = text.split("\n"), expected.split("\n")
    pairs = zip(ours, theirs, strict=False)
    at = next((n for n, (one, two) in enumerate(pairs) if one != two), min(len(ours), len(theirs)))
    return f"line {at + 1}: {_excerpt(ours, theirs, at)}"


def _excerpt(ours: list[str], theirs: list[str], at: int) -> str:
    """Returns the two lines, from shortly before the place where they differ."""
    one, two = (lines[at] if at < len(lines) else "" for lines in (ours, theirs))
    same = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    start = max(0, (same if same is not None else min(len(one), len(two))) - SHOWN // 4)
    return " | ".join(f"`{one_line(line[start : start + SHOWN])}`" for line in (one, two))


def _by_contents(page: Page, wanted: Page, contents: JsonValue) -> Comparison:
    """Compares a page of another version by the contents that it must share with this version's."""
    ours, theirs = Counter(page.passages), Counter(wanted.passages)
    added, gone = list((ours - theirs).elements()), list((theirs - ours).elements())
    values = _Values(contents)
    wrong = [
        *_differences(_keys(gone, values), _keys(added, values)),
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
    """The contents of the JSON that a page must repeat letter by letter: texts of several words,
    split where a page has a figure, and names such as `USD/CHF`."""

    def __init__(self, contents: JsonValue) -> None:
        texts = set(_texts(contents))
        self.names = frozenset(
            text for text in texts if not text.isspace() and " " not in text and not text.islower()
        )
        parts = (part.strip() for text in texts for part in _BETWEEN_WORDS.split(text))
        self.runs = sorted({typographic(part) for part in parts if " " in part})


def _texts(contents: JsonValue) -> Iterator[str]:
    if isinstance(contents, str):
        yield contents
    elif isinstance(contents, dict):
        for value in contents.values():
            yield from _texts(value)
    elif isinstance(contents, list):
        for value in contents:
            yield from _texts(value)


def _keys(passages: Iterable[str], values: _Values) -> Counter[Run]:
    """Returns the figures and names of each passage in order, without the words around them."""
    keys = (
        tuple(
            word
            for written in passage.split(" ")
            if (word := written.strip(_AROUND)) in values.names or any(map(str.isdigit, word))
        )
        for passage in passages
    )
    return Counter(key for key in keys if key)


def _differences(gone: Counter[Run], added: Counter[Run]) -> Iterator[str]:
    for key in gone - added:
        yield f"it does not have `{' … '.join(key)}` as the JSON has it"
    for key in added - gone:
        yield f"it has `{' … '.join(key)}`, the JSON does not have it so"


def _lost_runs(gone: list[str], added: list[str], values: _Values) -> Iterator[str]:
    before, after = "\n".join(gone), "\n".join(added)
    for run in values.runs:
        if before.count(run) > after.count(run):
            yield run


def _chart_difference(page: Page, wanted: Page, *, of_one_version: bool) -> str | None:
    if len(page.charts) != len(wanted.charts):
        return f"it has {len(page.charts)} charts, {len(wanted.charts)} follow from the JSON"
    for number, (one, two) in enumerate(zip(page.charts, wanted.charts, strict=True), start=1):
        chart_label = next((value for name, value in two[0].attributes if name == "aria-label"), "")
        if not (_same_chart(one, two) or (not of_one_version and _same_view(one, two))):
            return f"chart {number} is not the one of this JSON: {one_line(chart_label)}"
    return None


def _are_drawn_otherwise(page: Page, wanted: Page) -> bool:
    """Returns whether every chart has other elements than this version's and none of its paths, but
    the same words. A second view of a chart in the page has no elements of its own."""
    if len(page.charts) != len(wanted.charts):
        return False
    pairs = [*zip(page.charts, wanted.charts, strict=True)]
    drawn = [(one, two) for one, two in pairs if not (_is_spark(two) or _is_view(two))]
    return all(_chart_words(one) == _chart_words(two) for one, two in pairs) and all(
        [each.tag for each in one] != [each.tag for each in two] and not _paths(one) & _paths(two)
        for one, two in drawn
    )


def _paths(chart: tuple[Element, ...]) -> set[str]:
    return {value for each in chart for name, value in each.attributes if name == "d"}


def _is_spark(chart: tuple[Element, ...]) -> bool:
    return ("class", "spark") in chart[0].attributes


def _is_view(chart: tuple[Element, ...]) -> bool:
    return [each.tag for each in chart[1:]] == ["use"]


def _chart_words(chart: tuple[Element, ...]) -> Counter[str]:
    """Returns the words of a chart, its label and the drawn words, in any order."""
    labels = (value for name, value in chart[0].attributes if name == "aria-label")
    return Counter((*labels, *(each.text for each in chart if each.text.strip())))


def _same_view(one: tuple[Element, ...], two: tuple[Element, ...]) -> bool:
    """Returns whether both are views of one chart, upside down or not: earlier versions turned
    some."""
    if not (_is_view(one) and _is_view(two)):
        return False
    (label, target), (other, wanted) = map(_viewed, (one, two))
    return label == other and target == wanted


def _viewed(chart: tuple[Element, ...]) -> tuple[str, str]:
    """Returns the label of a view, without the note that it is upside down, and the chart that it
    shows."""
    label, target = dict(chart[0].attributes), dict(chart[1].attributes)
    return label.get("aria-label", "").replace(UPSIDE_DOWN, ""), target.get("href", "")


def _same_chart(one: tuple[Element, ...], two: tuple[Element, ...]) -> bool:
    """Returns whether two charts show the same. Ids, and the order of declarations in a style,
    depend on the drawing library and are ignored."""
    if one == two:
        return True
    if len(one) != len(two):
        return False
    pairs = zip(_without_ids(one), _without_ids(two), strict=True)
    return all(_same_element(ours, theirs) for ours, theirs in pairs)


def _without_ids(chart: tuple[Element, ...]) -> Iterator[Element]:
    """Yields the elements, with each id replaced by its position in the chart."""
    ids = [value for each in chart for name, value in each.attributes if name == "id"]
    places = {name: f"id-{place}" for place, name in enumerate(ids)}
    for tag, attributes, text in chart:
        ordered = sorted((name, _neutral(name, value, places)) for name, value in attributes)
        yield Element(tag, tuple(ordered), text)


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
    """Returns whether two values are the same except for the last digits of their numbers."""
    if _NUMBER.sub("0", one) != _NUMBER.sub("0", two):
        return False
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(two), strict=True)
    return all(abs(float(x) - float(y)) <= LARGEST_SHIFT for x, y in pairs)
