"""The desk evaluated: the built-in analysts, and models over a socket that are honest, careless and
hostile by a script.

    python -m tests.evaluation [--seed N] [--full]

Prints the table of each, and how each model compares with the built-in analysts on the same tasks.
Takes some three minutes on two cores; `--full` asks as many tasks as `desk eval` does unless said.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from desk.contracts.agents.usage import BUILTIN
from tests.support.command import BINARIES
from tests.support.stand_in_models import KEY, MODEL, Character, stand_in

TASKS: Final = {"ask": 24, "week": 1, "swarm": 4, "stock": 2}
"""Of the built-in analysts and of each model: the same, so that they can be compared."""

AT_ONCE: Final = 2
LONGEST: Final = 900
"""Seconds of one suite of one model."""


def main() -> int:
    """Prints the tables; 0 where all runs ended with a document."""
    parser = argparse.ArgumentParser(prog="python -m tests.evaluation")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="evaluation-") as place, ThreadPoolExecutor(AT_ONCE) as pool:
        evaluated = partial(_evaluated, Path(place), seed=options.seed, full=options.full)
        done = [pool.submit(evaluated, each) for each in (None, *Character)]
        return max(_told(each.result(), Path(place)) for each in done)


class _Evaluated(NamedTuple):
    """Who was evaluated, what was printed, and the exit status."""

    name: str
    text: str
    status: int


def _evaluated(folder: Path, character: Character | None, *, seed: int, full: bool) -> _Evaluated:
    """One evaluation, suite by suite: of the built-in analysts where it is nobody's character."""
    name = character or BUILTIN
    with stand_in(character, seed) if character else nullcontext("") as url:
        variables = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url} if url else {}
        model = ["--model", MODEL] if url else []
        done = [
            _desk(
                folder,
                variables,
                *("--suite", suite, "--seed", str(seed), *model),
                *("--out", str(folder / f"{name}-{suite}.json")),
                *([] if full else ["--tasks", str(tasks)]),
            )
            for suite, tasks in TASKS.items()
        ]
    return _Evaluated(
        name, "\n".join(each.stdout for each in done), max(d.returncode for d in done)
    )


def _told(evaluated: _Evaluated, folder: Path) -> int:
    """Prints an evaluation, and how it compares with that of the built-in analysts."""
    sys.stdout.write(f"\n== {evaluated.name}\n\n{evaluated.text}")
    for suite in TASKS if evaluated.name != BUILTIN else ():
        tables = (str(folder / f"{name}-{suite}.json") for name in (BUILTIN, evaluated.name))
        sys.stdout.write(f"\n{_desk(folder, {}, 'compare', *tables).stdout}")
    sys.stdout.flush()
    return evaluated.status


def _desk(
    folder: Path, variables: Mapping[str, str], *line: str
) -> "subprocess.CompletedProcess[str]":
    keep = {name: value for name, value in os.environ.items() if not name.startswith("ANTHROPIC")}
    home = {"DESK_HOME": str(folder / "home"), "DESK_REPORTS": str(folder / "reports")}
    return subprocess.run(
        [BINARIES / "desk", "eval", *line],
        env={**keep, **home, "COLUMNS": "200", **variables},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
        text=True,
        timeout=LONGEST,
    )


if __name__ == "__main__":
    sys.exit(main())
