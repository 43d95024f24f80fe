"""Reads `.mcp.json`: which MCP servers there are and how each is reached.

Reading the file expands no variables, so that code which needs only the names needs no secret.
`servers_to_serve` expands them, for a worker: `${NAME}` and `${NAME:-default}` in `command`,
`args`, `env`, `cwd`, `url` and `headers`. An empty variable counts as unset. A variable's value is
not expanded again.
"""

import importlib.util
import json
import re
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from desk.contracts.agents.tools import SourceTier
from desk.contracts.base import ShortText
from desk.platform.files import read_text_file
from desk.platform.settings.errors import SettingsError, unparsable_message

RENAMED: Final[Mapping[str, str]] = {
    "mcp_servers.analysis": "desk.sources.analysis.server",
    "mcp_servers.central_banks": "desk.sources.central_banks.server",
    "mcp_servers.ecb": "desk.sources.ecb.server",
    "mcp_servers.google_news": "desk.sources.news.server",
    "mcp_servers.knowledge": "desk.sources.knowledge.server",
    "mcp_servers.official_statistics": "desk.sources.statistics.server",
    "mcp_servers.reuters": "desk.sources.reuters.server",
    "mcp_servers.sentiment": "desk.sources.sentiment.server",
    "mcp_servers.yahoo_finance": "desk.sources.yahoo.server",
}
"""The current modules of this project's servers, by the names that they had before they moved to
`desk`."""


def renamed(module: str) -> str:
    """The current name of a module."""
    return RENAMED.get(module, module)


LARGEST_ANSWER: Final = 4 * 2**20
"""The most bytes that are read of an answer unless an entry says otherwise."""

OWN_MODULES: Final = "desk.sources."
"""The prefix of the modules with this project's servers."""

FOR_ASSISTANTS: Final = "forAssistants"
"""The key of an entry that an assistant's client starts and the desk ignores, such as the desk
itself."""

