"""All settings as one object, and the tables of `desk.toml` that configure a process."""

import re
from collections.abc import Mapping
from enum import StrEnum
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from desk.contracts.agents.config import RunConfig
from desk.contracts.base import ShortText
from desk.contracts.episode.actions import Charges
from desk.contracts.week.delivery import Deliveries
from desk.platform.settings.payload_keys import Keyring
from desk.platform.settings.store import StoreSettings

if TYPE_CHECKING:
    from desk.platform.signing import SigningKey

DEFAULTS: Final = Path(__file__).resolve().parents[2] / "defaults"
"""The configuration that ships with the desk, for a folder without one: `desk.toml`, `.mcp.json`
and `graphs/`. In a checkout the files of these names at its root are links to them."""

GRAPHS: Final = "graphs"

_MEMORY_STORE = re.compile(r"embedded|chroma:\S.*|chroma\+https?://[^\s/]+:\d{1,5}/?")


def shipped_graphs(project_dir: Path) -> tuple[Path, ...]:
    """The files of the graphs that ship with the desk and of those in the project's `graphs/`,
    sorted by name. A graph of the project replaces the desk's of the same name."""
    folders = (DEFAULTS / GRAPHS, project_dir / GRAPHS)
    named = {path.stem: path for folder in folders for path in folder.glob("*.yaml")}
    return tuple(named[name] for name in sorted(named))


class McpTransport(StrEnum):
    """How workers reach the MCP servers: as objects in the worker, or as `.mcp.json` says."""

    IN_PROCESS = "in-process"
    CONFIGURED = "configured"


class Versioning(StrEnum):
    """Which workers continue a run that is open during an upgrade: those of the current version, or
    those of the version that it began with."""

    AUTO_UPGRADE = "auto-upgrade"
    PINNED = "pinned"


class LogLevel(StrEnum):
    """How much is logged. Case-insensitive."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"

    @classmethod
    def _missing_(cls, value: object) -> "LogLevel | None":
        return cls.__members__.get(str(value).upper())


class SettingsTable(BaseModel):
    """A table of `desk.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ServerSettings(SettingsTable):
    """Where the embedded Temporal server listens."""

    ip: ShortText = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 7233
    ui_port: Annotated[int, Field(ge=1, le=65_535)] = 8233

    @property
    def address(self) -> str:
        """`ip:port`, as Temporal clients take it."""
        return f"{self.ip}:{self.port}"

    @property
    def ui_url(self) -> str:
        """The address of the Temporal UI, without a slash at its end."""
        return f"http://{self.ip}:{self.ui_port}"


def _known_store(store: str) -> str:
    if _MEMORY_STORE.fullmatch(store) is None:
        raise ValueError("embedded, chroma:FOLDER or chroma+http://HOST:PORT")
    return store


MemoryPlace = Annotated[ShortText, AfterValidator(_known_store)]
"""`embedded` is a file under the desk's home. `chroma:FOLDER` and `chroma+http://HOST:PORT` are a
folder and a server of Chroma."""


class MemorySettings(SettingsTable):
    """Where the desk's memory is."""

    store: MemoryPlace = "embedded"


def _known_networks(networks: tuple[str, ...]) -> tuple[str, ...]:
    for network in networks:
        ip_network(network)
    return networks


class ServeSettings(SettingsTable):
    """Where `desk serve` listens, and who may access it besides holders of its token.

    `hosts` are the additional host names that it answers to, beside this machine's. `proxy_header`
    is the header in which a proxy names the user; it is trusted only from the addresses in
    `proxies`.
    """

    ip: ShortText = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8250
    hosts: tuple[ShortText, ...] = ()
    proxy_header: Annotated[ShortText, Field(pattern=r"^[A-Za-z0-9-]+$")] | None = None
    proxies: Annotated[tuple[ShortText, ...], AfterValidator(_known_networks)] = (
        "127.0.0.1",
        "::1",
    )


