"""What a call asks that somebody waits for, on one line."""

from desk.contracts.agents.tools import ToolCall
from starters.monitoring.watch.pending_calls import LONGEST, call_words
from starters.operations.serve.pages.run_snapshots import work_words
from tests.unit.starters.monitoring.test_watch import at_work


def test_a_call_says_which_tool_it_asks_for_what() -> None:
    call = ToolCall(
        call_id="c1",
        server="ecb",
        tool="get_historical",
        arguments={"symbol": "USD/JPY", "end": "2026-10-30"},
    )
    assert call_words(call) == "ecb.get_historical end 2026-10-30, symbol USD/JPY"


def test_what_a_model_asks_is_cut_and_moves_no_cursor() -> None:
    call = ToolCall(
        call_id="c1", server="news", tool="search", arguments={"query": "a\x1b[2J\n" * 200}
    )
    told = call_words(call)
    assert len(told) <= LONGEST
    assert "\x1b" not in told
    assert "\n" not in told


def test_who_waits_for_calls_is_shown_with_the_first_and_how_many_more() -> None:
    waiting = at_work().model_copy(
        update={"calls": 3, "asks": ("ecb.get_quote symbol A", "b", "c")}
    )
    assert work_words([waiting]) == (
        "research agent 1, turn 2, 3 calls, asks ecb.get_quote symbol A and 2 more"
    )
