"""Everything that can be set: environment, `.env` and `desk.toml`, read once and checked.

The only module that reads the environment.
"""

import os
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from desk.contracts.base import ShortText
from desk.contracts.config import AgentConfig, RunConfig
from desk.contracts.names import AgentId
from desk.contracts.week.delivery import Deliveries
from desk.platform.config.config_file import (
    DeskConfig,
    MemoryPlace,
    MemorySettings,
    ServerSettings,
    read_desk_file,
)
from desk.platform.config.secret_reading import checked_signing_key, read_secret
from desk.platform.config.settings_error import ENVIRONMENT, SettingsError, refusal
from desk.platform.files import read_text_file
from desk.platform.mcp.config import McpConfigError, read_mcp_config
from desk.platform.payloads.keys import Keyring, read_keys

if TYPE_CHECKING:
    from desk.platform.effects.signing import SigningKey

__all__ = [
    "LogLevel",
    "McpTransport",
    "MemorySettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "debugging",
    "load_settings",
    "process_variables",
]

ORCHESTRATOR_MODEL = "claude-opus-5-5"
EXECUTION_MODEL = "claude-sonnet-5-5"
"""The models of the product manager and of the others, where there is a key and none is named."""

_Port = Annotated[int, Field(ge=1, le=65_535)]


class McpTransport(StrEnum):
    """How workers reach the MCP servers: as objects in the worker, or as `.mcp.json` says."""

    IN_PROCESS = "in-process"
    CONFIGURED = "configured"


class LogLevel(StrEnum):
    """How much is logged. Read in either case."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"

    @classmethod
    def _missing_(cls, value: object) -> "LogLevel | None":
        return cls.__members__.get(str(value).upper())


class Settings(BaseModel):
    """What this process runs with. Secrets print as asterisks.

    `external` servers are the user's own; otherwise the desk runs the embedded one at `server`.
    `cache_ttl_seconds` is how long what was fetched from a live source is good for; `offline`
    that nothing is fetched. `temporal_environment` holds the `TEMPORAL_*` variables for the SDK's
    own configuration; `variables` holds all, for the references to them in `.mcp.json`.
    """

    model_config = ConfigDict(frozen=True)

    project_dir: Path
    home: Path
    reports_dir: Path
    config: RunConfig
    deliveries: Deliveries | None = None
    server: ServerSettings
    memory: MemorySettings = MemorySettings()
    mcp_config: Path
    mcp_transport: McpTransport
    temporal_address: ShortText | None
    temporal_namespace: ShortText | None
    temporal_profile: ShortText | None
    temporal_config_file: Path | None
    temporal_environment: Annotated[Mapping[str, str], Field(repr=False)]
    variables: Annotated[Mapping[str, str], Field(repr=False)]
    external_ui_url: ShortText | None
    metrics_address: ShortText | None
    log_level: LogLevel
    log_json: bool
    offline: bool
    cache_ttl_seconds: int
    anthropic_api_key: SecretStr | None
    anthropic_base_url: ShortText | None
    claude_model_orchestrator: ShortText | None
    claude_model_execution: ShortText | None
    yahoo_finance_api_key: SecretStr | None
    google_news_api_key: SecretStr | None
    reuters_api_token: SecretStr | None
    payload_keys: Annotated[Keyring | None, Field(repr=False)] = None
    signing_key: SecretStr | None = None
    codec_token: SecretStr | None = None

    @property
    def external(self) -> bool:
        """Whether the user named a Temporal server of their own."""
        named = (self.temporal_address, self.temporal_namespace, self.temporal_profile)
        return any(named) or self.temporal_config_file is not None

    @property
    def ui_url(self) -> str | None:
        """The address of the Temporal UI, where it is known."""
        return self.external_ui_url if self.external else self.server.ui_url

    @property
    def signer(self) -> "SigningKey | None":
        """The publisher's key; None where reports are not signed."""
        if self.signing_key is None:
            return None
        from desk.platform.effects.signing import read_signing_key

        return read_signing_key(self.signing_key.get_secret_value())

    @property
    def max_retry_attempts(self) -> int:
        """How often an activity is tried before its task counts as failed."""
        return self.config.policy.retries.max_attempts

    @property
    def cache_dir(self) -> Path:
        """What sources have fetched."""
        return self.home / "cache"

    @property
    def payload_dir(self) -> Path:
        """Payloads that are too large for a history."""
        return self.home / "payloads"

    @property
    def journal_path(self) -> Path:
        """The journal by which an effect in flight is recognised after a crash."""
        return self.home / "effects.db"

    @property
    def memory_path(self) -> Path:
        """The desk's memory, where it is embedded."""
        return self.home / "memory.db"


