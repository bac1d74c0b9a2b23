"""Shapes, materials and geometries of links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.records import Record, made_quickly
from pyrave.scene.location import Location
from pyrave.scene.pose import IDENTITY, Pose, Vec3
from pyrave.scene.readable import Readable

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class NoShape:
    """A geometry without a shape (type ``none``)."""

    type: ClassVar[str] = "none"


@made_quickly
@dataclass(frozen=True, slots=True)
class Box(Record):
    """A box centred at the geometry frame; half extents along x y z, metres."""

    half_extents: Vec3
    type: ClassVar[str] = "box"


@dataclass(frozen=True, slots=True)
class Sphere:
    """A sphere centred at the geometry frame, metres."""

    radius: float
    type: ClassVar[str] = "sphere"


@dataclass(frozen=True, slots=True)
class Cylinder:
    """A cylinder along z, centred; full height, metres."""

    radius: float
    height: float
    type: ClassVar[str] = "cylinder"


@dataclass(frozen=True, slots=True)
class Capsule:
    """A capsule along z, centred; height of the cylindrical part, metres."""

    radius: float
    height: float
    type: ClassVar[str] = "capsule"


@dataclass(frozen=True, slots=True)
class Container(Record):
    """An open container; full extents, origin at the centre of the outer bottom.

    Parameters
    ----------
    outer_extents
        (3,) full lengths along x, y, z, metres.
    inner_extents
        (3,) full lengths of the hollow, metres.
    bottom_cross
        Widths of two bars that cross on the floor, along x and y, and their height,
        metres; 0: none.
    bottom
        (3,) full lengths of a pad below, metres; 0: none.
    """

    outer_extents: Vec3
    inner_extents: Vec3
    bottom_cross: Vec3 = (0.0, 0.0, 0.0)
    bottom: Vec3 = (0.0, 0.0, 0.0)
    type: ClassVar[str] = "container"

    @property
    def hollow(self) -> tuple[Pose, Vec3]:
        """Centre of the hollow, as a pose in the container, and its half extents."""
        x, y, z = self.inner_extents
        centre = Pose.from_translation(0.0, 0.0, self.outer_extents[2] - 0.5 * z)
        return centre, (0.5 * x, 0.5 * y, 0.5 * z)


@dataclass(frozen=True, slots=True)
class Cage(Record):
    """A base box (half extents) with side walls; each wall is (pose, half extents)."""

    half_extents: Vec3
    walls: tuple[tuple[Pose, Vec3], ...] = ()
    type: ClassVar[str] = "cage"


@dataclass(frozen=True, slots=True)
class Prism:
    """A polygon in xy, extruded along z and centred; metres.

    Parameters
    ----------
    cross_section
        Corners (x, y), in order.
    height
        Along z, metres.
    """

    cross_section: tuple[tuple[float, float], ...]
    height: float
    type: ClassVar[str] = "prism"


@made_quickly
@dataclass(frozen=True, slots=True)
class MeshReference(Record):
    """A mesh in a file, loaded when it is first used.

    Parameters
    ----------
    uri
        Absolute path of the file, or the name as written if it was not found.
    scale
        Factors along the mesh's own x y z.
    written
        The name as the file wrote it, for writers and messages.
    found
        False if no such file was there, or allowed, when the scene was read; it is
        never opened then.
    y_up
        A file that says which axis points up is turned until it is y, before it is
        scaled: so OpenRAVE takes the COLLADA files that its XML names.
    """

    uri: str
    scale: Vec3 = (1.0, 1.0, 1.0)
    written: str = field(default="", compare=False)
    found: bool = field(default=True, compare=False)
    y_up: bool = False


@dataclass(frozen=True, eq=False)
class MeshData:
    """Triangles given in the file itself.

    Parameters
    ----------
    vertices
        (n, 3) float64, metres, read-only.
    faces
        (m, 3) int32 vertex indices, read-only.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int32]

    def __post_init__(self) -> None:
        for name, dtype in (("vertices", np.float64), ("faces", np.int32)):
            array = np.array(getattr(self, name), dtype=dtype).reshape(-1, 3)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MeshData)
            and np.array_equal(self.vertices, other.vertices)
            and np.array_equal(self.faces, other.faces)
        )

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.faces.tobytes()))


@dataclass(frozen=True, slots=True)
class TriMesh:
    """A triangle mesh in the geometry frame, from a file or embedded."""

    mesh: MeshReference | MeshData
    type: ClassVar[str] = "trimesh"


Shape = NoShape | Box | Sphere | Cylinder | Capsule | Container | Cage | Prism | TriMesh


@dataclass(frozen=True, slots=True)
class RenderMesh:
    """A mesh that is shown instead of the collision shape."""

    mesh: MeshReference | MeshData


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Texture:
    """An image that lies on a surface, as its file holds it; decoded when it is shown.

    Parameters
    ----------
    name
        Of the file, for messages and for writers.
    data
        The bytes of the file: PNG, JPEG or another format of images.
    """

    name: str
    data: bytes = field(repr=False)


@made_quickly
@dataclass(frozen=True, slots=True)
class Material(Record):
    """Colours, normally 0..1; None: those of a mesh file are kept, if it has some.

    A texture, which meshes of files may have, is multiplied with `diffuse`, white where
    that is None.

    Parameters
    ----------
    diffuse
        (3,) red, green, blue.
    ambient
        (3,) red, green, blue.
    transparency
        0 opaque to 1 invisible.
    texture
        Picture on the surface, None without.
    """

    diffuse: Vec3 | None = None
    ambient: Vec3 | None = None
    transparency: float = 0.0
    texture: Texture | None = None


MESH_LOOK = Material(diffuse=(1.0, 0.5, 0.5), ambient=(0.1, 0.0, 0.0))
"""Material that OpenRAVE gives a mesh whose file has no colours."""


@made_quickly
@dataclass(frozen=True, slots=True, repr=False)
class GeometryDescription:
    """One geometry of a link.

    Parameters
    ----------
    shape
        What collides and is hit by rays (and is shown unless `render` is given).
    pose
        T_link_geometry.
    group
        ``"self"`` is the active group; other names are alternative sets.
    material
        Colours and texture.
    render
        What is shown in its place, None: itself.
    modifiable
        False: scripts may not change its shape.
    readables
        Data of custom XML readers, by tag.
    visible
        Whether it is shown.
    """

    shape: Shape
    name: str = ""
    pose: Pose = IDENTITY
    material: Material = Material()
    render: RenderMesh | None = None
    visible: bool = True
    modifiable: bool = True
    group: str = "self"
    readables: tuple[tuple[str, Readable], ...] = ()
    location: Location | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"<GeometryDescription {self.name!r}: {type(self.shape).__name__}>"
