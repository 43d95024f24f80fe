"""The desk's own secrets, all of them: what no source may repeat."""

from pydantic import SecretStr

from desk.platform.delivery.deliveries import DeliverySecrets
from desk.platform.settings import Settings
from desk.platform.telemetry.otlp import otlp_headers


def configured_secrets(settings: Settings) -> tuple[SecretStr, ...]:
    """Every secret among the settings, those of the deliveries, and what metrics and traces are
    sent with."""
    named = (settings, DeliverySecrets.of(settings.variables))
    told = [value for model in named for _, value in model if isinstance(value, SecretStr)]
    return (*told, *map(SecretStr, otlp_headers(settings.variables).values()))
