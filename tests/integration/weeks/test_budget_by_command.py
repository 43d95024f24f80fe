"""A budget through the command, against a Messages API of another's: what is asked, what is told,
and what is spent."""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.models.model_server import ModelServer, model_server
from tests.support.models.model_week import KEY, USED, Scripted
from tests.support.processes.command import Answer, DeskCommand
from tests.support.processes.homes import PROJECT

MARKETS = ("USD/JPY", "JP")
CHEAPER = "claude-haiku-5-5"
UNHEARD_OF = "claude-unheard-of-9"


class Up(NamedTuple):
    """A desk that is up, with a key, and the model that it asks."""

    command: DeskCommand
    model: ModelServer


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    folder = tmp_path_factory.mktemp("desk")
    (folder / "model").mkdir()
    with model_server(folder / "model", Scripted().fixtures(*MARKETS)) as model:
        command = DeskCommand(folder, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=model.url)
        with command.up():
            yield Up(command, model)


class Desk:
    """That desk, asked with a budget for a week that no other test runs, and what became of it."""

    def __init__(self, up: Up, week: str, **environment: str) -> None:
        self.command = up.command.asked_with(**environment)
        self.week = week
        self._model = up.model
        self._asked_before = len(up.model.asked)

    def run(self) -> Answer:
        """Run the week; it must end well."""
        done = self.command("run", "--week", self.week, "--markets", ",".join(MARKETS))
        assert done.code == 0, done.err
        return done

    @property
    def asked(self) -> list[dict[str, Any]]:
        """What the model was asked for this week."""
        return self._model.asked[self._asked_before :]

    def printed(self, kind: str) -> str:
        """The report in one of its forms."""
        (path,) = (self.command.directory / "reports" / "weekly").glob(f"{self.week}-*.r1.{kind}")
        return path.read_text()

    @property
    def report(self) -> dict[str, Any]:
        """The report as data."""
        found: dict[str, Any] = json.loads(self.printed("json"))
        return found

    @property
    def remarks(self) -> dict[str, str | None]:
        """What the agents did with less than planned, by market and task."""
        sections = ((m["market"], line) for m in self.report["markets"] for line in m["agents"])
        return {f"{market} {line['task_type']}": line["remark"] for market, line in sections}


def desk_file(directory: Path, *lines: tuple[str, str]) -> str:
    """A copy of the project's `desk.toml` with some of its lines replaced."""
    text = (PROJECT / "desk.toml").read_text()
    for old, new in lines:
        assert text.count(old) == 1, f"desk.toml no longer has the one line {old!r}"
        text = text.replace(old, new)
    path = directory / "desk.toml"
    path.write_text(text)
    return str(path)


def test_a_small_budget_holds_and_the_report_says_what_it_cost_the_work(up: Up) -> None:
    desk = Desk(up, "2026-W44", DESK_BUDGET_USD="0.03")
    done, asked = desk.run(), desk.asked
    assert "at most $0.03" in done.err
    assert {entry["model"] for entry in asked} == {CHEAPER}
    spent = Decimal(desk.report["usage"]["cost_usd"])
    assert 0 < spent <= Decimal("0.03")
    assert desk.report["usage"]["input_tokens"] == USED["input_tokens"] * len(asked)
    words = "a call of claude-sonnet-5-5 could cost more than is left for it"
    assert all(words in (remark or "") for remark in desk.remarks.values())
    for kind in ("md", "html"):
        assert words in desk.printed(kind)
    told = f"${spent:.4f}, of at most $0.03"
    desk.command.until(lambda status: told in status.out, "status", "--week", desk.week)


def test_with_an_empty_budget_no_model_is_asked(up: Up) -> None:
    desk = Desk(up, "2026-W43", DESK_BUDGET_TOKENS="0")
    desk.run()
    assert desk.asked == []
    assert desk.report["usage"]["model"] == "builtin"
    instead = "the built-in analyst delivered instead"
    assert all(instead in (remark or "") for remark in desk.remarks.values())
    for kind in ("md", "html"):
        assert instead in desk.printed(kind)


def test_a_model_of_unknown_price_is_not_paid_from_money(up: Up, tmp_path: Path) -> None:
    cheaper = ('cheaper_model = "claude-haiku-5-5"', 'cheaper_model = "claude-unheard-of-8"')
    configured = desk_file(tmp_path, cheaper)
    desk = Desk(up, "2026-W42", CLAUDE_MODEL_EXECUTION=UNHEARD_OF, DESK_CONFIG=configured)
    desk.run()
    assert {entry["model"] for entry in desk.asked} == {"claude-opus-5-5"}
    for remark in desk.remarks.values():
        assert f"the price of {UNHEARD_OF} is not known" in (remark or "")
        assert "the built-in analyst delivered instead" in (remark or "")


def test_a_model_of_unknown_price_gives_way_to_the_cheaper_one(up: Up) -> None:
    desk = Desk(up, "2026-W41", CLAUDE_MODEL_EXECUTION=UNHEARD_OF)
    desk.run()
    assert {entry["model"] for entry in desk.asked} == {"claude-opus-5-5", CHEAPER}
    assert f"the price of {UNHEARD_OF} is not known" in desk.printed("md")


def test_where_only_tokens_are_limited_an_unknown_price_is_counted(up: Up, tmp_path: Path) -> None:
    desk = Desk(
        up,
        "2026-W40",
        CLAUDE_MODEL_EXECUTION=UNHEARD_OF,
        DESK_BUDGET_TOKENS="5000000",
        DESK_CONFIG=desk_file(tmp_path, ("\nusd = 20\n", "\n")),
    )
    done = desk.run()
    calls = sum(entry["model"] == UNHEARD_OF for entry in desk.asked)
    assert "at most 5,000,000 tokens" in done.err
    assert calls == len(desk.remarks)
    assert desk.report["usage"]["unpriced_calls"] == calls
    assert f"{calls} calls of unknown price" in desk.printed("md")
    assert set(desk.remarks.values()) == {None}
