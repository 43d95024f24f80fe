"""Damages of the events that a report tells of its markets."""

from collections.abc import Callable
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Final

from tests.trust.strangers.prose import (
    DIRECTION,
    INVENTED,
    SIZE,
    WEEKDAYS,
    Json,
    figures_in,
    printed,
    reworded,
)
from tests.trust.strangers.told import Damage, Told

_SAME_UNIT: Final = (
    (":previous", ":last"),
    (":window_low", ":window_high"),
    (":move", ":z_score"),
)
_IMPACTS: Final = ("high", "medium", "low")


def _events(report: Json) -> list[tuple[Json, Json]]:
    return [(market, event) for market in report["markets"] for event in market["events"]]


def _drawn(report: Json, random: Random, *types: str) -> tuple[Json, Json] | None:
    """A market and an event of it, of some types or any."""
    found = [one for one in _events(report) if not types or one[1]["event_type"] in types]
    return random.choice(found) if found else None


def _swapped(prose: str, one: str, other: str) -> str:
    return prose.replace(one, "\0").replace(other, one).replace("\0", other)


def references_swapped(report: Json, random: Random) -> Told | None:
    """From and to, low and high, or move and score of a sentence change places."""
    drawn = _drawn(report, random, "fx_movement")
    if drawn is None:
        return None
    market, event = drawn
    figures = figures_in(event["description"], event["text"])
    one, other = (f"{market['market']}{metric}" for metric in random.choice(_SAME_UNIT))
    if figures is None or figures.get(one) == figures.get(other) or not {one, other} <= {*figures}:
        return None
    before = event["text"]
    event["description"] = _swapped(event["description"], f"[[{one}]]", f"[[{other}]]")
    event["text"] = printed(event["description"], figures)
    return Told(event["event_id"], before, event["text"])


def _texts_exchanged(report: Json, random: Random, *, renamed: bool) -> Told | None:
    drawn = _drawn(report, random)
    if drawn is None:
        return None
    _, event = drawn
    others = _of_others(report, event)
    if not others:
        return None
    _, other = random.choice(others)
    before = event["text"]
    for key in ("description", "text"):
        event[key], other[key] = other[key], event[key]
    if renamed:
        _rename(event, _name(other), _name(event))
        _rename(other, _name(event), _name(other))
    return Told(f"{event['event_id']} and {other['event_id']}", before, event["text"])


def _of_others(report: Json, event: Json) -> list[tuple[Json, Json]]:
    """The events of the same type about another pair or bank, each with its market."""
    return [
        (market, one)
        for market, one in _events(report)
        if one["market"] != event["market"]
        and one["event_type"] == event["event_type"]
        and _name(one) != _name(event)
    ]


def _name(event: Json) -> str:
    """What an event's sentences are about: its pair, or its bank."""
    pair = event["event_type"] == "fx_movement"
    return str(event["market"] if pair else event["central_bank"])


def _rename(event: Json, old: str, new: str) -> None:
    """Another name in an event's words; what it refers to stays."""
    figures = figures_in(event["description"], event["text"])
    if figures is not None:
        apart = event["description"].replace(f"[[{old}", "\0")
        event["description"] = apart.replace(old, new).replace("\0", f"[[{old}")
        event["text"] = printed(event["description"], figures)


def texts_exchanged(report: Json, random: Random) -> Told | None:
    """The sentences of two markets' events change places, names and all."""
    return _texts_exchanged(report, random, renamed=False)


def texts_exchanged_and_renamed(report: Json, random: Random) -> Told | None:
    """The sentences of two markets' events change places, each under the other's name."""
    return _texts_exchanged(report, random, renamed=True)


def direction_changed(report: Json, random: Random) -> Told | None:
    """A word of direction of an event becomes its opposite."""
    drawn = _drawn(report, random, "fx_movement", "rate_decision")
    if drawn is None:
        return None
    told = reworded(drawn[1], "description", DIRECTION, random)
    return Told(drawn[1]["event_id"], *told) if told else None


def size_changed(report: Json, random: Random) -> Told | None:
    """A word of size, or of how long, says something else of an event."""
    drawn = _drawn(report, random)
    told = reworded(drawn[1], "description", SIZE, random) if drawn else None
    return Told(drawn[1]["event_id"], *told) if drawn and told else None


