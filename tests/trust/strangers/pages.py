"""Damages of the pages alone: the JSON and its seal stay as they are."""

import re
from collections.abc import Callable
from random import Random
from typing import Final

from tests.trust.strangers.prose import DIRECTION, INVENTED, SIZE
from tests.trust.strangers.told import Told

PageDamage = Callable[[str, Random], tuple[str, Told] | None]
"""Gives a page changed at a place that it draws; None where it has no such place."""

_TEXT: Final = re.compile(r"(?<=>)[^<>]*[A-Za-z]{3}[^<>]*(?=<)")
_FIGURE: Final = re.compile(r"(?<=>)[+−-]?\d[\d,]*\.\d+(?: ?%| σ| bp)?(?=<)")
_SVG: Final = re.compile(r"<svg.*?</svg>", re.DOTALL)
_PATH: Final = re.compile(r'(?<=<path d=")[^"]+(?=")')
_LABEL: Final = re.compile(r"(<text[^>]*>)([^<]+)(?=</text>)")
_POINT: Final = re.compile(r"(?<=L )([\d.]+) ([\d.]+)")
_UP_OR_DOWN: Final = re.compile(r'class="(up|down)"')
_RISE_AND_FALL: Final = re.compile(r"--(up|down): (#[0-9a-f]{6})")
_HEAT: Final = re.compile(r"fill: var\(--heat(\d)\)")
_WINDOW: Final = 60

_SCRIPTS: Final = (
    "<script>document.title='changed'</script>",
    '<script src="https://example.org/figures.js"></script>',
    '<SCRIPT type="module">import("https://example.org/a.js")</SCRIPT>',
)
_HANDLERS: Final = ("onload", "onclick", "onmouseover", "onfocus", "onbeforetoggle", "onError")
_LINKS: Final = (
    "javascript:alert(1)",
    "JaVaScRiPt:void(0)",
    "java&#115;cript:alert(1)",
    "data:text/html,<p>1.2345</p>",
    "vbscript:msgbox(1)",
)
_FRAMES: Final = (
    '<iframe src="https://example.org/"></iframe>',
    '<iframe srcdoc="<p>USD/JPY fell</p>"></iframe>',
    '<object data="https://example.org/a.html"></object>',
    '<embed src="https://example.org/a.svg">',
    '<meta http-equiv="refresh" content="0;url=https://example.org/">',
    '<base href="https://example.org/">',
    '<form action="https://example.org/"><input name="figure"></form>',
    '<link rel="stylesheet" href="https://example.org/a.css">',
    '<img src="https://example.org/a.png" alt="">',
)
_FOREIGN: Final = (
    "<foreignObject width='300' height='40'><p>USD/JPY fell sharply</p></foreignObject>",
    "<animate attributeName='visibility' to='hidden' dur='1s'/>",
    "<a href='https://example.org/'><text x='9' y='9'>+9.99 %</text></a>",
    "<use href='https://example.org/a.svg#x'/>",
    "<set attributeName='x' to='500'/>",
    "<image href='https://example.org/a.png' width='9' height='9'/>",
)


def _cut_in(page: str, start: int, end: int, new: str) -> tuple[str, Told]:
    around = page[max(0, start - _WINDOW) : start]
    return page[:start] + new + page[end:], Told(around, page[start:end], new)


def _body(page: str) -> int:
    return page.find("<body")


def text_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A word of direction or size that a reader sees is another."""
    rules = DIRECTION + SIZE
    places = [
        (text.start() + found.start(), text.start() + found.end(), found.expand(new))
        for text in _TEXT.finditer(page, _body(page))
        for old, new in rules
        for found in old.finditer(text[0])
    ]
    return _cut_in(page, *random.choice(places)) if places else None


def sentence_put_in(page: str, random: Random) -> tuple[str, Told] | None:
    """A sentence that is in no report stands on the page."""
    places = [found.end() for found in re.finditer(r"</p>|</li>", page)]
    place = random.choice(places)
    return _cut_in(page, place, place, f"<p>{random.choice(INVENTED)}</p>")


def element_dropped(page: str, random: Random) -> tuple[str, Told] | None:
    """A list item or a row of a table is not on the page."""
    places = [*re.finditer(r"<(li|tr)\b(?:(?!<\1\b).)*?</\1>", page[_body(page) :], re.DOTALL)]
    place = random.choice([one for one in places if re.search(r">[^<]*\w[^<]*<", one[0])])
    start = _body(page) + place.start()
    return _cut_in(page, start, start + len(place[0]), "")


def figure_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A digit of a figure that a reader sees is another, or its sign is."""
    found = random.choice([*_FIGURE.finditer(page, _body(page))])
    if found[0][0] in "+−" and random.random() < 0.3:
        sign = "−" if found[0][0] == "+" else "+"
        return _cut_in(page, found.start(), found.start() + 1, sign)
    digits = [found.start() + number for number, one in enumerate(found[0]) if one.isdigit()]
    place = random.choice(digits)
    other = random.choice([one for one in "123456789" if one != page[place]])
    return page[:place] + other + page[place + 1 :], Told(
        page[max(0, found.start() - _WINDOW) : found.start()],
        found[0],
        page[found.start() : place] + other + page[place + 1 : found.end()],
    )


