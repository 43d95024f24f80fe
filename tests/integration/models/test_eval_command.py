"""`desk eval`: tasks with known answers on the real engine, and the tables of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.models.stand_in_models import KEY, MODEL, Character, stand_in
from tests.support.processes.command import Answer, DeskCommand


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> DeskCommand:
    return DeskCommand(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def table(desk: DeskCommand) -> tuple[Answer, Path, Any]:
    """A small evaluation, of a model without its key and so of the built-in analysts: what was
    said, where it stands, its table."""
    target = desk.directory / "tables" / "builtin.json"
    line = ("eval", "--suite", "ask,week,swarm,stock", "--seed", "5", "--tasks", "1")
    answer = desk(*line, "--model", MODEL, "--out", str(target))
    assert answer.code == 0, answer.err
    return answer, target, json.loads(target.read_text())


def test_every_task_ran_and_was_checked(table: tuple[Answer, Path, Any]) -> None:
    _, _, held = table
    assert held["asked"] == {"week": 1, "ask": 1, "swarm": 1, "stock": 1}
    assert all(task["checks"] and not task.get("error") for task in held["tasks"])
    assert all(task["work"]["turns"] > 0 for task in held["tasks"])


def test_a_week_says_what_is_known_of_it(table: tuple[Answer, Path, Any]) -> None:
    _, _, held = table
    week = next(line for line in held["lines"] if (line["suite"], line["kind"]) == ("week", "all"))
    assert week["accuracy"] == 1 and week["checks"] >= 15 and week["forecasts"] >= 3


def test_the_built_in_analyst_costs_nothing(table: tuple[Answer, Path, Any]) -> None:
    answer, target, held = table
    assert held["model"] == "builtin"
    assert all(float(line["usd"]) == 0 and line["tokens"] == 0 for line in held["work"])
    assert "accuracy" in answer.out and str(target) in answer.out
    assert target.with_suffix(".md").read_text().startswith("# Evaluation of builtin")


def test_an_evaluation_leaves_nothing_in_the_users_home(
    desk: DeskCommand, table: tuple[Answer, Path, Any]
) -> None:
    kept = {path.name for path in (desk.directory / "reports").glob("*")}
    assert not kept & {"answers", "weekly"}


def test_two_tables_are_held_against_each_other(
    desk: DeskCommand, table: tuple[Answer, Path, Any]
) -> None:
    _, target, _ = table
    answer = desk("eval", "compare", str(target), str(target), "--json")
    assert answer.code == 0
    assert [suite["only_first"] for suite in answer.json["suites"]] == [0, 0, 0, 0]


def test_what_a_model_was_told_and_mended_is_counted_and_paid(desk: DeskCommand) -> None:
    target = desk.directory / "tables" / "careless.json"
    line = ("eval", "--suite", "ask", "--seed", "5", "--tasks", "3", "--model", MODEL)
    with stand_in(Character.CARELESS, 5) as url:
        model = DeskCommand(desk.directory, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=url)
        answer = model(*line, "--out", str(target), "--json")
    assert answer.code == 0, answer.err
    held = answer.json
    (line_of_ask,) = held["work"]
    total = line_of_ask["total"]
    assert held["model"] == MODEL and line_of_ask["tokens"] > 0
    assert total["objected"] >= total["mended"] > 0 and 0 < float(total["cost_usd"]) < 20
    assert "invented" in verdicts(held), "it answers what has no answer"


def verdicts(held: Any) -> list[str]:
    """The verdicts of a table, check by check."""
    return [check["verdict"] for task in held["tasks"] for check in task["checks"]]


def test_a_hostile_model_mends_nothing_and_every_task_has_its_document(desk: DeskCommand) -> None:
    line = ("eval", "--suite", "ask", "--seed", "5", "--tasks", "1", "--json")
    with stand_in(Character.HOSTILE, 5) as url:
        model = DeskCommand(desk.directory, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=url)
        answer = model(*line, "--model", MODEL)
    assert answer.code == 0, answer.err
    (work,) = answer.json["work"]
    assert work["total"]["objected"] > 0 == work["total"]["mended"]
    assert "failed" not in verdicts(answer.json)
    assert KEY not in answer.out


def test_without_a_key_the_built_in_analysts_are_evaluated_and_it_is_said(
    table: tuple[Answer, Path, Any],
) -> None:
    answer, _, held = table
    assert held["model"] == "builtin" and "ANTHROPIC_API_KEY is not set" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--suite", "asks"), "did you mean ask?"),
        (("--out", "table.txt"), "end the name in .json"),
        (("compare", "one.json", "other.json"), "is missing"),
    ],
)
def test_what_cannot_be_evaluated_is_told(
    desk: DeskCommand, words: tuple[str, ...], told: str
) -> None:
    answer = desk("eval", *words)
    assert answer.code in (1, 2) and told in answer.err
