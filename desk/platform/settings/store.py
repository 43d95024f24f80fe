"""The bucket that workers share instead of a folder, configured by the environment."""

from collections.abc import Mapping
from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from desk.platform.settings.errors import ENVIRONMENT, SettingsError

VARIABLE: Final = "DESK_STORE"
_ENDPOINT: Final = ("DESK_STORE_ENDPOINT", "AWS_ENDPOINT_URL")
_REGION: Final = ("DESK_STORE_REGION", "AWS_REGION")
_OWN_KEYS: Final = {
    "aws_access_key_id": "DESK_STORE_ACCESS_KEY_ID",
    "aws_secret_access_key": "DESK_STORE_SECRET_ACCESS_KEY",
}
"""These take precedence over Amazon's names, which the bucket for deliveries uses too."""

_CREDENTIALS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
)
"""Keys, and the variables that a cluster sets for a workload with its own identity."""


class StoreSettings(BaseModel):
    """A bucket, by the S3 protocol. Without an `endpoint` it is Amazon's. Without `credentials`
    those of the machine are used."""

    model_config = ConfigDict(frozen=True)

    bucket: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    prefix: Annotated[str, Field(max_length=500, pattern=r"^([\w.=-]+(/[\w.=-]+)*)?$")] = ""
    endpoint: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    region: Annotated[str, Field(min_length=1, max_length=50)] = "us-east-1"
    credentials: Annotated[Mapping[str, str], Field(repr=False)] = Field(default_factory=dict)


def read_store(variables: Mapping[str, str]) -> StoreSettings | None:
    """The store that `DESK_STORE` names. None if it is not set.

    Raises:
        SettingsError: it is not the address of a bucket.
    """
    address = variables.get(VARIABLE, "")
    if not address:
        return None
    parts = urlsplit(address)
    endpoint = _first(variables, _ENDPOINT)
    given = {
        "bucket": parts.netloc if parts.scheme == "s3" else "",
        "prefix": parts.path.strip("/"),
        "endpoint": endpoint,
        "region": _first(variables, _REGION) or "us-east-1",
        "credentials": _credentials(variables),
    }
    try:
        return StoreSettings.model_validate(given)
    except ValidationError as error:
        (first, *_) = error.errors()
        if first["loc"] == ("endpoint",):
            named = f"{_ENDPOINT[0]} is '{endpoint}'; allowed: such as http://store:9000"
        else:
            named = f"{VARIABLE} is '{address}'; allowed: such as s3://research-desk/desk"
        raise SettingsError(f"{ENVIRONMENT}: {named}") from None


def _first(variables: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((variables[name] for name in names if variables.get(name)), None)


def _credentials(variables: Mapping[str, str]) -> dict[str, str]:
    own = {key: variables[name] for key, name in _OWN_KEYS.items() if variables.get(name)}
    return own or {n.lower(): variables[n] for n in _CREDENTIALS if variables.get(n)}
