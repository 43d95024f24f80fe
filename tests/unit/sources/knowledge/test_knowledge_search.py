"""Full-text search: what is found, in which order, as of when, and for whatever query."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.sources.knowledge.documents import Kind
from desk.sources.knowledge.files import read_corpus
from desk.sources.knowledge.index import KnowledgeIndexes
from desk.sources.knowledge.pdf import PdfTexts
from desk.sources.knowledge.text import PASSAGE, passages
from desk.trust.prose.quotations import occurs_in
from tests.support.knowledge.asking import asked, asked_in_turn, refused
from tests.support.knowledge.corpus import AFTER, BEFORE, CorpusFolder, pdf_of, small_corpus

LATER_INSTANT = "2026-06-01T00:00:00Z"


def urls(answer: dict[str, Any]) -> list[str]:
    return [hit["url"] for hit in answer["results"]]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    corpus = CorpusFolder(tmp_path).ticket(
        "DESK-7", summary="Restart the feed", description="Tessera dropped fixings in Zurich."
    )
    corpus.ticket("DESK-70", summary="Order chairs", status="Blocked", assignee="Petra Holm")
    corpus.document("cutoffs", "Won settles in Seoul.\n\nBaht settles in Bangkok.\n", "Cut-offs")
    corpus.page("https://news.example/yen", "円相場は東京市場で反発した。\n", "東京外為")
    corpus.page("https://news.example/cafe", "Le café de Zürich ferme.\n", "Cafés")
    return corpus.pdf("audit.pdf", pdf_of("Nothing here.", "Reconciliations were late.")).folder


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("who is assigned to DESK-70?", "corpus://tickets/DESK-70"),
        ("what did Petra Holm do", "corpus://tickets/DESK-70"),
        ("blocked", "corpus://tickets/DESK-70"),
        ("restarting feeds", "corpus://tickets/DESK-7"),
        ("tessera fixing dropped", "corpus://tickets/DESK-7"),
        ("Where does the won settle?", "corpus://documents/cutoffs"),
        ("cut-offs", "corpus://documents/cutoffs"),
        ("a late reconciliation", "corpus://pdfs/audit.pdf"),
        ("cafe ferme", "https://news.example/cafe"),
        ("東京市場", "https://news.example/yen"),
        ("円", "https://news.example/yen"),
    ],
)
async def test_the_thing_that_was_meant_comes_first(library: Path, query: str, url: str) -> None:
    assert urls(await asked(library, "search_web", query=query))[0] == url


async def test_a_snippet_is_the_best_passage_in_the_words_of_its_source(tmp_path: Path) -> None:
    filler = "The desk met and talked of this and that. " * 20
    body = f"# Minutes\n\n{filler}\n\nThe quorum is **seven** members.\n\n{filler}\n"
    folder = CorpusFolder(tmp_path).document("minutes", body).folder
    answer = await asked(folder, "search_web", query="quorum members")
    (hit,) = answer["results"]
    assert "The quorum is **seven** members." in hit["snippet"]
    assert len(hit["snippet"]) <= PASSAGE
    whole = await asked(folder, "get_doc", doc_id="minutes")
    assert occurs_in(hit["snippet"], whole)


async def test_a_short_page_is_its_own_snippet(tmp_path: Path) -> None:
    body = "# News\n\nOne.\n\nTwo.\n"
    folder = CorpusFolder(tmp_path).page(body=body).folder
    (hit,) = (await asked(folder, "search_web", query="two"))["results"]
    assert hit["snippet"] == body.strip()


async def test_a_ticket_is_found_by_how_it_stood_then(tmp_path: Path) -> None:
    history = [{"at": "2026-01-05T09:00:00Z", "status": "Open", "assignee": "Kenji Moriwaki"}]
    folder = CorpusFolder(tmp_path).ticket(assignee="Ines Varga", history=history).folder
    then, now = await asked_in_turn(
        folder,
        ("search_web", {"query": "Kenji", "as_of": BEFORE}),
        ("search_web", {"query": "Kenji", "as_of": AFTER}),
    )
    assert [hit["snippet"] for hit in then["results"]] == [
        "DESK-1, Open, Kenji Moriwaki, Fix the feed."
    ]
    assert now["results"] == []


async def test_nothing_is_found_before_it_was_published(tmp_path: Path) -> None:
    folder = small_corpus(tmp_path)
    query = "feed limit markets audit"
    before, after = await asked_in_turn(
        folder,
        ("search_web", {"query": query, "as_of": BEFORE}),
        ("search_web", {"query": query, "as_of": AFTER}),
    )
    assert before["results"] == [] and before["missing"]
    assert len(after["results"]) == 4 and after["missing"] is None


async def test_what_is_to_come_does_not_even_change_the_order(tmp_path: Path) -> None:
    known = CorpusFolder(tmp_path / "known")
    planted = CorpusFolder(tmp_path / "planted")
    for corpus in (known, planted):
        corpus.page("https://news.example/a", "Gilt gilt bond.\n")
        corpus.page("https://news.example/b", "Bond bond gilt.\n")
    for number in range(30):
        url = f"https://news.example/later{number}"
        planted.page(url, "Gilt news.\n", published_at=LATER_INSTANT)
    asking = {"query": "gilt bond", "as_of": AFTER}
    seen = await asked(planted.folder, "search_web", **asking)
    assert seen == await asked(known.folder, "search_web", **asking)
    later = await asked(planted.folder, "search_web", query="gilt bond", as_of=LATER_INSTANT)
    assert urls(later) != urls(seen)


async def test_kinds_and_limit_bound_what_is_found(library: Path) -> None:
    query = "feed settles audit zurich blocked"
    everything = urls(await asked(library, "search_web", query=query))
    assert len(everything) == 5
    tickets = await asked(library, "search_web", query=query, kinds=["ticket"])
    assert set(urls(tickets)) == {"corpus://tickets/DESK-7", "corpus://tickets/DESK-70"}
    mixed = await asked(library, "search_web", query=query, kinds=["pdf", "web"])
    assert set(urls(mixed)) == {"corpus://pdfs/audit.pdf", "https://news.example/cafe"}
    assert urls(await asked(library, "search_web", query=query, limit=2)) == everything[:2]


async def test_ties_come_in_the_order_of_their_addresses(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path)
    for name in ("c", "a", "b"):
        corpus.page(f"https://news.example/{name}", "The same words.\n", "Same")
    corpus.document("z", "The same words.\n", "Same")
    found = urls(await asked(corpus.folder, "search_web", query="same words"))
    pages = [f"https://news.example/{name}" for name in "abc"]
    assert found == ["corpus://documents/z", *pages]


async def test_the_words_of_asking_are_not_what_is_looked_for(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path).document("faq", "Who, what, when and why? " * 5, "What is it?")
    corpus.document("minutes", f"The quorum is seven. {'The desk met again. ' * 30}", "Minutes")
    query = "What is the quorum, and why?"
    assert urls(await asked(corpus.folder, "search_web", query=query)) == [
        "corpus://documents/minutes"
    ]
    only = await asked(corpus.folder, "search_web", query="what and why")
    assert urls(only)[0] == "corpus://documents/faq"


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000"])
async def test_an_empty_query_is_refused(library: Path, query: str) -> None:
    assert "the query is empty" in await refused(library, "search_web", query=query)


async def test_a_query_without_words_finds_nothing_and_says_so(library: Path) -> None:
    answer = await asked(library, "search_web", query='"*^() -')
    assert answer["results"] == []
    assert "nothing that was published" in answer["missing"]


@pytest.mark.parametrize(
    "query",
    [
        'feed" OR "chairs',
        "title:feed",
        "feed NOT feed",
        "NEAR(feed, 2)",
        "feed*",
        "{title text}: feed",
        "^feed",
        "feed'; DROP TABLE passages; --",
        "(" * 2_000 + "feed",
        "feed " + "word " * 700,
    ],
)
async def test_operators_of_the_index_are_plain_words_in_a_query(library: Path, query: str) -> None:
    found = urls(await asked(library, "search_web", query=query))
    assert "corpus://tickets/DESK-7" in found


async def test_a_query_of_more_than_4000_characters_is_refused(library: Path) -> None:
    assert "query" in await refused(library, "search_web", query="a" * 4_001)


WORDS = st.text(max_size=4_000) | st.lists(
    st.sampled_from(['"', "'", "OR", "AND", "NOT", "NEAR", "feed", "*", "^", ":", "(", ")", "-"])
).map(" ".join)


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeIndexes:
    corpus = read_corpus(small_corpus(tmp_path_factory.mktemp("corpus")))
    return KnowledgeIndexes(corpus, PdfTexts())


@given(query=WORDS)
def test_no_query_whatever_breaks_the_search(indexes: KnowledgeIndexes, query: str) -> None:
    as_of = max(indexes.instants)
    found = indexes.search(query, as_of, tuple(Kind), 10)
    assert found == indexes.search(query, as_of, tuple(Kind), 10)


@given(text=st.text(max_size=6_000) | st.lists(st.text(max_size=2_000)).map("\n\n".join))
def test_passages_hold_every_word_of_a_text_in_its_order(text: str) -> None:
    parts = list(passages(text))
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < len(part) <= PASSAGE for part in parts)
    assert all(occurs_in(part, text) for part in parts)


async def test_what_the_best_thing_is_about_is_found_besides(tmp_path: Path) -> None:
    """Of a question for an agreement only the news hold the words; their title leads to it."""
    corpus = CorpusFolder(tmp_path).page(
        "https://ostan.example/news", "Its head office moves to Yarby.\n", "News of Ostan Data"
    )
    for name in ("Kalo", "Zelul", "Pelor", "Ostan"):
        corpus.document(f"{name.lower()}-terms", "A fee is due.\n", f"Terms of {name} Data")
    query = "the fee of who moves to Yarby"
    told = await asked(corpus.folder, "search_web", query=query, limit=3, kinds=["document"])
    assert "corpus://documents/ostan-terms" in urls(told)
