"""Questions with known answers, and whether an answer is right."""

from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict

from desk.contracts.agents.tasks import Query

HERE: Final = Path(__file__).parent
QUESTIONS: Final = HERE / "questions.yaml"
HELD_OUT: Final = HERE / "held_out.yaml"
SPOKEN: Final = HERE / "spoken.yaml"
"""Building questions as people speak, over several hops, with arithmetic, and without an answer."""

SEALED: Final = HERE / "sealed.yaml"
BEYOND: Final = HERE / "beyond.yaml"
"""Questions in words that are far from those of their sources."""

AFTER_ALL: Final = datetime(2026, 11, 2, 7, tzinfo=UTC)
"""When everything in the corpus had been published."""


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Expected(_Written):
    """What is right: whether there is an answer, what its printed summary says, whom it quotes."""

    answered: bool
    says: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


class KnownQuestion(_Written):
    """A question, how it is asked, and what is right."""

    id: str
    kind: str
    graph: str
    question: str
    parameters: dict[str, str] = {}
    as_of: AwareDatetime = AFTER_ALL
    expect: Expected

    @property
    def query(self) -> Query:
        """As the desk is asked it."""
        return Query(question=self.question, parameters=self.parameters)


def load(path: Path = QUESTIONS) -> tuple[KnownQuestion, ...]:
    """The questions of a file, in its order."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(KnownQuestion.model_validate(entry) for entry in entries)


def why_wrong(
    known: KnownQuestion, *, summary: str, answered: bool, quoted: Collection[str]
) -> str | None:
    """What is wrong with an answer; None where it is right.

    Args:
        known: The question.
        summary: The summary as it is printed, with the words of quotations in it.
        answered: What the synthesis says of itself.
        quoted: The addresses of all that is quoted in the summary or the sections.
    """
    if answered is not known.expect.answered:
        return "it says that it has an answer" if answered else "it says that it has no answer"
    printed = _plain(summary)
    unsaid = [words for words in known.expect.says if _plain(words) not in printed]
    if unsaid:
        return f"it does not say {', '.join(unsaid)}"
    unquoted = [url for url in known.expect.sources if url not in quoted]
    return f"it does not quote {', '.join(unquoted)}" if unquoted else None


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
