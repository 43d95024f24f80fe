"""The labelled conflicts: what the desk must get right, and what it is known to get wrong."""

from collections import Counter
from functools import cache

import pytest

from tests.trust.conflicts.conflict_cases import Case, Expected
from tests.trust.conflicts.conflict_suite import (
    WANTED,
    Ending,
    cases,
    desk,
    majority,
    most_recent,
    table,
)

KNOWN_FAILURES = {"three lesser origins, the publisher silent"}
"""Where nobody has read the publisher, a vote cannot know that the many are wrong."""


@pytest.fixture(scope="module")
def printed() -> str:
    return table()


@cache
def ended() -> tuple[tuple[Case, Ending], ...]:
    """What the desk makes of each case."""
    return tuple((case, desk(case)) for case in cases())


def test_there_are_hundreds_of_cases_of_every_kind() -> None:
    counts = Counter(case.expected for case in cases())
    assert len(cases()) >= 400
    assert min(counts[expected] for expected in Expected) >= 80


def test_the_desk_ends_every_case_as_it_should() -> None:
    wrong = [
        (case.group, case.results[0].market, ending)
        for case, ending in ended()
        if case.group not in KNOWN_FAILURES and ending is not WANTED[case.expected]
    ]
    assert wrong == []


@pytest.mark.parametrize("group", sorted(KNOWN_FAILURES))
def test_what_the_desk_is_known_to_settle_wrongly_is_still_shown(group: str, printed: str) -> None:
    endings = {ending for case, ending in ended() if case.group == group}
    assert endings == {Ending.WRONG}
    assert f"| {group} (settled right) |" in printed


def test_both_baselines_settle_more_wrongly_than_the_desk() -> None:
    def wrong(method: object) -> int:
        assert callable(method)
        return sum(method(case) is Ending.WRONG for case in cases())

    of_desk = sum(ending is Ending.WRONG for _, ending in ended())
    assert of_desk < min(wrong(majority), wrong(most_recent))


def test_a_case_is_right_only_for_results_that_it_has() -> None:
    def names(case: Case) -> set[str]:
        return {result.result_id for result in case.results}

    assert all(case.right <= names(case) and case.right for case in cases())


def test_the_table_is_the_same_every_time(printed: str) -> None:
    assert table() == printed
    assert printed.startswith("| method | cases |")
