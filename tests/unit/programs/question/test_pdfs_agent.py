"""The PDF agent, turn by turn."""

from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.tools import ToolCall, ToolResult
from desk.contracts.question.knowledge import PdfsRead
from desk.contracts.runs.turns import Turn
from desk.programs.question.builtin.reading import read_pdfs
from tests.knowledge.asking import answered, asked, hits, refused

READ = TaskType.READ_PDFS


def pages(
    call: ToolCall, *numbers: int, of: int, then: int | None = None, missing: str | None = None
) -> ToolResult:
    return answered(
        call,
        url=str(call.arguments["url"]),
        pages=[{"text": f"text of {n}", "page_number": n} for n in numbers],
        page_count=of,
        next_page=then,
        missing=missing,
    )


def read(turn: Turn) -> PdfsRead:
    assert isinstance(turn.result, PdfsRead)
    return turn.result


def test_files_that_are_named_are_read() -> None:
    turn = read_pdfs(asked(READ, "Compare them", first="corpus://pdfs/a.pdf", second="minutes"))
    assert [call.arguments["url"] for call in turn.calls] == ["corpus://pdfs/a.pdf"]


def test_a_file_without_an_address_is_one_of_the_corpus() -> None:
    turn = read_pdfs(asked(READ, "What stands in audit-report.pdf?"))
    assert [call.arguments["url"] for call in turn.calls] == ["corpus://pdfs/audit-report.pdf"]


def test_without_a_name_files_are_looked_for() -> None:
    (search,) = read_pdfs(asked(READ, "Who signed?")).calls
    assert search.arguments["kinds"] == ["pdf"]
    found = answered(search, results=hits(("A", "", "corpus://pdfs/a.pdf")))
    turn = read_pdfs(asked(READ, "Who signed?", [found]))
    assert [call.arguments["url"] for call in turn.calls] == ["corpus://pdfs/a.pdf"]


def test_a_long_file_is_read_page_after_page() -> None:
    (first,) = read_pdfs(asked(READ, "What?", pdf="u.pdf")).calls
    one = pages(first, 1, 2, of=3, then=3)
    (second,) = read_pdfs(asked(READ, "What?", [one], pdf="u.pdf")).calls
    assert second.arguments["first_page"] == 3
    result = read(read_pdfs(asked(READ, "What?", [one], [pages(second, 3, of=3)], pdf="u.pdf")))
    assert [page.page_number for page in result.pdfs[0].pages] == [1, 2, 3]
    assert result.missing == ()


def test_pages_that_were_not_read_are_counted() -> None:
    (first,) = read_pdfs(asked(READ, "What?", pdf="u.pdf")).calls
    one = pages(first, *range(1, 101), of=500, then=101)
    result = read(read_pdfs(asked(READ, "What?", [one], last=True, pdf="u.pdf")))
    assert result.missing == ("u.pdf: only the first 100 pages of 500 were read",)


def test_what_the_server_could_not_read_is_passed_on() -> None:
    (call,) = read_pdfs(asked(READ, "What?", pdf="u.pdf")).calls
    scanned = pages(call, 1, of=1, missing="page 1 is a picture")
    result = read(read_pdfs(asked(READ, "What?", [scanned], pdf="u.pdf")))
    assert result.missing == ("u.pdf: page 1 is a picture",)


def test_a_damaged_file_is_missing_and_no_failure() -> None:
    (call,) = read_pdfs(asked(READ, "What?", pdf="u.pdf")).calls
    result = read(read_pdfs(asked(READ, "What?", [refused(call, "it is damaged")], pdf="u.pdf")))
    assert result.pdfs == () and result.missing == ("u.pdf was not had: it is damaged",)
