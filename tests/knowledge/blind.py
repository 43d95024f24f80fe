"""How many of the sealed questions are answered rightly: counts only, so that nothing is fitted.

    python -m tests.knowledge.blind

Prints for each kind of question how often the first quotation of the answer holds what was asked
for, how often one of the first three does, and how many questions without an answer in the corpus
are told to have none.
"""

from collections import defaultdict
from typing import Final, NamedTuple

from desk.analytics.retrieval.meaning import WORKER_EMBEDDING_MODEL
from desk.contracts.question.knowledge import Quotation
from desk.platform.memory.sentence_encoder import desk_embedding_model
from desk.trust.prose.references import REFERENCE
from tests.knowledge.in_process import Answered, ask
from tests.knowledge.known import SEALED, KnownQuestion, load

SHOWN: Final = 3
"""Quotations that a reader is expected to look at."""

_TICKETS: Final = "corpus://tickets/"


class Counts(NamedTuple):
    """Of the questions of a kind, how many are answered rightly."""

    asked: int = 0
    first: int = 0
    of_three: int = 0
    told_as_answered: int = 0


def quotations(answer: Answered) -> list[Quotation]:
    """The quotations of an answer in the order in which they are read, each once."""
    made = answer.synthesis
    known = {each.quotation_id: each for each in made.quotations}
    texts = (made.summary, *(section.content for section in made.sections))
    names = dict.fromkeys(name for text in texts for name in REFERENCE.findall(text))
    return [known[name] for name in names if name in known]


def holds(known: KnownQuestion, answer: Answered, most: int) -> bool:
    """Whether the first quotations hold what was asked for, in the words of its source.

    What is asked of tickets is right where the summary says all of it: a ticket is quoted field by
    field.
    """
    says, sources = known.expect.says, known.expect.sources
    if any(source.startswith(_TICKETS) for source in sources):
        return all(_plain(words) in _plain(answer.summary) for words in says)
    return any(
        each.url in sources and all(_plain(words) in _plain(each.text) for words in says)
        for each in quotations(answer)[:most]
    )


def counted(questions: tuple[KnownQuestion, ...]) -> dict[str, Counts]:
    """The counts of each kind."""
    counts: dict[str, Counts] = defaultdict(Counts)
    for known in questions:
        answer = ask(known)
        was = counts[known.kind]
        counts[known.kind] = Counts(
            was.asked + 1,
            was.first + holds(known, answer, 1),
            was.of_three + holds(known, answer, SHOWN),
            was.told_as_answered + answer.synthesis.answered,
        )
    return counts


def main() -> None:
    """Prints the table, of a desk with its model of meaning."""
    WORKER_EMBEDDING_MODEL.set(desk_embedding_model)
    for kind, count in counted(load(SEALED)).items():
        refused = count.asked - count.told_as_answered
        if kind == "unanswerable":
            print(f"{kind:14} {refused} of {count.asked} told to have no answer")
        else:
            print(
                f"{kind:14} first quotation right {count.first} of {count.asked}, one of the first"
                f" three {count.of_three}, told to have no answer {refused}"
            )


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


if __name__ == "__main__":
    main()
