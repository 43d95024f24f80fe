"""`desk ask` as its users run it: progress, the answer, its files, its exit status."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.command import PATIENCE_SECONDS, DeskCommand, eventually
from tests.support.processes.forks import forked_command

QUESTION = "What is the status of DESK-103?"
MARKET_QUESTION = "What moved USD/JPY?"
ECB = {"command": "python", "args": ["-m", "desk.sources.ecb.server"]}
FAILING = """
name: failing
graph:
  - name: fetchTickets
    agent: jira_agent
    fork: [synthesis, searchContext]
  - name: searchContext
    agent: search_agent
    next: synthesis
  - name: synthesis
    agent: synthesis_agent
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskCommand]:
    """A desk that is up."""
    command = DeskCommand(tmp_path_factory.mktemp("desk"))
    with command.up():
        yield command


def answers_of(desk: DeskCommand) -> Path:
    return desk.directory / "reports" / "answers"


def test_a_question_about_a_ticket_is_answered_in_the_trackers_words(desk: DeskCommand) -> None:
    answer = desk("ask", QUESTION)
    assert answer.code == 0, answer.err
    assert "“Blocked”" in answer.out
    assert "graph is tickets" in answer.err
    assert "fetchTickets done" in answer.err
    (page,) = answers_of(desk).glob("*.html")
    assert str(page) in answer.out
    assert desk("audit", str(page.with_suffix(".json"))).code == 0


def test_the_same_question_is_answered_from_its_one_run(desk: DeskCommand) -> None:
    first = desk("ask", QUESTION, "--json")
    again = desk("ask", f"  {QUESTION} ")
    assert "Answered" in again.out
    assert "--again" in again.out
    assert first.json["run_id"] in desk("ask", QUESTION).out
    anew = desk("ask", QUESTION, "--again", "--json")
    assert anew.json["workflow_id"] == first.json["workflow_id"]
    assert anew.json["run_id"] != first.json["run_id"]


def test_now_is_answered_by_the_newest_fixing_after_the_prices_have_ended(
    desk: DeskCommand,
) -> None:
    told = desk("ask", "Where is dollar yen?", "--json").json
    assert "The newest fixing of USD/JPY known here is that of 30 Oct 2026" in told["summary"]
    assert "from 156.80 to 157.25" in told["summary"]
    assert not [words for words in told["missing"] if "is left out" in words]


def test_the_json_form_is_the_answer_and_nothing_else(desk: DeskCommand) -> None:
    told = desk("ask", QUESTION, "--json").json
    assert list(told)[:2] == ["sections", "summary"]
    assert told["answered"] is True
    assert any(quotation["text"] == "Blocked" for quotation in told["quotations"])


def test_a_ticket_is_told_as_it_stood_at_an_earlier_day(desk: DeskCommand) -> None:
    answer = desk("ask", QUESTION, "--as-of", "2026-08-20")
    assert "“In progress”" in answer.out
    assert "“Blocked”" not in answer.out


def test_a_question_that_names_a_market_is_answered_in_claims(desk: DeskCommand) -> None:
    told = desk("ask", MARKET_QUESTION, "--as-of", "2026-10-30", "--json").json
    assert told["graph"]["name"] == "market"
    assert told["claims"]
    assert "157.25" in told["summary"] + "".join(part["content"] for part in told["sections"])


def test_a_group_is_ranked_in_claims_that_its_audit_verifies(desk: DeskCommand) -> None:
    told = desk("ask", "--rank", "G10", "--period", "2026-W44", "--json").json
    assert "G10 against the US dollar, from best to worst: " in told["summary"]
    assert told["found"] and len(told["claims"]) > 8
    file = answers_of(desk) / f"{told['workflow_id']}.json"
    assert desk("audit", str(file)).code == 0


def test_a_copy_is_put_where_it_is_asked_for(desk: DeskCommand, tmp_path: Path) -> None:
    answer = desk("ask", QUESTION, "--out", str(tmp_path / "copies"))
    assert answer.code == 0
    assert {path.suffix for path in (tmp_path / "copies").iterdir()} == {".md", ".html", ".json"}


def test_a_failed_node_makes_the_answer_incomplete(desk: DeskCommand, tmp_path: Path) -> None:
    graph = tmp_path / "failing.yaml"
    graph.write_text(FAILING)
    nowhere = tmp_path / "mcp.json"
    nowhere.write_text(json.dumps({"mcpServers": {"ecb": ECB}}))
    answer = desk.asked_with(DESK_MCP_CONFIG=str(nowhere))("ask", QUESTION, "--graph", str(graph))
    assert answer.code == 3, answer.err
    assert "fetchTickets (jira agent) failed" in answer.out
    assert "What is missing" in answer.out


def test_the_runs_are_listed_with_their_questions(desk: DeskCommand) -> None:
    desk("ask", QUESTION)
    listed = desk.until(
        lambda told: QUESTION in [run["question"] for run in told.json], "graph", "runs", "--json"
    ).json
    assert all(run["workflow_id"].startswith("ask-") for run in listed)


def test_a_run_goes_on_from_a_node_and_what_came_before_stands(desk: DeskCommand) -> None:
    before = desk("ask", QUESTION, "--json").json
    answer = desk(
        "graph", "reset", before["workflow_id"], "synthesis", "--reason", "look again", "--json"
    )
    assert answer.code == 0, answer.err
    after = answer.json
    assert after["run_id"] != before["run_id"]
    assert after["summary"] == before["summary"]
    retrieved = [{r["call"]["call_id"]: r["retrieved_at"] for r in a["evidence"]}
                 for a in (before, after)]  # fmt: skip
    assert retrieved[0] == retrieved[1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ask", ""), "empty"),
        (("ask", "x" * 4_001), "4,001"),
        (("ask", QUESTION, "--param", "tickte=DESK-1"), "did you mean ticket?"),
        (("ask", QUESTION, "--param", "market=USD/JPX"), "USD/JPY"),
        (("ask", QUESTION, "--graph", "market"), "--param market"),
        (("ask", QUESTION, "--graph", "nowhere"), "tickets"),
        (("ask", QUESTION, "--as-of", "2099-01-01"), "not come"),
        (("graph", "reset", "ask-nothing", "synthesis", "--reason", "x"), "graph runs"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    desk: DeskCommand, arguments: tuple[str, ...], told: str
) -> None:
    answer = desk(*arguments)
    assert answer.code == 2, answer.err
    assert told in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""


def test_ctrl_c_detaches_and_the_same_command_comes_back(desk: DeskCommand) -> None:
    question = "Who is assigned to DESK-105?"
    said = desk.directory / "asked.err"
    process = forked_command(["ask", question], desk.variables, said.with_suffix(".out"), said)
    begun = ("begins", "done")
    eventually(lambda: any(words in said.read_text() for words in begun), "it is worked on")
    process.send_signal(signal.SIGINT)
    code = process.wait(PATIENCE_SECONDS)
    if code == 0:
        pytest.skip("it was answered before it could be stopped")
    assert code == 130
    assert f"desk ask '{question}'" in said.read_text()
    told = eventually(lambda: desk("ask", question, "--json").json, "the answer")
    assert any("Leila Haddad" in json.dumps(quotation) for quotation in told["quotations"])
