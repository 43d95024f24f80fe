"""A soak fails for each thing that must not be."""

from tests.faults.place import Ended
from tests.faults.soak_tally import MOST_BYTES, Tally

WELL = Ended(0, "", "", 1.0, 0)
MEMORY = {"research": 100_000_000, "sources": 100_000_000}


def soaked() -> Tally:
    """A soak of one week in which all went well."""
    tally = Tally()
    tally.remember(MEMORY)
    tally.started("week")
    tally.ended("week", WELL)
    tally.killed("server")
    tally.remember(MEMORY)
    return tally


def test_a_soak_in_which_all_went_well_has_no_fault() -> None:
    assert soaked().faults() == []


def test_a_run_that_did_not_end_is_a_fault() -> None:
    tally = soaked()
    tally.started("question")
    assert tally.faults() == ["1 of kind question did not end"]


def test_a_turn_that_was_executed_twice_is_a_fault() -> None:
    tally = soaked()
    tally.again = ("weekly/1/research_agent_1.t1",)
    assert tally.faults() == ["weekly/1/research_agent_1.t1 was completed and executed again"]


def test_a_worker_that_grows_past_the_limit_is_a_fault() -> None:
    tally = soaked()
    tally.remember({**MEMORY, "sources": MOST_BYTES + 1_000_000})
    assert tally.faults() == ["the worker of role sources takes 301 MB"]


def test_a_worker_that_ended_by_itself_is_a_fault() -> None:
    tally = soaked()
    tally.remember({**MEMORY, "sources": 0})
    assert tally.faults() == ["the worker of role sources has ended, and nobody killed it"]


def test_a_traceback_on_a_commands_terminal_is_a_fault() -> None:
    tally = soaked()
    tally.started("rerun")
    tally.ended("rerun", WELL._replace(err="Traceback (most recent call last):"))
    assert len(tally.faults()) == 1
