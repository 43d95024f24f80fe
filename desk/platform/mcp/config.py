"""`.mcp.json`: which MCP servers there are and how each is reached.

Reading the file fills in no variable, so that whoever needs only the names needs no secret;
`desk.platform.mcp.expansion` fills them in where a worker serves the servers.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Self

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
from desk.platform.config.file_reading import read_text_file
from desk.platform.mcp.renamed import renamed

LARGEST_ANSWER: Final = 4 * 2**20
"""Bytes that are read of an answer unless an entry says otherwise."""

_Value = Annotated[str, Field(max_length=8_000)]
_Secret = Annotated[SecretStr, Field(max_length=8_000)]
_HeaderName = Annotated[str, Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$")]
_Module = Annotated[ShortText, AfterValidator(renamed)]
_VariableName = Annotated[str, Field(pattern=r"^[^=\x00]{1,200}$")]


class McpConfigError(Exception):
    """`.mcp.json` cannot be used. The message names the file, the server and the key, never a
    value."""


class Transport(StrEnum):
    """How a server is reached. Other programs' names for `http` are understood too."""

    STDIO = "stdio"
    HTTP = "http"
    SSE = "sse"

    @classmethod
    def _missing_(cls, value: object) -> "Transport | None":
        plain = str(value).lower().replace("-", "").replace("_", "")
        return cls.HTTP if plain == "streamablehttp" else cls.__members__.get(plain.upper())


class McpServerSpec(BaseModel):
    """One server: a command for stdio, a `url` for HTTP, or our own module to run in-process.

    What can hold a secret is not in its representation. `cwd` is relative to the project's
    folder. `callsPerSecond` limits the server's queue, however many workers poll it.
    `maxAnswerBytes` is how much is read of an answer as it comes from another process. `tier` and
    `origin` are whose word its answers are; `module` is which server of this project runs there,
    where `command` and `inProcess` do not say.
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
        """How the server is reached when it runs elsewhere: what `type` says, else by its `url`
        where it has one, else by its command."""
        return self.type or (Transport.HTTP if self.url else Transport.STDIO)

    def runs_here(self, *, in_process: bool) -> bool:
        """Whether it is our own module and runs in the worker; `in_process` says that it should
        where there is a choice."""
        elsewhere = bool(self.command or self.url)
        return self.in_process is not None and (in_process or not elsewhere)


class _McpFile(BaseModel):
    servers: Annotated[dict[ShortText, McpServerSpec], Field(max_length=50)] = Field(
        alias="mcpServers"
    )


def read_mcp_config(path: Path) -> dict[str, McpServerSpec]:
    """The servers by name, with their variables as they are written.

    Raises:
        McpConfigError: the file is missing or malformed, or a server has no way to be reached.
    """
    try:
        return _McpFile.model_validate_json(read_text_file(path)).servers
    except FileNotFoundError:
        raise McpConfigError(f"{path} is missing: it names the sources the desk asks") from None
    except OSError as error:
        raise McpConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValidationError as error:
        reason = _first_of(error)
    except ValueError:
        reason = "it is not text in UTF-8"
    raise McpConfigError(f"{path} is not a usable list of MCP servers: {reason}")


def _first_of(error: ValidationError) -> str:
    """The first thing that is wrong, without the value that stands there."""
    first = error.errors(include_input=False, include_context=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"] if part != "[key]")
    words = first["msg"].removeprefix("Value error, ")
    return f"{place}: {words}" if place else words
