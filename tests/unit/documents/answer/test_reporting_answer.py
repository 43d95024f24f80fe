"""The forms of an answer: Markdown, HTML and JSON, and how they are written."""

import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from desk.contracts.agents.tasks import TaskType
from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import Quotation
from desk.documents.answer.compile_answer import compile_answer
from desk.documents.answer.html import render_answer_html
from desk.documents.answer.json_form import answer_from_json, answer_to_json
from desk.documents.answer.markdown import answer_alone, render_answer_markdown
from desk.documents.answer.publishing import answer_files, publish_answer, read_answer_file
from desk.documents.answer.words import figures_besides, figures_used
from desk.documents.publishing.files import PublishingError
from desk.documents.rendering.drawing.graph import graph_in_page
from desk.documents.rendering.figures.traces import figure_name
from desk.trust.prose import references
from tests.support.documents.answers import (
    FINISHED_AT,
    QUESTION,
    failed_node,
    market_record,
    quotations,
    synthesis,
    synthesised,
    ticket_record,
)
from tests.unit.runs.graphs.test_graph_machine import graph as graph_of
from tests.unit.runs.graphs.test_graph_machine import node
from tests.unit.runs.graphs.test_graph_properties import fan

HOSTILE = '</title><script>alert("x")</script><img src=x onerror=y>'
VOID = {"meta", "br", "hr", "img", "input", "link", "path", "rect"}


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Page(HTMLParser):
    """What a page holds: its tags, ids, links, buttons with what they open, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.opens: list[str] = []
        self.popovers: list[str] = []
        self.words = ""
        self.within: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.tags.append(tag)
        self.ids += [named["id"] or ""] if "id" in named else []
        self.links += [named["href"] or ""] if "href" in named else []
        self.popovers += [named["id"] or ""] if "popover" in named else []
        assert not any(name.startswith("on") for name in named)
        if tag == "button" and named.get("popovertargetaction") != "hide":
            self.opens.append(named["popovertarget"] or "")
        if tag not in VOID:
            self.within.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.within.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.within:
            self.words += data


def tickets() -> AnswerReport:
    return compile_answer(ticket_record(), finished_at=FINISHED_AT)


def market() -> AnswerReport:
    return compile_answer(market_record(), finished_at=FINISHED_AT)


def test_the_json_form_begins_with_the_sections_and_the_summary() -> None:
    told = json.loads(answer_to_json(tickets()))
    assert list(told)[:2] == ["sections", "summary"]
    assert all({"title", "content"} <= section.keys() for section in told["sections"])


def test_the_json_form_reads_back_to_the_same_answer() -> None:
    for answer in (tickets(), market()):
        assert answer_from_json(answer_to_json(answer)) == answer


def test_the_markdown_form_has_the_answer_before_how_it_was_found() -> None:
    text = render_answer_markdown(tickets())
    places = [text.index(part) for part in (QUESTION, "“In Progress”", "## How it", "## Sources")]
    assert places == sorted(places)
    assert "DESK-404 is not known" in text


def test_a_terminal_is_shown_the_answer_and_what_is_missing_alone() -> None:
    text = answer_alone(tickets())
    assert "“In Progress”" in text
    assert "## What is missing" in text
    assert "How it was found" not in text


def test_the_newest_day_of_a_figure_is_said_before_the_sections() -> None:
    first = render_answer_markdown(market()).partition("\n## ")[0]
    assert re.search(r"As of 2 Nov 2026 [^\n]+, newest figure of 30 Oct 2026\.", first)
    assert "· newest figure of 30 Oct 2026" in render_answer_html(market())
    assert "newest figure" not in render_answer_markdown(tickets())


def test_how_a_question_was_read_is_said_in_words_or_not_at_all() -> None:
    read = {"rank": "Asia", "period_days": "2026-11-02/2026-11-08", "papers": "first"}
    asked = market().model_copy(update={"parameters": {**read, "no_market": "TRY", "site": "Oslo"}})
    told = "group Asia; days asked about 2026-11-02/2026-11-08; site Oslo"
    assert told in render_answer_markdown(asked)
    assert "papers" not in render_answer_markdown(asked)


def test_what_is_missing_of_several_markets_is_one_line() -> None:
    lines = ("EUR/USD: no fixing", "no news: none", "USD/JPY: no fixing", "USD/SGD: no quote")
    lacking = market().model_copy(update={"missing": lines})
    section = render_answer_markdown(lacking).partition("## What is missing\n")[2]
    assert section.partition("\n## ")[0].strip().splitlines() == [
        "- EUR/USD and USD/JPY: no fixing",
        "- no news: none",
        "- USD/SGD: no quote",
    ]


def test_the_figures_of_the_answer_come_first_and_the_others_are_named_by_kind() -> None:
    answer = market()
    used, others = figures_used(answer), figures_besides(answer)
    assert [c.claim_id for c in used] == list(dict.fromkeys(references(answer.summary_prose)))
    assert {*used, *others} == {*answer.claims} and others
    text = render_answer_markdown(answer).partition("## Figures")[2].partition("## Sources")[0]
    table, besides = text.split("Looked at besides, with their evidence in the JSON form: ")
    assert table.count("\n| ") == len(used) + 2
    assert sum(int(n) for n in re.findall(r"\((\d+)\)", besides) or ["0"]) <= len(others)
    page = render_answer_html(answer)
    folded = page.partition('<details class="more">')[2].partition("</details>")[0]
    assert folded.count("<tr>") == len(others) + 1
    for claim in answer.claims:
        assert figure_name(claim) in page and claim.claim_id in answer_to_json(answer)


def test_the_same_answer_gives_the_same_page() -> None:
    assert render_answer_html(tickets()) == render_answer_html(tickets())


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    text = render_answer_html(tickets())
    page = Page(text)
    assert not {"script", "img", "link", "iframe", "object", "form"} & set(page.tags)
    assert "default-src 'none'" in text
    assert not re.search(r"url\(|@import", text)


def test_every_quotation_opens_the_source_that_it_stands_in() -> None:
    answer = tickets()
    page = Page(render_answer_html(answer))
    assert set(page.opens) == {f"quotation-{n}" for n in range(1, len(answer.quotations) + 1)}
    assert set(page.opens) <= set(page.popovers)
    assert len(set(page.ids)) == len(page.ids)


def test_a_card_shows_the_words_within_their_source() -> None:
    text = render_answer_html(tickets())
    assert "<mark>Fails cost 0.25 % a day</mark> from the third day on." in text
    assert "page 2" in text


def test_every_figure_of_a_claim_opens_its_trace() -> None:
    page = Page(render_answer_html(market()))
    assert {"trace-USD-JPY-move", "trace-USD-JPY-last"} <= set(page.opens)
    assert set(page.opens) <= set(page.popovers)


def test_the_page_prints_what_the_json_says() -> None:
    words = " ".join(Page(render_answer_html(market())).words.split())
    assert "USD/JPY moved +0.29" in words
    assert "The pair stood at 157.25" in words


def test_the_page_tells_of_every_node_and_of_what_failed() -> None:
    broken = failed_node("searchContext", AgentId.SEARCH_AGENT, TaskType.SEARCH_WEB, "HTTP 500")
    record = ticket_record(broken, skipped=["parsePdfs"])
    page = Page(render_answer_html(compile_answer(record, finished_at=FINISHED_AT)))
    assert all(node in page.words for node in ("fetchTickets", "parsePdfs", "searchContext"))
    assert "searchContext failed" in page.words
    assert "HTTP 500" in page.words
    assert "skipped" in page.words


def test_hostile_words_are_shown_and_do_nothing() -> None:
    hostile = Quotation(
        quotation_id="q1",
        text="In Progress",
        source=HOSTILE,
        place=HOSTILE,
        url="javascript:alert(1)",
        evidence_id="fetchTickets/fetch_ticket",
    )
    summary = f"{HOSTILE} [[q1]] [here](https://evil.example) **bold**"
    made = synthesis(summary, "# Big\n\n<i>raw</i>")
    made = made.model_copy(update={"quotations": (hostile, *quotations()[1:])})
    record = ticket_record(synthesised(made))
    query = record.request.query.model_copy(update={"question": HOSTILE})
    record = record.model_copy(
        update={"request": record.request.model_copy(update={"query": query})}
    )
    page = Page(render_answer_html(compile_answer(record, finished_at=FINISHED_AT)))
    assert not {"script", "img", "i"} & set(page.tags)
    assert "<i>raw</i>" in page.words
    assert page.tags.count("h1") == 1
    assert HOSTILE in page.words
    assert all(link.startswith(("#", "http")) for link in page.links)
    assert not any("evil" in link for link in page.links)


def test_no_page_of_an_answer_has_a_control_character() -> None:
    asked = tickets().model_copy(update={"question": "Which \x1b[31mtickets\x9b0m\x07?"})
    for render in (render_answer_html, render_answer_markdown, answer_alone):
        form = render(asked)
        assert "tickets" in form
        assert CONTROL.search(form) is None


def test_prose_that_does_not_give_the_printed_text_stands_alone() -> None:
    changed = tickets().model_copy(update={"summary": "Another text."})
    page = Page(render_answer_html(changed))
    assert "Another text." in page.words


def test_nodes_of_a_drawn_graph_stand_in_short_rows_and_hold_their_names() -> None:
    drawn = graph_in_page(fan(8), {})
    rows = Counter(re.findall(r'<rect [^>]*y="([\d.]+)"', drawn))
    assert [*rows.values()] == [1, 3, 3, 1]
    alone = graph_of(node("GENERATE_RECOMMENDATION"))
    (name,) = re.findall(r"<text [^>]*>([^<·]+)</text>", graph_in_page(alone, {}))
    assert name.startswith("GENERATE_") and name.endswith("…")


def test_a_graph_of_many_nodes_is_told_by_its_table() -> None:
    answer = tickets()
    many = tuple(
        answer.graph.nodes[-1].model_copy(update={"name": f"n{number}"}) for number in range(60)
    )
    large = answer.model_copy(
        update={"graph": answer.graph.model_copy(update={"nodes": (*answer.graph.nodes, *many)})}
    )
    assert "<svg" not in render_answer_html(large)
    assert "<svg" in render_answer_html(answer)


def test_the_three_forms_stand_under_the_runs_id(tmp_path: Path) -> None:
    answer = tickets()
    files = publish_answer(answer, tmp_path)
    assert sorted(path.name for path in (tmp_path / "answers").iterdir()) == [
        f"{answer.workflow_id}.{suffix}" for suffix in ("html", "json", "md")
    ]
    assert read_answer_file(Path(files.json_file)) == answer


def test_a_second_attempt_leaves_what_is_published(tmp_path: Path) -> None:
    files = publish_answer(tickets(), tmp_path)
    later = compile_answer(ticket_record(), finished_at=FINISHED_AT.replace(year=2027))
    assert publish_answer(later, tmp_path) == files
    assert read_answer_file(Path(files.json_file)) == tickets()


def test_another_run_of_the_question_takes_its_place(tmp_path: Path) -> None:
    files = publish_answer(tickets(), tmp_path)
    again = ticket_record().model_copy(update={"run_id": "run-2"})
    publish_answer(compile_answer(again, finished_at=FINISHED_AT), tmp_path)
    published = read_answer_file(Path(files.json_file))
    assert published is not None
    assert published.run_id == "run-2"


def test_an_id_that_is_no_file_name_is_made_one(tmp_path: Path) -> None:
    for name in ("../../etc/passwd", "a/b", "..."):
        path = Path(answer_files(tmp_path, name).json_file)
        assert path.parent == tmp_path / "answers"


def test_where_it_cannot_be_written_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file where the folder should be")
    with pytest.raises(PublishingError, match="could not be written"):
        publish_answer(tickets(), tmp_path)
