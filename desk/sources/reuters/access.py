"""The credentials for LSEG, an account or a token, from named variables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

LSEG_URL = "https://api.refinitiv.com"
"""The address of LSEG's Data Platform, as in its own package `lseg-data`."""

BASE_URL, GIVEN_TOKEN = "LSEG_BASE_URL", "REUTERS_API_TOKEN"
MACHINE_ACCOUNT = ("LSEG_APP_KEY", "LSEG_USERNAME", "LSEG_PASSWORD")
SERVICE_ACCOUNT = ("LSEG_CLIENT_ID", "LSEG_CLIENT_SECRET")

NO_ACCESS = (
    "there are no credentials for Reuters news: set LSEG_APP_KEY, LSEG_USERNAME and LSEG_PASSWORD, "
    "or LSEG_CLIENT_ID and LSEG_CLIENT_SECRET, or REUTERS_API_TOKEN; until then ask the central "
    "banks' own news and the ECB's fixings"
)
_FIT = re.compile(r"[!-~]{1,4000}")


class NoAccess(Exception):
    """The variables give no access to LSEG. The message names them and no value."""


@dataclass(frozen=True, slots=True)
class MachineAccount:
    """An account of version 1 of LSEG's sign-on, with one session at a time."""

    app_key: SecretStr
    username: SecretStr
    password: SecretStr


@dataclass(frozen=True, slots=True)
class ServiceAccount:
    """An account of version 2 of LSEG's sign-on."""

    client_id: SecretStr
    client_secret: SecretStr


@dataclass(frozen=True, slots=True)
class GivenToken:
    """A token obtained elsewhere, such as from a gateway. It cannot be renewed here."""

    token: SecretStr


Account = MachineAccount | ServiceAccount | GivenToken


@dataclass(frozen=True, slots=True)
class Access:
    """An account and the address where it is valid. `variables` are the variables it was read
    from."""

    account: Account
    url: str
    variables: tuple[str, ...]


def access_from(variables: Mapping[str, str]) -> Access:
    """The access that the variables give. Empty ones count as unset.

    Raises:
        NoAccess: they do not give a complete account, or the address is not safe for a secret.
    """
    url = _url(variables.get(BASE_URL) or LSEG_URL)
    given = {name: value for name, value in variables.items() if value}
    for names in (MACHINE_ACCOUNT, SERVICE_ACCOUNT, (GIVEN_TOKEN,)):
        if all(name in given for name in names):
            return Access(_account(names, given), url, names)
    for names in (MACHINE_ACCOUNT, SERVICE_ACCOUNT):
        lacking = [name for name in names if name not in given]
        if len(lacking) < len(names):
            raise NoAccess(f"{NO_ACCESS}. Not set is {' and '.join(lacking)}")
    raise NoAccess(NO_ACCESS)


def _account(names: tuple[str, ...], given: Mapping[str, str]) -> Account:
    secrets = [SecretStr(given[name]) for name in names]
    if names == MACHINE_ACCOUNT:
        return MachineAccount(*secrets)
    if names == SERVICE_ACCOUNT:
        return ServiceAccount(*secrets)
    if _FIT.fullmatch(given[GIVEN_TOKEN]) is None:
        raise NoAccess(f"{GIVEN_TOKEN} has a space, a line break or a character beyond ASCII in it")
    return GivenToken(*secrets)


def _url(written: str) -> str:
    try:
        parts = urlsplit(written)
        host = parts.hostname if parts.port != 0 else None
    except ValueError:
        host = None
    plain = _FIT.fullmatch(written) is not None and not {"@", "?", "#"} & set(written)
    if not host or not plain:
        raise NoAccess(f"{BASE_URL} is no address such as {LSEG_URL}")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_this_machine(host)):
        raise NoAccess(f"{BASE_URL} must begin with https; http is for this machine alone")
    return written.rstrip("/")


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
