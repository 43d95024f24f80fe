"""Publishes the files of a document: all of them or none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from desk.contracts.findings.document import PublishedFiles
from desk.contracts.question.answers import AnswerReport
from desk.contracts.week.report import ResearchReport
from desk.contracts.week.signature import SUFFIX as SIGNATURE
from desk.documents.publishing.files import PublishingError, write_all
from desk.documents.publishing.signature import Signer, signature_file

SUFFIXES: Final = ("md", "html", "json")
"""The suffixes of the three forms. A signature of them is beside them if the publisher has a
key."""

Published = TypeVar("Published", ResearchReport, AnswerReport)
_Files = Mapping[str, Path]
"""A document's files by suffix, including its signature."""


@dataclass(frozen=True, kw_only=True)
class DocumentKind(Generic[Published]):
    """A kind of document: its rendering and parsing, and the `folder` that it is published in.

    `are_same` returns whether two of them are the same apart from the attempt that wrote them.
    """

    folder: str
    markdown: Callable[[Published], str]
    html: Callable[[Published], str]
    json: Callable[[Published], str]
    from_json: Callable[[str], Published]
    are_same: Callable[[Published, Published], bool]

    def read(self, path: Path) -> Published | None:
        """Reads the document in a JSON file. Returns None if there is none or it is damaged."""
        try:
            return self.from_json(path.read_text(encoding="utf-8"))
        except (OSError, ValidationError, UnicodeDecodeError):
            return None

    def named(self, directory: Path, stem: str) -> PublishedFiles:
        """Returns the files of the document with a name, in a directory of reports."""
        files = self._files(directory, stem)
        return PublishedFiles(
            markdown=str(files["md"]), html=str(files["html"]), json_file=str(files["json"])
        )

    def publish(
        self,
        document: Published,
        directory: Path,
        stems: Sequence[str],
        signer: Signer | None = None,
    ) -> None:
        """Writes a document's three forms under each of the names, with the signer's signature.

        If all files have the same content already, and are signed if there is a signer, nothing is
        written. A reader never sees half of a file.

        Raises:
            PublishingError: a file or the folder could not be written; all files are unchanged.
        """
        sets = [self._files(directory, stem) for stem in stems]
        if all(
            self._is_held(document, files) and _is_signed(document.seal, files, signer)
            for files in sets
        ):
            return
        forms = {
            "md": self.markdown(document),
            "html": self.html(document),
            "json": self.json(document),
        }
        # Without a signer, an earlier signature is removed.
        signature = signature_file(signer, document.seal, forms) if signer else None
        texts: dict[str, str | None] = {**forms, SIGNATURE: signature}
        folder = directory / self.folder
        write_all({files[suffix]: texts[suffix] for files in sets for suffix in texts}, folder)

    def copy(self, directory: Path, stem: str, target: str) -> None:
        """Copies a document's files, with its signature if it has one, to another name.

        Raises:
            PublishingError: a file could not be read or written; all files are unchanged.
        """
        sources, targets = self._files(directory, stem), self._files(directory, target)
        folder = directory / self.folder
        try:
            texts = {
                targets[suffix]: _text(path) if path.exists() else None
                for suffix, path in sources.items()
            }
        except OSError as error:
            raise PublishingError(folder, error) from error
        write_all(texts, folder)

    def _files(self, directory: Path, stem: str) -> _Files:
        folder = directory / self.folder
        return {suffix: folder / f"{stem}.{suffix}" for suffix in (*SUFFIXES, SIGNATURE)}

    def _is_held(self, document: Published, files: _Files) -> bool:
        """Returns whether a set of files is complete and contains the document."""
        published = self.read(files["json"])
        if published is None or not all(files[suffix].is_file() for suffix in SUFFIXES):
            return False
        return self.are_same(published, document)


def _is_signed(seal: str, files: _Files, signer: Signer | None) -> bool:
    """Returns whether the signature on disk is the signer's for the current files; True without a
    signer."""
    if signer is None:
        return True
    try:
        forms = {suffix: _text(files[suffix]) for suffix in SUFFIXES}
        return _text(files[SIGNATURE]) == signature_file(signer, seal, forms)
    except (OSError, UnicodeDecodeError):
        return False


def _text(path: Path) -> str:
    return path.read_bytes().decode()
