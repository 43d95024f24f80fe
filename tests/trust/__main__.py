"""`python -m tests.trust`: the tables, printed and written to docs/evidence.md.

`--check` compares with what is there instead of writing. The exit status is 1 when an error was
missed, something sound was rejected, a figure that was withheld can still be read, or the document
differs.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Final

from tests.support.processes.homes import PROJECT
from tests.trust import held_prose, strangers_found, withholding
from tests.trust.conflicts import conflict_suite
from tests.trust.seeded_errors import SEED, WeekTrials, missed, run, table
from tests.trust.strangers_found import Strangers

DOCUMENT: Final = PROJECT / "docs" / "evidence.md"
SHOWN: Final = 50
"""Missed errors that are listed in the document; all of them are printed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suites; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.trust", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    chosen = parser.parse_args(arguments)
    weeks = run()
    strangers = strangers_found.run()
    text = document(weeks, strangers, conflict_suite.summary())
    shown = (table(weeks), strangers_found.table(strangers), conflict_suite.table())
    sys.stdout.write("".join(f"{each}\n\n" for each in shown))
    faults = [*missed(weeks), *(line for week in weeks for line in week.false_rejections)]
    faults += strangers_found.objected(strangers)
    faults += withholding.all_to_be_read()
    if chosen.check:
        faults += _differences(text)
    else:
        DOCUMENT.write_text(text, encoding="utf-8")
    sys.stderr.write("".join(f"{fault}\n" for fault in faults))
    return 1 if faults else 0


def document(weeks: Sequence[WeekTrials], strangers: Strangers, conflicts: str) -> str:
    """docs/evidence.md: how it was made, what was seeded, what was caught, how conflicts ended."""
    trials = sum(len(week.trials) for week in weeks)
    rejections = [line for week in weeks for line in week.false_rejections]
    unseen = missed(weeks)
    return f"""# Evidence

Made by `make trust` (`python -m tests.trust`), not by hand; `python -m tests.trust --check` says
whether it still holds. The seed is {SEED}. Nothing in it depends on the machine or the hour.

## Seeded errors

{len(weeks)} real weeks ({", ".join(week.week for week in weeks)}) with
{sum(week.claims for week in weeks):,} printed claims were researched by the built-in analysts. Into
them {sum(week.corruptions for week in weeks):,} errors were seeded, one at a time, each in up to
three places, {trials:,} trials in all:

- **an agent's finding**, before it is validated. Caught: the report does not print it as it stands.
- **one place of a report**, with a new seal. Caught: `desk audit` objects.
- **throughout a report**, with tables, texts and seal to match. Caught: `desk audit` objects; only
  the evidence can tell.

{table(weeks)}

Missed: {len(unseen):,}.{_listed(unseen)}

Rejected in the uncorrupted weeks, of claims, sentences and anything by the audit:
{len(rejections):,}.{_listed(rejections)}

## Sentences of others

Real sentences of central banks and governments, gathered by people who had not seen the gate
(`tests/trust/held_sentences.md`). The gate was mended after the first set and the second; it met
the third once, whose shares count.

{held_prose.table()}

## Damage by strangers

{strangers_found.words(strangers)}

{strangers_found.table(strangers)}

## Conflicts

Labelled conflicts, decided by the desk, by a majority vote and by the most recent source.

{conflicts}
"""


def _listed(lines: Sequence[str]) -> str:
    shown = "".join(f"\n- {' '.join(line.split())}" for line in lines[:SHOWN])
    more = f"\n- and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return f"\n{shown}{more}" if lines else ""


def _differences(text: str) -> list[str]:
    held = DOCUMENT.read_text(encoding="utf-8") if DOCUMENT.is_file() else ""
    name = DOCUMENT.relative_to(PROJECT)
    return [] if held == text else [f"{name} is not what the suites give; `make trust` writes it"]


if __name__ == "__main__":
    raise SystemExit(main())
