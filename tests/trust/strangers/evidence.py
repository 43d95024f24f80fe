"""Evidence that is made up together with all that rests on it, so that everything adds up."""

from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Final

from desk.trust.seals import content_hash
from tests.trust.strangers.prose import Json, figures_in, printed, sentences_of
from tests.trust.strangers.told import Damage, Told

_STEP: Final = Decimal("0.25")


def rate_made_up(report: Json, random: Random) -> Told | None:
    """A policy rate is a quarter of a point higher or lower: in what the sources answered, in the
    claims, the tables and the words, with the digests made anew.

    Of an area that is not the base of the differentials and decided nothing in the window.
    """
    decided = {row["area"] for row in report["calendar"] if not row["ahead"]}
    base = report["config"].get("base_area", "US")
    rows = [
        row
        for row in report["policy_rates"]
        if row["rate"] and row["since"] and row["area"] not in decided | {base}
    ]
    if not rows:
        return None
    row = random.choice(rows)
    step = random.choice((_STEP, -_STEP))
    old = Decimal(row["rate"])
    since = row["since"]
    for result in report["evidence"]:
        _shift_answers(result, row["area"], since, step)
    _shift_claims(report, row["area"], step)
    row["rate"] = str(old + step)
    if row["differential"] is not None:
        row["differential"] = str(Decimal(row["differential"]) + 100 * step)
    _retell(report, f"{row['area']}:policy_rate", f"{old + step} %")
    return Told(f"policy rate of {row['area']}", f"{old} %", f"{old + step} %")


def since_made_up(report: Json, random: Random) -> Told | None:
    """A policy rate stands since another day: in what the source answered, with the digest made
    anew, and in the table."""
    decided = {row["area"] for row in report["calendar"] if not row["ahead"]}
    rows = [row for row in report["policy_rates"] if row["since"] and row["area"] not in decided]
    if not rows:
        return None
    row = random.choice(rows)
    before = row["since"]
    row["since"] = (
        date.fromisoformat(before) - timedelta(days=random.randrange(1, 20))
    ).isoformat()
    for result in report["evidence"]:
        for rate in (result["content"] or {}).get("rates", ()):
            if rate["area"] == row["area"] and rate.get("since") == before:
                rate["since"] = row["since"]
                result["content_hash"] = content_hash(result["content"])
    return Told(f"policy rate of {row['area']}, since", before, row["since"])


def _shift_answers(result: Json, area: str, since: str, step: Decimal) -> None:
    """The rate of an area, and its month-end rates from the month on in which it was last set."""
    for rate in (result["content"] or {}).get("rates", ()):
        if rate["area"] != area or rate.get("month", since[:7]) < since[:7]:
            continue
        for key in ("rate", "low", "high"):
            if rate.get(key) is not None:
                rate[key] = str(Decimal(rate[key]) + step)
        result["content_hash"] = content_hash(result["content"])


def _shift_claims(report: Json, area: str, step: Decimal) -> None:
    """The rate's claims, and the differentials of which it is the first or the second rate."""
    for market in report["markets"]:
        for claim in market["claims"]:
            sign = 0
            if claim["claim_id"] == f"{area}:policy_rate":
                sign = 1
            elif claim["metric"] == "differential" and f"{area}:policy_rate" in claim["inputs"]:
                sign = 100 if claim["inputs"][0] == f"{area}:policy_rate" else -100
            if sign:
                claim["value"] = str(Decimal(claim["value"]) + sign * step)


def _retell(report: Json, reference: str, figure: str) -> None:
    """A figure printed anew wherever a sentence refers to it."""
    for sentence, prose_key in sentences_of(report):
        figures = figures_in(sentence[prose_key], sentence["text"])
        if figures and reference in figures:
            sentence["text"] = printed(sentence[prose_key], figures | {reference: figure})


EVIDENCE: Final[dict[str, Damage]] = {
    "evidence made up: a rate": rate_made_up,
    "evidence made up: its day": since_made_up,
}
