"""The wording that all forms of an answer share."""

from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple

from desk.analytics.figures import iso_known_day, print_claim, print_full_day
from desk.analytics.names.listing import said_once
from desk.analytics.names.mentions import NO_MARKET, SHARED_NAME
from desk.analytics.names.periods import READ, UNREAD
from desk.contracts.agents.search_attributes import Outcome
from desk.contracts.agents.tasks import (
    DAYS_ASKED,
    DAYS_READ,
    EVENT_DAYS,
    EVENT_READ,
    PAPERS,
    RANK,
    SIDE_BY_SIDE,
    SINCE_DECISION,
    SPELLED,
    UNKNOWN_WORDS,
)
from desk.contracts.agents.tools import DataSource, ToolResult
from desk.contracts.findings.claims import Claim
from desk.contracts.question.answers import AnswerReport, NodeReport
from desk.contracts.question.graph import NodeState
from desk.documents.answer.parts import parts_of
from desk.documents.rendering.figures.traces import figure_name
from desk.documents.rendering.words.prose import Known, render_plain
from desk.documents.rendering.words.trust import fact_check_gaps, status_words
from desk.documents.rendering.words.wording import cost_words, human, one_line
from desk.trust.prose import UnknownReferenceError, references

MOST_NAMED: Final = 5

NODE_COLUMNS: Final = ("Node", "Agent", "State", "Seconds", "Tool calls", "Remarks")
SOURCE_COLUMNS: Final = ("Source", "Published by", "Asked", "Quoted as")

METHOD: Final = (
    "Words in quotation marks are copied letter by letter from the source named after them, except"
    " for white space.",
    "Figures outside quotation marks are claims: each follows from the evidence that it names.",
    "Everything can be verified from the JSON form of this answer alone, with desk audit.",
)


class SourceLine(NamedTuple):
    """A tool result that something rests on: its name, its publisher, and what quotes it.

    `numbers` are those of the quotations, `figures` the claims that rest on it.
    """

    title: str
    url: str | None
    source: DataSource
    numbers: tuple[int, ...]
    figures: tuple[str, ...]


def kicker_words(answer: AnswerReport) -> str:
    """Returns the kind of an answer, in a word or two."""
    if not answer.answered:
        return "Nothing recommended" if answer.stock else "Not answered"
    if answer.outcome is not Outcome.COMPLETE:
        return "Incomplete answer"
    return "Answer: found" if answer.found else "Answer"


def verdict_words(answer: AnswerReport) -> str:
    """Returns words such as `Complete: all 5 nodes are done`."""
    failed = [line.node for line in answer.nodes if line.state is NodeState.FAILED]
    done = sum(line.state is NodeState.DONE for line in answer.nodes)
    lost = f", and {lost_words(answer)}" if lost_tools_of(answer) else ""
    verdict = str(answer.outcome).capitalize()
    if failed:
        shown = ", ".join(failed[:5]) + (f" and {len(failed) - 5} more" if failed[5:] else "")
        return f"{verdict}: {done} of {len(answer.nodes)} nodes are done, {shown} failed{lost}"
    skipped = sum(line.state is NodeState.SKIPPED for line in answer.nodes)
    if done + skipped == len(answer.nodes):
        besides = f", {skipped} not needed" if skipped else ""
        return f"{verdict}: {done} {_nodes(done)} done{besides}{lost}"
    return f"{verdict}: {done} of {len(answer.nodes)} nodes are done{lost}"


def lost_tools_of(answer: AnswerReport) -> tuple[str, ...]:
    """Returns the tools that could not be called, each once."""
    return tuple(dict.fromkeys(tool for line in answer.nodes for tool in line.lost))


def lost_words(answer: AnswerReport) -> str:
    """Returns words such as `2 tools could not be asked (currency_prices fixings, …)`."""
    lost = lost_tools_of(answer)
    noun = "tool" if len(lost) == 1 else "tools"
    more = f" and {len(lost) - MOST_NAMED} more" if lost[MOST_NAMED:] else ""
    return f"{len(lost)} {noun} could not be asked ({', '.join(lost[:MOST_NAMED])}{more})"


