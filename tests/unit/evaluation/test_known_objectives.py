"""Objectives whose answer is known, and what a report on one is worth: by its typed fields."""

import json
from pathlib import Path

import pytest

from desk.contracts.findings.claims import Claim, Unit, claim_id
from desk.contracts.question.answers import AnswerReport
from desk.contracts.question.knowledge import YesOrNo
from desk.contracts.runs.swarm import SwarmRequest
from desk.evaluation.scores import Suite, Verdict
from desk.evaluation.swarm import KINDS, UNDECIDED, SwarmTask, scored_swarm, swarm_tasks
from desk.evaluation.swarm_wordings import SEALED_FROM, WORDINGS, wordings_of
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.platform.settings import load_settings
from desk.programs.swarm.objectives import ABOUT, matched
from desk.programs.swarm.objectives.nearness import wordings
from starters.evaluation.suites import runs_of
from tests.support.processes.homes import PROJECT


@pytest.fixture(scope="module")
def task() -> SwarmTask:
    """The first of the tasks."""
    return swarm_tasks(1, 8)[0]


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
    task: SwarmTask, decided: YesOrNo | None, verdict: Verdict
) -> None:
    assert task.holds
    answer, _ = scored_swarm(task, report(task, decided, task.value))
    assert answer.verdict is verdict


def test_the_deciding_figure_has_to_be_referred_to_and_right(task: SwarmTask) -> None:
    figures = [
        scored_swarm(task, each)[1].verdict
        for each in (
            report(task, YesOrNo.YES, task.value),
            report(task, YesOrNo.YES, task.value + 5),
            report(task, YesOrNo.YES, task.value, told=False),
        )
    ]
    assert figures == [Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED]


def test_objectives_are_of_all_kinds_and_most_are_found_by_their_words() -> None:
    tasks = swarm_tasks(1, 24)
    assert tasks == swarm_tasks(1, 24) != swarm_tasks(2, 24)
    assert {task.form for task in tasks} == {*(kind.form for kind in KINDS), UNDECIDED}
    known = [task for task in tasks if task.holds is not None]
    assert len(known) == 21
    assert abs(sum(bool(task.holds) for task in known) * 2 - len(known)) <= 3
    assert sum(task.named for task in known) == 7
    assert not any(task.named for task in tasks if task.holds is None)


def test_sealed_seeds_ask_in_other_words_than_those_built_with() -> None:
    built, sealed = (
        {wording for form in WORDINGS for wording in wordings_of(form, seed)}
        for seed in (1, SEALED_FROM)
    )
    assert not built & sealed
    own = {wording for said in wordings().values() for wording in said}
    asked = {each.format("it").lower().rstrip("?") for each in built | sealed}
    assert not own & asked, "no form knows the words that it is asked in"


def test_what_no_figure_decides_is_to_be_left_undecided() -> None:
    task = next(each for each in swarm_tasks(1, 24) if each.holds is None)
    (left,) = scored_swarm(task, report(task, None, 1.0))
    assert left.verdict is Verdict.RIGHTLY_REFUSED
    (invented,) = scored_swarm(task, report(task, YesOrNo.NO, 1.0))
    assert invented.verdict is Verdict.INVENTED


def test_a_task_is_started_as_its_command_starts_it(tmp_path: Path) -> None:
    """The form that a task's words come near to is found before the workflow begins."""
    (runs,) = runs_of([Suite.SWARM], 1, 8, tmp_path)
    for number, task in enumerate(swarm_tasks(1, 8)):
        request = runs.start(number, load_settings()).request
        found = matched(task.objective, desk_embedding_model).parameters
        told = {ABOUT: task.form} if task.named else found
        assert isinstance(request, SwarmRequest)
        assert told.items() <= request.query.parameters.items()
