"""Machines that publish a week at once, each in a folder of its own, with a bucket in common."""

import asyncio
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from activities.publishing.publishing import PublishingActivities
from desk.contracts.runs.week import Publication
from desk.platform.delivery.shared_reports import SharedReports
from desk.platform.settings.store import read_store
from desk.programs.week.document.publishing import DEFAULT_SLUG, claim_revision, read_published
from tests.support.outside.receivers import Reply, bucket
from tests.unit.documents.publishing.test_publishing_activity import first

STEM = f"2026-W38-{DEFAULT_SLUG}"


async def test_each_has_a_revision_of_its_own_and_all_show_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = ("run-1", "run-2")
    met, fetch = asyncio.Barrier(len(runs)), SharedReports.fetch
    began: set[SharedReports] = set()

    async def fetched_by_all(shared: SharedReports) -> None:
        await fetch(shared)
        if shared not in began:
            began.add(shared)
            await met.wait()

    monkeypatch.setattr(SharedReports, "fetch", fetched_by_all)
    with bucket() as there:
        store = read_store(there.variables)

        async def published(run_id: str) -> Publication:
            activities = PublishingActivities(tmp_path / run_id, store=store)
            made: Publication = await ActivityEnvironment().run(
                activities.publish_report, first(run_id)
            )
            return made

        await asyncio.gather(*map(published, runs))
        await fetch(SharedReports(store, tmp_path / "reader"))
    weekly = tmp_path / "reader" / "weekly"
    found = [read_published(weekly / f"{STEM}{end}.json") for end in (".r1", ".r2", "")]
    assert {report.timings.run_id for report in found[:2] if report} == {*runs}
    assert found[2] == found[1]


async def test_a_claim_that_was_made_and_whose_answer_was_lost_is_the_runs(tmp_path: Path) -> None:
    with bucket() as there:
        shared = SharedReports(read_store(there.variables), tmp_path)
        assert await shared.claim("weekly/2026-W38.r1", "run-1")
        assert await shared.claim("weekly/2026-W38.r1", "run-1")
        assert not await shared.claim("weekly/2026-W38.r1", "run-2")
        assert await shared.claim("weekly/2026-W38.r2", "run-2")


async def test_a_store_without_conditional_writes_is_used_without_claims(tmp_path: Path) -> None:
    error = (
        "<Error><Code>NotImplemented</Code><Message>A header is not implemented</Message></Error>"
    )
    with bucket([Reply(501, body=error)]) as there:
        shared = SharedReports(read_store(there.variables), tmp_path)
        assert await shared.claim("weekly/2026-W38.r1", "run-1")


def test_a_process_that_is_killed_while_it_claims_leaves_no_claim_of_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "hardlink_to", killed)
        with pytest.raises(KeyboardInterrupt):
            claim_revision(tmp_path, STEM, 1, "run-1")
    assert claim_revision(tmp_path, STEM, 1, "run-2") == 1
