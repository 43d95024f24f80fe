"""Damages of what a report sums up: summary, tables, views, changes, checks across markets."""

import re
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Final

from tests.trust.strangers.prose import (
    DIRECTION,
    INVENTED,
    REFERENCE,
    SIZE,
    WEEKDAYS,
    Json,
    figures_in,
    printed,
    reworded,
)
from tests.trust.strangers.told import Damage, Told

_LEANINGS: Final = ("up", "down", "neutral")


def summary_reworded(report: Json, random: Random) -> Told | None:
    """A word of direction or size in a bullet of the summary is another."""
    sentence = random.choice(report["summary"])
    told = reworded(sentence, "prose", DIRECTION + SIZE, random)
    return Told("summary", *told) if told else None


def summary_counts_changed(report: Json, random: Random) -> Told | None:
    """A count or a day that a bullet of the summary names is another."""
    sentence = random.choice(report["summary"])
    prose, before = sentence["prose"], sentence["text"]
    apart = REFERENCE.sub(lambda found: "\0" * len(found[0]), prose)
    places = [
        *re.finditer(
            r"(?<![\w\0-])\d{1,2}(?=\s(?:of|Asian|G10|Jan|Feb|Mar|Apr|May|Jun|Jul|"
            r"Aug|Sep|Oct|Nov|Dec))",
            apart,
        )
    ]
    figures = figures_in(prose, before)
    if not places or figures is None:
        return None
    place = random.choice(places)
    other = random.choice([one for one in range(1, 29) if one != int(place[0])])
    sentence["prose"] = prose[: place.start()] + str(other) + prose[place.end() :]
    sentence["text"] = printed(sentence["prose"], figures)
    return Told("summary", before, sentence["text"])


def names_in_summary_exchanged(report: Json, random: Random) -> Told | None:
    """Two markets or banks in a bullet of the summary change places, and their figures do not."""
    sentence = random.choice(report["summary"])
    figures, before = figures_in(sentence["prose"], sentence["text"]), sentence["text"]
    names = {market["market"] for market in report["markets"] if "/" in market["market"]}
    names |= {row["bank"] for row in report["policy_rates"] if row["bank"] != row["area"]}
    apart = REFERENCE.sub("", sentence["prose"])
    found = sorted(name for name in names if name in apart)
    if figures is None or not found:
        return None
    one = random.choice(found)
    told_apart = names if figures else names - {*found}
    other = random.choice(sorted(told_apart - {one}))
    parts = REFERENCE.split(sentence["prose"])
    for number in range(0, len(parts), 2):
        swapped = parts[number].replace(one, "\0").replace(other, one).replace("\0", other)
        parts[number] = swapped
    sentence["prose"] = "".join(
        f"[[{part}]]" if number % 2 else part for number, part in enumerate(parts)
    )
    sentence["text"] = printed(sentence["prose"], figures)
    return Told("summary", before, sentence["text"])


def figures_in_summary_exchanged(report: Json, random: Random) -> Told | None:
    """Two figures of the same kind in a bullet of the summary change places."""
    sentence = random.choice(report["summary"])
    figures, before = figures_in(sentence["prose"], sentence["text"]), sentence["text"]
    kinds: dict[str, list[str]] = {}
    for reference in figures or ():
        kinds.setdefault(reference.partition(":")[2].partition("@")[0], []).append(reference)
    several = [references for references in kinds.values() if len(references) > 1]
    if not several or figures is None:
        return None
    one, other = random.sample(random.choice(several), 2)
    swapped = sentence["prose"].replace(one, "\0").replace(other, one).replace("\0", other)
    sentence["prose"] = swapped
    sentence["text"] = printed(swapped, figures)
    return Told("summary", before, sentence["text"])


def bullet_dropped(report: Json, random: Random) -> Told | None:
    """A bullet of the summary is left out."""
    dropped = report["summary"].pop(random.randrange(len(report["summary"])))
    return Told("summary", dropped["text"], "")


