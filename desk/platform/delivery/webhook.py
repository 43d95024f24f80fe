"""A report's headline to a room, by a webhook in Slack's form."""

from datetime import timedelta

import httpx2

from desk.contracts.week.delivery import WebhookTarget
from desk.platform.delivery.deliveries import WEBHOOK_URL, DeliveryFailed, DeliverySecrets, needed
from desk.platform.models.retry_after import pause_of

LONGEST_PAUSE = timedelta(minutes=10)


async def post_message(
    target: WebhookTarget, text: str, secrets: DeliverySecrets, key: str, timeout_seconds: float
) -> str:
    """Post the text; where it went, in words. `key` names the message to receivers that can tell
    a repetition (`Idempotency-Key`).

    Raises:
        DeliveryFailed: it was not taken. The address, which is a secret, is not in the message.
    """
    url = needed(secrets.webhook_url, WEBHOOK_URL)
    try:
        async with httpx2.AsyncClient(timeout=timeout_seconds) as client:
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
    raise _failure(target, answer)


def _failure(target: WebhookTarget, answer: httpx2.Response) -> DeliveryFailed:
    """429 and the server's own errors may pass; everything else is final."""
    status = answer.status_code
    said = " ".join(answer.text[:200].split())
    words = f"{_of(target)} answers {status}{f': {said}' if said else ''}"
    if status == httpx2.codes.TOO_MANY_REQUESTS or status >= 500:
        return DeliveryFailed(words, after=pause_of(answer.headers, LONGEST_PAUSE))
    return DeliveryFailed(f"{words}; see {WEBHOOK_URL}", permanent=True)


def _of(target: WebhookTarget) -> str:
    return f"the webhook of {target.name}"
