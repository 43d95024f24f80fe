"""`desk stock` and `desk episodes` as their users run them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from desk.contracts.episode.actions import StockAction
from desk.contracts.names import WorkflowType
from desk.programs.episode.actions import ORDER
from starters.learning.episodes.export import COLUMNS
from tests.support.processes.command import Answer, DeskCommand, eventually

STOCK = ("stock", "nvda", "--as-of", "2024-06-12", "--no-memory")
GIVEN = ("RUN_TA_BASIC", "GENERATE_RECOMMENDATION", "GENERATE_INSIGHT", "GENERATE_RECOMMENDATION")
ASK_FOR_PRICES = (StockAction.RUN_TA_BASIC, StockAction.RUN_TA_ADVANCED)
WAITING = (
    *("stock", "AAPL", "--no-memory", "--steps"),
    ",".join(action for action in ORDER if action not in ASK_FOR_PRICES),
)
ENDED = (
    *("stock", "AAPL", "--no-memory", "--steps"),
    ",".join(action for action in ORDER if action is not StockAction.RUN_TA_BASIC),
)


@workflow.defn(name=WorkflowType.STOCK_RESEARCH)
class Another:
    """A workflow of the same name that was started with something else."""

    @workflow.run
    async def run(self, _: str) -> None:
        """End at once."""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up."""
    command = DeskCommand(tmp_path_factory.mktemp("desk"))
    with command.up():
        yield command


@pytest.fixture(scope="module")
def researched(desk: DeskCommand) -> Answer:
    """The first report of the episode."""
    return listed(desk, desk(*STOCK))


@pytest.fixture(scope="module")
def given(desk: DeskCommand) -> Answer:
    """The report of an episode whose steps were given."""
    return listed(desk, desk(*STOCK, "--steps", ",".join(GIVEN)))


@pytest.fixture(scope="module")
def waiting(desk: DeskCommand) -> Answer:
    """The report of an episode whose horizon is ahead. Offline there is no price of today, and it
    is waited for only where no source has said so."""
    return listed(desk, desk(*WAITING), "Running")


def listed(desk: DeskCommand, answer: Answer, state: str = "Completed") -> Answer:
    """The report of an episode that went well, once the server lists that as what it is."""
    assert answer.code == 0, answer.out + answer.err
    query = f"WorkflowId = '{report_of(answer).stem}' AND ExecutionStatus = '{state}'"
    desk.listed(f"{query} AND Market IS NOT NULL")
    return answer


def report_of(answer: Answer) -> Path:
    found = re.search(r"Report +(\S+)", answer.out)
    assert found is not None, answer.out
    return Path(found[1])


def test_a_stock_is_researched_recommended_on_and_evaluated_in_history(
    researched: Answer,
) -> None:
    for action in ORDER:
        assert f"{action} done" in researched.err
    assert "NVDA" in researched.out
    assert "Steps     8\n" in researched.out
    assert re.search(r"Advice    (leans to \w+|buy|hold|sell), confidence \d+ %", researched.out)
    assert re.search(r"Reward    [+-]?\d+\.\d\d \(forward move", researched.out)


def test_the_report_holds_up_to_an_audit(desk: DeskCommand, researched: Answer) -> None:
    page = report_of(researched)
    assert page.is_file()
    audited = desk("audit", str(page.with_suffix(".json")))
    assert audited.code == 0, audited.out + audited.err


def test_the_same_episode_is_told_from_its_one_run(desk: DeskCommand, researched: Answer) -> None:
    again = desk(*STOCK, "--json")
    assert again.json["workflow_id"] == report_of(researched).stem
    assert again.err == ""


