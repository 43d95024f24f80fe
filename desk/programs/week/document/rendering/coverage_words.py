"""The words on the coverage: how figures are supported, what is stale, and which sources replaced
others."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from desk.analytics.figures import print_full_day
from desk.contracts.agents.capabilities import Capability
from desk.contracts.agents.tools import SourceOutage, UnreachableSource, capability_of
from desk.contracts.findings.verdicts import ClaimStatus
from desk.contracts.week.report import Coverage, Freshness, RatesKnown, ResearchReport
from desk.documents.rendering.words.wording import human, named_together
from desk.programs.week.document.rendering.once.areas import areas_words
from desk.programs.week.document.rendering.once.silence import is_silent

MOST_NAMED = 12


def verdict_words(coverage: Coverage) -> str:
    """Returns `complete`, `complete but not current` or `incomplete`."""
    if not coverage.complete:
        return "incomplete"
    return "complete" if coverage.current else "complete but not current"


def threshold_words(coverage: Coverage) -> str:
    """Returns `the threshold is 90 % of the markets`, with the one for current markets if it is
    set."""
    words = f"the threshold is {coverage.threshold:.0%} of the markets"
    if coverage.current_threshold:
        words += f", and {coverage.current_threshold:.0%} of it current"
    return words.replace("%", " %")


def freshness_words(coverage: Coverage) -> str | None:
    """Returns `prices current, policy rates known to 30 Jun 2026 (India) and to 31 Aug 2026
    (12 areas), outcome of 1 of 2 due decisions not known`; None if freshness was not checked."""
    told = coverage.freshness
    if told is None:
        return None
    parts = (_prices(told), _rates(told), _decisions(told))
    return ", ".join(part for part in parts if part) or None


def known_words(coverage: Coverage) -> str | None:
    """Says up to which days the desk's data reached, in a sentence for the top of a report; None if
    all of it is current."""
    if coverage.current:
        return None
    return f"What the desk knew when this was written: {freshness_words(coverage)}."


def _prices(told: Freshness) -> str | None:
    if not told.prices:
        return None
    if not told.stale_prices:
        return "prices current"
    if told.stale_prices == told.prices and told.prices_to is not None:
        return f"prices known to {print_full_day(told.prices_to)}"
    return f"{told.stale_prices} of {told.prices} prices older than the last fixing"


def _rates(told: Freshness) -> str | None:
    if not told.rates:
        return None
    if not told.stale_rates:
        return "policy rates current"
    whole = told.stale_rates == told.rates
    rates = "policy rates" if whole else f"{told.stale_rates} of {told.rates} policy rates"
    known = "known" if whole else "known only"
    if told.rates_known:
        return f"{rates} {known} {named_together(map(_known, told.rates_known))}"
    if told.rates_to is None:
        return f"{rates} known to no certain day"
    # Reports of earlier versions only have the day of the oldest.
    later = " or later" if told.stale_rates > 1 else ""
    return f"{rates} {known} to {print_full_day(told.rates_to)}{later}"


def _known(known: RatesKnown) -> str:
    """Returns `to 30 Jun 2026 (India)`; many areas are given as a count."""
    day = print_full_day(known.to) if known.to else "no certain day"
    return f"to {day} ({areas_words(known)})"


def _decisions(told: Freshness) -> str | None:
    if not told.open_decisions:
        return None
    return f"outcome of {told.open_decisions} of {told.decisions} due decisions not known"


def coverage_lines(report: ResearchReport) -> tuple[str, ...]:
    """Says how many figures other origins support, what is stale, which sources were not asked, and
    which agents took over tasks."""
    return (
        *_support(report),
        *_stale(report),
        *outage_lines(report.coverage),
        *unreachable_lines(report.coverage.unreachable, silent=is_silent(report)),
        *_taken_over(report),
    )


def checked_words(report: ResearchReport) -> str | None:
    """Says what was checked about the printed figures, and how many a source of another origin
    confirms, in a sentence for the top of a report. None if no figure is printed."""
    counts = _verdicts(report)
    figures, confirmed = sum(counts.values()), counts[ClaimStatus.VERIFIED]
    if not figures:
        return None
    verb = "are" if confirmed > 1 else "is"
    told = f"{confirmed or 'none'} of the {figures} {verb}"
    why = "" if confirmed else _without_witness(report)
    return (
        "Checked: every figure was derived again from its source's answer; "
        f"{told} confirmed by a source of another origin{why}."
    )


def _verdicts(report: ResearchReport) -> Counter[ClaimStatus]:
    return Counter(
        verdict.status
        for market in report.markets
        for verdict in market.verdicts
        if verdict.status is not ClaimStatus.REJECTED
    )


def outage_lines(coverage: Coverage) -> Iterator[str]:
    """Yields a line for each source that was not asked for a time: which, since when, why, and how
    many calls."""
    yield from map(outage_words, coverage.outages)


def outage_words(outage: SourceOutage) -> str:
    """Returns `Source ecb was not asked for a time …: 12 calls were not made`."""
    calls = f"{outage.calls_not_made} call{'s were' if outage.calls_not_made > 1 else ' was'}"
    return (
        f"Source {outage.server} was not asked for a time, from"
        f" {outage.since:%Y-%m-%d %H:%M:%S} UTC on, after repeated failures"
        f" ({human(outage.fault)}): {calls} not made"
    )


NOBODY_SAYS_WHY = "no source of news says why markets moved"


def unreachable_lines(
    sources: Sequence[UnreachableSource], *, silent: bool = False
) -> Iterator[str]:
    """Yields one line for the live sources that no agent was offered, and one for each that stopped
    answering. If `silent`, the first line also says that no news explains the moves."""
    left_out = [source for source in sources if not source.unanswered]
    if left_out:
        told = dict.fromkeys(_unreachable(source) for source in left_out)
        named = {
            words: named_together(s.named for s in left_out if _unreachable(s) == words)
            for words in told
        }
        parts = [f"{named[words]} {words}" for words in told]
        yield "Live sources: " + "; ".join([*parts, NOBODY_SAYS_WHY] if silent else parts)
    for source in sources:
        if source.unanswered:
            answers = f"{source.unanswered} answer{'s' if source.unanswered > 1 else ''}"
            yield f"Live source {source.named} {_unreachable(source)}: {answers} not had"


def _unreachable(source: UnreachableSource) -> str:
    """Returns `not reachable since …`, with the reason and the last answer, if known. For a source
    of which only some tools lack data, returns the reason."""
    if source.tools:
        return f"not asked: {source.reason.rstrip('.')}"
    if source.since is None:
        return f"not asked: {source.reason}"
    last = f", last answer {_minute(source.answered_at)}" if source.answered_at else ""
    return f"not reachable since {_minute(source.since)} ({source.reason.rstrip('.')}){last}"


def _minute(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M} UTC"


def _support(report: ResearchReport) -> Iterator[str]:
    """Says how many printed figures are verified, contested, or from a single source."""
    if counts := _verdicts(report):
        yield (
            f"Figures: {counts[ClaimStatus.VERIFIED]} verified by a source of another origin, "
            f"{counts[ClaimStatus.SINGLE_SOURCE]} from a single source, "
            f"{counts[ClaimStatus.CONTESTED]} contested{_without_witness(report)}"
        )


def _without_witness(report: ResearchReport) -> str:
    """Says why no pair's figures could be verified, if no other central bank's rates were
    available."""
    answers = [
        result.content
        for result in report.evidence
        if capability_of(result.call) is Capability.DAILY_RATES and isinstance(result.content, dict)
    ]
    if not answers or any(answer.get("histories") for answer in answers):
        return ""
    return "; no other central bank's daily rates were fetched, which needs a network"


def _stale(report: ResearchReport) -> Iterator[str]:
    """Says which policy rates are stale, unless the headline of the coverage does."""
    if report.coverage.freshness and report.coverage.freshness.rates_known:
        return
    areas = [row.area for row in report.policy_rates if row.stale and row.rate is not None]
    if areas:
        total = sum(row.rate is not None for row in report.policy_rates)
        named = ", ".join(areas[:MOST_NAMED])
        more = f" and {len(areas) - MOST_NAMED} more" if len(areas) > MOST_NAMED else ""
        yield (
            f"Stale: {len(areas)} of {total} policy rates ({named}{more}); "
            "later changes may not be in them"
        )


def _taken_over(report: ResearchReport) -> Iterator[str]:
    for market in report.markets:
        for line in market.agents:
            if line.reassigned_from and line.delivered:
                yield (
                    f"Fallback: {market.market}, {human(line.task_type)} by {human(line.agent)} "
                    f"in place of {human(line.reassigned_from)}"
                )
