"""The stand-ins answer as the providers do, and fail in every way that is switched."""

import json
from datetime import date
from pathlib import Path
from urllib.request import Request, urlopen

from desk.contracts.findings.sources import RefreshOutcome, RefreshStatus
from desk.sources.ecb.rates import read_rates
from desk.sources.ecb.store import cached_file, packaged_file, rates_file
from desk.sources.serving.kept_file import refresh
from tests.standins.configuration import configuration, write_configuration
from tests.standins.provider import Failure, providers
from tests.standins.providers.ecb import PATH, REVISED_ROWS
from tests.standins.serving import Standins
from tests.support.files.failed_refreshes import REFUSED

MONDAY, LATER = date(2026, 11, 2), date(2026, 11, 20)


def refreshed(standins: Standins, cache: Path) -> RefreshOutcome:
    return refresh(rates_file(f"{standins.address('ecb')}/{PATH}"), cache)


def test_every_provider_stands_under_its_own_path(standins: Standins) -> None:
    assert {"ecb", "google_news"} <= set(providers())
    assert all(name == provider.name for name, provider in providers().items())


def test_the_ecb_publishes_up_to_the_day_that_is_set(standins: Standins, tmp_path: Path) -> None:
    standins.until = MONDAY
    outcome = refreshed(standins, tmp_path)
    assert (outcome.status, outcome.last_day) == (RefreshStatus.REPLACED, MONDAY)
    known, all_of_it = read_rates(packaged_file()), read_rates(cached_file(tmp_path))
    day = known.last_day
    assert all_of_it.last_fixing("EUR", "USD", day) == known.last_fixing("EUR", "USD", day)


def test_failures_are_as_they_are_switched(standins: Standins, tmp_path: Path) -> None:
    standins.until = MONDAY
    words = {
        Failure.REDIRECT: "",
        Failure.REDIRECT_LOOP: "",
        Failure.TOO_MANY: "429 Too Many Requests",
        Failure.ERROR: "500 Internal Server Error",
        Failure.HTML: "",
        Failure.TRUNCATED: "",
        Failure.RENAMED: "",
        Failure.CLOSED: "",
    }
    for kind, told in words.items():
        standins.fail("ecb", kind)
        outcome = refreshed(standins, tmp_path)
        assert outcome.status is REFUSED.get(kind, RefreshStatus.REPLACED), kind
        assert told in (outcome.reason or "")
    standins.mend("ecb")
    assert refreshed(standins, tmp_path).succeeded


def test_a_revised_figure_and_a_late_one_are_told_as_such(
    standins: Standins, tmp_path: Path
) -> None:
    standins.until = LATER
    standins.fail("ecb", Failure.LATE)
    late = refreshed(standins, tmp_path)
    standins.fail("ecb", Failure.REVISED)
    revised = refreshed(standins, tmp_path)
    assert late.last_day is not None and late.last_day < LATER
    assert revised.last_day == LATER
    assert (revised.changed or "").endswith(f", {len(REVISED_ROWS)} revised")


def test_a_failure_can_begin_after_a_number_of_answers(standins: Standins, tmp_path: Path) -> None:
    standins.fail("*", Failure.ERROR, after=2)
    assert [refreshed(standins, tmp_path).succeeded for _ in range(3)] == [True, True, False]
    assert standins.asked == {"ecb": 3}


def test_failures_are_switched_over_http_too(standins: Standins, tmp_path: Path) -> None:
    def send(method: str, path: str) -> None:
        with urlopen(Request(f"{standins.url}{path}", method=method), timeout=10) as answer:
            assert answer.status == 200

    send("PUT", "/_until/2026-11-02")
    send("PUT", "/_failures/ecb?kind=error")
    assert not refreshed(standins, tmp_path).succeeded
    send("DELETE", "/_failures/*")
    assert refreshed(standins, tmp_path).last_day == MONDAY
    with urlopen(f"{standins.url}/_asked", timeout=10) as answer:
        assert json.load(answer) == {"ecb": 2}


def test_the_desk_is_led_to_the_stand_ins_by_the_arguments_of_its_servers(
    standins: Standins, tmp_path: Path
) -> None:
    told = json.loads(write_configuration(standins, tmp_path).read_text())
    assert told == configuration(standins)
    args = told["mcpServers"]["ecb"]["args"]
    assert args[:2] == ["-m", "desk.sources.ecb.server"]
    assert args[-2:] == ["--url", f"{standins.url}/ecb/{PATH}"]
