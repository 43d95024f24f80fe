"""A week whose run has continued as new is read from its first run to its last."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.programs import DeskFile
from tests.support.processes.command import Answer, DeskCommand

WEEK = "2026-W44"
RUN = f"weekly-{WEEK}"
REASONS = ("first correction", "second correction", "third correction")


class Continued:
    """A desk whose week was rerun three times, with what was told before the first of them."""

    def __init__(self, desk: DeskCommand) -> None:
        self.desk = desk
        assert desk("run", "--week", WEEK).code == 0
        self.tape_before = self.tape("before.json")
        self.calls_before = self.calls()
        self.reruns = [self._rerun(reason) for reason in REASONS]

    def _rerun(self, reason: str) -> Answer:
        return self.desk("rerun", "USD/JPY", "--week", WEEK, "--reason", reason, "--json")

    def tape(self, name: str) -> Any:
        """The tape of the run as it is now."""
        file = self.desk.directory / name
        assert self.desk("tape", "save", RUN, str(file)).code == 0
        return json.loads(file.read_text())

    def calls(self) -> int:
        """The calls that `desk tools` tells, of all sources together."""
        told = self.desk("tools", "--week", WEEK, "--json").json
        return sum(tool["calls"] or 0 for server in told["servers"] for tool in server["tools"])

    def messages(self, *more: str) -> list[dict[str, Any]]:
        """What `desk messages` tells of the run."""
        told = self.desk("messages", RUN, "--json", *more)
        assert told.code == 0, told.err
        return [json.loads(line) for line in told.out.splitlines()]


@pytest.fixture(scope="module")
def continued(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Continued]:
    directory = tmp_path_factory.mktemp("continued")
    short = {"most_events = 2_000": "most_events = 1"}
    config = DeskFile(markets=("EUR/USD", "USD/JPY"), replaced=short).written(directory)
    desk = DeskCommand(directory, DESK_CONFIG=str(config))
    with desk.up():
        yield Continued(desk)


def test_each_rerun_is_followed_into_the_run_that_does_it(continued: Continued) -> None:
    assert [answer.code for answer in continued.reruns] == [0, 0, 0]
    assert [answer.json["revision"] for answer in continued.reruns] == [2, 3, 4]
    assert len({answer.json["run_id"] for answer in continued.reruns}) == 3
    continued.desk.listed(f"WorkflowId = '{RUN}' AND ExecutionStatus = 'ContinuedAsNew'", least=2)


def test_the_report_and_its_status_have_every_revision(continued: Continued) -> None:
    report = continued.desk("report", "--week", WEEK, "--json").json
    assert [line["reason"] for line in report["revisions"][1:]] == list(REASONS)
    status = continued.desk("status", "--week", WEEK)
    assert status.code == 0 and "revision 4" in status.out, status.out


def test_every_figure_can_be_followed_in_the_last_revision(continued: Continued) -> None:
    traced = continued.desk("report", "--week", WEEK, "--trace", "USD/JPY:move")
    assert traced.code == 0, traced.err
    audit = continued.desk("audit", WEEK)
    assert audit.code == 0, audit.out


def test_the_messages_of_all_runs_are_told(continued: Continued) -> None:
    told = json.dumps(continued.messages())
    assert all(reason in told for reason in REASONS)
    ids = [message["message_id"] for message in continued.messages()]
    assert len(set(ids)) == len(ids)
    # The last run has researched another market alone.
    assert continued.messages("--market", "eurusd")


def test_a_phase_is_told_once(continued: Continued) -> None:
    """Each rerun opens the run for the next; a run that goes on says nothing by itself."""
    entered = [
        message
        for message in continued.messages("--type", "broadcast")
        if message["content"].get("phase") == "open_for_reruns"
    ]
    assert len(entered) == 1 + len(REASONS)


def test_the_tape_is_that_of_the_first_run(continued: Continued) -> None:
    after = continued.tape("after.json")
    assert after["takes"] == continued.tape_before["takes"]


def test_the_tools_are_counted_from_the_first_run_on(continued: Continued) -> None:
    assert continued.calls() > continued.calls_before > 0
