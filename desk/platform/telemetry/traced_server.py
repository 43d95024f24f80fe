"""Runs one of the desk's MCP servers with its spans.

`python -m desk.platform.telemetry.traced_server MODULE [ARGUMENT…]`

The worker starts its stdio servers this way if traces are on, and passes them the `OTEL_*`
variables. Spans go to the collector and log lines to standard error, because standard output
carries the protocol.
"""

import runpy
import sys

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from desk.platform.settings import process_variables
from desk.platform.telemetry.export import FLUSH_MILLIS, processor, resource, sampler


def main() -> None:
    """Serves until the input ends, as the module itself would."""
    module, *arguments = sys.argv[1:]
    variables = process_variables()
    provider = TracerProvider(sampler=sampler(), resource=resource(variables))
    provider.add_span_processor(processor(variables))
    trace.set_tracer_provider(provider)
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        provider.force_flush(FLUSH_MILLIS)


if __name__ == "__main__":
    main()
