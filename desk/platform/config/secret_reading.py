"""Secrets that stand in a variable or in a file that a variable names."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import SecretStr

from desk.platform.config.settings_error import ENVIRONMENT, SettingsError
from desk.platform.files import read_text_file

_Read = TypeVar("_Read")


def read_secret(
    project: Path,
    written: SecretStr | None,
    file: Path | None,
    name: str,
    read: Callable[[str], _Read],
) -> _Read | None:
    """What is read of the text of a variable or of a file; None where there is neither. Both at
    once would leave open which of them counts.

    Raises:
        SettingsError: both are there, the file cannot be read, or `read` raised a `ValueError`,
            whose message must hold nothing of the secret.
    """
    of_file = f"{name.removesuffix('S')}_FILE"
    if written is not None and file is not None:
        raise SettingsError(f"{ENVIRONMENT}: {name} and {of_file} are both set; allowed: one")
    try:
        if file is not None:
            return read(read_text_file(project / file.expanduser()))
        return read(written.get_secret_value()) if written is not None else None
    except OSError as error:
        told = f"{file} cannot be read: {error.strerror}"
        raise SettingsError(f"{ENVIRONMENT}: {of_file}: {told}") from None
    except ValueError as error:
        raise SettingsError(f"{ENVIRONMENT}: {of_file if file else name}: {error}") from None


def checked_signing_key(text: str) -> SecretStr:
    """The text of a private key.

    Raises:
        UnusableKey: it is none that can sign.
    """
    # Only a desk that signs pays for what it takes.
    from desk.platform.effects.signing import read_signing_key

    read_signing_key(text)
    return SecretStr(text)
