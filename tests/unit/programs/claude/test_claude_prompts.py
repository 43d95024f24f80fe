"""Prompts speak of what is there, and of nothing else."""

import re
from importlib.resources import files

import pytest

from desk.contracts.agents.capabilities import Capability
from desk.programs.claude import prompts
from desk.programs.claude.answers import CURRENCIES, OTHER_TOOLS, TOOLS
from desk.programs.claude.prompts import prompt, prompt_for

NAMES = sorted(
    path.name.removesuffix(".md") for path in files(prompts).iterdir() if path.name.endswith(".md")
)
PARTS = {
    *(
        "ahead",
        "answer_of_the_desk",
        "asked_in_vain",
        "asked_now",
        "asked_of_you",
        "calls_left",
        "can_be_looked_into",
    ),
    *(
        "claims",
        "conflicts",
        "counts",
        "decisions_ahead",
        "background",
        "earlier_rounds",
        "events",
        "findings",
        "forms",
        "news",
        "objections",
    ),
    *(
        "days_not_read",
        "found",
        "markets",
        "outcomes_unknown",
        "measured_by",
        "other_figures",
        "same_figures",
        "your_hypothesis_decides",
    ),
    *("came_to_nothing", "question", "quiet", "read", "recalled", "recommendations", "stands_in"),
}
"""What the material of some task holds."""


@pytest.mark.parametrize("name", NAMES)
def test_every_mark_is_one_that_is_understood(name: str) -> None:
    text = prompt(name)
    named = {each for part in re.findall(r"\{\{if ([^}]*)\}\}", text) for each in part.split()}
    assert named <= PARTS | set(map(str, Capability)) | {TOOLS, OTHER_TOOLS, CURRENCIES}
    for there in (set[str](), named):
        assert "{{" not in prompt_for(text, there)


def test_a_part_is_told_where_one_of_its_names_is_there() -> None:
    text = "First.\n{{if news headlines}}\nOf news.\n{{end}}\nLast.\n"
    assert prompt_for(text, {"headlines"}) == "First.\nOf news.\nLast.\n"
    assert prompt_for(text, {"tools"}) == "First.\nLast.\n"


def test_what_is_left_out_leaves_no_gap() -> None:
    text = "First.\n\n{{if news}}\nOf news.\n\n{{end}}\n\nLast.\n"
    assert prompt_for(text, set()) == "First.\n\nLast.\n"


def test_what_stands_for_another_prompt_is_told_in_its_words() -> None:
    assert prompt_for("{{if recalled}}\n{{recalled}}\n{{end}}\n", {"recalled"}) == prompt(
        "recalled"
    )


def test_a_prompt_that_stands_in_another_s_part_tells_what_is_there() -> None:
    text = "{{if claims}}\n{{figures}}\n{{end}}\n"
    of_pairs, of_a_stock = (prompt_for(text, {"claims", *more}) for more in ({CURRENCIES}, ()))
    assert "[[MX:differential|moved]]" in of_pairs
    assert "MX:" not in of_a_stock and "{{" not in of_a_stock
    assert prompt_for(text, {CURRENCIES}) == ""
