"""Every promise of docs/promises.md names tests that there are."""

import re

import pytest

from tests.support.processes.homes import PROJECT

PAGE = PROJECT / "docs" / "promises.md"


def promises() -> dict[str, list[str]]:
    """The tests that each promise names."""
    rows = re.findall(r"^\| (?!promise|---)(.+?) \| (.+?) \|$", PAGE.read_text(), re.M)
    return {promise: re.findall(r"`([^`\s]+)`", held.split("; over ")[0]) for promise, held in rows}


@pytest.mark.parametrize(("promise", "named"), promises().items())
def test_a_promise_is_held_by_tests_that_there_are(promise: str, named: list[str]) -> None:
    assert named, promise
    for name in named:
        file, _, function = name.partition(":")
        place = PROJECT / "tests" / file
        assert place.is_file(), f"{promise}: no {file}"
        if function:
            assert f"def {function}(" in place.read_text(), f"{promise}: {function} is not there"
