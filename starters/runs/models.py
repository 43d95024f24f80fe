"""Which agents of a run are models, and what they may spend."""

from decimal import Decimal
from math import isfinite

from desk.contracts.agents.config import RunConfig
from desk.contracts.agents.usage import BUILTIN
from desk.contracts.names import AgentId
from desk.documents.rendering.words.wording import allowance_words
from starters.terminal.exit_status import UsageError


def with_budget(config: RunConfig, usd: float | None, tokens: int | None = None) -> RunConfig:
    """Returns the configuration with other limits in US dollars and in tokens, if given.

    Raises:
        UsageError: the dollars are not a finite number of at least 0.
    """
    limits: dict[str, object] = {}
    if usd is not None:
        if not (isfinite(usd) and usd >= 0):
            raise UsageError(f"a budget is dollars from 0 on, such as 5, and not {usd}")
        limits["usd"] = Decimal(str(usd))
    if tokens is not None:
        limits["tokens"] = tokens
    budget = config.policy.budget.model_copy(update=limits)
    policy = config.policy.model_copy(update={"budget": budget})
    return config.model_copy(update={"policy": policy})


def has_models(config: RunConfig) -> bool:
    """Returns whether any agent of the run is a model."""
    return bool(_models(config))


def model_words(config: RunConfig) -> str:
    """Describes who does the analysis, such as `product_manager is claude-opus-5-5, the other
    agents are built in; at most $5.00`."""
    by_model = _models(config)
    if not by_model:
        return "the built-in analysts"
    named = [f"{agent} is {model}" for agent, model in by_model.items()]
    if len(by_model) < len(AgentId.known()):
        named.append("the other agents are built in")
    return f"{', '.join(named)}; {allowance_words(config.policy.budget.allowance)}"


def _models(config: RunConfig) -> dict[AgentId, str]:
    return {
        entry.agent: entry.model
        for entry in config.policy.agents
        if entry.model not in (None, BUILTIN)
    }
