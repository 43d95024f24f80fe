"""Where traces and metrics are sent by OTLP over HTTP. Nowhere, unless an address is set."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
HEADERS: Final = "OTEL_EXPORTER_OTLP_HEADERS"
SERVICE_NAME: Final = "OTEL_SERVICE_NAME"
DEFAULT_SERVICE: Final = "research-desk"


def otlp_endpoint(variables: Mapping[str, str], signal: str) -> str | None:
    """The URL for a signal (`traces`, `metrics`) over HTTP. None if it is not sent."""
    disabled = variables.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if disabled or variables.get(f"OTEL_{signal.upper()}_EXPORTER") == "none":
        return None
    endpoint = variables.get(ENDPOINT)
    return f"{endpoint.rstrip('/')}/v1/{signal}" if endpoint else None


def otlp_headers(variables: Mapping[str, str]) -> dict[str, str]:
    """The headers of an export, such as `authorization=Bearer%20…`."""
    pairs = (pair.partition("=") for pair in variables.get(HEADERS, "").split(",") if "=" in pair)
    return {name.strip().lower(): unquote(value.strip()) for name, _, value in pairs}
