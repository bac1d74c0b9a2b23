"""Zipped COLLADA (.zae): the document that the manifest names, read in memory."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass

from pyrave.errors import SceneError
from pyrave.formats import parse_document

_MANIFEST = "manifest.xml"
_MAX_MEMBERS = 10_000
_MANIFEST_BYTES = 64 * 1024
_CHUNK = 1 << 20
# what zipfile raises: NotImplementedError for versions and compressions that it does
# not know, RuntimeError for passwords
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Bounds of an archive: bytes of one unpacked file, and its inflation.

    XML of robots is packed to a sixth or a ninth of its size.
    """

    file_bytes: int = 128 * 1024 * 1024
    ratio: int = 50


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive.

    Parameters
    ----------
    name
        Its path in the archive.
    fragment
        The id in it that the manifest names, or empty.
    """

    name: str
    data: bytes
    fragment: str = ""


def read_archive(data: bytes, file: str, limits: ArchiveLimits | None = None) -> Member:
    """Return the document of an archive.

    Raises
    ------
    SceneError
        It is damaged, names no document, or inflates beyond the limits.
    """
    limits = limits or ArchiveLimits()
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGE as error:
        raise _refusal(file, f"not a readable zip archive: {error}") from error
    with archive:
        names = archive.namelist()
        if len(names) > _MAX_MEMBERS:
            raise _refusal(
                file,
                f"the archive has {len(names)} files, at most {_MAX_MEMBERS} are read",
            )
        named, fragment = _document_name(archive, names, file)
        return Member(named, _unpacked(archive, named, file, limits), fragment)


def with_document(data: bytes, file: str, document: bytes) -> bytes:
    """Return an archive, which was read before, with another document.

    Raises
    ------
    SceneError
        Another file in it is damaged or inflates beyond the limits.
    """
    limits = ArchiveLimits()
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as archive,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as written,
    ):
        name, _ = _document_name(archive, archive.namelist(), file)
        size = 0
        for info in archive.infolist():
            content = document
            if info.filename != name:
                content = _unpacked(archive, info.filename, file, limits)
                size += len(content)
            if size > limits.file_bytes:
                raise _refusal(
                    file, f"the archive unpacks to more than {limits.file_bytes} bytes"
                )
            kept = zipfile.ZipInfo(info.filename, info.date_time)
            kept.compress_type = zipfile.ZIP_DEFLATED
            written.writestr(kept, content)
    return buffer.getvalue()


def _document_name(
    archive: zipfile.ZipFile, names: list[str], file: str
) -> tuple[str, str]:
    """Return the document's name in the archive and the id in it, if one is named."""
    documents = [name for name in names if name.lower().endswith(".dae")]
    if _MANIFEST not in names:
        if len(documents) == 1:
            return documents[0], ""
        raise _refusal(
            file,
            f"the archive has no {_MANIFEST} and {len(documents)} .dae files",
            "a .zae holds manifest.xml with <dae_root>./name.dae</dae_root>",
        )
    small = ArchiveLimits(_MANIFEST_BYTES)
    data = _unpacked(archive, _MANIFEST, file, small)
    root = parse_document(data, f"{file}!{_MANIFEST}").root
    text = "".join(root.itertext()).strip()
    path, _, fragment = text.partition("#")
    wanted = posixpath.normpath(path) if path else ""
    if wanted in names:
        return wanted, fragment
    if len(documents) == 1:
        return documents[0], fragment
    raise _refusal(
        file,
        f"{_MANIFEST} names {text!r}, which is not in the archive",
        f"it has {', '.join(documents[:8]) or 'no .dae file'}",
    )


def _unpacked(
    archive: zipfile.ZipFile, name: str, file: str, limits: ArchiveLimits
) -> bytes:
    """Return a file's bytes.

    What its header says of its size is judged before anything is unpacked; no more
    than that is, as `zipfile` ends there.
    """
    info = archive.getinfo(name)
    allowed = min(limits.file_bytes, limits.ratio * max(info.compress_size, 1) + _CHUNK)
    if info.file_size > allowed:
        raise _refusal(
            file,
            f"{name!r} in the archive unpacks to {info.file_size} bytes, at most "
            f"{allowed} are read: {limits.ratio} times its packed size and 1 MiB, or "
            f"{limits.file_bytes}",
            "unpack it yourself if you trust it, and load the .dae",
        )
    try:
        with archive.open(info) as stream:
            return stream.read(info.file_size)
    except _DAMAGE as error:
        raise _refusal(file, f"{name!r} cannot be unpacked: {error}") from error


def _refusal(file: str, message: str, hint: str | None = None) -> SceneError:
    return SceneError.refusal("bad-archive", message, file=file, hint=hint)