class _Environment(BaseModel):
    """The variables that are read, by their names."""

    desk_home: Path | None = Field(None, alias="DESK_HOME")
    desk_reports: Path | None = Field(None, alias="DESK_REPORTS")
    desk_config: Path | None = Field(None, alias="DESK_CONFIG")
    desk_mcp_config: Path | None = Field(None, alias="DESK_MCP_CONFIG")
    mcp_transport: McpTransport = Field(McpTransport.IN_PROCESS, alias="DESK_MCP_TRANSPORT")
    server_port: _Port | None = Field(None, alias="DESK_SERVER_PORT")
    ui_port: _Port | None = Field(None, alias="DESK_UI_PORT")
    external_ui_url: ShortText | None = Field(None, alias="DESK_UI_URL")
    metrics_address: ShortText | None = Field(None, alias="DESK_METRICS")
    memory_store: MemoryPlace | None = Field(None, alias="DESK_MEMORY")
    temporal_address: ShortText | None = Field(None, alias="TEMPORAL_ADDRESS")
    temporal_namespace: ShortText | None = Field(None, alias="TEMPORAL_NAMESPACE")
    temporal_profile: ShortText | None = Field(None, alias="TEMPORAL_PROFILE")
    temporal_config_file: Path | None = Field(None, alias="TEMPORAL_CONFIG_FILE")
    log_level: LogLevel = Field(LogLevel.INFO, alias="LOG_LEVEL")
    log_json: bool = Field(False, alias="LOG_JSON")
    offline: bool = Field(False, alias="DESK_OFFLINE")
    cache_ttl_seconds: Annotated[int, Field(ge=0)] = Field(300, alias="CACHE_TTL_SECONDS")
    max_retry_attempts: Annotated[int, Field(ge=1, le=20)] | None = Field(
        None, alias="MAX_RETRY_ATTEMPTS"
    )
    anthropic_api_key: SecretStr | None = Field(None, alias="ANTHROPIC_API_KEY")
    anthropic_base_url: ShortText | None = Field(None, alias="ANTHROPIC_BASE_URL")
    claude_model_orchestrator: ShortText | None = Field(None, alias="CLAUDE_MODEL_ORCHESTRATOR")
    claude_model_execution: ShortText | None = Field(None, alias="CLAUDE_MODEL_EXECUTION")
    budget_usd: Annotated[Decimal, Field(ge=0, allow_inf_nan=False)] | None = Field(
        None, alias="DESK_BUDGET_USD"
    )
    budget_tokens: Annotated[int, Field(ge=0)] | None = Field(None, alias="DESK_BUDGET_TOKENS")
    yahoo_finance_api_key: SecretStr | None = Field(None, alias="YAHOO_FINANCE_API_KEY")
    google_news_api_key: SecretStr | None = Field(None, alias="GOOGLE_NEWS_API_KEY")
    reuters_api_token: SecretStr | None = Field(None, alias="REUTERS_API_TOKEN")
    written_keys: SecretStr | None = Field(None, alias="DESK_PAYLOAD_KEYS")
    payload_key_file: Path | None = Field(None, alias="DESK_PAYLOAD_KEY_FILE")
    written_signing_key: SecretStr | None = Field(None, alias="DESK_SIGNING_KEY")
    signing_key_file: Path | None = Field(None, alias="DESK_SIGNING_KEY_FILE")
    codec_token: SecretStr | None = Field(None, alias="DESK_CODEC_TOKEN")


