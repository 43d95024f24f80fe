"""The stock episode as a Gymnasium environment, with the same pure logic as the workflow.

An action is an index into `StockAction`, or its name. The observation is the encoded blackboard, as
`episode.encoding` documents. The reward is the evaluator's: it comes with the last step and is 0
for every other, or if the evaluator has none. The charge of each action that is carried out is
subtracted.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.episode.stock import (
    MOST_COST,
    MOST_STEPS,
    MOST_WEEKS,
    USUAL_COST,
    USUAL_WEEKS,
    Blackboard,
)
from desk.programs.episode.actions import sensible
from desk.programs.episode.encoding import OBSERVATION, Observation, empty_observation, encode_after
from desk.training.charges import NO_CHARGES, read_charges
from desk.training.company_figures import Facts
from desk.training.policies import ACTIONS, read_action
from desk.training.stock_days import StockDays
from desk.training.stock_episode import ActionOutcome, StockEpisode
from desk.training.tables import StockTable

try:
    import gymnasium
    from gymnasium import spaces
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError(
        f"the environment needs {absent.name}, which is not installed; run"
        f" {install_words(Extra.EPISODES)}"
    ) from absent

Mask = NDArray[np.int8]
"""1 for every action that is allowed now."""


def observation_space() -> spaces.Dict:
    """Returns the space of the observation that `episode.encoding` documents."""
    return spaces.Dict(
        {
            name: spaces.Box(low, high, shape, np.float32)
            for name, (shape, low, high) in OBSERVATION.items()
        }
    )


def require_bounds(weeks: int, cost: Decimal, most_steps: int) -> None:
    """Checks the numbers of an episode.

    Raises:
        ValueError: a number is out of bounds.
    """
    if not 1 <= weeks <= MOST_WEEKS or not 0 <= cost <= MOST_COST:
        raise ValueError(
            f"weeks are 1 to {MOST_WEEKS} and a cost 0 to {MOST_COST} percent, not {weeks} and "
            f"{cost}"
        )
    if not 1 <= most_steps <= MOST_STEPS:
        raise ValueError(f"an episode has 1 to {MOST_STEPS} steps, not {most_steps}")


class StockResearchEnv(gymnasium.Env[Observation, int]):
    """An environment in which a stock is researched, recommended and evaluated on a blackboard.

    An episode ends with an evaluation, and is truncated after `most_steps`. An action that is not
    allowed yet counts as a step and changes nothing: `info["refused"]` says why. The allowed
    actions are in `info["action_mask"]` and `action_masks()`. An evaluation without a reward,
    because a price or the policy rate is missing, sets `info["without_reward"]`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(
        self,
        symbols: str | Sequence[str] | None = None,
        weeks: int = USUAL_WEEKS,
        cost: Decimal = USUAL_COST,
        first: date | None = None,
        last: date | None = None,
        most_steps: int = 20,
        tables: Mapping[str, StockTable] | None = None,
        facts: str = Facts.KNOWN,
        charges: Mapping[str, float] = NO_CHARGES,
    ) -> None:
        """Creates an environment of some stocks.

        Args:
            symbols: The symbols to draw from, one or several, in any case; without them, all that
                have an offline series.
            weeks: How far ahead a recommendation looks.
            cost: Percent of the price, for entering a position and again for leaving it.
            first: No earlier day is drawn.
            last: No later day is drawn, nor one whose horizon ends after it.
            most_steps: An episode is truncated after this many steps.
            tables: The figures of the symbols, if available.
            facts: `known`, or `generated`: with accounts and headlines made for practice, which
                carry information on the later price. What is earned with them says nothing about
                markets.
            charges: The cost of an action each time it is carried out, in units of the reward, by
                its name.

        Raises:
            ValueError: a symbol has no offline series, no day can be drawn, there are no such facts
                or actions, or a number is out of bounds.
        """
        require_bounds(weeks, cost, most_steps)
        self._days = StockDays(symbols, weeks, first, last, tables, Facts(facts))
        self._charges = read_charges(charges)
        self.weeks, self.cost = weeks, Decimal(str(cost))
        self._most_steps = most_steps
        self.observation_space = observation_space()  # type: ignore[assignment]
        self.action_space = spaces.Discrete(len(ACTIONS))  # type: ignore[assignment]
        self._episode: StockEpisode | None = None
        self._observation = empty_observation(weeks)
        self._sensible = np.zeros(len(ACTIONS), np.int8)
        self._steps = 0
        self._over = True

    @property
    def board(self) -> Blackboard:
        """The current blackboard, as the workflow's query returns it.

        Raises:
            ResetNeeded: no episode has begun.
        """
        return self._begun().board.snapshot()

    def action_masks(self) -> Mask:
        """Returns which actions are allowed now, in the order of `StockAction`."""
        return self._sensible.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode on an empty blackboard.

        Args:
            seed: Of the days that are drawn from now on.
            options: `symbol`, in any case, and `as_of`: a day, which stands for its close at 22:00
                UTC, or an instant with its offset; text is accepted for both. What is omitted is
                drawn.

        Raises:
            ValueError: an option is unknown, is neither a day nor an instant, or the symbol has no
                series then.
        """
        super().reset(seed=seed)
        table, at, as_of = self._days.chosen(self.np_random, options or {})
        self._episode = StockEpisode(table, at, as_of, self.weeks, self.cost)
        self._observation = empty_observation(self.weeks)
        self._steps, self._over = 0, False
        self._update_mask()
        return self._copied(), {
            "symbol": table.symbol,
            "as_of": as_of.isoformat(),
            "action_mask": self.action_masks(),
            **({"generated": table.made_by} if table.made_by else {}),
        }

    def step(self, action: int | str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Takes an action.

        Raises:
            UnknownAction: it is neither an index nor a name of an action.
            ResetNeeded: no episode has begun, or it is over.
        """
        episode = self._begun()
        if self._over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset")
        index = read_action(action)
        chosen = ACTIONS[index]
        taken = episode.take(chosen)
        self._steps += 1
        if taken.refused is None:
            self._observation = encode_after(self._observation, episode.board, chosen)
            self._update_mask()
        truncated = not taken.evaluated and self._steps >= self._most_steps
        self._over = taken.evaluated or truncated
        charged = 0.0 if taken.refused is not None else float(self._charges[index])
        reward = float(taken.reward or 0) - charged
        return self._copied(), reward, taken.evaluated, truncated, self._info(taken)

    def _info(self, taken: ActionOutcome) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_masks()}
        if taken.refused is not None:
            info["refused"] = taken.refused
        if taken.evaluated and taken.reward is None:
            info["without_reward"] = True
        return info

    def _update_mask(self) -> None:
        self._sensible = np.array(sensible(self._begun().board), np.int8)

    def _copied(self) -> Observation:
        """Returns a copy, so that neither this environment nor a caller writes to an observation
        that was handed out."""
        return {name: values.copy() for name, values in self._observation.items()}

    def _begun(self) -> StockEpisode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("no episode was begun: call reset")
        return self._episode
