"""Objectives whose answer is known, and what a report on one is worth: by its typed fields."""

import json

import pytest

from desk.contracts.findings.claims import Claim, Unit, claim_id
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import YesOrNo
from desk.evaluation.scores import Verdict
from desk.evaluation.swarm import SwarmTask, scored_swarm, swarm_tasks
from tests.support.homes import PROJECT

TASKS = swarm_tasks(1, 8)
TASK = TASKS[0]


def report(
    task: SwarmTask, decided: YesOrNo | None, value: float, *, told: bool = True
) -> AnswerReport:
    """A report on an objective that states the deciding figure and may refer to it."""
    published = (PROJECT / "tests" / "published" / "swarm.json").read_text()
    name = claim_id(task.market, task.metric)
    claim = Claim(
        claim_id=name,
        subject=task.market,
        metric=task.metric,
        value=f"{value:.2f}",
        unit=Unit.INDEX,
        as_of=task.as_of.date(),
    )
    return AnswerReport.model_validate(json.loads(published)).model_copy(
        update={
            "decided": decided,
            "claims": (claim,),
            "summary_prose": f"Yes: it is [[{name}]]." if told else "Yes: that is so.",
        }
    )


@pytest.mark.parametrize(
    ("decided", "verdict"),
    [
        (YesOrNo.YES, Verdict.RIGHT),
        (YesOrNo.NO, Verdict.WRONG),
        (YesOrNo.OPEN, Verdict.REFUSED),
        (None, Verdict.REFUSED),
    ],
)
def test_yes_or_no_is_read_from_its_field_and_not_from_the_sentence(
    decided: YesOrNo | None, verdict: Verdict
) -> None:
    assert TASK.holds
    answer, _ = scored_swarm(TASK, report(TASK, decided, TASK.value))
    assert answer.verdict is verdict


def test_the_deciding_figure_has_to_be_referred_to_and_right() -> None:
    figures = [
        scored_swarm(TASK, each)[1].verdict
        for each in (
            report(TASK, YesOrNo.YES, TASK.value),
            report(TASK, YesOrNo.YES, TASK.value + 5),
            report(TASK, YesOrNo.YES, TASK.value, told=False),
        )
    ]
    assert figures == [Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED]


def test_objectives_are_answered_both_ways_and_half_of_them_by_words_alone() -> None:
    assert swarm_tasks(1, 8) == TASKS != swarm_tasks(2, 8)
    assert sum(task.holds for task in TASKS) == 4 == sum(task.named for task in TASKS)
    assert len({task.form for task in TASKS}) == 4
