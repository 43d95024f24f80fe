"""A long transcript is condensed by rule: nothing that was asked is lost, and it stays short."""

import json
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from desk.contracts.agents.tools import ToolCall, ToolResult, ToolStatus
from desk.contracts.runs.turns import Exchange
from desk.programs.claude.turns import KEPT_WHOLE, LEFT_OUT, LONGEST_THOUGHT, condensed

LONGEST = 20_000
NOTE = 200
"""What is left of a long result, at most."""

lengths = st.integers(0, 6_000)
transcripts = st.lists(st.lists(lengths, min_size=1, max_size=3), max_size=25)


def use(place: str) -> JsonValue:
    return {"type": "tool_use", "id": f"toolu_{place}", "name": "a__tool", "input": {"at": place}}


def answer(place: str, length: int) -> ToolResult:
    call = ToolCall(call_id=f"task/tool.{place}", server="a", tool="tool")
    return ToolResult(call=call, status=ToolStatus.OK, content={"words": "w" * length})


def exchange(turn: int, sizes: list[int]) -> Exchange:
    places = [f"{turn}.{number}" for number, _ in enumerate(sizes)]
    thought: JsonValue = {"type": "thinking", "thinking": "hm " * 50, "signature": "s"}
    words: JsonValue = {"type": "text", "text": f" I look once more, {turn}. " * 40}
    return Exchange(
        said=(thought, words, *map(use, places)),
        results=tuple(map(answer, places, sizes)),
    )


def transcript(sizes: list[list[int]]) -> tuple[Exchange, ...]:
    return tuple(exchange(turn, given_sizes) for turn, given_sizes in enumerate(sizes, start=1))


def length_of(exchanges: tuple[Exchange, ...]) -> int:
    return sum(
        sum(len(json.dumps(block)) for block in e.said)
        + sum(len(json.dumps(result.content)) for result in e.results)
        for e in exchanges
    )


def calls(exchanges: tuple[Exchange, ...]) -> list[list[JsonValue]]:
    return [[b for b in e.said if isinstance(b, dict) and "input" in b] for e in exchanges]


def whole(full: tuple[Exchange, ...], kept: tuple[Exchange, ...]) -> int:
    """How many exchanges at the end are as they were."""
    pairs = list(zip(reversed(full), reversed(kept), strict=True))
    return next((n for n, (one, other) in enumerate(pairs) if one != other), len(pairs))


@given(transcripts)
def test_no_call_is_lost_and_the_order_stays(sizes: list[list[int]]) -> None:
    full = transcript(sizes)
    kept = condensed(full, LONGEST)
    assert calls(kept) == calls(full)
    assert [[r.evidence_id for r in e.results] for e in kept] == [
        [r.evidence_id for r in e.results] for e in full
    ]
    assert [[r.status for r in e.results] for e in kept] == [
        [r.status for r in e.results] for e in full
    ]


@given(transcripts)
def test_the_last_exchanges_stay_whole_and_what_changes_is_the_oldest(
    sizes: list[list[int]],
) -> None:
    full = transcript(sizes)
    kept = condensed(full, LONGEST)
    unchanged = whole(full, kept)
    assert unchanged >= min(KEPT_WHOLE, len(full))
    oldest = kept[: len(kept) - unchanged]
    assert all(not any("thinking" in json.dumps(block) for block in e.said) for e in oldest)


@given(transcripts)
def test_it_is_short_unless_the_last_answers_alone_are_long(sizes: list[list[int]]) -> None:
    full = transcript(sizes)
    kept = condensed(full, LONGEST)
    if length_of(full) <= LONGEST:
        assert kept == full
    elif length_of(kept) > LONGEST:
        assert whole(full, kept) == KEPT_WHOLE, "all that may be condensed was"


@given(transcripts)
def test_to_condense_never_makes_longer_and_to_do_it_again_changes_little(
    sizes: list[list[int]],
) -> None:
    full = transcript(sizes)
    kept = condensed(full, LONGEST)
    again = condensed(kept, LONGEST)
    assert length_of(again) <= length_of(kept) <= length_of(full)
    if length_of(kept) <= LONGEST:
        assert again == kept


@settings(max_examples=10)
@given(st.lists(st.integers(2_000, 6_000), min_size=20, max_size=40))
def test_the_start_of_a_growing_transcript_seldom_changes(sizes: list[int]) -> None:
    """A prompt cache serves what is the same as at the turn before: it is lost once in so many
    turns as fill half of the length."""
    longest = 3 * LONGEST
    full = transcript([[size] for size in sizes])
    shown = [condensed(full[:turn], longest) for turn in range(1, len(full) + 1)]
    lost = [len(later) for earlier, later in pairwise(shown) if later[:-1] != earlier]
    for one, other in pairwise(lost):
        assert length_of(full[one:other]) > longest / 3
    assert length_of(shown[-1]) <= longest


@settings(max_examples=10)
@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=20))
def test_what_was_condensed_stays_so(sizes: list[int]) -> None:
    full = transcript([[size] for size in sizes])
    counts = [
        turn - whole(full[:turn], condensed(full[:turn], LONGEST))
        for turn in range(1, len(full) + 1)
    ]
    assert counts == sorted(counts)


def test_a_result_that_was_left_out_says_so_and_a_short_one_stays() -> None:
    full = transcript([[5_000, 3], *[[5_000]] * 9])
    long, short = condensed(full, LONGEST)[0].results
    assert isinstance(long.content, str) and LEFT_OUT in long.content and "5013" in long.content
    assert len(long.content) < NOTE
    assert short == full[0].results[1]


def test_what_a_model_wrote_is_shortened_and_never_to_nothing() -> None:
    blank: JsonValue = {"type": "text", "text": " " * 400 + "Then I saw it." + "!" * 400}
    first = exchange(1, [5_000])
    full = (first.model_copy(update={"said": (blank, *first.said)}), *transcript([[5_000]] * 9))
    (written, *_) = condensed(full, LONGEST)[0].said
    assert isinstance(written, dict)
    assert str(written["text"]).startswith("Then I saw it.")
    assert len(str(written["text"])) <= LONGEST_THOUGHT


def test_a_condensed_transcript_still_tells_a_refused_call() -> None:
    call = ToolCall(call_id="task/tool.1.1", server="a", tool="tool")
    failed = ToolResult(call=call, status=ToolStatus.REFUSED, error="no such ticker. " * 100)
    full = (
        Exchange(results=(failed,), said=(use("1.1"),)),
        *transcript([[5_000]] * 10),
    )
    (told,) = condensed(full, LONGEST)[0].results
    assert (told.status, told.content) == (ToolStatus.REFUSED, None)
    assert (told.error or "").startswith("no such ticker.") and len(told.error or "") <= NOTE
