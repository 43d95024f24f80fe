"""Checks of the machine, the configuration and the folders."""

import os
import shutil
from pathlib import Path

from desk.analytics.names.central_banks import CENTRAL_BANKS
from desk.contracts.agents.config import RunConfig
from desk.documents.publishing.files import publish_folder
from desk.platform.server.embedded import temporal_binary
from desk.platform.server.failure import ServerFailed
from desk.platform.settings import DEFAULTS, Settings
from desk.platform.settings.store import StoreSettings
from starters.operations.doctor.check import Check, Level
from starters.runs.models import model_words

LEAST_PYTHON = (3, 11)

LITTLE_SPACE = 1024**3

NO_SPACE = 100 * 1024**2


def store_check(store: StoreSettings) -> Check:
    """Checks that the bucket that machines share can be written and read."""
    where = f"s3://{'/'.join(part for part in (store.bucket, store.prefix) if part)}"
    try:
        from desk.platform.payloads.bucket import fault_of
    except ImportError:
        return Check("store", Level.FAIL, f"{where} needs what `make install-deliver` installs")
    fault = fault_of(store)
    if fault is None:
        return Check("store", Level.OK, f"{where} can be written and read")
    return Check("store", Level.FAIL, f"{where}: {fault}; see DESK_STORE and its keys")


def python_check(version: tuple[int, int, int]) -> Check:
    """Checks that the interpreter is recent enough."""
    text = ".".join(map(str, version))
    if version[:2] >= LEAST_PYTHON:
        return Check("python", Level.OK, text)
    return Check("python", Level.FAIL, f"{text}; 3.11 or newer is needed")


def binary_check(settings: Settings) -> Check:
    """Checks that the embedded server's program is installed, if it is used."""
    if settings.external:
        return Check("temporal", Level.OK, "a server of your own is configured")
    try:
        return Check("temporal", Level.OK, str(temporal_binary()))
    except ServerFailed as error:
        return Check("temporal", Level.FAIL, str(error))


def configuration_check(settings: Settings) -> Check:
    """Says who does the analysis. The configuration is valid, or it would not have been loaded."""
    count = len(settings.config.markets)
    where = f" of {settings.desk_config}" if settings.desk_config.parent == DEFAULTS else ""
    return Check("settings", Level.OK, f"{count} markets{where}; {model_words(settings.config)}")


def base_area_check(config: RunConfig) -> Check:
    """Checks that the base area of rates is one that the desk knows or researches."""
    area = config.policy.base_area
    researched = {each for market in config.markets for each in market.areas}
    if area in researched or area in CENTRAL_BANKS:
        return Check("base area", Level.OK, f"rates are compared with those of {area}")
    known = ", ".join(sorted(researched | set(CENTRAL_BANKS)))
    return Check(
        "base area",
        Level.FAIL,
        f"markets.base_area is '{area}', of which no central bank is known and no market is in "
        f"desk.toml: no rate could be compared with its; known: {known}",
    )


def signing_check(settings: Settings) -> Check:
    """Says with which key reports are signed. An unusable key is already rejected with the
    settings."""
    signer = settings.signer
    words = f"with the key {signer.fingerprint}" if signer else "reports are not signed"
    return Check("signature", Level.OK, words)


def writable_check(name: str, directory: Path) -> Check:
    """Checks that a directory exists or can be created, and is writable."""
    try:
        publish_folder(directory)
    except OSError as error:
        return Check(name, Level.FAIL, f"{directory} cannot be made: {error.strerror}")
    if os.access(directory, os.W_OK):
        return Check(name, Level.OK, str(directory))
    return Check(name, Level.FAIL, f"{directory} is not writable; change its permissions")


def space_check(directory: Path) -> Check:
    """Checks that there is room for histories and reports."""
    there = next(f for f in (directory, *directory.parents) if f.exists())
    return free_space_check(shutil.disk_usage(there).free)


def free_space_check(free: int) -> Check:
    """Like `space_check`, for a number of bytes."""
    text = f"{free / 1024**3:.1f} GB free"
    if free < NO_SPACE:
        return Check("disk", Level.FAIL, f"{text}; free some: the server stops when it is full")
    if free < LITTLE_SPACE:
        return Check("disk", Level.WARN, f"{text}; a week takes a few megabytes")
    return Check("disk", Level.OK, text)
