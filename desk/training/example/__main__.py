"""`python -m desk.training.example`: a small policy, trained for a minute and held against others.

MaskablePPO of sb3-contrib (Stable-Baselines3) learns on earlier dates. Then it is compared on later
dates that it has not seen with actions by chance, with the fixed order, and with buying whatever is
known; no horizon of the training reaches into them.

A policy can change little (`ABOUT`), and the result is printed whichever way it goes.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from textwrap import wrap
from time import monotonic
from typing import Any, Final, SupportsFloat

from desk.programs.episode.encoding import Observation
from desk.training.tables import StockTable, stock_table
from desk.training.tables import symbols as every_symbol
from desk.training.walk_forward.intervals import Interval
from desk.training.walk_forward.rows import by_policy
from desk.training.walk_forward.table import (
    INDENT,
    WIDTH,
    columns,
    counted,
    every,
    interval_notes,
    mean_words,
    row_tables,
)

NEEDED: Final = "training needs {}, which is not installed; run `make install-train`"

try:
    import gymnasium

    from desk.training.example.trial import (
        HOLDING,
        Chooser,
        Training,
        Trial,
        beside,
        choosers,
        split_day,
        training_days,
        tried,
    )
    from desk.training.stock_env import StockResearchEnv
except ModuleNotFoundError as absent:
    # This is a program: who starts it without the extra is told what to run, and nothing else.
    raise SystemExit(NEEDED.format(absent.name)) from absent

SECONDS: Final = 60.0
SIDE_BY_SIDE: Final = 32
"""Environments that are stepped together, in this process."""

STEPS_A_ROUND: Final = 256
"""Of each environment, between two rounds of learning."""

TRAINED: Final = "trained"

ABOUT: Final = (
    "What a policy can change is little. The recommendation is made by rule from what is on the "
    "blackboard: a policy only chooses which actions to take, in which order, and when to stop. So "
    "it can leave out figures that point the wrong way, or stay out of the market by recommending "
    "before anything is known. The reward is the evaluator's; nothing is charged for a step."
)
"""What is to be expected of the training, printed before it."""


class TrainingNotInstalled(Exception):
    """What trains is not there. The message names the command that installs it."""


class EndedWhenCutOff(gymnasium.Wrapper[Observation, int, Observation, int]):
    """An episode that is cut off brings nothing more. What learns would take its value to go on,
    which nothing ever corrects for a policy that never comes to an evaluation."""

    def step(self, action: int) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """See `StockResearchEnv`; what is cut off has ended."""
        seen, reward, terminated, truncated, told = self.env.step(action)
        return seen, reward, terminated or truncated, False, told


Learner = Callable[[Sequence[StockResearchEnv], float, int], Any]


def learner() -> Learner:
    """What trains a policy on environments, for so many seconds, with a seed.

    Raises:
        NotInstalled: the extra `train` is not there.
    """
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import DummyVecEnv
    except ModuleNotFoundError as absent:
        raise TrainingNotInstalled(NEEDED.format(absent.name)) from absent

    def train(learners: Sequence[StockResearchEnv], seconds: float, seed: int) -> Any:
        # Several threads would wait for each other longer than so small a network takes.
        torch.set_num_threads(1)
        model = MaskablePPO(
            "MultiInputPolicy",
            DummyVecEnv([lambda one=one: EndedWhenCutOff(one) for one in learners]),
            n_steps=STEPS_A_ROUND,
            batch_size=2_048,
            n_epochs=4,
            gamma=1.0,
            ent_coef=0.05,
            seed=seed,
            device="cpu",
        )
        over = monotonic() + seconds
        return model.learn(total_timesteps=10**9, callback=lambda *_: monotonic() < over)

    return train


def chooser(model: Any) -> Chooser:
    """The trained policy, drawing its actions as it did when it learned: what it likes best each
    time is another policy, and one that nobody trained."""

    def choose(env: StockResearchEnv, seen: Observation) -> int:
        action, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=False)
        return int(action)

    return choose


def example(seconds: float, seed: int) -> Iterator[str]:
    """Train, try on later dates, and tell what came of it.

    Raises:
        NotInstalled: the extra `train` is not there.
    """
    train = learner()
    tables: Mapping[str, StockTable] = {name: stock_table(name) for name in every_symbol()}
    env = StockResearchEnv(tables=tables)
    split = split_day(tables.values(), env.weeks)
    days = training_days(tables.values(), env.weeks, env.cost, split)
    learners = [
        StockResearchEnv(days.symbols, first=days.first, last=split, tables=tables)
        for _ in range(SIDE_BY_SIDE)
    ]
    yield from lead(tables, days, split, env.weeks)
    model = train(learners, seconds, seed)
    yield f"trained for {seconds:.0f} s: {model.num_timesteps:,} steps"
    chosen = {TRAINED: chooser(model), **choosers(seed)}
    trial = tried(env, tables.values(), chosen, split + timedelta(days=1))
    yield from told(trial, env.weeks)


def lead(
    tables: Mapping[str, StockTable], days: Training, split: date, weeks: int
) -> Iterator[str]:
    """What is trained on and what is tried on, and what is to be expected."""
    last = max(table.days[-1] for table in tables.values())
    symbols = f"{counted(len(days.symbols), 'symbol')}: {' '.join(days.symbols)}"
    yield from wrap(f"trained on {symbols}", WIDTH, subsequent_indent=INDENT)
    yield f"  {days.days:,} days from {days.first} whose {weeks} weeks are over by {split}"
    yield f"  {days.days - days.rewarded:,} of them have no reward"
    tried_on = f"{counted(len(tables), 'symbol')}: {' '.join(tables)}"
    yield from wrap(f"tried on {tried_on}", WIDTH, subsequent_indent=INDENT)
    yield f"  {every(weeks)} after {split}, until {last}"
    yield from wrap(ABOUT, WIDTH)
    yield ""


def told(trial: Trial, weeks: int) -> Iterator[str]:
    """What each policy did on the dates that were held out, and how the trained one did beside
    each of the others."""
    yield from row_tables("on the later dates", tuple(by_policy(trial.made)))
    yield ""
    episodes = len({(each.symbol, each.period) for each in trial.made})
    yield f"of {counted(episodes, 'episode')}"
    rows = [
        (name, f"{trial.evaluated[name] / episodes:.1%}", f"{steps / episodes:.1f}")
        for name, steps in trial.steps.items()
    ]
    yield from columns(("", "evaluated", "steps each"), rows)
    yield ""
    yield "the trained policy's reward less that of another on the same dates"
    others = [name for name in (*trial.steps, HOLDING) if name != TRAINED]
    gained = [(name, beside(trial, TRAINED, name)) for name in others]
    yield from columns(("", "reward"), [(name, mean_words(each)) for name, each in gained])
    yield ""
    yield from (f"{_verdict(each)} {name}" for name, each in gained)
    yield ""
    for note in interval_notes(weeks, dict.fromkeys(each.symbol for each in trial.made)):
        yield from wrap(note, WIDTH, subsequent_indent=INDENT * 2)


def _verdict(gained: Interval | None) -> str:
    if gained is None or gained.low is None or gained.high is None:
        return "too few dates to say how it did beside"
    if gained.low <= 0 <= gained.high:
        return "not told apart from"
    return "better, on these dates, than" if gained.low > 0 else "worse, on these dates, than"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what came of it."""
    parser = argparse.ArgumentParser(
        prog="python -m desk.training.example", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of training")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    try:
        for line in example(chosen.seconds, chosen.seed):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    except TrainingNotInstalled as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
