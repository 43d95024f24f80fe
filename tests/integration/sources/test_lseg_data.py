"""LSEG's own package `lseg-data`, as it is, against the address that stands in for its platform.

That it signs on, reads headlines over pages, reads a story and signs off there is what shows that
the address speaks as the platform does; the `reuters` server is then asked the same.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from desk.sources.reuters.access import access_from
from desk.sources.reuters.platform import LsegNews
from desk.sources.reuters.server import ReutersTools
from tests.support.addresses.lseg import (
    APP_KEY,
    CLIENT_ID,
    CLIENT_SECRET,
    HEADLINES,
    PASSWORD,
    REVOKE,
    STORIES,
    TOKEN_V1,
    TOKEN_V2,
    USERNAME,
    Platform,
    Story,
    lseg,
)
from tests.support.sources.third_party import installed

pytestmark = pytest.mark.others

AS_OF = datetime(2026, 10, 30, 16, 0, tzinfo=UTC)
WEEK_AGO = AS_OF - timedelta(days=7)
QUERY = '"yen" AND searchIn:FullStory AND Source:RTRS AND Language:LEN'
TOLD = "TOKYO, Oct 30 (Reuters) - The yen <JPY=> fell.\n\nZürich said nothing."
BY_PASSWORD = ("GrantPassword", USERNAME, PASSWORD)
BY_CLIENT = ("ClientCredentials", CLIENT_ID, CLIENT_SECRET)
STORY_ID = "urn:newsml:reuters.com:20261030:nL1N000:1"
PATIENCE_SECONDS = 60.0
PROGRAM = """
import json, sys
import lseg.data
from lseg.data import news, session

url, key, query, start, end, grant, name, secret = sys.argv[1:]
lseg.data.get_config().set_param("sessions.platform.default.base-url", url)
opened = session.platform.Definition(
    app_key=key, grant=getattr(session.platform, grant)(name, secret), signon_control=True
).get_session()
opened.open()
session.set_default(opened)
told = {"state": str(opened.open_state), "version": lseg.data.__version__}
if told["state"] == "OpenState.Opened":
    frame = news.get_headlines(query, count=120, start=start, end=end)
    told["items"] = [
        [f"{instant.isoformat()}+00:00", *row]
        for instant, row in zip(frame.index, frame.values.tolist())
    ]
    told["text"] = news.get_story(told["items"][0][2], format=news.Format.TEXT)
    told["markup"] = news.get_story(told["items"][0][2], format=news.Format.HTML)
    sys.stdin.readline()
    opened.close()
