"""`desk episodes walk-forward`: the past walked from the command line."""

import json
import sys

import pytest

from starters.learning.episodes import walk_forward
from starters.main import execute
from starters.terminal.exit_status import ExitStatus

WALK = ("episodes", "walk-forward")


def test_what_was_measured_is_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*WALK, "--symbols", "fb", "--first", "2013", "--last", "2013", "--json"]
    assert execute(arguments) == ExitStatus.COMPLETE
    told = json.loads(capsys.readouterr().out)
    assert told["symbols"] == ["FB"]
    assert told["first"] >= "2013-01-01"
    assert told["last"] <= "2013-12-31"
    assert {row["of"] for row in told["policies"]} >= {"built-in", "cash"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--symbols", "NVDAA"), "nearest: NVDA"),
        (("--symbols", ","), "names no stock"),
        (("--symbols", "NV DA"), "no symbol of a stock"),
        (("--weeks", "0"), "from 1 to 52"),
        (("--cost=-1",), "from 0 to 10 percent"),
        (("--symbols", "FB", "--first", "2100"), "in those years"),
        (("--symbols", "FB", "--first", "2100"), "the prices are of 2012 to 2013"),
        (("--first", "20100"), "--first 20100: from 1970 to 2100, such as --first 2010"),
        (("--first", "0"), "--first 0: from 1970 to 2100"),
        (("--last=-1",), "--last -1: from 1970 to 2100"),
    ],
)
def test_what_cannot_be_walked_is_told_with_what_to_do(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute([*WALK, *arguments]) == ExitStatus.USAGE
    captured = capsys.readouterr()
    assert told in captured.err
    assert captured.out == ""


def test_the_walk_needs_nothing_that_the_environment_or_the_export_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("desk.training")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("gymnasium", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    arguments = [*WALK, "--symbols", "FB", "--json"]
    assert execute(arguments) == ExitStatus.COMPLETE
    assert json.loads(capsys.readouterr().out)["symbols"] == ["FB"]


def test_a_package_that_is_missing_is_told_with_the_one_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(walk_forward, "PACKAGES", ("json", "no_such_package"))
    assert execute([*WALK]) == ExitStatus.FAILED
    assert "needs no_such_package, not installed here: run `make install-swarm`" in (
        capsys.readouterr().err
    )