def load_settings(
    project_dir: Path | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """The settings of this process.

    `project_dir` is by default the nearest folder upwards that has a `desk.toml`, else the one
    the package is installed from; relative paths in settings start there. The process environment
    goes before `.env`, and both before `desk.toml`. `environment` stands in for the process's.

    Raises:
        SettingsError: something in them cannot be used.
    """
    project = (project_dir or _find_project()).resolve()
    variables = _variables(project, os.environ if environment is None else environment)
    read = _read_environment(variables)
    desk = read_desk_file(_path(project, read.desk_config, "desk.toml"))
    mcp_config = _path(project, read.desk_mcp_config, ".mcp.json")
    return Settings(
        project_dir=project,
        home=_path(project, read.desk_home, ".desk"),
        reports_dir=_path(project, read.desk_reports, "reports"),
        mcp_config=mcp_config,
        config=_with_environment(desk.run, read, mcp_config),
        deliveries=desk.deliveries,
        server=_server(desk, read),
        memory=MemorySettings(store=read.memory_store or desk.memory.store),
        temporal_config_file=_temporal_file(project, read.temporal_config_file),
        temporal_environment={k: v for k, v in variables.items() if k.startswith("TEMPORAL_")},
        variables=variables,
        payload_keys=read_secret(
            project, read.written_keys, read.payload_key_file, "DESK_PAYLOAD_KEYS", read_keys
        ),
        signing_key=read_secret(
            project,
            read.written_signing_key,
            read.signing_key_file,
            "DESK_SIGNING_KEY",
            checked_signing_key,
        ),
        **_taken_over(read),
    )


def debugging() -> bool:
    """Whether errors are shown with their traceback (`DESK_DEBUG=1`)."""
    return os.environ.get("DESK_DEBUG", "") not in ("", "0")


def process_variables() -> Mapping[str, str]:
    """The environment as it stands, for a process that has no settings of the desk's."""
    return dict(os.environ)


def _find_project() -> Path:
    here = Path.cwd()
    folders = (here, *here.parents)
    installed_from = Path(__file__).resolve().parents[2]
    return next((f for f in folders if (f / "desk.toml").is_file()), installed_from)


def _variables(project: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Environment over `.env`; an empty value is as good as none."""
    try:
        written = dotenv_values(project / ".env", interpolate=False)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{project / '.env'} cannot be read: {error}") from None
    merged = {**written, **environment}
    return {name: value for name, value in merged.items() if value}


def _read_environment(variables: Mapping[str, str]) -> _Environment:
    try:
        return _Environment.model_validate(variables)
    except ValidationError as error:
        raise refusal(ENVIRONMENT, _Environment, error) from None


def _path(project: Path, given: Path | None, default: str) -> Path:
    return project / (given.expanduser() if given else default)


def _temporal_file(project: Path, given: Path | None) -> Path | None:
    if given is None:
        beside = project / "temporal.toml"
        return beside if beside.is_file() else None
    path = project / given.expanduser()
    if not path.is_file():
        raise SettingsError(
            f"{ENVIRONMENT}: TEMPORAL_CONFIG_FILE is '{given}'; allowed: a file that exists"
        )
    try:
        # The SDK reads it whole, whatever its size.
        read_text_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    return path


def _with_environment(config: RunConfig, read: _Environment, mcp_config: Path) -> RunConfig:
    """What `desk.toml` says, with what the environment says before it."""
    with_models = _with_budget(_with_models(_with_retries(config, read), read), read)
    return _with_sources(with_models, mcp_config)


def _with_retries(config: RunConfig, read: _Environment) -> RunConfig:
    if read.max_retry_attempts is None:
        return config
    attempts = {"max_attempts": read.max_retry_attempts}
    retries = config.policy.retries.model_copy(update=attempts)
    policy = config.policy.model_copy(update={"retries": retries})
    return config.model_copy(update={"policy": policy})


def _with_models(config: RunConfig, read: _Environment) -> RunConfig:
    """With a key or a model's name, agents are Claude unless `desk.toml` says which model they
    are. A name alone is for those who start runs and hold no key: the workers do."""
    keyed = read.anthropic_api_key is not None
    orchestrator = read.claude_model_orchestrator or (ORCHESTRATOR_MODEL if keyed else None)
    execution = read.claude_model_execution or (EXECUTION_MODEL if keyed else None)
    entries = {entry.agent: entry for entry in config.policy.agents}
    for agent in AgentId:
        model = orchestrator if agent is AgentId.PRODUCT_MANAGER else execution
        entry = entries.get(agent, AgentConfig(agent=agent))
        if model is not None and entry.model is None:
            entries[agent] = entry.model_copy(update={"model": model})
    policy = config.policy.model_copy(update={"agents": tuple(entries.values())})
    return config.model_copy(update={"policy": policy})


def _with_budget(config: RunConfig, read: _Environment) -> RunConfig:
    named = {"usd": read.budget_usd, "tokens": read.budget_tokens}
    budget = config.policy.budget.model_copy(
        update={name: limit for name, limit in named.items() if limit is not None}
    )
    policy = config.policy.model_copy(update={"budget": budget})
    return config.model_copy(update={"policy": policy})


def _with_sources(config: RunConfig, mcp_config: Path) -> RunConfig:
    """The run knows which servers there are; not so where `.mcp.json` cannot be used.

    That is no error here: only the workers need the file, and `desk doctor` complains of it.
    """
    try:
        names = tuple(read_mcp_config(mcp_config))
    except McpConfigError:
        return config
    policy = config.policy.model_copy(update={"sources": names})
    return config.model_copy(update={"policy": policy})


def _server(desk: DeskConfig, read: _Environment) -> ServerSettings:
    ports = {"port": read.server_port, "ui_port": read.ui_port}
    chosen = desk.server.model_copy(update={k: v for k, v in ports.items() if v is not None})
    if chosen.port == chosen.ui_port:
        raise SettingsError(
            f"server.port and server.ui_port are both {chosen.port}; allowed: two different ports "
            "(desk.toml, or DESK_SERVER_PORT and DESK_UI_PORT)"
        )
    return chosen


def _taken_over(read: _Environment) -> dict[str, Any]:
    """The variables that are settings as they stand."""
    names = Settings.model_fields.keys() & _Environment.model_fields.keys()
    return {name: getattr(read, name) for name in names - {"temporal_config_file"}}
