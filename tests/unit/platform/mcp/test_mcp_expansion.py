"""The variables in `.mcp.json`: where they come from, and what is said of those that are not."""

import json
from pathlib import Path
from typing import Any

import pytest

from desk.platform.settings import load_settings
from desk.platform.settings.mcp_json import McpConfigError, McpServerSpec, servers_to_serve

SECRET = "sk-do-not-print-me"
VARIABLES = {"KEY": SECRET, "HOST": "news.example", "EMPTY": "", "PLACE": "Tokyo"}


def expanded(
    tmp_path: Path, server: dict[str, Any], *, in_process: bool = False, **variables: str
) -> McpServerSpec:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"mine": server}}))
    return servers_to_serve(path, VARIABLES | variables, in_process=in_process)["mine"]


def refused(tmp_path: Path, server: dict[str, Any]) -> str:
    with pytest.raises(McpConfigError) as caught:
        expanded(tmp_path, server)
    assert str(caught.value).startswith(f"{tmp_path / 'mcp.json'}: server 'mine', ")
    assert SECRET not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${PLACE}", "Tokyo"),
        ("in ${PLACE}, ${PLACE}!", "in Tokyo, Tokyo!"),
        ("${PLACE:-Osaka}", "Tokyo"),
        ("${UNSET:-Osaka}", "Osaka"),
        ("${EMPTY:-Osaka}", "Osaka"),
        ("${UNSET:-}", ""),
        ("${UNSET:-a:-b $c}", "a:-b $c"),
        ("$PLACE costs $5", "$PLACE costs $5"),
    ],
)
def test_a_variable_is_filled_in(tmp_path: Path, text: str, value: str) -> None:
    assert expanded(tmp_path, {"command": "x", "args": [text]}).args == (value,)


def test_a_process_has_its_variables_filled_in_everywhere(tmp_path: Path) -> None:
    spec = expanded(
        tmp_path,
        {
            "command": "${PLACE}/bin/serve",
            "args": ["--host", "${HOST}"],
            "env": {"API_KEY": "${KEY}"},
            "cwd": "${PLACE}",
        },
    )
    assert (spec.command, spec.args, spec.cwd) == (
        *("Tokyo/bin/serve", ("--host", "news.example"), "Tokyo"),
    )
    assert spec.env["API_KEY"].get_secret_value() == SECRET


def test_an_address_has_its_variables_filled_in_everywhere(tmp_path: Path) -> None:
    spec = expanded(
        tmp_path,
        {"url": "https://${HOST}/mcp?k=${KEY}", "headers": {"Authorization": "Bearer ${KEY}"}},
    )
    assert spec.url == f"https://news.example/mcp?k={SECRET}"
    assert spec.headers["Authorization"].get_secret_value() == f"Bearer {SECRET}"
    assert SECRET not in repr(spec)


def test_what_a_variable_holds_is_not_read_again(tmp_path: Path) -> None:
    spec = expanded(tmp_path, {"command": "x", "args": ["${ODD}"]}, ODD="${KEY}")
    assert spec.args == ("${KEY}",)


@pytest.mark.parametrize(
    ("server", "key"),
    [
        ({"command": "${UNSET}"}, "command"),
        ({"command": "x", "args": ["a", "${UNSET}"]}, "args[2]"),
        ({"command": "x", "env": {"API_KEY": "${KEY}${UNSET}"}}, "env.API_KEY"),
        ({"command": "x", "cwd": "${UNSET}"}, "cwd"),
        ({"url": "http://${UNSET}/"}, "url"),
        ({"url": "http://h/", "headers": {"X-Key": "${UNSET}"}}, "headers.X-Key"),
        ({"command": "x", "env": {"API_KEY": "${UNSET:-${KEY}}"}}, "env.API_KEY"),
    ],
)
def test_a_variable_that_is_not_there_is_named_with_its_place(
    tmp_path: Path, server: dict[str, Any], key: str
) -> None:
    assert f"'mine', {key}: " in refused(tmp_path, server)


def test_an_unset_variable_is_named_with_what_to_do(tmp_path: Path) -> None:
    said = refused(tmp_path, {"command": "x", "env": {"API_KEY": "${EMPTY}"}})
    assert said.endswith(
        "the variable EMPTY is not set; set it in the environment or in .env, "
        "or write ${EMPTY:-default}"
    )


@pytest.mark.parametrize("text", ["${input:key}", "${KEY", "${env:KEY}", "${KEY-x}", "${1}"])
def test_a_variable_in_another_notation_is_refused_and_not_sent(tmp_path: Path, text: str) -> None:
    said = refused(tmp_path, {"url": "http://h/", "headers": {"Authorization": text}})
    assert "write ${NAME} or ${NAME:-default}" in said


@pytest.mark.parametrize(
    "url",
    [
        "ftp://${HOST}/",
        "${HOST}/mcp",
        "http:///mcp?${KEY}",
        "http://h:port/${KEY}",
        "http://h/ ${KEY}",
        "http://h/\n${KEY}",
        "http://[${KEY}/",
    ],
)
def test_an_address_that_is_none_is_refused(tmp_path: Path, url: str) -> None:
    assert "url: it is not an http or https address" in refused(tmp_path, {"url": url})


def test_a_password_in_an_address_belongs_into_headers(tmp_path: Path) -> None:
    said = refused(tmp_path, {"url": "https://me:${KEY}@h/mcp"})
    assert "put them into headers" in said


@pytest.mark.parametrize("value", ["Bearer ${KEY}\n", " ${KEY}", "${KEY}ü", "a\r\nX-Evil: ${KEY}"])
def test_a_header_that_cannot_be_sent_is_refused(tmp_path: Path, value: str) -> None:
    said = refused(tmp_path, {"url": "http://h/", "headers": {"Authorization": value}})
    assert "headers.Authorization: it has a line break" in said


def test_only_the_way_that_is_taken_needs_its_variables(tmp_path: Path) -> None:
    own = {"command": "x", "env": {"API_KEY": "${UNSET}"}, "inProcess": "desk.sources.ecb.server"}
    assert expanded(tmp_path, own, in_process=True).in_process == "desk.sources.ecb.server"
    with pytest.raises(McpConfigError, match="UNSET"):
        expanded(tmp_path, own, in_process=False)


def test_a_process_is_given_little_beside_its_own(tmp_path: Path) -> None:
    spec = expanded(
        tmp_path,
        {"command": "x", "env": {"TZ": "Asia/Tokyo"}},
        LANG="C.UTF-8",
        TZ="Europe/London",
        ANTHROPIC_API_KEY=SECRET,
    )
    given = {name: value.get_secret_value() for name, value in spec.env.items()}
    assert given == {"LANG": "C.UTF-8", "TZ": "Asia/Tokyo"}


def test_the_environment_goes_before_the_file_of_variables(tmp_path: Path) -> None:
    (tmp_path / "desk.toml").write_text(
        '[markets]\npairs = []\npolicy_rates = [{ area = "JP", group = "G10" }]\n'
    )
    (tmp_path / ".env").write_text("KEY=from the file\nHOST=file.example\n")
    (tmp_path / ".mcp.json").write_text(
        '{"mcpServers": {"mine": {"command": "x", "args": ["${KEY}", "${HOST}"]}}}'
    )
    settings = load_settings(tmp_path, {"KEY": SECRET})
    assert settings.config.policy.sources == ("mine",)
    assert SECRET not in repr(settings)
    servers = servers_to_serve(settings.mcp_config, settings.variables, in_process=True)
    assert servers["mine"].args == (SECRET, "file.example")
