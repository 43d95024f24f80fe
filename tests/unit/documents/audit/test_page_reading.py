"""Pages read back: nothing active is taken for a page, and what is shown is read as it is shown."""

import pytest

from desk.documents.page_comparison import read_page

PAGE = '<!doctype html>\n<html lang="en"><body><p>Fell <b>4.16 %</b>.</p>{}</body></html>\n'
CHART = '<svg viewBox="0 0 9 9"><g id="a"><path d="M 0 1" style="fill: none"/></g>{}</svg>'


def faults(inserted: str, *, into: str = PAGE) -> tuple[str, ...]:
    return read_page(into.replace("{}", inserted)).faults


@pytest.mark.parametrize(
    "shown",
    [
        '<ul><li class="x">a &amp; b &#39;c&#39;</li></ul>',
        '<a href="#USD-JPY">USD/JPY</a> <a href="https://www.ecb.europa.eu/?a=1&amp;b=2">ECB</a>',
        '<button class="f" popovertarget="t" aria-description="x &gt; y">1</button>',
        '<i style="background: var(--heat4)"></i>',
        CHART.replace("{}", '<use xlink:href="#a" x="1" y="2"/><text x="1">a</text>'),
    ],
)
def test_what_the_desk_writes_has_no_fault(shown: str) -> None:
    assert faults(shown) == ()


ACTIVE = [
    "<script>alert(1)</script>",
    "<SCRIPT>alert(1)</SCRIPT>",
    '<p onclick="alert(1)">x</p>',
    '<p ONCLICK="alert(1)">x</p>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="&#106;avascript:alert(1)">x</a>',
    '<a href=" javascript:alert(1)">x</a>',
    '<a href="java\nscript:alert(1)">x</a>',
    '<a href="data:text/html,x">x</a>',
    '<a href="//evil.example/x">x</a>',
    '<img src="x">',
    '<iframe src="https://evil.example"></iframe>',
    '<object data="x"></object>',
    '<embed src="x">',
    '<form action="https://evil.example"><input name="x"></form>',
    '<meta http-equiv="refresh" content="0;url=https://evil.example">',
    '<base href="https://evil.example/">',
    '<link rel="stylesheet" href="https://evil.example/x.css">',
    '<p style="background: url(https://evil.example/x)">x</p>',
    '<p style="background: u\\72l(https://evil.example/x)">x</p>',
    "<style>@import 'https://evil.example/x.css';</style>",
    '<div><style>p { background: image-set("https://evil.example/x" 1x) }</style></div>',
    "<!-- --><p>x</p>",
    "<!--><script>alert(1)</script>-->",
    "<?xml-stylesheet href='x'?>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<p>1 < 2</p>",
    "<p class='x'>x</p>",
    '<p class="x"title="y">x</p>',
    '<p class="x" class="y">x</p>',
    "<p class=x>x</p>",
    "<p/>",
    '<p id="x">x</p><p id="x">y</p>',
    "</div>",
    "<div>",
    "<p>&copy</p>",
    '</p title="><img src=x onerror=alert(1)>">',
    "<noscript><p>x</p></noscript>",
    "<template><p>x</p></template>",
    "<textarea>x</textarea>",
]


@pytest.mark.parametrize("inserted", ACTIVE)
def test_what_can_act_load_or_be_read_otherwise_is_a_fault(inserted: str) -> None:
    assert faults(inserted) != ()


@pytest.mark.parametrize(
    "inserted",
    [
        "<script>alert(1)</script>",
        '<script href="https://evil.example/x.js"/>',
        '<a href="https://www.ecb.europa.eu/"><text>x</text></a>',
        '<a xlink:href="javascript:alert(1)"><text>x</text></a>',
        "<foreignObject><p>x</p></foreignObject>",
        '<g onload="alert(1)"></g>',
        '<image href="https://evil.example/x.png"/>',
        '<use href="https://evil.example/x.svg#a"/>',
        '<use xlink:href="data:image/svg+xml,x"/>',
        '<animate attributeName="href" to="javascript:alert(1)"/>',
        '<set attributeName="onmouseover" to="alert(1)"/>',
        '<path d="M 0 1" style="fill: url(https://evil.example/x#a)"/>',
        '<path d="M 0 1" fill="url(https://evil.example/x#a)"/>',
        "<style>text { content: 'x' }</style>",
        "<style><img src=x onerror=alert(1)></style>",
        "<p>x</p>",
        "<desc><img src=x onerror=alert(1)></desc>",
        "<svg/>",
    ],
)
def test_a_chart_only_draws(inserted: str) -> None:
    assert faults(CHART.replace("{}", "")) == ()
    assert faults(CHART.replace("{}", inserted)) != ()


def test_a_chart_takes_no_id_of_the_page() -> None:
    assert faults(f'{CHART.replace("{}", "")}<p id="a">x</p>') != ()


def test_passages_are_read_as_they_are_shown() -> None:
    page = read_page(
        "<p>USD/CHF  fell\n<button popovertarget='t' aria-description='a move'>4.16&nbsp;%"
        "</button>, from 1.</p><table><tr><th>USD/CHF</th><td>0.8154</td></tr></table>"
        f"<h2>Then</h2>{CHART.replace('{}', '<text>in a chart</text>')}"
    )
    assert page.passages == (
        "USD/CHF fell 4.16\u00a0%, from 1.",
        "USD/CHF 0.8154",
        "Then",
        "a move",
    )
    assert [each.text for each in page.charts[0]] == ["", "", "", "in a chart"]
    assert "in a chart" not in page.frame
