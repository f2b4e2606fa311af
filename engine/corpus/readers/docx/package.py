"""Reads the parts of a DOCX file that hold its text, within limits of size."""

from __future__ import annotations

import lzma
import posixpath
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.corpus.readers.contract import LARGEST_DOCUMENT
from store.errors import InputError

MOST_TAGS = 2_000_000
"""Of one part; each takes some 200 bytes of memory. A page of print has some hundreds."""

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
"""The first bytes of an old binary document, and of a new one that Word has encrypted."""
_ENCRYPTED_PART = "EncryptedPackage".encode("utf-16-le")
_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_OFFICE_DOCUMENT = "/officeDocument"
_LARGEST_OLE = 8 * 1024 * 1024
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,  # packed by a method or version that no writer of DOCX uses
    ValueError,
)
"""The errors that unpacking a broken archive raises."""
_REMEDY = "open it in a word processor and save it again"


class DocxPackage:
    """An open DOCX file, as a context manager that unpacks only the parts asked for."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, and InputError for a file that is not a readable DOCX."""
        _check_head(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except _FAULTS as error:
            raise InputError("the DOCX is broken or cut short;", _REMEDY) from error
        try:
            self._main = self._find_main()
        except InputError:
            self._zip.close()
            raise

    def __enter__(self) -> DocxPackage:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._zip.close()

    def document(self) -> Any:
        """The root of the main part."""
        root = self._part(self._main)
        if root is None:
            raise InputError("the DOCX holds no document;", _REMEDY)
        return root

    def beside(self, name: str) -> Any | None:
        """The root of part `name`, such as `styles.xml`, beside the main one; null if absent."""
        return self._part(posixpath.join(posixpath.dirname(self._main), name))

    def _find_main(self) -> str:
        relationships = self._part("_rels/.rels")
        if relationships is not None:
            for each in relationships.iter(_RELATIONSHIPS):
                if (each.get("Type") or "").endswith(_OFFICE_DOCUMENT):
                    return posixpath.normpath((each.get("Target") or "").lstrip("/"))
        if "word/document.xml" not in self._zip.namelist():
            raise InputError("the file is a zip archive, but not a DOCX")
        return "word/document.xml"

    def _part(self, name: str) -> Any | None:
        from lxml import etree

        try:
            data = self._read(name)
        except KeyError:
            return None
        except _FAULTS as error:
            raise InputError("the DOCX is broken or cut short;", _REMEDY) from error
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        )
        try:
            return etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise InputError(f"the DOCX is broken in its part {name};", _REMEDY) from error

    def _read(self, name: str) -> bytes:
        info = self._zip.getinfo(name)
        if info.flag_bits & 1:
            raise InputError("the DOCX is protected by a password;", "save a copy without one")
        # what is unpacked never exceeds the size that the archive states
        if info.file_size > LARGEST_DOCUMENT:
            raise InputError(
                f"the DOCX unpacks to {info.file_size:,} bytes in {name},"
                f" more than {LARGEST_DOCUMENT:,}"
            )
        data = self._zip.read(info)
        if data.count(b"<") > MOST_TAGS:
            raise InputError(
                f"the DOCX has {data.count(b'<'):,} elements in {name}, more than {MOST_TAGS:,};",
                "split the document",
            )
        return data


def _check_head(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(8)
        if not head:
            raise InputError("the file is empty")
        if head != _OLE:
            return
        rest = file.read(_LARGEST_OLE)
    if _ENCRYPTED_PART in rest:
        raise InputError("the DOCX is protected by a password;", "save a copy without one")
    raise InputError("the file is in Word's old binary format;", "save it as .docx")
