"""What the `desk` command prints: the summary, progress, status, changes, checks."""

import io
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from temporalio.service import RPCError, RPCStatusCode

from desk.contracts.agents.config import ScheduleConfig
from desk.contracts.agents.search_attributes import Outcome, Phase, SearchAttribute
from desk.contracts.agents.tasks import TaskAssignment, TaskType
from desk.contracts.agents.tools import SourceTier
from desk.contracts.episode.stock import StockRecord
from desk.contracts.findings.document import PublishedFiles
from desk.contracts.findings.results import AgentError, DeadLetter
from desk.contracts.findings.source_results import FixingCoverage, Provenance
from desk.contracts.names import AgentId
from desk.contracts.question.answers import AnswerReport
from desk.contracts.runs.week import MarketState, MarketStatus, WeekStatus
from desk.contracts.week.changes import Changes
from desk.contracts.week.report import (
    Coverage,
    Freshness,
    MissingMarket,
    RatesKnown,
    ResearchReport,
    Sentence,
)
from desk.platform.settings import load_settings
from desk.platform.settings.mcp_json import McpConfigError
from desk.programs.week.document.publishing import published_weeks
from starters.monitoring.week_progress import PlainProgress, board, reason_of
from starters.monitoring.week_status import status_lines
from starters.operations.dead_letters import FoundLetter, chosen_letter, letter_lines
from starters.operations.doctor.check import Level
from starters.operations.doctor.machine import free_space_check, python_check, writable_check
from starters.operations.doctor.server import (
    attribute_check,
    data_check,
    poller_check,
    retention_check,
)
from starters.published.published_files import check_target, copy_set
from starters.published.report.command import revision_lines
from starters.questions.ask import instead
from starters.questions.choice import AskOptions
from starters.questions.printing import outcome_of
from starters.runs.command_run import continuation_words
from starters.runs.server_runs import ui_address
from starters.runs.summary import (
    PublishedWeek,
    WeekSummary,
    from_status,
    not_current_words,
    retry_words,
    summary_lines,
    summary_of,
)
from starters.terminal.exit_status import CommandError, ExitStatus, UsageError, complain
from starters.weeks.rerun import changes_between
from tests.support.documents.reports import sample_record, sample_report
from tests.support.documents.traced_report import CHANGES_THERE, changes, traced_report
from tests.support.processes.homes import PROJECT

MARKETS = load_settings(PROJECT, {}).config.market_names
START = datetime(2026, 11, 21, 12, tzinfo=UTC)
FILES = PublishedFiles(markdown="/r/w.md", html="/r/w.html", json_file="/r/w.json")


def status(
    phase: Phase = Phase.RESEARCHING,
    done: int = 0,
    running: int = 0,
    *,
    coverage: Coverage | None = None,
    missing: str | None = None,
) -> WeekStatus:
    def line(at: int, market: str) -> MarketStatus:
        if market == missing:
            outcome = Outcome.MISSING
            return MarketStatus(
                market=market, state=MarketState.DONE, outcome=outcome, note="nobody has it"
            )
        if at < done:
            return MarketStatus(
                market=market, state=MarketState.DONE, outcome=Outcome.RESEARCHED, note="aside"
            )
        state = MarketState.RUNNING if at < done + running else MarketState.PLANNED
        return MarketStatus(market=market, state=state)

    return WeekStatus(
        week="2026-W44",
        phase=phase,
        as_of=datetime(2026, 11, 2, 7, tzinfo=UTC),
        started_at=START,
        deadline=START + timedelta(minutes=30),
        markets=tuple(line(at, market) for at, market in enumerate(MARKETS)),
        revisions=sample_record().revisions[:1] if coverage else (),
        coverage=coverage,
        files=FILES if coverage else None,
        seconds=7.5 if coverage else None,
    )


def summary(report: ResearchReport | None, **changed: object) -> WeekSummary:
    shown = sample_report()
    published = PublishedWeek(
        week=shown.week,
        as_of=shown.as_of,
        revision=1,
        coverage=shown.coverage,
        files=FILES,
        workflow_id="weekly-2026-W44",
        run_id="abc",
        seconds=7.5,
    )
    made = summary_of(published, report, time_zone="Europe/London", temporal_ui="http://ui/run")
    return made.model_copy(update=changed)


