"""What a scenario is, and what comes of playing it."""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.json_form import answer_without_run_fields
from tests.knowledge.known import KnownQuestion, load
from tests.support.scenarios.desk import ask, desk_variables, over_stdio
from tests.support.scenarios.network import NotAllowed

QUESTION_ID = "ticket-document-01"


def question() -> KnownQuestion:
    """The one that all scenarios ask which need but one: all four agents find something for it."""
    return next(known for known in load() if known.id == QUESTION_ID)


class Verdict(StrEnum):
    """How a scenario ended. One that the machine does not allow counts neither way."""

    PASSED = "passed"
    FAILED = "FAILED"
    NOT_ALLOWED = "not allowed here"


@dataclass(frozen=True)
class Sight:
    """What a scenario saw; with any `faults` it has failed. `figures` are for the JSON form."""

    words: str
    faults: tuple[str, ...] = ()
    figures: Mapping[str, float | int] = field(default_factory=dict)


class Stage:
    """Where scenarios are played: a directory for each, and the answer of a run in which nothing
    went wrong, to compare with."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._undisturbed: AnswerReport | None = None

    def place(self, name: str) -> Path:
        """A directory of a scenario's own."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.directory))

    def keep(self, answer: AnswerReport) -> None:
        """Compare with this answer from now on."""
        self._undisturbed = answer

    async def differs(self, answer: AnswerReport | None) -> str | None:
        """How an answer differs from the undisturbed one but for times and ids; None: not at all.

        Raises:
            AssertionError: there is no undisturbed one.
        """
        if self._undisturbed is None:
            self._undisturbed = await self._asked_in_peace()
        if answer is None:
            return "there is no answer"
        same = answer_without_run_fields(answer) == answer_without_run_fields(self._undisturbed)
        return None if same else "it is another answer than that of the undisturbed run"

    async def _asked_in_peace(self) -> AnswerReport:
        variables = desk_variables(self.place("undisturbed"), over_stdio())
        asked = await ask(variables, question())
        assert asked.answer is not None, f"the undisturbed run has no answer: {asked.told}"
        return asked.answer


@dataclass(frozen=True)
class Scenario:
    """What is done, what is expected of it, and how it is played within a time."""

    name: str
    done: str
    expected: str
    play: Callable[[Stage], Awaitable[Sight]]
    limit_seconds: float = 120.0


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    scenario: Scenario
    verdict: Verdict
    sight: Sight
    seconds: float


async def played(scenario: Scenario, stage: Stage) -> Row:
    """What came of a scenario. Whatever goes wrong in it is told in its row."""
    began = time.perf_counter()
    try:
        async with asyncio.timeout(scenario.limit_seconds):
            sight = await scenario.play(stage)
        verdict = Verdict.FAILED if sight.faults else Verdict.PASSED
    except NotAllowed as refused:
        sight, verdict = Sight(str(refused)), Verdict.NOT_ALLOWED
    except TimeoutError:
        words = f"it was not over after {scenario.limit_seconds:.0f} s"
        sight, verdict = Sight(words, (words,)), Verdict.FAILED
    except Exception as error:
        words = f"{type(error).__name__}: {error}"
        sight, verdict = Sight(words, (words,)), Verdict.FAILED
    return Row(scenario, verdict, sight, time.perf_counter() - began)
