"""Connects to Temporal: to the embedded server, or to the user's own."""

import asyncio
import re
from datetime import timedelta

from temporalio.client import Client, GrpcCompression, Plugin
from temporalio.common import MetricMeter
from temporalio.envconfig import ClientConfig, ClientConnectConfig
from temporalio.runtime import (
    LoggingConfig,
    OpenTelemetryConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
    TelemetryFilter,
)
from temporalio.service import RPCError

from desk.platform.server.record import ServerRecord
from desk.platform.settings import Settings, SettingsError
from desk.platform.telemetry.otlp import ENDPOINT, otlp_endpoint, otlp_headers
from desk.platform.telemetry.tracing import trace_plugins
from desk.platform.temporal.conversion import data_converter

DEFAULT_ADDRESS = "127.0.0.1:7233"

WORKER_HEARTBEAT = timedelta(seconds=10)
"""How soon a worker appears in `temporal worker list`, and disappears from it."""

NAME_SECONDS = 5.0
"""How long a name server may take to answer that it does not know a host."""

PUSHED_EVERY = timedelta(seconds=2)
"""How often metrics are sent, if they are pushed rather than scraped."""

TASK_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0, 1_800.0)
CALL_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_BUCKETS = {"desk_task_seconds": TASK_BUCKETS, "desk_tool_call_seconds": CALL_BUCKETS}
"""In seconds. An analyst's task takes from a moment to half an hour, a tool call less."""


class ServerUnreachable(Exception):
    """No Temporal server answers. The message names the address and what to do."""


async def connect(
    settings: Settings,
    *,
    identity: str | None = None,
    working: bool = False,
    asks_only: bool = False,
) -> Client:
    """Connects a client that carries the desk's plugin, so that workers made from it have it too. A
    client that `asks_only` converts payloads in the same way, but no worker can be made from it.

    A process that is `working` has metrics: it serves them at the address in the settings, or else
    sends them by OTLP.

    Raises:
        ServerUnreachable: nothing answers at the address, or it refuses.
        SettingsError: the address is not valid, or metrics cannot be served or sent where they
            should.
    """
    settings = located(settings)
    options = _options(settings)
    address = options.setdefault("target_host", DEFAULT_ADDRESS)
    stored = (settings.payload_dir, settings.payload_keys, settings.store)
    plugins: list[Plugin] = [*trace_plugins(settings)]
    if not asks_only:
        # It loads all that workers need, which takes a tenth of a command's start.
        from desk.platform.temporal.plugin import desk_plugin

        plugins = [desk_plugin(*stored), *plugins]
    try:
        return await Client.connect(
            **options,
            data_converter=data_converter(*stored),
            plugins=plugins,
            runtime=_runtime(settings if working else None),
            identity=identity,
            # The payload codec compresses large payloads; compressing them again gains nothing.
            grpc_compression=GrpcCompression.NONE,
        )
    except (RuntimeError, RPCError) as error:
        raise ServerUnreachable(await _advice(settings, address, error)) from None
    except ValueError as error:
        raise SettingsError(
            f"the address of the Temporal server is '{address}' ({error}); allowed: HOST:PORT, in "
            "TEMPORAL_ADDRESS or the profile in temporal.toml"
        ) from None


def located(settings: Settings) -> Settings:
    """The settings with the ports of the home's embedded server. Unchanged if the server is the
    user's own.

    Raises:
        ServerUnreachable: no embedded server runs.
    """
    if settings.external:
        return settings
    record = ServerRecord.of_running_server(settings.home)
    if record is None:
        raise ServerUnreachable(f"no desk is up in {settings.home}; start one with `desk up`")
    ports = {"port": record.port, "ui_port": record.ui_port}
    return settings.model_copy(update={"server": settings.server.model_copy(update=ports)})


def server_name(settings: Settings) -> str:
    """Names the server for people: by its address, or by the home of the desk that hosts it."""
    if not settings.external:
        return f"the Temporal server of {settings.home}"
    address = _options(settings).get("target_host", DEFAULT_ADDRESS)
    return f"the Temporal server at {address}"


