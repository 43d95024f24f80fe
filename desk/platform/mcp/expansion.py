"""The variables in `.mcp.json`, filled in where a worker serves its servers.

`${NAME}` and `${NAME:-default}` stand for variables in `command`, `args`, `env`, `cwd`, `url` and
`headers`. A variable that is empty counts as not set. What a variable holds is taken as it is.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from desk.platform.mcp.config import McpConfigError, McpServerSpec, Transport, read_mcp_config

PASSED_ON: Final = ("LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ")
"""What a server over stdio has of the worker's variables beside what the MCP client passes on
(HOME, LOGNAME, PATH, SHELL, TERM, USER). Everything else it has from its `env`."""

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}")


def servers_to_serve(
    path: Path, variables: Mapping[str, str], *, in_process: bool
) -> dict[str, McpServerSpec]:
    """The servers of the file by name, ready to be reached.

    With `in_process`, our own servers run in the worker, and what they would be started with
    elsewhere is left as it is written.

    Raises:
        McpConfigError: the file cannot be used, or a variable that a server needs is not set.
    """
    return {
        name: spec
        if spec.runs_here(in_process=in_process)
        else _Expansion(f"{path}: server '{name}'", variables).of(spec)
        for name, spec in read_mcp_config(path).items()
    }


class _Expansion:
    """The filling in for one server; `server` is how messages name it."""

    def __init__(self, server: str, variables: Mapping[str, str]) -> None:
        self._server = server
        self._variables = variables

    def of(self, spec: McpServerSpec) -> McpServerSpec:
        """The server with its variables filled in: only those of the way in which it is reached."""
        if spec.transport is Transport.STDIO:
            return spec.model_copy(update=self._process(spec))
        return spec.model_copy(update=self._address(spec))

    def _process(self, spec: McpServerSpec) -> dict[str, object]:
        args = enumerate(spec.args, start=1)
        passed_on = {
            name: SecretStr(self._variables[name]) for name in PASSED_ON if name in self._variables
        }
        return {
            "command": self._text("command", spec.command or ""),
            "args": tuple(self._text(f"args[{number}]", text) for number, text in args),
            "env": passed_on | self._secrets("env", spec.env),
            "cwd": None if spec.cwd is None else self._text("cwd", spec.cwd),
        }

    def _address(self, spec: McpServerSpec) -> dict[str, object]:
        url = self._text("url", spec.url or "")
        headers = self._secrets("headers", spec.headers)
        if (wrong := _fault_of_address(url)) is not None:
            raise self._error("url", wrong)
        for name, value in headers.items():
            if not _fits_a_header(value.get_secret_value()):
                raise self._error(
                    f"headers.{name}",
                    "it has a line break, a space at an end, or a character beyond ASCII",
                )
        return {"url": url, "headers": headers}

    def _secrets(self, key: str, texts: Mapping[str, SecretStr]) -> dict[str, SecretStr]:
        return {
            name: SecretStr(self._text(f"{key}.{name}", text.get_secret_value()))
            for name, text in texts.items()
        }

    def _text(self, key: str, text: str) -> str:
        if "${" in _REFERENCE.sub("", text):
            raise self._error(
                key, "a variable in it cannot be read; write ${NAME} or ${NAME:-default}"
            )
        return _REFERENCE.sub(lambda found: self._value(key, found), text)

    def _value(self, key: str, found: re.Match[str]) -> str:
        name, default = found.group(1), found.group(2)
        value = self._variables.get(name) or default
        if value is None:
            raise self._error(
                key,
                f"the variable {name} is not set; set it in the environment or in .env, "
                f"or write ${{{name}:-default}}",
            )
        return value

    def _error(self, key: str, reason: str) -> McpConfigError:
        return McpConfigError(f"{self._server}, {key}: {reason}")


def _fault_of_address(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isprintable() or " " in url:
        return "it is not an http or https address once its variables are filled in"
    if parts.username is not None or parts.password is not None:
        return "it has a user name or password in it; put them into headers"
    return None


def _fits_a_header(value: str) -> bool:
    return value.isascii() and value.isprintable() and value == value.strip()
