"""The stock episode as an environment of Gymnasium, over the same pure logic as the workflow.

An action is an index into `StockAction`, or its name. The observation is the blackboard encoded as
`episode.encoding` documents. The reward is the evaluator's, known at the end only: 0 for every
other step, and 0 where the evaluator has none. Less, of every step that is carried out, what its
action is charged.
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
"""1 for every action that makes sense now."""


def observation_space() -> spaces.Dict:
    """What `episode.encoding` documents, as a space."""
    return spaces.Dict(
        {
            name: spaces.Box(low, high, shape, np.float32)
            for name, (shape, low, high) in OBSERVATION.items()
        }
    )


def require_bounds(weeks: int, cost: Decimal, most_steps: int) -> None:
    """Checks the numbers of an episode.

    Raises:
        ValueError: a number makes no sense.
    """
    if not 1 <= weeks <= MOST_WEEKS or not 0 <= cost <= MOST_COST:
        raise ValueError(
            f"weeks are 1 to {MOST_WEEKS} and a cost 0 to {MOST_COST} percent, not {weeks} and "
            f"{cost}"
        )
    if not 1 <= most_steps <= MOST_STEPS:
        raise ValueError(f"an episode has 1 to {MOST_STEPS} steps, not {most_steps}")


class StockResearchEnv(gymnasium.Env[Observation, int]):
    """A stock is researched, recommended and evaluated; what was seen of it is on the blackboard.

    An episode ends with an evaluation, and is cut off after `most_steps`. An action that makes no
    sense yet counts as a step and changes nothing: `info["refused"]` says why. Which ones make
    sense is in `info["action_mask"]` and `action_masks()`. An evaluation without a reward, because
    a price or the policy rate is not there, has `info["without_reward"]`.
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
        """An environment of some stocks.

        Args:
            symbols: What is drawn among, one or several, in any case; all that have an offline
                series where none are given.
            weeks: How far ahead a recommendation looks.
            cost: Percent of the price, for entering a position and again for leaving it.
            first: No day before it is drawn.
            last: No day after it is drawn, nor one whose horizon ends after it.
            most_steps: After so many an episode is cut off.
            tables: The figures of the symbols, where they are at hand.
            facts: `known`, or `generated`: with accounts and headlines made for practice, which
                know something of the later price. What is earned with them says nothing about
                markets.
            charges: What an action costs whenever it is carried out, in units of the reward, by
                its name.

        Raises:
            ValueError: a symbol has no offline series, no day can be drawn, there are no such
                facts or actions, or a number makes no sense.
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
        """The blackboard as it stands, as the workflow's query tells it.

        Raises:
            ResetNeeded: no episode was begun.
        """
        return self._begun().board.snapshot()

    def action_masks(self) -> Mask:
        """Which actions make sense now, in the order of `StockAction`."""
        return self._sensible.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode on an empty blackboard.

        Args:
            seed: Of the days that are drawn from now on.
            options: `symbol`, in any case, and `as_of`: a day, which stands for its close at 22:00
                UTC, or an instant with its offset, either as text too. What is not given is drawn.

        Raises:
            ValueError: an option is not known, is no day and no instant, or there is no series of
                the symbol then.
        """
        super().reset(seed=seed)
        table, at, as_of = self._days.chosen(self.np_random, options or {})
        self._episode = StockEpisode(table, at, as_of, self.weeks, self.cost)
        self._observation = empty_observation(self.weeks)
        self._steps, self._over = 0, False
        self._sense()
        return self._copied(), {
            "symbol": table.symbol,
            "as_of": as_of.isoformat(),
            "action_mask": self.action_masks(),
            **({"generated": table.made_by} if table.made_by else {}),
        }

    def step(self, action: int | str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action.

        Raises:
            UnknownAction: it is no index of an action, and no name.
            ResetNeeded: no episode was begun, or it is over.
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
            self._sense()
        truncated = not taken.evaluated and self._steps >= self._most_steps
        self._over = taken.evaluated or truncated
        charged = 0.0 if taken.refused is not None else float(self._charges[index])
        reward = float(taken.reward or 0) - charged
        return self._copied(), reward, taken.evaluated, truncated, self._info(taken)

    def _info(self, taken: ActionOutcome) -> dict[str, Any]:
        told: dict[str, Any] = {"action_mask": self.action_masks()}
        if taken.refused is not None:
            told["refused"] = taken.refused
        if taken.evaluated and taken.reward is None:
            told["without_reward"] = True
        return told

    def _sense(self) -> None:
        self._sensible = np.array(sensible(self._begun().board), np.int8)

    def _copied(self) -> Observation:
        """Nothing that was handed out is written to, by this environment or through another's."""
        return {name: values.copy() for name, values in self._observation.items()}

    def _begun(self) -> StockEpisode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("no episode was begun: call reset")
        return self._episode
