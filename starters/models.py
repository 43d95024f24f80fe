"""Which agents of a run are models, for whoever starts it: they cost money."""

from contracts.config import RunConfig
from contracts.turns import BUILTIN


def agents_by_model(config: RunConfig) -> list[str]:
    """`product_manager is claude-opus-5-5`, for every agent that is not built in."""
    return [
        f"{entry.agent} is {entry.model}"
        for entry in config.policy.agents
        if entry.model not in (None, BUILTIN)
    ]
