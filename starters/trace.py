"""`desk report --trace`: one figure followed to its source, from the published file alone."""

import sys
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field
from rich.console import Console

from desk.contracts.base import Contract, ShortText
from desk.contracts.findings.claims import ClaimId
from desk.contracts.markets import MarketName
from desk.contracts.week.report import ResearchReport
from desk.contracts.weeks import IsoWeek
from desk.documents.rendering.report.trace import Trace
from desk.documents.rendering.report.traces import Traces
from desk.documents.rendering.trust_words import status_words
from desk.trust.prose.suggestions import nearest
from starters.endings import CommandError, ExitStatus
from starters.trace_tree import trace_tree

ROOM_ELSEWHERE = 120
"""Columns of a line where there is no terminal."""


class ListedClaim(Contract):
    """A line of the list of a market's claims."""

    claim_id: ClaimId
    printed: ShortText
    verdict: ShortText


class ClaimList(Contract):
    """The claims that a market's section states; what `--json` prints of them."""

    week: IsoWeek
    market: MarketName
    claims: Annotated[tuple[ListedClaim, ...], Field(max_length=1_700)]


def show_trace(report: ResearchReport, written: str, *, as_json: bool) -> ExitStatus:
    """Print where a claim's figure comes from; for a market's name, the claims it has.

    Raises:
        CommandError: there is no such claim; the message has the nearest ids.
    """
    traces = Traces(report)
    market = next((m.market for m in report.markets if _key(m.market) == _key(written)), None)
    if market is not None:
        return _list(report, traces, market, as_json=as_json)
    trace = traces.trace(_known(report, traces, written))
    if as_json:
        sys.stdout.write(f"{trace.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    console().print(trace_tree(trace), highlight=False)
    return ExitStatus.COMPLETE


def console() -> Console:
    """Standard output, wide enough for a line where nobody looks at a terminal."""
    on_screen = sys.stdout.isatty()
    return Console(file=sys.stdout, width=None if on_screen else ROOM_ELSEWHERE, highlight=False)


def _known(report: ResearchReport, traces: Traces, written: str) -> str:
    ids = {_key(name): name for name in traces.claim_ids}
    found = ids.get(_key(written))
    if found is not None:
        return found
    if not ids:
        raise CommandError(f"the report of {report.week} has no figures")
    near = ", ".join(nearest(written.strip(), traces.claim_ids))
    raise CommandError(
        f"no figure '{written.strip()}' in the report of {report.week}; nearest: {near} "
        "(a market's name alone lists its figures)"
    )


def _list(report: ResearchReport, traces: Traces, market: str, *, as_json: bool) -> ExitStatus:
    listed = tuple(_listed(traces, market))
    if as_json:
        found = ClaimList(week=report.week, market=market, claims=listed)
        sys.stdout.write(f"{found.model_dump_json(indent=2)}\n")
        return ExitStatus.COMPLETE
    if not listed:
        sys.stdout.write(f"{market} has no figures in the report of {report.week}\n")
    name = max((len(line.claim_id) for line in listed), default=0)
    value = max((len(line.printed) for line in listed), default=0)
    for line in listed:
        words = f"{line.claim_id:<{name}}  {line.printed:>{value}}  {line.verdict}"
        sys.stdout.write(f"{words}\n")
    return ExitStatus.COMPLETE


def _listed(traces: Traces, market: str) -> Iterator[ListedClaim]:
    for name in traces.ids_of(market):
        key = traces.key(name, market)
        if key is not None:
            trace: Trace = traces.trace(key)
            yield ListedClaim(
                claim_id=name, printed=trace.printed, verdict=status_words(trace.verdict)
            )


def _key(name: str) -> str:
    return name.strip().lower().replace("/", "")
