"""The stock episode as an environment for training, and the record of the built-in recommender.

If Gymnasium is installed, the import registers `StockResearch-v0` (only what is known offline, no
charges) and `StockPractice-v0` (generated facts and `USUAL_CHARGES`).
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
