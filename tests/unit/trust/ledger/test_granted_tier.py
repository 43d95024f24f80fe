"""Whose word weighs how much is not for a stranger's server to say."""

import pytest

from desk.contracts.agents.tools import Attribution, SourceTier, ToolCall, ToolResult, ToolStatus
from desk.contracts.findings.source_results import Provenance
from desk.trust.ledger.evidence import attributed, granted_tier


@pytest.mark.parametrize(
    ("server", "claimed", "granted"),
    [
        ("ecb", SourceTier.AUTHORITATIVE, SourceTier.AUTHORITATIVE),
        ("central_banks", SourceTier.PRIMARY, SourceTier.PRIMARY),
        ("strangers", SourceTier.AUTHORITATIVE, SourceTier.SECONDARY),
        ("strangers", SourceTier.PRIMARY, SourceTier.SECONDARY),
        ("strangers", SourceTier.SECONDARY, SourceTier.SECONDARY),
        ("strangers", SourceTier.DERIVED, SourceTier.DERIVED),
    ],
)
def test_a_server_that_does_not_come_with_the_desk_is_secondary_at_most(
    server: str, claimed: SourceTier, granted: SourceTier
) -> None:
    call = ToolCall(call_id="x", server=server, tool="y")
    result = ToolResult(call=call, status=ToolStatus.OK, content={})
    assert granted_tier(result, claimed) is granted


@pytest.mark.parametrize("server", ["ecb", "strangers"])
def test_what_the_configuration_says_goes_before_what_a_source_says(server: str) -> None:
    result = ToolResult(
        call=ToolCall(call_id="x", server=server, tool="y"),
        status=ToolStatus.OK,
        content={},
        attribution=Attribution(tier=SourceTier.DERIVED, origin=server),
    )
    told = Provenance(
        name="European Central Bank", tier=SourceTier.AUTHORITATIVE, origin="European Central Bank"
    )
    source = attributed(result, told)
    assert (source.tier, source.origin) == (SourceTier.DERIVED, server)
