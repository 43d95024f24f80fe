"""The connection to Temporal: the embedded server's, or that of a server of the user's own."""

from datetime import timedelta

from temporalio.client import Client, GrpcCompression
from temporalio.envconfig import ClientConfig, ClientConnectConfig
from temporalio.runtime import (
    LoggingConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)
from temporalio.service import RPCError

from infra.plugin import desk_plugin
from infra.settings import Settings
from infra.settings_error import SettingsError

DEFAULT_ADDRESS = "127.0.0.1:7233"

WORKER_HEARTBEAT = timedelta(seconds=10)
"""How soon a worker shows up in, and disappears from, `temporal worker list`."""


class ServerUnreachable(Exception):
    """No Temporal server answers. The message names the address and what to do."""


async def connect(
    settings: Settings, *, identity: str | None = None, working: bool = False
) -> Client:
    """A client that carries the desk's plugin, so that workers made from it have it too.

    A process that is `working` serves its metrics where the settings say.

    Raises:
        ServerUnreachable: nothing answers at the address, or it refuses.
        SettingsError: metrics cannot be served there.
    """
    options = _options(settings)
    address = options.setdefault("target_host", DEFAULT_ADDRESS)
    try:
        return await Client.connect(
            **options,
            plugins=[desk_plugin(settings.payload_dir)],
            runtime=_runtime(settings.metrics_address if working else None),
            identity=identity,
            # What is large is packed by the payload codec; packing it again gains nothing.
            grpc_compression=GrpcCompression.NONE,
        )
    except (RuntimeError, RPCError) as error:
        raise ServerUnreachable(_advice(settings, address, error)) from None


def _options(settings: Settings) -> ClientConnectConfig:
    if not settings.external:
        return {"target_host": settings.server.address}
    return ClientConfig.load_client_connect_config(
        profile=settings.temporal_profile,
        config_file=str(settings.temporal_config_file) if settings.temporal_config_file else None,
        override_env_vars=dict(settings.temporal_environment),
    )


def _advice(settings: Settings, address: str, error: Exception) -> str:
    reason = str(error).splitlines()[0][:200]
    if settings.external:
        return (
            f"no Temporal server answers at {address} ({reason}); check TEMPORAL_ADDRESS or the "
            "profile in temporal.toml"
        )
    return f"no Temporal server answers at {address} ({reason}); start one with `desk up`"


_shared: list[Runtime] = []


def _runtime(metrics_address: str | None) -> Runtime:
    """One runtime for the process; the SDK's core logs only what is wrong."""
    if not _shared:
        telemetry = TelemetryConfig(
            logging=LoggingConfig(TelemetryFilter(core_level="ERROR", other_level="ERROR")),
            metrics=_prometheus(metrics_address) if metrics_address else None,
        )
        try:
            _shared.append(Runtime(telemetry=telemetry, worker_heartbeat_interval=WORKER_HEARTBEAT))
        except ValueError as error:
            raise SettingsError(
                f"DESK_METRICS is '{metrics_address}'; allowed: a free address such as "
                f"127.0.0.1:9464 ({error})"
            ) from None
    return _shared[0]


def _prometheus(address: str) -> PrometheusConfig:
    return PrometheusConfig(
        bind_address=address, counters_total_suffix=True, durations_as_seconds=True
    )
