"""Assembles the settings of this process from the environment, `.env` and `desk.toml`."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict

from desk.contracts.agents.budget import CHEAPER_MODEL, BudgetConfig
from desk.contracts.agents.config import AgentConfig, RunConfig
from desk.contracts.names import AgentId
from desk.platform.files import read_text_file
from desk.platform.models.third_party import is_claude
from desk.platform.settings.desk_toml import read_desk_file
from desk.platform.settings.environment import variables_of
from desk.platform.settings.errors import ENVIRONMENT, SettingsError, settings_error
from desk.platform.settings.mcp_json import (
    McpConfigError,
    present,
    read_mcp_config,
    shares_activities,
)
from desk.platform.settings.model import DEFAULTS, Settings, Variables
from desk.platform.settings.payload_keys import read_keys
from desk.platform.settings.store import read_store

DESK_TOML = "desk.toml"
MCP_JSON = ".mcp.json"

ORCHESTRATOR_MODEL = "claude-opus-5-5"
EXECUTION_MODEL = "claude-sonnet-5-5"
"""The default models of the product manager and of the other agents, if there is a key."""

_Read = TypeVar("_Read")


class _Environment(Variables, BaseSettings):
    """The variables that are read, by their names."""

    model_config = SettingsConfigDict(
        frozen=True, case_sensitive=True, extra="ignore", validate_by_name=False
    )

    home: Path = Field(Path(".desk"), validation_alias="DESK_HOME")
    reports: Path = Field(Path("reports"), validation_alias="DESK_REPORTS")
    desk_toml: Path | None = Field(None, validation_alias="DESK_CONFIG")
    mcp_json: Path | None = Field(None, validation_alias="DESK_MCP_CONFIG")
    temporal_file: Path | None = Field(None, validation_alias="TEMPORAL_CONFIG_FILE")
    written_keys: SecretStr | None = Field(None, validation_alias="DESK_PAYLOAD_KEYS")
    payload_key_file: Path | None = Field(None, validation_alias="DESK_PAYLOAD_KEY_FILE")
    written_signing_key: SecretStr | None = Field(None, validation_alias="DESK_SIGNING_KEY")
    signing_key_file: Path | None = Field(None, validation_alias="DESK_SIGNING_KEY_FILE")


def read_settings(project_dir: Path | None, environment: Mapping[str, str] | None) -> Settings:
    """See `load_settings`."""
    project = (project_dir or _find_project()).resolve()
    variables = variables_of(project, environment)
    read = _read_environment(variables)
    desk_toml = _configuration(project, read.desk_toml, DESK_TOML)
    desk = read_desk_file(desk_toml, variables)
    mcp_config = _configuration(project, read.mcp_json, MCP_JSON)
    return Settings(
        project_dir=project,
        home=project / read.home.expanduser(),
        reports_dir=project / read.reports.expanduser(),
        desk_config=desk_toml,
        mcp_config=mcp_config,
        config=_with_sources(_with_models(desk.run, read), mcp_config),
        deliveries=desk.deliveries,
        charges=desk.charges,
        server=desk.server,
        memory=desk.memory,
        serve=desk.serve,
        store=read_store(variables),
        temporal_config_file=_temporal_file(project, read.temporal_file),
        temporal_environment={k: v for k, v in variables.items() if k.startswith("TEMPORAL_")},
        variables={**variables, "DESK_REPORTS": str(project / read.reports.expanduser())},
        payload_keys=_read_secret(
            project, read.written_keys, read.payload_key_file, "DESK_PAYLOAD_KEYS", read_keys
        ),
        signing_key=_read_secret(
            project,
            read.written_signing_key,
            read.signing_key_file,
            "DESK_SIGNING_KEY",
            _checked_signing_key,
        ),
        **{name: getattr(read, name) for name in Variables.model_fields},
    )


def _find_project() -> Path:
    """The nearest folder upwards that has a `desk.toml`, else the checkout that contains the
    package, else this folder."""
    here = Path.cwd()
    folders = (here, *here.parents, DEFAULTS.parents[1])
    return next((f for f in folders if (f / DESK_TOML).is_file()), here)


def _configuration(project: Path, given: Path | None, name: str) -> Path:
    """The file that a variable names, else the project's own. The file that ships with the desk is
    used only if the project has no configuration at all: a project with a `desk.toml` but without
    an `.mcp.json` does not get the shipped one."""
    if given is not None:
        return project / given.expanduser()
    own = project / name
    configured = own.exists() or (project / DESK_TOML).exists()
    return own if configured else DEFAULTS / name


def _read_environment(variables: Mapping[str, str]) -> _Environment:
    source = EnvSettingsSource(_Environment)
    source.env_vars = variables
    try:
        return _Environment(_build_sources=((source,), {}))
    except ValidationError as error:
        raise settings_error(ENVIRONMENT, _Environment, error) from None


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
        # Checked here, because the SDK reads it whole, whatever its size.
        read_text_file(path)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    return path


def _with_models(config: RunConfig, read: _Environment) -> RunConfig:
    """With a key or a model's name, agents are Claude unless `desk.toml` names another model. A
    name without a key is for processes that only start runs: the workers have the key."""
    keyed = read.anthropic_api_key is not None
    orchestrator = read.claude_model_orchestrator or (ORCHESTRATOR_MODEL if keyed else None)
    execution = read.claude_model_execution or (EXECUTION_MODEL if keyed else None)
    entries = {entry.agent: entry for entry in config.policy.agents}
    for agent in AgentId.known():
        model = orchestrator if agent is AgentId.PRODUCT_MANAGER else execution
        entry = entries.get(agent, AgentConfig(agent=agent))
        if model is not None and entry.model is None:
            entries[agent] = entry.model_copy(update={"model": model})
    policy = config.policy.model_copy(
        update={
            "agents": tuple(entries.values()),
            "budget": _budget(config, (orchestrator, execution)),
        }
    )
    return config.model_copy(update={"policy": policy})


def _budget(config: RunConfig, models: Iterable[str | None]) -> BudgetConfig:
    """Adapts the budget if all agents are third-party models. Their prices are unknown, so tokens
    are limited, and the cheaper model is not one of Anthropic's, which their endpoint lacks."""
    budget, named = config.policy.budget, [model for model in models if model is not None]
    if not named or any(map(is_claude, named)):
        return budget
    theirs = budget.cheaper_model == CHEAPER_MODEL
    return budget.model_copy(
        update={
            "cheaper_model": named[-1] if theirs else budget.cheaper_model,
            "usd": budget.usd if budget.tokens is None else None,
        }
    )


