"""Commands and pages that read reports, where another machine has published them into a bucket."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from desk.platform.delivery.shared_reports import SharedReports
from desk.platform.settings import ServeSettings, Settings
from starters.operations.doctor.check import Level
from starters.operations.doctor.machine import store_check
from starters.operations.serve.application import application
from starters.operations.serve.command import hosts_of
from starters.operations.serve.serving.guard import Admission
from starters.operations.serve.serving.hosting import DeskKeeper
from starters.operations.serve.serving.site import Site
from starters.published.published_files import reports_here
from starters.terminal.exit_status import CommandError
from tests.support.documents.archives import report_of, shelve
from tests.support.outside.receivers import Bucket, bucket
from tests.support.processes.homes import home_settings


@pytest.fixture
def there() -> Iterator[Bucket]:
    with bucket() as found:
        yield found


@pytest.fixture
async def published(there: Bucket, tmp_path: Path) -> str:
    """The name of a report that another machine has published."""
    elsewhere = home_settings(tmp_path / "elsewhere", **there.variables)
    shelve(elsewhere.reports_dir, report_of("2026-W44"))
    await SharedReports(elsewhere.store, elsewhere.reports_dir).put()
    return "weekly/2026-W44-asia-g10-fx.html"


def here(there: Bucket, tmp_path: Path, **changed: str) -> Settings:
    return home_settings(tmp_path / "here", **{**there.variables, **changed})


def browser(settings: Settings) -> TestClient:
    where = ServeSettings()
    site = Site(settings, DeskKeeper(), Admission.of(where, None))
    return TestClient(
        application(site, hosts_of(where)), "http://127.0.0.1:8250", raise_server_exceptions=False
    )


def test_a_command_has_the_report_in_its_own_folder(
    there: Bucket, published: str, tmp_path: Path
) -> None:
    settings = here(there, tmp_path)
    assert (reports_here(settings) / published).is_file()


def test_a_browser_finds_the_report(there: Bucket, published: str, tmp_path: Path) -> None:
    pages = browser(here(there, tmp_path))
    assert "2026-W44" in pages.get("/reports").text
    assert pages.get(f"/reports/{published}").status_code == 200


def test_a_store_that_refuses_is_told(there: Bucket, published: str, tmp_path: Path) -> None:
    refused = here(there, tmp_path, DESK_STORE_SECRET_ACCESS_KEY="another")
    with pytest.raises(CommandError, match=r"list its reports.*see DESK_STORE"):
        reports_here(refused)
    told = browser(refused).get("/reports")
    assert told.status_code >= 400 and "DESK_STORE" in told.text


def test_doctor_writes_to_the_store_and_reads_it(there: Bucket, tmp_path: Path) -> None:
    settings = here(there, tmp_path)
    assert settings.store is not None
    check = store_check(settings.store)
    assert (check.level, check.sentence.split()[0]) == (Level.OK, "s3://research-desk/desk")


def test_doctor_says_why_the_store_cannot_be_used(there: Bucket, tmp_path: Path) -> None:
    refused = here(there, tmp_path, DESK_STORE_SECRET_ACCESS_KEY="another")
    away = here(there, tmp_path, DESK_STORE_ENDPOINT="http://127.0.0.1:1")
    for settings in (refused, away):
        assert settings.store is not None
        check = store_check(settings.store)
        assert check.level is Level.FAIL
        assert check.sentence.endswith("see DESK_STORE and its keys")
        assert "another" not in check.sentence
