"""The description of a server's source, and the results of refreshing its local files."""

from datetime import date
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from desk.contracts.agents.tools import SourceTier
from desk.contracts.base import Contract, Instant, ShortText, Text


class NetworkUse(StrEnum):
    """Whether a source answers without a network."""

    NONE = "none"
    """It answers from data that ships with the project or a package."""

    REFRESHES = "refreshes"
    """It answers from a local file, and fetches a newer one when there is a network."""

    LIVE = "live"
    """It fetches every answer."""


class SourceDescription(Contract):
    """What one MCP server of the desk provides, its publisher, and the terms of use.

    `server` is its name in `.mcp.json`. `origin` is the first publisher of its figures, `tiers` are
    those of its answers, the highest first, and `publication` says when a figure counts as known.
    `licence` is what its provider allows, `terms` what a user has to observe, and `terms_url` where
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
    """How a refresh ended. In every case but `replaced` the local file is unchanged."""

    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    UNREACHABLE = "unreachable"
    REJECTED = "rejected"
    NOT_WRITTEN = "not_written"


class RefreshOutcome(Contract):
    """The result of refreshing one local file.

    `source` is the file's display name, `file` its path. `last_day` is the day of the newest item
    of the download, if it was usable and has days; `changed` describes the difference from the
    previous file; `reason` says why the file was not replaced.
    """

    status: RefreshStatus
    file: str
    source: ShortText = ""
    last_day: date | None = None
    changed: Text | None = None
    reason: Text | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the local file now holds what the provider publishes."""
        return self.status in (RefreshStatus.REPLACED, RefreshStatus.UNCHANGED)


class KeptFileState(Contract):
    """How current a local file is.

    `source` is the file's display name. `last_day` is the day of the newest item of the copy in
    use, None when no copy is usable or its data have no days; `looked` is when the provider was
    last found to have nothing newer; `failure` is why a refresh within the last minute failed.
    """

    source: ShortText
    last_day: date | None = None
    looked: Instant | None = None
    failure: Text | None = None
