"""The seal of an answer: what shows that nothing in it was changed."""

from desk.contracts.question.answers import AnswerReport
from desk.trust.ledger import content_hash


def seal_of_answer(answer: AnswerReport) -> str:
    """The SHA-256 of the canonical JSON of an answer without its seal."""
    return content_hash(answer.model_dump(mode="json", exclude={"seal"}))


def sealed_answer(answer: AnswerReport) -> AnswerReport:
    """The answer with the seal that belongs to it."""
    return answer.model_copy(update={"seal": seal_of_answer(answer)})
