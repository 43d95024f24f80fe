"""The learning system at a glance, for the Temporal UI."""

from desk.contracts.learning.lessons import Advice
from desk.learning.learned.state import Learned


def learned_details(learned: Learned, advised: Advice | None) -> str:
    """How much is known and what was advised last, as Markdown."""
    scored, still_open = learned.forecasts
    lines = [
        f"**{learned.weeks} weeks**, {scored:,} forecasts scored, {still_open:,} open"
        + (f", {learned.hypotheses:,} hypotheses" if learned.hypotheses else ""),
        "",
    ]
    if advised is None:
        return "\n".join([*lines, "nobody has asked yet"])
    asked = f"as of {advised.as_of:%Y-%m-%d %H:%M} UTC, from {advised.weeks} weeks"
    if not advised.recommendations:
        return "\n".join([*lines, f"nothing to do differently {asked}"])
    return "\n".join([*lines, f"advised {asked}:", "", *_lines(advised)])


def _lines(advised: Advice) -> list[str]:
    return [f"- `{each.advice_id}`" for each in advised.recommendations]
