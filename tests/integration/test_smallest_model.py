"""A week by a model of 270 million parameters: what it says is of no use, and the week survives
it."""

import json
from pathlib import Path

import pytest

from tests.support.command import DeskCommand
from tests.support.model_week import LAST_WEEK
from tests.support.smallest_model import smallest_model

pytestmark = [pytest.mark.others, pytest.mark.timeout(7_200)]


def test_a_week_comes_through_the_smallest_model(tmp_path: Path) -> None:
    with smallest_model() as url:
        desk = DeskCommand(
            tmp_path,
            ANTHROPIC_BASE_URL=url,
            CLAUDE_MODEL_ORCHESTRATOR="gemma3-270m",
            CLAUDE_MODEL_EXECUTION="gemma3-270m",
        )
        told = desk("doctor", "--ask").out
        assert "model gemma3-270m" in told
        done = desk("run", "--week", LAST_WEEK, "--markets", "USD/JPY", "--budget-tokens", "500000")
        assert done.code == 0, done.err
    (path,) = (tmp_path / "reports" / "weekly").glob("*.r1.json")
    report = json.loads(path.read_text())
    assert report["usage"]["unpriced_calls"] > 0, "the model was asked"
    (market,) = report["markets"]
    assert market["outcome"] == "researched"
    assert desk("audit", str(path)).code == 0
