"""Whether a published file holds what its name says."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from desk.contracts.question.answers import AnswerReport
from desk.documents.publishing.answer_publish import answer_files
from desk.documents.rendering.wording import one_line
from desk.documents.upkeep.retention import is_answer
from starters.audit_forms import Held

_WEEK: Final = re.compile(r"(?<!\d)(\d{4})-?[Ww](\d{1,2})(?!\d)")
_REVISION: Final = re.compile(r"\.r(\d+)$")


class Named(NamedTuple):
    """What a file's name says of its contents: nothing, something `wrong`, or what they are."""

    tells: bool
    wrong: str | None = None


def named(path: Path, held: Held) -> Named:
    """What the name of a JSON file says of the report or the answer in it.

    A name that tells a week must tell the report's, with the revision where it tells one; one in
    the form of a run's id must tell the answer's. Any other name tells nothing.
    """
    own = _own_name(held)
    weeks = {f"{year}-W{int(number):02d}" for year, number in _WEEK.findall(path.stem)}
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
