"""`python -m tests.bench.scale.sources`: the worker of the sources, with sources that are empty.

They hold nothing and look nothing up. What the packaged sources say of a configured pair is asked
for once; its copies are told the same under their own names. So every agent gets an answer of the
usual size, goes the usual way, and no source takes time.
"""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from desk.platform.mcp import pool
from desk.platform.mcp.tool_calling import ServerCall, ToolAnswer
from desk.platform.settings import load_settings
from starters.main import execute
from starters.terminal.exit_status import exit_now
from tests.bench.scale.markets import currencies

COPY_OF: Mapping[str, str] = currencies(load_settings().config.markets)
_WORD = re.compile(r"\b[A-Z]{3}\b")


class EmptySources(pool.McpPool):
    """Asks each question of a template once, and renames the answer for each of its copies."""

    _told: ClassVar[dict[str, ToolAnswer]] = {}

    async def call(self, call: ServerCall) -> ToolAnswer:
        """See `ToolCaller.call`."""
        asked = json.dumps(call.arguments, sort_keys=True)
        copies = {COPY_OF[word]: word for word in _WORD.findall(asked) if word in COPY_OF}
        question = _WORD.sub(lambda word: COPY_OF.get(word[0], word[0]), asked)
        place = f"{call.name} {question}"
        if place not in self._told:
            self._told[place] = await super().call(replace(call, arguments=json.loads(question)))
        return renamed(self._told[place], copies)


def renamed(answer: ToolAnswer, names: Mapping[str, str]) -> ToolAnswer:
    """The answer with each currency under its other name."""
    if not names:
        return answer
    told = json.dumps([answer.content, answer.refusal])
    content, refusal = json.loads(_WORD.sub(lambda word: names.get(word[0], word[0]), told))
    return ToolAnswer(content, refusal, answer.kept, answer.attribution)


def main() -> int:
    """`desk worker sources`, of these."""
    pool.McpPool = EmptySources  # type: ignore[misc]
    return execute(["worker", "sources"])


if __name__ == "__main__":
    sys.stderr.flush()
    exit_now(main())
