"""What a refresh makes of each way in which a provider's stand-in can fail."""

from typing import Final

from desk.contracts.findings.sources import RefreshStatus
from tests.standins.provider import Failure

REFUSED: Final = {
    Failure.TOO_MANY: RefreshStatus.UNREACHABLE,
    Failure.ERROR: RefreshStatus.UNREACHABLE,
    Failure.REDIRECT_LOOP: RefreshStatus.UNREACHABLE,
    Failure.CLOSED: RefreshStatus.UNREACHABLE,
    Failure.SLOW: RefreshStatus.UNREACHABLE,
    Failure.HTML: RefreshStatus.REJECTED,
    Failure.TRUNCATED: RefreshStatus.REJECTED,
    Failure.RENAMED: RefreshStatus.REJECTED,
    Failure.LATE: RefreshStatus.REJECTED,
}
"""Those that leave the kept copy as it was."""