class Variables(BaseModel):
    """The environment variables that are settings. Secrets print as asterisks.

    `build_id` replaces the package's version as the workers' version. `cache_ttl_seconds` is how
    long data fetched from a live source stays valid. `offline` disables fetching.
    """

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    mcp_transport: McpTransport = Field(
        McpTransport.IN_PROCESS, validation_alias="DESK_MCP_TRANSPORT"
    )
    build_id: Annotated[ShortText, Field(pattern=r"^[A-Za-z0-9._-]{1,63}$")] | None = Field(
        None, validation_alias="DESK_BUILD_ID"
    )
    versioning: Versioning = Field(Versioning.AUTO_UPGRADE, validation_alias="DESK_VERSIONING")
    external_ui_url: ShortText | None = Field(None, validation_alias="DESK_UI_URL")
    metrics_address: ShortText | None = Field(None, validation_alias="DESK_METRICS")
    temporal_address: ShortText | None = Field(None, validation_alias="TEMPORAL_ADDRESS")
    temporal_namespace: ShortText | None = Field(None, validation_alias="TEMPORAL_NAMESPACE")
    temporal_profile: ShortText | None = Field(None, validation_alias="TEMPORAL_PROFILE")
    log_level: LogLevel = Field(LogLevel.INFO, validation_alias="LOG_LEVEL")
    log_json: bool = Field(False, validation_alias="LOG_JSON")
    offline: bool = Field(False, validation_alias="DESK_OFFLINE")
    cache_ttl_seconds: Annotated[int, Field(ge=0)] = Field(
        300, validation_alias="CACHE_TTL_SECONDS"
    )
    anthropic_api_key: SecretStr | None = Field(None, validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: ShortText | None = Field(None, validation_alias="ANTHROPIC_BASE_URL")
    claude_model_orchestrator: ShortText | None = Field(
        None, validation_alias="CLAUDE_MODEL_ORCHESTRATOR"
    )
    claude_model_execution: ShortText | None = Field(
        None, validation_alias="CLAUDE_MODEL_EXECUTION"
    )
    reuters_api_token: SecretStr | None = Field(None, validation_alias="REUTERS_API_TOKEN")
    codec_token: SecretStr | None = Field(None, validation_alias="DESK_CODEC_TOKEN")
    serve_token: SecretStr | None = Field(None, validation_alias="DESK_SERVE_TOKEN")


NO_KEY: Final = SecretStr("none")
"""The key that is sent to the user's own endpoint if it needs none."""


class Settings(Variables):
    """The configuration of this process. Secrets print as asterisks.

    `external` says that the Temporal server is the user's own; otherwise the desk runs the embedded
    one at `server`. `charges` are what the actions of an episode cost. `temporal_environment` holds
    the `TEMPORAL_*` variables for the SDK's own configuration. `variables` holds all, for the
    references to them in `.mcp.json`.
    """

    project_dir: Path
    home: Path
    reports_dir: Path
    config: RunConfig
    deliveries: Deliveries | None = None
    charges: Charges = Field(default_factory=dict)
    server: ServerSettings
    memory: MemorySettings = MemorySettings()
    serve: ServeSettings = ServeSettings()
    store: Annotated[StoreSettings | None, Field(repr=False)] = None
    desk_config: Path
    mcp_config: Path
    temporal_config_file: Path | None
    temporal_environment: Annotated[Mapping[str, str], Field(repr=False)]
    variables: Annotated[Mapping[str, str], Field(repr=False)]
    payload_keys: Annotated[Keyring | None, Field(repr=False)] = None
    signing_key: SecretStr | None = None

    @property
    def model_key(self) -> SecretStr | None:
        """The key for models. An endpoint at another address may need none. None if no model can be
        asked."""
        return self.anthropic_api_key or (NO_KEY if self.anthropic_base_url else None)

    @property
    def external(self) -> bool:
        """Whether the user configured a Temporal server of their own."""
        named = (self.temporal_address, self.temporal_namespace, self.temporal_profile)
        return any(named) or self.temporal_config_file is not None

    @property
    def ui_url(self) -> str | None:
        """The address of the Temporal UI, if it is known."""
        return self.external_ui_url if self.external else self.server.ui_url

    @property
    def signer(self) -> "SigningKey | None":
        """The publisher's key. None if reports are not signed."""
        if self.signing_key is None:
            return None
        from desk.platform.signing import read_signing_key

        return read_signing_key(self.signing_key.get_secret_value())

    @property
    def cache_dir(self) -> Path:
        """The folder of files that sources have fetched."""
        return self.home / "cache"

    @property
    def payload_dir(self) -> Path:
        """The folder of payloads that are too large for a history."""
        return self.home / "payloads"

    @property
    def journal_path(self) -> Path:
        """The journal by which a retried activity finds its earlier result after a crash."""
        return self.home / "effects.db"

    @property
    def memory_path(self) -> Path:
        """The file of the desk's memory, if it is embedded."""
        return self.home / "memory.db"