def test_the_summary_has_the_week_its_coverage_moves_gaps_paths_and_time() -> None:
    report = sample_report()
    lines = summary_lines(summary(report))
    text = "\n".join(lines)
    biggest = max(report.movers, key=lambda mover: abs(mover.move))
    coverage = report.coverage
    assert lines[0].startswith(f"{report.week} as of Monday ")
    (covered,) = (line for line in lines if f" of {coverage.expected} markets" in line)
    assert covered.startswith(f"{report.outcome}: {coverage.researched} of")
    first = lines[lines.index("Biggest moves") + 1]
    assert first.split()[:3] == [biggest.market, f"{biggest.move:+f}", "%"]
    assert all(entry.market in text for entry in coverage.missing[:2])
    assert tuple(lines[-3:]) == ("Report    /r/w.html", "Temporal  http://ui/run", "Took 7.5 s.")


def test_the_summary_fits_on_one_screen_however_much_there_is() -> None:
    report = sample_report()
    gaps = tuple(MissingMarket(market="USD/TWD", reason="x" * 500) for _ in range(30))
    told = Sentence(prose="y" * 500, text="y" * 500)
    row = report.calendar[0].model_copy(update={"outcome": told, "ahead": False})
    full = summary(
        report,
        coverage=report.coverage.model_copy(update={"missing": gaps}),
        decisions=(row,) * 30,
        movers=report.movers * 10,
        week_changes=changes(),
        trust="w" * 500,
    )
    for shown in (full, full.model_copy(update={"changes": ("z" * 500,) * 30})):
        lines = summary_lines(shown)
        assert len(lines) <= 24
        assert max(map(len, lines)) <= 80
    assert "  and 28 more in the report" in summary_lines(full)


@pytest.mark.parametrize("offline", [True, False])
def test_figures_that_are_not_current_are_told_with_what_fetches_newer_ones(offline: bool) -> None:
    words = not_current_words(offline=offline)
    assert "`desk refresh` fetches newer ones" in words
    assert ("DESK_OFFLINE" in words) is offline


def test_the_summary_opens_with_the_reports_headline() -> None:
    report = sample_report()
    assert report.lead is not None
    first, headline, *_ = summary_lines(summary(report), width=400)
    assert first.startswith(report.week) and headline == report.lead.headline.text


def test_the_summary_opens_with_what_changed_and_counts_what_could_not_be_relied_on() -> None:
    lines = summary_lines(summary(traced_report()))
    assert lines[1] == f"What changed since 2026-W43 (3 of {CHANGES_THERE})"
    assert lines[2] == "  level  USD/JPY is at 157.25. (before 156.80)"
    assert " markets researched " in lines[5]
    assert lines[6] == "prices current, 1 of 4 policy rates known only to 31 Aug 2026 (South Korea)"
    assert lines[7] == "1 conflict decided, 1 figure rejected, 1 sentence left out"


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (Changes(against="2026-W43"), "No material change since 2026-W43"),
        (Changes(), "There is no earlier report to compare with"),
    ],
)
def test_the_summary_says_when_nothing_changed(found: Changes, told: str) -> None:
    assert summary_lines(summary(traced_report(changes=found, conflicts=())))[1] == told


def test_a_reruns_own_changes_stand_in_place_of_the_weeks() -> None:
    lines = summary_lines(summary(traced_report(), changes=("USD/JPY:last: 1 -> 2 level",)))
    assert lines[1] == "rerun: USD/JPY:last: 1 -> 2 level"
    assert not any("since 2026-W43" in line for line in lines)


def test_control_characters_from_outside_do_not_reach_the_terminal() -> None:
    gaps = (MissingMarket(market="USD/TWD", reason="no\x1b[31m source\u202e"),)
    coverage = sample_report().coverage.model_copy(update={"missing": gaps})
    reason = "the fixing\x1b]0;owned\x07 was\nrevised"
    report = traced_report()
    hostile = report.revisions[0].model_copy(update={"reason": reason})
    lines = [
        *summary_lines(summary(report, coverage=coverage)),
        *revision_lines(traced_report(revisions=(hostile,)), "Europe/London"),
    ]
    assert all(line.isprintable() for line in lines)
    assert lines[-1].endswith("first: the fixing ]0;owned was revised")


