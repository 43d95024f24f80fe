"""Damages of how far a report can be relied on: verdicts, warnings, what is missing, coverage,
conflicts, confidence and recommendations."""

import re
from random import Random
from typing import Final

from tests.trust.strangers.prose import DIRECTION, Json
from tests.trust.strangers.told import Damage, Told

_WARNINGS: Final = (
    "the last fixing leapt, and without a next one it cannot be told from an error",
    "the policy rate is stale; a later change is not in it",
    "a second source was not asked, as it could not be reached",
    "the figures rest on a source that was corrected since",
)
_REASONS: Final = (
    "no decision calendar: The table has no decision days that had been announced by then.",
    "no news: the source could not be reached.",
    "no second source: the statistics were not published by then.",
)
_RECOMMENDATIONS: Final = (
    "Do not publish: figures do not agree with their source.",
    "Publish with care: a source disagrees on one figure.",
    "Publish: every figure was confirmed by two sources of other origins.",
    "Hold back until a person has looked at the conflict.",
)
_STATUSES: Final = ("verified", "single_source", "contested")
_DECIDERS: Final = ("vote", "person", "default")
_VERDICT_WORDS: Final = (
    (r"no other origin states it", "Federal Reserve Board states the same"),
    (r"follows from its evidence", "is stated by its source in the same words"),
    (r"agrees with", "disagrees with"),
    (r"within 0\.1 %", "within 2.5 %"),
    (r"states the same", "states another figure"),
    (r", after its as-of day", ""),
    (r"is of another day", "is the same"),
    (r"that are verified", "that are contested"),
    (r"Federal Reserve Board", "Bank of Japan"),
    (r"Bank for International Settlements", "International Monetary Fund"),
)


def _researched(report: Json) -> list[Json]:
    return [market for market in report["markets"] if market["claims"]]


def _with(report: Json, key: str) -> list[Json]:
    return [market for market in report["markets"] if market[key]]


def _item_dropped(report: Json, random: Random, key: str) -> Told | None:
    markets = _with(report, key)
    if not markets:
        return None
    market = random.choice(markets)
    dropped = market[key].pop(random.randrange(len(market[key])))
    return Told(f"{market['market']}, {key}", dropped, "")


def _item_invented(
    report: Json, random: Random, key: str, inventions: tuple[str, ...]
) -> Told | None:
    market = random.choice(_researched(report))
    invented = f"{market['market']}: {random.choice(inventions)}"
    if invented in market[key]:
        return None
    market[key].append(invented)
    return Told(f"{market['market']}, {key}", "", invented)


def warning_dropped(report: Json, random: Random) -> Told | None:
    """A market's warning is left out."""
    return _item_dropped(report, random, "warnings")


def warning_changed(report: Json, random: Random) -> Told | None:
    """A market's warning says something else."""
    markets = _with(report, "warnings")
    if not markets:
        return None
    market = random.choice(markets)
    number = random.randrange(len(market["warnings"]))
    before = market["warnings"][number]
    rules = (
        (r"; a later change is not in it", "; there was no later change"),
        (r"known up to \d+ \w+ \d+", "known up to the day of this report"),
        (r"without a next one it cannot be told from an error", "a second source confirms it"),
        (r"the last fixing leapt", "a fixing a month ago leapt"),
        (r"^[A-Z/]+:", "TW:"),
    )
    old, new = random.choice(rules)
    market["warnings"][number] = re.sub(old, new, before)
    return Told(f"{market['market']}, warnings", before, market["warnings"][number])


def warning_invented(report: Json, random: Random) -> Told | None:
    """A market gets a warning that nothing calls for."""
    return _item_invented(report, random, "warnings", _WARNINGS)


def missing_dropped(report: Json, random: Random) -> Told | None:
    """What was looked for in vain on a market is not told."""
    return _item_dropped(report, random, "missing")


def missing_invented(report: Json, random: Random) -> Told | None:
    """Something is told to be missing that is there, or was not looked for."""
    return _item_invented(report, random, "missing", _REASONS)


def missing_market_hidden(report: Json, random: Random) -> Told | None:
    """A market without a figure is not among the missing ones, or for another reason."""
    rows = report["coverage"]["missing"]
    if not rows:
        return None
    row = random.choice(rows)
    before = f"{row['market']}: {row['reason']}"
    if random.random() < 0.5:
        rows.remove(row)
        return Told("coverage, missing", before, "")
    row["reason"] = random.choice(_REASONS)
    return Told("coverage, missing", before, f"{row['market']}: {row['reason']}")


def missing_market_invented(report: Json, random: Random) -> Told | None:
    """A market that has figures is told to be missing."""
    market = random.choice(_researched(report))["market"]
    report["coverage"]["missing"].append({"market": market, "reason": random.choice(_REASONS)})
    return Told("coverage, missing", "", market)


def status_changed(report: Json, random: Random) -> Told | None:
    """A claim's verdict is another one."""
    market = random.choice(_researched(report))
    verdict = random.choice(market["verdicts"])
    before = verdict["status"]
    verdict["status"] = random.choice([one for one in _STATUSES if one != before])
    return Told(f"verdict on {verdict['claim_id']}", before, verdict["status"])


def verdict_words_changed(report: Json, random: Random) -> Told | None:
    """The words of a claim's verdict say something else."""
    market = random.choice(_researched(report))
    verdict = random.choice(market["verdicts"])
    before = verdict["words"]
    old, new = random.choice(_VERDICT_WORDS)
    verdict["words"] = re.sub(old, new, before)
    return Told(f"verdict on {verdict['claim_id']}", before, verdict["words"])


