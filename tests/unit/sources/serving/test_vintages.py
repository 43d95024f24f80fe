"""What was known of a source at an instant: never a later revision, never less than was there."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from desk.sources.serving.vintages import (
    CACHED_CORRECTIONS,
    FileAsOf,
    RevisedDatum,
    Vintages,
    revisions_between,
    revisions_path,
)

START = datetime(2026, 10, 1, tzinfo=UTC)
NAMES = "abcde"

States = list[tuple[int, dict[str, str]]]


def hours(count: float) -> datetime:
    return START + timedelta(hours=count)


def published(name: str) -> datetime:
    """The data are due ten hours apart."""
    return hours(10 * NAMES.index(name))


@st.composite
def looks(draw: st.DrawFn) -> States:
    """The file as it was at each look, with the hour of the look."""
    at = sorted(draw(st.sets(st.integers(0, 60), min_size=1, max_size=6)))
    states = st.dictionaries(st.sampled_from(NAMES), st.sampled_from("123"))
    return [(hour, draw(states)) for hour in at]


def noted(states: States) -> tuple[list[RevisedDatum], Mapping[str, str]]:
    """What a desk notes that looks each time, and the last file."""
    revisions: list[RevisedDatum] = []
    for (looked, before), (seen, after) in pairwise(states):
        revisions += revisions_between(
            before, after, seen=hours(seen), looked=hours(looked), published=published
        )
    return revisions, states[-1][1]


@given(looks())
def test_an_instant_is_answered_as_a_desk_did_that_looked_just_before(states: States) -> None:
    revisions, current = noted(states)
    vintages = Vintages(current, revisions, published)
    for seen, state in states:
        due = {name: value for name, value in state.items() if published(name) <= hours(seen)}
        assert vintages.as_of(hours(seen)) == due


@given(looks(), st.floats(0, 80))
def test_nothing_is_told_before_its_provider_published_it(states: States, hour: float) -> None:
    revisions, current = noted(states)
    told = Vintages(current, revisions, published).as_of(hours(hour))
    assert all(published(name) <= hours(hour) for name in told)


@given(looks(), st.floats(0, 80))
def test_between_two_looks_the_earlier_one_counts_and_then_the_publication_rule(
    states: States, hour: float
) -> None:
    """A value is that of the last look before the instant; where that had none, the next seen."""
    revisions, current = noted(states)
    told = Vintages(current, revisions, published).as_of(hours(hour))
    before = [state for seen, state in states if seen <= hour]
    after = [state for seen, state in states if seen > hour]
    for name, value in told.items():
        known = before[-1].get(name) if before else None
        assert value == known or (
            known is None and value == next(state[name] for state in after if name in state)
        )


@given(looks())
def test_what_is_undone_is_what_differs_from_today(states: States) -> None:
    revisions, current = noted(states)
    vintages = Vintages(current, revisions)
    for hour in range(0, 70, 7):
        then = dict(current)
        for name, value in vintages.corrections(hours(hour)).items():
            then.pop(name, None)
            if value is not None:
                then[name] = value
        assert then == vintages.as_of(hours(hour))


def test_a_value_that_was_due_and_not_there_is_known_from_when_it_came() -> None:
    late = revisions_between(
        {}, {"a": "1", "c": "3"}, seen=hours(15), looked=hours(12), published=published
    )
    assert [revision.name for revision in late] == ["a"]
    vintages = Vintages({"a": "1", "c": "3"}, late, published)
    assert vintages.value("a", hours(14)) is None
    assert vintages.value("a", hours(15)) == "1"
    assert vintages.value("c", hours(20)) == "3"


def test_a_desk_that_has_not_looked_for_long_calls_nothing_late() -> None:
    assert not revisions_between(
        {}, {"a": "1"}, seen=hours(90), looked=hours(-1), published=published
    )
    assert not revisions_between({}, {"a": "1"}, seen=hours(90), looked=None, published=published)


class Told:
    """A file that tells one datum, and how often it was told otherwise."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.corrections = 0

    def by_datum(self) -> Mapping[str, str]:
        """See `Correctable`."""
        return {"a": self.value}

    def corrected(self, corrections: Mapping[str, str | None]) -> "Told":
        """See `Correctable`."""
        self.corrections += 1
        return Told(corrections["a"] or "")


def test_of_earlier_states_the_newest_asked_for_are_kept(tmp_path: Path) -> None:
    path = revisions_path("file", tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    states = [{"a": str(number)} for number in range(CACHED_CORRECTIONS + 2)]
    revised: list[RevisedDatum] = []
    for seen, (before, after) in enumerate(pairwise(states)):
        revised += revisions_between(
            before, after, seen=hours(seen), looked=hours(seen - 1), published=published
        )
    path.write_text("".join(f"{each.model_dump_json()}\n" for each in revised))
    now, as_seen = Told(states[-1]["a"]), FileAsOf[Told]("file", tmp_path)
    asked = [as_seen.known_at(now, hours(at - 0.5)).value for at in range(len(revised))]
    assert asked == [state["a"] for state in states[:-1]]
    assert now.corrections == CACHED_CORRECTIONS + 1
    as_seen.known_at(now, hours(len(revised) - 1.5))
    assert now.corrections == CACHED_CORRECTIONS + 1
    as_seen.known_at(now, hours(-0.5))
    assert now.corrections == CACHED_CORRECTIONS + 2, "the oldest was let go"
