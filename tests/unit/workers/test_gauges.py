"""What a worker's gauges say of its own process."""

from collections import Counter
from itertools import count

from temporalio.runtime import MetricBuffer, Runtime, TelemetryConfig

from desk.sources.serving.kept_answers import KeptAnswers
from workers.gauges import _count_lookups, _resident_bytes


def test_answers_looked_up_since_the_last_time_are_added() -> None:
    buffer = MetricBuffer(1_000)
    meter = Runtime(telemetry=TelemetryConfig(metrics=buffer)).metric_meter
    clock = count()
    kept = KeptAnswers[str](seconds=60, most=2, clock=lambda: float(next(clock)))
    counted = _count_lookups(meter, Counter[bool]())
    buffer.retrieve_updates()
    assert kept.get("a") is None
    kept.keep("a", "answer")
    assert kept.get("a") == kept.get("a") == "answer"
    counted = _count_lookups(meter, counted)
    _count_lookups(meter, counted)
    sums: Counter[str] = Counter()
    for update in buffer.retrieve_updates():
        assert update.metric.name == "desk_cache_lookups"
        assert update.attributes["cache"] == "source_answers"
        sums[str(update.attributes["result"])] += int(update.value)
    assert sums == {"hit": 2, "miss": 1}


def test_the_memory_is_that_of_the_process() -> None:
    before = _resident_bytes()
    block = bytearray(64_000_000)
    block[::4_096] = b"x" * len(block[::4_096])
    assert _resident_bytes() - before > 48_000_000
