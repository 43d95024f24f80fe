"""Sends a report by e-mail (SMTP, in a thread that can be interrupted), or its headline to a chat
room by a Slack-compatible webhook."""

import asyncio
import smtplib
import socket
import ssl
from contextlib import suppress
from datetime import timedelta
from email.message import EmailMessage
from typing import Final

import httpx2

from desk.analytics.names.shortening import on_one_line
from desk.contracts.week.delivery import EmailTarget, MailSecurity, WebhookTarget
from desk.platform.delivery.deliveries import (
    SMTP_PASSWORD,
    WEBHOOK_URL,
    DeliveryFailed,
    DeliverySecrets,
    Letter,
    needed,
)
from desk.platform.models.retry_after import pause_of
from desk.platform.settings.tls import tls_context

LONGEST_ANSWER: Final = 200
"""The most characters of a server's response that an error repeats."""

LONGEST_PAUSE = timedelta(minutes=10)
"""The longest pause between two attempts that is honoured."""


async def send_mail(
    target: EmailTarget, letter: Letter, secrets: DeliverySecrets, timeout_seconds: float
) -> str:
    """Sends the letter through the mail server. Returns, in words, who received it.

    Raises:
        DeliveryFailed: no recipient was accepted.
    """
    password = needed(secrets.smtp_password, SMTP_PASSWORD) if target.user else None
    session = _SmtpSession(target, timeout_seconds)
    try:
        async with asyncio.timeout(timeout_seconds):
            refused = await asyncio.to_thread(session.send, message_of(target, letter), password)
    except TimeoutError:
        raise DeliveryFailed(f"{_at(target)} did not take the message in time") from None
    except smtplib.SMTPException as error:
        raise _mail_failure(target, error) from None
    except ssl.SSLCertVerificationError as error:
        words = f"the certificate of {_at(target)} does not hold: {error.verify_message}"
        raise DeliveryFailed(words, permanent=True) from None
    except OSError as error:
        raise DeliveryFailed(f"{_at(target)} cannot be reached: {_reason(error)}") from None
    finally:
        session.cut()
    return _outcome(target, refused)


def message_of(target: EmailTarget, letter: Letter) -> EmailMessage:
    """The e-mail: the report's summary as text and as HTML, the report attached. It is the same in
    each attempt."""
    message = EmailMessage()
    message["Subject"] = letter.subject
    message["From"] = target.sender
    message["To"] = ", ".join(target.recipients)
    message["Date"] = letter.date
    message["Message-ID"] = letter.message_id
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    message.add_alternative(letter.html, subtype="html")
    message.add_attachment(
        letter.attachment,
        maintype="text",
        subtype="html",
        filename=letter.attachment_name,
        params={"charset": "utf-8"},
    )
    return message


class _SmtpSession:
    """One SMTP session. `cut` ends it from another thread, so that a thread that is no longer
    awaited does not send after all."""

    def __init__(self, target: EmailTarget, timeout_seconds: float) -> None:
        self._target = target
        self._timeout = timeout_seconds
        self._server: smtplib.SMTP | None = None
        self._is_cut = False

    def send(self, message: EmailMessage, password: str | None) -> dict[str, tuple[int, bytes]]:
        """Sends the message. Returns the refused recipients, if others were accepted."""
        server = self._connected()
        try:
            if self._target.security is MailSecurity.STARTTLS:
                server.starttls(context=ssl.create_default_context())
            if self._target.user is not None and password is not None:
                server.login(self._target.user, password)
            if self._is_cut:
                raise smtplib.SMTPServerDisconnected("cut off")
            refused = server.send_message(message)
            with suppress(smtplib.SMTPException, OSError):
                server.quit()
            return refused
        finally:
            server.close()

    def cut(self) -> None:
        """Ends the session in any state: the thread wakes up and closes it."""
        self._is_cut = True
        sock = getattr(self._server, "sock", None)
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _connected(self) -> smtplib.SMTP:
        host, port = self._target.host, self._target.port
        if self._target.security is MailSecurity.TLS:
            context = ssl.create_default_context()
            self._server = smtplib.SMTP_SSL(host, port, timeout=self._timeout, context=context)
        else:
            self._server = smtplib.SMTP(host, port, timeout=self._timeout)
        return self._server


