"""The table of an evaluation: right, refused and wrong checks, and the cost; and the comparison of
two tables of the same tasks."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from math import comb
from statistics import fmean
from typing import Annotated, Final

from pydantic import Field

from desk.contracts.base import Contract, Figure, Instant, ShortText, is_none
from desk.evaluation.scores import SHOWN, Suite, TaskCheck, TaskScore, Verdict, Work

ALL: Final = "all"


class KindLine(Contract):
    """The results of the checks of one kind, or of a whole suite (`all`).

    `accuracy` is the share that is right, right refusals included. `shown` is that share when
    everything in the reader's view counts: answers in one of the first three places, including the
    nearest quotation under a refusal. Forecasts are in neither: `brier` is the mean of (probability
    - outcome)^2 over `forecasts` (Brier, 1950), 0.25 for always one half.
    """

    suite: Suite
    kind: ShortText
    checks: int
    right: int
    near: int
    wrong: int
    refused: int
    rightly_refused: int
    invented: int
    failed: int
    accuracy: float
    shown: float
    forecasts: int = 0
    brier: Annotated[float | None, Field(exclude_if=is_none)] = None


class SuiteWork(Contract):
    """What the tasks of a suite took: the totals, and the means per task."""

    suite: Suite
    tasks: int
    total: Work
    turns: float
    tokens: float
    usd: Figure
    seconds: float


class EvaluationTable(Contract):
    """An evaluation of one model, as it is stored: two such tables can be compared.

    `model` is `builtin` for the built-in analysts. `seed` and `tasks` reproduce the same tasks.
    """

    model: ShortText
    seed: int
    asked: Annotated[dict[Suite, int], Field(max_length=10)]
    made_at: Instant
    seconds: float
    lines: Annotated[tuple[KindLine, ...], Field(max_length=200)]
    work: Annotated[tuple[SuiteWork, ...], Field(max_length=10)]
    tasks: Annotated[tuple[TaskScore, ...], Field(max_length=5_000)]


def lines_of(tasks: Sequence[TaskScore]) -> tuple[KindLine, ...]:
    """Returns the lines of all suites: one for each kind, and one for the whole suite."""
    found: list[KindLine] = []
    for suite in Suite:
        checks = [check for task in tasks if task.suite is suite for check in task.checks]
        kinds = dict.fromkeys(check.kind for check in checks)
        found += [_line(suite, k, [c for c in checks if c.kind == k]) for k in kinds]
        found += [_line(suite, ALL, checks)] if checks else []
    return tuple(found)


def work_lines(tasks: Sequence[TaskScore]) -> tuple[SuiteWork, ...]:
    """Returns the cost of each suite."""
    of_suites = {suite: [t.work for t in tasks if t.suite is suite] for suite in Suite}
    return tuple(_work_line(suite, works) for suite, works in of_suites.items() if works)


def _line(suite: Suite, kind: str, checks: Sequence[TaskCheck]) -> KindLine:
    counted = [check for check in checks if check.verdict is not Verdict.SCORED]
    count = {each: sum(c.verdict is each for c in counted) for each in Verdict}
    correct = count[Verdict.RIGHT] + count[Verdict.RIGHTLY_REFUSED]
    whole = len(counted) or 1
    errors = list(_errors(checks))
    return KindLine(
        suite=suite,
        kind=kind,
        checks=len(counted),
        right=count[Verdict.RIGHT],
        near=count[Verdict.NEAR],
        wrong=count[Verdict.WRONG],
        refused=count[Verdict.REFUSED],
        rightly_refused=count[Verdict.RIGHTLY_REFUSED],
        invented=count[Verdict.INVENTED],
        failed=count[Verdict.FAILED],
        accuracy=round(correct / whole, 4),
        shown=round(sum(map(_in_sight, counted)) / whole, 4),
        forecasts=len(errors),
        brier=round(fmean(errors), 4) if errors else None,
    )


def _in_sight(check: TaskCheck) -> bool:
    quoted = check.place is not None and check.place <= SHOWN
    return quoted or check.verdict.correct or check.verdict is Verdict.NEAR


def _errors(checks: Iterable[TaskCheck]) -> Iterator[float]:
    for check in checks:
        if check.probability is not None and check.outcome is not None:
            yield (check.probability - check.outcome) ** 2


def _work_line(suite: Suite, works: Sequence[Work]) -> SuiteWork:
    total = Work()
    for work in works:
        total = total.plus(work)
    return SuiteWork(
        suite=suite,
        tasks=len(works),
        total=total,
        turns=round(total.turns / len(works), 1),
        tokens=round(total.tokens / len(works), 1),
        usd=(total.cost_usd / len(works)).quantize(Decimal("0.0001")),
        seconds=round(total.seconds / len(works), 2),
    )


KIND_TITLES: Final = (
    *("suite", "kind", "checks", "right", "near", "wrong", "refused", "rightly refused"),
    *("invented", "failed", "accuracy", "in three", "forecasts", "Brier"),
)
WORK_TITLES: Final = (
    *("suite", "tasks", "turns a task", "sent back", "corrected", "omitted", "tokens a task"),
    *("USD a task", "s a task"),
)


def kind_rows(table: EvaluationTable) -> Iterator[tuple[str, ...]]:
    """Yields the cells of each kind's line."""
    for line in table.lines:
        numbers = (line.checks, line.right, line.near, line.wrong, line.refused)
        others = (line.rightly_refused, line.invented, line.failed)
        shares = [f"{100 * share:.1f} %" for share in (line.accuracy, line.shown)]
        yield (
            line.suite,
            line.kind,
            *map(str, (*numbers, *others)),
            *(shares if line.checks else ("", "")),
            *((str(line.forecasts), f"{line.brier}") if line.forecasts else ("", "")),
        )


