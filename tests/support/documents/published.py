"""Published files for what `desk audit` is asked of them."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from desk.contracts.week.report import ResearchReport
from desk.documents.publishing.signature import Signer
from desk.platform.signing import read_signing_key
from desk.programs.week.document.publishing import publish
from starters.main import execute
from tests.support.documents.real_reports import real_report

PRIVATE = """-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
-----END PRIVATE KEY-----
"""
"""That of RFC 8032, section 7.1, test 1."""
PUBLIC = """-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
"""
SIGNER = read_signing_key(PRIVATE)
MARKETS = ("USD/JPY", "JP")
STEM = "2022-W43-asia-g10-fx"


@cache
def week() -> ResearchReport:
    """A week with charts, decisions and an event."""
    return real_report(*MARKETS)


def published_week(folder: Path, signer: Signer | None = None) -> Path:
    """The JSON of the published week, with its pages and its first revision beside it."""
    return Path(publish(week(), folder, signer=signer).json_file)


def copied_week(folder: Path, *, signed: bool = False) -> Path:
    """The same as a copy of what was published once, in a folder that has nothing in it."""
    made = _published(signed)
    for path, (content, mode) in made.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        file.chmod(mode)
    (report,) = (path for path in made if path.name == f"{STEM}.json")
    return folder / report


@cache
def _published(signed: bool) -> dict[Path, tuple[bytes, int]]:
    """The files of the week, as they are published, with their modes."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        publish(week(), folder, signer=SIGNER if signed else None)
        return {
            path.relative_to(folder): (path.read_bytes(), path.stat().st_mode)
            for path in folder.rglob("*")
            if path.is_file()
        }


def edited(page: Path, old: str, new: str) -> None:
    """Replace the first of something that is in a file."""
    text = page.read_bytes().decode()
    assert old in text
    page.write_bytes(text.replace(old, new, 1).encode())


Audit = Callable[..., tuple[int, str]]


def auditing(capsys: pytest.CaptureFixture[str]) -> Audit:
    """`desk audit` with its exit status and all that it printed."""

    def audit(*arguments: object) -> tuple[int, str]:
        status = execute(["audit", *map(str, arguments)])
        shown = capsys.readouterr()
        return int(status), shown.out + shown.err

    return audit
