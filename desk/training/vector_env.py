"""Many concurrent stock episodes in one process, stepped together over arrays.

Each is the episode of `StockResearchEnv`: the same actions on the same day give the same
observations and rewards. A finished episode is followed by the next one in the same step, on a
random day; its last observation is in `info["final_obs"]`.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from desk.analytics.evaluation import POSITIONS
from desk.analytics.technical.series import close_known_from
from desk.contracts.episode.actions import StockAction
from desk.contracts.episode.stock import (
    MOST_STEPS,
    MOST_WEEKS,
    USUAL_COST,
    USUAL_WEEKS,
    Recommended,
)
from desk.programs.episode.actions import NEEDS, PART_FIELDS, WITHOUT
from desk.programs.episode.encoding import (
    EVALUATION,
    HORIZON,
    INSIGHTS,
    OBSERVATION,
    OFTEN,
    RECOMMENDATION,
    TAKEN,
    Observation,
    encode_recommendation,
    mask_of,
)
from desk.training.charges import NO_CHARGES, read_charges
from desk.training.company_figures import Facts
from desk.training.episode_arrays import BITS, EpisodeArrays, Rows
from desk.training.policies import ACTIONS, read_action
from desk.training.stock_days import StockDays, read_instant
from desk.training.stock_env import observation_space, require_bounds
from desk.training.tables import StockTable, read_symbol

Mask = NDArray[np.int8]
Numbers = NDArray[np.int64]

USUAL_NUMBER: Final = 64
NONE: Final = -1
_OFTEN: Final = np.array(OFTEN, np.float32)
_RECOMMENDED: Final = tuple(Recommended)
_POSITIONS: Final = np.array([POSITIONS[each] for each in _RECOMMENDED])
_BASIC, _ADVANCED = BITS[StockAction.RUN_TA_BASIC], BITS[StockAction.RUN_TA_ADVANCED]
_NEEDS: Final = np.array(
    [[other in NEEDS.get(action, ()) for other in ACTIONS] for action in ACTIONS], np.int64
)
_FREE: Final = _NEEDS.sum(axis=1) == 0


class StockResearchVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Episodes of stocks, stepped together.

    `info["action_mask"]` has the allowed actions of each episode, in the order of `StockAction`;
    `info["refused"]` says why an action was not allowed. For finished episodes, `info["final_obs"]`
    has the last observation, and `info["without_reward"]` says whether the evaluation had no
    reward.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = USUAL_NUMBER,
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
        """Creates `num_envs` environments of some stocks; the arguments are those of
        `StockResearchEnv`.

        Raises:
            ValueError: a symbol has no offline series, no day can be drawn, there are no such facts
                or actions, or a number is out of bounds.
        """
        require_bounds(weeks, cost, most_steps)
        if num_envs < 1:
            raise ValueError(f"there is at least one environment, not {num_envs}")
        self.num_envs = num_envs
        self.weeks, self.cost = weeks, Decimal(str(cost))
        self._days = StockDays(symbols, weeks, first, last, tables, Facts(facts))
        self._arrays = EpisodeArrays(tuple(self._days.tables.values()), weeks, self.cost)
        self._drawn = tuple(
            np.array([self._arrays.row(symbol, at) for at in span], np.int64)
            for symbol, span in self._days.spans.items()
        )
        self._charges = read_charges(charges)
        self._most_steps = most_steps
        self.single_observation_space = observation_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.single_action_space = spaces.Discrete(len(ACTIONS))
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seen = {
            name: np.zeros((num_envs, *shape), np.float32)
            for name, (shape, _, _) in OBSERVATION.items()
        }
        self._seen[HORIZON][:] = weeks / MOST_WEEKS
        self._rows = np.zeros(num_envs, np.int64)
        self._parts = np.zeros(num_envs, np.int64)
        self._judged_on = np.full(num_envs, NONE)
        self._recommended = np.full(num_envs, NONE)
        self._counts = np.zeros((num_envs, len(ACTIONS)), np.int64)
        self._steps = np.zeros(num_envs, np.int64)
        self._sensible = np.zeros((num_envs, len(ACTIONS)), np.int8)
        self._begun = False

    @property
    def episodes(self) -> tuple[tuple[str, date], ...]:
        """The stock and the day of each current episode."""
        return tuple(map(self._arrays.day, self._rows.tolist()))

    def action_masks(self) -> Mask:
        """Returns which actions are allowed now, a row for each episode, in the order of
        `StockAction`."""
        return self._sensible.copy()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins all episodes on empty blackboards.

        Args:
            seed: Of the days that are drawn from now on.
            options: `symbol` and `as_of`, each a single value for all episodes or a list with one
                for each: days of the series. Without them they are drawn.

        Raises:
            ValueError: an option is unknown, only one of them is given, or a symbol has no price on
                a day.
        """
        super().reset(seed=seed)
        everything = np.arange(self.num_envs)
        self._begin(everything, self._asked(options) if options else self._draw(self.num_envs))
        self._begun = True
        return self._copied(), {"action_mask": self.action_masks()}

    def step(
        self, actions: Sequence[int] | Sequence[str] | NDArray[np.int64]
    ) -> tuple[
        Observation,
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Takes an action in each episode, given by its index or its name.

        Raises:
            UnknownAction: one is neither an index nor a name of an action.
            ResetNeeded: no episode has begun.
        """
        if not self._begun:
            raise gymnasium.error.ResetNeeded("no episode was begun: call reset")
        chosen = self._read(actions)
        carried = self._sensible[np.arange(self.num_envs), chosen].astype(bool)
        rewards = np.where(carried, 0.0 - self._charges[chosen], 0.0)
        info: dict[str, Any] = self._refusals(chosen, carried)
        evaluated = np.zeros(self.num_envs, bool)
        for index in np.unique(chosen[carried]).tolist():
            places = np.flatnonzero(carried & (chosen == index))
            action = ACTIONS[index]
            if action is StockAction.EVALUATE_PERFORMANCE:
                evaluated[places] = True
                info |= self._evaluate(places, rewards)
            else:
                self._carry_out(action, places)
        self._counts[np.flatnonzero(carried), chosen[carried]] += 1
        self._seen[TAKEN][carried] = _OFTEN[self._counts[carried]]
        self._steps += 1
        truncated = ~evaluated & (self._steps >= self._most_steps)
        over = np.flatnonzero(evaluated | truncated)
        if len(over):
            info |= self._finals(over)
            self._begin(over, self._draw(len(over)))
        else:
            self._update_masks()
        info["action_mask"] = self.action_masks()
        return self._copied(), rewards, evaluated, truncated, info

    def _read(self, actions: Sequence[int] | Sequence[str] | NDArray[np.int64]) -> Numbers:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,):
            raise ValueError(f"there are {self.num_envs} actions a step, not {given.shape}")
        if np.issubdtype(given.dtype, np.integer):
            if ((given < 0) | (given >= len(ACTIONS))).any():
                read_action(int(given[(given < 0) | (given >= len(ACTIONS))][0]))
            return given.astype(np.int64)
        return np.array([read_action(each) for each in given.tolist()], np.int64)

    def _asked(self, options: Mapping[str, Any]) -> Rows:
        if set(options) != {"symbol", "as_of"}:
            raise ValueError(f"there are the options symbol and as_of, both, not {list(options)}")
        symbols, days = (self._each(options[name]) for name in ("symbol", "as_of"))
        return np.array([self._row(s, d) for s, d in zip(symbols, days, strict=True)], np.int64)

    def _each(self, given: Any) -> Sequence[Any]:
        one = isinstance(given, str) or not isinstance(given, Sequence | np.ndarray)
        return [given] * self.num_envs if one else list(given)

    def _row(self, symbol: object, as_of: object) -> int:
        name, instant = read_symbol(symbol), read_instant(as_of)
        table = self._days.tables.get(name)
        if table is None:
            raise ValueError(f"{name} is not among {', '.join(self._days.tables)}")
        at = table.index(instant)
        if close_known_from(table.days[at]) != instant:
            raise ValueError(
                f"{name} has no price on {as_of}: episodes side by side begin with the close of a "
                f"day, such as {table.days[at]}"
            )
        return self._arrays.row(name, at)

    def _draw(self, count: int) -> Rows:
        """Draws a stock, all equally likely, and then one of its days."""
        stocks = self.np_random.integers(len(self._drawn), size=count)
        shares = self.np_random.random(count)
        spans = (self._drawn[stock] for stock in stocks.tolist())
        return np.array(
            [span[int(share * len(span))] for span, share in zip(spans, shares, strict=True)],
            np.int64,
        )

    def _begin(self, places: Rows, rows: Rows) -> None:
        for name, values in self._seen.items():
            if name != HORIZON:
                values[places] = 0
        self._rows[places] = rows
        self._parts[places] = 0
        self._judged_on[places] = NONE
        self._recommended[places] = NONE
        self._counts[places] = 0
        self._steps[places] = 0
        self._update_masks()

    def _update_masks(self) -> None:
        taken = (self._counts > 0).astype(np.int64)
        sense = (taken @ _NEEDS.T > 0) | _FREE
        sense[self._counts.sum(axis=1) >= MOST_STEPS] = False
        self._sensible = sense.astype(np.int8)

    def _carry_out(self, action: StockAction, places: Rows) -> None:
        if action in BITS:
            self._parts[places] |= BITS[action]
            self._write(action, places)
        elif action is StockAction.GENERATE_INSIGHT:
            self._judge(places)
        else:
            self._recommend(places)

    def _write(self, action: StockAction, places: Rows) -> None:
        if action is not StockAction.RUN_TA_ADVANCED:
            self._write_part(action, places, priced=True)
        if action is StockAction.RUN_TA_BASIC:
            # Its prices are encoded relative to the last price, which this action fetches.
            places = places[self._parts[places] & _ADVANCED > 0]
        elif action is not StockAction.RUN_TA_ADVANCED:
            return
        priced = self._parts[places] & _BASIC > 0
        for has_last in (True, False):
            self._write_part(
                StockAction.RUN_TA_ADVANCED, places[priced == has_last], priced=has_last
            )

    def _write_part(self, action: StockAction, places: Rows, *, priced: bool) -> None:
        if not len(places):
            return
        name = PART_FIELDS[action]
        numbers, known = self._arrays.part(action, self._rows[places], priced=priced)
        self._seen[name][places], self._seen[mask_of(name)][places] = numbers, known

    def _judge(self, places: Rows) -> None:
        self._judged_on[places] = self._parts[places]
        strengths, known = self._seen[INSIGHTS], self._seen[mask_of(INSIGHTS)]
        for place in places.tolist():
            found = self._arrays.judged(int(self._rows[place]), int(self._parts[place]))
            strengths[place], known[place] = found.strengths, found.known

    def _recommend(self, places: Rows) -> None:
        for place in places.tolist():
            decision = self._arrays.decided(
                int(self._rows[place]), int(self._judged_on[place]), int(self._parts[place])
            )
            self._recommended[place] = _RECOMMENDED.index(decision.action)
            self._seen[RECOMMENDATION][place] = encode_recommendation(decision)[RECOMMENDATION]

    def _evaluate(self, places: Rows, rewards: NDArray[np.float64]) -> dict[str, Any]:
        without = np.zeros(self.num_envs, bool)
        positions = _POSITIONS[self._recommended[places]]
        for position in np.unique(positions).tolist():
            same = places[positions == position]
            found = self._arrays.outcomes(position, self._rows[same])
            without[same] = np.isnan(found.rewards)
            rewards[same] += np.nan_to_num(found.rewards)
            self._seen[EVALUATION][same] = found.figures
            self._seen[mask_of(EVALUATION)][same] = found.known
        return {"without_reward": without} if without.any() else {}

    def _refusals(self, chosen: Numbers, carried: NDArray[np.bool_]) -> dict[str, Any]:
        if carried.all():
            return {}
        reasons = np.full(self.num_envs, None, dtype=object)
        for place in np.flatnonzero(~carried).tolist():
            reasons[place] = WITHOUT[ACTIONS[int(chosen[place])]]
        return {"refused": reasons, "_refused": ~carried}

    def _finals(self, over: Rows) -> dict[str, Any]:
        final = np.full(self.num_envs, None, dtype=object)
        which = np.zeros(self.num_envs, bool)
        which[over] = True
        last = {name: values[over] for name, values in self._seen.items()}
        for at, place in enumerate(over.tolist()):
            final[place] = {name: values[at] for name, values in last.items()}
        return {"final_obs": final, "_final_obs": which}

    def _copied(self) -> Observation:
        """Returns a copy, so that an observation that was handed out does not change."""
        return {name: values.copy() for name, values in self._seen.items()}
