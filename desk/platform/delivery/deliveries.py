"""What the delivery channels share: secrets, the letter, and the error of a failed delivery."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from desk.analytics.names.shortening import on_one_line

SMTP_PASSWORD = "SMTP_PASSWORD"  # noqa: S105
WEBHOOK_URL = "SLACK_WEBHOOK_URL"
ACCESS_KEY = "AWS_ACCESS_KEY_ID"
SECRET_KEY = "AWS_SECRET_ACCESS_KEY"  # noqa: S105
SESSION_TOKEN = "AWS_SESSION_TOKEN"  # noqa: S105
"""The variables that only the worker which delivers needs."""

LONGEST_OF_A_STORE: Final = 300
"""The most characters of a store's error that the desk repeats."""


class DeliveryFailed(Exception):
    """A report was not delivered. The message contains no secret.

    With `permanent`, another attempt would fail too. Otherwise it may be retried, after the pause
    that the receiver asked for, if any.
    """

    def __init__(
        self, words: str, *, permanent: bool = False, after: timedelta | None = None
    ) -> None:
        super().__init__(words)
        self.permanent = permanent
        self.after = after


class DeliverySecrets(BaseModel):
    """The secrets of all channels, None if not set. They print as asterisks."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    smtp_password: SecretStr | None = Field(None, alias=SMTP_PASSWORD)
    webhook_url: SecretStr | None = Field(None, alias=WEBHOOK_URL)
    access_key: SecretStr | None = Field(None, alias=ACCESS_KEY)
    secret_key: SecretStr | None = Field(None, alias=SECRET_KEY)
    session_token: SecretStr | None = Field(None, alias=SESSION_TOKEN)

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> "DeliverySecrets":
        """The secrets among a process's environment variables."""
        return cls.model_validate(dict(variables))


@dataclass(frozen=True)
class Letter:
    """An e-mail: its text in plain and HTML form, the attached report, and a message id that is the
    same in every attempt."""

    subject: str
    text: str
    html: str
    attachment: bytes
    attachment_name: str
    message_id: str
    date: str


def needed(secret: SecretStr | None, variable: str) -> str:
    """The value of a secret.

    Raises:
        DeliveryFailed: it is not set in this worker's environment.
    """
    if secret is None:
        raise DeliveryFailed(
            f"{variable} is not set where the orchestrator's worker runs; set it in its "
            "environment or in .env, and ask for a rerun to send the next revision",
            permanent=True,
        )
    return secret.get_secret_value()


def store_words(error: Exception) -> str:
    """The first line of an error of the store's library. The rest is debugging output."""
    return on_one_line(str(error).split("\n")[0], LONGEST_OF_A_STORE)