def test_how_far_back_the_desk_knows_is_told_whole() -> None:
    coverage = sample_report().coverage
    assert coverage.freshness is not None
    areas = ("US", "XM", "JP", "CN", "GB", "IN")
    known = tuple(
        RatesKnown(to=date(2026, 6 + place, 30 - place), areas=(area,))
        for place, area in enumerate(areas)
    )
    old = coverage.freshness.model_copy(
        update={"rates_known": known, "open_decisions": 5, "decisions": 5}
    )
    shown = summary(traced_report(), coverage=coverage.model_copy(update={"freshness": old}))
    lines = summary_lines(shown)
    assert max(map(len, lines)) <= 80
    assert "outcome of 5 of 5 due decisions not known" in " ".join(" ".join(lines).split())


@pytest.mark.parametrize(
    ("hosting", "external", "when"),
    [
        (False, False, "goes on at the desk that is up"),
        (True, False, "goes on when a desk is up"),
        (False, True, "goes on when a desk is up"),
    ],
)
def test_a_run_that_is_left_alone_is_told_when_it_goes_on(
    hosting: bool, external: bool, when: str
) -> None:
    assert continuation_words(hosting=hosting, external=external) == when


def test_a_stock_without_a_recommendation_is_told_as_such_and_a_question_as_not_answered() -> None:
    fields: dict[str, Any] = {"nodes": (), "answered": False, "found": False, "stock": None}
    asked, nothing_else = AnswerReport.model_construct(**fields), dict[str, Any]()
    leans = asked.model_copy(update={"stock": StockRecord.model_construct(**nothing_else)})
    assert outcome_of(asked) == ", no sure answer"
    assert outcome_of(leans) == ", no recommendation"


@pytest.mark.parametrize(
    ("question", "found", "lines"),
    [
        (
            "Is USD/JPY overbought?",
            False,
            [
                "Instead   desk swarm 'Is USD/JPY overbought?' --as-of 2026-10-30 (asked as: Is it"
                " overbought?)"
            ],
        ),
        ("Is USD/JPY overbought?", True, []),
        ("Who chairs the Federal Reserve?", False, []),
    ],
)
def test_a_question_without_an_answer_names_the_objective_that_it_is(
    question: str, found: bool, lines: list[str]
) -> None:
    fields: dict[str, Any] = {"answered": found, "found": found}
    answer = AnswerReport.model_construct(**fields)
    asked = AskOptions(question, as_of="2026-10-30")
    assert list(instead(asked, answer)) == lines


def test_why_a_market_is_missing_is_folded_and_not_cut() -> None:
    reason = "no fixing of it is in the table, " * 5 + "and so nothing of it was measured here"
    gaps = (MissingMarket(market="USD/TWD", reason=reason),)
    coverage = sample_report().coverage.model_copy(update={"missing": gaps})
    lines = summary_lines(summary(traced_report(), coverage=coverage))
    told = lines[lines.index("Missing") + 1 :]
    assert max(map(len, told[:3])) <= 80
    assert " ".join(" ".join(told[:4]).split()).startswith(f"USD/TWD {reason}")


def test_paths_and_addresses_are_never_cut() -> None:
    long = "/" + "a" * 200 + ".html"
    lines = summary_lines(
        summary(None, files=FILES.model_copy(update={"html": long}), temporal_ui="http://" + long)
    )
    assert f"Report    {long}" in lines
    assert f"Temporal  http://{long}" in lines


def test_a_summary_without_the_report_at_hand_still_says_what_is_known() -> None:
    lines = summary_lines(summary(None, temporal_ui=None, already_published=True))
    assert "Biggest moves" not in lines
    assert "Temporal  workflow weekly-2026-W44" in lines
    assert lines[-1] == "Published already; `--again` researches it anew."


