"""Damages of a published answer to a question."""

from collections.abc import Iterator
from random import Random
from typing import Final

from desk.trust.seals import content_hash
from tests.trust.strangers.prose import (
    DIRECTION,
    INVENTED,
    REFERENCE,
    SIZE,
    Json,
    figures_in,
    printed,
    reworded,
)
from tests.trust.strangers.told import Damage, Told

_SUMMARY: Final = ("summary_prose", "summary")
_SECTION: Final = ("prose", "content")
_STATUSES: Final = ("verified", "single_source", "contested", "rejected")
_REASONS: Final = (
    "search: the source could not be reached",
    "validate: the second source was not asked",
    "the news of the week were not read",
)


def _texts(answer: Json) -> list[tuple[Json, str, str]]:
    """The summary and the sections, each with the keys of its prose and of its printed text."""
    return [(answer, *_SUMMARY), *((section, *_SECTION) for section in answer["sections"])]


def sentences_exchanged(answer: Json, random: Random) -> Told | None:
    """Two sections change places under their titles."""
    one, other = random.sample(answer["sections"], 2)
    before = one["content"]
    for key in _SECTION:
        one[key], other[key] = other[key], one[key]
    return Told(one["title"], before, one["content"])


def references_exchanged(answer: Json, random: Random) -> Told | None:
    """Two figures, or two quotations, of a text change places."""
    text, prose, content = random.choice(_texts(answer))
    figures, before = figures_in(text[prose], text[content]), text[content]
    if not figures or len(figures) < 2:
        return None
    one, other = random.sample(sorted(figures), 2)
    swapped = text[prose].replace(f"[[{one}]]", "\0").replace(f"[[{other}]]", f"[[{one}]]")
    text[prose] = swapped.replace("\0", f"[[{other}]]")
    text[content] = printed(text[prose], figures)
    return Told(content, before, text[content])


def _worded_otherwise(answer: Json, random: Random, what: str) -> Told | None:
    text, prose, content = random.choice(_texts(answer))
    rules = DIRECTION if what == "direction" else SIZE
    told = reworded(text, prose, rules, random, content)
    return Told(content, *told) if told else None


def direction_changed(answer: Json, random: Random) -> Told | None:
    """A word of direction is its opposite."""
    return _worded_otherwise(answer, random, "direction")


def size_changed(answer: Json, random: Random) -> Told | None:
    """A word of size is another."""
    return _worded_otherwise(answer, random, "size")


def sentence_invented(answer: Json, random: Random) -> Told | None:
    """A sentence that nobody found is put in."""
    text, prose, content = random.choice(_texts(answer))
    before, invented = text[content], random.choice(INVENTED)
    for key in (prose, content):
        text[key] += f"\n- {invented}" if "\n" in text[key] else f" {invented}"
    return Told(content, before, text[content])


def sentence_dropped(answer: Json, random: Random) -> Told | None:
    """A sentence of the summary, or a line of a section, is left out."""
    text, prose, content = random.choice(_texts(answer))
    apart = "\n" if content == "content" else ". "
    parts, before = text[prose].split(apart), text[content]
    figures = figures_in(text[prose], before)
    if figures is None or len(parts) < 2:
        return None
    parts.pop(random.randrange(len(parts) - (apart == ". ")))
    text[prose] = apart.join(parts)
    text[content] = printed(text[prose], figures)
    return Told(content, before, text[content])


def source_changed(answer: Json, random: Random) -> Told | None:
    """A source has another address, another name, or another weight."""
    source = random.choice(answer["sources"])
    key = random.choice(("url", "name", "tier", "origin"))
    before = source[key]
    other = {
        "url": "https://example.org/rates",
        "name": "Reuters, dealers' quotes",
        "tier": "authoritative" if before != "authoritative" else "derived",
        "origin": "Bank of Japan" if before != "Bank of Japan" else "Bank of Korea",
    }
    source[key] = other[key]
    return Told(f"source {source['evidence_id']}, {key}", str(before), other[key])


def quotation_changed(answer: Json, random: Random) -> Told | None:
    """The words of a quotation are others, there and where they are printed."""
    quotation = random.choice(answer["quotations"])
    _requote(answer, quotation, _other_words(quotation["text"], random))
    return Told(f"quotation {quotation['quotation_id']}", "", quotation["text"])


def quotation_made_up(answer: Json, random: Random) -> Told | None:
    """The words of a quotation are others in the source's own answer as well, digest and all."""
    quotation = random.choice(answer["quotations"])
    before, new = quotation["text"], _other_words(quotation["text"], random)
    for result in answer["evidence"]:
        if result["call"]["call_id"] == quotation["evidence_id"]:
            result["content"] = _replaced(result["content"], before, new)
            result["content_hash"] = content_hash(result["content"])
    for same in [one for one in answer["quotations"] if one["text"] == before]:
        if same["evidence_id"] == quotation["evidence_id"]:
            _requote(answer, same, new)
    return Told(f"quotation {quotation['quotation_id']}", before, new)


def _other_words(words: str, random: Random) -> str:
    parts = words.split(" ")
    number = random.randrange(len(parts))
    parts[number] = random.choice([one for one in ("not", "Closed", "late", "12") if one != words])
    return " ".join(parts)


