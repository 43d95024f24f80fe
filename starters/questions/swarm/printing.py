"""What `desk swarm` prints of a run besides its report."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from desk.contracts.question.answers import AnswerReport
from desk.contracts.swarm.research import TokenRecord
from desk.contracts.swarm.run import SwarmResult

_INSTALLS: Final = re.compile(r"`?(make install-[a-z]+)`?")


def swarm_lines(result: SwarmResult, answer: AnswerReport | None) -> Iterator[str]:
    """Its rounds, its tokens, the hypotheses that wait, and what there was no package for."""
    specialists = _specialists(answer)
    yield f"Rounds    {result.rounds}{specialists}"
    yield f"Tokens    {token_words(result.tokens)}"
    if result.hypotheses:
        waiting = len(result.hypotheses)
        wait = "hypotheses wait" if waiting > 1 else "hypothesis waits"
        yield f"Waiting   {waiting} {wait} to be scored: `desk hypotheses list`"
    for command in installs_named(_untold(answer)):
        yield f"Missing   a package that some tools need; `{command}` installs it"


def token_words(tokens: TokenRecord) -> str:
    """`12,000 read from tools; one agent alone would have read 38,400 (3.2 times as many); ...`."""
    read = f"{tokens.read:,} read from tools"
    if tokens.read and tokens.alone:
        read += (
            f"; one agent alone would have read {tokens.alone:,}"
            f" ({tokens.alone / tokens.read:.1f} times as many)"
        )
    shown = f"the leader saw {tokens.leader:,} of {tokens.raw:,}"
    used = f"; models used {tokens.used:,}" if tokens.used else ""
    return f"{read}; {shown}{used} (estimates at four characters each)"


def _specialists(answer: AnswerReport | None) -> str:
    if answer is None or answer.swarm is None:
        return ""
    plans = [each.plan for each in answer.swarm.rounds]
    count = sum(len(plan.subagents) for plan in plans)
    noun = "specialist" if count == 1 else "specialists"
    return f", {count} {noun}, a {plans[0].complexity} objective"


def installs_named(told: Iterable[str]) -> tuple[str, ...]:
    """The commands that what is missing names, such as `make install-swarm`, each once."""
    found = (match[1] for words in told for match in _INSTALLS.finditer(words))
    return tuple(dict.fromkeys(found))


def _untold(answer: AnswerReport | None) -> Iterator[str]:
    if answer is not None:
        yield from answer.missing
        yield from (line.error or "" for line in answer.nodes)
