"""How sentences on banks are put together: by the bank's name, and by `it` behind that."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from desk.contracts.findings.claims import Claim
from desk.programs.question.builtin.banks.known import KnownBank
from desk.trust.prose import Form

Topic: TypeAlias = Callable[[KnownBank, str], Iterator[str]]
"""The sentences on one thing of a bank, which they call by its name, or `it` behind its name."""

Lead: TypeAlias = Callable[[Sequence[KnownBank]], Iterator[str]]
"""The sentences that go first, on all banks."""


def of_bank(bank: KnownBank, topics: Iterable[Topic], called: str) -> Iterator[str]:
    """The sentences of several topics on one bank, which only the first calls by its name."""
    for topic in topics:
        for sentence in topic(bank, called or bank.name):
            yield sentence
            called = "it"


def of_each(*topics: Topic) -> Lead:
    """The sentences of some topics on each bank."""

    def told(banks: Sequence[KnownBank]) -> Iterator[str]:
        return (sentence for bank in banks for sentence in of_bank(bank, topics, ""))

    return told


def its(thing: str, called: str) -> str:
    """A thing of a bank at the beginning of a sentence."""
    return f"Its {thing}" if called == "it" else f"The {thing} of {called}"


def opening(called: str) -> str:
    """What a sentence that begins with the bank calls it."""
    return f"{called[0].upper()}{called[1:]}"


def figure(claim: Claim, form: Form = Form.PLAIN) -> str:
    """The reference to a claim in a form."""
    return f"[[{claim.claim_id}|{form}]]" if form else f"[[{claim.claim_id}]]"
