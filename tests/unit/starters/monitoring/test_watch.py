"""What `desk watch` shows of a run: on a screen, as plain lines, and as JSON lines."""

import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from rich.console import Console
from temporalio.api.enums.v1 import PendingActivityState
from temporalio.api.failure.v1 import Failure
from temporalio.api.workflow.v1 import PendingActivityInfo

from desk.contracts.agents.search_attributes import Outcome, Phase
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import Usage
from desk.contracts.names import AgentId
from desk.contracts.runs.week import MarketState, MarketStatus, WeekStatus
from desk.platform.settings import load_settings
from starters.monitoring.watch.screen import (
    LEGEND,
    JsonDisplay,
    MarketLine,
    PlainDisplay,
    RunLine,
    ScreenChanges,
    market_line,
    money,
    screen,
    time_words,
)
from starters.monitoring.watch.snapshot import (
    AgentAtWork,
    Agents,
    RunSnapshot,
    agents_in,
)
from starters.runs.summary import PublishedWeek
from tests.support.documents.reports import sample_report
from tests.support.processes.homes import PROJECT
from tests.unit.starters.weeks.test_cli_output import FILES

MARKETS = load_settings(PROJECT, {}).config.market_names
START = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW = START + timedelta(minutes=5)
SPENT = Usage(input_tokens=9_000, output_tokens=1_000, cost_usd=Decimal("1.25"), model="m")


def at_work(
    agent: AgentId = AgentId.RESEARCH_AGENT_1,
    task: TaskType = TaskType.RESEARCH_FX,
    *,
    attempt: int = 1,
    stands_in: bool = False,
    last_failure: str | None = None,
) -> AgentAtWork:
    return AgentAtWork(
        agent=agent,
        task=task,
        turn=2,
        attempt=attempt,
        stands_in=stands_in,
        last_failure=last_failure,
    )


def look(
    busy: Mapping[str, Agents] | None = None,
    *,
    done: int = 0,
    markets: tuple[str, ...] = MARKETS,
    phase: Phase = Phase.RESEARCHING,
) -> RunSnapshot:
    """A run whose first markets are done, of which some are at work, and the others are planned."""
    busy = busy or {}

    def line(place: int, market: str) -> MarketStatus:
        if market in busy:
            due = START + timedelta(minutes=25)
            return MarketStatus(market=market, state=MarketState.RUNNING, deadline=due)
        if place < done:
            return MarketStatus(
                market=market, state=MarketState.DONE, outcome=Outcome.RESEARCHED, spent=SPENT
            )
        return MarketStatus(market=market, state=MarketState.PLANNED)

    status = WeekStatus(
        week="2026-W44",
        phase=phase,
        as_of=datetime(2026, 11, 2, 7, tzinfo=UTC),
        started_at=START,
        deadline=START + timedelta(minutes=30),
        markets=tuple(line(place, market) for place, market in enumerate(markets)),
        usage=SPENT,
    )
    return RunSnapshot("run-1", True, status, (), busy)


def drawn(
    shown: RunSnapshot, *, width: int = 80, height: int = 24, notes: tuple[str, ...] = ()
) -> str:
    console = Console(file=io.StringIO(), width=width, height=height)
    console.print(screen(shown, NOW, width=width, height=height, notes=notes))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("height", [24, 40])
@pytest.mark.parametrize("done", [0, 20, 38])
def test_every_market_of_the_desk_stands_on_one_screen(height: int, done: int) -> None:
    busy = {
        market: (at_work(attempt=12, last_failure="x" * 300), at_work(AgentId.RESEARCH_AGENT_2))
        for market in MARKETS[done:]
    }
    lines = drawn(look(busy, done=done), height=height, notes=("the server is away",)).splitlines()
    assert len(lines) < height
    assert max(map(len, lines)) <= 80
    assert [market for market in MARKETS if not any(market in line for line in lines)] == []
    assert lines[-1] == LEGEND


def test_a_market_has_its_phase_agents_tries_spending_and_time() -> None:
    busy = {
        "USD/JPY": (
            at_work(attempt=3, last_failure="the source\nhung up"),
            at_work(AgentId.RESEARCH_AGENT_2),
        )
    }
    shown = drawn(look(busy, done=1, markets=("EUR/USD", "USD/JPY", "JP")), height=40)
    done, working, planned = (line.split() for line in shown.splitlines()[2:5])
    assert done == ["✓", "EUR/USD", "researched", "$1.25"]
    assert working[:5] == ["…", "USD/JPY", "research", "R1.2×3", "R2.2"]
    assert working[5:] == ["20:00", "the", "source", "hung", "up"]
    assert planned == ["·", "JP", "planned"]
    assert "5:00 gone, 25:00 to the deadline" in shown
    assert "spent 10,000 tokens, $1.2500" in shown


def test_where_there_is_no_room_the_done_are_left_out_first() -> None:
    busy = {market: (at_work(),) for market in MARKETS[30:]}
    lines = drawn(look(busy, done=30), height=12).splitlines()
    assert len(lines) < 12
    assert all(any(market in line for line in lines) for market in busy)
    assert any(line.startswith("and ") and "more" in line for line in lines)