def bullet_invented(report: Json, random: Random) -> Told | None:
    """The summary, or the commentary, gets a sentence that nobody found."""
    place = random.choice(("summary", "commentary"))
    invented = random.choice(INVENTED)
    report[place].append({"prose": invented, "text": invented})
    return Told(place, "", invented)


def movers_reordered(report: Json, random: Random) -> Told | None:
    """Two pairs of a group change places in the movers table."""
    movers = report["movers"]
    one, other = random.choice(movers), random.choice(movers)
    if one["group"] != other["group"]:
        return None
    first, second = movers.index(one), movers.index(other)
    before = ", ".join(row["market"] for row in movers)
    movers[first], movers[second] = other, one
    return Told("movers", before, ", ".join(row["market"] for row in movers))


def mover_dropped(report: Json, random: Random) -> Told | None:
    """A pair is not in the movers table."""
    dropped = report["movers"].pop(random.randrange(len(report["movers"])))
    return Told("movers", dropped["market"], "")


def mover_figures_changed(report: Json, random: Random) -> Told | None:
    """A pair's row has another's figure, or its move with the other sign."""
    row, other = random.choice(report["movers"]), random.choice(report["movers"])
    key = random.choice(("last", "move", "z_score", "range_position", "window_low", "window_high"))
    before = row[key]
    if key == "move":
        row[key] = before[1:] if before.startswith("-") else f"-{before}"
    else:
        row[key] = other[key]
    return Told(f"movers, {row['market']}, {key}", str(before), str(row[key]))


def rate_row_changed(report: Json, random: Random) -> Told | None:
    """A row of the policy rates is dropped, is another bank's, or since another day."""
    row = random.choice(report["policy_rates"])
    what = random.choice(("dropped", "bank", "since", "note"))
    before, after = f"{row['area']} {row['bank']} {row['since']} {row['note']}", ""
    if what == "dropped":
        report["policy_rates"].remove(row)
        return Told("policy rates", before, after)
    if what == "bank":
        other = random.choice(report["policy_rates"])
        row["bank"], other["bank"] = other["bank"], row["bank"]
    elif what == "since" and row["since"]:
        moved = date.fromisoformat(row["since"]) - timedelta(days=random.choice((7, 28, 91)))
        row["since"] = moved.isoformat()
    else:
        row["note"] = "the last change is not in the source"
    after = f"{row['area']} {row['bank']} {row['since']} {row['note']}"
    return Told("policy rates", before, after)


def calendar_changed(report: Json, random: Random) -> Told | None:
    """A decision day is dropped, on another day, or had another outcome."""
    if not report["calendar"]:
        return None
    row = random.choice(report["calendar"])
    before = f"{row['area']} {row['day']}: {row['outcome']['text']}"
    what = random.choice(("dropped", "day", "outcome"))
    if what == "dropped":
        report["calendar"].remove(row)
        return Told("calendar", before, "")
    if what == "day":
        moved = date.fromisoformat(row["day"]) + timedelta(days=random.choice((-1, 1, 7)))
        row["day"] = moved.isoformat()
    elif reworded(row["outcome"], "prose", DIRECTION, random) is None:
        return None
    return Told("calendar", before, f"{row['area']} {row['day']}: {row['outcome']['text']}")


def view_changed(report: Json, random: Random) -> Told | None:
    """A direction or a stance leans another way."""
    views = [view for market in report["markets"] for view in market["views"]]
    kind = random.choice(("direction", "stance"))
    fitting = [view for view in views if view["kind"] == kind]
    if not fitting:
        return None
    view = random.choice(fitting)
    before = view["leaning"]
    view["leaning"] = random.choice([one for one in _LEANINGS if one != before])
    return Told(f"{kind} of {view['subject']}", before, view["leaning"])


