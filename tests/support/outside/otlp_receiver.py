"""A collector on this machine: takes spans and metrics by OTLP over HTTP, and keeps them."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.support.addresses.local import answering


@dataclass(frozen=True)
class SentSpan:
    """A span as it was sent. `parent` is empty for the first of a trace."""

    trace: str
    span: str
    parent: str
    name: str
    service: str
    started: int
    ended: int
    attributes: dict[str, Any]


@dataclass
class Received:
    """What has come in so far, and at which address it is taken."""

    url: str = ""
    spans: list[SentSpan] = field(default_factory=list)
    metrics: set[str] = field(default_factory=set)
    headers: list[dict[str, str]] = field(default_factory=list)

    def take_spans(self, body: bytes) -> bytes:
        """Keep what a request holds; the answer to it."""
        request = ExportTraceServiceRequest.FromString(body)
        for of_process in request.resource_spans:
            about = _values(of_process.resource.attributes)
            for of_scope in of_process.scope_spans:
                self.spans += [
                    SentSpan(
                        trace=span.trace_id.hex(),
                        span=span.span_id.hex(),
                        parent=span.parent_span_id.hex(),
                        name=span.name,
                        service=about["service.name"],
                        started=span.start_time_unix_nano,
                        ended=span.end_time_unix_nano,
                        attributes=_values(span.attributes),
                    )
                    for span in of_scope.spans
                ]
        return ExportTraceServiceResponse().SerializeToString()

    def take_metrics(self, body: bytes) -> bytes:
        """Keep the names in a request; the answer to it."""
        request = ExportMetricsServiceRequest.FromString(body)
        self.metrics |= {
            metric.name
            for of_process in request.resource_metrics
            for of_scope in of_process.scope_metrics
            for metric in of_scope.metrics
        }
        return ExportMetricsServiceResponse().SerializeToString()


@contextmanager
def otlp_receiver() -> Iterator[Received]:
    """A collector until the block ends."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            takes = {"/v1/traces": received.take_spans, "/v1/metrics": received.take_metrics}
            received.headers.append({k.lower(): v for k, v in self.headers.items()})
            answer = takes[self.path](body)
            self.send_response(200)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with answering(Handler) as received.url:
        yield received


def _values(attributes: Any) -> dict[str, Any]:
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in attributes}
