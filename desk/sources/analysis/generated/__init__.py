"""Generated accounts and headlines of companies, for practice: data for the stock episode to fetch
and a policy to learn from.

They are drawn with a seed and depend on the later price, to a stated degree (`RELATIONS`). So a
profit made with them says something about the environment, and nothing about markets. Each fact
always carries its generator and its seed.
"""

from desk.sources.analysis.generated.facts import (
    GENERATED_SOURCE,
    GENERATOR,
    RELATIONS,
    SEED,
    GeneratedFacts,
    PriceMoves,
    generated_accounts,
    generated_headlines,
    has_accounts,
)

__all__ = [
    "GENERATED_SOURCE",
    "GENERATOR",
    "RELATIONS",
    "SEED",
    "GeneratedFacts",
    "PriceMoves",
    "generated_accounts",
    "generated_headlines",
    "has_accounts",
]
