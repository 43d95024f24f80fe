"""The desk evaluated: the built-in analysts, and models over a socket that are honest, careless and
hostile by a script.

    python -m tests.evaluation [--seed N] [--full] [--models honest,hostile] [--suites ask,swarm]

Prints the tables of each as they are made, how each model compares with the built-in analysts on
the same tasks, and at the end all of them in one table. docs/evaluation.md says how long it takes;
`--full` asks as many tasks as `desk eval` does unless said.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from desk.contracts.agents.usage import BUILTIN
from desk.evaluation.scores import Suite
from desk.evaluation.table import ALL, EvaluationTable
from tests.support.models.stand_in_models import KEY, MODEL, Character, stand_in
from tests.support.processes.command import BINARIES

TASKS: Final = {Suite.ASK: 24, Suite.WEEK: 1, Suite.SWARM: 8, Suite.STOCK: 2}
"""Of the built-in analysts and of each model: the same, so that they can be compared."""

MODELS: Final = (BUILTIN, *Character)
LONGEST: Final = 1_800
"""Seconds of one suite of one model."""

TIMED_OUT: Final = 124
"""The status of what took longer, as `timeout` has it."""

COLUMNS: Final = (
    *("analyst", "suite", "checks", "accuracy", "wrong", "refused", "invented", "failed"),
    *("sent back", "mended", "left out", "turns", "tokens", "USD"),
)


def main() -> int:
    """Prints the tables; 0 where all runs ended with a document."""
    parser = argparse.ArgumentParser(prog="python -m tests.evaluation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--models", type=_named, default=MODELS, metavar="A,B")
    parser.add_argument("--suites", type=_named, default=tuple(TASKS), metavar="A,B")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="evaluation-") as place:
        evaluating = Evaluating(Path(place), options.seed, options.full, options.suites)
        status = max(evaluating.told(name, evaluating.of(name)) for name in options.models)
        sys.stdout.write("\n".join(("", *evaluating.summary(options.models), "")))
    return status


def _named(written: str) -> tuple[str, ...]:
    """The parts of `a,b`."""
    return tuple(written.split(","))


@dataclass(frozen=True)
class Evaluating:
    """Evaluations of some suites, with a seed, whose tables are kept in a folder."""

    folder: Path
    seed: int
    full: bool
    suites: Sequence[str]

    def of(self, name: str) -> Sequence["subprocess.CompletedProcess[str]"]:
        """Evaluates one, suite by suite: the built-in analysts, or a model of that character."""
        by_model = name != BUILTIN
        with stand_in(Character(name), self.seed) if by_model else nullcontext("") as url:
            variables = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url} if by_model else {}
            return [self._suite(name, suite, variables) for suite in self.suites]

    def _suite(
        self, name: str, suite: str, variables: Mapping[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        """A suite; once more where there is no table, as where a machine was so busy that its
        server was taken for gone."""
        line = (
            *("--suite", suite, "--seed", str(self.seed), "--out", str(self._place(name, suite))),
            *([] if name == BUILTIN else ["--model", MODEL]),
            *([] if self.full else ["--tasks", str(TASKS[Suite(suite)])]),
        )
        done = self._desk(variables, *line)
        return done if self._place(name, suite).exists() else self._desk(variables, *line)

    def told(self, name: str, done: Sequence["subprocess.CompletedProcess[str]"]) -> int:
        """Prints an evaluation, and how it compares with that of the built-in analysts."""
        sys.stdout.write(f"\n== {name}\n\n" + "\n".join(each.stdout for each in done))
        for suite in self.suites:
            places = [self._place(each, suite) for each in (BUILTIN, name)]
            if name != BUILTIN and all(place.exists() for place in places):
                sys.stdout.write(f"\n{self._desk({}, 'compare', *map(str, places)).stdout}")
        sys.stdout.flush()
        return max(each.returncode for each in done)

    def summary(self, names: Sequence[str]) -> Iterator[str]:
        """All evaluations in one table, as Markdown: checks of a suite, and means of a task."""
        yield f"| {' | '.join(COLUMNS)} |"
        yield f"| {' | '.join(['---', '---', *['---:'] * (len(COLUMNS) - 2)])} |"
        for suite in self.suites:
            for name in names:
                place = self._place(name, suite)
                if place.exists():
                    table = EvaluationTable.model_validate_json(place.read_bytes())
                    yield f"| {' | '.join(_cells(name, table))} |"

    def _place(self, name: str, suite: str) -> Path:
        return self.folder / f"{name}-{suite}.json"

    def _desk(self, variables: Mapping[str, str], *line: str) -> "subprocess.CompletedProcess[str]":
        kept = {n: value for n, value in os.environ.items() if not n.startswith("ANTHROPIC")}
        home = {
            "DESK_HOME": str(self.folder / "home"),
            "DESK_REPORTS": str(self.folder / "reports"),
        }
        command = [str(BINARIES / "desk"), "eval", *line]
        try:
            return subprocess.run(
                command,
                env={**kept, **home, "COLUMNS": "200", **variables},
                cwd=self.folder,
                stdout=subprocess.PIPE,
                stderr=sys.stderr,
                text=True,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            told = f"not done after {LONGEST} s: {' '.join(command)}\n"
            return subprocess.CompletedProcess(command, TIMED_OUT, stdout=told)


def _cells(name: str, table: EvaluationTable) -> Iterator[str]:
    (whole,) = (line for line in table.lines if line.kind == ALL)
    (work,) = table.work
    yield from (name, whole.suite, str(whole.checks), f"{whole.accuracy:.0%}")
    yield from map(str, (whole.wrong, whole.refused, whole.invented, whole.failed))
    yield from map(str, (work.total.objected, work.total.mended, work.total.dropped))
    yield from (f"{work.turns:.1f}", f"{work.tokens:,.0f}", f"{work.usd:.3f}")


if __name__ == "__main__":
    sys.exit(main())
