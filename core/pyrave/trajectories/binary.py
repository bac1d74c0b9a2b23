r"""OpenRAVE's binary trajectory form, versions 1 to 3, little endian.

========================  =====================================================
field                     type
========================  =====================================================
magic                     uint16, 0x62ff
version                   uint16
number of groups          uint16
per group                 name (string), offset and dof (int32 each),
                          interpolation (string)
number of values          uint32, over all waypoints
values                    float64 each
description               string; may be missing at the end of version 1
number of readables       uint16, from version 2
per readable              key (string), content (string), and from version 3 the
                          kind of readable (string)
========================  =====================================================

A string is a uint16 length and that many bytes of UTF-8. The content of a readable of
the kind ``HierarchicalXMLReadable`` is XML, else plain text.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.trajectories.groups import Group
from pyrave.trajectories.specification import ConfigurationSpecification
from pyrave.trajectories.specification_xml import MAX_GROUP_DOF
from pyrave.trajectories.xml import (
    check_record,
    content_of_readable,
    readable_from_content,
)
from pyrave.trajectories.xml_input import problem

if TYPE_CHECKING:
    from pyrave.scene.readable import Readable
    from pyrave.spatial import Array
    from pyrave.trajectories.record import TrajectoryRecord

MAGIC = 0x62FF
VERSION = 3
_XML_KIND = "HierarchicalXMLReadable"
_TEXT_KIND = "StringReadable"
_MAX_STRING = 0xFFFF
_MAX_VALUES = 0xFFFFFFFF


def is_binary(data: bytes) -> bool:
    """Return True if data begins with the magic number."""
    return data[:2] == MAGIC.to_bytes(2, "little")


def write(record: TrajectoryRecord) -> bytes:
    """Return the binary form.

    Raises
    ------
    NotSupportedError
        Something is too large for the form's counters; the XML form has none.
    """
    groups = record.spec.groups
    if max(len(groups), len(record.readables)) > _MAX_STRING:
        raise NotSupportedError("too many groups for the binary form; write XML")
    if record.waypoints.size > _MAX_VALUES:
        raise NotSupportedError("too many values for the binary form; write XML")
    parts = [struct.pack("<HHH", MAGIC, VERSION, len(groups))]
    for group in groups:
        parts += (
            _string(group.name, "a group name"),
            struct.pack("<ii", group.offset, group.dof),
            _string(group.interpolation, "an interpolation"),
        )
    parts.append(struct.pack("<I", record.waypoints.size))
    parts.append(np.ascontiguousarray(record.waypoints, dtype="<f8").tobytes())
    parts.append(_string(record.description, "the description"))
    contents = []
    for key, readable in record.readables:
        content = content_of_readable(key, readable)
        if content is not None:
            contents.append((key, *content))
    parts.append(struct.pack("<H", len(contents)))
    for key, text, is_xml in contents:
        parts += (
            _string(key, "a readable's key"),
            _string(text, f"readable {key!r}"),
            _string(_XML_KIND if is_xml else _TEXT_KIND, "a readable's kind"),
        )
    return b"".join(parts)


def read(data: bytes) -> TrajectoryRecord:
    """Return the contents of the binary form.

    Raises
    ------
    SceneError
        The data ends early or goes on after the trajectory, or a count, name or
        version has no meaning.
    """
    reader = _Reader(data)
    magic, version = reader.unpack("<HH", "header")
    if magic != MAGIC:
        raise problem(f"magic number is {magic:#06x}, expected {MAGIC:#06x}")
    if not 1 <= version <= VERSION:
        raise problem(f"binary trajectory version {version}, expected 1 to {VERSION}")
    (n_groups,) = reader.unpack("<H", "number of groups")
    spec = ConfigurationSpecification(tuple(_group(reader) for _ in range(n_groups)))
    (n_values,) = reader.unpack("<I", "number of values")
    values = reader.floats(n_values)
    description = ""
    readables: list[tuple[str, Readable]] = []
    if version > 1 or reader.remaining:
        description = reader.string("description")
    if version > 1:
        (n_readables,) = reader.unpack("<H", "number of readables")
        for _ in range(n_readables):
            key = reader.string("key of a readable")
            text = reader.string(f"content of readable {key!r}")
            kind = reader.string(f"kind of readable {key!r}") if version > 2 else ""
            readable = readable_from_content(key, text, xml_only=kind == _XML_KIND)
            readables.append((key, readable))
    if reader.remaining:
        raise problem(
            f"{reader.remaining} bytes follow the end of the binary trajectory",
            hint="give the bytes of one trajectory",
        )
    return check_record(spec, values, description, tuple(readables))


def _group(reader: _Reader) -> Group:
    name = reader.string("name of a group")
    offset, dof = reader.unpack("<ii", f"size of group {name!r}")
    interpolation = reader.string(f"interpolation of group {name!r}")
    if not (0 <= offset <= MAX_GROUP_DOF and 0 < dof <= MAX_GROUP_DOF):
        raise problem(
            f"group {name!r} has offset {offset} and {dof} values, expected numbers up "
            f"to {MAX_GROUP_DOF}"
        )
    try:
        return Group(name, offset, dof, interpolation)
    except ArgumentError as error:
        raise problem(str(error)) from error


def _string(text: str, what: str) -> bytes:
    data = text.encode()
    if len(data) > _MAX_STRING:
        raise NotSupportedError(
            f"{what} has {len(data)} bytes, the binary form allows {_MAX_STRING}; "
            "write XML"
        )
    return struct.pack("<H", len(data)) + data


class _Reader:
    """Takes values off the front of data; every count is checked first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._next = 0

    @property
    def remaining(self) -> int:
        return len(self._data) - self._next

    def take(self, size: int, what: str) -> bytes:
        if size > self.remaining:
            raise problem(
                f"binary trajectory ends early: {what} needs {size} bytes at byte "
                f"{self._next}, {self.remaining} are left"
            )
        self._next += size
        return self._data[self._next - size : self._next]

    def unpack(self, form: str, what: str) -> tuple[int, ...]:
        return struct.unpack(form, self.take(struct.calcsize(form), what))

    def string(self, what: str) -> str:
        (length,) = self.unpack("<H", f"length of {what}")
        data = self.take(length, what)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise problem(f"{what} is not UTF-8") from error

    def floats(self, count: int) -> Array:
        data = self.take(8 * count, f"{count} values")
        return np.frombuffer(data, dtype="<f8").astype(np.float64)
