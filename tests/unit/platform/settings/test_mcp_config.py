"""`.mcp.json` as it is read: in the usual form, without a value in any message."""

import json
from pathlib import Path
from typing import Any

import pytest

from desk.platform.settings.mcp_json import (
    McpConfigError,
    McpServerSpec,
    Transport,
    read_mcp_config,
)

SECRET = "sk-do-not-print-me"


def written(tmp_path: Path, **servers: Any) -> Path:
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


def test_the_usual_form_is_understood(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        fred={
            "command": "uvx",
            "args": ["fred-mcp-server", "--verbose"],
            "env": {"FRED_API_KEY": "${FRED_API_KEY}"},
            "cwd": "servers",
            "disabled": False,
        },
        news={
            "type": "http",
            "url": "https://news.example/mcp",
            "headers": {"Authorization": "Bearer ${NEWS_TOKEN}"},
        },
    )
    servers = read_mcp_config(path)
    fred, news = servers["fred"], servers["news"]
    assert (fred.command, fred.args, fred.cwd) == (
        *("uvx", ("fred-mcp-server", "--verbose"), "servers"),
    )
    assert fred.env["FRED_API_KEY"].get_secret_value() == "${FRED_API_KEY}"
    assert news.headers["Authorization"].get_secret_value() == "Bearer ${NEWS_TOKEN}"
    assert (fred.transport, news.transport) == (Transport.STDIO, Transport.HTTP)


@pytest.mark.parametrize(
    ("written_type", "understood"),
    [
        ("http", Transport.HTTP),
        ("streamable-http", Transport.HTTP),
        ("streamableHttp", Transport.HTTP),
        ("sse", Transport.SSE),
        ("SSE", Transport.SSE),
    ],
)
def test_a_transport_is_understood_by_each_of_its_names(
    tmp_path: Path, written_type: str, understood: Transport
) -> None:
    path = written(tmp_path, a={"type": written_type, "url": "http://127.0.0.1:1/"})
    assert read_mcp_config(path)["a"].transport is understood


def test_servers_are_named_although_a_secret_is_not_set(tmp_path: Path) -> None:
    path = written(tmp_path, a={"command": "x", "env": {"KEY": "${NOBODY_HAS_SET_THIS}"}})
    assert list(read_mcp_config(path)) == ["a"]


@pytest.mark.parametrize(
    ("server", "place"),
    [
        ({"command": "x", "env": {"KEY": [SECRET]}}, "mcpServers.mine.env.KEY: "),
        ({"url": "http://h/", "headers": {"X-Key": {"a": SECRET}}}, "mine.headers.X-Key: "),
        ({"url": "http://h/", "headers": {"X Key": SECRET}}, "mine.headers.X Key: "),
        ({"command": "x", "args": [{"k": SECRET}]}, "mcpServers.mine.args.0: "),
        ({"type": "ftp", "url": f"http://h/?k={SECRET}"}, "mcpServers.mine.type: "),
        ({"type": "http", "command": SECRET}, "mine: a server of type http needs a url"),
        ({"type": "stdio", "url": SECRET}, "mine: a server of type stdio needs a command"),
        ({"env": {"KEY": SECRET}}, "mine: a server needs a command, a url or inProcess"),
        ({"command": "x", "env": {"KEY": SECRET * 1_000}}, "mcpServers.mine.env.KEY: "),
    ],
)
def test_what_is_wrong_is_named_without_its_value(
    tmp_path: Path, server: dict[str, Any], place: str
) -> None:
    path = written(tmp_path, mine=server)
    with pytest.raises(McpConfigError) as caught:
        read_mcp_config(path)
    assert str(path) in str(caught.value)
    assert place in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_file_that_breaks_off_is_not_quoted(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"a": {"env": {"KEY": "' + SECRET)
    with pytest.raises(McpConfigError, match=r"no usable JSON.*line 1") as caught:
        read_mcp_config(path)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (
            '{"mcpServers": {\n  "a": {\n    "args": [\n      "x"\n',
            "what begins on line 3 does not",
        ),
        ('{"mcpServers": {\n  "a": {"url": "http://h/"}\n  "b": {}\n}}', "(at line 3, column 3)"),
    ],
)
def test_a_broken_file_is_told_with_its_line_and_what_to_do(
    tmp_path: Path, text: str, where: str
) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises(McpConfigError) as caught:
        read_mcp_config(path)
    told = str(caught.value)
    assert told.startswith(f"{path} is no usable JSON: ") and where in told
    assert told.endswith("; correct it, or move the file away, and `desk init` writes it anew")


def test_a_server_prints_nothing_that_can_hold_a_secret() -> None:
    spec = McpServerSpec.model_validate(
        {
            "command": "x",
            "args": [f"--key={SECRET}"],
            "env": {"KEY": SECRET},
            "url": f"http://127.0.0.1/?key={SECRET}",
            "headers": {"Authorization": f"Bearer {SECRET}"},
        }
    )
    assert SECRET not in repr(spec) + str(spec)
    assert SECRET not in repr(spec.env) + repr(spec.headers)