def _options(settings: Settings) -> ClientConnectConfig:
    if not settings.external:
        return {"target_host": settings.server.address}
    file = settings.temporal_config_file
    try:
        return ClientConfig.load_client_connect_config(
            profile=settings.temporal_profile,
            config_file=str(file) if file else None,
            override_env_vars=dict(settings.temporal_environment),
        )
    except RuntimeError as error:
        raise SettingsError(
            f"the connection to Temporal cannot be read from {file or 'temporal.toml'}: "
            f"{' '.join(str(error).split())}; TEMPORAL_PROFILE names one of its profiles"
        ) from None


async def _advice(settings: Settings, address: str, error: Exception) -> str:
    reason = await _reason(address, error)
    if settings.external:
        return (
            f"no Temporal server answers at {address} ({reason}); check TEMPORAL_ADDRESS or the "
            "profile in temporal.toml"
        )
    return f"no Temporal server answers at {address} ({reason}); start one with `desk up`"


async def _reason(address: str, error: Exception) -> str:
    """Why a server is not reached. The SDK's core wraps the system's message in the names of its
    own types. An unknown host name is only reported plainly by the system itself."""
    message = str(error).splitlines()[0]
    quoted = re.search(r'message: "([^"]+)"', message)
    if quoted is not None:
        return quoted[1]
    host = address.rpartition(":")[0].strip("[]")
    try:
        async with asyncio.timeout(NAME_SECONDS):
            await asyncio.get_running_loop().getaddrinfo(host, None)
    except TimeoutError:
        return f"no name server says where {host} is"
    except OSError:
        return f"the name {host} cannot be resolved"
    except UnicodeError:
        return f"{host} is no name of a host"
    return message[:200]


def measured(settings: Settings) -> bool:
    """Whether a process that runs workers has metrics."""
    return bool(settings.metrics_address or otlp_endpoint(settings.variables, "metrics"))


def process_meter() -> MetricMeter:
    """The meter of this process, for metrics that belong to no workflow or activity."""
    return _shared[0].metric_meter if _shared else MetricMeter.noop


_shared: list[Runtime] = []


def _runtime(working: Settings | None) -> Runtime:
    """The process's one runtime. The SDK's core logs errors only."""
    if not _shared:
        telemetry = TelemetryConfig(
            logging=LoggingConfig(TelemetryFilter(core_level="ERROR", other_level="ERROR")),
            metrics=_metrics(working) if working else None,
        )
        try:
            _shared.append(Runtime(telemetry=telemetry, worker_heartbeat_interval=WORKER_HEARTBEAT))
        except ValueError as error:
            raise SettingsError(_refused(working, error)) from None
    return _shared[0]


def _metrics(settings: Settings) -> PrometheusConfig | OpenTelemetryConfig | None:
    """Where metrics go. Core has one exporter: serving them takes precedence over sending them."""
    if settings.metrics_address:
        return PrometheusConfig(
            bind_address=settings.metrics_address,
            counters_total_suffix=True,
            durations_as_seconds=True,
            histogram_bucket_overrides=_BUCKETS,
        )
    endpoint = otlp_endpoint(settings.variables, "metrics")
    if endpoint is None:
        return None
    return OpenTelemetryConfig(
        url=endpoint,
        headers=otlp_headers(settings.variables),
        http=True,
        metric_periodicity=PUSHED_EVERY,
        durations_as_seconds=True,
        histogram_bucket_overrides=_BUCKETS,
    )


async def metrics_sent(settings: Settings) -> None:
    """Waits until all metrics so far are sent, if they are sent. Core sends at its own pace, and
    does not flush at the end."""
    if isinstance(_metrics(settings), OpenTelemetryConfig):
        await asyncio.sleep(1.1 * PUSHED_EVERY.total_seconds())


def _refused(settings: Settings | None, error: ValueError) -> str:
    if settings and settings.metrics_address:
        return (
            f"DESK_METRICS is '{settings.metrics_address}'; allowed: a free address such as "
            f"127.0.0.1:9464 ({error})"
        )
    return f"{ENDPOINT} cannot be used for metrics; allowed: such as http://127.0.0.1:4318"
