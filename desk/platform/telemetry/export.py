"""Exports spans: their destination, the name of their process, and which of them begin a trace."""

import os
import socket
from collections.abc import Mapping, Sequence
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    ParentBased,
    Sampler,
    SamplingResult,
)
from opentelemetry.trace import Link, SpanKind, TraceState
from opentelemetry.util.types import Attributes

from desk.platform.telemetry.otlp import DEFAULT_SERVICE, SERVICE_NAME, otlp_endpoint, otlp_headers

ROOT: Final = "desk.root"
"""The attribute of a span that may begin a trace."""

EXPORT_SECONDS: Final = 5
FLUSH_MILLIS: Final = 5_000


class FromTheDesk(Sampler):
    """Begins a trace only with the desk's own spans.

    Connections to MCP servers are opened and maintained outside any call, and every request for a
    tool listing would be a trace of its own.
    """

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """See base class."""
        decide = ALWAYS_ON if attributes and ROOT in attributes else ALWAYS_OFF
        return decide.should_sample(
            parent_context, trace_id, name, kind, attributes, links, trace_state
        )

    def get_description(self) -> str:
        """See base class."""
        return type(self).__name__


def sampler() -> Sampler:
    """Keeps a span with a parent if the parent is kept."""
    return ParentBased(FromTheDesk())


def resource(variables: Mapping[str, str]) -> Resource:
    """Names the process of a span. `OTEL_RESOURCE_ATTRIBUTES` adds to it."""
    return Resource.create(
        {
            "service.name": variables.get(SERVICE_NAME, DEFAULT_SERVICE),
            "service.instance.id": f"{socket.gethostname()}/{os.getpid()}",
        }
    )


def processor(variables: Mapping[str, str]) -> BatchSpanProcessor:
    """Sends spans in the background, by OTLP over HTTP, to the address in the variables."""
    return BatchSpanProcessor(
        OTLPSpanExporter(
            endpoint=otlp_endpoint(variables, "traces"),
            headers=otlp_headers(variables),
            timeout=EXPORT_SECONDS,
        )
    )
