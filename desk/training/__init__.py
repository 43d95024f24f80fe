"""A stock's episode as an environment to train in, and how the built-in recommender did.

Where Gymnasium is installed, importing this registers the environment as `StockResearch-v0`.
"""

from contextlib import suppress

with suppress(ModuleNotFoundError):
    import gymnasium

    gymnasium.register(
        id="StockResearch-v0", entry_point="desk.training.stock_env:StockResearchEnv"
    )
