"""How many of the questions with known answers are answered rightly, in this process.

    python -m tests.knowledge.accuracy [-v] [ID ...]

Prints a table by kind of question, and what is wrong with which answer. Apart stand the questions
that were held out while the agents were made, and those that are known to be beyond them. With
`-v`, or with ids of questions, the answers are printed too.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.knowledge.in_process import ask
from tests.knowledge.known import BEYOND, HELD_OUT, QUESTIONS, KnownQuestion, load, why_wrong


def verdict(known: KnownQuestion, *, shown: bool = False) -> str | None:
    """What is wrong with the answer to a question; None where it is right."""
    answer = ask(known)
    wrong = why_wrong(
        known,
        summary=answer.summary,
        answered=answer.synthesis.answered,
        quoted=answer.quoted,
    )
    if wrong is None and answer.rejected:
        wrong = f"rejected: {answer.rejected[0].reason}: {answer.rejected[0].sentence}"
    if shown:
        print(f"\n{known.id}: {known.question}\n  {answer.summary}")
    return wrong


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    ids = {each for each in arguments if not each.startswith("-")}
    wrong: dict[Path, list[str]] = defaultdict(list)
    lines: list[str] = []
    for path in (QUESTIONS, HELD_OUT, BEYOND):
        counts: dict[str, list[bool]] = defaultdict(list)
        for known in load(path):
            if ids and known.id not in ids:
                continue
            said = verdict(known, shown=bool(ids) or "-v" in arguments)
            counts[known.kind].append(said is None)
            if said:
                wrong[path].append(f"{known.id}: {known.question}\n    {said}")
        lines += [_line(kind, right) for kind, right in counts.items()]
        everything = [each for right in counts.values() for each in right]
        if everything:
            lines.append(f"{_line(f'all of {path.name}', everything)}\n")
    print("\n".join(lines))
    print("\n".join(line for found in wrong.values() for line in found))


def _line(kind: str, right: Iterable[bool]) -> str:
    marks = list(right)
    return f"{kind:28} {sum(marks):4} of {len(marks):4}  {100 * sum(marks) / len(marks):6.1f} %"


if __name__ == "__main__":
    main(sys.argv[1:])
