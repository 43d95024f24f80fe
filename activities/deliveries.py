"""Sends a published revision by one channel, as an activity of the desk.

Also writes the texts of the e-mail and of the message to a chat room.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import format_datetime
from importlib import import_module
from pathlib import Path
from typing import Final

from temporalio import activity

from activities.effects import heartbeating
from activities.errors import permanent, transient
from desk.analytics.figures import print_weekday
from desk.contracts.agents.extras import Extra, install_words
from desk.contracts.names import FailureType
from desk.contracts.week.delivery import Channel, Delivery, DeliveryReceipt, EmailTarget, Parcel
from desk.contracts.week.report import CalendarRow, Mover, ResearchReport
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.documents.publishing.deliveries import delivery_key, message_id, object_key
from desk.documents.publishing.publish import SUFFIXES
from desk.documents.rendering.words.wording import instant, one_line
from desk.platform.delivery.deliveries import DeliveryFailed, DeliverySecrets, Letter
from desk.platform.delivery.shared_reports import SharedReports, StoreUnreachable
from desk.platform.effects import EffectJournal
from desk.platform.settings.store import StoreSettings
from desk.programs.week.document.publishing import DEFAULT_SLUG, FOLDER, read_published
from desk.programs.week.document.rendering.letter import lead_in, letter_html, theme_lines
from desk.programs.week.document.rendering.objections import trust_line
from desk.programs.week.document.rendering.once.lacking import Lacking
from desk.programs.week.document.rendering.record_words import LEANINGS_TITLE, leaning_line
from desk.programs.week.document.rendering.wording import (
    change_words,
    changes_title,
    coverage_words,
)

MOVERS: Final = 5
CHANGES: Final = 5
AHEAD: Final = 8
MISSING: Final = 5
LONGEST_LINE: Final = 400
"""The maximum length of a line in characters. Text from outside can be long."""


def subject_line(report: ResearchReport) -> str:
    """Returns a subject such as `Asia and G10 currencies and policy rates, 2026-W44: 36 of 38
    markets, revision 2`."""
    coverage = report.coverage
    revision = f", revision {report.revision}" if report.revision > 1 else ""
    state = ", incomplete" if not coverage.complete else "" if coverage.current else ", not current"
    covered = f"{coverage.researched} of {coverage.expected} markets"
    return _short_line(f"{report.title}: {covered}{state}{revision}")


def letter(report: ResearchReport, where: str) -> str:
    """Returns the first screen of the report as plain text. `where` is the link or path of the
    report."""
    lead, leaning = lead_in(report), leaning_line(report)
    blocks = (
        [subject_line(report), f"As of {instant(report.as_of, report.window.time_zone)}"],
        [_short_line(said.text) for said in (lead.headline, lead.standfirst) if said],
        [_short_line(sentence.text) for sentence in report.commentary],
        *([_indented_line(line) for line in theme_lines(theme)] for theme in lead.themes),
        [_indented_line(f"{LEANINGS_TITLE}: {leaning}")] if leaning else [],
        _titled("Biggest moves", [mover_words(mover) for mover in biggest(report)]),
        _titled("Decisions", [_on_its_day(row) for row in report.calendar if not row.ahead]),
        _titled("Ahead", _first([_on_its_day(r) for r in report.calendar if r.ahead], AHEAD)),
        _titled(changes_title(report.changes), _changes(report)),
        [coverage_words(report), *_lacking(report), *_trust(report), *_missing(report)],
        [f"Report: {where}"],
    )
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def room_message(report: ResearchReport, where: str) -> str:
    """Returns the message to a chat room in Slack's markup: headline, coverage, biggest moves, and
    where the report is."""
    lines = [
        f"*{escaped(subject_line(report))}*",
        escaped(_short_line(lead_in(report).headline.text)),
        escaped(coverage_words(report)),
        *(f"• {escaped(mover_words(mover))}" for mover in biggest(report)),
        f"<{where}|Open the report>" if where.startswith("http") else f"`{escaped(where)}`",
    ]
    return "\n".join(lines)


def biggest(report: ResearchReport) -> list[Mover]:
    """Returns the movers with the largest moves, largest first."""
    return sorted(report.movers, key=lambda row: abs(row.move), reverse=True)[:MOVERS]


def mover_words(mover: Mover) -> str:
    """Returns a line such as `USD/JPY +1.20 % to 156.80 (z +2.1)`."""
    score = f" (z {mover.z_score:+f})" if mover.z_score is not None else ""
    return f"{mover.market} {mover.move:+f} % to {mover.last:,f}{score}"


def escaped(text: str) -> str:
    """Returns the text with Slack's special characters escaped, so that it contains no markup,
    mention or link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _first(lines: list[str], most: int) -> list[str]:
    """Returns the first lines, and says how many more the report has."""
    more = len(lines) - most
    return [*lines[:most], f"and {more} more in the report"] if more > 0 else lines


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title, *(f"  {line}" for line in lines)] if lines else []


