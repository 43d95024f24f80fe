"""What a file's name says about its contents."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.publishing import answer_files
from desk.documents.rendering.words.wording import one_line
from desk.programs.week.archive import is_answer
from starters.published.audit.contents import Held

_WEEKS_IN_A_NAME: Final = re.compile(r"(?<!\d)(\d{4})-?[Ww](\d{1,2})(?!\d)")

_REVISION: Final = re.compile(r"\.r(\d+)$")


class Named(NamedTuple):
    """What a file's name says about its contents. `tells` is False if it says nothing; `wrong`
    describes a mismatch."""

    tells: bool
    wrong: str | None = None


def named(path: Path, held: Held) -> Named:
    """Checks the name of a JSON file against the report or answer in it.

    A name with a week must have the report's week, and its revision if the name has one. A name in
    the form of a run's id must have the answer's id. Any other name says nothing.
    """
    own = _own_name(held)
    weeks = {f"{year}-W{int(number):02d}" for year, number in _WEEKS_IN_A_NAME.findall(path.stem)}
    if not weeks and not is_answer(path.name):
        return Named(tells=path.name == own)
    if isinstance(held, AnswerReport):
        right = path.name == own
    else:
        revision = _REVISION.search(path.stem)
        right = weeks == {held.week} and (not revision or int(revision[1]) == held.revision)
    if right:
        return Named(tells=True)
    return Named(tells=True, wrong=f"it is named {one_line(path.name)} and holds {own}")


def _own_name(held: Held) -> str:
    if isinstance(held, AnswerReport):
        return Path(answer_files(Path(), held.workflow_id).json_file).name
    return f"revision {held.revision} of {held.week}"