def _with_sources(config: RunConfig, mcp_config: Path) -> RunConfig:
    """Adds the names of the servers to the run's configuration, unless `.mcp.json` is not valid.

    That is not an error here: only workers need the file, and `desk doctor` reports it.
    """
    try:
        servers = present(read_mcp_config(mcp_config))
    except McpConfigError:
        return config
    together = tuple(name for name, spec in servers.items() if shares_activities(spec))
    policy = config.policy.model_copy(update={"sources": tuple(servers), "together": together})
    return config.model_copy(update={"policy": policy})


def _read_secret(
    project: Path,
    written: SecretStr | None,
    file: Path | None,
    name: str,
    read: Callable[[str], _Read],
) -> _Read | None:
    """Reads a secret from a variable or from a file. None if neither is set. Setting both is an
    error, because it would be unclear which applies.

    Raises:
        SettingsError: both are set, the file cannot be read, or `read` raised a `ValueError`, whose
            message must contain nothing of the secret.
    """
    of_file = f"{name.removesuffix('S')}_FILE"
    if written is not None and file is not None:
        raise SettingsError(f"{ENVIRONMENT}: {name} and {of_file} are both set; allowed: one")
    try:
        if file is not None:
            return read(read_text_file(project / file.expanduser()))
        return read(written.get_secret_value()) if written is not None else None
    except OSError as error:
        reason = f"{file} cannot be read: {error.strerror}"
        raise SettingsError(f"{ENVIRONMENT}: {of_file}: {reason}") from None
    except ValueError as error:
        raise SettingsError(f"{ENVIRONMENT}: {of_file if file else name}: {error}") from None


def _checked_signing_key(text: str) -> SecretStr:
    """Validates the text of a private key.

    Raises:
        UnusableKey: it cannot sign.
    """
    # Imported here, so that only a desk that signs loads the library.
    from desk.platform.signing import read_signing_key

    read_signing_key(text)
    return SecretStr(text)
