"""Context of readers and writers of scene files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.formats.diagnostics import Diagnostics
from pyrave.formats.resolver import Resolver

if TYPE_CHECKING:
    from pyrave.formats.joint_limits import JointLimits
    from pyrave.formats.xml import XmlLimits
    from pyrave.geometry import Mesh
    from pyrave.interfaces import Setting
    from pyrave.scene import MeshReference, Readable, SceneDescription

ACCELERATION_TIME = 0.5
"""Seconds: a Panda accelerates then as MoveIt lets it, at a third of what it can."""
XmlReader = Callable[[Any, Any], "Readable | None"]
"""A custom XML reader: (lxml element, its context) -> readable."""


def _no_reader(_interface_type: str, _tag: str) -> XmlReader | None:
    return None


def _no_preference(_plugin: str) -> None:
    return None


@dataclass(slots=True)
class ReadContext:
    """Everything that a format's reader may ask for. Belongs to one load.

    Parameters
    ----------
    resolver
        Finds the files that the scene names.
    diagnostics
        Where problems go.
    find_reader
        ``(interface type, tag or interface id) -> custom reader or None``; names
        are given in lower case.
    reader_tags
        ``interface type -> tags that have custom readers``, for suggestions.
    known_interfaces
        ``interface type -> ids that can be created``, or None: ids are not checked.
    interface_settings
        ``(interface type, id) -> settings that its class declares``, or None: elements
        and attributes of interfaces are no settings.
    known_bodies
        Names that controllers may use besides the bodies of the file.
    strict
        Warnings refuse the scene too.
    skip_geometry
        Read no geometries.
    scale
        Factor of all lengths, along x y z.
    attributes
        Attributes that override those of the root element, for example ``name``.
    load_mesh
        ``MeshReference -> Mesh`` for masses that mimic meshes, or None: such meshes
        add nothing, which is reported.
    read_other
        ``(path, scale, skip geometry) -> SceneDescription`` of a file of another
        format that a scene includes, None if no format reads it. Or None: files
        include files of their own format alone.
    limits
        Bounds on size and inclusion; None for the defaults.
    package_dirs
        Folders that hold the packages of ``package://`` names, or are such packages.
    allow_code
        Files may run code of their own, as xacro does.
    arguments
        What the caller tells such files, by name.
    prefer
        Called with each name of a ``<plugin>`` tag before the rest is read: of what
        several packages have, that of those which it names is used.
    asked_arguments
        Where readers note the names that such files ask for, given or not; what is
        given and asked for by none of a load is a problem.
    joint_limits
        What the caller says of the limits of joints, None for what files say.
    srdf_file
        An SRDF that the caller names, None: one beside the file.
    acceleration_time
        Seconds in which joints reach their velocity limits whose formats or files
        have no limits of acceleration.
    """

    resolver: Resolver = field(default_factory=Resolver)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    find_reader: Callable[[str, str], XmlReader | None] = _no_reader
    reader_tags: Callable[[str], Iterable[str]] | None = None
    known_interfaces: Callable[[str], Iterable[str]] | None = None
    interface_settings: Callable[[str, str], Mapping[str, Setting]] | None = None
    known_bodies: frozenset[str] = frozenset()
    strict: bool = False
    skip_geometry: bool = False
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    attributes: Mapping[str, str] = field(default_factory=dict)
    load_mesh: Callable[[MeshReference], Mesh] | None = None
    read_other: (
        Callable[[str, tuple[float, float, float], bool], SceneDescription | None]
        | None
    ) = None
    limits: XmlLimits | None = None
    package_dirs: tuple[str, ...] = ()
    allow_code: bool = False
    arguments: Mapping[str, str] = field(default_factory=dict)
    asked_arguments: set[str] = field(default_factory=set)
    prefer: Callable[[str], None] = _no_preference
    joint_limits: JointLimits | None = None
    srdf_file: str | None = None
    acceleration_time: float = ACCELERATION_TIME


@dataclass(slots=True)
class WriteContext:
    """Settings and diagnostics of one scene that is written.

    Parameters
    ----------
    relative_to
        Folder that file names are written relative to, or None: absolute.
    diagnostics
        Where problems go.
    expand
        Write out what bodies were composed of (True), or name their files again where
        these still give them (False). None: as is usual in the format.
    embed_meshes
        Write the triangles of meshes, instead of naming their files.
    offered
        ``interface type -> ids that can be created``, or None: that is not known.
    body
        Name of the one body to write, with what drives it; empty: the whole scene.
    srdf
        Write an SRDF file next to the file, if the format has one.
    reading
        How the written file will be read: its resolver knows the data folders, whose
        files keep the names that they were given, and it loads meshes that are to be
        embedded. None: no data folders, no custom readers.
    """

    relative_to: str | None = None
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    expand: bool | None = None
    embed_meshes: bool = False
    reading: ReadContext | None = None
    offered: Callable[[str], Iterable[str]] | None = None
    body: str = ""
    srdf: bool = False
