"""The product manager's commentary as a report prints it: nothing in it but printed claims."""

from collections.abc import Mapping

from desk.contracts.findings.claims import Claim
from desk.contracts.findings.results import Commentary
from desk.contracts.week.report import Sentence
from desk.trust.prose.prose import sentence
from desk.trust.prose.prose_review import review, without_rejected


def commentary_of(written: Commentary | None, claims: Mapping[str, Claim]) -> tuple[Sentence, ...]:
    """The sentences whose figures are all printed claims, in a form that fits them. The others are
    left out."""
    if written is None:
        return ()
    kept = without_rejected(written, review(written, claims))
    if not isinstance(kept, Commentary):
        raise TypeError(f"the review of a commentary gave a {kept.kind}")
    return tuple(sentence(prose, claims) for prose in kept.sentences)
