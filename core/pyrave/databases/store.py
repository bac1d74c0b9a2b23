"""Files of databases: one .npz with a header in JSON, whole or not there.

Nothing in a file is executed when it is read, and no more memory is taken than its
directory says, which is checked first.
"""

from __future__ import annotations

import errno
import json
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy

from pyrave.errors import StateError, shown
from pyrave.files import replaced_file
from pyrave.jit.cache import chosen_directory, make_private

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT, FORMAT_VERSION = "pyrave-database", 1
VARIABLE = "PYRAVE_DATABASE"
MAX_BYTES = 1 << 34
"""Bytes of all arrays of a file."""
_MAX_HEADER = 1 << 22
_HEADER = "header.json"
_ENDING = ".npy"
_KINDS = "biufcSU"
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (
    ValueError, KeyError, TypeError, EOFError, IndexError, AttributeError,
    NotImplementedError, RuntimeError, RecursionError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def database_folder() -> Path:
    """Return the folder of databases: `PYRAVE_DATABASE`, else one in the cache."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    return chosen_directory() / "databases"


def check_arrays(arrays: Any, label: str) -> dict[str, NDArray[Any]]:
    """Return arrays by name that a file can hold.

    Raises
    ------
    StateError
        They are no arrays by name, or hold Python objects.
    """
    if not isinstance(arrays, Mapping):
        raise StateError(f"{label} gave {shown(arrays)}, expected arrays by name")
    found = {}
    for name, value in arrays.items():
        array = np.asarray(value)
        if not isinstance(name, str) or not name.isidentifier():
            raise StateError(
                f"{label} gave an array {shown(name)}, expected a Python name"
            )
        if array.dtype.kind not in _KINDS:
            raise StateError(
                f"{label} gave {name!r} of type {array.dtype}, expected numbers, truth "
                "values or texts"
            )
        found[name] = array
    return found


def write_arrays(
    path: Path, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a file as a whole, or leave what was there.

    Raises
    ------
    StateError
        It cannot be written: the disk is full, or the folder is another's.
    """
    total = sum(array.nbytes for array in arrays.values())
    if total > MAX_BYTES:
        raise StateError(
            f"{path} would have {total:,} bytes of arrays, expected {MAX_BYTES:,} at "
            "most; a coarser grid has less"
        )
    said = {"format": FORMAT, "format_version": FORMAT_VERSION, **header}
    text = json.dumps(said, allow_nan=False)
    try:
        make_private(path.parent)
        with (
            replaced_file(path) as partial,
            zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as out,
        ):
            out.writestr(_HEADER, text)
            for name, array in arrays.items():
                member = BytesIO()
                npy.write_array(member, array, allow_pickle=False)
                out.writestr(name + _ENDING, member.getbuffer())
    except OSError as error:
        raise not_written(path, error) from error


def not_written(path: Path, error: OSError) -> StateError:
    """Return the error for a file that cannot be written, which says what to do."""
    full = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
    what = (
        "make room there"
        if error.errno in full
        else "see to it that you may write there"
    )
    return StateError(
        f"{path} cannot be written: {error.strerror or error}; {what}, or set "
        f"{VARIABLE} to another folder"
    )


def read_header(path: Path) -> dict[str, Any]:
    """Return the header of a file.

    Raises
    ------
    FileNotFoundError
        There is none.
    StateError
        It is cut, of another program or a newer version, or cannot be read.
    """
    return _read(path, with_arrays=False)[0]


def read_arrays(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return header and arrays of a file; raises as `read_header`."""
    return _read(path, with_arrays=True)


def _read(
    path: Path, *, with_arrays: bool
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as file:
            infos = file.infolist()
            if any(info.compress_type not in _COMPRESSIONS for info in infos):
                raise ValueError("it is compressed in another way")
            if sum(info.file_size for info in infos) > MAX_BYTES + _MAX_HEADER:
                raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
            header = _header(file, path)
            if not with_arrays:
                return header, {}
            arrays = {
                info.filename.removesuffix(_ENDING): _array(file, info)
                for info in infos
                if info.filename != _HEADER
            }
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StateError(f"{path} cannot be read: {error.strerror or error}") from error
    except MemoryError as error:
        raise StateError(f"{path} does not fit into memory") from error
    except _DAMAGED as error:
        if isinstance(error, StateError):
            raise
        raise StateError(
            f"{path} is cut or damaged: {error}; build() makes it anew"
        ) from error
    return header, arrays


def _header(file: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    """Return the header, and refuse files of others and of newer versions."""
    info = file.getinfo(_HEADER)
    if info.file_size > _MAX_HEADER:
        raise ValueError(f"its header has {info.file_size:,} bytes")
    header = json.loads(file.read(info))
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StateError(f"{path} is no database of pyrave: it says {shown(header)}")
    version = header.get("format_version")
    if version != FORMAT_VERSION:
        by = header.get("pyrave")
        raise NewerFileError(
            f"{path} has format {shown(version)}, and this pyrave reads "
            f"{FORMAT_VERSION}; pyrave {shown(by)} wrote it: use that, or set "
            f"{VARIABLE} to another folder"
        )
    for name in ("seconds", "tasks"):
        number = header.get(name, 0)
        if type(number) not in {int, float} or not 0.0 <= number < math.inf:
            raise ValueError(f"its {name} are {shown(number)}")
    return header


class NewerFileError(StateError):
    """A file is of another version of the format; it is not replaced."""


def _array(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    """Return an array of a file, whose sizes agree."""
    with file.open(info) as stream:
        version = npy.read_magic(stream)
        reads = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        try:
            shape, fortran, dtype = reads[version](stream)
        except Exception as error:
            # numpy's parser of Python literals raises what its parts do
            text = f"the header of {info.filename} is none: {error}"
            raise ValueError(text) from error
        if dtype.kind not in _KINDS:
            raise ValueError(f"{info.filename} holds {dtype}")
        size = math.prod(shape) * dtype.itemsize
        if size != info.file_size - stream.tell():
            raise ValueError(f"{info.filename} has another size than it says")
        # to the end, so that the checksum counts
        data = bytearray(stream.read())
    array: NDArray[Any] = np.frombuffer(data, dtype) if size else np.empty(0, dtype)
    return array.reshape(shape, order="F" if fortran else "C")
