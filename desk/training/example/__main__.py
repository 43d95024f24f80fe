"""`python -m desk.training.example`: trains a small policy for a minute and compares it with
others.

MaskablePPO of sb3-contrib (Stable-Baselines3) learns on earlier dates of some stocks. It is then
compared, on later dates of those and on stocks that it has never seen, with random actions, with
the usual order, and with always buying. No horizon of the training reaches into the later dates. A
reward is the evaluator's less the charges of the actions.

The result is printed whichever way it goes.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from textwrap import wrap
from time import monotonic
from typing import Any, Final

from desk.contracts.agents.extras import Extra, install_words
from desk.programs.episode.encoding import Observation
from desk.training.charges import USUAL_CHARGES
from desk.training.company_figures import Facts
from desk.training.tables import StockTable, stock_table
from desk.training.tables import symbols as every_symbol
from desk.training.walk_forward.intervals import BLOCK, COVERED, DRAWS, Interval, bootstrapped
from desk.training.walk_forward.table import INDENT, WIDTH, columns, counted, every, mean_words

NEEDED: Final = f"training needs {{}}, which is not installed; run {install_words(Extra.TRAIN)}"

try:
    from desk.training.example.trial import (
        Chooser,
        HeldOutEpisode,
        PolicyResults,
        Training,
        choosers,
        held_out_episodes,
        held_out_symbols,
        play,
        split_day,
        training_days,
    )
    from desk.training.example.worth import worth_lines
    from desk.training.vector_env import Mask, Numbers, StockResearchVectorEnv
except ModuleNotFoundError as absent:
    # This is a program: without the extra, print only what to install.
    raise SystemExit(NEEDED.format(absent.name)) from absent

SECONDS: Final = 60.0
SIDE_BY_SIDE: Final = 128
STEPS_A_ROUND: Final = 64
"""Steps of each environment between two rounds of learning."""

TRAINED: Final = "trained"
HOLDING: Final = "holding"

ABOUT: Final = {
    Facts.KNOWN: (
        "Of companies only prices are known. The recommendation is made by rule from what is on "
        "the blackboard: a policy chooses which actions to take, in which order, and when to stop."
    ),
    Facts.GENERATED: (
        "Accounts and headlines are generated, and know something of the later price (docs/stock.md"
        " says how much): what is earned with them says something about the environment, and "
        "nothing about markets. The recommendation is made by rule from what is on the blackboard: "
        "a policy chooses which actions to pay for, in which order, and when to stop."
    ),
}
"""What to expect of the training, printed before it."""


class TrainingNotInstalled(Exception):
    """The packages for training are not installed. The message names the command that installs
    them."""


Learner = Callable[[StockResearchVectorEnv, float, int], Any]


def learner() -> Learner:
    """Returns a function that trains a policy on environments, for so many seconds, with a seed.

    Raises:
        TrainingNotInstalled: the extra `train` is not there.
    """
    try:
        import torch
        from sb3_contrib import MaskablePPO

        from desk.training.example.side_by_side import SideBySide
    except ModuleNotFoundError as absent:
        raise TrainingNotInstalled(NEEDED.format(absent.name)) from absent

    def train(env: StockResearchVectorEnv, seconds: float, seed: int) -> Any:
        # In so small a network, several threads would wait for each other more than they compute.
        torch.set_num_threads(1)
        model = MaskablePPO(
            "MultiInputPolicy",
            SideBySide(env, seed),
            n_steps=STEPS_A_ROUND,
            batch_size=2_048,
            n_epochs=4,
            gamma=1.0,
            ent_coef=0.02,
            seed=seed,
            device="cpu",
        )
        over = monotonic() + seconds
        return model.learn(total_timesteps=10**9, callback=lambda *_: monotonic() < over)

    return train


def chooser(model: Any) -> Chooser:
    """Returns the trained policy, which samples its actions as it did during training. Always
    taking its most likely action would be another policy, which was not trained."""

    def choose(seen: Observation, masks: Mask, step: int) -> Numbers:
        actions, _ = model.predict(seen, action_masks=masks, deterministic=False)
        chosen: Numbers = actions
        return chosen

    return choose


def example(seconds: float, seed: int, facts: Facts) -> Iterator[str]:
    """Trains a policy, tries it on held-out episodes, and yields the lines that report the result.

    Raises:
        TrainingNotInstalled: the extra `train` is not installed.
    """
    train = learner()
    tables = {name: stock_table(name, facts=facts) for name in every_symbol()}
    unseen = held_out_symbols(tables)
    own = {name: table for name, table in tables.items() if name not in unseen}
    env = StockResearchVectorEnv(SIDE_BY_SIDE, tables=tables, charges=USUAL_CHARGES)
    split = split_day(own.values(), env.weeks)
    days = training_days(own.values(), env.weeks, env.cost, split)
    learning = StockResearchVectorEnv(
        SIDE_BY_SIDE,
        days.symbols,
        first=days.first,
        last=split,
        tables=tables,
        charges=USUAL_CHARGES,
    )
    yield from lead(days, split, unseen, env.weeks, facts)
    model = train(learning, seconds, seed)
    yield f"trained for {seconds:.0f} s: {model.num_timesteps:,} steps"
    policies = {TRAINED: chooser(model), **choosers(seed)}
    later = split + timedelta(days=1)
    groups = {
        f"later dates, {every(env.weeks)} after {split}": (own, later),
        f"stocks that it never saw: {' '.join(unseen)}": (_of(tables, unseen), days.first),
    }
    for title, (group, first) in groups.items():
        episodes = list(held_out_episodes(group.values(), env.weeks, env.cost, first))
        found = {name: play(env, episodes, choose) for name, choose in policies.items()}
        yield from result_lines(title, episodes, found, seed)
    yield from worth_lines([tuple(tables.values())], env.weeks, env.cost, split)
    yield ""
    for note in _notes():
        yield from wrap(note, WIDTH, subsequent_indent=INDENT * 2)


def _of(tables: Mapping[str, StockTable], names: Sequence[str]) -> Mapping[str, StockTable]:
    return {name: tables[name] for name in names}


def lead(
    days: Training, split: date, unseen: Sequence[str], weeks: int, facts: Facts
) -> Iterator[str]:
    """Yields the lines that say what is trained on, what is held out, and what to expect."""
    symbols = f"{counted(len(days.symbols), 'symbol')}: {' '.join(days.symbols)}"
    yield from wrap(f"trained on {symbols}", WIDTH, subsequent_indent=INDENT)
    yield f"  {days.days:,} days from {days.first} whose {weeks} weeks are over by {split}"
    yield f"  {days.days - days.rewarded:,} of them have no reward"
    yield f"  facts of companies: {facts}; never seen: {' '.join(unseen)}"
    yield from wrap(ABOUT[facts], WIDTH)
    yield ""


def result_lines(
    title: str, episodes: Sequence[HeldOutEpisode], found: Mapping[str, PolicyResults], seed: int
) -> Iterator[str]:
    """Yields the lines with each policy's mean reward in some episodes, and how much the trained
    policy's reward is above it."""
    at = [each.period for each in episodes]
    own = found[TRAINED].rewards

    def mean(figures: Sequence[float]) -> Interval | None:
        return bootstrapped(at, figures, seed)

    def row(name: str, one: PolicyResults) -> tuple[str, ...]:
        less = None if name == TRAINED else mean((own - one.rewards).tolist())
        evaluated = f"{one.evaluated.mean():.0%}"
        steps = f"{one.steps.mean():.1f}"
        return name, evaluated, steps, mean_words(mean(one.rewards.tolist())), mean_words(less)

    rows = [row(name, one) for name, one in found.items()]
    holding = [each.holding for each in episodes]
    less = mean((own - holding).tolist())
    rows.append((HOLDING, "", "", mean_words(mean(holding)), mean_words(less)))
    yield ""
    yield from wrap(f"{title} ({counted(len(episodes), 'episode')})", WIDTH)
    yield from columns(("", "evaluated", "steps", "reward", "trained less it"), rows)
    for name in ("random", "in order"):
        yield f"{INDENT}{_verdict(mean((own - found[name].rewards).tolist()))} {name}"
    yield f"{INDENT}{_verdict(less)} {HOLDING}"


def _verdict(gained: Interval | None) -> str:
    if gained is None or gained.low is None or gained.high is None:
        return "too few dates to say how it did beside"
    if gained.low <= 0 <= gained.high:
        return "not told apart from"
    return "better, on these dates, than" if gained.low > 0 else "worse, on these dates, than"


def _notes() -> Iterator[str]:
    yield (
        f"In brackets, the {COVERED} % interval of the mean: {DRAWS:,} draws of blocks of {BLOCK} "
        "dates in a row, all symbols of a date together; of what figures are worth, Student's t "
        "over groups of weeks in a row. The reward is the return over cash, after costs, "
        "in units of the risk taken, less what research was charged; `holding` pays for no "
        "research. An episode that was cut off has paid, and earned nothing."
    )
    yield "One run with one seed: another trains another policy. No promise, and no advice."


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the result."""
    parser = argparse.ArgumentParser(
        prog="python -m desk.training.example", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--facts", type=Facts, choices=[*Facts], default=Facts.GENERATED, help="of companies"
    )
    chosen = parser.parse_args(arguments)
    try:
        for line in example(chosen.seconds, chosen.seed, chosen.facts):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    except TrainingNotInstalled as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
