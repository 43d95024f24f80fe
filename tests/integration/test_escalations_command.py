"""`desk escalations` where nobody is asked anything, and where there is no server."""

from pathlib import Path

import pytest

from tests.support.command import DeskCommand


def test_a_desk_at_rest_asks_nobody(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path)
    listed = desk("escalations", "list")
    assert (listed.code, listed.out) == (0, "nobody is asked to decide anything\n")
    assert desk("escalations", "list", "--all", "--json").json == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("show", "weekly-2026-W44"), "no case 'weekly-2026-W44'"),
        (("resolve", "weekly-2026-W44", "--choose", "1", "--by", "anna"), "no case"),
        (("resolve", "weekly-2026-W44", "--choose", "1", "--by", " "), "--by is empty"),
        (("resolve", "weekly-2026-W44"), "--choose"),
    ],
)
def test_what_cannot_be_decided_is_told_in_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    answer = DeskCommand(tmp_path)("escalations", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err and "Traceback" not in answer.err


def test_without_a_server_it_says_what_to_do(tmp_path: Path) -> None:
    desk = DeskCommand(tmp_path, TEMPORAL_ADDRESS="127.0.0.1:9")
    answer = desk("escalations", "list")
    assert answer.code == 1
    assert "TEMPORAL_ADDRESS" in answer.err
