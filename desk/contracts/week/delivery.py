"""The channels by which a published report is sent, besides the report folder, and the results.

Contains no secrets: a worker that delivers has those in its environment.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from desk.contracts.agents.config import PositiveSpan, RetryConfig
from desk.contracts.base import Contract, Instant, ShortText, Text, is_none
from desk.contracts.weeks import IsoWeek

Address = Annotated[str, Field(max_length=254, pattern=r"^[^@\s<>,;:\"]+@[^@\s<>,;:\"]+$")]
"""An e-mail address alone, without a name."""

WebAddress = Annotated[str, Field(max_length=500, pattern=r"^https?://[^\s@?#]+$")]
"""An address without user, query and fragment, which could contain secrets."""

_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


class Channel(StrEnum):
    """The channels by which a report is delivered."""

    EMAIL = "email"
    WEBHOOK = "webhook"
    OBJECT_STORE = "object_store"


class MailSecurity(StrEnum):
    """How the connection to the mail server is protected."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


class EmailTarget(Contract):
    """The recipients of the report by e-mail, and the mail server. With a `user`, the worker logs
    in with SMTP_PASSWORD."""

    host: Annotated[str, Field(min_length=1, max_length=200)]
    port: Annotated[int, Field(ge=1, le=65_535)] = 587
    security: MailSecurity = MailSecurity.STARTTLS
    user: ShortText | None = None
    sender: Address
    recipients: Annotated[tuple[Address, ...], Field(min_length=1, max_length=50)]

    @model_validator(mode="after")
    def _passwords_are_encrypted(self) -> Self:
        bare = self.security is MailSecurity.NONE and self.host not in _THIS_MACHINE
        if bare and self.user is not None:
            raise ValueError("security starttls or tls with a user, or the password goes in clear")
        return self


class WebhookTarget(Contract):
    """A chat room with a webhook in Slack's format. The address itself is a secret
    (SLACK_WEBHOOK_URL); `name` is the desk's name for it."""

    name: Annotated[str, Field(min_length=1, max_length=100)]


class ObjectStoreTarget(Contract):
    """A bucket that receives the files of a revision. Without an `endpoint` it is on Amazon S3."""

    bucket: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    prefix: Annotated[str, Field(max_length=500, pattern=r"^([\w.=-]+(/[\w.=-]+)*)?$")] = ""
    endpoint: WebAddress | None = None
    region: Annotated[str, Field(min_length=1, max_length=50)] = "us-east-1"


class Parcel(Contract):
    """The revision to deliver. `run_id` is that of the first run in the workflow's chain, so that a
    reset run does not send again."""

    week: IsoWeek
    revision: Annotated[int, Field(ge=1)]
    workflow_id: ShortText
    run_id: ShortText
    report_url: WebAddress | None = None


class Deliveries(Contract):
    """The channels that a week's whole report is delivered to, once for each revision.

    `report_url` is the address under which the folder of weekly reports is served, for links. A
    week whose as-of instant is older than `oldest`, as in a backfill, is not delivered. `attempt`
    limits one attempt on a channel, `deadline` all of them with their pauses.
    """

    email: EmailTarget | None = None
    webhook: WebhookTarget | None = None
    object_store: ObjectStoreTarget | None = None
    report_url: WebAddress | None = None
    oldest: PositiveSpan = timedelta(days=14)
    attempt: PositiveSpan = timedelta(minutes=1)
    deadline: PositiveSpan = timedelta(hours=1)
    retries: RetryConfig = RetryConfig(
        max_attempts=8, first_pause=timedelta(seconds=5), longest_pause=timedelta(minutes=5)
    )

    def by(self, channel: Channel, parcel: Parcel) -> "Delivery":
        """Returns the delivery of a revision on the given channel."""
        target = getattr(self, channel)
        return Delivery.model_validate({"parcel": parcel, "channel": channel, channel: target})

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that have a target."""
        return tuple(channel for channel in Channel if getattr(self, channel) is not None)


class Delivery(Contract):
    """The input of `deliver_report`: one revision on one channel, whose target is set here."""

    parcel: Parcel
    channel: Channel
    email: EmailTarget | None = None
    webhook: WebhookTarget | None = None
    object_store: ObjectStoreTarget | None = None

    @model_validator(mode="after")
    def _has_its_target(self) -> Self:
        if getattr(self, self.channel) is None:
            raise ValueError(f"a target for {self.channel}")
        return self


class DeliveryReceipt(Contract):
    """The result of a delivery: its destination, and the receiver's id for it."""

    channel: Channel
    note: Text
    reference: Text | None = None


class DeliveryState(StrEnum):
    """The state of a delivery."""

    UNDER_WAY = "under_way"
    DELIVERED = "delivered"
    FAILED = "failed"


class DeliveryStatus(Contract):
    """A line of `desk status`: a revision on a channel, with its destination or why it failed. A
    delivery in flight is retried until `due`."""

    revision: int
    channel: Channel
    state: DeliveryState
    note: Text = ""
    due: Annotated[Instant | None, Field(exclude_if=is_none)] = None
