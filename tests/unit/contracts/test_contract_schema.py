"""The contracts on the wire are those that were last accepted."""

import difflib
import json
from functools import cache
from typing import Annotated

import pytest
from pydantic import Field

from desk.contracts.findings.claims import Claim
from tests.unit.contracts import accept_contracts
from tests.unit.contracts.accept_contracts import COMMAND, LOCK, Fingerprint, as_lines, fingerprint


@cache
def prints_now() -> Fingerprint:
    """The fingerprint, which takes a second."""
    return fingerprint()


def changes(prints: Fingerprint) -> list[str]:
    """What differs from the lock: a line for each field or value that is gone, new or other."""
    accepted: Fingerprint = json.loads(LOCK.read_text(encoding="utf-8")) if LOCK.exists() else {}
    before, now = as_lines(accepted), as_lines(prints)
    compared = list(difflib.unified_diff(before, now, n=0, lineterm=""))
    return [line for line in compared[2:] if not line.startswith("@@")]


def test_no_contract_changes_on_the_wire_unnoticed() -> None:
    found = changes(prints_now())
    assert not found, "\n".join(
        [
            "Contracts differ from those last accepted. Runs that are open, and histories that",
            "are kept, hold them as they were. If the change is meant:",
            f"    {COMMAND}",
            "",
            *found,
        ]
    )


def test_the_lock_covers_every_contract() -> None:
    prints = prints_now()
    for name in (
        "desk.contracts.findings.claims.Claim",
        "desk.contracts.runs.messages.AgentMessage",
    ):
        assert name in prints
    assert "level" in prints["desk.contracts.findings.claims.Unit"]


class Narrower(Claim):
    """A claim whose subject may be no longer than three letters."""

    subject: Annotated[str, Field(max_length=3)]


class Longer(Claim):
    """A claim with a field more."""

    colour: str = "red"


@pytest.mark.parametrize("changed", [Narrower, Longer])
def test_a_changed_contract_is_seen(changed: type[Claim], monkeypatch: pytest.MonkeyPatch) -> None:
    changed.__module__, changed.__qualname__ = Claim.__module__, Claim.__qualname__
    monkeypatch.setattr(accept_contracts, "_types", lambda: iter([changed]))
    found = changes({**prints_now(), **fingerprint()})
    assert any(line.startswith("+desk.contracts.findings.claims.Claim.") for line in found)


def test_a_changed_docstring_changes_no_contract() -> None:
    class Reworded(Claim):
        """Other words."""

    reworded, claim = accept_contracts._fields([Reworded]), accept_contracts._fields([Claim])
    assert [*reworded] == [*claim]
