"""The desk's own reports among the documents of the server `knowledge`."""

import json
from pathlib import Path

from mcp import Client

from desk.sources.knowledge.documents import LAST_REPORTS
from desk.sources.knowledge.server import build_server
from tests.support.knowledge.corpus import CorpusFolder

TEXT = (
    "# Currencies, {week}\n\n## Summary\n\n- **The kiwi led**: by far.\n\n"
    "## Conflicts\n\n- A person decided: the peg breaks.\n\n## Coverage\n\nAll researched.\n\n"
    "## Revisions\n\n- Revision 2, 27 Nov 2026: rerun, the peg broke\n\n"
    "## Sources\n\n- ECB evidence\n"
)


def publish(folder: Path, week: str, as_of: str, revision: str = "") -> None:
    weekly = folder / "weekly"
    weekly.mkdir(exist_ok=True)
    stem = f"{week}-asia-g10-fx{revision}"
    written = [{"revision": 1, "published_at": "2026-11-27T14:42:42Z"}]
    head = {"week": week, "as_of": as_of, "revisions": written}
    (weekly / f"{stem}.json").write_text(json.dumps(head, indent=2))
    (weekly / f"{stem}.md").write_text(TEXT.format(week=week))


async def found(corpus: Path, reports: Path, query: str, as_of: str) -> list[str]:
    async with Client(build_server(corpus_dir=corpus, reports_dir=reports)) as client:
        told = {"query": query, "as_of": as_of, "limit": 50}
        answer = await client.call_tool("search_web", told)
    return [hit["url"] for hit in (answer.structured_content or {})["results"]]


async def test_a_report_is_found_from_its_as_of_on_and_once(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path / "corpus").document("cutoffs", "Won settles.\n", "Cut-offs")
    reports = tmp_path
    publish(reports, "2026-W43", "2026-10-26T07:00:00Z")
    publish(reports, "2026-W43", "2026-10-26T07:00:00Z", ".r1")
    known = ["corpus://documents/report-2026-W43"]
    assert await found(corpus.folder, reports, "kiwi", "2026-10-26T07:00:00Z") == known
    assert await found(corpus.folder, reports, "kiwi", "2026-10-26T06:59:00Z") == []
    assert await found(corpus.folder, reports, "ECB evidence", "2026-10-27T00:00:00Z") == []


async def test_a_report_is_served_to_be_quoted_with_its_as_of(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path / "corpus").document("cutoffs", "Won settles.\n", "Cut-offs")
    publish(tmp_path, "2026-W43", "2026-10-26T07:00:00Z")
    async with Client(build_server(corpus_dir=corpus.folder, reports_dir=tmp_path)) as client:
        asked = {"doc_id": "report-2026-W43", "as_of": "2026-11-01T00:00:00Z"}
        told = (await client.call_tool("get_doc", asked)).structured_content or {}
    assert told["title"].endswith(", as of 26 Oct 2026")
    assert told.get("published_at") is None
    assert "- The kiwi led: by far." in told["markdown"]


async def test_no_word_of_later_people_on_a_report_reaches_an_earlier_run(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path / "corpus").document("cutoffs", "Won settles.\n", "Cut-offs")
    publish(tmp_path, "2026-W43", "2026-10-26T07:00:00Z")
    async with Client(build_server(corpus_dir=corpus.folder, reports_dir=tmp_path)) as client:
        asked = {"doc_id": "report-2026-W43", "as_of": "2026-10-27T00:00:00Z"}
        told = (await client.call_tool("get_doc", asked)).structured_content or {}
    assert told["markdown"].rstrip().endswith("by far.\n\n## Coverage\n\nAll researched.")
    assert not any("2026-11-27" in str(each) or "Nov 2026" in str(each) for each in told.values())
    assert await found(corpus.folder, tmp_path, "the peg breaks", "2026-10-27T00:00:00Z") == []


async def test_the_last_reports_before_an_instant_are_searched(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path / "corpus").document("cutoffs", "Won settles.\n", "Cut-offs")
    for week in range(10, 22):
        publish(tmp_path, f"2026-W{week}", f"2026-0{3 + week // 18}-{week:02}T07:00:00Z")
    urls = await found(corpus.folder, tmp_path, "kiwi", "2026-06-01T00:00:00Z")
    assert len(urls) == LAST_REPORTS and "corpus://documents/report-2026-W21" in urls


async def test_a_report_that_comes_out_while_the_server_runs_is_found(tmp_path: Path) -> None:
    corpus = CorpusFolder(tmp_path / "corpus").document("cutoffs", "Won settles.\n", "Cut-offs")
    server = build_server(corpus_dir=corpus.folder, reports_dir=tmp_path)
    told = {"query": "kiwi", "as_of": "2026-11-01T00:00:00Z"}
    async with Client(server) as client:
        before = await client.call_tool("search_web", told)
        publish(tmp_path, "2026-W43", "2026-10-26T07:00:00Z")
        after = await client.call_tool("search_web", told)
    assert (before.structured_content or {})["results"] == []
    assert len((after.structured_content or {})["results"]) == 1
