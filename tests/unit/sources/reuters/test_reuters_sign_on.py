"""How the `reuters` server signs on: once, in time, and again where it has to."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.sources.reuters.access import access_from
from desk.sources.reuters.platform import LsegNews
from desk.sources.reuters.server import ReutersTools
from tests.support.addresses.feeds import Answer
from tests.support.addresses.lseg import (
    APP_KEY,
    CLIENT_ID,
    CLIENT_SECRET,
    HEADLINES,
    PASSWORD,
    TOKEN_V1,
    TOKEN_V2,
    USERNAME,
    Platform,
    failed,
    in_json,
    lseg,
)
from tests.unit.sources.reuters.test_reuters import AS_OF, MACHINE, NOW

SERVICE = {"LSEG_CLIENT_ID": CLIENT_ID, "LSEG_CLIENT_SECRET": CLIENT_SECRET}


class Desk:
    """The tools, asked something new each time, with a clock that the test moves."""

    def __init__(self, platform: Platform, variables: Mapping[str, str]) -> None:
        self.seconds = 0.0
        self._number = 0
        access = access_from({**variables, "LSEG_BASE_URL": platform.url})
        self._tools = ReutersTools(
            LsegNews(access, now=lambda: NOW, clock=lambda: self.seconds, timeout_seconds=30)
        )

    def ask(self) -> None:
        self._number += 1
        news = self._tools.get_market_news(AS_OF, f"yen {self._number}")
        assert (news.missing or "").startswith("Reuters has nothing")


@pytest.fixture
def platform() -> Iterator[Platform]:
    with lseg() as address:
        yield address


def grants(platform: Platform) -> list[str]:
    return [asked.values["grant_type"] for asked in platform.asked if "token" in asked.path]


def test_a_machine_account_signs_on_by_its_password(platform: Platform) -> None:
    Desk(platform, MACHINE).ask()
    signed_on, asked = platform.asked
    assert (signed_on.path, signed_on.authorization) == (TOKEN_V1, None)
    assert signed_on.values == {
        "grant_type": "password",
        "scope": "trapi",
        "username": USERNAME,
        "password": PASSWORD,
        "client_id": APP_KEY,
        "takeExclusiveSignOnControl": "true",
    }
    assert (asked.path, asked.authorization) == (HEADLINES, "Bearer access-token-1")


def test_a_service_account_signs_on_by_its_secret(platform: Platform) -> None:
    Desk(platform, SERVICE).ask()
    assert platform.paths() == [TOKEN_V2, HEADLINES]
    assert grants(platform) == ["client_credentials"]


def test_a_given_token_is_used_as_it_is(platform: Platform) -> None:
    platform.tokens.add("given")
    desk = Desk(platform, {"REUTERS_API_TOKEN": "given"})
    desk.ask()
    assert platform.paths() == [HEADLINES]
    platform.end_all_sessions()
    with pytest.raises(ToolError, match=r"401 .* not accept .*; check REUTERS_API_TOKEN$"):
        desk.ask()
    assert platform.paths() == [HEADLINES, HEADLINES]


def test_a_token_is_renewed_before_it_ends(platform: Platform) -> None:
    desk = Desk(platform, MACHINE)
    desk.ask()
    desk.seconds = 569.0
    desk.ask()
    assert grants(platform) == ["password"]
    desk.seconds = 571.0
    desk.ask()
    assert grants(platform) == ["password", "refresh_token"]
    assert platform.asked[-1].authorization == "Bearer access-token-2"


def test_a_token_that_has_ended_is_got_anew(platform: Platform) -> None:
    for variables, grant in ((MACHINE, "password"), (SERVICE, "client_credentials")):
        desk = Desk(platform, variables)
        desk.ask()
        desk.seconds = 600.0
        desk.ask()
        assert grants(platform)[-2:] == [grant, grant]


def test_a_renewal_that_is_refused_ends_in_signing_on(platform: Platform) -> None:
    desk = Desk(platform, MACHINE)
    desk.ask()
    platform.end_all_sessions()
    desk.seconds = 571.0
    desk.ask()
    assert grants(platform) == ["password", "refresh_token", "password"]


def test_a_token_that_is_no_longer_accepted_is_got_anew_once(platform: Platform) -> None:
    desk = Desk(platform, MACHINE)
    desk.ask()
    platform.end_all_sessions()
    desk.ask()
    assert platform.paths() == [TOKEN_V1, HEADLINES, HEADLINES, TOKEN_V1, HEADLINES]
    platform.instead[HEADLINES] = failed(401, "token expired")
    with pytest.raises(ToolError, match=r"401 Unauthorized, also to a new token$"):
        desk.ask()
    assert platform.paths()[5:] == [HEADLINES, TOKEN_V1, HEADLINES]


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"LSEG_PASSWORD": "hidden-word"}, 400),
        ({"LSEG_APP_KEY": "hidden-key"}, 401),
        ({"LSEG_USERNAME": "hidden-name"}, 400),
    ],
)
def test_credentials_that_are_refused_are_named_and_not_shown(
    platform: Platform, wrong: dict[str, str], status: int
) -> None:
    with pytest.raises(ToolError) as refused:
        Desk(platform, MACHINE | wrong).ask()
    said = str(refused.value)
    assert f"it answered {status} " in said
    assert said.endswith("check LSEG_APP_KEY, LSEG_USERNAME, LSEG_PASSWORD")
    assert "hidden" not in said


def test_the_secret_of_a_service_account_is_named_and_not_shown(platform: Platform) -> None:
    with pytest.raises(ToolError, match=r"401 .*; check LSEG_CLIENT_ID, LSEG_CLIENT_SECRET$"):
        Desk(platform, SERVICE | {"LSEG_CLIENT_SECRET": "hidden"}).ask()


def test_refused_credentials_are_not_sent_again_for_ten_minutes(platform: Platform) -> None:
    desk = Desk(platform, MACHINE | {"LSEG_PASSWORD": "wrong"})
    for seconds, sent in ((0.0, 1), (599.0, 1), (600.0, 2)):
        desk.seconds = seconds
        with pytest.raises(ToolError, match="does not accept the credentials"):
            desk.ask()
        assert len(grants(platform)) == sent


def test_questions_at_once_sign_on_once(platform: Platform) -> None:
    desk = Desk(platform, MACHINE)
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(desk.ask) for _ in range(8)]
        for one in asked:
            one.result()
    assert grants(platform) == ["password"]


def test_questions_at_once_that_lose_their_token_sign_on_once_more(platform: Platform) -> None:
    desk = Desk(platform, MACHINE)
    desk.ask()
    platform.end_all_sessions()
    with ThreadPoolExecutor(8) as threads:
        for one in [threads.submit(desk.ask) for _ in range(8)]:
            one.result()
    assert grants(platform) == ["password", "password"]


@pytest.mark.parametrize("life", [None, "soon", 0, -5, "NaN", [600]])
def test_a_token_without_a_readable_life_is_good_for_five_minutes(
    platform: Platform, life: object
) -> None:
    desk = Desk(platform, MACHINE)
    platform.tokens.add("token")
    platform.instead[TOKEN_V1] = in_json({"access_token": "token", "expires_in": life})
    for seconds, signed_on in ((0.0, 1), (269.0, 1), (271.0, 2)):
        desk.seconds = seconds
        desk.ask()
        assert len(grants(platform)) == signed_on


@pytest.mark.parametrize("token", [None, "", 7, "two words", "line\r\nX-Injected: 1", "t" * 16_001])
def test_what_is_no_token_is_never_sent(platform: Platform, token: object) -> None:
    platform.instead[TOKEN_V1] = in_json({"access_token": token, "expires_in": "600"})
    tools = ReutersTools(
        LsegNews(access_from(MACHINE | {"LSEG_BASE_URL": platform.url}), now=lambda: NOW)
    )
    assert "`access_token` of its sign-on" in (tools.get_market_news(AS_OF).missing or "")
    assert platform.paths() == [TOKEN_V1]


def test_credentials_and_tokens_follow_no_redirect(platform: Platform) -> None:
    with lseg() as elsewhere:
        for path in (HEADLINES, TOKEN_V1):
            platform.instead = {path: Answer(b"", 307, {"Location": f"{elsewhere.url}{path}"})}
            with pytest.raises(AssertionError):
                Desk(platform, MACHINE).ask()
        assert elsewhere.asked == []
