"""The deliveries of a week's revision, and the keys that identify duplicates."""

import hashlib
from datetime import datetime

from desk.contracts.week.delivery import Channel, Deliveries, EmailTarget, Parcel


def channels_due(deliveries: Deliveries, as_of: datetime, now: datetime) -> tuple[Channel, ...]:
    """Returns the channels that get a revision; none if the week is too old."""
    return deliveries.channels if now - as_of <= deliveries.oldest else ()


def delivery_key(parcel: Parcel, channel: Channel) -> str:
    """Returns the key of a delivery, the same for each of its attempts."""
    return f"delivery/{parcel.workflow_id}/{parcel.run_id}/r{parcel.revision}/{channel}"


def message_id(parcel: Parcel, target: EmailTarget) -> str:
    """Returns the Message-ID of a revision's e-mail, by which a mailbox can recognise a
    duplicate."""
    named = delivery_key(parcel, Channel.EMAIL).encode()
    return f"<{hashlib.sha256(named).hexdigest()[:40]}@{target.sender.rpartition('@')[2]}>"


def object_key(target_prefix: str, name: str) -> str:
    """Returns the key of a file in a bucket: `prefix/weekly/2026-W44-asia-g10-fx.r1.html`."""
    return "/".join(part for part in (target_prefix, "weekly", name) if part)
