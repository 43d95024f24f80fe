"""Which variables give access to LSEG, and what is said where they do not."""

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from desk.sources.reuters.access import (
    LSEG_URL,
    GivenToken,
    MachineAccount,
    NoAccess,
    ServiceAccount,
    access_from,
)
from desk.sources.reuters.server import ReutersTools, build_server
from tests.unit.sources.reuters.test_reuters import AS_OF, MACHINE

SERVICE = {"LSEG_CLIENT_ID": "client-id", "LSEG_CLIENT_SECRET": "client-secret"}
TOKEN = {"REUTERS_API_TOKEN": "token"}


def refused(variables: dict[str, str]) -> str:
    with pytest.raises(NoAccess) as lacking:
        access_from(variables)
    return str(lacking.value)


@pytest.mark.parametrize(
    ("variables", "kind"),
    [
        (MACHINE, MachineAccount),
        (SERVICE, ServiceAccount),
        (TOKEN, GivenToken),
        (TOKEN | SERVICE | MACHINE, MachineAccount),
        (TOKEN | SERVICE, ServiceAccount),
        (SERVICE | {"LSEG_APP_KEY": "alone", "LSEG_PASSWORD": ""}, ServiceAccount),
    ],
)
def test_a_whole_account_goes_before_a_token(variables: dict[str, str], kind: type) -> None:
    access = access_from(variables)
    assert isinstance(access.account, kind)
    assert access.url == LSEG_URL
    assert set(access.variables) <= set(variables)


def test_without_any_every_variable_is_named_and_where_to_turn() -> None:
    for nothing in ({}, dict.fromkeys(MACHINE | SERVICE | TOKEN, "")):
        said = refused(nothing)
        assert all(name in said for name in MACHINE | SERVICE | TOKEN)
        assert "central banks' own news and the ECB's" in said


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        (("LSEG_PASSWORD",), "Not set is LSEG_PASSWORD"),
        (("LSEG_APP_KEY", "LSEG_USERNAME"), "Not set is LSEG_APP_KEY and LSEG_USERNAME"),
    ],
)
def test_of_half_an_account_the_other_half_is_named(lacking: tuple[str, ...], said: str) -> None:
    assert refused({name: MACHINE[name] for name in MACHINE if name not in lacking}).endswith(said)
    assert refused({"LSEG_CLIENT_ID": "x"}).endswith("Not set is LSEG_CLIENT_SECRET")


@pytest.mark.parametrize(
    "url",
    [
        "http://api.refinitiv.com",
        "http://127.0.0.1.example",
        "http://192.168.1.1",
        "ftp://api.refinitiv.com",
        "api.refinitiv.com",
        "https://",
        "https://user:pass@api.refinitiv.com",
        "https://api.refinitiv.com/?to=elsewhere",
        "https://api.refinitiv.com:0",
        "https://api.refinitiv.com:99999",
        "https://api.refinitiv.com /",
        "https://[::1",
    ],
)
def test_credentials_are_for_https_and_for_this_machine(url: str) -> None:
    said = refused(MACHINE | {"LSEG_BASE_URL": url})
    assert said.startswith("LSEG_BASE_URL ")
    assert "user:pass" not in said


@pytest.mark.parametrize(
    "url", ["https://gateway.example/lseg/", "http://127.0.0.1:8080", "http://[::1]:8080"]
)
def test_another_address_can_be_named(url: str) -> None:
    assert access_from(TOKEN | {"LSEG_BASE_URL": url}).url == url.rstrip("/")
    assert access_from(TOKEN | {"LSEG_BASE_URL": ""}).url == LSEG_URL


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "täken", "x" * 4_001])
def test_a_token_that_fits_no_header_is_refused_without_it(token: str) -> None:
    said = refused({"REUTERS_API_TOKEN": token})
    assert "REUTERS_API_TOKEN" in said
    assert token not in said


def test_no_secret_is_in_a_representation() -> None:
    for variables in (MACHINE, SERVICE, TOKEN):
        shown = repr(access_from({name: f"hidden-{name}" for name in variables}))
        assert "hidden" not in shown


def test_without_access_every_tool_refuses_and_says_why() -> None:
    tools = ReutersTools(NoAccess("there is none"))
    for ask in (
        lambda: tools.get_market_news(AS_OF),
        lambda: tools.get_market_news(AS_OF, "yen"),
        lambda: tools.get_central_bank_news(["JP"], AS_OF),
        lambda: tools.verify_story("Bank of Japan lifts rates", AS_OF),
    ):
        with pytest.raises(ToolError, match="there is none"):
            ask()


def test_a_server_is_built_without_access_too() -> None:
    assert build_server(variables={"LSEG_BASE_URL": "nowhere"}).name == "reuters"
