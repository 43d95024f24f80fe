"""What models cost, in the metrics that a worker serves."""

import json
import re
from pathlib import Path

import httpx2

from tests.support.command import DeskCommand
from tests.support.homes import free_port
from tests.support.model_server import model_server
from tests.support.model_week import KEY, LAST_WEEK, Scripted


def total(metrics: str, name: str) -> int:
    """The sum of a counter over all its labels."""
    return sum(int(value) for value in re.findall(rf"^{name}\{{.*\}} (\d+)$", metrics, re.M))


def test_the_counters_of_models_are_the_reports_usage(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    address = f"127.0.0.1:{free_port()}"
    with model_server(tmp_path / "model", Scripted().fixtures("USD/JPY", "JP")) as server:
        desk = DeskCommand(
            tmp_path, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url, DESK_METRICS=address
        )
        with desk.up():
            done = desk("run", "--week", LAST_WEEK, "--markets", "USD/JPY,JP")
            assert done.code == 0, done.err
            metrics = httpx2.get(f"http://{address}/metrics", timeout=10).text
        calls = len(server.asked)
    (path,) = (tmp_path / "reports" / "weekly").glob("*.r1.json")
    usage = json.loads(path.read_text())["usage"]
    assert total(metrics, "desk_model_calls_total") == calls
    assert total(metrics, "desk_model_input_tokens_total") == usage["input_tokens"]
    assert total(metrics, "desk_model_output_tokens_total") == usage["output_tokens"]
    cost = total(metrics, "desk_model_cost_microusd_total") / 1_000_000
    assert abs(cost - float(usage["cost_usd"])) < calls / 1_000_000
    assert KEY not in metrics


def test_an_address_that_cannot_be_served_is_named(tmp_path: Path) -> None:
    done = DeskCommand(tmp_path, DESK_METRICS="nonsense")("run", "--week", LAST_WEEK)
    assert done.code == 2, done.err
    assert "DESK_METRICS is 'nonsense'; allowed: a free address such as 127.0.0.1:9464" in done.err
