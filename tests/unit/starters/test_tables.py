"""What every table of the command line keeps to."""

import pytest

from starters.terminal.tables import WIDTH, folded, table_lines

LONG = "a sentence that is as long as anything which a source may say " * 4
ROWS = (("USD/JPY", LONG, "-4.16"), "between the rows", ("EUR/USD", "[red]short[/red]", "137.5"))


def lines() -> list[str]:
    return list(table_lines(("market", "said", "moved"), ROWS, right={2}, indent="  "))


def test_in_a_pipe_every_row_is_one_line_with_its_whole_cells() -> None:
    titles, first, between, second = lines()
    assert titles.split() == ["market", "said", "moved"]
    assert first.split() == ["USD/JPY", *LONG.split(), "-4.16"]
    assert between == "between the rows"
    assert second.split() == ["EUR/USD", "[red]short[/red]", "137.5"]
    assert len({len(line) for line in (titles, first, second)}) == 1, (
        "figures end below their title"
    )


@pytest.mark.usefixtures("terminal")
def test_on_a_terminal_cells_go_on_below_and_lose_nothing() -> None:
    told = lines()
    assert max(map(len, told)) <= 80
    assert " ".join(told).split().count("sentence") == 4
    assert told.index("between the rows") == len(told) - 2, "after all lines of the row before it"
    assert told[1].startswith("  USD/JPY a") and told[1].endswith("  -4.16")


@pytest.mark.usefixtures("terminal")
def test_a_narrow_terminal_is_kept_to_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, lines())) <= 40


def test_a_cell_acts_on_no_terminal_and_breaks_no_line() -> None:
    (row,) = table_lines(("", ""), [("a\nb\x1b[31m", "[bold]c[/bold]")])
    assert row.split() == ["a", "b", "[31m", "[bold]c[/bold]"]


def test_a_table_without_rows_is_its_titles() -> None:
    assert list(table_lines(("one", "two"), [])) == ["one  two"]
    assert list(table_lines(("one",), ["only this"])) == ["one", "only this"]


@pytest.mark.parametrize("text", ["", "word " * 60, "x" * 200, "a half-year " * 20])
def test_folded_prose_keeps_to_its_width_and_loses_nothing(text: str) -> None:
    told = list(folded(text, "  ", first="- "))
    assert max(map(len, told)) <= WIDTH
    assert told[0].startswith("- ") and all(line.startswith("      ") for line in told[1:])
    assert "".join("".join(told)[2:].split()) == "".join(text.split())
