"""The trace of a run whose orchestrator is killed: whole, and nothing in it twice."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from desk.platform.temporal.client import connect
from tests.support.outside.otlp_receiver import Received, SentSpan, otlp_receiver
from tests.support.processes.fleet import desk_at, effects, start
from workers.hosting import Role

PATIENCE_SECONDS = 60
MARKETS = ("USD/JPY", "JP")


async def until_sent(received: Received, name: str) -> None:
    """Wait for a span, and for those that are above the others: each process sends its own."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while all(span.name != name for span in received.spans) or without_parent(received.spans):
            await asyncio.sleep(0.1)


def without_parent(spans: Iterable[SentSpan]) -> list[str]:
    """The spans whose parents are not there."""
    told = list(spans)
    known = {span.span for span in told}
    return [span.name for span in told if span.parent and span.parent not in known]


async def test_a_replayed_run_is_still_one_trace(tmp_path: Path) -> None:
    with otlp_receiver() as received:
        sending = {"OTEL_EXPORTER_OTLP_ENDPOINT": received.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
        async with desk_at(tmp_path, **sending) as (settings, _, fleet, log):
            # Nobody's command, as with a schedule: the run begins the trace.
            client = await connect(settings.model_copy(update={"variables": {}}))
            await start(client, settings, MARKETS)
            await effects(log, 6)
            fleet.kill(Role.ORCHESTRATOR)
            fleet.start(Role.ORCHESTRATOR)
            await until_sent(received, "WeeklyResearchWorkflow")
        spans = list(received.spans)
    assert len({span.trace for span in spans}) == 1
    assert len({span.span for span in spans}) == len(spans)
    (first,) = (span for span in spans if not span.parent)
    assert first.name == "WeeklyResearchWorkflow"
    assert without_parent(spans) == []
    counts = Counter(span.name for span in spans)
    assert counts["MarketResearchWorkflow"] == len(MARKETS)
    assert counts["publish_report"] == 1
