"""What the floors of a fit are chosen by: how many building questions each would let pass.

    python -m tests.knowledge.floors

For each share of a question's telling words: how many of the questions without an answer are told
to have none, and how many of the others keep theirs. Sealed questions take no part.
"""

from typing import Final

from desk.programs.question.builtin.asking import named_tickets
from desk.programs.question.builtin.synthesis.written.passages import passages_in
from desk.programs.question.builtin.synthesis.written.ranking import fits
from tests.knowledge.in_process import ask
from tests.knowledge.known import HELD_OUT, QUESTIONS, SPOKEN, KnownQuestion, load

FLOORS: Final = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def best_share(known: KnownQuestion) -> float:
    """The most that a passage with all names of a question has of it."""
    found = fits(known.question, passages_in(ask(known).state))
    return max((fit.share for fit in found if fit.has_names), default=0.0)


def main() -> None:
    """Prints the table."""
    asked = [known for path in (QUESTIONS, HELD_OUT, SPOKEN) for known in load(path)]
    plain = [known for known in asked if not known.parameters and not named_tickets(known.query)]
    shares = [(known.expect.answered, best_share(known)) for known in plain]
    for floor in FLOORS:
        refused = [share < floor for answered, share in shares if not answered]
        kept = [share >= floor for answered, share in shares if answered]
        print(
            f"{floor:.1f}  refused {sum(refused)} of {len(refused)} without an answer,"
            f" kept {sum(kept)} of {len(kept)} with one"
        )


if __name__ == "__main__":
    main()