def work_rows(table: EvaluationTable) -> Iterator[tuple[str, ...]]:
    """Yields the cells of each suite's line of work and cost."""
    for line in table.work:
        yield (
            line.suite,
            str(line.tasks),
            f"{line.turns}",
            str(line.total.objected),
            str(line.total.mended),
            str(line.total.dropped),
            f"{line.tokens:,.0f}",
            f"{line.usd}" + (" and more" if line.total.unpriced_calls else ""),
            f"{line.seconds}",
        )


def to_markdown(table: EvaluationTable) -> str:
    """Renders the table as Markdown."""
    asked = ", ".join(f"{suite} {count}" for suite, count in table.asked.items())
    head = f"# Evaluation of {table.model}\n\nSeed {table.seed}; {asked}; {table.seconds:.0f} s."
    missed = [*_missed(table)]
    parts = [head, _rows(KIND_TITLES, kind_rows(table)), _rows(WORK_TITLES, work_rows(table))]
    if missed:
        titles = ("verdict", "asked", "expected", "said")
        parts.append("## Not right\n\n" + _rows(titles, missed))
    return "\n\n".join(parts) + "\n"


def _missed(table: EvaluationTable) -> Iterator[tuple[str, ...]]:
    for task in table.tasks:
        for check in task.checks:
            if not check.verdict.correct and check.verdict is not Verdict.SCORED:
                asked = f"{check.kind}: {task.asked}"
                yield (check.verdict, asked, check.expected, task.error or check.said)


def _rows(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


class ComparedSuite(Contract):
    """The results of two models on the same checks of a suite.

    `only_first` counts the checks that only the first model got right, `only_second` those that
    only the second did. `p_value` is the two-sided exact probability of such a split if both are
    equally good (McNemar, 1947).
    """

    suite: Suite
    checks: int
    first: int
    second: int
    only_first: int
    only_second: int
    p_value: float


class TableComparison(Contract):
    """The comparison of two tables; `apart` counts the tasks that only one of them has."""

    first: ShortText
    second: ShortText
    suites: tuple[ComparedSuite, ...]
    apart: int


def compared(first: EvaluationTable, second: EvaluationTable) -> TableComparison:
    """Compares the checks of the tasks that both tables have, suite by suite; forecasts do not
    count. All checks of a task at which a model failed count as wrong for it."""
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
    """Returns for each task which checks are right; a failed task has none."""
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
    """Returns the two-sided exact probability that fair coins split at least as unevenly."""
    whole, fewer = one + other, min(one, other)
    tail = sum(comb(whole, k) for k in range(fewer + 1)) / (1 << whole)
    return min(1.0, 2 * tail)


def comparison_rows(found: TableComparison) -> Iterator[tuple[str, ...]]:
    """Yields the cells of each suite's line."""
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