print(json.dumps(told))
"""
"""Prints what the package made of the address; signed on, it waits for a line before it ends."""

Process = subprocess.Popen[str]


@dataclass(frozen=True)
class LsegData:
    """The package in an environment of its own."""

    python: Path
    folder: Path

    def started(self, platform: Platform, signing_on: tuple[str, str, str]) -> Process:
        """The program at work; it has nothing of this process's environment."""
        asked = (platform.url, APP_KEY, QUERY, _day(WEEK_AGO), _day(AS_OF), *signing_on)
        return subprocess.Popen(
            [self.python, "-c", PROGRAM, *asked],
            cwd=self.folder,
            env={"HOME": str(self.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def told(self, platform: Platform, signing_on: tuple[str, str, str]) -> dict[str, Any]:
        """What it made of the platform."""
        return outcome(self.started(platform, signing_on))


def outcome(process: Process) -> dict[str, Any]:
    """What a program prints that is let to its end."""
    try:
        written, complaints = process.communicate("\n", PATIENCE_SECONDS)
    finally:
        process.kill()
    assert process.returncode == 0, complaints
    told: dict[str, Any] = json.loads(written.splitlines()[-1])
    return told


def _day(instant: datetime) -> str:
    return instant.strftime("%Y-%m-%dT%H:%M:%S")


@pytest.fixture(scope="module")
def lseg_data(tmp_path_factory: pytest.TempPathFactory) -> LsegData:
    environment = installed("lseg-data")
    return LsegData(environment / "bin" / "python", tmp_path_factory.mktemp("lseg-data"))


@pytest.fixture
def platform() -> Iterator[Platform]:
    stories = [
        Story(
            f"Yen at {150 + n}",
            AS_OF - timedelta(minutes=n),
            f"urn:newsml:reuters.com:20261030:nL1N{n:03}:1",
            text=TOLD,
        )
        for n in range(110)
    ]
    with lseg(*stories) as address:
        yield address


def ours(platform: Platform, clock: Callable[[], float] = time.monotonic) -> ReutersTools:
    given = {"LSEG_APP_KEY": APP_KEY, "LSEG_USERNAME": USERNAME, "LSEG_PASSWORD": PASSWORD}
    access = access_from(given | {"LSEG_BASE_URL": platform.url})
    return ReutersTools(LsegNews(access, now=lambda: AS_OF, clock=clock))


def grants(platform: Platform) -> list[str]:
    return [asked.values["grant_type"] for asked in platform.asked if "token" in asked.path]


def test_the_package_signs_on_reads_headlines_and_a_story_and_signs_off(
    lseg_data: LsegData, platform: Platform
) -> None:
    told = lseg_data.told(platform, BY_PASSWORD)
    assert (told["state"], told["version"]) == ("OpenState.Opened", "2.1.1")
    assert len(told["items"]) == 110
    assert told["items"][0] == ["2026-10-30T16:00:00+00:00", "Yen at 150", STORY_ID, "NS:RTRS"]
    assert told["text"] == TOLD
    assert told["markup"] == f"<html><body><p>{TOLD}</p></body></html>"
    story = f"{STORIES}/{STORY_ID}"
    assert platform.paths() == [TOKEN_V1, HEADLINES, HEADLINES, story, story, REVOKE, REVOKE]
    assert platform.tokens == set()


def test_our_server_gets_the_same_news_by_the_same_requests(
    lseg_data: LsegData, platform: Platform
) -> None:
    told = lseg_data.told(platform, BY_PASSWORD)
    signed_on, searched, *_ = platform.asked
    platform.asked.clear()
    tools = ours(platform)
    news = tools.get_market_news(AS_OF, "yen")
    assert [
        [item.published_at.isoformat(), item.headline, item.story_id, "NS:RTRS"]
        for item in news.items
    ] == told["items"][:100]
    assert platform.asked[0] == signed_on
    assert platform.asked[1].path == searched.path
    dates = {"dateFrom": f"{_day(WEEK_AGO)}.000Z", "dateTo": f"{_day(AS_OF)}.000Z"}
    assert platform.asked[1].values == {**searched.values, **dates}
    check = tools.verify_story("Yen at 150", AS_OF)
    assert check.items[0].summary == "TOKYO, Oct 30 (Reuters) - The yen fell. Zürich said nothing."
    assert platform.paths()[-1] == f"{STORIES}/{STORY_ID}"


def test_the_package_renews_its_token_in_the_form_that_ours_has(
    lseg_data: LsegData, platform: Platform
) -> None:
    platform.expires_in = 4
    process = lseg_data.started(platform, BY_PASSWORD)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while "refresh_token" not in grants(platform) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert outcome(process)["state"] == "OpenState.Opened"
    theirs = next(asked.values for asked in platform.asked if "refresh_token" in asked.values)
    platform.asked.clear()
    seconds = [0.0]
    tools = ours(platform, clock=lambda: seconds[0])
    tools.get_market_news(AS_OF, "yen")
    seconds[0] = 3.0
    tools.get_market_news(AS_OF, "won")
    assert grants(platform) == ["password", "refresh_token"]
    renewed = next(asked.values for asked in platform.asked if "refresh_token" in asked.values)
    assert {**renewed, "refresh_token": ""} == {**theirs, "refresh_token": ""}


def test_the_package_signs_on_by_client_credentials_too(
    lseg_data: LsegData, platform: Platform
) -> None:
    assert len(lseg_data.told(platform, BY_CLIENT)["items"]) == 110
    assert platform.paths()[:2] == [TOKEN_V2, HEADLINES]


def test_the_package_takes_a_refusal_of_the_address_for_one(
    lseg_data: LsegData, platform: Platform
) -> None:
    told = lseg_data.told(platform, ("GrantPassword", USERNAME, "wrong"))
    assert told["state"] == "OpenState.Closed"
    assert platform.paths() == [TOKEN_V1]
