"""Tables of evaluations: what is counted, and how two are held against each other."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from desk.evaluation.scores import Suite, TaskCheck, TaskScore, Verdict, Work
from desk.evaluation.table import ALL, EvaluationTable, compared, lines_of, to_markdown, work_lines


def task(name: str, *verdicts: Verdict, suite: Suite = Suite.ASK, **work: int) -> TaskScore:
    checks = tuple(
        TaskCheck(check_id=f"{name}/{n}", kind="plain", verdict=verdict)
        for n, verdict in enumerate(verdicts)
    )
    return TaskScore(
        task_id=name, suite=suite, asked="What?", checks=checks, work=Work.model_validate(work)
    )


def forecast(probability: float, outcome: float) -> TaskScore:
    check = TaskCheck(
        check_id="f",
        kind="forecast",
        verdict=Verdict.SCORED,
        probability=probability,
        outcome=outcome,
    )
    return TaskScore(task_id="f", suite=Suite.STOCK, asked="NVDA", checks=(check,))


def table(model: str, *tasks: TaskScore) -> EvaluationTable:
    return EvaluationTable(
        model=model,
        seed=1,
        asked={Suite.ASK: len(tasks)},
        made_at=datetime(2026, 11, 24, tzinfo=UTC),
        seconds=1,
        lines=lines_of(tasks),
        work=work_lines(tasks),
        tasks=tasks,
    )


def test_right_refusals_count_as_right_and_near_ones_only_among_three() -> None:
    verdicts = (Verdict.RIGHT, Verdict.RIGHTLY_REFUSED, Verdict.NEAR, Verdict.INVENTED)
    line = next(line for line in lines_of([task("1", *verdicts)]) if line.kind == ALL)
    assert (line.checks, line.accuracy, line.shown) == (4, 0.5, 0.75)


def test_what_is_quoted_under_a_refusal_is_in_sight_up_to_the_third_place() -> None:
    checks = [
        TaskCheck(check_id=f"{place}", kind="plain", verdict=Verdict.REFUSED, place=place)
        for place in (1, 3, 4, None)
    ]
    asked = TaskScore(task_id="1", suite=Suite.ASK, asked="What?", checks=tuple(checks))
    line = next(line for line in lines_of([asked]) if line.kind == ALL)
    assert (line.refused, line.accuracy, line.shown) == (4, 0.0, 0.5)


def test_a_forecast_counts_by_its_brier_score_alone() -> None:
    whole = next(line for line in lines_of([forecast(0.75, 1.0)]) if line.kind == ALL)
    assert (whole.checks, whole.forecasts, whole.brier) == (0, 1, 0.0625)


def test_what_tasks_took_is_told_as_means_and_sums() -> None:
    spent = [task("1", turns=4, tokens=100, objected=1), task("2", turns=7, tokens=50, mended=1)]
    (line,) = work_lines(spent)
    assert (line.tasks, line.turns, line.tokens, line.usd) == (2, 5.5, 75.0, Decimal("0.0000"))
    assert (line.total.objected, line.total.mended) == (1, 1)


def test_what_was_not_right_stands_in_the_markdown_with_what_was_expected() -> None:
    wrong = task("1", Verdict.WRONG)
    (check,) = wrong.checks
    told = check.model_copy(update={"expected": "12 minutes", "said": "a | b"})
    text = to_markdown(table("m", wrong.model_copy(update={"checks": (told,)})))
    assert "| wrong | plain: What? | 12 minutes | a \\| b |" in text


def test_two_tables_are_compared_check_by_check() -> None:
    right, wrong = Verdict.RIGHT, Verdict.WRONG
    one = table("one", task("1", right, right, right), task("2", right), task("apart", right))
    other = table("other", task("1", right, wrong, wrong), task("2", wrong))
    found = compared(one, other)
    (suite,) = found.suites
    assert (suite.checks, suite.first, suite.second) == (4, 4, 1)
    assert (suite.only_first, suite.only_second, found.apart) == (3, 0, 1)
    assert suite.p_value == pytest.approx(0.25)


def test_a_run_that_failed_is_right_at_nothing() -> None:
    one = table("one", task("1", Verdict.RIGHT, Verdict.RIGHT))
    failed = task("1").model_copy(
        update={"checks": (TaskCheck(check_id="1/run", kind="run", verdict=Verdict.FAILED),)}
    )
    (suite,) = compared(one, table("other", failed)).suites
    assert (suite.checks, suite.only_first) == (2, 2)