def warning_words(answer: AnswerReport) -> str:
    """Returns the warning before an answer for which not every tool could be called; empty
    otherwise."""
    return (
        f"This rests on less than was asked: {lost_words(answer)}." if lost_tools_of(answer) else ""
    )


def time_and_cost_words(answer: AnswerReport) -> str:
    """Returns how long the run took, and the cost of models if any were called."""
    seconds = (answer.finished_at - answer.started_at).total_seconds()
    spent = f", {cost_words(answer.usage)}" if answer.usage.asked else ""
    return f"Took {seconds:.1f} s{spent}"


def node_cells(line: NodeReport) -> tuple[str, ...]:
    """Returns a row of the table of nodes, in the order of `NODE_COLUMNS`."""
    state = f"{line.state} in {line.rounds} rounds" if line.rounds > 1 else str(line.state)
    ran = line.state in (NodeState.DONE, NodeState.FAILED)
    return (
        line.node,
        human(line.agent),
        state,
        f"{line.seconds:.1f}" if ran else "–",
        str(line.tool_calls) if ran else "–",
        node_remark(line),
    )


def node_remark(line: NodeReport) -> str:
    """Returns a node's error, and what was done with less than planned."""
    return "; ".join(one_line(remark) for remark in (line.error, line.remark) if remark)


def source_lines(answer: AnswerReport) -> tuple[SourceLine, ...]:
    """Returns the sources, in the order of their first quotations, then those of claims, then those
    that verdicts rest on. The last are left out if their answers only say what is missing."""
    numbers: dict[str, list[int]] = {}
    titles: dict[str, str] = {}
    urls: dict[str, str | None] = {}
    for number, quotation in enumerate(answer.quotations, start=1):
        numbers.setdefault(quotation.evidence_id, []).append(number)
        titles.setdefault(quotation.evidence_id, one_line(quotation.source))
        urls[quotation.evidence_id] = urls.get(quotation.evidence_id) or quotation.url
    empty = {each.evidence_id for each in answer.evidence if _is_without_content(each)}
    used = {*numbers, *(name for claim in answer.claims for name in claim.evidence)}
    by_evidence = {
        source.evidence_id: source
        for source in answer.sources
        if source.evidence_id in used or source.evidence_id not in empty
    }
    order = [*numbers, *(name for name in by_evidence if name not in numbers)]
    return tuple(
        SourceLine(
            title=titles.get(name, by_evidence[name].name),
            url=urls.get(name) or by_evidence[name].url,
            source=by_evidence[name],
            numbers=tuple(numbers.get(name, ())),
            figures=tuple(c.claim_id for c in answer.claims if name in c.evidence),
        )
        for name in order
        if name in by_evidence
    )


def _is_without_content(result: ToolResult) -> bool:
    """Returns whether an answer only says what is missing, or is absent."""
    content = result.content
    return not content or (isinstance(content, Mapping) and isinstance(content.get("missing"), str))


def missing_lines(answer: AnswerReport) -> tuple[str, ...]:
    """Returns what is missing, except what the answer's program prints itself."""
    of_parts = (part.other_missing(answer) for part in parts_of(answer))
    return said_once((*next(of_parts, answer.missing), *fact_check_gaps(answer.fact_check)))


def newest_words(answer: AnswerReport) -> str | None:
    """Returns `newest figure of 30 Oct 2026`: the last day that the answer knows a figure of, by
    its as-of instant. None without figures."""
    days = [c.as_of for c in answer.claims if c.as_of <= answer.as_of.date()]
    return f"newest figure of {print_full_day(max(days))}" if days else None


def facts_of(answer: AnswerReport) -> tuple[str, ...]:
    """Returns the facts below a page's headline: the graph with its parameters, or those that the
    answer's program has in their place."""
    of_parts = (part.facts(answer) for part in parts_of(answer))
    facts = next((facts for facts in of_parts if facts is not None), None)
    if facts is not None:
        return facts
    given = parameters_words(answer.parameters)
    return (f"graph {answer.graph.name}", *((given,) if given else ()))


