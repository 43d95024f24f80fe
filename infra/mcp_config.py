"""`.mcp.json`: which MCP servers there are and how each is reached."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from contracts.base import ShortText


class McpConfigError(Exception):
    """`.mcp.json` cannot be used. The message names the file, the server and the key."""


class McpServerSpec(BaseModel):
    """One server: a command for stdio, a `url` for HTTP, or our own module to run in-process.

    `callsPerSecond` limits the server's queue, however many workers poll it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    command: ShortText | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = Field(default_factory=dict)
    url: Annotated[str, Field(max_length=500)] | None = None
    in_process: ShortText | None = Field(default=None, alias="inProcess")
    calls_per_second: Annotated[float, Field(gt=0)] | None = Field(
        default=None, alias="callsPerSecond"
    )


class _McpFile(BaseModel):
    servers: Annotated[dict[ShortText, McpServerSpec], Field(max_length=50)] = Field(
        alias="mcpServers"
    )


def read_mcp_config(path: Path) -> dict[str, McpServerSpec]:
    """The servers by name.

    Raises:
        McpConfigError: the file is missing or malformed, or a server has no way to be reached.
    """
    try:
        servers = _McpFile.model_validate_json(path.read_text(encoding="utf-8")).servers
    except FileNotFoundError:
        raise McpConfigError(f"{path} is missing: it names the sources the desk asks") from None
    except OSError as error:
        raise McpConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise McpConfigError(f"{path} is not a usable list of MCP servers: {error}") from None
    for name, spec in servers.items():
        if not (spec.command or spec.url or spec.in_process):
            raise McpConfigError(f"{path}: server '{name}' needs a command, a url or inProcess")
    return servers
