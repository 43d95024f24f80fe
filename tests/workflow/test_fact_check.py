"""A model's answer is read a second time before it is published, against what it cites."""

from pathlib import Path

import pytest
from temporalio.client import Client

from desk.contracts.agents.config import AgentConfig
from desk.contracts.agents.tasks import TaskType
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.findings.results import Commentary, WrittenTheme
from desk.contracts.findings.verdicts import FactCheck, FactObjection
from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.turns import Turn, TurnRequest
from desk.contracts.week.report import ResearchReport
from desk.documents.answer.markdown import render_answer_markdown
from desk.programs.turns import builtin_turn
from desk.programs.week.document.json_form import from_json
from desk.programs.week.document.rendering.wording import commenting_words
from desk.trust.prose import numbered_sentences
from tests.support.fact_checks import (
    CORRECTED,
    FALSE,
    SAID,
    TRUE,
    Checks,
    Writer,
    objecting,
    written_by_model,
)
from tests.support.models.spending import MODEL, priced
from tests.support.runs.desk import desk_config, desk_workers, pair, start_week
from tests.support.runs.graphs import fork, knowing_turn, question, start_graph
from tests.support.runs.scripted import ScriptedAnalyst, gives_up


async def published(client: Client, directory: Path, writer: Writer) -> AnswerReport:
    """The answer of a graph whose synthesis is written by a model."""
    async with desk_workers(
        client, directory, analyst=ScriptedAnalyst(writer), servers=("knowledge",)
    ):
        run = await start_graph(client, written_by_model())
        result = await run.result()
    return AnswerReport.model_validate_json(Path(result.files.json_file).read_text())


async def test_an_answer_without_fault_is_read_once_and_the_answer_says_so(
    client: Client, tmp_path: Path
) -> None:
    writer = Writer(objecting())
    report = await published(client, tmp_path, writer)
    assert report.summary == f"{TRUE} {FALSE}"
    assert writer.read == [report.summary]
    assert report.fact_check
    assert (report.fact_check.sentences, report.fact_check.omitted) == (2, 0)
    assert (
        "Read a second time by a model, against what is cited: 2 sentences"
        in render_answer_markdown(report)
    )
    assert str(report.usage.cost_usd) == "0.03"


async def test_an_objection_goes_back_to_the_writer_once_and_what_it_corrects_is_read_again(
    client: Client, tmp_path: Path
) -> None:
    writer = Writer(objecting(FALSE))
    report = await published(client, tmp_path, writer)
    assert writer.told == ["no source says since when"]
    assert writer.read == [f"{TRUE} {FALSE}", f"{TRUE} {CORRECTED}"]
    assert report.summary == f"{TRUE} {CORRECTED}"
    assert report.dropped == ()


@pytest.mark.parametrize(("corrects", "read"), [(True, 2), (False, 1)])
async def test_what_is_objected_to_again_is_left_out_and_the_answer_says_so(
    client: Client, tmp_path: Path, corrects: bool, read: int
) -> None:
    """A text that the writer leaves unchanged is not read again: the same request would cost as
    much and say the same."""
    writer = Writer(objecting(FALSE, CORRECTED), corrects=corrects)
    report = await published(client, tmp_path, writer)
    assert len(writer.read) == read
    assert report.summary == TRUE
    assert report.fact_check
    assert report.fact_check.omitted == 1
    missing = render_answer_markdown(report).partition("What is missing")[2]
    assert "1 sentence was left out: a second reading" in missing


async def test_an_answer_that_its_writer_did_not_correct_is_read_without_what_was_left_out(
    client: Client, tmp_path: Path
) -> None:
    """Its writer has had its turns: what is objected to is left out at once."""
    writer = Writer(objecting(FALSE), corrects=False, writes=f"{TRUE} It was 7.25 %. {FALSE}")
    report = await published(client, tmp_path, writer)
    assert writer.read == [f"{TRUE} {FALSE}"]
    assert report.summary == TRUE
    assert "no source says since when" not in writer.told
    assert (len(report.dropped), report.fact_check and report.fact_check.omitted) == (1, 1)


async def test_an_answer_of_which_nothing_is_left_gives_way_to_the_desks_own(
    client: Client, tmp_path: Path
) -> None:
    writer = Writer(objecting(TRUE, FALSE, CORRECTED))
    report = await published(client, tmp_path, writer)
    assert report.summary == "The desk's own words."
    assert report.fact_check is None
    remark = next(line.remark for line in report.nodes if line.node == "synthesis")
    assert remark
    assert "a second reading objected to all that it wrote" in remark


def nonsense(request: TurnRequest) -> Turn:
    return Turn(said=SAID, feedback="no JSON", fault="The answer does not have the form asked for")


def too_dear(request: TurnRequest) -> Turn:
    return Turn(over_budget="a call could cost more than is left for it")


