"""Forms on a company's accounts. They stay open if the accounts are missing."""

from decimal import Decimal
from typing import Final

from desk.contracts.findings.claims import Metric
from desk.programs.swarm.objectives.form import (
    FUNDAMENTAL,
    STOCKS,
    Answered,
    Decide,
    Decided,
    MarketView,
    ObjectiveForm,
)


def _above_nothing(metric: Metric, what: str, sentence: str) -> Decide:
    def decide(view: MarketView) -> Decided:
        value = view.value(metric)
        if value is None:
            return Decided(
                Answered.OPEN,
                f"no accounts of {view.name} are known here, which would tell {what}",
                addressed=False,
            )
        said = sentence.format(name=view.name, figure=view.told(metric, "signed"))
        return Decided(Answered.YES if value > Decimal(0) else Answered.NO, said)

    return decide


COMPANIES: Final = (
    ObjectiveForm(
        name="earnings-beat",
        line="earnings: the last earnings a share came in above what had been expected",
        question="Did the last earnings of {} come in above what was expected?",
        decides=(Metric.EARNINGS_SURPRISE,),
        decide=_above_nothing(
            Metric.EARNINGS_SURPRISE,
            "how its earnings came in beside what was expected",
            "the last earnings a share of {name} came in at {figure} of what had been expected",
        ),
        agents=FUNDAMENTAL,
        kinds=STOCKS,
    ),
    ObjectiveForm(
        name="growing",
        line="growing: the revenue of the last year was above that of the year before",
        question="Is the revenue of {} growing?",
        decides=(Metric.REVENUE_GROWTH,),
        decide=_above_nothing(
            Metric.REVENUE_GROWTH,
            "how its revenue changed",
            "the revenue of {name} changed {figure} on the year",
        ),
        agents=FUNDAMENTAL,
        kinds=STOCKS,
    ),
)
