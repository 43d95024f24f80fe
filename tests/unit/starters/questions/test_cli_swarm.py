"""`desk swarm`: what an objective is started with, and what is said of one that cannot be."""

import io
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.names import WorkflowType
from desk.contracts.runs.graph import GraphStatus
from desk.contracts.runs.swarm import SwarmRequest, SwarmResult
from desk.contracts.swarm.plan import Complexity
from desk.contracts.swarm.record import TokenRecord
from desk.documents.answer.compile_answer import compile_answer
from starters.main import execute
from starters.questions.printing import lacking_lines, swarm_lines, token_words
from starters.questions.progress import PlainGraphProgress
from starters.questions.swarm.choice import (
    SwarmOptions,
    chosen_swarm,
    read_answer_within,
    swarm_run_id,
    swarm_start,
)
from starters.questions.swarm.command import forms_beginning
from starters.terminal.exit_status import ExitStatus, UsageError
from tests.support.documents.answers import ticket_record
from tests.support.processes.homes import home_settings

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
OBJECTIVE = "Is the yen carry trade unwinding?"
FILES = PublishedFiles(markdown="a.md", html="a.html", json_file="a.json")


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    return home_settings(tmp_path_factory.mktemp("home")).config


def asked(config: RunConfig, objective: str = OBJECTIVE, *, effort: str = "auto",
          as_of: str | None = None, rounds: int = 2, answer_within: str = "3d",
          memory: bool = True, about: str | None = None,
          over: str | None = None) -> SwarmRequest:  # fmt: skip
    options = SwarmOptions(
        objective, about=about, over=over, effort=effort, as_of=as_of, rounds=rounds,
        answer_within=answer_within, memory=memory,
    )  # fmt: skip
    return chosen_swarm(options, config, NOW)


def test_an_objective_is_researched_by_the_desks_rules_on_the_desks_markets(
    config: RunConfig,
) -> None:
    request = asked(config, f"  {OBJECTIVE}\n")
    assert request.query.question == OBJECTIVE
    assert (request.policy, request.markets) == (config.policy, config.markets)
    assert (request.complexity, request.as_of, request.memory) == (None, None, True)
    assert request.learn and not asked(config, memory=False).learn
    assert request.answer_within == timedelta(days=3)
    assert swarm_start(request).workflow is WorkflowType.RESEARCH_SWARM


@pytest.mark.parametrize(
    ("objective", "first", "end"),
    [
        (
            "Was the last week's move of USD/JPY out of the ordinary?",
            8,
            datetime(2026, 11, 15, 23, 59, 59),
        ),
        ("Did sterling fall this week?", 15, datetime(2026, 11, 22, 12)),
    ],
)
def test_a_week_of_a_swarm_runs_from_friday_to_friday(
    config: RunConfig, objective: str, first: int, end: datetime
) -> None:
    """A move begins at the last fixing before its window: that of the Friday."""
    window = asked(config, objective).window
    assert window is not None
    assert window.start == datetime(2026, 11, first, tzinfo=UTC)
    assert window.end == end.replace(tzinfo=UTC)


def test_as_of_the_day_that_has_not_ended_is_now(config: RunConfig) -> None:
    today = asked(config, as_of="2026-11-22")
    assert today.as_of is None and swarm_run_id(today) == swarm_run_id(asked(config))


@pytest.mark.parametrize("written", ["complex", " Complex "])
def test_how_much_an_objective_needs_can_be_said(config: RunConfig, written: str) -> None:
    assert asked(config, effort=written).complexity is Complexity.COMPLEX


def test_the_same_objective_is_one_run_however_it_is_spaced(config: RunConfig) -> None:
    one = swarm_run_id(asked(config))
    assert one == swarm_run_id(asked(config, f"Is  the yen carry\ttrade {OBJECTIVE[23:]}"))
    assert one.startswith("swarm-")
    assert len(one) == len("swarm-") + 12


def test_how_long_a_person_may_take_makes_no_other_run(config: RunConfig) -> None:
    assert swarm_run_id(asked(config)) == swarm_run_id(asked(config, answer_within="1h"))


def test_what_changes_the_answer_makes_another_run(config: RunConfig) -> None:
    requests = [
        asked(config),
        asked(config, "What drives AUD this quarter?"),
        asked(config, effort="simple"),
        asked(config, as_of="2026-10-30"),
        asked(config, rounds=1),
        asked(config, memory=False),
    ]
    assert len({swarm_run_id(request) for request in requests}) == len(requests)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"objective": ""}, "the objective is empty"),
        ({"objective": " \n"}, "desk swarm"),
        ({"objective": "x" * 4_001}, "4,001"),
        ({"objective": "What\x00?"}, "control"),
        ({"effort": "moderat"}, "did you mean moderate"),
        ({"as_of": "2027-01-01"}, "not come"),
        ({"answer_within": "soon"}, "write 3d"),
        ({"answer_within": "0d"}, "more than nothing"),
        ({"answer_within": "61d"}, "at most 60d"),
    ],
)
def test_what_cannot_be_researched_is_told_with_what_to_do(
    config: RunConfig, arguments: dict[str, str], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        asked(config, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "length"),
    [
        ("3d", timedelta(days=3)),
        ("12h", timedelta(hours=12)),
        ("90m", timedelta(minutes=90)),
        ("1.5 d", timedelta(hours=36)),
        ("2 days", timedelta(days=2)),
        ("90 minutes", timedelta(minutes=90)),
    ],
)
def test_a_length_of_time_is_read_short_and_long(written: str, length: timedelta) -> None:
    assert read_answer_within(written) == length