def _mail_failure(target: EmailTarget, error: smtplib.SMTPException) -> DeliveryFailed:
    """The failure by the server's code: permanent from 500 on, temporary below."""
    at = _at(target)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = {code for code, _ in error.recipients.values()}
        words = f"{at} refuses every recipient ({', '.join(str(code) for code in sorted(codes))})"
        return DeliveryFailed(words, permanent=min(codes, default=0) >= 500)
    if isinstance(error, smtplib.SMTPAuthenticationError):
        words = f"{at} refuses the login of {target.user} ({error.smtp_code}): see {SMTP_PASSWORD}"
        return DeliveryFailed(words, permanent=error.smtp_code >= 500)
    if isinstance(error, smtplib.SMTPResponseException):
        words = f"{at} answers {error.smtp_code} {_answer_line(error.smtp_error)}"
        return DeliveryFailed(words, permanent=error.smtp_code >= 500)
    if isinstance(error, smtplib.SMTPNotSupportedError):
        words = f"{at} does not offer what deliveries.email asks for: {error}"
        return DeliveryFailed(words, permanent=True)
    return DeliveryFailed(f"{at} hung up: {error}")


def _outcome(target: EmailTarget, refused: dict[str, tuple[int, bytes]]) -> str:
    taken = len(target.recipients) - len(refused)
    words = f"to {taken} of {len(target.recipients)} recipients through {target.host}"
    return f"{words}; refused: {', '.join(sorted(refused))}" if refused else words


def _at(target: EmailTarget) -> str:
    return f"the mail server {target.host}:{target.port}"


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__


def _answer_line(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return on_one_line(text, LONGEST_ANSWER)


async def post_message(
    target: WebhookTarget, text: str, secrets: DeliverySecrets, key: str, timeout_seconds: float
) -> str:
    """Posts the text. Returns, in words, where it went. `key` identifies the message to receivers
    that detect a repetition (`Idempotency-Key`).

    Raises:
        DeliveryFailed: it was not accepted. The address, which is a secret, is not in the message.
    """
    url = needed(secrets.webhook_url, WEBHOOK_URL)
    try:
        async with httpx2.AsyncClient(timeout=timeout_seconds, verify=tls_context()) as client:
            answer = await client.post(url, json={"text": text}, headers={"Idempotency-Key": key})
    except httpx2.TimeoutException:
        raise DeliveryFailed(f"{_of(target)} did not answer in time") from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL):
        words = f"{WEBHOOK_URL} is no address of a webhook: https://… is wanted"
        raise DeliveryFailed(words, permanent=True) from None
    except httpx2.HTTPError as error:
        raise DeliveryFailed(f"{_of(target)} cannot be reached: {type(error).__name__}") from None
    if answer.is_success:
        return f"to {target.name}"
    raise _webhook_failure(target, answer)


def _webhook_failure(target: WebhookTarget, answer: httpx2.Response) -> DeliveryFailed:
    """429 and the server's own errors are temporary. All others are permanent."""
    status = answer.status_code
    response_text = _answer_line(answer.text[: 2 * LONGEST_ANSWER])
    words = f"{_of(target)} answers {status}{f': {response_text}' if response_text else ''}"
    if status == httpx2.codes.TOO_MANY_REQUESTS or status >= 500:
        return DeliveryFailed(words, after=pause_of(answer.headers, LONGEST_PAUSE))
    return DeliveryFailed(f"{words}; see {WEBHOOK_URL}", permanent=True)


def _of(target: WebhookTarget) -> str:
    return f"the webhook of {target.name}"
