"""Compiling and publishing as an activity, with the report of the week before."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.publishing import week_before
from activities.publishing.publishing import PublishingActivities
from activities.publishing.week_before import LastPublished, previous_report
from desk.contracts.agents.config import RunConfig
from desk.contracts.runs.week import Publication, PublishRequest, WeekRecord
from desk.contracts.week.changes import ChangeKind
from desk.contracts.week.report import ResearchReport, Revision, RevisionKind
from desk.programs.week.document.publishing import (
    DEFAULT_SLUG,
    latest_reports,
    publish,
    read_published,
)
from desk.trust.seals import sealed
from tests.support.documents.report_outcomes import FINISHED_AT
from tests.support.documents.reports import sample_config, sample_record, sample_report
from tests.support.processes.forks import at_once

KEPT_BYTES = 4_096
"""How much a Temporal server keeps of the failure of an attempt."""

WEEK_BEFORE = "2026-W37"
FEW = frozenset({"USD/JPY", "JP"})


def few_markets() -> RunConfig:
    """Two of the sample's markets: every one more is another chart to draw."""
    config = sample_config()
    few = tuple(spec for spec in config.markets if spec.market in FEW)
    return config.model_copy(update={"markets": few})


def request(
    record: WeekRecord | None = None, subset: str | None = None, run_id: str = "run-1"
) -> PublishRequest:
    return PublishRequest(
        record=record or sample_record(),
        config=few_markets(),
        subset=subset,
        workflow_id="weekly-2026-W38",
        run_id=run_id,
    )


def earlier(revision: int = 1, week: str = WEEK_BEFORE) -> ResearchReport:
    """The sample as it would be a week earlier, with another level of USD/JPY."""
    report = sample_report(config=few_markets())
    lower = tuple(
        section.model_copy(
            update={
                "claims": tuple(
                    claim.model_copy(update={"value": claim.value - 10})
                    if claim.claim_id == "USD/JPY:last"
                    else claim
                    for claim in section.claims
                )
            }
        )
        for section in report.markets
    )
    line = Revision(revision=revision, kind=RevisionKind.AGAIN, published_at=FINISHED_AT)
    return sealed(
        report.model_copy(
            update={
                "week": week,
                "as_of": report.as_of - timedelta(days=7),
                "markets": lower,
                "revision": revision,
                "revisions": (line,),
            }
        )
    )


async def published(
    directory: Path, subset: str | None = None, by: PublishingActivities | None = None
) -> ResearchReport:
    """What the activity publishes, run without a client."""
    activities = by or PublishingActivities(directory)
    made: Publication = await ActivityEnvironment().run(
        activities.publish_report, request(subset=subset)
    )
    report = read_published(Path(made.files.json_file))
    assert report is not None
    assert report.lead is not None
    assert made.headline == report.lead.headline.text
    return report


async def test_the_first_report_says_that_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    report = await published(tmp_path)
    assert report.changes.against is None
    assert report.changes.note == "There is no earlier report to compare with."


async def test_the_latest_revision_of_the_week_before_is_compared_with(tmp_path: Path) -> None:
    publish(earlier(9), tmp_path)
    publish(earlier(10), tmp_path)
    report = await published(tmp_path)
    assert (report.changes.against, report.changes.against_revision) == (WEEK_BEFORE, 10)
    assert [change.kind for change in report.changes.entries] == [ChangeKind.LEVEL]
    assert report.changes.note is None


@pytest.mark.parametrize("week", ["2026-W36", "2026-W39", "2025-W37"])
async def test_no_other_week_is_compared_with(tmp_path: Path, week: str) -> None:
    publish(earlier(week=week), tmp_path)
    assert (await published(tmp_path)).changes.against is None


async def test_a_subset_is_compared_with_the_same_subset(tmp_path: Path) -> None:
    publish(earlier(2), tmp_path)
    assert (await published(tmp_path, "asia")).changes.against is None
    publish(earlier(5), tmp_path, "asia")
    assert (await published(tmp_path, "asia")).changes.against_revision == 5


def damage(directory: Path, revision: int, text: str) -> None:
    path = directory / "weekly" / f"{WEEK_BEFORE}-{DEFAULT_SLUG}.r{revision}.json"
    path.write_text(text, encoding="utf-8")


async def test_a_damaged_revision_is_passed_over_and_named(tmp_path: Path) -> None:
    publish(earlier(1), tmp_path)
    publish(earlier(2), tmp_path)
    damage(tmp_path, 2, "{")
    changes = (await published(tmp_path)).changes
    assert changes.against_revision == 1
    assert changes.note is not None
    assert f"{WEEK_BEFORE}-{DEFAULT_SLUG}.r2" in changes.note


def test_a_revision_with_one_figure_changed_is_damaged(tmp_path: Path) -> None:
    publish(earlier(1), tmp_path)
    path = tmp_path / "weekly" / f"{WEEK_BEFORE}-{DEFAULT_SLUG}.r1.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["markets"][0]["claims"][0]["value"] = "143.33"
    damage(tmp_path, 1, json.dumps(content))
    found = previous_report(tmp_path, "2026-W38", DEFAULT_SLUG)
    assert found.report is None
    assert found.note is not None


def kept_of(directory: Path, *reports: ResearchReport) -> LastPublished:
    """What a process keeps that publishes these."""
    last = LastPublished()
    for report in reports:
        with last.recording(report, directory, DEFAULT_SLUG):
            publish(report, directory)
    return last


