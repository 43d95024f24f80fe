"""A stock's episode as an environment to train in, and how the built-in recommender did.

Where Gymnasium is installed, importing this registers `StockResearch-v0`, of what is known offline
and without charges, and `StockPractice-v0`, with generated facts and `USUAL_CHARGES`.
"""

from contextlib import suppress

with suppress(ModuleNotFoundError):
    import gymnasium

    from desk.training.charges import USUAL_CHARGES
    from desk.training.company_figures import Facts

    _ENV = "desk.training.stock_env:StockResearchEnv"
    _VECTOR = "desk.training.vector_env:StockResearchVectorEnv"
    _PRACTICE = {"facts": Facts.GENERATED, "charges": dict(USUAL_CHARGES)}
    gymnasium.register(id="StockResearch-v0", entry_point=_ENV)
    gymnasium.register(
        id="StockPractice-v0", entry_point=_ENV, vector_entry_point=_VECTOR, kwargs=_PRACTICE
    )