def _requote(answer: Json, quotation: Json, words: str) -> None:
    before, quotation["text"] = quotation["text"], words
    for text, prose, content in _texts(answer):
        figures = figures_in(text[prose], text[content]) or {}
        name = quotation["quotation_id"]
        if name in figures:
            quoted = {name: figures[name].replace(before, words, 1)}
            text[content] = printed(text[prose], figures | quoted)


def _replaced(content: Json, old: str, new: str) -> Json:
    if isinstance(content, dict):
        return {key: _replaced(value, old, new) for key, value in content.items()}
    if isinstance(content, list):
        return [_replaced(value, old, new) for value in content]
    return content.replace(old, new) if isinstance(content, str) else content


def place_changed(answer: Json, random: Random) -> Told | None:
    """A quotation is told to be of another source, of another place, or at another address."""
    quotation = random.choice(answer["quotations"])
    key = random.choice(("source", "place", "url"))
    before = quotation[key]
    quotation[key] = {"source": "DESK-999", "place": "page 9", "url": "https://example.org/x"}[key]
    return Told(f"quotation {quotation['quotation_id']}, {key}", str(before), quotation[key])


def confidence_changed(answer: Json, random: Random) -> Told | None:
    """A finding, a view or a hypothesis is held to be likelier, or less likely."""
    held = [*_held(answer.get("swarm"))]
    found, key = random.choice(held)
    before = found[key]
    found[key] = random.choice([one for one in (0.2, 0.5, 0.75, 0.9) if abs(one - before) > 0.04])
    return Told(key, str(before), str(found[key]))


def _held(value: Json) -> Iterator[tuple[Json, str]]:
    """Everything that is held with a confidence or a probability, and the key of it."""
    if isinstance(value, dict):
        for key in ("confidence", "probability"):
            if isinstance(value.get(key), float):
                yield value, key
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _held(one)


def hypothesis_changed(answer: Json, random: Random) -> Told | None:
    """What is held to be likely is the opposite, or at another level."""
    hypothesis = random.choice((answer.get("swarm") or {}).get("hypotheses", []))
    key = random.choice(("statement", "refuted_by", "leaning"))
    before = hypothesis[key]
    if key == "leaning":
        hypothesis[key] = random.choice([one for one in ("up", "down") if one != before])
    else:
        places = [rule for rule in DIRECTION if rule[0].search(REFERENCE.sub("", before))]
        old, new = random.choice(places)
        hypothesis[key] = old.sub(new, before, count=1)
    return Told(f"{hypothesis['hypothesis_id']}, {key}", before, hypothesis[key])


def status_changed(answer: Json, random: Random) -> Told | None:
    """A verdict on a claim is another."""
    verdict = random.choice(answer.get("verdicts", []))
    before = verdict["status"]
    verdict["status"] = random.choice([one for one in _STATUSES[:3] if one != before])
    return Told(f"verdict on {verdict['claim_id']}", before, verdict["status"])


def missing_changed(answer: Json, random: Random) -> Told | None:
    """What could not be had is not told, or something is told that was not looked for."""
    if answer["missing"] and random.random() < 0.6:
        dropped = answer["missing"].pop(random.randrange(len(answer["missing"])))
        return Told("missing", dropped, "")
    invented = random.choice(_REASONS)
    answer["missing"].append(invented)
    return Told("missing", "", invented)


def outcome_changed(answer: Json, random: Random) -> Told | None:
    """The answer is told to be incomplete, or a node to have failed or found nothing."""
    if random.random() < 0.3:
        before = answer["outcome"]
        answer["outcome"] = "incomplete" if before == "complete" else "complete"
        return Told("outcome", before, answer["outcome"])
    node = random.choice(answer["nodes"])
    before = node["state"]
    node["state"] = random.choice([one for one in ("done", "failed", "skipped") if one != before])
    return Told(f"node {node['node']}", before, node["state"])


def question_changed(answer: Json, random: Random) -> Told | None:
    """The answer stands under another question, or as of another day."""
    if random.random() < 0.5:
        before = answer["as_of"]
        answer["as_of"] = f"{int(before[:4]) - random.randrange(1, 9)}{before[4:]}"
        return Told("as of", before, answer["as_of"])
    before = answer["question"]
    answer["question"] = random.choice(
        ("What moved USD/CHF last week?", "Should I buy USD/JPY?", "Why did the yen collapse?")
    )
    return Told("question", before, answer["question"])


ANSWERS: Final[dict[str, Damage]] = {
    "answer: sentences exchanged": sentences_exchanged,
    "answer: references exchanged": references_exchanged,
    "answer: direction": direction_changed,
    "answer: size": size_changed,
    "answer: sentence invented": sentence_invented,
    "answer: sentence dropped": sentence_dropped,
    "answer: source": source_changed,
    "answer: quotation": quotation_changed,
    "answer: place of a quotation": place_changed,
    "answer: confidence": confidence_changed,
    "answer: hypothesis": hypothesis_changed,
    "answer: status of a verdict": status_changed,
    "answer: missing": missing_changed,
    "answer: outcome": outcome_changed,
    "answer: question": question_changed,
    "answer: evidence made up": quotation_made_up,
}
