"""A source that says what it should not: a secret, its own rank, control characters."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.faults.fault import Fault, Program, Seen
from tests.faults.kinds.sources import with_source
from tests.faults.place import Place
from tests.faults.programs import DeskFile, read_json
from tests.faults.scene import Scene
from tests.support.sources.servers import module_of

OF_THE_SOURCE: Final = "hush-of-the-source-4711"
OF_THE_DESK: Final = "hush-of-the-desk-4712"
ESCAPE: Final = "\\u001b[31m"
STRANGER: Final = "stranger"
AUTHORITATIVE: Final = "authoritative"


async def secret_echoed(scene: Scene) -> Seen:
    """The source answers with a secret of its own `env` and with one of the desk's."""
    words = f"{scene.asking.printed} {OF_THE_SOURCE} {OF_THE_DESK}"
    env = {"FEED_KEY": OF_THE_SOURCE, "NEWS_TOKEN": OF_THE_DESK}
    place = scene.place(REUTERS_API_TOKEN=OF_THE_DESK)
    place = _altered(scene, place, words, env)
    ended = await place.counted(*scene.asking.line)
    broken = [] if ended.code == 0 else [f"exit status {ended.code}: {ended.told()}"]
    return Seen(
        outcome=scene.outcome(place, ended),
        told=ended.told("redact", "secret"),
        lost="nothing of either secret" if not broken else "",
        broken=(*broken, *_found_in(place)),
    )


def _found_in(place: Place) -> Iterator[str]:
    """Where the secrets stand, among all that is published or kept as it is."""
    folders = {"the reports": place.reports, "the desk's home": place.home}
    for name, folder in folders.items():
        for secret in (OF_THE_SOURCE, OF_THE_DESK):
            files = [path for path in folder.rglob("*") if path.is_file() and _has(path, secret)]
            if files:
                yield f"{secret} stands in {len(files)} files of {name}, as in {files[0].name}"
    for secret in (OF_THE_SOURCE, OF_THE_DESK):
        if any(secret in text for text in place.terminal()):
            yield f"{secret} stood on the terminal"


def _has(path: Path, secret: str) -> bool:
    return secret.encode() in path.read_bytes()


async def escapes_answered(scene: Scene) -> Seen:
    """The source's name has a byte that moves a terminal's colours."""
    place = _altered(scene, scene.place(), f"{scene.asking.printed}{ESCAPE}", {})
    ended = await place.counted(*scene.asking.line)
    report = scene.asking.report(place.reports)
    broken = [] if ended.code == 0 else [f"exit status {ended.code}: {ended.told()}"]
    files = [path for path in place.reports.rglob("*") if path.suffix in (".html", ".md", ".json")]
    raw = [path.name for path in files if b"\x1b" in path.read_bytes()]
    if raw:
        broken.append(f"a raw control character stands in {', '.join(raw[:3])}")
    if report is None:
        broken.append("no report was published")
    return Seen(scene.outcome(place, ended), told=ended.told(), broken=tuple(broken))


def _altered(scene: Scene, place: Place, words: str, env: dict[str, str]) -> Place:
    source, name = scene.asking.source, scene.asking.printed
    arguments = ["-m", "tests.support.sources.altering_source", module_of(source), name, words]
    return with_source(place, source, {"command": sys.executable, "args": arguments, "env": env})


async def ranked_by_itself(scene: Scene) -> Seen:
    """A source that the desk's configuration does not rank says that it is authoritative."""
    place = scene.place(
        DeskFile(replaced={'# quote = ["ecb.get_quote", "yahoo_finance.get_quote"]': _QUOTE})
    )
    entry = {"command": sys.executable, "args": ["-m", "desk.sources.ecb.server"]}
    place = with_source(place, STRANGER, entry)
    ended = await place.counted(*scene.asking.line)
    report = scene.asking.report(place.reports)
    told = read_json(report)["sources"] if report else []
    tiers = {line["tier"] for line in told if line["server"] == STRANGER}
    broken = [] if ended.code in (0, 3) else [f"exit status {ended.code}: {ended.told()}"]
    if AUTHORITATIVE in tiers:
        broken.append(f"it is printed as {AUTHORITATIVE}")
    if not tiers:
        broken.append("it was not asked: the row tries nothing")
    ranked = f"it is printed as {', '.join(sorted(tiers))}" if tiers else ""
    return Seen(scene.outcome(place, ended), told=ranked, broken=tuple(broken))


_QUOTE: Final = f'quote = ["{STRANGER}.get_quote"]\nhistory = ["{STRANGER}.get_historical"]'

FAULTS: Final = (
    Fault(
        "secret-echoed",
        "a source answers with a secret of its own `env` and one of the desk's",
        "neither stands in a report, in the desk's home or on the terminal",
        secret_echoed,
    ),
    Fault(
        "source-escapes",
        "a source's name has a terminal's escape in it",
        "no file that is published has a control character",
        escapes_answered,
    ),
    Fault(
        "source-ranks-itself",
        "a source that the configuration does not rank says that it is authoritative",
        "the report does not say so",
        ranked_by_itself,
        (Program.WEEK, Program.QUESTION),
    ),
)
