"""Sending a published revision by one channel, as an activity of the desk."""

import asyncio
from dataclasses import dataclass
from email.utils import format_datetime
from importlib import import_module
from pathlib import Path
from typing import Final

from temporalio import activity

from activities.effects import beating
from activities.errors import permanent, transient
from desk.contracts.names import FailureType
from desk.contracts.week.delivery import Channel, Delivery, DeliveryReceipt, EmailTarget, Parcel
from desk.contracts.week.report import ResearchReport
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.documents.publishing.deliveries import delivery_key, message_id, object_key
from desk.documents.publishing.publish import SUFFIXES
from desk.platform.delivery.deliveries import DeliveryFailed, DeliverySecrets, Letter
from desk.platform.effects import EffectJournal
from desk.programs.week.document.delivery_words import letter, room_message, subject_line
from desk.programs.week.document.publishing import DEFAULT_SLUG, FOLDER, read_published

_MODULES: Final = {
    Channel.EMAIL: "desk.platform.delivery.mail",
    Channel.WEBHOOK: "desk.platform.delivery.webhook",
    Channel.OBJECT_STORE: "desk.platform.delivery.store",
}


@dataclass(frozen=True)
class _Revision:
    """A revision as it lies in the report folder."""

    report: ResearchReport
    files: dict[str, Path]
    where: str


class DeliveryActivities:
    """Sends what lies in one report folder. Holds the secrets that it takes to do so."""

    def __init__(self, reports_dir: Path, secrets: DeliverySecrets, journal: EffectJournal) -> None:
        self._reports_dir = reports_dir
        self._secrets = secrets
        self._journal = journal
        self._under_way: set[asyncio.Future[DeliveryReceipt]] = set()

    @activity.defn
    async def deliver_report(self, delivery: Delivery) -> DeliveryReceipt:
        """The revision sent by the channel. What the journal has as sent is not sent again.

        Between the receiver's answer and the journal there is a moment in which a crash goes
        unnoticed: an e-mail then comes twice with the same Message-ID, files are put as they were.

        Raises:
            ApplicationError: `DeliveryFailed`, retryable where another attempt may succeed.
        """
        async with beating():
            try:
                return await self._to_its_end(delivery)
            except DeliveryFailed as error:
                kind = FailureType.DELIVERY_FAILED
                if error.permanent:
                    raise permanent(kind, str(error)) from None
                raise transient(kind, str(error), retry_after=error.after) from None

    async def _to_its_end(self, delivery: Delivery) -> DeliveryReceipt:
        """What was begun is ended and kept, though nobody waits for this attempt any more: the
        next one, which a late heartbeat has brought, finds it in the journal."""
        key = delivery_key(delivery.parcel, delivery.channel)
        sending = asyncio.ensure_future(
            self._journal.once(key, lambda: self._send(delivery), DeliveryReceipt)
        )
        self._under_way.add(sending)
        sending.add_done_callback(self._ended)
        return await asyncio.shield(sending)

    def _ended(self, sending: "asyncio.Future[DeliveryReceipt]") -> None:
        self._under_way.discard(sending)
        if not sending.cancelled():
            sending.exception()

    async def _send(self, delivery: Delivery) -> DeliveryReceipt:
        revision = await asyncio.to_thread(self._revision, delivery.parcel)
        # What it takes to speak to a channel is loaded where the channel is used, and in a thread,
        # for it takes longer than the time between two heartbeats.
        await asyncio.to_thread(_load, delivery.channel)
        seconds = _time_for_one_try()
        reference: str | None = None
        if delivery.email is not None:
            from desk.platform.delivery.mail import send_mail

            mail = await asyncio.to_thread(_letter, revision, delivery.parcel, delivery.email)
            reference = mail.message_id
            note = await send_mail(delivery.email, mail, self._secrets, seconds)
        elif delivery.webhook is not None:
            from desk.platform.delivery.webhook import post_message

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

        contents = {
            object_key(target.prefix, path.name): await asyncio.to_thread(path.read_bytes)
            for path in revision.files.values()
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
                "worker looks: orchestrators on several machines need one report folder"
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
        words = f"what {channel} takes is not installed: `make install-deliver` does it"
        raise DeliveryFailed(words, permanent=True) from None


def _letter(revision: _Revision, parcel: Parcel, target: EmailTarget) -> Letter:
    report, html = revision.report, revision.files["html"]
    published_at = report.revisions[-1].published_at if report.revisions else report.as_of
    return Letter(
        subject=subject_line(report),
        text=letter(report, revision.where),
        attachment=html.read_bytes(),
        attachment_name=html.name,
        message_id=message_id(parcel, target),
        date=format_datetime(published_at),
    )


def _time_for_one_try() -> float:
    """A little less than the attempt may take, so that the timeout is ours and says what it is."""
    allowed = activity.info().start_to_close_timeout
    return 0.9 * allowed.total_seconds() if allowed else 30.0
