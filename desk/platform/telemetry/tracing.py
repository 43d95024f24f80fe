"""Traces of this process. Off, and their libraries not imported, unless an address is set.

The extra `observe` installs the exporter.
"""

import contextlib
import importlib.util
import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from pydantic import SecretStr

from desk.contracts.agents.extras import Extra, install_words
from desk.platform.settings import Settings
from desk.platform.settings.mcp_json import McpServerSpec, Transport
from desk.platform.telemetry.otlp import DEFAULT_SERVICE, ENDPOINT, SERVICE_NAME, otlp_endpoint

if TYPE_CHECKING:
    from temporalio.plugin import SimplePlugin

LOG = logging.getLogger(__name__)

_PREFIX: Final = "OTEL_"

_NEEDED: Final = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")

_WARNED: list[str] = []


def tracing(settings: Settings) -> bool:
    """Whether this process sends traces. Warns once if a package is missing, which is not an error:
    the address may be set for other programs."""
    if otlp_endpoint(settings.variables, "traces") is None:
        return False
    if all(_installed(name) for name in _NEEDED):
        return True
    if not _WARNED:
        _WARNED.append(ENDPOINT)
        LOG.warning("%s is set; traces are sent after %s", ENDPOINT, install_words(Extra.OBSERVE))
    return False


def trace_plugins(settings: Settings) -> "list[SimplePlugin]":
    """The plugins by which a client traces its calls and the workers made from it."""
    if not tracing(settings):
        return []
    from desk.platform.telemetry.spans import span_plugins, start_tracing

    start_tracing(settings.variables)
    return span_plugins()


@contextlib.contextmanager
def command_span(settings: Settings, command: str) -> Iterator[None]:
    """Opens a span for the duration of a command, the first of its trace. Sends it before the block
    is left."""
    if not tracing(settings):
        yield
        return
    from desk.platform.telemetry.spans import spanned_command, start_tracing

    start_tracing(settings.variables)
    try:
        with spanned_command(command):
            yield
    finally:
        send_spans(settings)


def send_spans(settings: Settings) -> None:
    """Sends the recorded spans. The SDK's processes end without the usual cleanup."""
    if tracing(settings):
        from desk.platform.telemetry.spans import flush

        flush()


def traced_servers(
    servers: Mapping[str, McpServerSpec], settings: Settings, *, in_process: bool
) -> dict[str, McpServerSpec]:
    """The servers, with the desk's own ones that run as processes started so that they send spans
    too.

    Third-party servers get nothing added: `.mcp.json` says what they get.
    """
    if not tracing(settings):
        return dict(servers)
    return {
        name: _traced_process(name, spec, settings.variables)
        if _is_ours(spec) and not spec.runs_here(in_process=in_process)
        else spec
        for name, spec in servers.items()
    }


def _is_ours(spec: McpServerSpec) -> bool:
    """Whether a server is the desk's own module, started with `python -m`."""
    started = spec.transport is Transport.STDIO and spec.command == "python"
    return started and spec.in_process is not None and spec.args[:2] == ("-m", spec.in_process)


def _traced_process(name: str, spec: McpServerSpec, variables: Mapping[str, str]) -> McpServerSpec:
    passed_on = {n: SecretStr(value) for n, value in variables.items() if n.startswith(_PREFIX)}
    service = f"{variables.get(SERVICE_NAME, DEFAULT_SERVICE)}.{name}"
    env = {**passed_on, SERVICE_NAME: SecretStr(service), **spec.env}
    return spec.model_copy(
        update={"args": ("-m", "desk.platform.telemetry.traced_server", *spec.args[1:]), "env": env}
    )


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