def sentence_invented(report: Json, random: Random) -> Told | None:
    """An event gets a sentence that nobody found."""
    drawn = _drawn(report, random)
    if drawn is None:
        return None
    event, before = drawn[1], drawn[1]["text"]
    invented = random.choice(INVENTED)
    for key in ("description", "text"):
        event[key] = f"{event[key]} {invented}"
    return Told(event["event_id"], before, event["text"])


def event_dropped(report: Json, random: Random) -> Told | None:
    """An event is left out."""
    drawn = _drawn(report, random)
    if drawn is None:
        return None
    market, event = drawn
    market["events"].remove(event)
    return Told(event["event_id"], event["text"], "")


def event_invented(report: Json, random: Random) -> Told | None:
    """An event of one market is told of another as well, under that one's names."""
    drawn = _drawn(report, random)
    if drawn is None:
        return None
    _, event = drawn
    others = _of_others(report, event)
    if not others:
        return None
    there, model = random.choice(others)
    copy = deepcopy(event)
    _rename(copy, _name(event), _name(model))
    for key in ("market", "currency_pair", "area", "central_bank"):
        copy[key] = model[key]
    copy["event_id"] = f"{model['event_id'].rpartition('/')[0]}/{event['event_date']}"
    if copy["event_id"] == model["event_id"]:
        copy["event_id"] += "b"
    there["events"].append(copy)
    return Told(copy["event_id"], "", copy["text"])


def impact_changed(report: Json, random: Random) -> Told | None:
    """An event matters more or less than it does."""
    return _field_changed(
        report, random, "impact", lambda was: random.choice([one for one in _IMPACTS if one != was])
    )


def event_confidence_changed(report: Json, random: Random) -> Told | None:
    """An event is told with another confidence."""
    return _field_changed(
        report,
        random,
        "confidence",
        lambda was: random.choice([one for one in (0.3, 0.55, 0.7, 1.0) if abs(one - was) > 0.04]),
    )


def verified_flag_changed(report: Json, random: Random) -> Told | None:
    """What a source confirmed is unconfirmed, or the other way round."""
    return _field_changed(report, random, "verified", lambda was: not was)


def _field_changed(
    report: Json, random: Random, key: str, other: Callable[[Json], Json]
) -> Told | None:
    drawn = _drawn(report, random)
    if drawn is None:
        return None
    event, before = drawn[1], drawn[1][key]
    event[key] = other(before)
    return Told(f"{event['event_id']}, {key}", str(before), str(event[key]))


def bank_exchanged(report: Json, random: Random) -> Told | None:
    """A central bank's event is told of another bank, in the field and in the words."""
    drawn = _drawn(report, random, "rate_decision", "scheduled_decision")
    if drawn is None:
        return None
    event, before, bank = drawn[1], drawn[1]["text"], drawn[1]["central_bank"]
    others = sorted({row["bank"] for row in report["policy_rates"]} - {bank})
    if bank not in before or not others:
        return None
    event["central_bank"] = random.choice(others)
    for key in ("description", "text"):
        event[key] = event[key].replace(bank, event["central_bank"])
    return Told(event["event_id"], before, event["text"])


def day_moved(report: Json, random: Random) -> Told | None:
    """A decision is told of another day, in the fields and where the words name a weekday."""
    drawn = _drawn(report, random, "rate_decision", "scheduled_decision")
    if drawn is None:
        return None
    event, before = drawn[1], drawn[1]["event_date"]
    day = date.fromisoformat(before)
    moved = day + timedelta(days=random.choice((-7, -1, 1, 7)))
    event["event_date"] = moved.isoformat()
    event["event_id"] = event["event_id"].replace(before, event["event_date"])
    old, new = (f"on {WEEKDAYS[one.weekday()]}" for one in (day, moved))
    for key in ("description", "text"):
        event[key] = event[key].replace(old, new)
    return Told(event["event_id"], before, event["event_date"])


EVENTS: Final[dict[str, Damage]] = {
    "references swapped": references_swapped,
    "texts exchanged": texts_exchanged,
    "texts exchanged and renamed": texts_exchanged_and_renamed,
    "direction of an event": direction_changed,
    "size of an event": size_changed,
    "sentence invented": sentence_invented,
    "event dropped": event_dropped,
    "event invented": event_invented,
    "impact of an event": impact_changed,
    "confidence of an event": event_confidence_changed,
    "verified flag": verified_flag_changed,
    "central bank exchanged": bank_exchanged,
    "day of an event moved": day_moved,
}