def test_steps_that_are_given_are_taken_and_what_makes_no_sense_is_refused(
    desk: DeskCommand, given: Answer
) -> None:
    assert "Steps     4, 1 of them refused" in given.out
    assert "no evaluation was among the steps" in given.out
    shown = desk("episodes", "show", report_of(given).stem, "--json").json
    assert [step["action"] for step in shown["steps"]] == list(GIVEN)
    assert [step.get("refused") is not None for step in shown["steps"]] == [
        False,
        True,
        False,
        False,
    ]
    assert shown["board"]["news_data"] is None
    assert shown["board"]["recommendation"] is not None


def test_an_episode_whose_horizon_is_ahead_is_published_and_left_to_wait(
    desk: DeskCommand, waiting: Answer
) -> None:
    due = r"Due       \d+ \w+ \d{4} .*: the report is then published again with the evaluation"
    assert re.search(due, waiting.out)
    assert report_of(waiting).is_file()
    shown = desk("episodes", "show", report_of(waiting).stem)
    assert "waits for its horizon" in shown.out
    assert "waits         until" in shown.out
    back = desk(*WAITING)
    assert back.code == 0
    instant = r"\d+ \w+ \d{4} \d\d:\d\d UTC"
    assert re.search(f"Answered {instant} as of {instant}, and waits for its horizon", back.out)
    assert "`--again` ends that wait" in back.out
    assert "`--as-of INSTANT` asks another beside it" in back.out
    assert back.err == ""


def test_an_episode_that_was_told_of_no_price_is_over_whichever_action_was_told(
    desk: DeskCommand,
) -> None:
    ended = desk(*ENDED)
    assert ended.code == 0, ended.out + ended.err
    assert "AAPL: there was no price to begin with, and none of later days will come" in ended.out
    assert "Due  " not in ended.out


def test_an_unknown_symbol_is_told_with_the_nearest_that_there_are(desk: DeskCommand) -> None:
    answer = desk("stock", "NVDAA", "--as-of", "2024-06-12")
    assert answer.code == 2
    assert "NVDA (Nvidia)" in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""
    assert "NVDAA" not in desk("episodes", "list").out
    assert desk("episodes", "list", "--symbol", "NVDAA").out == "no episodes of NVDAA\n"


def test_a_day_before_the_series_is_told_as_one(desk: DeskCommand) -> None:
    answer = desk("stock", "NVDA", "--as-of", "1970-06-12")
    assert answer.code == 2
    assert "ask as of a later day" in answer.err
    assert "Offline there are prices of NVDA of 1999-01-22 to 2025-02-14." in answer.err
    assert answer.out == ""
    assert "1970-06-12" not in desk("episodes", "list", "--symbol", "NVDA").out


def test_a_day_after_the_last_price_is_refused_with_the_days_that_there_are(
    desk: DeskCommand,
) -> None:
    answer = desk("stock", "IBM", "--as-of", "2014-01-05")
    assert (answer.code, answer.out) == (2, "")
    assert "they end on 2013-03-01" in answer.err
    assert "Offline there are prices of IBM of 2000-03-01 to 2013-03-01." in answer.err


@pytest.mark.parametrize("options", [(), ("--no-wait",)], ids=["waiting", "not waiting"])
def test_what_there_are_no_prices_of_is_told_and_never_started(
    desk: DeskCommand, options: tuple[str, ...]
) -> None:
    asked = desk("stock", "KO", "--as-of", "2009-03-10", *options)
    assert (asked.code, asked.out) == (2, "")
    # The stocks that there are prices of.
    assert "NVDA (1999-01-22 to 2025-02-14)" in asked.err
    assert "IBM (2000-03-01 to 2013-03-01)" in asked.err
    # Whatever was started before the look at the prices would be listed with it.
    query = "WorkflowType = 'ToolCallWorkflow' OR WorkflowId STARTS_WITH 'stock-KO-'"
    found = ("workflow", "list", "--query", query, "--output", "json")
    eventually(lambda: desk.temporal(*found).json, "what it looked at is listed")
    assert {each["type"]["name"] for each in desk.temporal(*found).json} == {"ToolCallWorkflow"}


