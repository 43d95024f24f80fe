"""What is delivered of a week, and the names by which a repetition is recognised."""

import hashlib
from datetime import datetime

from desk.contracts.week.delivery import Channel, Deliveries, EmailTarget, Parcel


def channels_due(deliveries: Deliveries, as_of: datetime, now: datetime) -> tuple[Channel, ...]:
    """The channels that get a revision: none of a week that is news no more."""
    return deliveries.channels if now - as_of <= deliveries.oldest else ()


def delivery_key(parcel: Parcel, channel: Channel) -> str:
    """What names a delivery, the same for each of its attempts."""
    return f"delivery/{parcel.workflow_id}/{parcel.run_id}/r{parcel.revision}/{channel}"


def message_id(parcel: Parcel, target: EmailTarget) -> str:
    """The Message-ID of a revision's e-mail: a mailbox that gets it twice can tell."""
    named = delivery_key(parcel, Channel.EMAIL).encode()
    return f"<{hashlib.sha256(named).hexdigest()[:40]}@{target.sender.rpartition('@')[2]}>"


def object_key(target_prefix: str, name: str) -> str:
    """Where a file stands in a bucket: `prefix/weekly/2026-W44-asia-g10-fx.r1.html`."""
    return "/".join(part for part in (target_prefix, "weekly", name) if part)
