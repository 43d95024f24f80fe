"""`desk audit` of the pages beside the JSON: charts, scripts, and pages of other versions."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from desk.contracts.runs.graph import GraphRecord
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.publishing import publish_answer
from desk.documents.page_comparison import compared_html, read_page
from desk.documents.rendering import rendering_version
from desk.documents.rendering.rendering_version import other_version, rendering_mark
from tests.support.documents.answers import FINISHED_AT, market_record, ticket_record
from tests.support.documents.published import Audit, auditing, copied_week, edited, week
from tests.support.stocks.reports import stock_record
from tests.support.swarms.reports import swarm_record

MARK = re.compile(r"research-desk [0-9a-f]{12}")
OTHER = "research-desk 0123456789ab"


@pytest.fixture
def audit(capsys: pytest.CaptureFixture[str]) -> Audit:
    return auditing(capsys)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return copied_week(tmp_path).with_suffix(".html")


def from_another_version(page: Path, mark: str = OTHER) -> None:
    """What another version would have said it was rendered by."""
    text, count = MARK.subn(mark, page.read_text())
    assert count
    page.write_text(text)


CHART_EDITS = [
    ("</svg>", "<script>alert(1)</script></svg>"),
    ("</svg>", '<text x="1" y="1">+9.99 %</text></svg>'),
    ("</svg>", "<g/></svg>"),
    ("<svg class", '<svg onload="alert(1)" class'),
    ("USD/JPY</text>", "USD/CHF</text>"),
    ("−2.76", "−2.67"),
    ('d="M', 'd="M 90 9 L'),
    ("var(--week)", "none"),
    ('role="img" aria-label="', 'role="img" aria-label="A forecast: '),
    ('transform="rotate(-0', 'transform="rotate(-9'),
    ("<svg class", '<svg style="display: none" class'),
]


def with_changed_chart(text: str, old: str, new: str) -> str:
    at = text.index("<svg")
    if old not in text[at:]:
        old, new = "var(--", "var(--no-"
    changed = text[:at] + text[at:].replace(old, new, 1)
    assert changed != text
    return changed


@pytest.mark.parametrize("mark", [None, OTHER])
def test_a_changed_chart_is_found_whatever_rendered_the_page(
    mark: str | None, page: Path, audit: Audit
) -> None:
    page.write_text(with_changed_chart(page.read_text(), *CHART_EDITS[1]))
    if mark:
        from_another_version(page, mark)
    status, told = audit(page.with_suffix(".json"))
    assert status == 1
    assert f"- {page.name}: " in told


@pytest.mark.parametrize(("old", "new"), CHART_EDITS)
def test_whatever_is_changed_in_a_chart_is_found(old: str, new: str, page: Path) -> None:
    text, told = page.read_text(), week().model_dump(mode="json")
    changed = with_changed_chart(text, old, new)
    for shown in (changed, MARK.sub(OTHER, changed)):
        assert compared_html(shown, text, told).wrong


def test_charts_of_another_drawing_library_are_compared_by_what_they_show(
    page: Path, audit: Audit
) -> None:
    def redrawn(style: re.Match[str]) -> str:
        return 'style="' + "; ".join(reversed(style[1].split("; "))) + '"'

    text = re.sub(r'(?<= )style="(stroke[^"]*)"', redrawn, page.read_text())
    text = text.replace('d="M4 ', 'd="M4.1 ')
    assert text != page.read_text()
    page.write_text(text)
    status, told = audit(page.with_suffix(".json"))
    assert status == 0
    assert "says the same, its charts drawn by another version of the drawing library" in told


def test_charts_that_another_version_drew_of_other_elements_are_compared_by_their_words(
    page: Path, audit: Audit
) -> None:
    def in_a_group(path: re.Match[str]) -> str:
        return path[0].replace('<path d="M', '<g><path d="M ') + "</g>"

    def drawn_so(changed: str) -> tuple[int, str]:
        page.write_text(changed)
        return audit(page.with_suffix(".json"))

    text = page.read_text()
    grouped = re.sub(r'<path d="M[^>]*/>', in_a_group, text)
    assert grouped != text
    status, _ = drawn_so(grouped)
    assert status == 1, "this version draws no such elements"
    page.write_text(grouped)
    from_another_version(page)
    older = page.read_text()
    _, told = audit(page.with_suffix(".json"))
    assert "the lines of its charts, which another version drew of other elements" in told
    status, told = drawn_so(re.sub(r'(<svg class="chart"[^>]* aria-label=")', r"\1No ", older))
    assert (status, "chart 1 is not the one of this JSON" in told) == (1, True)


def test_a_view_of_a_chart_may_be_the_other_way_up_in_a_page_of_another_version(
    page: Path, audit: Audit
) -> None:
    def turned(view: re.Match[str]) -> str:
        return f'{view[1]}, drawn upside down{view[2]} transform="matrix(1 0 0 -1 0 40)"/>'

    text = page.read_text()
    seen = re.sub(r'(aria-label="[^",]*[^"]*?)("[^>]*><use href="#[^"]*")/>', turned, text, count=1)
    assert seen != text
    page.write_text(seen)
    assert audit(page.with_suffix(".json"))[0] == 1
    from_another_version(page)
    assert audit(page.with_suffix(".json"))[0] == 0
    edited(page, ", drawn upside down", " of another market, drawn upside down")
    status, told = audit(page.with_suffix(".json"))
    assert (status, "is not the one of this JSON" in told) == (1, True)


@pytest.mark.parametrize("suffix", [".html", ".md"])
def test_nothing_active_survives_in_a_page_of_any_version(
    suffix: str, page: Path, audit: Audit
) -> None:
    form = page.with_suffix(suffix)
    from_another_version(form)
    title = "## Sources\n" if suffix == ".md" else "<h2>Sources</h2>\n"
    edited(form, title, f"{title}\n<script>alert(1)</script>\n\n")
    status, told = audit(page.with_suffix(".json"))
    assert status == 1
    assert "it holds an element <script>" in told


@pytest.mark.parametrize("suffix", [".html", ".md"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fell sharply", "rose sharply"),
        ("146.83", "148.63"),
    ],
)
@pytest.mark.parametrize("mark", [None, OTHER])
def test_an_edited_page_is_found_whichever_version_it_names(
    suffix: str, old: str, new: str, mark: str | None, page: Path, audit: Audit
) -> None:
    form = page.with_suffix(suffix)
    edited(form, old, new)
    if mark:
        from_another_version(form, mark)
    status, told = audit(page.with_suffix(".json"))
    assert status == 1
    assert f"{form.name} does not say the same" in told


def test_a_sentence_that_is_no_ones_is_shown_where_it_cannot_be_told_from_older_wording(
    page: Path, audit: Audit
) -> None:
    said = "The Bank of Japan intervened."
    edited(page, "<h2>Sources</h2>", f"<h2>Sources</h2>\n<p>{said}</p>")
    assert audit(page.with_suffix(".json"))[0] == 1
    from_another_version(page)
    status, told = audit(page.with_suffix(".json"))
    assert status == 3
    assert said in told
    assert "Not verified in it:" in told


def test_a_link_that_is_no_source_of_the_report_is_found_in_a_page_of_any_version(
    page: Path, audit: Audit
) -> None:
    edited(page, "<h2>Sources</h2>", '<h2><a href="https://evil.example/">Sources</a></h2>')
    from_another_version(page)
    status, told = audit(page.with_suffix(".json"))
    assert status == 1
    assert "https://evil.example/" in told


@pytest.mark.parametrize("suffix", [".html", ".md"])
def test_a_page_that_another_version_words_otherwise_is_told_from_an_edited_one(
    suffix: str, page: Path, audit: Audit
) -> None:
    form = page.with_suffix(suffix)
    edited(form, "Policy rates", "What could not be found")
    assert audit(page.with_suffix(".json"))[0] == 1
    from_another_version(form)
    status, told = audit(page.with_suffix(".json"))
    assert status == 3
    assert f"{form.name} has the figures and texts of the JSON" in told
    assert "`What could not be found`" in told


def test_a_page_of_another_version_that_says_all_the_same_is_verified(
    page: Path, audit: Audit
) -> None:
    from_another_version(page)
    edited(page.with_suffix(".md"), f"\nRendered by {rendering_mark()}.\n", "")
    status, told = audit(page.with_suffix(".json"))
    assert status == 0
    assert told.count("says the same") == 2


def test_what_hides_words_is_named_as_not_verified(page: Path, audit: Audit) -> None:
    edited(page, "<style>\n", "<style>\n.events { display: none }\n")
    from_another_version(page)
    status, told = audit(page.with_suffix(".json"))
    assert status == 3
    assert "style sheet" in told


def test_every_page_of_a_report_is_free_of_faults(page: Path) -> None:
    assert read_page(page.read_text()).faults == ()
    assert len(read_page(page.read_text()).charts) >= 2


ANSWERS: dict[str, Callable[[], GraphRecord]] = {
    "question": ticket_record,
    "market": market_record,
    "swarm": swarm_record,
    "stock": stock_record,
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_pages_of_answers_are_compared_like_those_of_reports(
    kind: str, tmp_path: Path, audit: Audit
) -> None:
    answer = compile_answer(ANSWERS[kind](), finished_at=FINISHED_AT)
    page = Path(publish_answer(answer, tmp_path).html)
    text = page.read_text()
    assert "does not say the same" not in audit(page.with_suffix(".json"))[1]
    for form in (page, page.with_suffix(".md")):
        from_another_version(form)
    assert audit(page.with_suffix(".json"))[1].count("says the same") == 2
    words = answer.summary.split("\n")[0].split(" ")
    word = max(words, key=lambda word: (text.count(word) == 1, len(word)))
    for old, new in (("</section>", "<script>alert(1)</script></section>"), (word, "Otherwise")):
        page.write_text(text)
        from_another_version(page)
        edited(page, old, new)
        status, told = audit(page.with_suffix(".json"))
        assert status == 1
        assert f"{page.name} does not say the same" in told


def test_a_page_of_another_version_is_told_from_one_of_this(page: Path) -> None:
    assert other_version(page.read_text()) is None
    from_another_version(page)
    assert other_version(page.read_text()) == OTHER


def test_a_mark_changes_with_the_code_that_renders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trust").mkdir()
    file = tmp_path / "documents" / "pages" / "rendering_version.py"
    file.parent.mkdir(parents=True)
    file.write_text("a")
    monkeypatch.setattr(rendering_version, "__file__", str(file))
    render = rendering_mark.__wrapped__
    before = render()
    assert render() == before
    (tmp_path / "trust" / "figures.py").write_text("b")
    assert render() != before


def test_a_page_is_compared_with_what_the_json_says_and_not_with_its_evidence(page: Path) -> None:
    told = week().model_dump(mode="json", exclude={"evidence"})
    text = page.read_text()
    assert compared_html(text, text, told).wrong == ()
