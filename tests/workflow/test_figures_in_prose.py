"""What happens to an agent that writes figures which are no claims."""

from datetime import date
from pathlib import Path

from temporalio.client import Client

from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import AgentLimits, TaskType
from desk.contracts.findings.results import EventType, Impact, MarketEvent
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.report import MarketReport
from desk.programs.week.document.json_form import from_json
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.scripted import ScriptedAnalyst, finding, gives_up

SUPPORTED = "USD/JPY ended the week at [[USD/JPY:last]]."
INVENTED = "USD/JPY traded at 163.41 on Thursday."


def telling(request: TurnRequest, prose: str) -> Turn:
    """A finding with one event in these words."""
    result = finding(request)
    event = MarketEvent(
        event_id="USD/JPY/fx_movement/2026-10-30",
        event_type=EventType.FX_MOVEMENT,
        market="USD/JPY",
        currency_pair="USD/JPY",
        event_date=date(2026, 10, 30),
        description=prose,
        impact=Impact.LOW,
        claims=("USD/JPY:last",),
    )
    return Turn(result=result.model_copy(update={"events": (event,)}))


def researches(request: TurnRequest) -> bool:
    """Whether it is the research agent's turn to deliver."""
    return request.assignment.task_type is TaskType.RESEARCH_FX and bool(request.exchanges)


async def published(client: Client, directory: Path, analyst: ScriptedAnalyst) -> MarketReport:
    """The section of USD/JPY in the report of a week with that analyst."""
    async with desk_workers(client, directory, analyst=analyst):
        result = await (await start_week(client, desk_config(pair("USD/JPY")))).result()
    assert result.outcome is Outcome.COMPLETE
    return from_json(Path(result.files.json_file).read_text()).markets[0]


async def test_an_invented_figure_comes_back_with_its_reason_and_can_be_mended(
    client: Client, tmp_path: Path
) -> None:
    told: list[str] = []

    def mends(request: TurnRequest) -> Turn | None:
        if not researches(request):
            return None
        told.extend(figure.written for figure in request.rejected)
        return telling(request, SUPPORTED if request.rejected else f"{SUPPORTED} {INVENTED}")

    market = await published(client, tmp_path, ScriptedAnalyst(mends))
    assert told == ["163.41"]
    assert [event.text for event in market.events] == ["USD/JPY ended the week at 100.00."]
    assert market.dropped == ()


async def test_a_sentence_that_is_not_mended_is_dropped_and_the_report_says_so(
    client: Client, tmp_path: Path
) -> None:
    turns: list[int] = []

    def stubborn(request: TurnRequest) -> Turn | None:
        if not researches(request):
            return None
        turns.append(len(request.rejected))
        return telling(request, f"{SUPPORTED} {INVENTED}")

    market = await published(client, tmp_path, ScriptedAnalyst(stubborn))
    assert turns == [0, 1]
    assert [event.text for event in market.events] == ["USD/JPY ended the week at 100.00."]
    assert len(market.dropped) == 1
    assert "163.41" not in market.model_dump_json()


async def test_an_agent_that_invents_another_figure_each_time_ends_at_its_turn_limit(
    client: Client, tmp_path: Path
) -> None:
    def inventive(request: TurnRequest) -> Turn | None:
        if not researches(request):
            return None
        attempt = int(request.rejected[0].written.split(".")[0]) if request.rejected else 160
        return telling(request, f"{SUPPORTED} USD/JPY traded at {attempt + 1}.41 on Thursday.")

    analyst = ScriptedAnalyst(inventive)
    market = await published(client, tmp_path, analyst)
    assert analyst.taken["research_agent_1:USD/JPY/research_fx"] == AgentLimits().max_turns
    assert [event.text for event in market.events] == ["USD/JPY ended the week at 100.00."]
    assert len(market.dropped) == 1


async def test_an_agent_that_gives_up_mending_loses_the_sentence_and_not_its_work(
    client: Client, tmp_path: Path
) -> None:
    def gives_in(request: TurnRequest) -> Turn | None:
        if not researches(request):
            return None
        return (
            gives_up(request) if request.rejected else telling(request, f"{SUPPORTED} {INVENTED}")
        )

    market = await published(client, tmp_path, ScriptedAnalyst(gives_in))
    assert [event.text for event in market.events] == ["USD/JPY ended the week at 100.00."]
    assert [line.delivered for line in market.agents] == [True, True]


async def test_a_typed_figure_is_bound_to_no_claim_and_the_writer_hears_which_prints_it(
    client: Client, tmp_path: Path
) -> None:
    told: list[str] = []

    def types_it(request: TurnRequest) -> Turn | None:
        told.extend(figure.reason for figure in request.rejected)
        written = SUPPORTED if request.rejected else "USD/JPY ended the week at 100.00."
        return telling(request, written) if researches(request) else None

    market = await published(client, tmp_path, ScriptedAnalyst(types_it))
    (reason,) = told
    assert "[[USD/JPY:last]] prints 100.00" in reason
    assert [event.description for event in market.events] == [SUPPORTED]


async def test_more_invented_figures_than_a_request_holds_do_not_stop_the_market(
    client: Client, tmp_path: Path
) -> None:
    many = " ".join(f"It was at {130 + n}.41 on Monday." for n in range(120))

    def floods(request: TurnRequest) -> Turn | None:
        return telling(request, f"{SUPPORTED} {many}") if researches(request) else None

    market = await published(client, tmp_path, ScriptedAnalyst(floods))
    assert [event.text for event in market.events] == ["USD/JPY ended the week at 100.00."]
