"""What a server of the desk says of its source, and what became of the files that it keeps."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.tools import SourceTier
from desk.contracts.base import Contract, Instant, ShortText, Text


class NetworkUse(StrEnum):
    """Whether a source answers without a network."""

    NONE = "none"
    """What it answers from comes with the project or with a package."""

    REFRESHES = "refreshes"
    """It answers from a file that it has, and fetches a newer one where there is a network."""

    LIVE = "live"
    """Every answer is fetched."""


class SourceDescription(Contract):
    """What one MCP server of the desk gives, whose it is, and how it may be used.

    `server` is its name in `.mcp.json`. `origin` is who first published its figures, `tiers` are
    those of its answers, the highest first, `publication` says when a figure counts as known.
    `licence` is what its provider allows, `terms` what a user has to heed, and `terms_url` where
    the provider says so. `extra` is the extra that has to be installed.
    """

    server: ShortText
    gives: Text
    origin: ShortText
    tiers: Annotated[tuple[SourceTier, ...], Field(min_length=1, max_length=4)]
    licence: Text
    terms: Text
    terms_url: Annotated[str, Field(max_length=500)] | None = None
    publication: Text
    network: NetworkUse
    extra: ShortText | None = None


class RefreshStatus(StrEnum):
    """How a refresh ended. In every case but `replaced` the kept file is as it was before."""

    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    UNREACHABLE = "unreachable"
    REJECTED = "rejected"
    NOT_WRITTEN = "not_written"


class RefreshOutcome(Contract):
    """What a refresh of one kept file did.

    `source` is the file's name for people, `file` where it is kept. `last_day` is the day of the
    newest datum of what was downloaded, if that was usable and has days; `changed` says how it
    differs from what there was; `reason` says why nothing was replaced.
    """

    status: RefreshStatus
    file: str
    source: ShortText = ""
    last_day: date | None = None
    changed: Text | None = None
    reason: Text | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the kept file now holds what the provider publishes."""
        return self.status in (RefreshStatus.REPLACED, RefreshStatus.UNCHANGED)


class KeptFileState(Contract):
    """How current a kept file is.

    `source` is the file's name for people. `last_day` is the day of the newest datum of the copy
    that is read, None where none is usable or its data have no days; `looked` when the provider was
    last found to have nothing newer; `failure` why a refresh within the last minute failed.
    """

    source: ShortText
    last_day: date | None = None
    looked: Instant | None = None
    failure: Text | None = None
