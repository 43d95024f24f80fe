"""Answers to queries, read as anybody reads them: with Temporal's own command line and no codec."""

import asyncio
import json
import subprocess
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from temporalio.client import WorkflowHandle
from temporalio.worker import Worker

from desk.platform.server.embedded import temporal_binary
from desk.platform.settings import Settings
from desk.platform.temporal.client import connect
from tests.support.processes.namespaces import Namespace
from tests.support.wordy import STAGES, Wordy

KEY = f"new:{b64encode(b'n' * 32).decode()}"


@asynccontextmanager
async def wordy(settings: Settings) -> AsyncIterator[WorkflowHandle[Wordy, None]]:
    client = await connect(settings)
    async with Worker(client, task_queue="wordy", workflows=[Wordy]):
        yield await client.start_workflow(Wordy.run, id="wordy", task_queue="wordy")


async def told(at: Namespace, *arguments: str) -> Any:
    """What `temporal workflow` prints as JSON."""
    done = await asyncio.to_thread(
        subprocess.run,
        [
            *(str(temporal_binary()), "workflow", *arguments, "--workflow-id", "wordy"),
            *("--address", at.address, "--namespace", at.name, "--output", "json"),
        ],
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def words_told(at: Namespace, count: int) -> Any:
    told_ = await told(at, "query", "--type", "words", "--input", str(count))
    return told_["queryResult"]


async def test_whatever_the_size_of_an_answer_it_is_plain_json(
    namespace: Namespace, tmp_path: Path
) -> None:
    settings = namespace.settings(tmp_path)
    async with wordy(settings) as handle:
        # Of some 10 bytes each: below the size that is packed in history, above it, and above the
        # size that leaves history.
        for count in (10, 1_000, 20_000, 60_000):
            words = await handle.query(Wordy.words, count)
            assert await words_told(namespace, count) == [words]
            assert len(words) == count
        metadata = await told(namespace, "metadata")
        assert STAGES.strip() in json.dumps(metadata)
        assert "As many words as are asked for" in json.dumps(metadata)


async def test_what_is_too_large_for_the_server_still_reaches_the_desk(
    namespace: Namespace, tmp_path: Path
) -> None:
    async with wordy(namespace.settings(tmp_path)) as handle:
        words = await handle.query(Wordy.words, 300_000)
    assert words[-1] == "word 299,999"


async def test_with_keys_an_answer_is_for_their_owner_alone(
    namespace: Namespace, tmp_path: Path
) -> None:
    settings = namespace.settings(tmp_path, DESK_PAYLOAD_KEYS=KEY)
    async with wordy(settings) as handle:
        assert await handle.query(Wordy.words, 2) == ["word 0", "word 1"]
        assert "word" not in json.dumps(await words_told(namespace, 2))
        assert STAGES.strip() not in json.dumps(await told(namespace, "metadata"))