def test_what_ran_is_listed_the_newest_first(
    desk: DeskCommand, researched: Answer, waiting: Answer
) -> None:
    listed = desk("episodes", "list", "--symbol", "nvda", "--json").json
    assert {each["request"]["symbol"] for each in listed} == {"NVDA"}
    assert report_of(researched).stem in {each["workflow_id"] for each in listed}
    table = desk("episodes", "list").out
    assert report_of(waiting).stem in table
    assert report_of(researched).stem in table
    assert desk("episodes", "list", "--symbol", "MSFT").out == "no episodes of MSFT\n"


def test_no_more_are_listed_than_asked_for_and_that_there_are_more_is_said(
    desk: DeskCommand, researched: Answer, given: Answer
) -> None:
    listed = desk("episodes", "list", "--symbol", "NVDA", "--limit", "1", "--json")
    assert [each["request"]["symbol"] for each in listed.json] == ["NVDA"]
    assert "these are the newest 1; `--limit N` looks further back" in listed.err
    assert "newest" not in desk("episodes", "list", "--symbol", "NVDA", "--limit", "9").err
    assert desk("episodes", "list", "--limit", "0").code == 2


def test_what_finished_is_exported_and_read_back(
    desk: DeskCommand, researched: Answer, given: Answer, waiting: Answer, tmp_path: Path
) -> None:
    place = tmp_path / "deep" / "episodes.parquet"
    told = desk("episodes", "export", "--out", str(place), "--symbol", "NVDA")
    assert told.code == 0, told.err
    assert "2 episodes, 12 steps" in told.out
    table = pq.read_table(place)
    assert table.column_names == list(COLUMNS)
    rows = [row for row in table.to_pylist() if row["workflow_id"] == report_of(researched).stem]
    assert [row["action"] for row in rows] == list(ORDER)
    assert [row["last"] is not None for row in rows] == [n > 3 for n in range(8)]
    assert [row["news_count"] for row in rows] == [None] * 8
    assert rows[-1]["terminated"]
    assert f"{rows[-1]['reward']:+.2f}" in researched.out
    assert rows[-1]["reward"] == rows[-1]["episode_reward"]


def test_an_episode_is_known_to_the_commands_that_look_at_runs(
    desk: DeskCommand, researched: Answer
) -> None:
    told = desk("messages", report_of(researched).stem)
    assert told.code == 0, told.err
    assert "NVDA: FETCH_NEWS" in told.out
    assert re.search(r"RC>PM +GENERATE_RECOMMENDATION to (buy|hold|sell)", told.out)
    agents = {each["agent"]: each for each in desk("agents", "--json").json["agents"]}
    assert agents["ta_agent"]["finished"] >= 2
    assert desk("dead-letters").code == 0


async def test_an_episode_that_cannot_be_read_is_told_and_left_out(
    desk: DeskCommand, researched: Answer, tmp_path: Path
) -> None:
    client = await Client.connect(desk.address)
    kind, queue = WorkflowType.STOCK_RESEARCH, "another"
    runner = UnsandboxedWorkflowRunner()
    async with Worker(client, task_queue=queue, workflows=[Another], workflow_runner=runner):
        await client.execute_workflow(kind, "nothing known", id="stock-another", task_queue=queue)
    desk.listed("WorkflowId = 'stock-another' AND ExecutionStatus = 'Completed'")
    told = "the history of stock-another does not say what it was started with"
    listed = desk("episodes", "list")
    assert (listed.code, told in listed.err) == (3, True)
    assert report_of(researched).stem in listed.out
    place = tmp_path / "episodes.parquet"
    exported = desk("episodes", "export", "--out", str(place))
    assert (exported.code, told in exported.err) == (3, True)
    assert report_of(researched).stem in pq.read_table(place)["workflow_id"].to_pylist()
    shown = desk("episodes", "show", "stock-another")
    assert (shown.code, told in shown.err) == (1, True)
