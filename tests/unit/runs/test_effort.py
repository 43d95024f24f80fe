"""How much a model thinks and how often it may be asked, by the priority of its market."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from desk.contracts.agents.tasks import FEWEST_TURNS, AgentLimits, Effort
from desk.runs.assignments.tasks import effort_for, turns_for

RISING = (Effort.LOW, Effort.MEDIUM, Effort.HIGH)


def test_what_comes_first_is_thought_about_most() -> None:
    efforts = [effort_for(priority) for priority in (5, 4, 3, 2, 1)]
    assert efforts == sorted(efforts, key=RISING.index)
    assert set(efforts) == set(RISING)


@given(st.integers(1, 200))
def test_more_effort_is_more_turns_and_never_more_than_the_limit(most: int) -> None:
    limits = AgentLimits(max_turns=most)
    turns = [turns_for(effort, limits) for effort in RISING]
    assert all(one <= other for one, other in pairwise(turns))
    assert turns[-1] == most
    assert turns[0] >= min(FEWEST_TURNS, most)


def test_even_at_the_least_effort_a_model_asks_its_tools_and_is_corrected_once() -> None:
    """An opening, in which the desk asks, stands for the first of its turns."""
    assert turns_for(Effort.LOW, AgentLimits()) - 1 >= len(("ask", "deliver", "correct"))
