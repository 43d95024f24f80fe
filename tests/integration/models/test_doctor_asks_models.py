"""`desk doctor --ask` calls each model once and says in plain words what its endpoint can do."""

from pathlib import Path

from tests.support.models.weak_endpoint import Request, is_probe, weak_endpoint
from tests.support.processes.command import DeskCommand


def says(request: Request) -> str:
    told = '{"sure": true}' if is_probe(request) else '{"market": "USD/JPY", "priority": 2}'
    return f"Of course: {told}"


def test_a_weak_endpoint_is_told_of_by_what_it_can(tmp_path: Path) -> None:
    models = {"CLAUDE_MODEL_ORCHESTRATOR": "tiny", "CLAUDE_MODEL_EXECUTION": "tiny"}
    with weak_endpoint(says) as weak:
        desk = DeskCommand(tmp_path, ANTHROPIC_BASE_URL=weak.url, **models)
        told = " ".join(desk("doctor", "--ask").out.split())
        assert [each["model"] for each in weak.asked] == ["tiny"] * len(weak.asked)
    assert "model tiny it answers; it knows no JSON schema: the desk says the form in words" in told
    assert "for its last answer they are taken away" in told
    assert "its price is not known" in told and "--budget-tokens" in told


def test_one_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    models = {"CLAUDE_MODEL_ORCHESTRATOR": "tiny", "CLAUDE_MODEL_EXECUTION": "tiny"}
    desk = DeskCommand(tmp_path, ANTHROPIC_BASE_URL="http://127.0.0.1:9", **models)
    done = desk("doctor", "--ask")
    assert done.code == 1 and "no way to tiny: ConnectError" in done.out
