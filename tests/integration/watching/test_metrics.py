"""The metrics that a worker serves: all that docs/operations.md names, and true to the week."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.support.models.model_server import model_server
from tests.support.models.model_week import KEY, LAST_WEEK, Scripted
from tests.support.outside.watched import documented
from tests.support.processes.command import DeskCommand, eventually
from tests.support.processes.homes import PROJECT, free_port

TASKS = 7


def total(metrics: str, name: str) -> int:
    """The sum of a counter over all its labels."""
    return sum(int(value) for value in re.findall(rf"^{name}\{{.*\}} (\d+)$", metrics, re.M))


def whole(url: str) -> str | None:
    """What is served there, once every gauge has been set: that takes a while at the start."""
    metrics = httpx2.get(url, timeout=60).text
    return metrics if all(name in metrics for name in documented()) else None


@dataclass(frozen=True)
class Scraped:
    """What a worker served after a week of two markets, what the week used, and what memory the
    worker had, in bytes."""

    metrics: str
    calls: int
    usage: dict[str, Any]
    memory: int

    def labels(self, name: str) -> set[str]:
        """The labels of all samples of a metric, a histogram's included."""
        found = re.findall(
            rf"^{name}(?:_bucket|_sum|_count)?(?:\{{(.*)\}})? \S+$", self.metrics, re.M
        )
        assert found, f"{name} is not served"
        return {label for labels in found for label in re.findall(r'(\w+)="', labels)}


def with_two_markets(folder: Path) -> str:
    """A copy of the project's `desk.toml` whose desk covers two markets only: all of its week."""
    others = re.compile(r'  \{ (?:pair|area) = "(?!USD/JPY"|JP").*\n')
    path = folder / "desk.toml"
    path.write_text(others.sub("", (PROJECT / "desk.toml").read_text()))
    return str(path)


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Scraped:
    folder = tmp_path_factory.mktemp("scraped")
    address = f"127.0.0.1:{free_port()}"
    with model_server(folder, Scripted().fixtures("USD/JPY", "JP")) as server:
        desk = DeskCommand(
            folder,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=server.url,
            DESK_CONFIG=with_two_markets(folder),
            DESK_METRICS=address,
        )
        with desk.up() as worker:
            done = desk("run", "--week", LAST_WEEK)
            assert done.code == 0, done.err
            metrics = eventually(lambda: whole(f"http://{address}/metrics"), "all metrics")
            memory = psutil.Process(worker.pid).memory_info().rss
        calls = len(server.asked)
    (path,) = (folder / "reports" / "weekly").glob("*.r1.json")
    return Scraped(metrics, calls, json.loads(path.read_text())["usage"], memory)


def test_the_counters_of_models_are_the_reports_usage(scraped: Scraped) -> None:
    metrics, usage = scraped.metrics, scraped.usage
    assert total(metrics, "desk_model_calls_total") == scraped.calls
    assert total(metrics, "desk_model_input_tokens_total") == usage["input_tokens"]
    assert total(metrics, "desk_model_output_tokens_total") == usage["output_tokens"]
    cost = total(metrics, "desk_model_cost_microusd_total") / 1_000_000
    assert abs(cost - float(usage["cost_usd"])) < scraped.calls / 1_000_000
    assert KEY not in metrics


@pytest.mark.parametrize("name", sorted(documented()))
def test_every_metric_of_the_document_is_served_with_its_labels(
    scraped: Scraped, name: str
) -> None:
    assert documented()[name] <= scraped.labels(name)


def test_the_document_names_every_metric_of_the_desk(scraped: Scraped) -> None:
    served = set(re.findall(r"^# TYPE (desk_\w+) ", scraped.metrics, re.M))
    assert served == set(documented())


def test_the_week_is_counted_as_it_was(scraped: Scraped) -> None:
    metrics = scraped.metrics
    assert total(metrics, "desk_reports_total") == 1
    assert total(metrics, "desk_dead_letters_total") == 0
    # The plan, three tasks for the two markets and a validation of each, and the commentary.
    assert total(metrics, "desk_tasks_total") == TASKS
    assert re.search(r"^desk_report_coverage_ratio\{.*\} 1$", metrics, re.M)
    undelivered = r'^desk_tasks_total\{.*outcome="(?!delivered).*\} ([1-9]\d*)$'
    failed = re.findall(undelivered, metrics, re.M)
    assert failed == []
    queues = re.findall(r'^desk_queue_pollers\{.*queue="([\w.]+)".*\} (\d+)$', metrics, re.M)
    assert {"desk", "research", "validation", "source.ecb"} <= {queue for queue, _ in queues}
    (memory,) = re.findall(r"^desk_worker_memory_bytes\{.*\} (\d+)$", metrics, re.M)
    assert int(memory) == pytest.approx(scraped.memory, rel=0.2)


def test_an_address_that_cannot_be_served_is_named(tmp_path: Path) -> None:
    done = DeskCommand(tmp_path, DESK_METRICS="nonsense")("run", "--week", LAST_WEEK)
    assert done.code == 2, done.err
    assert "DESK_METRICS is 'nonsense'; allowed: a free address such as 127.0.0.1:9464" in done.err
