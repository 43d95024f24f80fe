"""What the desk counts of a week in which things go wrong."""

from collections import Counter
from pathlib import Path

from temporalio.client import Client
from temporalio.runtime import MetricBuffer, Runtime, TelemetryConfig

from desk.contracts.agents.tasks import TaskType
from desk.contracts.findings.results import ResearchResult
from desk.contracts.names import AgentId
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.platform.mcp.tool_calling import ToolAnswer, ToolUnreachable
from desk.platform.temporal.plugin import desk_plugin
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.scripted import ScriptedAnalyst, ScriptedTools, gives_up, ordinary_turn


class Counts:
    """The sums of what was counted under a name, by some of its labels."""

    def __init__(self) -> None:
        self._buffer = MetricBuffer(100_000)
        self.runtime = Runtime(telemetry=TelemetryConfig(metrics=self._buffer))
        self._seen: list[tuple[str, float, dict[str, str]]] = []

    def of(self, name: str, *labels: str) -> dict[tuple[str, ...], float]:
        """Sums that are not zero."""
        self._seen += [
            (u.metric.name, u.value, {k: str(v) for k, v in u.attributes.items()})
            for u in self._buffer.retrieve_updates()
        ]
        sums: Counter[tuple[str, ...]] = Counter()
        for metric, value, given in self._seen:
            if metric == name:
                sums[tuple(given[label] for label in labels)] += value  # type: ignore[assignment]
        return {key: value for key, value in sums.items() if value}


async def counting(client: Client, counts: Counts, directory: Path) -> Client:
    """A second client of the same server, for workers whose metrics are kept."""
    return await Client.connect(
        client.service_client.config.target_host,
        plugins=[desk_plugin(directory / "payloads")],
        runtime=counts.runtime,
    )


async def test_failures_and_refusals_are_counted_as_what_they_were(
    client: Client, tmp_path: Path
) -> None:
    def nobody_can(request: TurnRequest) -> Turn | None:
        return gives_up(request) if request.assignment.task_id == "USD/JPY/research_fx" else None

    failures = iter([True])

    def resting(server: str, tool: str, arguments: object) -> ToolAnswer | None:
        if next(failures, False):
            raise ToolUnreachable("the source is resting")
        return None

    counts = Counts()
    worker = await counting(client, counts, tmp_path)
    config = desk_config(pair("USD/JPY"), pair("EUR/USD"))
    async with desk_workers(
        worker, tmp_path, analyst=ScriptedAnalyst(nobody_can), tools=ScriptedTools(resting)
    ):
        result = await (await start_week(client, config)).result()
    first, second = AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2
    assert result.coverage.share == 0.5
    assert counts.of("desk_dead_letters", "agent", "task_type") == {
        (first, TaskType.RESEARCH_FX): 1
    }
    assert counts.of("desk_tasks", "agent", "outcome") == {
        (AgentId.PRODUCT_MANAGER, "delivered"): 1,
        (first, "delivered"): 1,
        (first, "failed"): 1,
        (second, "failed"): 1,
        (AgentId.VALIDATOR, "delivered"): 1,
    }
    assert counts.of("desk_tool_calls", "server", "outcome") == {
        ("ecb", "unavailable"): 1,
        ("ecb", "ok"): 1,
    }
    assert counts.of("desk_reports", "outcome") == {("incomplete",): 1}
    assert counts.of("desk_report_coverage_ratio") == {(): 0.5}
    assert counts.of("desk_report_coverage_threshold_ratio") == {(): result.coverage.threshold}


async def test_only_the_whole_report_of_the_newest_week_is_gauged(
    client: Client, tmp_path: Path
) -> None:
    counts = Counts()
    worker = await counting(client, counts, tmp_path)

    def away(request: TurnRequest) -> Turn | None:
        return gives_up(request) if request.assignment.task_id == "USD/JPY/research_fx" else None

    config = desk_config(pair("USD/JPY"), pair("EUR/USD"))
    others = ({"week": "1999-W20"}, {"subset": "few"}, {"week": "2026-W43"})
    async with desk_workers(worker, tmp_path, analyst=ScriptedAnalyst(away)):
        await (await start_week(client, config)).result()
        for number, other in enumerate(others):
            one = desk_config(pair("EUR/USD" if number else "USD/JPY"))
            await (await start_week(client, one, run_id=f"other-{number}", **other)).result()
    assert counts.of("desk_reports") == {(): 4}
    assert counts.of("desk_report_coverage_ratio") == {(): 0.5}


async def test_rejected_figures_are_counted_wherever_they_were_found(
    client: Client, tmp_path: Path
) -> None:
    def reading_nothing(server: str, tool: str, arguments: object) -> ToolAnswer | None:
        return ToolAnswer(refusal="no such pair")

    def boasts(request: TurnRequest) -> Turn | None:
        if request.assignment.task_type is not TaskType.RESEARCH_FX or not request.exchanges:
            return None
        turn = ordinary_turn(request)
        assert isinstance(turn.result, ResearchResult)
        if request.rejected:
            return None
        told = turn.result.model_copy(update={"missing": ("Intervention of 987 million.",)})
        return turn.model_copy(update={"result": told})

    counts = Counts()
    worker = await counting(client, counts, tmp_path)
    async with desk_workers(
        worker, tmp_path, analyst=ScriptedAnalyst(boasts), tools=ScriptedTools(reading_nothing)
    ):
        await (await start_week(client, desk_config(pair("EUR/USD")))).result()
    assert counts.of("desk_tool_calls", "outcome") == {("refused",): 1}
    assert counts.of("desk_figures_rejected", "by") == {("prose",): 1, ("checks",): 1}
