"""Two tables of the same tasks side by side."""

from collections.abc import Iterator
from math import comb

from desk.contracts.base import Contract, ShortText
from desk.evaluation.scores import Suite, Verdict
from desk.evaluation.table import EvaluationTable


class ComparedSuite(Contract):
    """What two models made of the same checks of a suite.

    `only_first` are right by the first model alone, `only_second` by the second alone. `p_value`
    is the two-sided exact probability of such a split where both are as good (McNemar, 1947).
    """

    suite: Suite
    checks: int
    first: int
    second: int
    only_first: int
    only_second: int
    p_value: float


class TableComparison(Contract):
    """Two tables compared; `apart` are the tasks that only one of them has."""

    first: ShortText
    second: ShortText
    suites: tuple[ComparedSuite, ...]
    apart: int


def compared(first: EvaluationTable, second: EvaluationTable) -> TableComparison:
    """The checks of the tasks that both tables have, suite by suite; forecasts do not count. Of a
    task that a model failed at none is right."""
    ones, others = _tasks(first), _tasks(second)
    both = [name for name in ones if name in others]
    suites = [each for each in Suite if any(suite is each for suite, _ in both)]
    return TableComparison(
        first=first.model,
        second=second.model,
        suites=tuple(
            _suite(suite, [(ones[name], others[name]) for name in both if name[0] is suite])
            for suite in suites
        ),
        apart=len(ones.keys() ^ others.keys()),
    )


def _tasks(table: EvaluationTable) -> dict[tuple[Suite, str], dict[str, bool]]:
    """Of each task which checks are right; of one that failed none is there."""
    return {
        (task.suite, task.task_id): {
            check.check_id: check.verdict.correct
            for check in task.checks
            if check.verdict not in (Verdict.SCORED, Verdict.FAILED)
        }
        for task in table.tasks
    }


def _suite(suite: Suite, pairs: list[tuple[dict[str, bool], dict[str, bool]]]) -> ComparedSuite:
    right = [
        (one.get(name, False), other.get(name, False))
        for one, other in pairs
        for name in dict.fromkeys((*one, *other))
    ]
    only_first, only_second = right.count((True, False)), right.count((False, True))
    return ComparedSuite(
        suite=suite,
        checks=len(right),
        first=sum(a for a, _ in right),
        second=sum(b for _, b in right),
        only_first=only_first,
        only_second=only_second,
        p_value=round(_sign_test(only_first, only_second), 4),
    )


def _sign_test(one: int, other: int) -> float:
    """The two-sided exact probability of a split at least as uneven of so many fair coins."""
    whole, fewer = one + other, min(one, other)
    tail = sum(comb(whole, k) for k in range(fewer + 1)) / (1 << whole)
    return min(1.0, 2 * tail)


def comparison_rows(found: TableComparison) -> Iterator[tuple[str, ...]]:
    """The cells of each suite's line."""
    for suite in found.suites:
        whole = suite.checks or 1
        yield (
            suite.suite,
            str(suite.checks),
            f"{100 * suite.first / whole:.1f} %",
            f"{100 * suite.second / whole:.1f} %",
            str(suite.only_first),
            str(suite.only_second),
            f"{suite.p_value}",
        )


COMPARISON_TITLES = ("suite", "checks", "A", "B", "only A right", "only B right", "p")
