"""Adapts the vectorised environment to the interface of Stable-Baselines3."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from desk.programs.episode.encoding import Observation
from desk.training.vector_env import StockResearchVectorEnv

ACTION_MASKS = "action_masks"


class SideBySide(VecEnv):  # type: ignore[misc]
    """Forwards the steps of a vectorised environment.

    A truncated episode counts as ended, with no value after it. The learner would otherwise add its
    own estimate of that value, which nothing corrects for a policy that never reaches an
    evaluation.
    """

    def __init__(self, env: StockResearchVectorEnv, seed: int) -> None:
        self._env, self._first_seed = env, seed
        self._actions: NDArray[np.int64] = np.zeros(env.num_envs, np.int64)
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> Observation:
        """Begins all episodes."""
        seen, _ = self._env.reset(seed=self._first_seed)
        return seen

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores the actions for `step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[Observation, NDArray[np.float64], NDArray[np.bool_], list[dict[str, Any]]]:
        """Carries out the stored actions."""
        seen, rewards, ended, cut_off, info = self._env.step(self._actions)
        over = ended | cut_off
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for place in np.flatnonzero(over).tolist():
            infos[place]["terminal_observation"] = info["final_obs"][place]
        return seen, rewards, over, infos

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Returns the action masks; supports no other method."""
        if method_name != ACTION_MASKS:
            raise AttributeError(method_name)
        return list(self._env.action_masks())

    def get_attr(self, attr_name: str, indices: Any = None) -> Sequence[Any]:
        """Returns the method that returns the action masks, or None as the render mode."""
        if attr_name == "render_mode":
            return [None] * self.num_envs
        if attr_name != ACTION_MASKS:
            raise AttributeError(attr_name)
        return [self._env.action_masks] * self.num_envs

    def has_attr(self, attr_name: str) -> bool:
        """Returns whether the attribute is the action masks."""
        return attr_name == ACTION_MASKS

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raises AttributeError: no attribute can be set."""
        raise AttributeError(attr_name)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Returns False for every environment."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Closes the environment."""
        self._env.close()