def quoted_as(line: SourceLine, answer: AnswerReport) -> str:
    """Returns words such as `1, 4`, or the figures of the answer that rest on a source, and how
    many others do."""
    used = {claim.claim_id for claim in figures_used(answer)}
    figures = [name for name in line.figures if name in used]
    others = len(line.figures) - len(figures)
    more = f"{others} {'more ' if figures else ''}{'figure' if others == 1 else 'figures'}"
    return ", ".join((*map(str, line.numbers), *figures, *((more,) if others else ())))


def figures_used(answer: AnswerReport) -> tuple[Claim, ...]:
    """Returns the figures that the answer's sentences print, in their order; those that its
    sections print if there are none, and all figures if there are none of these either."""
    claims = {claim.claim_id: claim for claim in answer.claims}
    texts = (answer.summary_prose, "\n".join(section.prose for section in answer.sections))
    named = ([claims[name] for name in references(text) if name in claims] for text in texts)
    used = next(filter(None, named), list(answer.claims))
    return tuple({claim.claim_id: claim for claim in used}.values())


def figures_besides(answer: AnswerReport) -> tuple[Claim, ...]:
    """Returns the other figures of an answer: those that were looked at besides."""
    used = {claim.claim_id for claim in figures_used(answer)}
    return tuple(claim for claim in answer.claims if claim.claim_id not in used)


def besides_words(answer: AnswerReport) -> str:
    """Returns words such as `PH decision rate (7), USD/PHP last`: the figures that were looked at
    besides, by their kinds."""
    kinds = Counter(f"{c.subject} {human(c.metric)}" for c in figures_besides(answer))
    return ", ".join(f"{kind} ({n})" if n > 1 else kind for kind, n in kinds.items())


def parameters_words(parameters: Mapping[str, str]) -> str:
    """Returns words such as `ticket DESK-101; market USD/JPY`. Parameters that the desk read in a
    question have names of their own; those that only steer it, or that its sentences say, are left
    out."""
    return "; ".join(
        f"{_READ_IN_A_QUESTION.get(name, name)} {one_line(value)}"
        for name, value in parameters.items()
        if name not in _NOT_SHOWN
    )


_NOT_SHOWN: Final = frozenset({DAYS_READ, PAPERS, NO_MARKET, SHARED_NAME})

_READ_IN_A_QUESTION: Final = {
    READ: "period",
    DAYS_ASKED: "days asked about",
    RANK: "group",
    SINCE_DECISION: "measured",
    EVENT_READ: "measured from",
    EVENT_DAYS: "of the days",
    UNREAD: "of the period not read",
    SIDE_BY_SIDE: "side by side",
    SPELLED: "read as",
    UNKNOWN_WORDS: "words not known",
}


def claim_cells(answer: AnswerReport) -> list[tuple[str, ...]]:
    """Returns the figures that an answer uses with their day, their verdict and their evidence;
    without a verdict if there was no validator."""
    verdicts = {verdict.claim_id: verdict for verdict in answer.verdicts}
    return [
        (
            figure_name(claim),
            print_claim(claim),
            day_of(claim),
            *((status_words(verdicts.get(claim.claim_id)),) if verdicts else ()),
            "; ".join((*claim.inputs, *claim.evidence)),
        )
        for claim in figures_used(answer)
    ]


def day_of(claim: Claim) -> str:
    """Returns the day of a figure, or its month if only that is known."""
    return iso_known_day(claim.as_of, claim.precision)


def rendered_if_known(prose: str, known: Mapping[str, Claim]) -> str:
    """Renders prose; unchanged if it refers to something unknown here."""
    try:
        return render_plain(prose, Known(known, {}))
    except UnknownReferenceError:
        return prose


def _nodes(count: int) -> str:
    return "node is" if count == 1 else "nodes are"