@pytest.mark.parametrize(
    ("checks", "why"),
    [
        (nonsense, "does not have the form"),
        (too_dear, "more than is left"),
        (gives_up, "the source is empty"),
    ],
)
async def test_an_answer_that_nobody_could_read_again_is_published_and_says_so(
    client: Client, tmp_path: Path, checks: Checks, why: str
) -> None:
    writer = Writer(checks)
    report = await published(client, tmp_path, writer)
    assert report.summary == f"{TRUE} {FALSE}"
    assert len(writer.read) == 1
    assert report.fact_check
    assert why in str(report.fact_check.unchecked)
    missing = render_answer_markdown(report).partition("What is missing")[2]
    assert "nobody read the words a second time" in missing


async def test_a_sentence_that_was_objected_to_is_not_published_because_nobody_reads_it_again(
    client: Client, tmp_path: Path
) -> None:
    def once(request: TurnRequest) -> Turn:
        return too_dear(request) if writer.read[1:] else objecting(TRUE, FALSE)(request)

    writer = Writer(once, writes=f"It is so. {TRUE} {FALSE}")
    report = await published(client, tmp_path, writer)
    assert writer.read == [f"It is so. {TRUE} {FALSE}", f"It is so. {TRUE} {CORRECTED}"]
    assert report.summary == "It is so."
    assert report.fact_check
    assert (report.fact_check.omitted, report.fact_check.unchecked) == (2, None)


async def commented(client: Client, directory: Path, *objected: str) -> ResearchReport:
    """The report of a week whose head a model writes, and whose check objects to these sentences
    each time."""
    read: list[Commentary] = []

    def script(request: TurnRequest) -> Turn | None:
        by = {"task_id": request.assignment.task_id}
        if request.assignment.task_type is TaskType.CHECK_FACTS:
            assert isinstance(request.text, Commentary)
            read.append(request.text)
            sentences = (each for each in numbered_sentences(request.text))
            objections = tuple(
                FactObjection(sentence=each.number, reason="no claim says it")
                for each in sentences
                if each.prose in objected
            )
            return priced(Turn(result=FactCheck(objections=objections, **by), said=SAID), "0.01")
        if request.assignment.task_type is TaskType.COMMENT_WEEK and request.model == BUILTIN:
            return builtin_turn(request)
        if request.assignment.task_type is TaskType.COMMENT_WEEK:
            theme = WrittenTheme(
                title="The yen", moved="USD/JPY is at [[USD/JPY:last]].", why=FALSE
            )
            written = Commentary(headline=TRUE, themes=(theme,), **by)
            return priced(Turn(result=written, said=SAID), "0.02")
        return None

    config = desk_config(pair("USD/JPY"))
    agents = (AgentConfig(agent=AgentId.PRODUCT_MANAGER, model=MODEL),)
    policy = config.policy.model_copy(update={"agents": agents})
    async with desk_workers(client, directory, analyst=ScriptedAnalyst(script)):
        week = await start_week(client, config.model_copy(update={"policy": policy}))
        result = await week.result()
    assert len(read) == 1, "an unchanged text is not read again"
    return from_json(Path(result.files.json_file).read_text())


async def test_the_head_of_a_report_is_read_a_second_time(client: Client, tmp_path: Path) -> None:
    report = await commented(client, tmp_path)
    assert report.lead
    assert report.lead.themes[0].why
    assert "Read a second time by a model" in str(commenting_words(report))
    assert report.commenting
    assert str(report.commenting.usage.cost_usd) == "0.03"


async def test_a_reason_that_is_objected_to_is_left_out_of_the_head_of_a_report(
    client: Client, tmp_path: Path
) -> None:
    report = await commented(client, tmp_path, FALSE)
    assert report.lead
    assert (report.lead.headline.text, report.lead.themes[0].why) == (TRUE, None)
    assert "1 sentence was left out: a second reading" in str(commenting_words(report))


async def test_a_head_of_which_nothing_is_left_gives_way_to_the_desks_own(
    client: Client, tmp_path: Path
) -> None:
    report = await commented(client, tmp_path, TRUE, "USD/JPY is at [[USD/JPY:last]].")
    assert report.lead
    assert not report.lead.written
    assert "a second reading objected to all" in str(commenting_words(report))


async def test_without_a_model_nothing_is_read_again(client: Client, tmp_path: Path) -> None:
    taken: list[TaskType] = []

    def script(request: TurnRequest) -> Turn | None:
        taken.append(request.assignment.task_type)
        return knowing_turn(request)

    async with desk_workers(
        client, tmp_path, analyst=ScriptedAnalyst(script), servers=("knowledge",)
    ):
        result = await (await start_graph(client, question(fork()))).result()
    report = AnswerReport.model_validate_json(Path(result.files.json_file).read_text())
    assert report.fact_check is None
    assert TaskType.CHECK_FACTS not in taken