@pytest.mark.parametrize(
    ("agents", "phase"),
    [
        ((), "researching"),
        ((at_work(),), "researching"),
        ((at_work(AgentId.VALIDATOR, TaskType.VALIDATE),), "validating"),
        ((at_work(AgentId.RESEARCH_AGENT_2, stands_in=True),), "reassigning"),
    ],
)
def test_the_phase_of_a_market_is_that_of_who_works_on_it(agents: Agents, phase: str) -> None:
    shown = look({"USD/JPY": agents})
    assert shown.status is not None
    (status,) = (m for m in shown.status.markets if m.market == "USD/JPY")
    assert market_line(shown, shown.status, status, NOW).phase == phase


def activity(
    activity_id: str, attempt: int = 1, *, started: bool = True, failure: str = ""
) -> PendingActivityInfo:
    state = PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED
    if started:
        state = PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
    return PendingActivityInfo(
        activity_id=activity_id,
        attempt=attempt,
        state=state,
        last_failure=Failure(message=failure) if failure else None,
    )


def test_who_is_at_work_is_read_from_what_a_workflow_waits_for() -> None:
    found = agents_in(
        [
            activity("research_agent_1.research_fx.t2.quote-1", 3, failure="503"),
            activity("research_agent_1.research_fx.t2.history-1", started=False),
            activity("research_agent_2.research_rates.t1", started=False),
            activity("publish.r1"),
            activity("list_tools.ecb"),
        ]
    )
    first, second = found
    assert (first.agent, first.task, first.turn) == ("research_agent_1", "research_fx", 2)
    assert (first.attempt, first.calls, first.last_failure) == (3, 2, "503")
    assert (second.agent, second.turn, second.attempt, second.calls) == (
        "research_agent_2",
        1,
        1,
        0,
    )
    assert (first.unclaimed, second.unclaimed) == (False, True)


def test_a_program_is_told_everything_once_and_then_what_changes() -> None:
    changes = ScreenChanges("weekly-2026-W44")
    first = list(changes.news(look(markets=("USD/JPY", "JP")), NOW))
    assert [type(line) for line in first] == [RunLine, MarketLine, MarketLine]
    assert list(changes.news(look(markets=("USD/JPY", "JP")), NOW + timedelta(seconds=1))) == []
    busy = {"JP": (at_work(attempt=2),)}
    (line,) = changes.news(look(busy, markets=("USD/JPY", "JP")), NOW + timedelta(seconds=2))
    assert isinstance(line, MarketLine)
    assert (line.market, line.attempt, line.at) == ("JP", 2, NOW + timedelta(seconds=2))


def test_each_json_line_is_an_object_and_the_last_has_the_report() -> None:
    stream = io.StringIO()
    shown = JsonDisplay(stream, "weekly-2026-W44")
    shown.update(look(markets=("USD/JPY",)))
    shown.note("the server is away")
    shown.note(None)
    report = sample_report()
    shown.end(
        PublishedWeek(
            week=report.week,
            as_of=report.as_of,
            revision=1,
            coverage=report.coverage,
            files=FILES,
            workflow_id="weekly-2026-W44",
            run_id="run-1",
        ),
        before=True,
    )
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["kind"] for line in lines] == ["run", "market", "note", "note", "published"]
    assert [line["over"] for line in lines if line["kind"] == "note"] == [False, True]
    assert lines[-1]["published"]["files"]["html"] == FILES.html


def test_plain_lines_say_where_the_run_stands_and_then_what_is_new() -> None:
    stream = io.StringIO()
    shown = PlainDisplay(stream)
    markets = ("USD/JPY", "JP")
    shown.update(look(done=1, markets=markets))
    failing = {"JP": (at_work(attempt=2, last_failure="\x1b[2J503"),)}
    for _ in range(3):
        shown.update(look(failing, done=1, markets=markets))
    shown.update(look(done=2, markets=markets))
    told = [line.partition(" s  ")[2] for line in stream.getvalue().splitlines()]
    assert told == [
        "2026-W44: researching",
        "1 of 2 markets done; the week's deadline is 2026-11-21 12:30:00 UTC",
        "JP research_agent_1 turn 2, try 2: [2J503",
        "JP researched (2 of 2)",
    ]


def test_money_and_time_are_told_in_a_few_columns() -> None:
    assert [money(None), money(Usage()), money(SPENT)] == ["", "", "$1.25"]
    assert money(Usage(input_tokens=12_345)) == "12k"
    assert [time_words(s) for s in (0, 59.9, 3_600, 86_400, 6 * 86_400)] == [
        *("0:00", "0:59", "60:00", "24h", "6d"),
    ]


def test_what_those_at_work_have_spent_is_shown_before_they_are_back() -> None:
    busy = {"JP": (at_work(),)}
    shown = look(busy, done=1, markets=("USD/JPY", "JP"))._replace(
        spending={"JP": Usage(input_tokens=500, cost_usd=Decimal("0.50"))}
    )
    assert shown.status is not None
    lines = {m.market: market_line(shown, shown.status, m, NOW) for m in shown.status.markets}
    spent = lines["JP"].spent
    assert spent is not None and spent.cost_usd == Decimal("0.50")
    assert lines["USD/JPY"].spent == SPENT
    told = drawn(shown)
    assert "spent 10,500 tokens, $1.7500" in told
    assert "$0.50" in told