def test_a_report_that_was_published_here_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither read nor sealed anew: the file could not have been read."""
    report = earlier(1)
    last = kept_of(tmp_path, report)
    monkeypatch.setattr(week_before, "read_published", lambda _: None)
    assert previous_report(tmp_path, "2026-W38", DEFAULT_SLUG, last).report is report
    assert previous_report(tmp_path, "2026-W38", DEFAULT_SLUG).report is None


async def test_the_activity_compares_with_what_it_published_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    activities = PublishingActivities(tmp_path)
    await published(tmp_path, by=activities)
    monkeypatch.setattr(week_before, "read_published", lambda _: None)
    later = sample_record().model_copy(update={"week": "2026-W39"})
    made = await ActivityEnvironment().run(activities.publish_report, request(later))
    report = read_published(Path(made.files.json_file))
    assert report is not None
    assert "damaged" not in (report.changes.note or "")


@pytest.mark.parametrize("week", ["2026-W37", "2026-W39"])
def test_a_report_that_was_published_here_is_of_no_other_week(tmp_path: Path, week: str) -> None:
    last = kept_of(tmp_path, earlier(1))
    assert previous_report(tmp_path, week, DEFAULT_SLUG, last).report is None


def test_a_file_that_was_changed_since_it_was_published_here_is_read(tmp_path: Path) -> None:
    last = kept_of(tmp_path, earlier(1))
    damage(tmp_path, 1, "{")
    found = previous_report(tmp_path, "2026-W38", DEFAULT_SLUG, last)
    assert found.report is None
    assert found.note is not None


def test_a_later_revision_of_another_process_counts(tmp_path: Path) -> None:
    last = kept_of(tmp_path, earlier(1))
    publish(earlier(2), tmp_path)
    found = previous_report(tmp_path, "2026-W38", DEFAULT_SLUG, last)
    assert found.report is not None
    assert found.report.revision == 2


def test_a_file_that_another_run_wrote_is_read(tmp_path: Path) -> None:
    """It is left as it is where it says the same apart from the run, and tells of the other."""
    publish(earlier(1), tmp_path)
    timings = earlier(1).timings.model_copy(update={"run_id": "another"})
    again = sealed(earlier(1).model_copy(update={"timings": timings}))
    last = kept_of(tmp_path, again)
    found = previous_report(tmp_path, "2026-W38", DEFAULT_SLUG, last)
    assert found.report == earlier(1)


def test_the_week_before_the_first_of_a_year_is_the_last_of_the_year_before(
    tmp_path: Path,
) -> None:
    publish(earlier(week="2026-W53"), tmp_path)
    found = previous_report(tmp_path, "2027-W01", DEFAULT_SLUG)
    assert found.report is not None
    assert found.report.week == "2026-W53"


async def test_publishing_the_same_revision_again_gives_the_same_report(tmp_path: Path) -> None:
    first = await published(tmp_path)
    again = await published(tmp_path)
    assert first == again


async def test_a_report_that_cannot_be_compiled_fails_for_good(tmp_path: Path) -> None:
    broken = sample_record().model_copy(update={"window": None})
    unusable = request().model_copy(update={"record": broken})
    activities = PublishingActivities(tmp_path)
    with pytest.raises(ApplicationError, match="could not be compiled") as failed:
        await ActivityEnvironment().run(activities.publish_report, unusable)
    assert failed.value.non_retryable


def first(run_id: str) -> PublishRequest:
    """A week's first report by a run that knows of no other."""
    line = Revision(revision=1, kind=RevisionKind.FIRST, published_at=FINISHED_AT)
    record = sample_record().model_copy(update={"revisions": (line,)})
    return request(record, run_id=run_id)


def publish_as(directory: Path, run_id: str) -> None:
    """What a process of another desk does in the folder."""
    activities = PublishingActivities(directory)
    asyncio.run(ActivityEnvironment().run(activities.publish_report, first(run_id)))


async def test_a_number_that_another_run_has_is_not_overwritten(tmp_path: Path) -> None:
    activities = PublishingActivities(tmp_path)

    async def published_by(run_id: str) -> Publication:
        made: Publication = await ActivityEnvironment().run(
            activities.publish_report, first(run_id)
        )
        return made

    assert (await published_by("run-1")).revisions == ()
    before = {path.name: path.read_bytes() for path in tmp_path.rglob("*.r1.*")}
    other = await published_by("run-2")
    kinds = [(line.revision, line.kind) for line in other.revisions]
    assert kinds == [(1, RevisionKind.FIRST), (2, RevisionKind.AGAIN)]
    assert await published_by("run-2") == other, "a retry finds its own revision"
    assert {path.name: path.read_bytes() for path in tmp_path.rglob("*.r1.*")} == before
    assert not [*tmp_path.rglob("*.r3.*"), *tmp_path.rglob(".*")]


def test_processes_that_publish_one_week_at_once_have_a_revision_each(tmp_path: Path) -> None:
    runs = ("run-1", "run-2", "run-3")
    reports = tmp_path / "reports"
    assert at_once(tmp_path, publish_as, *((reports, run_id) for run_id in runs)) == [0, 0, 0]
    found = [read_published(path) for path in sorted(reports.rglob("*.r[123].json"))]
    assert {report.timings.run_id for report in found if report} == {*runs}
    ((_, _, latest),) = latest_reports(reports)
    assert (shown := read_published(latest)) is not None
    assert shown.revision == 3


async def test_a_folder_that_cannot_be_written_is_named_by_the_failure_that_the_server_keeps(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "reports"
    folder.write_text("A file is in its place.")
    with pytest.raises(ApplicationError) as caught:
        await ActivityEnvironment().run(PublishingActivities(folder).publish_report, first("run-1"))
    failure = Failure()
    await DataConverter.default.encode_failure(caught.value, failure)
    assert failure.ByteSize() < KEPT_BYTES and not failure.HasField("cause")
    assert f"could not be written to {folder}" in failure.message
    assert not caught.value.non_retryable
