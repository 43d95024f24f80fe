"""Publishing an answer as an activity: what is on disk afterwards, and which errors come back."""

from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from activities.publishing.publishing import PublishingActivities
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.names import FailureType
from desk.contracts.runs.graph import AnswerPublication, GraphRecord
from desk.documents.answer.audit import findings_in_answer
from desk.documents.answer.publishing import read_answer_file
from tests.support.documents.answers import ticket_record


async def published(directory: Path, record: GraphRecord) -> AnswerPublication:
    publication: AnswerPublication = await ActivityEnvironment().run(
        PublishingActivities(directory).publish_answer, record
    )
    return publication


async def test_the_answer_is_on_disk_and_verifies(tmp_path: Path) -> None:
    publication = await published(tmp_path, ticket_record())
    answer = read_answer_file(Path(publication.files.json_file))
    assert answer is not None
    assert findings_in_answer(answer) == ()
    assert (publication.outcome, publication.summary) == (Outcome.COMPLETE, answer.summary)


async def test_a_second_attempt_changes_nothing(tmp_path: Path) -> None:
    files = (await published(tmp_path, ticket_record())).files
    before = Path(files.json_file).read_bytes()
    await published(tmp_path, ticket_record())
    assert Path(files.json_file).read_bytes() == before


async def test_a_folder_that_cannot_be_written_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("in the way")
    with pytest.raises(ApplicationError) as raised:
        await published(tmp_path, ticket_record())
    assert raised.value.type == FailureType.PUBLISHING_FAILED
    assert not raised.value.non_retryable


async def test_what_cannot_be_compiled_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(record: GraphRecord, **_: object) -> None:
        raise KeyError(record.workflow_id)

    monkeypatch.setattr("activities.publishing.publishing.compile_answer", broken)
    with pytest.raises(ApplicationError) as raised:
        await published(tmp_path, ticket_record())
    assert raised.value.non_retryable