def test_the_summary_reads_back_from_its_json() -> None:
    made = summary(sample_report())
    assert WeekSummary.model_validate_json(made.model_dump_json()) == made


def test_slashes_in_ids_are_encoded_for_the_ui() -> None:
    address = ui_address("http://ui", "default", "weekly-2026-W44/market/USD/JPY", "r1")
    assert address == (
        "http://ui/namespaces/default/workflows/weekly-2026-W44%2Fmarket%2FUSD%2FJPY/r1"
    )
    assert ui_address(None, "default", "x", None) is None


def test_nothing_is_published_before_the_first_revision() -> None:
    assert from_status(status(), "w", "r") is None
    found = from_status(status(Phase.OPEN_FOR_RERUNS, coverage=sample_report().coverage), "w", "r")
    assert found is not None
    assert (found.revision, found.files, found.seconds) == (1, FILES, 7.5)


def test_plain_progress_is_a_line_for_each_phase_and_each_market_and_no_control_characters() -> (
    None
):
    stream = io.StringIO()
    progress = PlainProgress(stream)
    for seen in (
        *(status(Phase.PLANNING), status(running=38), status(done=1), status(done=1)),
        *(status(done=37, missing="USD/TWD"), status(Phase.PUBLISHING, done=37, missing="USD/TWD")),
    ):
        progress.update(seen)
    lines = [line.split(" s  ", 1)[1] for line in stream.getvalue().splitlines()]
    assert lines[:3] == [
        *("2026-W44: planning", "2026-W44: researching", f"{MARKETS[0]} researched (1 of 38)"),
    ]
    assert sum("researched (" in line for line in lines) == 36
    assert any(line.startswith("USD/TWD missing: nobody has it (") for line in lines)
    assert lines[-1] == "2026-W44: publishing"
    assert stream.getvalue().replace("\n", "").isprintable()


def test_plain_progress_of_a_rerun_tells_only_of_the_market_that_is_redone() -> None:
    stream = io.StringIO()
    progress = PlainProgress(stream)
    for seen in (status(done=38), status(done=37, running=1), status(done=38)):
        progress.update(seen)
    lines = [line.split(" s  ", 1)[1] for line in stream.getvalue().splitlines()]
    assert lines == ["2026-W44: researching", f"{MARKETS[-1]} researched (38 of 38)"]


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 24), (200, 50), (20, 10)])
def test_the_live_table_fits_the_screen(width: int, height: int) -> None:
    console = Console(width=width, height=height, file=io.StringIO(), force_terminal=False)
    shown = status(done=10, running=5, missing="USD/TWD")
    drawn = console.render_lines(board(shown, width, START + timedelta(seconds=75), height))
    text = ["".join(segment.text for segment in line).rstrip() for line in drawn]
    assert len(text) <= height
    assert max(map(len, text)) <= width
    if width >= 80:
        assert text[0].startswith("2026-W44  researching  11 of 38 markets  1:15 gone, 28:45")
        assert all(any(market in line for line in text[1:]) for market in MARKETS)
        assert "- USD/TWD" in "\n".join(text)


@pytest.mark.usefixtures("terminal")
def test_status_lists_markets_by_what_became_of_them() -> None:
    lines = status_lines(status(done=38, missing="USD/TWD", coverage=sample_report().coverage))
    assert "researched (37)" in lines
    assert "  USD/TWD  nobody has it" in lines
    assert max(len(line) for line in lines) <= 80
    assert lines[-1] == "Report    /r/w.html"
    assert status_lines(status())[-1] == "nothing published yet"


def test_a_revision_says_which_figures_changed_and_only_of_its_market() -> None:
    before = sample_report()
    section = next(market for market in before.markets if market.claims)
    first, *others = section.claims
    changed = first.model_copy(update={"value": first.value + Decimal(1)})
    redone = section.model_copy(update={"claims": (changed, *others)})
    after = before.model_copy(
        update={"markets": tuple(redone if m is section else m for m in before.markets)}
    )
    (line,) = changes_between(before, after, section.market)
    assert line.startswith(f"{first.claim_id}: {first.value:f} ")
    assert f" -> {changed.value:f} " in line
    other = next(m for m in before.markets if m is not section)
    assert changes_between(before, after, other.market) == (
        f"{other.market}: nothing changed, every figure is as it was",
    )
    (unknown,) = changes_between(None, after, section.market)
    assert "what changed is not known here" in unknown


