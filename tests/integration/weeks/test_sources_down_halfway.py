"""A week whose sources all go down half-way: it completes, says so, and invents nothing."""

from pathlib import Path

from tests.standins.halfway import compared
from tests.standins.serving import Standins


def test_a_week_completes_without_the_sources_that_go_down_half_way(
    standins: Standins, tmp_path: Path
) -> None:
    found = compared(standins, tmp_path, "2026-W44", "--markets", "USD/JPY,JP")
    assert found.researched == 2
    assert (found.held_up, found.invented) == ((), ())
    assert found.holds
