"""Damaged copies of published reports and answers, drawn by a seed."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from pydantic import ValidationError

from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.documents.answer.html import render_answer_html
from desk.documents.answer.json_form import answer_from_json, answer_to_json
from desk.documents.answer.markdown import render_answer_markdown
from desk.programs.week.document.json_form import from_json, to_json
from desk.programs.week.document.rendering.html import render_html
from desk.programs.week.document.rendering.markdown import render_markdown
from desk.trust.seals import sealed
from tests.trust.strangers.answers import ANSWERS
from tests.trust.strangers.events import EVENTS
from tests.trust.strangers.evidence import EVIDENCE
from tests.trust.strangers.findings import FINDINGS
from tests.trust.strangers.pages import HTML, MARKDOWN, PageDamage
from tests.trust.strangers.prose import Json
from tests.trust.strangers.standing import STANDING
from tests.trust.strangers.told import Damage, Told

SUFFIXES: Final = ("json", "md", "html")
TRIES: Final = 60
"""At drawing a place, for one damage."""

Forms = dict[str, str]
"""The text of each of a publication's files, by its suffix."""


@dataclass(frozen=True)
class Damaged:
    """A damaged copy: its class, what the class does, what was changed here, and its files.

    `original` is the JSON file that was damaged, `file` the damaged one, whose pages stand beside
    it. `seen_in` are the forms that differ by more than the seal.
    """

    kind: str
    description: str
    told: Told
    original: Path
    file: Path
    seen_in: tuple[str, ...]


@dataclass(frozen=True)
class Publication:
    """A published report or answer: its files, its model as JSON, and how it is made anew."""

    file: Path
    forms: Forms
    content: Json
    render: Callable[[Json], tuple[Forms, str]]
    """The forms of a model, sealed, and the seal. Raises a ValidationError for what is none."""
    damages: Mapping[str, Damage]

    @property
    def stem(self) -> str:
        """The name of the files without their suffix."""
        return self.file.stem


def published_in(directory: Path) -> list[Publication]:
    """The reports and answers of a directory and of those below it, by name.

    Copies of revisions are left out, and what has no pages beside it.
    """
    return [
        _read(file)
        for file in sorted(directory.rglob("*.json"))
        if not file.stem.rpartition(".r")[2].isdecimal()
        and all(file.with_suffix(f".{suffix}").is_file() for suffix in SUFFIXES)
    ]


def _read(file: Path) -> Publication:
    forms = {suffix: file.with_suffix(f".{suffix}").read_text("utf-8") for suffix in SUFFIXES}
    try:
        report = from_json(forms["json"])
    except ValidationError:
        answer = answer_from_json(forms["json"])
        return Publication(file, forms, answer.model_dump(mode="json"), _answer_forms, ANSWERS)
    damages = EVENTS | STANDING | FINDINGS | EVIDENCE
    return Publication(file, forms, report.model_dump(mode="json"), _report_forms, damages)


def _report_forms(content: Json) -> tuple[Forms, str]:
    report = sealed(ResearchReport.model_validate(content))
    forms = {"json": to_json(report), "md": render_markdown(report), "html": render_html(report)}
    return forms, report.seal


def _answer_forms(content: Json) -> tuple[Forms, str]:
    answer = sealed(AnswerReport.model_validate(content))
    markdown, page = render_answer_markdown(answer), render_answer_html(answer)
    return {"json": answer_to_json(answer), "md": markdown, "html": page}, answer.seal


def damaged_copies(
    directories: list[Path], out: Path, seed: int, each: int = 20
) -> Iterator[Damaged]:
    """Damaged copies of what is published in some directories, `each` of every class.

    They are spread over the publications as far as these have a place for the class, and no two
    are alike. Each is written to a directory of its own, under the file names of the original, and
    the same seed gives the same ones. A class with fewer places has fewer.
    """
    publications = [one for directory in directories for one in published_in(directory)]
    for kind in dict.fromkeys(kind for one in publications for kind in _kinds(one)):
        random = Random(f"{seed} {kind}")
        seen: set[tuple[Path, Told]] = set()
        fitting = [one for one in publications if kind in _kinds(one)]
        number = 0
        for _ in range(TRIES * each):
            publication = fitting[0] if len(fitting) == 1 else random.choice(fitting)
            found = _damaged(publication, publications, kind, random)
            if found is None or (publication.file, found[1]) in seen:
                continue
            seen.add((publication.file, found[1]))
            number += 1
            yield _written(publication, kind, found, out / kind.replace(": ", "-") / str(number))
            if number == each:
                break