def letter(workflow_id: str, *, redone: bool = False) -> FoundLetter:
    record = sample_record()
    assignment = TaskAssignment(
        task_id="t",
        task_type=TaskType.RESEARCH_FX,
        agent=AgentId.RESEARCH_AGENT_1,
        week=record.week,
        window=record.window,
        deadline=START,
    )
    error = AgentError(
        error_type="ToolUnavailable",
        error_message="ecb does not answer",
        agent=AgentId.RESEARCH_AGENT_2,
    )
    tried = (AgentId.RESEARCH_AGENT_1, AgentId.RESEARCH_AGENT_2)
    return FoundLetter(
        workflow_id=workflow_id,
        run_of="weekly-2026-W44",
        closed_at=START,
        redone=redone,
        letter=DeadLetter(
            assignment=assignment, tried=tried, errors=(error,), week=record.week, market="USD/JPY"
        ),
    )


def test_a_dead_letter_says_who_tried_what_and_why_it_failed() -> None:
    text = "\n".join(letter_lines(letter("weekly-2026-W44/market/USD/JPY/reassign/x")))
    assert "USD/JPY  research_fx  open" in text
    assert "tried  research_agent_1, research_agent_2" in text
    assert "error  tool unavailable: ecb does not answer" in text
    assert "redone since" in next(letter_lines(letter("x", redone=True)))


def test_a_dead_letter_is_chosen_by_its_id_or_an_unambiguous_beginning() -> None:
    letters = [letter("week/a"), letter("week/ab"), letter("week/b")]
    assert chosen_letter(letters, "week/a").workflow_id == "week/a"
    assert chosen_letter(letters, "week/b").workflow_id == "week/b"
    with pytest.raises(UsageError, match="3 dead letters start with 'week'"):
        chosen_letter(letters, "week")
    with pytest.raises(UsageError, match="no dead letter 'x'"):
        chosen_letter(letters, "x")


def test_a_set_is_copied_whole_and_leaves_nothing_else_behind(tmp_path: Path) -> None:
    source, target = tmp_path / "from", tmp_path / "to"
    source.mkdir()
    files = PublishedFiles(
        markdown=str(source / "w.md"), html=str(source / "w.html"), json_file=str(source / "w.json")
    )
    for path in (files.markdown, files.html, files.json_file):
        Path(path).write_text(path)
    check_target(target)
    copied = copy_set(files, target)
    assert sorted(path.name for path in target.iterdir()) == ["w.html", "w.json", "w.md"]
    assert Path(copied.html).read_text() == files.html
    Path(files.html).unlink()
    (target / "w.md").write_text("from before")
    with pytest.raises(CommandError, match="could not be copied"):
        copy_set(files, target)
    assert (target / "w.md").read_text() == "from before"
    assert len(list(target.iterdir())) == 3


def test_weeks_on_disk_are_those_with_a_full_report(tmp_path: Path) -> None:
    folder = tmp_path / "weekly"
    folder.mkdir()
    for name in (
        *("2026-W44-asia-g10-fx.json", "2026-W44-asia-g10-fx.r1.json", "2025-W01-asia-g10-fx.json"),
        *("2026-W45-usdjpy.json", "2026-W46-asia-g10-fx.md", "notes.json"),
    ):
        (folder / name).write_text("{}")
    assert published_weeks(tmp_path) == ["2025-W01", "2026-W44"]


def test_errors_end_with_the_status_of_their_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert complain(UsageError("wrong\nusage")) is ExitStatus.USAGE
    assert complain(CommandError("failed")) is ExitStatus.FAILED
    assert complain(ValueError()) is ExitStatus.FAILED
    assert complain(McpConfigError("no servers")) is ExitStatus.USAGE
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["desk: wrong usage", "desk: failed"]
    assert lines[2].startswith("desk: ValueError: no reason given")


