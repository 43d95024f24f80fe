"""A desk for a scenario: a home of its own, and the server `knowledge` as a process of its own."""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from desk.contracts.question.answers import AnswerReport
from desk.documents.answer.json_form import answer_from_json
from desk.platform.settings import McpTransport
from tests.knowledge.known import KnownQuestion, why_wrong
from tests.support.knowledge.process import KNOWLEDGE, module_for
from tests.support.processes.command import BINARIES
from tests.support.processes.forks import Fork, forked_command
from tests.support.processes.homes import PROJECT, home_environment

LOOPBACK = "127.0.0.1"

_TOOL_CALL = 'tool_call = "20 s"'
_LISTENS = 'ip = "127.0.0.1"'
_AWAY = ("Temporal server", "RPCError")


def over_stdio(*options: str) -> Mapping[str, Any]:
    """The entry of `.mcp.json` for a server process that the worker runs, or has within itself
    where the transport says so and the server has no faults."""
    module = module_for(options)
    runs = {"inProcess": KNOWLEDGE} if module == KNOWLEDGE else {"module": KNOWLEDGE}
    return {"command": "python", "args": ["-m", module, *options], **runs}


def over_http(port: int) -> Mapping[str, Any]:
    """The entry for a server that listens."""
    return {"url": f"http://{LOOPBACK}:{port}/mcp", "module": KNOWLEDGE}


def desk_variables(
    directory: Path,
    knowledge: Mapping[str, Any],
    *,
    tool_call: str | None = None,
    address: str | None = None,
    transport: McpTransport = McpTransport.CONFIGURED,
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
        DESK_MCP_TRANSPORT=transport,
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


@dataclass(frozen=True)
class Asking:
    """A command at work. What it says is in two files."""

    process: "subprocess.Popen[bytes] | Fork"
    out: Path
    err: Path

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()

    async def wait(self) -> int:
        """Its exit status, when it has ended."""
        while (code := self.process.poll()) is None:
            await asyncio.sleep(0.02)
        return code


@asynccontextmanager
async def asking(
    variables: Mapping[str, str],
    *words: str,
    inside: Sequence[str] = (),
    command: str = "ask",
    module: str = "starters.main",
) -> AsyncIterator[Asking]:
    """A `desk ask --json`, or another such command, in a process of its own, which is killed where
    it outlives the block. `module` is as for `forked_command`."""
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        line = (command, *words, "--json")
        if inside:
            process = _inside(inside, line, variables, out, err)
        else:
            process = forked_command(line, variables, out, err, module=module)
        asked = Asking(process, out, err)
        try:
            yield asked
        finally:
            asked.kill()
            await asked.wait()


def _inside(
    inside: Sequence[str], line: Sequence[str], variables: Mapping[str, str], out: Path, err: Path
) -> "subprocess.Popen[bytes] | Fork":
    """A command in a namespace, which is entered by another program."""
    with out.open("wb") as to_out, err.open("wb") as to_err:
        return subprocess.Popen(
            [*inside, str(BINARIES / "desk"), *line],
            env={**os.environ, **variables},
            cwd=PROJECT,
            stdout=to_out,
            stderr=to_err,
        )


async def ended(asked: Asking, began: float) -> Asked:
    """How a `desk ask` ends that began at a moment of `time.perf_counter`."""
    code = await asked.wait()
    seconds = time.perf_counter() - began
    out = asked.out.read_text()
    answer = answer_from_json(out) if out.strip() else None
    return Asked(code, answer, seconds, asked.err.read_text(errors="replace"))


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
