"""The wording that Markdown and HTML share."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from desk.analytics.figures import print_figure, print_full_day
from desk.contracts.agents.budget import Allowance
from desk.contracts.agents.usage import BUILTIN, Usage
from desk.contracts.findings.claims import Claim, Unit, span_days
from desk.contracts.names import activity_id_parts

CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that a terminal interprets."""

NO_FIGURE: Final = "–"
"""The text of a cell without a figure."""


_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
_UNIT = re.compile(r"(?<=\d) (?=(%|σ|bp|days?)(?!\w))")


def typographic(text: str) -> str:
    """Returns the text with true minus signs, and with no line break between figures and their
    units."""
    return _UNIT.sub("\u00a0", _MINUS.sub("−", text))


def allowance_words(allowance: Allowance) -> str:
    """Returns words such as `at most $20.00 and 1,000,000 tokens`."""
    limits = [f"${allowance.usd:,.2f}"] if allowance.usd is not None else []
    limits += [f"{allowance.tokens:,} tokens"] if allowance.tokens is not None else []
    return f"at most {' and '.join(limits)}" if limits else "without a budget"


def cost_words(usage: Usage) -> str:
    """Returns the tokens and cost of agents' turns. Calls with an unknown price are counted."""
    words = f"{usage.tokens:,} tokens"
    if usage.cost_usd:
        words += f", ${usage.cost_usd:.4f}"
    if usage.unpriced_calls:
        calls = "call" if usage.unpriced_calls == 1 else "calls"
        words += f", and {usage.unpriced_calls} {calls} of unknown price"
    return words + lost_words(usage)


def lost_words(usage: Usage) -> str:
    """Returns the end of a sentence on what else may have been billed; empty if everything is
    known."""
    if not usage.lost_calls:
        return ""
    one = usage.lost_calls == 1
    calls = "1 call whose answer was" if one else f"{usage.lost_calls} calls whose answers were"
    most = f"${usage.lost_usd:.4f}" if usage.lost_usd else f"{usage.lost_tokens:,} tokens"
    bound = f"at most {most} more for " if usage.lost_usd or usage.lost_tokens else ""
    return f", and {bound}{calls} lost"


def one_line(text: str) -> str:
    """Returns text from outside, without line breaks and control characters."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text)
    return " ".join(text.split())


def printable(page: str) -> str:
    """Returns a page without control characters, which a terminal would interpret and which the
    words of an agent or a person may contain. Line ends and tabs stay."""
    return CONTROLS.sub(" ", page)


def human(name: str) -> str:
    """Returns an identifier as words: `research_agent_1` becomes `research agent 1`."""
    return name.replace("_", " ")


def failure_words(kind: str) -> str:
    """Returns the kind of a failure as words: `TurnFailed` becomes `turn failed`."""
    return _WORD_START.sub(" ", human(kind)).lower()


def activity_words(name: str, activity_id: str) -> str:
    """Returns what an activity does, as words: `turn 1 of research agent 1`, `publish report`."""
    parts = activity_id_parts(activity_id)
    if parts is None:
        return human(name)
    call = "a call of " if parts.call else ""
    return f"{call}turn {parts.turn} of {human(parts.agent)}"


def span_words(claim: Claim) -> str:
    """Returns `, 30 Sep 2026 to 30 Oct 2026`, for the name of a figure of other days than the
    window's; empty otherwise."""
    days = span_days(claim)
    return f", {print_full_day(days[0])} to {print_full_day(days[1])}" if days else ""


def instant(moment: datetime, zone: str = "UTC") -> str:
    """Formats an instant: `21 Sep 2026 07:00 Europe/London`."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{print_full_day(local.date())} {local:%H:%M} {zone}"


def analysts_words(model: str) -> str:
    """Returns who did the work: `built in`, or a model's name."""
    return "built in" if model == BUILTIN else model


def named_together(names: Iterable[str]) -> str:
    """Returns `a`, `a and b`, or `a, b and c`, by the CLDR for British English."""
    # Slow to import, and most commands list no names.
    from babel.lists import format_list

    return format_list([*names], locale="en_GB")


def arguments_words(arguments: Mapping[str, JsonValue]) -> str:
    """Returns a call's arguments by name: `symbol USD/JPY; start 2025-10-01`."""
    return "; ".join(f"{name} {_argument(value)}" for name, value in sorted(arguments.items()))


def _argument(value: JsonValue) -> str:
    if isinstance(value, list):
        return ", ".join(_argument(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def share_words(share: float, places: int = 0) -> str:
    """Formats a confidence as a percentage: `95 %`."""
    return f"{share:.{places}%}".replace("%", " %")


def figure(value: Decimal | None, unit: Unit, *, signed: bool = True) -> str:
    """Formats a figure in its unit, or the sign for none."""
    return NO_FIGURE if value is None else print_figure(value, unit, signed=signed)


MOST_INPUTS: Final = 8
"""More inputs than this are counted instead of named."""


def rests_on(claim: Claim) -> str:
    """Returns what a claim rests on besides evidence: its formula and its inputs."""
    formula = human(claim.formula) if claim.formula else ""
    if len(claim.inputs) > MOST_INPUTS:
        return f"{formula} of {len(claim.inputs)} figures"
    return f"{formula} of {', '.join(claim.inputs)}" if claim.inputs else formula