def _kinds(publication: Publication) -> list[str]:
    return [*publication.damages, *HTML, *MARKDOWN, *FILES]


def _damaged(
    publication: Publication, among: list[Publication], kind: str, random: Random
) -> tuple[Forms, Told, str] | None:
    """The forms of a damaged copy, what was changed, and its stem."""
    try:
        if kind in FILES:
            return FILES[kind](publication, among, random)
        if kind in publication.damages:
            found = _remade(publication, publication.damages[kind], random)
        else:
            found = _page(publication, kind, random)
    except (IndexError, ValueError):
        return None  # nothing to draw from, or too little
    return (*found, publication.stem) if found else None


def _remade(publication: Publication, damage: Damage, random: Random) -> tuple[Forms, Told] | None:
    content = deepcopy(publication.content)
    told = damage(content, random)
    if told is None or told.before == told.after:
        return None
    try:
        forms, seal = publication.render(content)
    except ValidationError:
        return None
    own = publication.content["seal"]
    if all(forms[suffix].replace(seal, own) == publication.forms[suffix] for suffix in SUFFIXES):
        return None
    return forms, told


def _page(publication: Publication, kind: str, random: Random) -> tuple[Forms, Told] | None:
    damages: dict[str, PageDamage] = HTML if kind in HTML else MARKDOWN
    suffix = "html" if kind in HTML else "md"
    found = damages[kind](publication.forms[suffix], random)
    if found is None or found[1].before == found[1].after:
        return None
    return publication.forms | {suffix: found[0]}, found[1]


def _others(publication: Publication, among: list[Publication]) -> list[Publication]:
    """What is published of other weeks, or in answer to other questions."""
    return [
        one
        for one in among
        if one.stem != publication.stem and one.damages.keys() == publication.damages.keys()
    ]


def _misnamed(
    publication: Publication, among: list[Publication], random: Random
) -> tuple[Forms, Told, str] | None:
    """The files of one week or question stand under another's name."""
    others = sorted({one.stem for one in _others(publication, among)})
    other = random.choice(others)
    return publication.forms, Told("file names", publication.stem, other), other


def _mixed(
    publication: Publication, among: list[Publication], random: Random
) -> tuple[Forms, Told, str] | None:
    """One of the three files is another week's or question's."""
    others = _others(publication, among)
    other, suffix = random.choice(others), random.choice(SUFFIXES)
    forms = publication.forms | {suffix: other.forms[suffix]}
    told = Told(f"the {suffix} file", publication.stem, other.stem)
    return forms, told, publication.stem


FILES: Final[
    dict[
        str,
        Callable[[Publication, list[Publication], Random], tuple[Forms, Told, str] | None],
    ]
] = {"files: misnamed": _misnamed, "files: mixed": _mixed}


def _written(
    publication: Publication, kind: str, found: tuple[Forms, Told, str], folder: Path
) -> Damaged:
    forms, told, stem = found
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, text in forms.items():
        (folder / f"{stem}.{suffix}").write_text(text, "utf-8", newline="\n")
    return Damaged(
        kind=kind,
        description=_description(publication, kind),
        told=told,
        original=publication.file,
        file=folder / f"{stem}.json",
        seen_in=_differing(publication, forms, stem),
    )


def _description(publication: Publication, kind: str) -> str:
    damage = {**publication.damages, **HTML, **MARKDOWN, **FILES}[kind]
    return (damage.__doc__ or "").split("\n\n")[0].replace("\n    ", " ")


def _differing(publication: Publication, forms: Forms, stem: str) -> tuple[str, ...]:
    """The forms that differ from the original's by more than the seal; all, under another name."""
    own = publication.content["seal"]
    seal = forms["json"].rpartition('"seal": "')[2].partition('"')[0]
    return tuple(
        suffix
        for suffix in SUFFIXES
        if stem != publication.stem or forms[suffix].replace(seal, own) != publication.forms[suffix]
    )
