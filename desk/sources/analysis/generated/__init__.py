"""Accounts and headlines of companies that nobody published, for practice: the stock episode has
something to fetch in them, and a policy something to learn.

They are drawn with a seed and know the later price, to a stated degree (`RELATIONS`). So what is
earned with them says something about the environment, and nothing about markets. Each carries its
generator and its seed wherever it goes.
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
