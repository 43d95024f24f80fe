"""The publisher's signature of a report and its pages, checked."""

from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from desk.contracts.week.signature import SUFFIX, Signature
from desk.documents.publishing.publish import SUFFIXES
from desk.documents.publishing.signature import digest_of, signed_bytes
from desk.platform.files import read_text_file
from starters.terminal.exit_status import ExitStatus, UsageError

UNCHECKED = "Signed, which was not checked: name the publisher's public key with --key."


class Signed(NamedTuple):
    """The result of checking a signature. `status` is the resulting exit status; `trusted` says
    that the files are those that the publisher signed."""

    words: str
    status: ExitStatus = ExitStatus.COMPLETE
    trusted: bool = False


def signature_of(
    path: Path, seal: str, key: Path | None, texts: Mapping[Path, str]
) -> Signed | None:
    """Checks the signature beside a JSON file against the file and its pages. Returns None if there
    is neither a signature nor a key.

    Args:
        path: The JSON file.
        seal: The seal of the report or answer in it.
        key: The file of the publisher's public key.
        texts: The texts of the file and of those beside it that exist.

    Raises:
        UsageError: the key cannot be used.
    """
    beside = path.with_suffix(f".{SUFFIX}")
    if key is None:
        return Signed(UNCHECKED) if beside in texts else None
    from desk.platform.signing import UnusableKey, read_publisher_key

    try:
        publisher = read_publisher_key(read_text_file(key))
    except OSError as error:
        raise UsageError(f"--key {key}: {error.strerror}") from None
    except (UnusableKey, UnicodeDecodeError) as error:
        raise UsageError(f"--key {key}: {error}") from None
    if beside not in texts:
        return Signed(f"Not signed: {beside.name} is not there.", ExitStatus.NOT_SIGNED)
    try:
        signature = Signature.model_validate_json(texts[beside])
    except ValidationError:
        return _changed(f"{beside.name} is no signature")
    if signature.key != publisher.fingerprint:
        words = f"Signed with another key: {signature.key}, not {publisher.fingerprint}."
        return Signed(words, ExitStatus.OTHER_KEY)
    if not publisher.signed(signed_bytes(signature), b64decode(signature.signature)):
        return _changed(f"{beside.name} does not hold a signature by the key that it names")
    changed = _changed_files(path, signature, texts)
    if signature.seal != seal or changed:
        return _changed(f"{', '.join(changed) or path.name} is not what was signed")
    return Signed(f"Signed with the key {publisher.fingerprint}.", trusted=True)


def _changed(words: str) -> Signed:
    return Signed(f"Changed after it was signed: {words}.", ExitStatus.CHANGED)


def _changed_files(path: Path, signature: Signature, texts: Mapping[Path, str]) -> list[str]:
    """The names of the existing files that differ from what was signed."""
    files = {"json": path}
    files |= {suffix: path.with_suffix(f".{suffix}") for suffix in SUFFIXES if suffix != "json"}
    return [
        file.name
        for suffix, file in files.items()
        if file in texts and digest_of(texts[file]) != signature.files.get(suffix)
    ]