def view_confidence_changed(report: Json, random: Random) -> Told | None:
    """A view is held with another confidence."""
    views = [view for market in report["markets"] for view in market["views"]]
    view = random.choice(views)
    before = view["confidence"]
    view["confidence"] = random.choice([one for one in (0.3, 0.6, 0.8) if one != before])
    return Told(f"{view['kind']} of {view['subject']}", str(before), str(view["confidence"]))


def probability_changed(report: Json, random: Random) -> Told | None:
    """A forecast is turned round, or is likelier or less likely by a tenth."""
    views = [
        view for market in report["markets"] for view in market["views"] if view.get("forecast")
    ]
    if not views:
        return None
    view = random.choice(views)
    before = view["forecast"]["probability"]
    near = before + random.choice((-0.1, 0.1))
    after = round(random.choice((1 - before, min(max(near, 0.01), 0.99))), 3)
    if abs(after - before) < 0.02:
        return None
    view["forecast"]["probability"] = after
    return Told(f"forecast of {view['subject']}", str(before), str(after))


def change_changed(report: Json, random: Random) -> Told | None:
    """What changed since the week before is dropped or told the other way round."""
    changes = report["changes"]
    if not changes["entries"]:
        before, changes["note"] = changes["note"], "No material change."
        return Told("changes", str(before), "No material change.")
    entry = random.choice(changes["entries"])
    if random.random() < 0.4:
        changes["entries"].remove(entry)
        return Told("changes", entry["text"], "")
    told = reworded(entry, "prose", DIRECTION + SIZE, random)
    return Told("changes", *told) if told else None


def cross_check_changed(report: Json, random: Random) -> Told | None:
    """What does not fit across markets is dropped, reworded, or told of another market."""
    checks = report["cross_checks"]
    if not checks:
        return None
    check = random.choice(checks)
    before = check["text"]
    what = random.choice(("dropped", "reworded", "invented"))
    if what == "dropped":
        checks.remove(check)
        return Told("cross checks", before, "")
    if what == "reworded":
        told = reworded(check, "prose", DIRECTION + SIZE, random)
        return Told("cross checks", *told) if told else None
    others = sorted({row["market"] for row in report["movers"]} - {check["subject"]})
    figures = figures_in(check["prose"], before)
    if not others or figures is None:
        return None
    copy = deepcopy(check)
    copy["subject"] = random.choice(others)
    copy["prose"] = check["prose"].replace(f"{check['subject']} ", f"{copy['subject']} ", 1)
    copy["text"] = printed(copy["prose"], figures)
    checks.append(copy)
    return Told("cross checks", "", copy["text"])


def weekday_changed(report: Json, random: Random) -> Told | None:
    """A day of the week in an event's words is another."""
    events = [event for market in report["markets"] for event in market["events"]]
    rules = tuple(
        (re.compile(rf"\b{day}\b"), random.choice([one for one in WEEKDAYS[:5] if one != day]))
        for day in WEEKDAYS
    )
    event = random.choice(events)
    told = reworded(event, "description", rules, random)
    return Told(event["event_id"], *told) if told else None


FINDINGS: Final[dict[str, Damage]] = {
    "summary reworded": summary_reworded,
    "counts and days of the summary": summary_counts_changed,
    "names in the summary exchanged": names_in_summary_exchanged,
    "figures in the summary exchanged": figures_in_summary_exchanged,
    "bullet dropped": bullet_dropped,
    "bullet invented": bullet_invented,
    "movers reordered": movers_reordered,
    "mover dropped": mover_dropped,
    "figures of a mover": mover_figures_changed,
    "policy rates": rate_row_changed,
    "calendar": calendar_changed,
    "leaning of a view": view_changed,
    "confidence of a view": view_confidence_changed,
    "probability of a forecast": probability_changed,
    "changes since last week": change_changed,
    "cross checks": cross_check_changed,
    "weekday in an event": weekday_changed,
}
