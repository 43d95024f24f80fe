"""The tools of the server `knowledge`: what they answer as of an instant, and what they refuse."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from desk.contracts.question.knowledge import DocumentAnswer, PdfAnswer, SearchAnswer, TicketAnswer
from desk.sources.knowledge.server import build_server
from tests.support.knowledge.asking import asked, asked_in_turn, refused
from tests.support.knowledge.corpus import AFTER, BEFORE, LATER, CorpusFolder, pdf_of, small_corpus

HISTORY = [
    {"at": "2026-01-05T09:00:00Z", "status": "Open", "assignee": None, "summary": "Draft it"},
    {"at": "2026-02-05T09:00:00Z", "status": "In progress"},
]


@pytest.fixture
def told(tmp_path: Path) -> Path:
    corpus = CorpusFolder(tmp_path)
    return corpus.ticket(
        "DESK-1", status="Done", assignee="Ines Varga", summary="Publish it", history=HISTORY
    ).folder


@pytest.mark.parametrize(
    ("as_of", "status", "assignee", "summary"),
    [
        ("2026-01-05T09:00:00Z", "Open", None, "Draft it"),
        ("2026-02-05T08:59:59Z", "Open", None, "Draft it"),
        ("2026-02-05T09:00:00Z", "In progress", "Ines Varga", "Publish it"),
        ("2026-03-02T17:00:00+09:00", "Done", "Ines Varga", "Publish it"),
        (LATER, "Done", "Ines Varga", "Publish it"),
    ],
)
async def test_a_ticket_is_told_as_it_stood_at_the_instant(
    told: Path, as_of: str, status: str, assignee: str | None, summary: str
) -> None:
    answer = await asked(told, "fetch_ticket", ticket_id="DESK-1", as_of=as_of)
    assert (answer["status"], answer["assignee"], answer["summary"]) == (status, assignee, summary)
    assert answer["url"] == "corpus://tickets/DESK-1"


async def test_a_ticket_is_not_there_before_its_oldest_state(told: Path) -> None:
    as_of = "2026-01-05T08:59:59Z"
    words = await refused(told, "fetch_ticket", ticket_id="DESK-1", as_of=as_of)
    assert "there is no ticket DESK-1;" in words


async def test_a_refusal_names_the_nearest_tickets(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).ticket("DESK-99").ticket("DESK-991").ticket("FX-1").folder
    words = await refused(folder, "fetch_ticket", ticket_id="DESK-999")
    assert "there is no ticket DESK-999; nearest: DESK-99, DESK-991" in words
    assert "FX-1" not in words


async def test_a_refusal_names_nothing_that_is_to_come(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).ticket("DESK-99").document("policy").folder
    for tool, arguments in (
        ("fetch_ticket", {"ticket_id": "DESK-98"}),
        ("get_doc", {"doc_id": "polici"}),
    ):
        assert "nearest" in await refused(folder, tool, **arguments)
        words = await refused(folder, tool, as_of=BEFORE, **arguments)
        assert "nearest" not in words


async def test_what_is_published_later_is_in_no_answer(tmp_path: Path) -> None:
    folder = small_corpus(tmp_path)
    for tool, arguments in (
        ("fetch_ticket", {"ticket_id": "DESK-101"}),
        ("get_doc", {"doc_id": "policy"}),
        ("get_doc", {"doc_id": "https://news.example/a"}),
        ("get_pdf", {"url": "corpus://pdfs/report.pdf"}),
    ):
        assert "there is no" in await refused(folder, tool, as_of=BEFORE, **arguments)
        assert await asked(folder, tool, as_of=AFTER, **arguments)


async def test_a_document_is_the_newest_version_of_its_time(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path).document("policy", "First.\n", file="policy-v1")
    second = "2026-06-01T00:00:00Z"
    corpus.document("policy", "Second.\n", published_at=second, file="policy-v2")
    earlier, later = await asked_in_turn(
        corpus.folder,
        ("get_doc", {"doc_id": "policy", "as_of": "2026-05-31T23:59:59Z"}),
        ("get_doc", {"doc_id": "policy", "as_of": second}),
    )
    assert (earlier["markdown"], later["markdown"]) == ("First.\n", "Second.\n")
    assert later["published_at"] == second


async def test_without_an_instant_a_tool_answers_as_of_now(tmp_path: Path) -> None:
    folder = small_corpus(tmp_path)
    async with Client(build_server(corpus_dir=folder)) as client:
        answer = await client.call_tool("fetch_ticket", {"ticket_id": "DESK-101"})
    assert answer.structured_content and answer.structured_content["status"] == "Open"


async def test_addresses_do_in_place_of_ids(tmp_path: Path) -> None:
    folder = small_corpus(tmp_path)
    ticket, document, page = await asked_in_turn(
        folder,
        ("fetch_ticket", {"ticket_id": "corpus://tickets/DESK-101"}),
        ("get_doc", {"doc_id": "corpus://documents/policy"}),
        ("get_doc", {"doc_id": "https://news.example/a"}),
    )
    assert (ticket["id"], document["doc_id"]) == ("DESK-101", "policy")
    assert (page["url"], page["title"]) == ("https://news.example/a", "News")


@pytest.mark.parametrize(
    "name",
    ["../tickets.yaml", "/etc/passwd", "policy/../policy", "policy.md", "%2e%2e/policy", "..", "."],
)
async def test_no_name_leads_out_of_the_corpus(tmp_path: Path, name: str) -> None:
    folder = small_corpus(tmp_path)
    assert "there is no document" in await refused(folder, "get_doc", doc_id=name)
    for url in (name, f"corpus://pdfs/{name}", f"file://{name}"):
        assert "there is no PDF file" in await refused(folder, "get_pdf", url=url)


async def test_a_long_document_is_read_in_parts_that_make_the_whole(tmp_path: Path) -> None:
    paragraph = "The desk keeps what it was told, word by word, and adds nothing of its own.\n\n"
    body = "".join(f"{number}. {paragraph}" for number in range(500))
    folder = CorpusFolder(tmp_path).document("long", body).folder
    part = await asked(folder, "get_doc", doc_id="long", limit=10_000)
    parts = [part["markdown"]]
    while part["next_offset"] is not None:
        assert part["next_offset"] == len("".join(parts))
        offset = part["next_offset"]
        part = await asked(folder, "get_doc", doc_id="long", offset=offset, limit=10_000)
        assert (part["offset"], part["characters"]) == (offset, len(body))
        parts.append(part["markdown"])
    assert "".join(parts) == body
    assert len(parts) > 3
    assert all(len(each) <= 10_000 and each.endswith("\n\n") for each in parts)


async def test_a_document_of_ten_megabytes_is_read_in_parts(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).document("huge", "word " * 2_000_000).folder
    usual, last = await asked_in_turn(
        folder,
        ("get_doc", {"doc_id": "huge"}),
        ("get_doc", {"doc_id": "huge", "offset": 9_999_990}),
    )
    assert usual["characters"] == 10_000_000
    assert (len(usual["markdown"]), usual["next_offset"]) == (100_000, 100_000)
    assert (last["markdown"], last["next_offset"]) == ("word word ", None)


async def test_an_offset_behind_the_end_is_refused(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).document("policy", "Short.\n").folder
    words = await refused(folder, "get_doc", doc_id="policy", offset=8)
    assert "policy has 7 characters" in words
    assert "offset 8 is behind its end" in words


@pytest.mark.parametrize("limit", [0, 999, 200_001])
async def test_a_part_of_a_document_of_a_length_out_of_bounds_is_refused(
    tmp_path: Path, limit: int
) -> None:
    folder = small_corpus(tmp_path)
    assert "limit" in await refused(folder, "get_doc", doc_id="policy", limit=limit)


@pytest.mark.parametrize(
    ("markdown", "dangerous"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("a <img src=x onerror=alert(1)> b", "<img"),
        ("[a](javascript:alert(1))", "href"),
        ("[a](JaVaScRiPt:alert(1))", "href"),
        ("[a](java&#115;cript:alert(1))", "href"),
        ("[a](data:text/html;base64,PHNjcmlwdD4=)", "href"),
        ("[a]\n\n[a]: vbscript:msgbox(1)", "href"),
        ("<javascript:alert(1)>", "href"),
        ("![a](https://tracker.example/pixel.gif)", "<img"),
        ('[a](https://a.example "x\\" onclick=\\"alert(1)")', ' onclick="'),
    ],
)
async def test_the_html_of_a_document_runs_and_loads_nothing(
    tmp_path: Path, markdown: str, dangerous: str
) -> None:
    folder = CorpusFolder(tmp_path).document("policy", f"**Bold** words.\n\n{markdown}\n").folder
    answer = await asked(folder, "get_doc", doc_id="policy")
    assert "<strong>Bold</strong> words." in answer["html"]
    assert dangerous not in answer["html"]
    assert answer["markdown"].endswith(f"{markdown}\n")


async def test_html_that_takes_more_room_than_an_answer_has_shortens_the_part(
    tmp_path: Path,
) -> None:
    folder = CorpusFolder(tmp_path).document("quotes", '"' * 400_000).folder
    answer = await asked(folder, "get_doc", doc_id="quotes", limit=200_000)
    assert len(answer["html"]) <= 1_000_000
    assert answer["next_offset"] == len(answer["markdown"]) == 100_000


async def test_a_damaged_corpus_is_said_by_every_tool(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).write("tickets.yaml", "- id: [\n").folder
    for tool, arguments in (
        ("fetch_ticket", {"ticket_id": "DESK-1"}),
        ("get_doc", {"doc_id": "policy"}),
        ("get_pdf", {"url": "corpus://pdfs/report.pdf"}),
        ("search_web", {"query": "feed"}),
    ):
        assert "tickets.yaml, line 2" in await refused(folder, tool, **arguments)


async def test_every_argument_is_described_and_every_answer_has_its_contract(
    tmp_path: Path,
) -> None:
    async with Client(build_server(corpus_dir=tmp_path)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    contracts: dict[str, Any] = {
        "fetch_ticket": TicketAnswer,
        "get_doc": DocumentAnswer,
        "get_pdf": PdfAnswer,
        "search_web": SearchAnswer,
    }
    assert tools.keys() == contracts.keys()
    for name, tool in tools.items():
        described = tool.input_schema["properties"]
        assert [field for field in described if not described[field].get("description")] == []
        assert "as_of" in described and tool.description
        assert tool.output_schema and tool.output_schema["title"] == contracts[name].__name__
        assert set(tool.output_schema["properties"]) == set(contracts[name].model_fields)


async def test_an_answer_holds_the_fields_of_its_contract(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).pdf(content=pdf_of("One.", "Two.")).folder
    answer = await asked(folder, "get_pdf", url="corpus://pdfs/report.pdf")
    read = PdfAnswer.model_validate(answer)
    assert [(page.page_number, page.text) for page in read.pages] == [(1, "One."), (2, "Two.")]
    assert (read.page_count, read.next_page, read.missing) == (2, None, None)
    assert read.title == "Title of report.pdf"