def test_doctor_says_what_to_do_about_each_thing_that_is_not_well(tmp_path: Path) -> None:
    assert python_check((3, 10, 9)).level is Level.FAIL
    assert python_check((3, 11, 0)).level is Level.OK
    assert free_space_check(10 * 1024**2).level is Level.FAIL
    assert free_space_check(500 * 1024**2).level is Level.WARN
    assert free_space_check(50 * 1024**3).level is Level.OK
    (tmp_path / "file").write_text("")
    assert writable_check("reports", tmp_path / "file" / "reports").level is Level.FAIL
    assert writable_check("reports", tmp_path / "reports").level is Level.OK
    unpolled = poller_check(["source.ecb"])
    assert unpolled.level is Level.FAIL
    assert "no worker polls source.ecb; `desk up`" in unpolled.sentence
    short = retention_check(timedelta(days=1), "default")
    assert short.level is Level.WARN
    assert "--retention 90d" in short.sentence
    assert retention_check(timedelta(days=90), "default").level is Level.OK


def test_doctor_names_a_type_for_every_search_attribute() -> None:
    assert attribute_check(list(SearchAttribute)).level is Level.OK
    check = attribute_check([SearchAttribute.MARKET, SearchAttribute.PHASE])
    assert check.level is Level.FAIL
    sentence = check.sentence
    assert "--name ResearchWeek --type Keyword --name Outcome --type Keyword" in sentence
    assert "--name Revision --type Int" in sentence


def test_a_run_with_a_dead_letter_says_how_it_is_tried_again() -> None:
    letter = "weekly-2026-W44/market/US/reassign/research_rates"
    one = f"Once its cause is mended, `desk dead-letters retry {letter}` tries it again"
    assert retry_words([letter]) == f"{one}."
    assert retry_words([letter, "b", "c"]) == f"{one}; `desk dead-letters` lists 2 more."


def test_doctor_says_how_far_the_data_go() -> None:
    source = Provenance(name="ECB", tier=SourceTier.AUTHORITATIVE)
    held = FixingCoverage(
        as_of=START, source=source, first_day=date(1999, 1, 4), last_day=date(2026, 10, 30)
    )
    stale = data_check(held, START, ScheduleConfig())
    assert stale.level is Level.WARN
    assert "to 2026-10-30: 2026-W46 is complete and not covered" in stale.sentence
    fresh = held.model_copy(update={"last_day": date(2026, 11, 13)})
    assert data_check(fresh, START, ScheduleConfig()).level is Level.OK
    assert data_check(None, START, ScheduleConfig()).level is Level.FAIL


def test_a_line_that_names_a_market_names_it_once() -> None:
    market = MarketStatus(market="SG", state=MarketState.DONE, note="SG: no policy rate")
    assert reason_of(market) == "no policy rate"
    assert reason_of(market.model_copy(update={"note": None})) == ""


def test_a_server_that_does_not_answer_is_said_to_be_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for status in (RPCStatusCode.CANCELLED, RPCStatusCode.DEADLINE_EXCEEDED):
        assert complain(RPCError("Timeout expired", status, b"")) is ExitStatus.FAILED
        told = capsys.readouterr().err
        assert told.startswith("desk: the Temporal server did not answer (Timeout expired): it is")
    complain(RPCError("no such namespace", RPCStatusCode.NOT_FOUND, b""))
    assert "did not answer" not in capsys.readouterr().err


def test_the_summary_says_what_is_not_current_and_by_which_threshold() -> None:
    report = sample_report()
    freshness = Freshness(prices=18, rates=18, decisions=4, open_decisions=4)
    strict = report.coverage.model_copy(
        update={"researched": 11, "freshness": freshness, "current_threshold": 1.0}
    )
    lines = summary_lines(summary(report, coverage=strict))
    at = next(n for n, line in enumerate(lines) if line.startswith("incomplete"))
    assert lines[at : at + 2] == [
        "incomplete: 11 of 11 markets (100 %, needs 90 %), 90 % current (needs 100 %)",
        "prices current, policy rates current, outcome of 4 of 4 due decisions not known",
    ]
