"""A week of a desk that is killed again and again, and what it came to."""

import asyncio
import json
import os
import random
import signal
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from desk.contracts.agents.usage import Usage
from desk.contracts.weeks import IsoWeek
from desk.documents.rendering.words.wording import cost_words
from desk.runs.assignments.budget import taken_by
from tests.money.metered import Bill, dearest, metered, total
from tests.support.models.model_week import KEY
from tests.support.processes.command import BINARIES
from tests.support.processes.homes import PROJECT, home_environment

MARKETS: Final = ("USD/JPY", "JP")
WEEKS: Final = tuple(f"2026-W{number:02}" for number in range(10, 45))
ALLOWED_USD: Final = ("0.05", "0.15", "0.30", "0.50", "1.00", "5.00")
ALLOWED_TOKENS: Final = ("20000", "60000", "200000")
A_WEEK: Final = 6
"""The kills of one week, at most."""

LONGEST_PAUSE: Final = 18.0
"""Between two kills: longer than it takes to give up on the worker of a paid turn."""


@dataclass(frozen=True)
class Outcome:
    """One week: its budget, what was billed and what the report says."""

    week: IsoWeek
    kills: int
    budget: str
    billed: list[Usage]
    told: Usage
    printed: bool

    @property
    def most(self) -> tuple[Decimal, int]:
        """Money and tokens that it says it may have taken at most."""
        allowance = taken_by(self.told)
        return allowance.usd or Decimal(0), allowance.tokens or 0

    def faults(self) -> Iterator[str]:
        """What does not hold: nothing beyond the budget and one call, nothing untold."""
        usd, tokens = total(self.billed)
        one = dearest(self.billed)
        kind, allowed = self.budget.split(" ")
        if kind == "usd" and usd > Decimal(allowed) + one.cost_usd:
            yield f"billed ${usd}, more than {allowed} and a call"
        if kind == "tokens" and tokens > int(allowed) + one.tokens:
            yield f"billed {tokens} tokens, more than {allowed} and a call"
        if usd > self.most[0] or tokens > self.most[1]:
            yield f"told at most {self.most}, billed {usd} and {tokens}"
        known = (self.told.cost_usd, self.told.tokens)
        if not self.told.lost_calls and known != (usd, tokens):
            yield f"told {known} as all there is, billed {usd} and {tokens}"
        if known[0] > usd or known[1] > tokens:
            yield f"told {known}, more than the {usd} and {tokens} that were billed"
        if not self.printed:
            yield "the page does not say what was spent"


async def outcomes(directory: Path, kills: int, seed: int) -> AsyncIterator[Outcome]:
    """Weeks of one desk, until so many kills were made."""
    chance = random.Random(seed)
    async with metered(MARKETS, chance) as bill:
        for week in chance.sample(WEEKS, len(WEEKS)):
            if kills <= 0:
                return
            outcome = await _week(directory, week, min(kills, A_WEEK), chance, bill)
            kills -= outcome.kills
            yield outcome


async def _week(
    directory: Path, week: str, most: int, chance: random.Random, bill: Bill
) -> Outcome:
    kind = chance.choice(("usd", "usd", "tokens"))
    allowed = chance.choice(ALLOWED_USD if kind == "usd" else ALLOWED_TOKENS)
    home = directory / week
    home.mkdir(parents=True)
    environment = home_environment(
        home,
        ANTHROPIC_API_KEY=KEY,
        ANTHROPIC_BASE_URL=bill.url,
        **{f"DESK_BUDGET_{kind.upper()}": allowed},
    )
    kills = 0
    while kills < most:
        run = await _started(week, environment)
        try:
            async with asyncio.timeout(chance.uniform(1, LONGEST_PAUSE)):
                await run.communicate()
            break
        except TimeoutError:
            kills += 1
            run.send_signal(signal.SIGKILL)
            await run.wait()
    run = await _started(week, environment)
    _, trouble = await run.communicate()
    if run.returncode not in (0, 3):
        raise RuntimeError(f"{week} ended with {run.returncode}: {trouble.decode()[-2_000:]}")
    path = home / "reports" / "weekly" / f"{week}-usdjpy-jp.json"
    told = Usage.model_validate(json.loads(path.read_text())["usage"])
    printed = not told.asked or cost_words(told) in path.with_suffix(".md").read_text()
    return Outcome(week, kills, f"{kind} {allowed}", bill.take(), told, printed)


async def _started(week: str, environment: dict[str, str]) -> Process:
    return await asyncio.create_subprocess_exec(
        BINARIES / "desk",
        *("run", "--week", week, "--markets", ",".join(MARKETS)),
        cwd=PROJECT,
        env={**os.environ, **environment, "COLUMNS": "200"},
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
