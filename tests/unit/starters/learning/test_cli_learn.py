"""`desk learn` and `desk scorecard` as they are printed; asking is another test's."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from desk.contracts.learning.lessons import Advice, AgentRecord, StanceMonitor
from desk.contracts.learning.record import LearnedView
from desk.contracts.names import AgentId
from desk.learning.learned.state import Learned
from desk.platform.settings import Settings
from starters.learning.learn import learned_lines
from starters.learning.scorecard import DeskScorecard, scorecard_lines, scorecard_of
from starters.main import execute
from starters.terminal.exit_status import ExitStatus
from starters.terminal.tables import WIDTH
from tests.support.documents.advised import AS_OF, sample_advice, sample_view
from tests.support.processes.homes import home_environment
from tests.support.runs.learning import fixing, forecast, lesson, question, use

LONG = sample_view(
    patterns=tuple(
        each.model_copy(update={"name": f"{each.name}{'x' * 120}"[:200], "words": "w" * 300})
        for each in sample_view().patterns
    )
)
EMPTY = LearnedView(advice=Advice(as_of=AS_OF))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which no server runs."""
    for name, value in home_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.fixture
def known(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[LearnedView | None]:
    """What the learning system answers: the sample, unless a test puts something else first; of one
    market its forecasts."""
    answers: list[LearnedView | None] = [sample_view()]

    def answer(settings: Settings, week: str | None, market: str | None = None) -> object:
        view = answers[0]
        if view is None or market is None:
            return view
        own = tuple(one for one in view.scored if one.made.market == market)
        return view.model_copy(update={"scored": own})

    for module in ("starters.learning.learn", "starters.learning.scorecard"):
        monkeypatch.setattr(f"{module}.learned", answer)
    return answers


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("view", [sample_view(), LONG, EMPTY], ids=["sample", "long", "empty"])
def test_every_line_fits_eighty_columns_and_acts_on_no_terminal(view: LearnedView) -> None:
    lines = [*learned_lines(view), *scorecard_lines(scorecard_of(view, None))]
    assert [line for line in lines if len(line) > WIDTH] == []
    assert [line for line in lines if not line.isprintable()] == []


def test_what_was_learned_is_told_with_what_to_do_and_why() -> None:
    told = "\n".join(learned_lines(sample_view()))
    assert "learned from 11 runs of weeks before 21 Sep 2026 06:00 UTC, whenever" in told
    assert "prefer_fallback:reuters: ask reuters after the others for news search" in told
    raised = "raise_timeout:reuters: give every call 45 s, because of reuters.get_market_news"
    assert raised in " ".join(told.split())
    assert "5 of 8 calls of reuters got no answer: 503 Service Unavailable" in told
    cells = [line.split() for line in told.splitlines()]
    assert ["coverage", "94.7", "%", "92.0", "%", "better"] in cells
    assert ["2026-W37", "36/38", "4", "245", "3", "221", "25", "0", "0"] in cells
    assert ["R1", "ecb.get_historical", "264", "1", "12", "250", "20"] in cells


def test_before_the_first_run_nothing_is_said_to_be_getting_better() -> None:
    learned = Learned()
    learned.take(lesson(5))
    told = "\n".join(learned_lines(learned.view(question(2))))
    assert "learned from 0 runs" in told
    assert "getting better" not in told
    assert "getting better" in "\n".join(learned_lines(learned.view(question(9))))


def test_two_measures_that_are_told_alike_are_not_judged() -> None:
    def weeks(seconds: float) -> list[str]:
        learned = Learned()
        for week in range(8):
            took = 0.1104 if week < 4 else seconds
            learned.take(lesson(week, tools=(use("ecb", timed=1, seconds=took),)))
        lines = map(str.split, learned_lines(learned.view(question(9))))
        return next(line for line in lines if line[:1] == ["milliseconds"])[3:]

    assert weeks(0.1098) == ["110", "110", "–"]
    assert weeks(0.1121) == ["112", "110", "worse"]
    assert weeks(0.1081) == ["108", "110", "better"]


@pytest.mark.usefixtures("terminal")
def test_what_models_cost_is_told_of_their_tools_and_of_the_agents() -> None:
    learned, cost = Learned(), Decimal("0.0123")
    agents = (
        AgentRecord(
            agent=AgentId.RESEARCH_AGENT_1, tasks=3, delivered=2, turns=9, cost_usd=Decimal("60")
        ),
        AgentRecord(agent=AgentId.VALIDATOR, tasks=1, delivered=1, turns=2, cost_usd=Decimal(0)),
    )
    tools = (use("ecb", cost_usd=cost), use("an_awfully_long_name_of_a_server"))
    for week in range(2):
        learned.take(lesson(week, tools=tools, agents=agents))
    lines = list(learned_lines(learned.view(question(4))))
    assert [line for line in lines if len(line) > WIDTH] == []
    cells = [line.split() for line in lines]
    assert ["R1", "ecb.get_quote", "20", "0", "0", "0", "–", "$0.0246"] in cells
    assert ["R1", "6", "4", "18", "$120.00"] in cells
    assert ["V", "2", "2", "4", "–"] in cells


def test_a_full_record_says_that_nothing_older_is_kept() -> None:
    lines = list(learned_lines(LearnedView(advice=Advice(as_of=AS_OF, full=True))))
    assert "Nothing from before 21 Sep 2026 06:00 UTC is kept" in lines[2]
    assert max(map(len, lines)) <= WIDTH
    assert not any("is kept" in line for line in learned_lines(EMPTY))


def test_of_many_patterns_the_first_are_told_and_the_others_counted() -> None:
    (source, *_) = sample_view().patterns
    many = tuple(source.model_copy(update={"name": f"source{n}"}) for n in range(9))
    told = "\n".join(learned_lines(sample_view(patterns=many)))
    assert "by source (and 4 more)" in told
    assert "source4" in told and "source5" not in told


def test_the_scorecard_has_its_rows_its_calibration_and_its_weights() -> None:
    card = sample_advice().scorecard
    assert card is not None
    lines = list(scorecard_lines(scorecard_of(sample_view(), None)))
    told = "\n".join(lines)
    for row in card.rows:
        name = {"all": "all forecasts", "research_agent_1": "research agent 1"}.get(row.of, row.of)
        line = next(line for line in lines if line.startswith(f"  {name} "))
        assert f"{row.hits} of {row.decided}" in line and f"{row.brier:.3f}" in line
    start = next(place for place, line in enumerate(lines) if line.startswith("calibration"))
    bars = lines[start + 2 : start + 2 + len(card.bins)]
    for each, bar in zip(card.bins, bars, strict=True):
        assert f"{each.rose / each.count:.1%}" in bar and f"{each.count}" in bar
        assert bar.count("│") == 1
    assert "× 1.12  from 240 outcomes" in told
    assert "workflow learning-system" in told.replace("\n    ", " ")


def test_a_one_sided_stance_is_told() -> None:
    card = sample_advice().scorecard
    assert card is not None
    lean = StanceMonitor(forecasts=100, up=80, one_sided="80 of the last 100 forecasts say up")
    advice = sample_advice(scorecard=card.model_copy(update={"monitor": lean}))
    found = scorecard_of(sample_view(advice=advice), None)
    assert "One-sided: 80 of the last 100 forecasts say up." in list(scorecard_lines(found))
    assert "One-sided" not in "\n".join(scorecard_lines(scorecard_of(sample_view(), None)))


def test_one_market_has_its_own_row_its_forecasts_and_no_weights() -> None:
    """Of a record so long that one answer does not show all of it: 110 weeks of 19 pairs."""
    pairs = ("USD/JPY", *(f"USD/{chr(code)}XX" for code in range(ord("A"), ord("S"))))
    learned = Learned()
    for week in range(110):
        made = tuple(forecast(week, pair) for pair in pairs)
        learned.take(lesson(week, forecasts=made))
        learned.fix([fixing(each, "151.00" if week % 2 else "149.00") for each in made])
    asked = question(112, market="USD/JPY")
    found = scorecard_of(learned.view(asked), "USD/JPY")
    card = found.scorecard
    assert [(row.of, row.scored, row.hits) for row in card.rows] == [("USD/JPY", 109, 54)]
    assert [(each.count, each.rose) for each in card.bins] == [(109, 54)]
    assert (card.open, card.monitor.forecasts) == (1, 100)
    assert {each.made.market for each in found.scored} == {"USD/JPY"}
    assert (len(found.scored), found.weights, found.more_scored) == (109, (), 0)
    told = list(scorecard_lines(found))
    assert told[0].startswith("forecasts of USD/JPY as of")
    assert "Not counted: 1 forecast not due yet." in told


def test_a_market_without_a_forecast_says_so() -> None:
    view = Learned().view(question(3, market="EUR/CHF"))
    told = list(scorecard_lines(scorecard_of(view, "EUR/CHF")))
    assert "  none has an outcome yet" in told


@pytest.mark.parametrize("command", ["learn", "scorecard"])
def test_before_the_first_run_it_says_so_and_how_to_begin(
    known: list[LearnedView | None], capsys: pytest.CaptureFixture[str], command: str
) -> None:
    known[0] = None
    assert execute([command]) == ExitStatus.COMPLETE
    told = capsys.readouterr().out
    assert told.startswith("Nothing has been learned yet") and "desk backfill" in told
    assert all(len(line) <= WIDTH for line in told.splitlines())
    assert execute([command, "--json"]) == ExitStatus.COMPLETE
    assert json.loads(capsys.readouterr().out) is None


def test_the_json_holds_everything(
    known: list[LearnedView | None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(["learn", "--json"]) == ExitStatus.COMPLETE
    assert LearnedView.model_validate_json(capsys.readouterr().out) == known[0]
    assert execute(["scorecard", "--json", "--market", "usdjpy"]) == ExitStatus.COMPLETE
    found = DeskScorecard.model_validate_json(capsys.readouterr().out)
    assert (found.market, len(found.scored)) == ("USD/JPY", 12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["learn", "--week", "44"], "'44' is not a week"),
        (["scorecard", "--as-of", "2099-W01"], "2099-W01 is not over"),
        (["scorecard", "--market", "USD/JPX"], "no market 'USD/JPX'; nearest: USD/JPY"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_started(
    home: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert execute(arguments) == ExitStatus.USAGE
    assert says in capsys.readouterr().err
    assert not (home / "home" / "temporal.db").exists()