def _in_charts(page: str, pattern: re.Pattern[str]) -> list[tuple[int, re.Match[str]]]:
    return [
        (chart.start(), found)
        for chart in _SVG.finditer(page)
        for found in pattern.finditer(chart[0])
    ]


def point_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A point of a chart's line is a fifth of the chart higher or lower."""
    lines = [(at, found) for at, found in _in_charts(page, _PATH) if found[0].count("L") > 20]
    if not lines:
        return None
    at, line = random.choice(lines)
    point = random.choice([*_POINT.finditer(line[0])])
    height = float(point[2])
    moved = height + 12 if height < 28 else height - 12
    start = at + line.start() + point.start()
    return _cut_in(page, start, start + len(point[0]), f"{point[1]} {moved:.1f}")


def path_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A chart's line is another chart's, or stands on its head."""
    lines = [(at, found) for at, found in _in_charts(page, _PATH) if found[0].count("L") > 20]
    if not lines:
        return None
    at, line = random.choice(lines)
    others = [found[0] for _, found in lines if found[0] != line[0]]
    upside_down = _POINT.sub(lambda found: f"{found[1]} {56 - float(found[2]):.1f}", line[0])
    new = random.choice([*others, upside_down, upside_down])
    start = at + line.start()
    return _cut_in(page, start, start + len(line[0]), new)


def label_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A label of a chart names another pair or another figure."""
    labels = _in_charts(page, _LABEL)
    if not labels:
        return None
    at, label = random.choice(labels)
    others = sorted({found[2] for _, found in labels} - {label[2]})
    start = at + label.start(2)
    return _cut_in(page, start, start + len(label[2]), random.choice(others))


def chart_named_otherwise(page: str, random: Random) -> tuple[str, Told] | None:
    """What a chart says of itself to those who do not see it is another's."""
    names = [*re.finditer(r'(?<=aria-label=")([A-Z]{3}/[A-Z]{3})(?=, daily)', page)]
    if len(names) < 2:
        return None
    name, other = random.sample(names, 2)
    return _cut_in(page, name.start(), name.end(), other[0])


def colour_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A rise has the colour of a fall: of one figure, of one field of a map, or of all."""
    pattern = random.choice((_UP_OR_DOWN, _HEAT, _RISE_AND_FALL))
    found = [*pattern.finditer(page)]
    if not found:
        return None
    if pattern is _RISE_AND_FALL:
        first, second = found[0], found[1]
        swapped = f"--up: {second[2]}; --down: {first[2]}"
        return _cut_in(page, first.start(), second.end(), swapped)
    place = random.choice(found)
    if pattern is _UP_OR_DOWN:
        other = "down" if place[1] == "up" else "up"
        return _cut_in(page, place.start(1), place.end(1), other)
    other = str(8 - int(place[1]))
    return _cut_in(page, place.start(1), place.end(1), other)


def _put_in(page: str, random: Random, new: str) -> tuple[str, Told]:
    """Something put in at the head, between elements of the body, or at its end."""
    ends = [found.end() for found in re.finditer(r"</(?:p|li|td|h2|h3|section|div)>", page)]
    place = random.choice((page.find("</head>"), random.choice(ends), page.find("</body>")))
    return _cut_in(page, place, place, new)


def script_put_in(page: str, random: Random) -> tuple[str, Told] | None:
    """The page has a script, which may show anything."""
    return _put_in(page, random, random.choice(_SCRIPTS))


def frame_put_in(page: str, random: Random) -> tuple[str, Told] | None:
    """The page shows, loads, or goes to another page."""
    return _put_in(page, random, random.choice(_FRAMES))


def handler_put_in(page: str, random: Random) -> tuple[str, Told] | None:
    """An element runs code when it is loaded or pointed at."""
    tags = [*re.finditer(r"<(?:body|button|a|svg|p|td|section|details|path|g)(?=[ >])", page)]
    place = random.choice(tags).end()
    handler = random.choice(_HANDLERS)
    return _cut_in(page, place, place, f' {handler}="document.body.innerText=1"')


def link_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A link runs code or leads elsewhere than to its source."""
    links = [*re.finditer(r'(?<=href=")[^"]+(?=")', page)]
    if not links or random.random() < 0.3:
        return _put_in(page, random, f'<a href="{random.choice(_LINKS)}">source</a>')
    link = random.choice(links)
    targets = (*_LINKS, "https://example.org/rates")
    return _cut_in(page, link.start(), link.end(), random.choice(targets))


