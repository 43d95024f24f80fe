"""A budget through the command, against a Messages API of another's: what is asked, what is told,
and what is spent."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Answer, DeskCommand
from tests.support.homes import PROJECT
from tests.support.model_server import ModelServer, model_server
from tests.support.model_week import KEY, LAST_WEEK, USED, Scripted

MARKETS = ("USD/JPY", "JP")
RUN = ("run", "--week", LAST_WEEK, "--markets", ",".join(MARKETS))
CHEAPER = "claude-haiku-5-5"
UNHEARD_OF = "claude-unheard-of-9"


class Desk:
    """A desk with a key and a budget, and what became of its run."""

    def __init__(self, directory: Path, server: ModelServer, **environment: str) -> None:
        self.folder = directory / "reports" / "weekly"
        self.command = DeskCommand(
            directory, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.url, **environment
        )

    def run(self) -> Answer:
        """Run the week; it must end well."""
        done = self.command(*RUN)
        assert done.code == 0, done.err
        return done

    def printed(self, kind: str) -> str:
        """The report in one of its forms."""
        (path,) = self.folder.glob(f"*.r1.{kind}")
        return path.read_text()

    @property
    def report(self) -> dict[str, Any]:
        """The report as data."""
        found: dict[str, Any] = json.loads(self.printed("json"))
        return found

    @property
    def remarks(self) -> dict[str, str | None]:
        """What the agents did in a lesser way, by market and task."""
        sections = ((m["market"], line) for m in self.report["markets"] for line in m["agents"])
        return {f"{market} {line['task_type']}": line["remark"] for market, line in sections}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model").mkdir()
    return tmp_path / "model"


def desk_file(directory: Path, *lines: tuple[str, str]) -> str:
    """A copy of the project's `desk.toml` with some of its lines replaced."""
    text = (PROJECT / "desk.toml").read_text()
    for old, new in lines:
        assert text.count(old) == 1, f"desk.toml no longer has the one line {old!r}"
        text = text.replace(old, new)
    path = directory / "desk.toml"
    path.write_text(text)
    return str(path)


def test_a_small_budget_holds_and_the_report_says_what_it_cost_the_work(
    tmp_path: Path, folder: Path
) -> None:
    with model_server(folder, Scripted().fixtures(*MARKETS)) as server:
        desk = Desk(tmp_path, server, DESK_BUDGET_USD="0.03")
        done = desk.run()
        asked = server.asked
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
    desk.command.until(lambda status: told in status.out, "status", "--week", LAST_WEEK)


def test_with_an_empty_budget_no_model_is_asked(tmp_path: Path, folder: Path) -> None:
    with model_server(folder, Scripted().fixtures(*MARKETS)) as server:
        desk = Desk(tmp_path, server, DESK_BUDGET_TOKENS="0")
        desk.run()
        assert server.asked == []
    assert desk.report["usage"]["model"] == "builtin"
    instead = "the built-in analyst delivered instead"
    assert all(instead in (remark or "") for remark in desk.remarks.values())
    for kind in ("md", "html"):
        assert instead in desk.printed(kind)


def test_a_model_of_unknown_price_is_not_paid_from_money(tmp_path: Path, folder: Path) -> None:
    cheaper = ('cheaper_model = "claude-haiku-5-5"', 'cheaper_model = "claude-unheard-of-8"')
    with model_server(folder, Scripted().fixtures(*MARKETS)) as server:
        desk = Desk(
            tmp_path,
            server,
            CLAUDE_MODEL_EXECUTION=UNHEARD_OF,
            DESK_CONFIG=desk_file(folder, cheaper),
        )
        desk.run()
        assert {entry["model"] for entry in server.asked} == {"claude-opus-5-5"}
    for remark in desk.remarks.values():
        assert f"the price of {UNHEARD_OF} is not known" in (remark or "")
        assert "the built-in analyst delivered instead" in (remark or "")


def test_a_model_of_unknown_price_gives_way_to_the_cheaper_one(
    tmp_path: Path, folder: Path
) -> None:
    with model_server(folder, Scripted().fixtures(*MARKETS)) as server:
        desk = Desk(tmp_path, server, CLAUDE_MODEL_EXECUTION=UNHEARD_OF)
        desk.run()
        assert {entry["model"] for entry in server.asked} == {"claude-opus-5-5", CHEAPER}
    assert f"the price of {UNHEARD_OF} is not known" in desk.printed("md")


def test_where_only_tokens_are_limited_an_unknown_price_is_counted(
    tmp_path: Path, folder: Path
) -> None:
    with model_server(folder, Scripted().fixtures(*MARKETS)) as server:
        desk = Desk(
            tmp_path,
            server,
            CLAUDE_MODEL_EXECUTION=UNHEARD_OF,
            DESK_BUDGET_TOKENS="5000000",
            DESK_CONFIG=desk_file(folder, ("\nusd = 20\n", "\n")),
        )
        done = desk.run()
        calls = sum(entry["model"] == UNHEARD_OF for entry in server.asked)
    assert "at most 5,000,000 tokens" in done.err
    assert calls == len(desk.remarks)
    assert desk.report["usage"]["unpriced_calls"] == calls
    assert f"{calls} calls of unknown price" in desk.printed("md")
    assert set(desk.remarks.values()) == {None}
