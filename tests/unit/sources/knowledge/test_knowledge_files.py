"""How a corpus lies in a folder, and what is said of one that is damaged: file, line, reason."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desk.sources.knowledge.files import CORPUS_DIR, DamagedCorpus, read_corpus
from desk.sources.knowledge.pdf import PdfTexts
from desk.sources.knowledge.server import main
from tests.support.knowledge.corpus import CorpusFolder, pdf_of, small_corpus

Damage = Callable[[CorpusFolder], CorpusFolder]
MATTER = "title: A\npublished_at: 2026-01-01T00:00:00Z\n"
TICKET = "- id: A\n  status: Open\n  summary: Fix\n  updated_at: 2026-01-01T00:00:00Z\n"


def written(name: str, text: str) -> Damage:
    return lambda corpus: corpus.write(name, text)


DAMAGED: dict[str, tuple[Damage, str, int, str]] = {
    "tickets that are no YAML": (
        written("tickets.yaml", TICKET + "- id: [\n"),
        "tickets.yaml",
        6,
        "",
    ),
    "tickets that are no list": (written("tickets.yaml", "id: A\n"), "tickets.yaml", 1, "a list"),
    "a ticket that is a word": (
        written("tickets.yaml", f"{TICKET}- word\n"),
        "tickets.yaml",
        5,
        "fields with a colon",
    ),
    "a ticket without an instant": (
        written("tickets.yaml", TICKET.replace("T00:00:00Z", "")),
        "tickets.yaml",
        4,
        "updated_at: Value error, write it as an instant with offset",
    ),
    "an instant without an offset": (
        written("tickets.yaml", TICKET.replace("Z", "")),
        "tickets.yaml",
        4,
        "timezone",
    ),
    "an instant that is none": (
        written("tickets.yaml", TICKET.replace("01-01", "13-41")),
        "tickets.yaml",
        4,
        "",
    ),
    "a field of another name": (
        written("tickets.yaml", TICKET + "  owner: Ines\n"),
        "tickets.yaml",
        5,
        "owner: Extra inputs",
    ),
    "a field that stands there twice": (
        written("tickets.yaml", TICKET + "  status: Done\n"),
        "tickets.yaml",
        5,
        "status stands there twice",
    ),
    "a ticket without a status": (
        written("tickets.yaml", TICKET.replace("  status: Open\n", "")),
        "tickets.yaml",
        1,
        "status: Field required",
    ),
    "a ticket that stands there twice": (
        written("tickets.yaml", TICKET + TICKET),
        "tickets.yaml",
        5,
        "the ticket A stands there twice",
    ),
    "a history that ends after the ticket": (
        written(
            "tickets.yaml",
            TICKET + "  history:\n  - {at: 2026-02-01T00:00:00Z, status: Open}\n",
        ),
        "tickets.yaml",
        5,
        "must lie before updated_at",
    ),
    "a document without front matter": (
        written("documents/a.md", "# Policy\n"),
        "documents/a.md",
        1,
        "must begin with front matter",
    ),
    "front matter without an end": (
        written("documents/a.md", f"---\ndoc_id: a\n{MATTER}# Policy\n"),
        "documents/a.md",
        1,
        "does not end",
    ),
    "front matter that is no YAML": (
        written("documents/a.md", "---\ndoc_id: a\ntitle: 'A\n---\nText.\n"),
        "documents/a.md",
        4,
        "",
    ),
    "empty front matter": (
        written("documents/a.md", "---\n---\nText.\n"),
        "documents/a.md",
        2,
        "empty",
    ),
    "a doc_id that is a path": (
        written("documents/a.md", f"---\ndoc_id: ../a\n{MATTER}---\n"),
        "documents/a.md",
        2,
        "doc_id: String should match",
    ),
    "a document that stands there twice": (
        lambda corpus: corpus.document("a", file="1").document("a", file="2"),
        "documents/2.md",
        2,
        "a published at 2026-03-02T08:00:00+00:00 stands there twice",
    ),
    "a web page whose address is a script": (
        written("web/a.md", f"---\nurl: 'javascript:alert(1)'\n{MATTER}---\n"),
        "web/a.md",
        2,
        "url: String should match",
    ),
    "a PDF file outside of the folder": (
        written("pdfs/index.yaml", "- file: ../../secret.pdf\n  title: A\n"),
        "pdfs/index.yaml",
        1,
        "file: String should match",
    ),
    "a PDF file that is not there": (
        written("pdfs/index.yaml", f"- title: B\n  file: a.pdf\n  {MATTER.splitlines()[1]}\n"),
        "pdfs/index.yaml",
        2,
        "there is no file a.pdf",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named_with_file_and_line(tmp_path: Path, name: str) -> None:
    damage, file, line, reason = DAMAGED[name]
    with pytest.raises(DamagedCorpus) as caught:
        read_corpus(damage(CorpusFolder(tmp_path)).folder)
    assert (caught.value.file, caught.value.line) == (tmp_path / file, line)
    assert reason in caught.value.reason


def test_a_text_that_is_no_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    folder = small_corpus(tmp_path)
    with (folder / "documents" / "policy.md").open("ab") as file:
        file.write(b"\n\xff\n")
    with pytest.raises(DamagedCorpus, match=r"policy\.md, line 8: it is no UTF-8 text"):
        read_corpus(folder)


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_holds_no_corpus_is_named(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "corpus"
    if there:
        folder.mkdir()
    with pytest.raises(DamagedCorpus, match=r"none of tickets\.yaml, documents/, web/"):
        read_corpus(folder)


def test_the_command_line_ends_with_2_and_says_what_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = CorpusFolder(tmp_path).write("tickets.yaml", "id: A\n").folder
    with pytest.raises(SystemExit) as ended:
        main(["--corpus", str(folder)])
    assert ended.value.code == 2
    assert "tickets.yaml, line 1: a list belongs here" in capsys.readouterr().err


def test_a_part_of_a_corpus_is_a_corpus(tmp_path: Path) -> None:
    (tmp_path / "tickets.yaml").write_text("", encoding="utf-8")
    corpus = read_corpus(tmp_path)
    assert (corpus.tickets, corpus.texts, corpus.pdfs) == ({}, {}, {})


def test_line_ends_of_other_systems_are_read(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).document().folder
    file = folder / "documents" / "policy.md"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    (text,) = read_corpus(folder).texts["policy"]
    assert text.markdown == "The limit stands.\n"


def test_a_line_of_dashes_in_the_text_ends_nothing(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).document("a", "One.\n\n---\n\nTwo.\n").folder
    (text,) = read_corpus(folder).texts["a"]
    assert text.markdown == "One.\n\n---\n\nTwo.\n"


def test_an_instant_of_an_offset_is_that_instant(tmp_path: Path) -> None:
    folder = CorpusFolder(tmp_path).document(published_at="2026-03-02T08:00:00+09:00").folder
    (text,) = read_corpus(folder).texts["policy"]
    assert text.since == datetime(2026, 3, 1, 23, tzinfo=UTC)


def test_a_pdf_has_the_address_of_its_file_where_none_is_given(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path).pdf("a.pdf", pdf_of("A."))
    corpus.write("pdfs/index.yaml", f"- file: a.pdf\n  title: A\n  {MATTER.splitlines()[1]}\n")
    assert list(read_corpus(tmp_path).pdfs) == ["corpus://pdfs/a.pdf"]


def test_the_corpus_that_ships_is_whole() -> None:
    corpus = read_corpus(CORPUS_DIR)
    pdfs = PdfTexts()
    assert corpus.tickets and corpus.texts and corpus.pdfs
    for versions in corpus.pdfs.values():
        assert all(pdfs.page_count(version.path) for version in versions)