def test_nothing_is_started_for_a_wrong_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DESK_HOME", str(tmp_path / "home"))
    assert execute(["swarm", OBJECTIVE, "--effort", "huge"]) == ExitStatus.USAGE
    assert "auto, simple, moderate, complex" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()


def result(**more: object) -> SwarmResult:
    return SwarmResult.model_validate(
        {
            "outcome": Outcome.COMPLETE, "files": FILES, "summary": "So.", "rounds": 2,
            "seconds": 1.0, "tokens": TokenRecord(read=1_000, alone=3_500, leader=200, raw=900),
            **more,
        }
    )  # fmt: skip


def test_the_tokens_are_told_beside_those_of_one_agent() -> None:
    words = token_words(result().tokens)
    assert "1,000 read from tools" in words
    assert "one agent alone would have read 3,500 (3.5 times as many)" in words
    assert "the leader saw 200 of 900" in words
    assert "models" not in words
    assert "models used 12" in token_words(TokenRecord(used=12))


@pytest.mark.parametrize("used", [0, 12])
def test_the_tokens_are_told_only_where_a_model_was_at_work(used: int) -> None:
    tokens = TokenRecord(read=5_591, alone=4_999, used=used)
    told = any(line.startswith("Tokens") for line in swarm_lines(result(tokens=tokens), None))
    assert told == bool(used)


def test_the_hypotheses_that_wait_are_told_with_the_command_that_lists_them() -> None:
    lines = list(swarm_lines(result(hypotheses=("swarm-1/hypothesis/a",)), None))
    assert "Rounds    2" in lines
    assert any("1 hypothesis waits" in line and "desk hypotheses list" in line for line in lines)
    assert not any("Waiting" in line for line in swarm_lines(result(), None))


def test_a_package_that_is_missing_is_told_with_the_one_command_that_installs_it() -> None:
    told = "indicators of USD/JPY: TA-Lib is not installed; run `make install-swarm`"
    lacking = compile_answer(ticket_record(), finished_at=NOW).model_copy(
        update={"missing": (told, "no news", told)}
    )
    (line,) = lacking_lines(lacking)
    assert "`make install-swarm` in a checkout" in line
    assert "`pip install 'research-desk[swarm]'`" in line


def test_a_run_that_waits_for_a_person_says_where_the_case_is() -> None:
    waiting = GraphStatus(
        question=OBJECTIVE, graph="swarm", phase=Phase.AWAITING_PERSON, as_of=NOW,
        started_at=NOW, deadline=NOW, nodes=(),
    )  # fmt: skip
    stream = io.StringIO()
    progress = PlainGraphProgress(stream)
    progress.update(waiting)
    progress.update(waiting)
    assert stream.getvalue().count("`desk escalations list`") == 1


def test_a_form_that_is_named_is_carried_along_and_another_run(config: RunConfig) -> None:
    named = asked(config, about="carry")
    assert named.query.parameters == {"about": "carry"}
    assert swarm_run_id(named) != swarm_run_id(asked(config))


def test_the_form_that_is_nearest_is_taken_and_said_to_be(config: RunConfig) -> None:
    taken = asked(config, "Is USD/JPY overbought?")
    assert taken.query.parameters == {"about": "overbought", "taken": "nearest"}


def test_a_span_is_carried_along_and_makes_another_run(config: RunConfig) -> None:
    over = asked(config, about="cheap", over="1y")
    assert over.query.parameters == {"about": "cheap", "over": "one year"}
    ids = {swarm_run_id(asked(config, about="cheap", over=each)) for each in (None, "1y", "2y")}
    assert len(ids) == 3
    assert swarm_run_id(over) == swarm_run_id(asked(config, about="cheap", over="1 year"))


@pytest.mark.parametrize(
    ("form", "over", "told"),
    [
        ("overbought", "1y", "--about overbought takes no --over; these forms do: dear, cheap"),
        ("cheap", "soon", "--over: 'soon' is no length of time; write 1y, 6m"),
    ],
)
def test_a_span_that_a_form_cannot_take_is_told(
    config: RunConfig, form: str, over: str, told: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        asked(config, about=form, over=over)


def test_an_objective_of_no_form_has_the_nearest_ones_and_its_day(config: RunConfig) -> None:
    open_ = asked(config, "What would tariffs do to the Canadian dollar?", as_of="2026-10-30")
    assert set(open_.query.parameters) == {"nearest", "as_of"}


def test_a_form_that_there_is_not_is_answered_with_those_that_there_are(config: RunConfig) -> None:
    with pytest.raises(UsageError, match=r"there are .*overbought.*; did you mean overbought"):
        asked(config, about="overbougt")


def test_the_shell_completes_forms() -> None:
    assert [name for name, _ in forms_beginning("peg")] == ["peg-holds", "peg-edge"]
