"""Text of PDF files: in parts, of scans, and of files that are damaged, locked or hostile."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client

from desk.sources.knowledge import pdf as knowledge_pdf
from desk.sources.knowledge.pdf import LONGEST_PAGE, PdfTexts, UnreadablePdf
from desk.sources.knowledge.server import build_server
from tests.support.knowledge.asking import asked, asked_in_turn, refused
from tests.support.knowledge.corpus import CorpusFolder, encrypted, pdf_of, shown

URL = "corpus://pdfs/report.pdf"
NOTHING = b"q Q"
PATIENCE_SECONDS = 60


def holding(folder: Path, content: bytes) -> Path:
    return CorpusFolder(folder).pdf(content=content).folder


async def test_a_file_of_500_pages_is_read_in_parts(tmp_path: Path) -> None:
    pages = tuple(f"This is page {number}." for number in range(1, 501))
    folder = holding(tmp_path, pdf_of(*pages))
    calls = [("get_pdf", {"url": URL, "first_page": first}) for first in range(1, 501, 100)]
    answers = await asked_in_turn(folder, *calls)
    read = [page["text"] for answer in answers for page in answer["pages"]]
    assert read == list(pages)
    assert [answer["next_page"] for answer in answers] == [101, 201, 301, 401, None]
    assert {answer["page_count"] for answer in answers} == {500}


async def test_pages_that_are_asked_for_are_read(tmp_path: Path) -> None:
    folder = holding(tmp_path, pdf_of("One.", "Two.", "Three."))
    middle, tail = await asked_in_turn(
        folder,
        ("get_pdf", {"url": URL, "first_page": 2, "last_page": 2}),
        ("get_pdf", {"url": URL, "first_page": 2, "last_page": 9}),
    )
    assert [page["page_number"] for page in middle["pages"]] == [2]
    assert middle["next_page"] == 3
    assert [page["text"] for page in tail["pages"]] == ["Two.", "Three."]
    assert tail["next_page"] is None


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        (4, None, "has 3 pages; there is no page 4"),
        (3, 2, "last_page 2 lies before first_page 3"),
        (0, None, "first_page"),
    ],
)
async def test_pages_that_are_not_there_are_refused(
    tmp_path: Path, first: int, last: int | None, words: str
) -> None:
    folder = holding(tmp_path, pdf_of("One.", "Two.", "Three."))
    said = await refused(folder, "get_pdf", url=URL, first_page=first, last_page=last)
    assert words in said


async def test_a_page_without_text_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    folder = holding(tmp_path, pdf_of("One.", NOTHING, "Three."))
    answer = await asked(folder, "get_pdf", url=URL)
    assert [page["text"] for page in answer["pages"]] == ["One.", "", "Three."]
    assert answer["missing"] == "page 2 has no text: it may be a picture, as of a scan"


@pytest.mark.parametrize(
    "content",
    [b"", b"%PDF-1.4\n", b"This is no PDF file.", pdf_of("One.")[:200], b"\x00" * 5_000],
    ids=["empty", "head only", "text", "cut", "zeros"],
)
async def test_a_damaged_file_is_refused_and_does_not_break_the_search(
    tmp_path: Path, content: bytes
) -> None:
    folder = holding(tmp_path, content)
    said = await refused(folder, "get_pdf", url=URL)
    assert f"{URL} is damaged" in said
    assert str(tmp_path) not in said
    found = await asked(folder, "search_web", query="Title of report")
    assert [hit["url"] for hit in found["results"]] == [URL]


async def test_a_file_with_a_password_is_refused(tmp_path: Path) -> None:
    folder = holding(tmp_path, encrypted(pdf_of("Secret."), "sesame"))
    said = await refused(folder, "get_pdf", url=URL)
    assert f"{URL} is encrypted and needs a password" in said


async def test_a_file_that_an_empty_password_opens_is_read(tmp_path: Path) -> None:
    folder = holding(tmp_path, encrypted(pdf_of("Open to all."), ""))
    answer = await asked(folder, "get_pdf", url=URL)
    assert answer["pages"][0]["text"] == "Open to all."


async def test_a_page_that_unpacks_to_very_much_is_named_in_bounded_time(tmp_path: Path) -> None:
    bomb = shown("Before.") + b" " * 100_000_000
    content = pdf_of("One.", bomb)
    assert len(content) < 200_000
    folder = holding(tmp_path, content)
    began = time.monotonic()
    answer = await asked(folder, "get_pdf", url=URL)
    assert time.monotonic() - began < PATIENCE_SECONDS
    assert answer["pages"][0]["text"] == "One."
    assert "page 2 cannot be read" in answer["missing"]


async def test_a_page_of_very_much_text_is_cut_and_says_so(tmp_path: Path) -> None:
    line = b"BT /F1 1 Tf 1 0 0 1 0 %d Tm (" + b"words " * 20 + b") Tj ET\n"
    folder = holding(tmp_path, pdf_of(b"".join(line % (n % 800) for n in range(2_000)), "Two."))
    answer = await asked(folder, "get_pdf", url=URL)
    assert len(answer["pages"][0]["text"]) <= LONGEST_PAGE
    assert answer["missing"] == f"page 1 is cut after {LONGEST_PAGE} characters"
    assert answer["pages"][1]["text"] == "Two."


async def test_a_page_that_takes_too_long_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_pdf, "SECONDS_A_PAGE", 0.0)
    folder = holding(tmp_path, pdf_of("One."))
    answer = await asked(folder, "get_pdf", url=URL)
    assert answer["missing"] == "page 1 took longer than 0 s to read"


async def test_a_file_that_took_too_long_is_read_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_pdf, "SECONDS_A_FILE", 0.0)
    answer = await asked(holding(tmp_path, pdf_of("One.", "Two.")), "get_pdf", url=URL)
    assert [page["text"] for page in answer["pages"]] == ["One.", ""]
    assert answer["missing"] == "page 2 is not read: the pages before took longer than 0 s"


async def test_an_answer_of_many_full_pages_is_bounded(tmp_path: Path) -> None:
    line = b"BT /F1 1 Tf 1 0 0 1 0 %d Tm (" + b"words " * 100 + b") Tj ET\n"
    full = b"".join(line % n for n in range(70))
    folder = holding(tmp_path, pdf_of(*[full] * 8))
    first = await asked(folder, "get_pdf", url=URL)
    assert first["missing"] is None
    assert sum(len(page["text"]) for page in first["pages"]) <= 200_000
    assert 1 < len(first["pages"]) < 8
    assert first["next_page"] == len(first["pages"]) + 1


async def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(knowledge_pdf, "LARGEST_FILE", 100)
    folder = holding(tmp_path, pdf_of("One."))
    assert "is above 0 MB" in await refused(folder, "get_pdf", url=URL)


async def test_a_file_is_read_once(tmp_path: Path) -> None:
    folder = holding(tmp_path, pdf_of("One."))
    async with Client(build_server(corpus_dir=folder)) as client:
        first = await client.call_tool("get_pdf", {"url": URL})
        (folder / "pdfs" / "report.pdf").unlink()
        assert (await client.call_tool("search_web", {"query": "one"})).structured_content
        again = await client.call_tool("get_pdf", {"url": URL})
    assert first.structured_content and again.structured_content
    assert first.structured_content["pages"] == again.structured_content["pages"]


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pdfs") / "damaged.pdf"


WHOLE = pdf_of("One.", "Two.", "Three.")


@given(
    places=st.lists(st.integers(0, len(WHOLE) - 1), min_size=1, max_size=30),
    byte=st.integers(0, 255),
)
def test_no_damage_whatever_is_more_than_a_file_or_a_page_that_cannot_be_read(
    scratch: Path, places: list[int], byte: int
) -> None:
    content = bytearray(WHOLE)
    for place in places:
        content[place] = byte
    scratch.write_bytes(content)
    pdfs = PdfTexts()
    try:
        count = pdfs.page_count(scratch)
        pages = [pdfs.page(scratch, number) for number in range(1, count + 1)]
    except UnreadablePdf as error:
        assert str(error)
    else:
        assert all(page.text or page.missing for page in pages)
