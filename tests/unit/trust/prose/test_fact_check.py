"""A fact check can only remove sentences of the text that it read, and the text says so."""

import pytest

from desk.contracts.findings.results import Commentary, WrittenTheme
from desk.contracts.findings.verdicts import FactCheck, FactObjection
from desk.contracts.names import AgentId
from desk.contracts.question.knowledge import Section, Synthesis, YesOrNo
from desk.contracts.swarm.plan import Refinement
from desk.trust.prose import fact_checked, not_fact_checked, numbered_sentences, objected_sentences
from tests.support.runs.hypotheses import hypothesis

ANSWER = Synthesis(
    task_id="synthesis",
    agent=AgentId.SYNTHESIS_AGENT,
    summary="The yen fell. Since January it fell further.",
    sections=(Section(title="Why", content="Rates rose.\n\nNothing else is known."),),
    missing=("no headline was found",),
)


def objecting(*numbers: int) -> FactCheck:
    objections = (FactObjection(sentence=n, claim=None, reason="not said") for n in numbers)
    return FactCheck(task_id="synthesis", objections=tuple(objections), ignored=2)


def checked(text: Synthesis, *numbers: int) -> Synthesis:
    left = fact_checked(text, objecting(*numbers))
    assert isinstance(left, Synthesis)
    return left


def test_every_sentence_that_the_writer_wrote_has_a_number_and_what_is_missing_has_none() -> None:
    assert [(each.number, each.place, each.prose) for each in numbered_sentences(ANSWER)] == [
        (1, "summary", "The yen fell."),
        (2, "summary", "Since January it fell further."),
        (3, "section 1, title", "Why"),
        (4, "section 1", "Rates rose."),
        (5, "section 1", "Nothing else is known."),
    ]


def test_a_check_without_objections_leaves_every_word_and_says_that_it_was_made() -> None:
    left = checked(ANSWER)
    assert left.model_copy(update={"fact_check": None}) == ANSWER
    assert left.fact_check
    assert (left.fact_check.sentences, left.fact_check.omitted) == (5, 0)
    assert (left.fact_check.ignored, left.fact_check.unchecked) == (2, None)


def test_a_sentence_that_is_objected_to_is_left_out_and_counted() -> None:
    left = checked(ANSWER, 2, 4)
    assert left.summary == "The yen fell."
    assert left.sections == (Section(title="Why", content="Nothing else is known."),)
    assert left.fact_check
    assert left.fact_check.omitted == 2
    assert left.dropped == ()


def test_the_writer_is_told_the_sentence_and_the_reason() -> None:
    (rejected,) = objected_sentences(ANSWER, objecting(2, 99))
    assert (rejected.sentence, rejected.reason) == ("Since January it fell further.", "not said")


def test_a_title_and_the_only_sentence_of_a_section_count_as_one_each() -> None:
    only = ANSWER.model_copy(update={"sections": (Section(title="Why", content="Rates rose."),)})
    for number in (3, 4):
        left = checked(only, number)
        assert left.fact_check
        assert left.fact_check.omitted == 1


def test_a_sentence_of_any_length_is_left_out() -> None:
    long = f"It rose {'again and ' * 500}again."
    left = checked(ANSWER.model_copy(update={"sections": (Section(title="W", content=long),)}), 4)
    assert left.sections == ()


def test_a_hypothesis_and_a_further_objective_are_not_read() -> None:
    ahead = {
        "hypotheses": (hypothesis(statement="It rises.", refuted_by="a fall"),),
        "further": Refinement(objective="Look further.", reason="Nothing is decided."),
    }
    text = ANSWER.model_copy(update=ahead)
    assert numbered_sentences(text) == numbered_sentences(ANSWER)
    left = checked(text, 2)
    assert (left.hypotheses, left.further) == (text.hypotheses, text.further)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (ANSWER, (1, 2)),
        (ANSWER.model_copy(update={"decided": YesOrNo.YES}), (1,)),
    ],
)
def test_an_answer_without_what_makes_it_one_is_left_to_the_fallback(
    text: Synthesis, numbers: tuple[int, ...]
) -> None:
    assert fact_checked(text, objecting(*numbers)) is None


def test_a_theme_goes_with_what_it_is_about_and_the_rest_of_a_commentary_stays() -> None:
    themes = (
        WrittenTheme(title="The yen leads", moved="The yen fell.", why="Rates rose."),
        WrittenTheme(title="The euro", moved="Nothing moved more."),
    )
    text = Commentary(task_id="comment", headline="A quiet week.", themes=themes)
    assert [each.place for each in numbered_sentences(text)][3] == "theme 1, why"
    left = fact_checked(text, objecting(4, 6))
    assert isinstance(left, Commentary)
    assert left.themes == (themes[0].model_copy(update={"why": None}),)
    assert left.headline == "A quiet week."
    assert fact_checked(text, objecting(1, 2, 5)) is None


def test_a_text_that_nobody_checked_stays_as_it_is_and_says_why() -> None:
    left = not_fact_checked(ANSWER, "the budget is used up")
    assert isinstance(left, Synthesis)
    assert left.model_copy(update={"fact_check": None}) == ANSWER
    assert left.fact_check
    assert left.fact_check.unchecked == "the budget is used up"