def foreign_object_put_in(page: str, random: Random) -> tuple[str, Told] | None:
    """A chart holds text or pictures from elsewhere, or moves."""
    charts = [*re.finditer(r"</svg>|(?<=</defs>)", page)]
    if not charts:
        return None
    place = random.choice(charts).start()
    return _cut_in(page, place, place, random.choice(_FOREIGN))


def style_put_in(page: str, random: Random) -> tuple[str, Told] | None:
    """A rule of style hides, or writes over, what the page says."""
    rules = (
        "li:first-child{display:none}",
        "main td{font-size:0}",
        ".up::after{content:' falling'}",
        "table{visibility:hidden}",
        "h2::after{content:'USD/JPY fell sharply'}",
        "path{transform:scaleY(-1)}",
        "section p{color:transparent}",
        "svg{opacity:0}",
    )
    if random.random() < 0.5:
        place = page.find("</style>")
        return _cut_in(page, place, place, random.choice(rules))
    tags = [*re.finditer(r"<(?:td|li|p|section|tr|span)(?=[ >])", page)]
    place = random.choice(tags).end()
    return _cut_in(page, place, place, ' style="display:none"')


def comment_put_in(page: str, random: Random) -> tuple[str, Told] | None:
    """A part of the page is commented out."""
    parts = [*re.finditer(r"<(li|tr)\b(?:(?!<\1\b|-->).)*?</\1>", page, re.DOTALL)]
    part = random.choice(parts)
    return _cut_in(page, part.start(), part.end(), f"<!--{part[0]}-->")


def markdown_reworded(page: str, random: Random) -> tuple[str, Told] | None:
    """A word of direction or size of the Markdown is another."""
    places = [
        (found.start(), found.end(), found.expand(new))
        for old, new in DIRECTION + SIZE
        for found in old.finditer(page)
    ]
    return _cut_in(page, *random.choice(places)) if places else None


def markdown_figure_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A digit of a figure of the Markdown is another."""
    figure = random.choice(
        [*re.finditer(r"(?<=[ (|])[+-]?\d[\d,]*\.\d+(?= %| σ| bp|[ .,|])", page)]
    )
    places = [figure.start() + number for number, one in enumerate(figure[0]) if one.isdigit()]
    place = random.choice(places)
    other = random.choice([one for one in "123456789" if one != page[place]])
    new = figure[0][: place - figure.start()] + other + figure[0][place + 1 - figure.start() :]
    return _cut_in(page, figure.start(), figure.end(), new)


def markdown_line_changed(page: str, random: Random) -> tuple[str, Told] | None:
    """A line of the Markdown is left out, or one is put in."""
    lines = [*re.finditer(r"^(?:-|\|(?! ?-)) .*\n", page, re.MULTILINE)]
    line = random.choice(lines)
    if random.random() < 0.5:
        return _cut_in(page, line.start(), line.end(), "")
    return _cut_in(page, line.start(), line.start(), f"- {random.choice(INVENTED)}\n")


HTML: Final[dict[str, PageDamage]] = {
    "page: text": text_changed,
    "page: sentence put in": sentence_put_in,
    "page: item dropped": element_dropped,
    "page: figure": figure_changed,
    "page: point of a chart": point_changed,
    "page: path of a chart": path_changed,
    "page: label of a chart": label_changed,
    "page: name of a chart": chart_named_otherwise,
    "page: colour": colour_changed,
    "page: script": script_put_in,
    "page: handler": handler_put_in,
    "page: link": link_changed,
    "page: frame": frame_put_in,
    "page: foreign object": foreign_object_put_in,
    "page: style": style_put_in,
    "page: commented out": comment_put_in,
}
MARKDOWN: Final[dict[str, PageDamage]] = {
    "markdown: words": markdown_reworded,
    "markdown: figure": markdown_figure_changed,
    "markdown: line": markdown_line_changed,
}
