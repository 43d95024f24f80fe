"""Tables of evaluations on disk and on the terminal."""

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from desk.documents.publishing.files import publish_folder
from desk.evaluation.scores import Suite
from desk.evaluation.table import (
    KIND_TITLES,
    WORK_TITLES,
    EvaluationTable,
    kind_rows,
    to_markdown,
    work_rows,
)
from desk.platform.files import read_text_file
from starters.terminal.exit_status import CommandError, UsageError
from starters.terminal.tables import table_lines

LARGEST_TABLE: Final = 32 * 2**20
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")


def table_name(model: str, suites: Sequence[Suite], seed: int) -> str:
    """`builtin-ask-week-1.json`. The same tasks and model give the same name."""
    named = "-".join(suites) if len(suites) < len(Suite) else "all"
    return f"{_UNFIT.sub('-', model)}-{named}-{seed}.json"


def check_place(path: Path) -> None:
    """Checks that a table can be written to a path, before hours are spent on it.

    Raises:
        UsageError: it cannot be written; the message says why.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file in it")
    if path.suffix != ".json":
        raise UsageError(f"--out {path}: end the name in .json; the Markdown stands beside it")
    try:
        publish_folder(path.parent)
    except OSError as error:
        raise UsageError(f"{path.parent} cannot be made: {error.strerror}") from None


def write_table(path: Path, table: EvaluationTable) -> None:
    """Writes a table as JSON, and as Markdown beside it."""
    path.write_text(f"{table.model_dump_json(indent=1)}\n", encoding="utf-8")
    path.with_suffix(".md").write_text(to_markdown(table), encoding="utf-8")


def read_table(path: Path) -> EvaluationTable:
    """Reads a table from a file.

    Raises:
        CommandError: it is missing, or is not a table.
    """
    try:
        return EvaluationTable.model_validate_json(read_text_file(path, LARGEST_TABLE))
    except FileNotFoundError:
        raise CommandError(f"{path} is missing; `desk eval --out {path}` writes one") from None
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}") from None
    except (ValidationError, UnicodeDecodeError):
        raise CommandError(f"{path} is no table of `desk eval`, as JSON") from None


def print_table(path: Path, table: EvaluationTable, *, as_json: bool) -> None:
    """Writes a table to standard output: as JSON, or for people with its path."""
    if as_json:
        sys.stdout.write(f"{table.model_dump_json(indent=2)}\n")
        return
    lines = [
        *table_lines(KIND_TITLES, kind_rows(table), right=range(2, len(KIND_TITLES))),
        "",
        *table_lines(WORK_TITLES, work_rows(table), right=range(1, len(WORK_TITLES))),
        "",
        f"Model     {table.model}, seed {table.seed}, {table.seconds:.0f} s",
        f"Table     {path} and {path.with_suffix('.md').name}",
    ]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