def _trust(report: ResearchReport) -> Iterator[str]:
    line = trust_line(report)
    if line:
        yield _short_line(line)


def _lacking(report: ResearchReport) -> Iterator[str]:
    if words := Lacking(report).first_words:
        yield _short_line(words)


def _missing(report: ResearchReport) -> Iterator[str]:
    missing = report.coverage.missing
    for entry in missing[:MISSING]:
        yield _short_line(f"Missing: {entry.market}: {entry.reason}")
    if len(missing) > MISSING:
        yield f"and {len(missing) - MISSING} more missing"


def _changes(report: ResearchReport) -> list[str]:
    entries = report.changes.entries
    lines = [_short_line(f"{change.kind} {change_words(change)}") for change in entries]
    return _first(lines, CHANGES)


def _on_its_day(row: CalendarRow) -> str:
    return _short_line(f"{print_weekday(row.day, row.precision)} {row.bank}: {row.outcome.text}")


def _indented_line(text: str) -> str:
    """Returns the text on one line of at most `LONGEST_LINE` characters, with its indentation."""
    indent = len(text) - len(text.lstrip())
    return " " * indent + _short_line(text)


def _short_line(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


_MODULES: Final = {
    Channel.EMAIL: "desk.platform.delivery.sending",
    Channel.WEBHOOK: "desk.platform.delivery.sending",
    Channel.OBJECT_STORE: "desk.platform.delivery.store",
}


@dataclass(frozen=True)
class _Revision:
    """A revision and its files in the report folder."""

    report: ResearchReport
    files: dict[str, Path]
    where: str


class DeliveryActivities:
    """Delivers the revisions in one report folder. Holds the secrets that the channels need."""

    def __init__(
        self,
        reports_dir: Path,
        secrets: DeliverySecrets,
        journal: EffectJournal,
        store: StoreSettings | None = None,
    ) -> None:
        self._reports_dir = reports_dir
        self._shared = SharedReports(store, reports_dir)
        self._secrets = secrets
        self._journal = journal
        self._in_flight: set[asyncio.Future[DeliveryReceipt]] = set()

    @activity.defn
    async def deliver_report(self, delivery: Delivery) -> DeliveryReceipt:
        """Delivers the revision by the channel, unless the journal records it as delivered.

        If the desk crashes between the receiver's answer and the journal's entry, the revision is
        sent again: an e-mail with the same Message-ID, files with the same contents.

        Raises:
            ApplicationError: `DeliveryFailed`, retryable if another attempt may succeed.
        """
        async with heartbeating():
            try:
                return await self._send_despite_cancellation(delivery)
            except DeliveryFailed as error:
                kind = FailureType.DELIVERY_FAILED
                if error.permanent:
                    raise permanent(kind, str(error)) from None
                raise transient(kind, str(error), retry_after=error.after) from None

    async def _send_despite_cancellation(self, delivery: Delivery) -> DeliveryReceipt:
        """Finishes a delivery and its journal entry even if this attempt is cancelled. The next
        attempt, which starts after a missed heartbeat, finds it in the journal."""
        key = delivery_key(delivery.parcel, delivery.channel)
        sending = asyncio.ensure_future(
            self._journal.once(key, lambda: self._send(delivery), DeliveryReceipt)
        )
        self._in_flight.add(sending)
        sending.add_done_callback(self._forget)
        return await asyncio.shield(sending)

    def _forget(self, sending: "asyncio.Future[DeliveryReceipt]") -> None:
        self._in_flight.discard(sending)
        if not sending.cancelled():
            sending.exception()

    async def _send(self, delivery: Delivery) -> DeliveryReceipt:
        try:
            await self._shared.fetch()
        except StoreUnreachable as error:
            raise DeliveryFailed(str(error)) from None
        revision = await asyncio.to_thread(self._revision, delivery.parcel)
        # The channel's modules are imported only where the channel is used. The import runs in a
        # thread, because it takes longer than the interval between two heartbeats.
        await asyncio.to_thread(_load, delivery.channel)
        seconds = _time_for_one_try()
        reference: str | None = None
        if delivery.email is not None:
            from desk.platform.delivery.sending import send_mail

            mail = await asyncio.to_thread(_letter, revision, delivery.parcel, delivery.email)
            reference = mail.message_id
            note = await send_mail(delivery.email, mail, self._secrets, seconds)
        elif delivery.webhook is not None:
            from desk.platform.delivery.sending import post_message

            text = room_message(revision.report, revision.where)
            reference = delivery_key(delivery.parcel, delivery.channel)
            note = await post_message(delivery.webhook, text, self._secrets, reference, seconds)
        else:
            note = await self._store(delivery, revision, seconds)
        return DeliveryReceipt(channel=delivery.channel, note=note, reference=reference)

    async def _store(self, delivery: Delivery, revision: _Revision, seconds: float) -> str:
        target = delivery.object_store
        if target is None:
            raise DeliveryFailed(f"no target for {delivery.channel}", permanent=True)
        from desk.platform.delivery.store import store_files

        # The JSON form is stored last: a reader who finds it also finds the others and the
        # signature.
        paths = sorted(revision.files.values(), key=lambda path: path.suffix == ".json")
        contents = {
            object_key(target.prefix, path.name): await asyncio.to_thread(path.read_bytes)
            for path in paths
        }
        return await store_files(target, contents, self._secrets, seconds)

    def _revision(self, parcel: Parcel) -> _Revision:
        stem = f"{parcel.week}-{DEFAULT_SLUG}.r{parcel.revision}"
        folder = self._reports_dir / FOLDER
        files = {suffix: folder / f"{stem}.{suffix}" for suffix in SUFFIXES}
        report = read_published(files["json"])
        if report is None or not all(path.is_file() for path in files.values()):
            raise DeliveryFailed(
                f"revision {parcel.revision} of {parcel.week} is not in {folder}, where this "
                "worker looks: orchestrators on several machines need one report folder, or one "
                "DESK_STORE"
            )
        signature = folder / f"{stem}.{SIGNATURE}"
        if signature.is_file():
            files[SIGNATURE] = signature
        link = f"{parcel.report_url.rstrip('/')}/{stem}.html" if parcel.report_url else None
        return _Revision(report, files, link or str(files["html"]))


def _load(channel: Channel) -> None:
    try:
        import_module(_MODULES[channel])
    except ImportError:
        words = f"what {channel} takes is not installed: run {install_words(Extra.DELIVER)}"
        raise DeliveryFailed(words, permanent=True) from None


def _letter(revision: _Revision, parcel: Parcel, target: EmailTarget) -> Letter:
    report, html = revision.report, revision.files["html"]
    published_at = report.revisions[-1].published_at if report.revisions else report.as_of
    return Letter(
        subject=subject_line(report),
        text=letter(report, revision.where),
        html=letter_html(report, subject_line(report), revision.where),
        attachment=html.read_bytes(),
        attachment_name=html.name,
        message_id=message_id(parcel, target),
        date=format_datetime(published_at),
    )


def _time_for_one_try() -> float:
    """Returns a timeout in seconds slightly below the attempt's own, so that the desk's error is
    raised and says what timed out."""
    allowed = activity.info().start_to_close_timeout
    return 0.9 * allowed.total_seconds() if allowed else 30.0
