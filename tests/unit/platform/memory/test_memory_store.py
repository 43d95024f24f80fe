"""The embedded memory: what it keeps, and what it finds of it."""

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.analytics.retrieval.meaning import EmbeddingModel
from desk.contracts.learning.memory import RELEVANCE_FLOOR, MemoryEntry, MemoryKind
from desk.platform.memory.embedded import EmbeddedMemory
from tests.memory.remembered import KNOWN_FROM, SameWords, asked, entry, fill, ids
from tests.support.processes.forks import at_once


def memory(folder: Path, meaning: EmbeddingModel | None = None) -> EmbeddedMemory:
    return EmbeddedMemory(folder / "memory.db", lambda: meaning)


@pytest.fixture(params=["words alone", "words and meaning"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EmbeddedMemory:
    return memory(tmp_path, SameWords() if request.param == "words and meaning" else None)


def test_what_was_put_is_found_again_by_another_process_s_store(
    store: EmbeddedMemory, tmp_path: Path
) -> None:
    given = [entry("b", day=1), entry("a", day=2)]
    assert store.put(given) == 2
    assert memory(tmp_path).entries() == tuple(given)
    assert ids(memory(tmp_path).search(asked("closed carry positions"))) == ["a", "b"]


def test_a_second_entry_of_an_id_takes_the_place_of_the_first(store: EmbeddedMemory) -> None:
    store.put([entry("a", "The franc is a haven."), entry("b", "Iron ore carries the Aussie.")])
    store.put([entry("a", "The krona follows stocks.", markets=("USD/SEK",))])
    assert [one.text for one in store.entries()] == [
        *("The krona follows stocks.", "Iron ore carries the Aussie."),
    ]
    (best, *_) = store.search(asked("krona"))
    assert best.entry.memory_id == "a"
    assert "a" not in ids(store.search(asked("Aussie", most=1)))


def test_the_same_entry_twice_at_once_is_one(store: EmbeddedMemory) -> None:
    assert store.put([entry("a"), entry("a", "The latter holds.")]) == 1
    assert [one.text for one in store.entries()] == ["The latter holds."]


def test_entries_of_the_run_that_asks_are_left_out(store: EmbeddedMemory) -> None:
    store.put([entry("mine", day=9, run="swarm-2"), entry("another's", run="swarm-1")])
    query = asked("carry positions", day=9, besides="swarm-2")
    assert ids(store.search(query)) == ["another's"]


def test_those_of_an_earlier_run_of_its_name_are_told(store: EmbeddedMemory) -> None:
    store.put([entry("mine", day=9, run="swarm-2"), entry("a month ago", run="swarm-2")])
    query = asked("carry positions", day=9, besides="swarm-2")
    assert ids(store.search(query)) == ["a month ago"]


def test_only_kinds_that_are_asked_for_come_back(store: EmbeddedMemory) -> None:
    store.put([entry(kind, kind=kind) for kind in MemoryKind])
    wanted = (MemoryKind.PLAN, MemoryKind.OUTCOME)
    assert sorted(ids(store.search(asked("carry", kinds=wanted)))) == sorted(wanted)


def test_entries_about_a_market_go_first_and_others_follow(store: EmbeddedMemory) -> None:
    store.put(
        [
            entry("best words", "closed carry positions in yen", markets=("EUR/USD",)),
            entry("right market", "positions were light", markets=("USD/JPY", "NVDA")),
        ]
    )
    question = "closed carry positions in yen"
    assert ids(store.search(asked(question))) == ["best words", "right market"]
    found = store.search(asked(question, markets=("NVDA",)))
    assert ids(found) == ["right market", "best words"]
    assert found[0].score >= 0.5 >= found[1].score


def test_a_market_finds_what_shares_no_word_with_the_question(store: EmbeddedMemory) -> None:
    store.put([entry("a", "Nothing of note.", objective="a quiet week", markets=("USD/JPY",))])
    assert ids(store.search(asked("unwinding", markets=("USD/JPY",)))) == ["a"]


def test_a_pair_is_found_however_it_is_written(tmp_path: Path) -> None:
    store = memory(tmp_path)
    store.put([entry("a", "Nothing of note.", objective="a quiet week", markets=("USD/JPY",))])
    assert ids(store.search(asked("usdjpy"))) == ids(store.search(asked("USD/JPY"))) == ["a"]


def test_words_count_in_any_of_their_forms(tmp_path: Path) -> None:
    store = memory(tmp_path)
    store.put([entry("a", "Traders were hedging their exports.", objective="hedges")])
    assert ids(store.search(asked("an exporter hedged"))) == ["a"]


def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    entries = [entry("haven", "safety", objective="safety"), entry("ore", "metal", objective="x")]
    by_words, by_both = memory(tmp_path / "1"), memory(tmp_path / "2", SameWords(refuge="safety"))
    for store in (by_words, by_both):
        store.put(entries)
    assert by_words.search(asked("refuge")) == ()
    assert ids(by_both.search(asked("refuge")))[0] == "haven"


def test_entries_of_before_there_was_a_model_are_given_their_vectors_once(tmp_path: Path) -> None:
    memory(tmp_path).put([entry("a", "safety", objective="safety"), entry("b", "metal")])
    meaning = SameWords(refuge="safety")
    for _ in range(2):
        assert ids(memory(tmp_path, meaning).search(asked("refuge")))[0] == "a"
    assert meaning.made == 2


def test_entries_that_are_put_again_are_given_the_vectors_that_they_lack(tmp_path: Path) -> None:
    memory(tmp_path).put([entry("a")])
    meaning = SameWords()
    for _ in range(2):
        memory(tmp_path, meaning).put([entry("a")])
    assert meaning.made == 1


def test_without_a_model_vectors_that_there_are_stay(tmp_path: Path) -> None:
    meaning = SameWords()
    memory(tmp_path, meaning).put([entry("a")])
    memory(tmp_path).put([entry("a")])
    memory(tmp_path, meaning).search(asked("carry"))
    assert meaning.made == 1


def test_what_is_forgotten_is_gone(store: EmbeddedMemory) -> None:
    store.put([entry("a")])
    store.clear()
    assert store.entries() == ()
    assert store.search(asked("carry")) == ()


def test_no_more_come_back_than_are_asked_for_and_scores_fall(store: EmbeddedMemory) -> None:
    store.put([entry(f"{n}", f"carry {n} positions", day=n) for n in range(30)])
    found = store.search(asked("carry positions 7", most=12))
    assert len(found) == 12
    assert found[0].entry.memory_id == "7"
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)
ENTRIES = st.lists(
    st.builds(
        entry,
        st.sampled_from("abcdefgh"),
        st.one_of(TEXTS, st.sampled_from(["carry unwinds", "yen rises", "carry yen", "haven"])),
        kind=st.sampled_from(MemoryKind),
        markets=st.sampled_from([(), ("USD/JPY",), ("NVDA", "EUR/USD")]),
        day=st.integers(0, 20),
        run=st.sampled_from(["swarm-1", "swarm-2"]),
    ),
    max_size=12,
)


@given(
    entries=ENTRIES,
    question=st.one_of(TEXTS, st.just("is the yen carry unwinding?")),
    day=st.integers(0, 20),
    markets=st.sampled_from([(), ("USD/JPY",)]),
    kinds=st.sampled_from([(), (MemoryKind.PLAN, MemoryKind.FINDINGS)]),
    with_meaning=st.booleans(),
)
def test_what_came_later_neither_comes_back_nor_changes_what_does(
    entries: list[MemoryEntry],
    question: str,
    day: int,
    markets: tuple[str, ...],
    kinds: tuple[MemoryKind, ...],
    with_meaning: bool,
) -> None:
    meaning = SameWords() if with_meaning else None
    query = asked(question, day=day, markets=markets, kinds=kinds, besides="swarm-2", most=40)
    latest = {one.memory_id: one for one in entries}.values()
    with TemporaryDirectory() as folder:
        now, then = memory(Path(folder) / "now", meaning), memory(Path(folder) / "then", meaning)
        now.put(entries)
        then.put([one for one in latest if one.as_of <= query.as_of])
        found = now.search(query)
        assert found == then.search(query)
    assert all(one.entry.as_of <= query.as_of for one in found)
    own = (one.entry for one in found if one.entry.workflow_id == "swarm-2")
    assert all(one.as_of < query.as_of for one in own)
    assert all(one.entry.kind in (kinds or MemoryKind) for one in found)


@pytest.mark.parametrize(("microseconds", "found"), [(-1, []), (0, ["a"]), (1, ["a"])])
def test_the_instant_itself_is_known_and_the_microsecond_before_is_not(
    store: EmbeddedMemory, microseconds: int, found: list[str]
) -> None:
    store.put([entry("a")])
    query = asked("carry").model_copy(
        update={"as_of": KNOWN_FROM + timedelta(microseconds=microseconds)}
    )
    assert ids(store.search(query)) == found


def test_two_processes_that_begin_and_fill_one_memory_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    assert at_once(tmp_path, fill, (path, "one", 40, "both"), (path, "two", 40, "both")) == [0, 0]
    kept = {one.memory_id for one in memory(tmp_path).entries()}
    numbered = {f"{name}-{number}" for name in ("one", "two") for number in range(40)}
    assert kept == numbered | {"both"}
    assert memory(tmp_path).lost() is None


def test_what_has_nothing_to_do_with_the_question_is_not_recalled_however_few_there_are(
    tmp_path: Path,
) -> None:
    store = memory(tmp_path, SameWords())
    store.put([entry("bread", "sourdough from rye", objective="x", markets=("EUR/USD",))])
    unlike = asked("does the yen carry trade unwind")
    assert store.search(unlike) == ()
    (market,) = store.search(unlike.model_copy(update={"markets": ("EUR/USD",)}))
    assert market.relevance == 1
    (words,) = store.search(asked("rye bread and butter knives"))
    assert words.relevance is not None and words.relevance >= RELEVANCE_FLOOR


def test_one_word_of_many_is_too_little(tmp_path: Path) -> None:
    store = memory(tmp_path)
    store.put([entry("rye", "sourdough from rye", objective="x")])
    assert store.search(asked("rye field harvest weather tractor")) == ()
    assert len(store.search(asked("rye field harvest"))) == 1


@pytest.mark.parametrize("by_meaning", [False, True])
def test_what_is_about_other_markets_than_a_question_names_is_not_recalled(
    tmp_path: Path, by_meaning: bool
) -> None:
    store = memory(tmp_path, SameWords() if by_meaning else None)
    weak = "It is weak: momentum points down."
    store.put(
        [
            entry("loonie", weak, markets=("USD/CAD",), objective="is the loonie weak?"),
            entry("cable", weak, markets=("GBP/USD",), objective="is cable weak?"),
            entry(
                "cross", weak, markets=("USD/CAD",), objective="is the loonie or the pound weak?"
            ),
            entry("bank", weak, markets=("GB",), objective="is its bank weak?"),
        ]
    )
    assert {*ids(store.search(asked("is sterling weak?")))} == {"cable", "cross", "bank"}
    assert len(store.search(asked("is momentum weak?"))) == 4
    dollar = ids(store.search(asked("is the dollar weak?")))
    assert "loonie" in dollar and "bank" not in dollar
