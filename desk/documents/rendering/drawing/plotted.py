"""Converts Matplotlib's figures to SVG that a page can contain many times.

Ids are unique within the page, fonts and colours come from the page's style sheet, and the output
does not depend on the time or the machine.
"""

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Final

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

NO_METADATA: Final = dict.fromkeys(("Creator", "Date", "Format", "Type"))
PIXELS_AN_INCH: Final = 72
"""Matplotlib's SVG unit is the point, so sizes are in points."""

_ROOT = re.compile(r"<svg [^>]*>", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)
_ID = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^")]+)')
_FONT_FAMILY = re.compile(r"font-family:[^;\"]*;? ?|font: ?([\d.]+px)[^;\"]*;?")
_STYLE = re.compile(r"\s*<defs>\s*<style[^>]*>.*?</style>\s*</defs>", re.DOTALL)
_GEOMETRY = re.compile(r'(?<= )(?:d|x|y|transform)="[^"]*"')
_LONG_FRACTION = re.compile(r"(?<=\.\d)\d+")


def new_figure(width: float, height: float) -> Figure:
    """Returns an empty figure of a size in points, transparent, that only draws SVG."""
    size = (width / PIXELS_AN_INCH, height / PIXELS_AN_INCH)
    figure = Figure(figsize=size, dpi=PIXELS_AN_INCH)
    figure.patch.set_visible(False)
    return figure


def inline_svg(figure: Figure, name: str, label: str, colours: Mapping[str, str]) -> str:
    """Returns a figure as an `<svg>` element that scales with the page.

    `name` is unique within the page; `label` is for screen readers. `colours` maps the figure's
    hexadecimal colours to those of the page.
    """
    buffer = io.StringIO()
    with _settings_of_the_desk():
        FigureCanvasSVG(figure).print_svg(buffer, metadata=NO_METADATA)  # type: ignore[no-untyped-call]
    text = buffer.getvalue()
    body = text[text.index("<svg ") :]
    body = _COMMENT.sub("", _STYLE.sub("", _METADATA.sub("", body)))
    body = _ID.sub(rf'id="{name}-\1"', body)
    body = _REFERENCE.sub(rf"\1{name}-\2", body)
    body = _FONT_FAMILY.sub(lambda font: f"font-size: {font[1]};" if font[1] else "", body)
    body = _GEOMETRY.sub(_shortened, body)
    for drawn, painted in colours.items():
        body = body.replace(drawn, painted)
    width, height = figure.get_size_inches() * PIXELS_AN_INCH
    box = f'viewBox="0 0 {width:g} {height:g}"'
    root = f'<svg class="chart" {box} role="img" aria-label="{escape(label)}">'
    return _ROOT.sub(lambda _: root, body, count=1).strip()


@contextmanager
def _settings_of_the_desk() -> Iterator[None]:
    """Replaces `matplotlib.rc_context`, which would copy all settings and take a tenth of a chart's
    time."""
    settings = matplotlib.rcParams
    before = settings["svg.fonttype"], settings["svg.hashsalt"]
    settings["svg.fonttype"], settings["svg.hashsalt"] = "none", "report"
    try:
        yield
    finally:
        settings["svg.fonttype"], settings["svg.hashsalt"] = before


def _shortened(geometry: re.Match[str]) -> str:
    """Rounds coordinates to a tenth of a point. Only geometry is rounded; figures in text are
    not."""
    return _LONG_FRACTION.sub("", geometry[0].replace(" \n", ""))
