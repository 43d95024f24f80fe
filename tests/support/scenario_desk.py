"""A desk for a scenario: a home of its own, and the server `knowledge` as a process of its own."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.json_form import answer_from_json
from tests.knowledge.known import KnownQuestion, why_wrong
from tests.support.command import BINARIES
from tests.support.homes import PROJECT, home_environment
from tests.support.knowledge_process import KNOWLEDGE, module_for

LOOPBACK = "127.0.0.1"

_TOOL_CALL = 'tool_call = "20 s"'
_LISTENS = 'ip = "127.0.0.1"'
_AWAY = ("Temporal server", "RPCError")


def over_stdio(*options: str) -> Mapping[str, Any]:
    """The entry of `.mcp.json` for a server process that the worker runs."""
    arguments = ["-m", module_for(options), *options]
    return {"command": "python", "args": arguments, "module": KNOWLEDGE}


def over_http(port: int) -> Mapping[str, Any]:
    """The entry for a server that listens."""
    return {"url": f"http://{LOOPBACK}:{port}/mcp", "module": KNOWLEDGE}


def desk_variables(
    directory: Path,
    knowledge: Mapping[str, Any],
    *,
    tool_call: str | None = None,
    address: str | None = None,
    **variables: str,
) -> Mapping[str, str]:
    """What puts a desk into a directory whose only source is `knowledge`.

    `tool_call` stands in for the deadline of a tool call in `desk.toml`. With `address` the desk's
    Temporal server listens there, and its commands and workers are clients of it.
    """
    sources, config = directory / "mcp.json", directory / "desk.toml"
    sources.write_text(json.dumps({"mcpServers": {"knowledge": knowledge}}))
    rules = (PROJECT / "desk.toml").read_text()
    assert _TOOL_CALL in rules and _LISTENS in rules
    if tool_call is not None:
        rules = rules.replace(_TOOL_CALL, f'tool_call = "{tool_call}"')
    if address not in (None, LOOPBACK):
        # The development server's own services find each other on the loopback address only.
        rules = rules.replace(_LISTENS, 'ip = "0.0.0.0"')
    config.write_text(rules)
    made = home_environment(
        directory,
        DESK_CONFIG=str(config),
        DESK_MCP_CONFIG=str(sources),
        DESK_MCP_TRANSPORT="configured",
        **variables,
    )
    if address is not None:
        made["TEMPORAL_ADDRESS"] = f"{address}:{made['DESK_SERVER_PORT']}"
        made["EFFECT_LOG"] = str(directory / "effects.log")
    return made


class Asked(NamedTuple):
    """How a `desk ask --json` ended; `answer` is None where it printed none."""

    code: int
    answer: AnswerReport | None
    seconds: float
    told: str

    def fault(self, known: KnownQuestion) -> str | None:
        """What is wrong with it; None where the answer is complete and right."""
        if self.answer is None:
            return f"exit status {self.code}: {self.told.strip()[-300:]}"
        wrong = fault_of(self.answer, known)
        return wrong or (f"exit status {self.code}" if self.code else None)


def fault_of(answer: AnswerReport, known: KnownQuestion) -> str | None:
    """What is wrong with the answer to a known question; None where it is right."""
    return why_wrong(
        known,
        summary=answer.summary,
        answered=answer.answered,
        quoted={quotation.url for quotation in answer.quotations if quotation.url},
    )


def question_words(known: KnownQuestion) -> list[str]:
    """What `desk ask` is given for a question."""
    words = [known.question, "--graph", known.graph, "--as-of", known.as_of.isoformat()]
    for name, value in known.parameters.items():
        words += ["--param", f"{name}={value}"]
    return words


@asynccontextmanager
async def asking(
    variables: Mapping[str, str], *words: str, inside: Sequence[str] = (), command: str = "ask"
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A `desk ask --json`, or another such command, in a process of its own, which is killed where
    it outlives the block."""
    process = await asyncio.create_subprocess_exec(
        *(*inside, str(BINARIES / "desk"), command, *words, "--json"),
        env={**os.environ, **variables},
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ended(process: asyncio.subprocess.Process, began: float) -> Asked:
    """How a `desk ask` ends that began at a moment of `time.perf_counter`."""
    out, told = await process.communicate()
    seconds = time.perf_counter() - began
    answer = answer_from_json(out.decode()) if out.strip() else None
    return Asked(process.returncode or 0, answer, seconds, told.decode(errors="replace"))


async def asked_until_answered(
    variables: Mapping[str, str], known: KnownQuestion, *, inside: Sequence[str] = ()
) -> tuple[Asked, int]:
    """The same command until there is an answer, as a user does whom it tells that the server is
    away; with how often it was given."""
    return await again_until_answered(lambda: ask(variables, known, inside=inside))


async def again_until_answered(command: Callable[[], Awaitable[Asked]]) -> tuple[Asked, int]:
    """The same of any command."""
    began, times = time.perf_counter(), 1
    asked = await command()
    while asked.answer is None and any(words in asked.told for words in _AWAY):
        times += 1
        asked = await command()
    return asked._replace(seconds=time.perf_counter() - began), times


async def ask(
    variables: Mapping[str, str], known: KnownQuestion, *more: str, inside: Sequence[str] = ()
) -> Asked:
    """A question put to a desk by the command, to its end."""
    began = time.perf_counter()
    async with asking(variables, *question_words(known), *more, inside=inside) as process:
        return await ended(process, began)
