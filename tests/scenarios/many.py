"""Many questions at once: how many answers are right, and how soon one agent follows another."""

import statistics
from collections.abc import Sequence
from itertools import islice

from desk.contracts.question.graph import MOST_NODES
from tests.knowledge.accuracy import verdict
from tests.knowledge.known import HELD_OUT, QUESTIONS, KnownQuestion, load
from tests.scenarios.scenario import Scenario, Sight, Stage
from tests.support.runs.large_graphs import answered, fan
from tests.support.scenarios.desk import LOOPBACK, desk_variables, over_stdio
from tests.support.scenarios.fleet import ScenarioFleet, scenario_fleet
from tests.support.scenarios.runs import Finished, all_answered

GOAL_SHARE = 0.9
GOAL_HOP_SECONDS = 1.0
FEW, MANY = 5, 50
AT_ONCE = 25


async def accuracy(stage: Stage) -> Sight:
    """All questions with known answers, the held-out ones as well."""
    questions = (*load(QUESTIONS), *load(HELD_OUT))
    async with scenario_fleet(_variables(stage, "accuracy")) as fleet:
        finished = await _finished(fleet, questions, at_once=AT_ONCE)
    wrong = [each for each in finished if each.fault is not None]
    right = len(finished) - len(wrong)
    share = right / len(finished)
    took = max(each.seconds for each in finished)
    words = f"{right} of {len(finished)} right, {share:.1%}, in {took:.0f} s"
    if wrong:
        words += "; wrong: " + "; ".join(f"{each.known.id} ({each.fault})" for each in wrong[:5])
    faults = () if share >= GOAL_SHARE else (f"fewer than {GOAL_SHARE:.0%} are right",)
    return Sight(words, faults, {"questions": len(finished), "right": right, "seconds": took})


async def at_once(stage: Stage, runs: int) -> Sight:
    """So many runs side by side, each of a question of its own that is answered rightly alone."""
    alone = (known for known in load() if known.graph == "tickets" and verdict(known) is None)
    questions = list(islice(alone, runs))
    async with scenario_fleet(_variables(stage, f"at-once-{runs}")) as fleet:
        # What a worker reads once, such as the index of the corpus, is not a run's own time.
        await _finished(fleet, load(HELD_OUT)[:1], at_once=1)
        finished = await _finished(fleet, questions, at_once=runs)
        client = await fleet.client()
        hops = sorted([hop for each in finished for hop in await each.hops(client)])
    faults = [f"{each.known.id}: {each.fault}" for each in finished if each.fault is not None]
    median, late = statistics.median(hops), hops[int(0.99 * (len(hops) - 1))]
    if runs <= FEW and late >= GOAL_HOP_SECONDS:
        faults.append(f"an agent began {late:.2f} s after the one before it had ended")
    took = max(each.seconds for each in finished)
    words = (
        f"{len(finished) - len(faults)} right after {took:.1f} s; between agents"
        f" {1000 * median:.0f} ms, p99 {1000 * late:.0f} ms"
    )
    figures = {"seconds": took, "hops": len(hops), "median": median, "p99": late, "most": hops[-1]}
    return Sight(words, tuple(faults), figures)


async def large(stage: Stage) -> Sight:
    """A graph of as many nodes as there may be."""
    found = await answered(fan(MOST_NODES), stage.place("large"))
    words = f"{found.history_events:,} events, {found.history_bytes / 2**20:.1f} MiB of history"
    figures = {"events": found.history_events, "bytes": found.history_bytes}
    return Sight(words, tuple(found.faults()), figures)


def _variables(stage: Stage, name: str) -> "dict[str, str]":
    made = desk_variables(stage.place(name), over_stdio(), address=LOOPBACK, EFFECT_PAUSE="0")
    return dict(made)


async def _finished(
    fleet: ScenarioFleet, questions: Sequence[KnownQuestion], *, at_once: int
) -> tuple[Finished, ...]:
    client = await fleet.client()
    return await all_answered(client, fleet.settings, questions, at_once=at_once)


def _at_once(runs: int, expected: str) -> Scenario:
    async def play(stage: Stage) -> Sight:
        return await at_once(stage, runs)

    return Scenario(f"{runs}-at-once", f"{runs} questions at the same moment", expected, play)


SCENARIOS = (
    Scenario(
        "accuracy",
        f"all questions with known answers, {AT_ONCE} at a time",
        f"{GOAL_SHARE:.0%} right",
        accuracy,
        limit_seconds=240,
    ),
    _at_once(FEW, f"all right, the next agent within {GOAL_HOP_SECONDS:.0f} s (p99)"),
    _at_once(MANY, "all right"),
    Scenario(
        "large-graph",
        f"a graph of {MOST_NODES:,} nodes side by side",
        "answered, in a history that Temporal takes",
        large,
    ),
)