_Value = Annotated[str, Field(max_length=8_000)]
_Secret = Annotated[SecretStr, Field(max_length=8_000)]
_HeaderName = Annotated[str, Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$")]
_Module = Annotated[ShortText, AfterValidator(renamed)]
_VariableName = Annotated[str, Field(pattern=r"^[^=\x00]{1,200}$")]


class McpConfigError(SettingsError):
    """`.mcp.json` is not valid. The message names the file, the server and the key, never a
    value."""


class Transport(StrEnum):
    """How a server is reached. Other programs' names for `http` are accepted too."""

    STDIO = "stdio"
    HTTP = "http"
    SSE = "sse"

    @classmethod
    def _missing_(cls, value: object) -> "Transport | None":
        plain = str(value).lower().replace("-", "").replace("_", "")
        return cls.HTTP if plain == "streamablehttp" else cls.__members__.get(plain.upper())


class McpServerSpec(BaseModel):
    """One server: a command for stdio, a `url` for HTTP, or the desk's own module to run
    in-process.

    Fields that can hold a secret are not in its `repr`. `cwd` is relative to the project's folder.
    `callsPerSecond` limits the server's queue, across all workers that poll it. `maxAnswerBytes`
    limits how much is read of an answer from another process. `tier` and `origin` attribute its
    answers. `module` is the module of this project that the server runs, if `command` and
    `inProcess` do not say. A server that is `forAssistants` is not a source of the desk.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    type: Transport | None = None
    command: ShortText | None = None
    args: tuple[_Value, ...] = Field(default=(), max_length=100, repr=False)
    env: Mapping[_VariableName, _Secret] = Field(default_factory=dict, max_length=100, repr=False)
    cwd: Annotated[str, Field(max_length=1_000)] | None = None
    url: str | None = Field(default=None, max_length=2_000, repr=False)
    headers: Mapping[_HeaderName, _Secret] = Field(default_factory=dict, max_length=50, repr=False)
    in_process: _Module | None = Field(default=None, alias="inProcess")
    module: _Module | None = None
    tier: SourceTier | None = None
    origin: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    calls_per_second: Annotated[float, Field(gt=0)] | None = Field(
        default=None, alias="callsPerSecond"
    )
    max_answer_bytes: Annotated[int, Field(ge=1_024, le=2**30)] = Field(
        default=LARGEST_ANSWER, alias="maxAnswerBytes"
    )
    for_assistants: bool = Field(default=False, alias=FOR_ASSISTANTS)

    @field_validator("args")
    @classmethod
    def _of_today(cls, args: tuple[str, ...]) -> tuple[str, ...]:
        runs_module = len(args) > 1 and args[0] == "-m"
        return ("-m", renamed(args[1]), *args[2:]) if runs_module else args

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        if self.type is Transport.STDIO and not self.command:
            raise ValueError("a server of type stdio needs a command")
        if self.type in (Transport.HTTP, Transport.SSE) and not self.url:
            raise ValueError(f"a server of type {self.type} needs a url")
        if not (self.command or self.url or self.in_process):
            raise ValueError("a server needs a command, a url or inProcess")
        return self

    @property
    def transport(self) -> Transport:
        """How the server is reached if it runs elsewhere: by `type`, else by its `url` if it has
        one, else by its command."""
        return self.type or (Transport.HTTP if self.url else Transport.STDIO)

    @property
    def module_args(self) -> tuple[str, ...]:
        """The arguments of the desk's own module: those after `-m MODULE` if `args` start it, none
        if they start something else."""
        if self.args[:1] == ("-m",):
            return self.args[2:] if self.args[1:2] == (self.in_process,) else ()
        return () if self.command else self.args

    @property
    def own_module(self) -> str | None:
        """The module of this project that the server is, wherever it runs. None for a third-party
        server."""
        started = self.args[1] if self.args[:1] == ("-m",) and len(self.args) > 1 else ""
        return self.in_process or (started if started.startswith(OWN_MODULES) else None)

    def runs_here(self, *, in_process: bool) -> bool:
        """Whether it is the desk's own module and runs in the worker. `in_process` decides if both
        are possible."""
        elsewhere = bool(self.command or self.url)
        return self.in_process is not None and (in_process or not elsewhere)


class _McpFile(BaseModel):
    servers: Annotated[dict[ShortText, McpServerSpec], Field(max_length=50)] = Field(
        alias="mcpServers"
    )


def read_mcp_config(path: Path) -> dict[str, McpServerSpec]:
    """The servers that the desk asks, by name, with their variables not expanded.

    Raises:
        McpConfigError: the file is missing or malformed, or a server has no way to be reached.
    """
    try:
        text = read_text_file(path)
        servers = _McpFile.model_validate(json.loads(text)).servers
        return {name: spec for name, spec in servers.items() if not spec.for_assistants}
    except FileNotFoundError:
        raise McpConfigError(
            f"{path} is missing: it names the sources the desk asks; `desk init` writes it"
        ) from None
    except OSError as error:
        raise McpConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        why = f"{error.msg} (at line {error.lineno}, column {error.colno})"
        raise McpConfigError(unparsable_message(path, "JSON", why, _unended(text))) from None
    except ValidationError as error:
        reason = _first_of(error)
    except UnicodeDecodeError:
        reason = "it is not text in UTF-8"
    except RecursionError:
        reason = "it is nested too deeply"
    raise McpConfigError(f"{path} is not a usable list of MCP servers: {reason}")


def _unended(text: str) -> int | None:
    """The line where the innermost unterminated list or object begins."""
    for opened in reversed(list(re.finditer(r"[\[{]", text))):
        try:
            json.JSONDecoder().raw_decode(text, opened.start())
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()):
                return text.count("\n", 0, opened.start()) + 1
    return None


def _first_of(error: ValidationError) -> str:
    """The first validation error, without the offending value."""
    first = error.errors(include_input=False, include_context=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part != "[key]")
    words = first["msg"].removeprefix("Value error, ")
    return f"{place}: {words}" if place else words


PASSED_ON: Final = ("LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ")
"""The worker's variables that a server over stdio gets, beside those that the MCP client passes on
(HOME, LOGNAME, PATH, SHELL, TERM, USER). All others must be in its `env`."""

NEEDS: Final[dict[str, str]] = {"desk.sources.yahoo.server": "yfinance"}
"""The package without which a server of this project can answer nothing, by its module."""


def lacks(spec: McpServerSpec) -> str | None:
    """The package that a server of this project needs and that is not installed here. None if
    nothing is missing, or if the server runs with another interpreter or elsewhere."""
    own = spec.command in (None, "python", sys.executable) and not spec.url
    needed = NEEDS.get(spec.own_module or "") if own else None
    return needed if needed and importlib.util.find_spec(needed) is None else None


def present(servers: Mapping[str, McpServerSpec]) -> dict[str, McpServerSpec]:
    """The servers without those that lack their package, which are neither served nor asked."""
    return {name: spec for name, spec in servers.items() if lacks(spec) is None}


CACHING_SERVERS: Final = frozenset(
    {
        "desk.sources.ecb.server",
        "desk.sources.central_banks.server",
        "desk.sources.statistics.server",
        "desk.sources.statistics.cross_asset.server",
    }
)
"""The modules that cache files of their providers, and define `kept_files`. A constant, because
loading all modules to find out takes long."""


def shares_activities(spec: McpServerSpec) -> bool:
    """Whether several calls of a server may share one activity: it is one of the desk's own that
    answers from files, and its calls are not limited, because the limit counts the activities in
    its queue."""
    return spec.own_module in CACHING_SERVERS and spec.calls_per_second is None


_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}")


def servers_to_serve(
    path: Path, variables: Mapping[str, str], *, in_process: bool
) -> dict[str, McpServerSpec]:
    """The servers of the file by name, with variables expanded, without those that lack their
    package.

    With `in_process`, the desk's own servers run in the worker: only their arguments are expanded,
    and their other keys are left unexpanded.

    Raises:
        McpConfigError: the file is not valid, or a variable that a server needs is not set.
    """
    return {
        name: _Expansion(f"{path}: server '{name}'", variables).of(
            spec, here=spec.runs_here(in_process=in_process)
        )
        for name, spec in present(read_mcp_config(path)).items()
    }


def filled_args(
    path: Path, name: str, spec: McpServerSpec, variables: Mapping[str, str]
) -> tuple[str, ...]:
    """The arguments of a server of the file, with variables expanded.

    Raises:
        McpConfigError: a variable is not set.
    """
    return _Expansion(f"{path}: server '{name}'", variables).args(spec)


class _Expansion:
    """Expands the variables of one server. `server` is its name in messages."""

    def __init__(self, server: str, variables: Mapping[str, str]) -> None:
        self._server = server
        self._variables = variables

    def of(self, spec: McpServerSpec, *, here: bool) -> McpServerSpec:
        """The server with its variables expanded: only those of the way in which it is reached,
        `here` in this process or elsewhere."""
        if here:
            return spec.model_copy(update={"args": self.args(spec)})
        if spec.transport is Transport.STDIO:
            return spec.model_copy(update=self._process(spec))
        return spec.model_copy(update=self._address(spec))

    def _process(self, spec: McpServerSpec) -> dict[str, object]:
        passed_on = {
            name: SecretStr(self._variables[name]) for name in PASSED_ON if name in self._variables
        }
        return {
            "command": self._text("command", spec.command or ""),
            "args": self.args(spec),
            "env": passed_on | self._secrets("env", spec.env),
            "cwd": None if spec.cwd is None else self._text("cwd", spec.cwd),
        }

    def args(self, spec: McpServerSpec) -> tuple[str, ...]:
        """The server's arguments."""
        args = enumerate(spec.args, start=1)
        return tuple(self._text(f"args[{number}]", text) for number, text in args)

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