def recommendation_changed(report: Json, random: Random) -> Told | None:
    """The validator recommends something else on a market."""
    markets = _with(report, "recommendation")
    if not markets:
        return None
    market = random.choice(markets)
    before = market["recommendation"]
    market["recommendation"] = random.choice(_RECOMMENDATIONS)
    return Told(f"{market['market']}, recommendation", before, market["recommendation"])


def result_confidence_changed(report: Json, random: Random) -> Told | None:
    """A market's result is told with another confidence."""
    market = random.choice(_researched(report))
    before = market["confidence"]
    market["confidence"] = random.choice(
        [one for one in (0.25, 0.4, 0.6, 0.8, 0.99) if abs(one - before) > 0.03]
    )
    return Told(f"{market['market']}, confidence", str(before), str(market["confidence"]))


def coverage_changed(report: Json, random: Random) -> Told | None:
    """The count of markets, the threshold, or whether it was reached, is another."""
    coverage = report["coverage"]
    key = random.choice(("expected", "researched", "threshold", "outcome"))
    if key == "outcome":
        before = report["outcome"]
        report["outcome"] = "incomplete" if before == "complete" else "complete"
        return Told("outcome", before, report["outcome"])
    before = coverage[key]
    coverage[key] = (
        random.choice([one for one in (0.5, 0.75, 0.8, 0.95, 1.0) if one != before])
        if key == "threshold"
        else max(1, before + random.choice((-6, -3, -1, 1, 2)))
    )
    return Told(f"coverage, {key}", str(before), str(coverage[key]))


def market_outcome_changed(report: Json, random: Random) -> Told | None:
    """A market is told to have been researched, or not, or only partly."""
    market = random.choice(report["markets"])
    before = market["outcome"]
    others = [one for one in ("researched", "partial", "missing") if one != before]
    market["outcome"] = random.choice(others)
    return Told(f"{market['market']}, outcome", before, market["outcome"])


def resolution_changed(report: Json, random: Random) -> Told | None:
    """The words on how a conflict was settled say something else."""
    if not report["conflicts"]:
        return None
    conflict = random.choice(report["conflicts"])
    before = conflict["resolution"]
    rules = (
        *((old.pattern, new) for old, new in DIRECTION),
        (r"carries the greatest weight", "was settled by a person"),
        (r" Dissent: .*", " There was no dissent."),
        (r"no source", "Reuters"),
        (r"research_agent_1", "research_agent_2"),
    )
    fitting = [rule for rule in rules if re.search(rule[0], before)]
    if fitting:
        old, new = random.choice(fitting)
        conflict["resolution"] = re.sub(old, new, before, count=1)
    return Told(conflict["conflict_id"], before, conflict["resolution"])


def choice_changed(report: Json, random: Random) -> Told | None:
    """Another position of a conflict is told to have been chosen, or none."""
    if not report["conflicts"]:
        return None
    conflict = random.choice(report["conflicts"])
    before = conflict["chosen"]
    stated = {position["stated"] for position in conflict["positions"]} - {before}
    conflict["chosen"] = random.choice([*sorted(stated), None])
    return Told(f"{conflict['conflict_id']}, chosen", str(before), str(conflict["chosen"]))


def decider_changed(report: Json, random: Random) -> Told | None:
    """A conflict is told to have been settled by another, or a party to it weighs another's."""
    if not report["conflicts"]:
        return None
    conflict = random.choice(report["conflicts"])
    if random.random() < 0.5:
        one, other, *_ = conflict["positions"]
        before = f"{one['stated']} {one['weight']}, {other['stated']} {other['weight']}"
        one["weight"], other["weight"] = other["weight"], one["weight"]
        after = f"{one['stated']} {one['weight']}, {other['stated']} {other['weight']}"
        return Told(f"{conflict['conflict_id']}, weights", before, after)
    before = conflict["decided_by"]
    conflict["decided_by"] = random.choice([one for one in _DECIDERS if one != before])
    if conflict["decided_by"] == "person":
        conflict["decided_by_whom"] = random.choice(("A. Meyer", "the desk's head", "K. Tanaka"))
    return Told(f"{conflict['conflict_id']}, decided by", str(before), conflict["decided_by"])


def conflict_dropped(report: Json, random: Random) -> Told | None:
    """A conflict is left out."""
    if not report["conflicts"]:
        return None
    conflict = report["conflicts"].pop(random.randrange(len(report["conflicts"])))
    return Told(conflict["conflict_id"], conflict["resolution"], "")


STANDING: Final[dict[str, Damage]] = {
    "warning dropped": warning_dropped,
    "warning changed": warning_changed,
    "warning invented": warning_invented,
    "missing dropped": missing_dropped,
    "missing invented": missing_invented,
    "missing market hidden": missing_market_hidden,
    "missing market invented": missing_market_invented,
    "status of a verdict": status_changed,
    "words of a verdict": verdict_words_changed,
    "recommendation": recommendation_changed,
    "confidence of a result": result_confidence_changed,
    "coverage": coverage_changed,
    "outcome of a market": market_outcome_changed,
    "resolution of a conflict": resolution_changed,
    "choice in a conflict": choice_changed,
    "decider of a conflict": decider_changed,
    "conflict dropped": conflict_dropped,
}
