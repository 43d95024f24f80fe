"""How sentences on banks are combined: the first names the bank, the following say `it`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from desk.contracts.findings.claims import Claim
from desk.programs.question.builtin.banks.known import KnownBank
from desk.trust.prose import Form

Topic: TypeAlias = Callable[[KnownBank, str], Iterator[str]]
"""Yields the sentences on one topic of a bank, which refer to it by its name or by `it`."""

Lead: TypeAlias = Callable[[Sequence[KnownBank]], Iterator[str]]
"""Yields the first sentences, on all banks."""


def of_bank(bank: KnownBank, topics: Iterable[Topic], called: str) -> Iterator[str]:
    """Yields the sentences of several topics on one bank. Only the first uses its name."""
    for topic in topics:
        for sentence in topic(bank, called or bank.name):
            yield sentence
            called = "it"


def of_each(*topics: Topic) -> Lead:
    """Returns a lead with the sentences of some topics on each bank."""

    def told(banks: Sequence[KnownBank]) -> Iterator[str]:
        return (sentence for bank in banks for sentence in of_bank(bank, topics, ""))

    return told


def its(thing: str, called: str) -> str:
    """Returns a bank's thing for the beginning of a sentence."""
    return f"Its {thing}" if called == "it" else f"The {thing} of {called}"


def opening(called: str) -> str:
    """Returns the bank's name for the beginning of a sentence."""
    return f"{called[0].upper()}{called[1:]}"


def figure(claim: Claim, form: Form = Form.PLAIN) -> str:
    """Returns the reference to a claim in a form."""
    return f"[[{claim.claim_id}|{form}]]" if form else f"[[{claim.claim_id}]]"
