"""A page of HTML read back: what it shows, and whether anything in it is active."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from typing import Final, NamedTuple

from desk.analytics.links import web_link

Attributes = Sequence[tuple[str, str | None]]

CHART: Final = "svg"
EMPTY_CHART: Final = "<svg></svg>"


def _named(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VOID: Final = _named("br hr meta")
_INLINE: Final = _named("a b button code em i mark q small span strong th td")
"""Within a passage: what stands in a row of a table is read together."""
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
    "xlink:href y y1 y2"
)
_SPOKEN: Final = _named("aria-label aria-description title")
"""Attributes that are words for a reader."""
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
    """An element of a chart with the text that stands directly in it."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    text: str


class Page(NamedTuple):
    """What a page shows.

    `faults` says what in it could act, load or be read by a browser as something else. `frame` is
    its markup with every chart empty. `passages` are the words that a reader sees or is told, a
    paragraph, a row of a table or a description each; `links` lead out of it.
    """

    faults: tuple[str, ...]
    frame: str
    charts: tuple[tuple[Element, ...], ...]
    passages: tuple[str, ...]
    styles: tuple[str, ...]
    links: frozenset[str]


def read_page(text: str) -> Page:
    """A page as it is read by its elements.

    Only elements and attributes that show something are known; everything else is a fault. So is
    whatever does not come out as it stood when what was read is written again: a browser may make
    something else of that.
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.page(text)


@dataclass
class _Drawn:
    tag: str
    attributes: Attributes
    words: list[str] = field(default_factory=list)

    def element(self) -> Element:
        told = tuple((name, value or "") for name, value in self.attributes)
        return Element(self.tag, told, _words(self.words))


class _Reader(HTMLParser):
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
        # Elsewhere than in a drawing, browsers do not take such an element as ended.
        if tag == CHART or (self._chart is None and tag not in _VOID):
            self._fault(f"an element <{tag}/> without content")

    def _start(self, tag: str, attributes: Attributes, raw: str) -> None:
        if self._chart is None and tag == CHART:
            self._end_passage()
            self._chart = []
            self._frame.append(EMPTY_CHART)
        self._look_at(tag, attributes, raw)
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
            self._look_at_style(data)
        else:
            self._say(data)

    def handle_entityref(self, name: str) -> None:
        self._write(f"&{name};")
        self._say(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write(f"&#{name};")
        self._say(f"&#{name};")

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

    def _say(self, words: str) -> None:
        if self._chart is None:
            self._words.append(words)
        elif self._chart:
            self._chart[-1].words.append(words)

    def _write(self, raw: str) -> None:
        self._written.append(raw)
        if self._chart is None:
            self._frame.append(raw)

    def _end_passage(self) -> None:
        words = _words(self._words)
        self._words.clear()
        if words:
            self._passages.append(words)

    def _look_at(self, tag: str, attributes: Attributes, raw: str) -> None:
        drawn = self._chart is not None
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
            if not known and name not in _SPOKEN:
                self._fault(f"an attribute {name}")
            self._look_at_value(tag, name, value or "")

    def _look_at_value(self, tag: str, name: str, value: str) -> None:
        if name in {"href", "xlink:href"} and not value.startswith("#"):
            if self._chart is None and tag == "a" and web_link(value) == value:
                self._links.add(value)
            else:
                self._fault(f"a link to {value!r}")
        elif name == "id":
            # A figure opens the first element of the id that it names.
            if value in self._ids:
                self._fault(f"the id {value!r} a second time")
            self._ids.add(value)
        elif name in {"style", "clip-path", "fill", "stroke", "marker-end"}:
            self._look_at_style(value)
        elif name in _SPOKEN and self._chart is None:
            self._spoken.append(_words([value]))

    def _look_at_style(self, style: str) -> None:
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
"""What a style may fetch: something of the page's own."""


def _is_plain(tag: str, attributes: Attributes, raw: str) -> bool:
    """Whether a start tag is written as `<tag name="value">`, so that every browser reads the same
    in it."""
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
    """Words as a browser shows them: what is blank is one space, except where it ties two words."""
    return " ".join(unescape("".join(parts)).replace("\u00a0", "\ue000").split()).replace(
        "\ue000", "\u00a0"
    )
