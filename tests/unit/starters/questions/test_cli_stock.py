"""`desk stock`: what an episode is started with, and what is said of one that cannot be."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from desk.contracts.agents.config import RunConfig
from desk.contracts.episode import stock
from desk.contracts.episode.actions import StockAction
from desk.contracts.names import WorkflowType
from desk.contracts.runs.episode import StockRequest
from desk.documents.answer.publishing import answer_files
from desk.programs.week.archive.retention import is_answer
from starters.main import execute
from starters.operations.dead_letters import check_can_be_reset
from starters.questions.stock.choice import StockOptions, chosen_stock, stock_run_id, stock_start
from starters.terminal import options
from starters.terminal.exit_status import ExitStatus, UsageError
from tests.support.processes.homes import home_settings

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    return home_settings(tmp_path_factory.mktemp("home")).config


def asked(config: RunConfig, symbol: str = "NVDA", *, as_of: str | None = None,
          steps: str | None = None, weeks: int = 4, cost: str = "0.10", most_steps: int = 20,
          memory: bool = True) -> StockRequest:  # fmt: skip
    options = StockOptions(
        symbol, as_of=as_of, steps=steps, weeks=weeks, cost=cost, most_steps=most_steps,
        memory=memory,
    )  # fmt: skip
    return chosen_stock(options, config, NOW)


def test_a_symbol_is_researched_by_the_desks_rules_with_what_is_known_now(
    config: RunConfig,
) -> None:
    request = asked(config, " nvda ")
    assert request.symbol == "NVDA"
    assert request.policy == config.policy
    assert (request.steps, request.as_of, request.memory) == ((), None, True)
    assert stock_start(request, NOW).workflow is WorkflowType.STOCK_RESEARCH


def test_without_memory_the_learning_system_is_told_nothing(config: RunConfig) -> None:
    assert asked(config).learn
    assert not asked(config, memory=False).learn


def test_a_day_stands_for_its_end_so_that_its_close_is_known(config: RunConfig) -> None:
    known = datetime(2024, 6, 12, 22, tzinfo=UTC)
    for day in ("2024-06-12", "2024-01-12", "20240612", "2024-W24-3"):
        as_of = asked(config, as_of=day).as_of
        assert as_of is not None
        assert as_of.astimezone(UTC).time() >= known.time()
        assert as_of.date() == date.fromisoformat(day)


def test_steps_are_taken_as_they_are_written_in_any_case(config: RunConfig) -> None:
    request = asked(config, steps="fetch-news, Run TA Basic,FETCH_NEWS,")
    news, basic = StockAction.FETCH_NEWS, StockAction.RUN_TA_BASIC
    assert request.steps == (news, basic, news)


@pytest.mark.parametrize("written", ["0.1", "0.10", " 0.10 %", "1e-1"])
def test_a_cost_is_the_same_however_it_is_written(config: RunConfig, written: str) -> None:
    request = asked(config, cost=written)
    assert str(request.cost) == "0.10"
    assert stock_run_id(request, NOW) == stock_run_id(asked(config), NOW)


def test_a_fine_cost_keeps_its_digits(config: RunConfig) -> None:
    assert asked(config, cost="0.125").cost == Decimal("0.125")


def test_the_same_episode_is_one_run_however_its_instant_is_written(config: RunConfig) -> None:
    london = stock_run_id(asked(config, as_of="2024-06-12T23:30:00+01:00"), NOW)
    assert london == stock_run_id(asked(config, as_of="2024-06-12T22:30:00+00:00"), NOW)
    assert london.startswith("stock-NVDA-")
    assert len(london) == len("stock-NVDA-") + 12


def test_of_what_is_known_now_each_day_on_the_desks_clock_has_an_episode_of_its_own(
    config: RunConfig,
) -> None:
    live, past = asked(config), asked(config, as_of="2024-06-12")
    day = timedelta(days=1)
    assert stock_run_id(live, NOW) == stock_run_id(live, NOW.replace(hour=23, minute=59))
    assert stock_run_id(live, NOW) != stock_run_id(live, NOW + day)
    assert stock_run_id(past, NOW) == stock_run_id(past, NOW + day)
    tokyo = live.model_copy(update={"time_zone": "Asia/Tokyo"})
    evening = NOW.replace(hour=16)
    assert stock_run_id(tokyo, evening) == stock_run_id(tokyo, evening + day / 2)


def test_what_changes_the_episode_makes_another_run(config: RunConfig) -> None:
    requests = [
        asked(config),
        asked(config, "AAPL"),
        asked(config, as_of="2024-06-12"),
        asked(config, steps="FETCH_NEWS"),
        asked(config, steps="RUN_TA_BASIC"),
        asked(config, weeks=8),
        asked(config, cost="0.2"),
        asked(config, most_steps=9),
        asked(config, memory=False),
    ]
    assert len({stock_run_id(request, NOW) for request in requests}) == len(requests)


@pytest.mark.parametrize("symbol", ["NVDA", "^GSPC", "BRK-B", "VOD.L", "ES=F"])
def test_an_id_is_fit_for_a_file_whatever_the_symbol(config: RunConfig, symbol: str) -> None:
    run = stock_run_id(asked(config, symbol), NOW)
    files = answer_files(Path("reports"), run)
    assert Path(files.html).stem == run
    assert all(is_answer(Path(f).name) for f in (files.html, files.markdown, files.json_file))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"symbol": ""}, "no symbol"),
        ({"symbol": "NV DA"}, "such as desk stock NVDA"),
        ({"symbol": "A" * 16}, "no symbol"),
        ({"symbol": "usd/jpy"}, "`desk swarm` researches pairs"),
        ({"steps": "FETCH_NEW"}, "nearest: FETCH_NEWS"),
        ({"steps": "RUN_TA"}, "RUN_TA_BASIC"),
        ({"steps": " , "}, "names no action"),
        ({"steps": ",".join(["FETCH_NEWS"] * 31)}, "31 actions; at most 30"),
        ({"as_of": "2027-01-01"}, "not come"),
        ({"as_of": "yesterday"}, "no day and no instant"),
        ({"as_of": ""}, "no day and no instant"),
        ({"weeks": 0}, "from 1 to 52"),
        ({"weeks": 53}, "from 1 to 52"),
        ({"most_steps": 31}, "from 1 to 30"),
        ({"cost": "-0.1"}, "from 0 to 10 percent"),
        ({"cost": "11"}, "from 0 to 10 percent"),
        ({"cost": "nan"}, "no number"),
        ({"cost": "ten"}, "such as --cost 0.10"),
        ({"cost": "0.00001"}, "4 decimals at most"),
    ],
)
def test_what_cannot_be_researched_is_told_with_what_to_do(
    config: RunConfig, arguments: dict[str, str], told: str
) -> None:
    with pytest.raises(UsageError, match=told) as wrong:
        asked(config, **arguments)  # type: ignore[arg-type]
    assert "\n" not in str(wrong.value)


def test_nothing_is_started_for_a_wrong_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DESK_HOME", str(tmp_path / "home"))
    assert execute(["stock", "NVDA", "--steps", "FETCH_NEW"]) == ExitStatus.USAGE
    assert "FETCH_NEWS" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()


def test_an_episode_with_a_dead_letter_is_researched_anew_and_not_from_a_node() -> None:
    with pytest.raises(UsageError, match="`desk stock` command that began it"):
        check_can_be_reset("stock-NVDA-0123456789ab")
    check_can_be_reset("ask-0123456789ab")


def test_the_options_begin_with_what_the_contract_begins_with() -> None:
    assert options.USUAL_WEEKS == stock.USUAL_WEEKS
    assert Decimal(options.USUAL_COST) == stock.USUAL_COST
