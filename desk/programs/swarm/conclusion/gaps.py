"""What could not be had, in a strategist's words and once, however many tools told of it."""

import re
from typing import Final

from desk.contracts.findings.claims import Metric
from desk.programs.swarm.conclusion.wording import plain, within

UNSAID: Final = "something could not be computed"

_OUT_OF_DATE: Final = re.compile(
    r"\bthe table has the decisions of (?P<bank>.+?) up to (?P<day>\S+) only", re.I
)
_ENDED: Final = re.compile(
    r"the prices of \S+ end on (?P<day>\S+),.* up to (?P<until>[^\s,;]+)", re.I
)
_NOT_LIVE: Final = re.compile(r"without --live", re.I)
_TOLD: Final = (
    (
        re.compile(r"\badx\b.*no highs and lows", re.I),
        "the strength of its trend (ADX), which takes highs and lows; it has closes only.",
    ),
    (
        re.compile(r"no story of .+ holds a listed word", re.I),
        "the tone of its news: none of them has a word that the lists know.",
    ),
    (
        re.compile(r"no story of .+ was found: there is no tone", re.I),
        "the tone of its news: no story of it was found.",
    ),
    (
        re.compile(r"\bfewer than \d+ besides .+ have prices", re.I),
        "how its group has done: too few others of it have prices.",
    ),
    (
        re.compile(r"more patterns are counted", re.I),
        "further chart patterns, which are counted and not told one by one.",
    ),
)
_TOO_FEW: Final = re.compile(r"\w+: (?:[^:]+: )?it needs \d+ days with prices", re.I)
_OF_A_METRIC: Final = re.compile(r"(?P<metric>[a-z0-9_]+):")
_METRICS: Final = {
    Metric.SMA_50: "its medium-term average",
    Metric.SMA_200: "its long-term average",
}
"""Those that have a figure in their name, as prose names them."""
_NAMES: Final = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")


def tell_gap(market: str, words: str) -> str:
    """A tool's words on what is missing of a market. What is missing of no one market, as a bank's
    later decisions, goes without its name, so that it is told once."""
    outdated = _OUT_OF_DATE.search(words)
    if outdated:
        bank, day = outdated["bank"], outdated["day"]
        return plain(f"Decisions of the {bank} after {day} are not known here.", UNSAID)
    if _NOT_LIVE.search(words):
        return "News of the banks and of publishers were not read: the desk ran without live news."
    return f"{market}: {_on_market(words)}"


def _on_market(words: str) -> str:
    ended = _ENDED.search(words)
    if ended:
        day, until = ended["day"], ended["until"]
        return plain(f"its prices end on {day}; ask as of a day up to {until}.", UNSAID)
    told = next((said for pattern, said in _TOLD if pattern.search(words)), None)
    if told:
        return told
    what = _metric_in(words)
    if what and _TOO_FEW.match(words):
        return f"{what}: it takes more days with prices than are known."
    instead = f"{what} could not be computed." if what else UNSAID
    line = plain(_NAMES.sub(lambda name: name[0].replace("_", " "), words), instead)
    return within(line)


def _metric_in(words: str) -> str | None:
    """The metric that a tool's words begin with, as prose names it; None where they begin with
    none."""
    found = _OF_A_METRIC.match(words)
    if found is None or found["metric"] not in set(Metric):
        return None
    metric = Metric(found["metric"])
    return _METRICS.get(metric) or metric.replace("_", " ")
