"""The spans of the desk: one trace from a command to the calls that it causes.

Imported only if traces are on. Temporal propagates the trace from the command into workflows and
activities. The MCP and Anthropic clients make spans of their own inside those. A server's spans
belong to the call that reached it.
"""

# ruff: noqa: A002 - Temporal's base classes name these arguments.

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, use_span
from temporalio import activity, workflow
from temporalio.contrib.opentelemetry import (
    OpenTelemetryPlugin,
    ReplaySafeTracerProvider,
    create_tracer_provider,
)
from temporalio.plugin import SimplePlugin
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    Interceptor,
    StartActivityInput,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
    WorkflowOutboundInterceptor,
)

from desk.contracts.names import ActivityName
from desk.platform.telemetry.export import FLUSH_MILLIS, ROOT, processor, resource, sampler
from desk.platform.telemetry.subject import subject_of

_NAME: Final = "research-desk"


def start_tracing(variables: Mapping[str, str]) -> None:
    """Starts sending this process's spans to the address in the variables. Later calls do
    nothing."""
    if isinstance(trace.get_tracer_provider(), ReplaySafeTracerProvider):
        return
    provider = create_tracer_provider(sampler=sampler(), resource=resource(variables))
    provider.add_span_processor(processor(variables))
    trace.set_tracer_provider(provider)


def flush() -> None:
    """Sends the recorded spans. Gives up after some seconds."""
    provider = trace.get_tracer_provider()
    if isinstance(provider, ReplaySafeTracerProvider):
        provider.force_flush(FLUSH_MILLIS)


def span_plugins() -> list[SimplePlugin]:
    """Temporal's plugin, which propagates the trace, and the desk's, which makes the spans."""
    return [OpenTelemetryPlugin(), SimplePlugin("desk-spans", interceptors=[DeskSpans()])]


@contextmanager
def spanned_command(command: str) -> Iterator[None]:
    """Opens the first span of a trace."""
    tracer = trace.get_tracer(_NAME)
    with tracer.start_as_current_span(command, attributes={ROOT: True}, kind=SpanKind.CLIENT):
        yield


class DeskSpans(Interceptor):
    """Makes a span for every workflow run and every attempt of an activity, with its subject."""

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:
        """See base class."""
        return _ActivitySpans(next)

    def workflow_interceptor_class(
        self, input: WorkflowInterceptorClassInput
    ) -> type[WorkflowInboundInterceptor]:
        """See base class."""
        return _WorkflowSpans


class _ActivitySpans(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:
        info = activity.info()
        about = _attributes(subject_of(info.workflow_id, info.activity_id))
        with trace.get_tracer(_NAME).start_as_current_span(
            info.activity_type,
            kind=SpanKind.SERVER,
            attributes={
                **about,
                "temporal.activity_id": info.activity_id,
                "temporal.attempt": info.attempt,
                "temporal.task_queue": info.task_queue,
            },
        ):
            return await super().execute_activity(input)


class _WorkflowSpans(WorkflowInboundInterceptor):
    """Ends a run's span with its first report, or else with the run. A span is visible only once it
    has ended, and that of a run which stays open would leave its children without a parent for
    days."""

    _span: Span
    _ended = False

    def init(self, outbound: WorkflowOutboundInterceptor) -> None:
        super().init(_UntilPublished(outbound, self))

    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:
        info = workflow.info()
        self._span = trace.get_tracer(_NAME).start_span(
            info.workflow_type,
            kind=SpanKind.SERVER,
            attributes={
                **_attributes(subject_of(info.workflow_id)),
                ROOT: True,
                "temporal.workflow_id": info.workflow_id,
                "temporal.run_id": info.run_id,
            },
        )
        with use_span(self._span, record_exception=False, set_status_on_exception=False):
            try:
                return await super().execute_workflow(input)
            except Exception as error:
                self._span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                self._span.record_exception(error)
                raise
            finally:
                # A run evicted from this worker's cache counts as replaying, and ends no span.
                self.end_span()

    def end_span(self) -> None:
        """Ends the span, the first time it is called."""
        if not self._ended:
            self._ended = True
            self._span.end()


class _UntilPublished(WorkflowOutboundInterceptor):
    def __init__(self, next: WorkflowOutboundInterceptor, run: _WorkflowSpans) -> None:
        super().__init__(next)
        self._run = run

    def start_activity(self, input: StartActivityInput) -> workflow.ActivityHandle[Any]:
        handle = super().start_activity(input)
        if input.activity == ActivityName.PUBLISH_REPORT:
            handle.add_done_callback(self._published)
        return handle

    def _published(self, handle: "workflow.ActivityHandle[Any]") -> None:
        if not handle.cancelled() and handle.exception() is None:
            self._run.end_span()


def _attributes(about: Mapping[str, str]) -> dict[str, str]:
    return {f"desk.{name}": value for name, value in about.items()}
