"""The evidence of an answer: the source of quoted words, the surviving claims, and the
publishers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pydantic import JsonValue

from desk.agents.answer_form import in_desk_form
from desk.contracts.agents.tools import DataSource, ToolResult, ToolStatus
from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import ConflictRecord, ResearchResult, ValidationResult
from desk.contracts.findings.verdicts import ClaimStatus, ClaimVerdict
from desk.contracts.question.knowledge import Quotation
from desk.contracts.runs.graph import GraphRecord
from desk.documents.evidence import first_of_each
from desk.trust.claims.dependence import is_computed_from
from desk.trust.conflicts import surviving_claims
from desk.trust.ledger import Ledger
from desk.trust.prose import occurs_in, texts_in

FOUNDED_ON_LESS: Final = "what it was computed from does not stand"


class AnswerClaims(NamedTuple):
    """The claims that follow from their evidence and that no validator rejected, with their
    verdicts, and why others are withheld.

    `others` names, by id, the agents that state a claim differently; that is printed with the
    claim.
    """

    claims: Mapping[str, Claim]
    verdicts: Mapping[str, ClaimVerdict]
    fallen: tuple[str, ...]
    others: Mapping[str, tuple[str, ...]]

    def verdicts_on(self, claims: Iterable[Claim]) -> tuple[ClaimVerdict, ...]:
        """Returns the verdicts on some of the claims, in their order."""
        names = (claim.claim_id for claim in claims)
        return tuple(self.verdicts[name] for name in names if name in self.verdicts)


class Passage(NamedTuple):
    """Quoted words with the text around them in their source."""

    before: str
    words: str
    after: str


class Library:
    """Tool results by id, with their texts, in which quotations are looked up.

    If several results share an id, the first counts.
    """

    def __init__(self, results: Iterable[ToolResult]) -> None:
        self.results = first_of_each(results)
        self._texts: dict[str, tuple[str, ...]] = {}

    def holds(self, words: str, evidence_id: str) -> bool:
        """Returns whether a result contains the words, letter by letter except for white space,
        from the start of a word to the end of one; in the tool's answer or in its desk form."""
        return occurs_in(words, list(self._plain(evidence_id)))

    def placed(self, quotation: Quotation) -> Quotation | None:
        """Returns the quotation with the evidence that contains it, or None if there is none.

        If a document was read in parts, the last part counts. The words may be in another answer of
        the same tool.
        """
        named = self.results.get(quotation.evidence_id)
        if named is None:
            return None
        alike = (
            result.evidence_id
            for result in self.results.values()
            if (result.call.server, result.call.tool) == (named.call.server, named.call.tool)
            and _asked_for(result) == _asked_for(named)
        )
        for evidence_id in (named.evidence_id, *alike):
            if self.holds(quotation.text, evidence_id):
                return quotation.model_copy(update={"evidence_id": evidence_id})
        return None

    def passage(self, words: str, evidence_id: str, around: int = 160) -> Passage | None:
        """Returns the words with the text around them, cut at words; None if they are not in the
        result."""
        plain = " ".join(words.split())
        for text in self._plain(evidence_id) if plain else ():
            at = text.find(plain)
            if at >= 0:
                end = at + len(plain)
                return Passage(_ending(text[:at], around), plain, _beginning(text[end:], around))
        return None

    def _plain(self, evidence_id: str) -> tuple[str, ...]:
        if evidence_id not in self._texts:
            result = self.results.get(evidence_id)
            contents = _contents(result) if result else ()
            texts = dict.fromkeys(text for content in contents for text in texts_in(content))
            self._texts[evidence_id] = tuple(" ".join(text.split()) for text in texts)
        return self._texts[evidence_id]


def claims_of_run(record: GraphRecord, ledger: Ledger) -> AnswerClaims:
    """Returns the claims of the run's research that follow from their evidence when derived again.

    If several claims share an id, the first one that was not rejected counts; if they differ, the
    answer says so. If a conflict was decided, the chosen claim counts, or none if nothing was
    chosen.
    """
    verdicts = _verdicts(record)
    stated, fallen, others = _stated(record, verdicts)
    held: dict[str, Claim] = {}
    for name, claim in stated.items():
        failed = ledger.failed_check(claim, stated)
        if failed is None:
            held[name] = claim
        else:
            fallen.append(f"{name} is left out: {failed.words}")
    fallen += _withhold_dependents(held, tuple(claim for _, _, claim in _claimed(record)))
    by_claim = {v.claim_id: v for v in verdicts if v.status is not ClaimStatus.REJECTED}
    return AnswerClaims(held, by_claim, tuple(dict.fromkeys(fallen)), others)


def _withhold_dependents(held: dict[str, Claim], delivered: Sequence[Claim]) -> list[str]:
    """Removes everything that was computed from a withheld claim, and notes why."""
    names, notes = {claim.claim_id for claim in delivered}, list[str]()
    gone = names - held.keys()
    while gone:
        lost = [claim for claim in delivered if claim.claim_id in gone]
        resting = [
            name
            for name, claim in held.items()
            if any(is_computed_from(claim, each) for each in lost)
        ]
        notes += [f"{name} is left out: {FOUNDED_ON_LESS}" for name in resting]
        for name in resting:
            del held[name]
        gone = set(resting)
    return notes


