"""A mail server on this machine that keeps what it is sent: aiosmtpd, speaking SMTP."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.support.processes.homes import free_port


@dataclass
class Mailbox:
    """What has arrived, and how the server behaves: codes by which it refuses a recipient, and
    how long it thinks before it takes a message."""

    port: int = 0
    password: str | None = None
    refusals: Mapping[str, str] = field(default_factory=dict)
    busy: int = 0
    think_seconds: float = 0
    messages: list[EmailMessage] = field(default_factory=list)
    envelopes: list[Envelope] = field(default_factory=list)

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Take a recipient or refuse it."""
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Take a message, unless the server is busy."""
        if self.busy:
            self.busy -= 1
            return "451 try again later"
        await asyncio.sleep(self.think_seconds)
        parsed = message_from_bytes(envelope.original_content or b"", policy=policy.default)
        assert isinstance(parsed, EmailMessage)
        self.messages.append(parsed)
        self.envelopes.append(envelope)
        return "250 taken"

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: object
    ) -> AuthResult:
        """Whether the password is the right one."""
        right = isinstance(given, LoginPassword) and given.password.decode() == self.password
        return AuthResult(success=right, handled=False)


@contextmanager
def mail_server(mailbox: Mailbox) -> Iterator[Mailbox]:
    """The server while the block lasts; with a password, nobody sends without it."""
    mailbox.port = free_port()
    login = mailbox.password is not None
    controller = Controller(
        mailbox,
        hostname="127.0.0.1",
        port=mailbox.port,
        server_hostname="mail.test",
        authenticator=mailbox.authenticate if login else None,
        auth_required=login,
        auth_require_tls=False,
        data_size_limit=None,
    )
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()
