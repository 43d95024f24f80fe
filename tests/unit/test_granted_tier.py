"""Whose word weighs how much is not for a stranger's server to say."""

import pytest

from contracts.tools import SourceTier, ToolCall, ToolResult, ToolStatus
from domain.ledger_evidence import granted_tier


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