def _stated(
    record: GraphRecord, verdicts: Iterable[ClaimVerdict]
) -> tuple[dict[str, Claim], list[str], dict[str, tuple[str, ...]]]:
    """Returns the claims that were neither rejected nor lost a conflict, by id; why the others are
    withheld; and which agents state one differently."""
    known, fallen, others = tuple(verdicts), list[str](), dict[str, tuple[str, ...]]()
    decided = _decided(record)
    stated: dict[str, Claim] = {}
    for node, result, claim in _claimed(record):
        name = claim.claim_id
        rejection = _rejection(claim, result, known)
        if rejection is not None:
            fallen.append(f"{name} is left out: {rejection.words}")
        elif name in decided.withheld:
            fallen.append(f"{name} is left out: {decided.withheld[name]}")
        else:
            first = stated.setdefault(name, decided.chosen.get(name, claim))
            if _figure(first) != _figure(claim) and name not in decided.disputed:
                metric = claim.metric.replace("_", " ")
                note = f"{node} has another {metric} of {claim.subject}, not printed here"
                others[name] = (*others.get(name, ()), note)
    return stated, fallen, others


def _claimed(record: GraphRecord) -> Iterator[tuple[str, ResearchResult, Claim]]:
    for node in record.nodes:
        result = node.entry.result
        if isinstance(result, ResearchResult):
            yield from ((node.entry.node, result, claim) for claim in result.claims)


class _Decided(NamedTuple):
    """The effect of conflicts on claims, by id: the disputed ones, the surviving ones, and the
    withheld ones with the reason."""

    disputed: frozenset[str]
    chosen: Mapping[str, Claim]
    withheld: Mapping[str, str]


def _decided(record: GraphRecord) -> _Decided:
    conflicts = record.conflicts
    if not conflicts:
        return _Decided(frozenset(), {}, {})
    results = [n.entry.result for n in record.nodes if isinstance(n.entry.result, ResearchResult)]
    chosen = surviving_claims(results, conflicts)
    names = {claim.claim_id for result in results for claim in result.claims}
    disputed = frozenset(p.claim_id for c in conflicts for p in c.positions if p.claim_id)
    reasons = _withheld_by(conflicts, chosen)
    withheld = {name: reasons.get(name, FOUNDED_ON_LESS) for name in names - chosen.keys()}
    return _Decided(disputed, chosen, withheld)


def _withheld_by(
    conflicts: Sequence[ConflictRecord], names: Mapping[str, object]
) -> dict[str, str]:
    """Returns the claims that a conflict withholds, by id, with its outcome."""
    found: dict[str, str] = {}
    for conflict in conflicts:
        for position in conflict.positions:
            if position.claim_id is not None and position.claim_id not in names:
                found[position.claim_id] = conflict.resolution
    return found


def _figure(claim: Claim) -> tuple[object, ...]:
    return claim.value, claim.unit, claim.as_of


def _verdicts(record: GraphRecord) -> tuple[ClaimVerdict, ...]:
    results = (node.entry.result for node in record.nodes)
    return tuple(v for each in results if isinstance(each, ValidationResult) for v in each.verdicts)


def _rejection(
    claim: Claim, result: ResearchResult, verdicts: Iterable[ClaimVerdict]
) -> ClaimVerdict | None:
    """Returns the verdict that rejects a result's claim."""
    found = (
        verdict
        for verdict in verdicts
        if verdict.status is ClaimStatus.REJECTED
        and verdict.claim_id == claim.claim_id
        and verdict.result in (None, result.result_id)
    )
    return next(found, None)


def with_inputs(names: Iterable[str], claims: Mapping[str, Claim]) -> tuple[Claim, ...]:
    """Returns the named claims with all of their inputs, in the order of `claims`."""
    wanted, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name in claims and name not in wanted:
            wanted.add(name)
            waiting += claims[name].inputs
    return tuple(claim for name, claim in claims.items() if name in wanted)


def evidence_named(
    quotations: Iterable[Quotation], claims: Iterable[Claim], verdicts: Iterable[ClaimVerdict]
) -> set[str]:
    """Returns the tool results that an answer rests on, by id."""
    named = {quotation.evidence_id for quotation in quotations}
    named.update(*(claim.evidence for claim in claims))
    return named.union(*(verdict.evidence for verdict in verdicts))


def listed_in(record: GraphRecord) -> dict[str, DataSource]:
    """Returns the sources that the run's research names, by evidence id."""
    listed: dict[str, DataSource] = {}
    for node in record.nodes:
        result = node.entry.result
        for source in result.sources if isinstance(result, ResearchResult) else ():
            listed.setdefault(source.evidence_id, source)
    return listed


def _contents(result: ToolResult) -> Iterator[JsonValue]:
    if result.status is ToolStatus.OK:
        yield result.content
        if result.call.answer:
            yield in_desk_form(result)


_PARTS: Final = frozenset({"as_of", "offset", "limit", "first_page", "last_page"})
"""Arguments that select a part of a document."""


def _asked_for(result: ToolResult) -> dict[str, JsonValue]:
    arguments = result.call.arguments
    return {name: value for name, value in arguments.items() if name not in _PARTS}


def _beginning(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    kept = text[:most].rpartition(" ")[0]
    return f"{kept} …" if kept else "…"


def _ending(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    kept = text[-most:].partition(" ")[2]
    return f"… {kept}" if kept else "…"
