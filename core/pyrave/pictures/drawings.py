"""Drawings in an environment, and the handles that erase them."""

from __future__ import annotations

import itertools
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.cards import counted
from pyrave.errors import ArgumentError, shown
from pyrave.geometry import Mesh
from pyrave.interfaces.handles import Handle
from pyrave.pictures.arguments import frame_of, ways_of
from pyrave.pictures.drawing_items import (
    DrawnArrow,
    DrawnBoxes,
    DrawnFrames,
    DrawnLines,
    DrawnMesh,
    DrawnPlane,
    DrawnPoints,
    DrawnText,
    as_colors,
)
from pyrave.spatial import (
    as_array,
    as_ndarray,
    as_number,
    as_numbers,
    as_pose,
    as_rows,
    as_vector,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.environment import Environment
    from pyrave.pictures.drawing_items import Drawn

_MOST = 1e6
_TEXT = 1000


@dataclass(frozen=True, eq=False)
class Entry:
    """Something that is drawn.

    Parameters
    ----------
    item
        What it is.
    visible
        Whether it is shown.
    """

    item: Drawn
    visible: bool = True


class Drawing(Handle):
    """A handle of what was drawn: closed or dropped, it erases it.

    Parameters
    ----------
    drawings
        Where it was drawn.
    key
        Which of them it is.
    """

    def __init__(self, drawings: Drawings, key: int) -> None:
        place = weakref.ref(drawings)

        def erase() -> None:
            owner = place()
            if owner is not None:
                owner.erase(key)

        super().__init__(erase)
        self._place = place
        self._key = key
        self._kept = False

    @property
    def visible(self) -> bool:
        """True if it is shown; assignable. False once it is erased."""
        owner = self._place()
        entry = None if owner is None else owner.entries().get(self._key)
        return entry is not None and entry.visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        owner = self._place()
        if owner is not None:
            owner.show(self._key, bool(visible))

    def keep(self) -> Drawing:
        """Let it stay when the handle is dropped, until closed or all is cleared."""
        self._kept = True
        return self

    def __del__(self) -> None:
        if not getattr(self, "_kept", True):
            self.close()

    def __repr__(self) -> str:
        owner = self._place()
        entry = None if owner is None else owner.entries().get(self._key)
        return f"<Drawing: {type(entry.item).__name__[5:] if entry else 'erased'}>"


class Drawings:
    """Drawings of scripts in an environment, ``env.draw``.

    Each method returns a `Drawing`: keep it, as what is drawn is erased when it is
    dropped or closed. `Drawing.keep` lets it stay. Viewers show what is drawn, those
    that come later, too, and so does `Environment.picture`. Lengths are metres,
    places in the world; a color is a name such as ``"red"``, or 3 or 4 numbers 0..1:
    red, green, blue, opacity. What is wrong with an argument is an `ArgumentError`.
    """

    def __init__(self, env: Environment) -> None:
        self._env = weakref.ref(env)
        self._entries: dict[int, Entry] = {}
        self._keys = itertools.count()
        self.version = 0
        """Grows with each change."""

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<Drawings: {counted(len(self), 'drawing')}>"

    def entries(self) -> dict[int, Entry]:
        """Return the present drawings by number, from any thread."""
        return dict(self._entries)

    def show(self, key: int, visible: bool) -> None:
        """Show or hide what has a number; nothing happens if it is erased."""
        entry = self._entries.get(key)
        if entry is not None and entry.visible != visible:
            self._entries[key] = Entry(entry.item, visible)
            self.version += 1

    def erase(self, key: int) -> None:
        """Erase what has a number."""
        if self._entries.pop(key, None) is not None:
            self.version += 1

    def clear(self) -> None:
        """Erase all."""
        self._entries.clear()
        self.version += 1

    # -- what may be drawn ---------------------------------------------------------

    def points(
        self, points: ArrayLike, *, color: Any = "red", size: float = 0.01
    ) -> Drawing:
        """Draw points (n, 3), or a cloud of them with a color each, (n, 3) or (n, 4).

        Rows with nan are left out, as clouds of sensors have them.

        Parameters
        ----------
        size
            Diameter.
        """
        places = as_rows(points, (3,), "points")
        colors = as_colors(color, len(places))
        known = np.isfinite(places).all(axis=1)
        item = DrawnPoints(places[known], colors[known], _length(size, "size"))
        return self._drawn(item)

    def line_strip(
        self, points: ArrayLike, *, color: Any = "blue", width: float = 2.0
    ) -> Drawing:
        """Draw lines from each of the points (n, 3) to the next.

        Parameters
        ----------
        color
            One, or one of each line.
        width
            Pixels.
        """
        places = as_rows(points, (3,), "points")
        return self.lines(
            np.stack((places[:-1], places[1:]), axis=1), color=color, width=width
        )

    def lines(
        self, segments: ArrayLike, *, color: Any = "blue", width: float = 2.0
    ) -> Drawing:
        """Draw straight lines, (n, 2, 3) or (2 n, 3): two ends each.

        Parameters
        ----------
        color
            One, or one of each line.
        width
            Pixels.
        segments
            World points, metres.
        """
        ends = as_numbers(segments, "segments")
        if ends.ndim == 2 and len(ends) % 2 == 0:
            ends = ends.reshape(-1, 2, *ends.shape[1:])
        pairs = as_array(ends, (None, 2, 3), "segments").copy()
        wide = as_number(width, "width", 0.1, 100.0)
        return self._drawn(DrawnLines(pairs, as_colors(color, len(pairs)), wide))

    def arrow(
        self,
        start: ArrayLike,
        end: ArrayLike,
        *,
        color: Any = "orange",
        radius: float | None = None,
    ) -> Drawing:
        """Draw an arrow from one place (3,) to another.

        Parameters
        ----------
        radius
            Of the shaft; None: in proportion to the length.
        start
            (3,) world point, metres.
        end
            (3,) world point, metres.
        """
        first = as_vector(start, 3, "start").copy()
        last = as_vector(end, 3, "end").copy()
        length = float(np.linalg.norm(last - first))
        if not length > 0.0:
            raise ArgumentError("an arrow begins and ends at the same place")
        thick = 0.02 * length if radius is None else _length(radius, "radius")
        item = DrawnArrow(first, last, as_colors(color, 1)[0], thick)
        return self._drawn(item)

    def box(
        self, pose: ArrayLike, half_extents: ArrayLike, *, color: Any = "blue"
    ) -> Drawing:
        """Draw a box, given the pose of its centre or that place (3,), and (3,).

        Parameters
        ----------
        half_extents
            (3,) along the axes of the pose, metres.
        """
        sizes = as_vector(half_extents, 3, "half_extents")
        return self.boxes([_placed(pose)], [sizes], color=color)

    def boxes(
        self, poses: Any, half_extents: ArrayLike, *, color: Any = "blue"
    ) -> Drawing:
        """Draw boxes.

        Parameters
        ----------
        poses
            Of their centres, or these places, (n, 3).
        half_extents
            (3,) of all, or (n, 3).
        color
            One, or one of each.
        """
        placed = np.array([_placed(one) for one in poses]).reshape(-1, 4, 4)
        sizes = as_numbers(half_extents, "half_extents")
        if sizes.shape not in {(3,), (len(placed), 3)}:
            raise ArgumentError(
                f"half_extents has shape {sizes.shape}, expected (3,) or "
                f"({len(placed)}, 3)"
            )
        if not ((sizes > 0.0) & (sizes < _MOST)).all():
            raise ArgumentError("half_extents has sizes that are not above 0")
        item = DrawnBoxes(
            placed,
            np.broadcast_to(sizes, (len(placed), 3)).copy(),
            as_colors(color, len(placed)),
        )
        return self._drawn(item)

    def mesh(
        self,
        mesh: Mesh | ArrayLike,
        faces: ArrayLike | None = None,
        *,
        pose: ArrayLike | None = None,
        color: Any = "grey",
    ) -> Drawing:
        """Draw triangles.

        Parameters
        ----------
        mesh
            A `Mesh`, or vertices (n, 3).
        faces
            (m, 3) indices of vertices, if `mesh` are vertices.
        pose
            T_world_mesh; None: the world's.
        """
        if not isinstance(mesh, Mesh):
            if faces is None:
                raise ArgumentError("vertices come without faces, expected (m, 3)")
            mesh = Mesh(as_numbers(mesh, "vertices"), as_ndarray(faces, "faces"))
        elif faces is not None:
            raise ArgumentError("faces are given beside a mesh, which has its own")
        frame = np.eye(4) if pose is None else as_pose(pose, "pose").copy()
        tint = as_colors(color, 1)[0]
        return self._drawn(DrawnMesh(mesh.vertices, mesh.faces, frame, tint))

    def plane(
        self,
        pose: ArrayLike,
        half_extents: ArrayLike,
        *,
        color: Any = "grey",
        texture: ArrayLike | None = None,
    ) -> Drawing:
        """Draw a rectangle in the x-y plane of a frame.

        Parameters
        ----------
        half_extents
            (2,) along x and y.
        texture
            An image (height, width, 3) uint8, in the place of the color: columns go
            along x, rows against y.
        """
        sizes = as_vector(half_extents, 2, "half_extents").copy()
        if not (sizes > 0.0).all():
            raise ArgumentError(f"half_extents are {sizes.tolist()}, expected above 0")
        image = None
        if texture is not None:
            image = np.ascontiguousarray(texture)
            if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3:
                raise ArgumentError(
                    f"texture has shape {image.shape} and type {image.dtype}, expected "
                    "(height, width, 3) uint8"
                )
            image = image.copy()
        tint = as_colors(color, 1)[0]
        return self._drawn(DrawnPlane(as_pose(pose, "pose").copy(), sizes, tint, image))

    def text(
        self,
        text: str,
        position: ArrayLike,
        *,
        color: Any = "black",
        height: float = 0.05,
    ) -> Drawing:
        """Draw a line of text at a place (3,), facing who looks at it."""
        if not isinstance(text, str) or len(text) > _TEXT:
            raise ArgumentError(
                f"text is {shown(text)}, expected one of at most {_TEXT} characters"
            )
        place = as_vector(position, 3, "position").copy()
        tint = as_colors(color, 1)[0]
        return self._drawn(DrawnText(text, place, tint, _length(height, "height")))

    def frame(self, frame: Any, *, length: float = 0.1) -> Drawing:
        """Draw the axes of a pose, or of what has one as ``transform``: a link, ...

        Parameters
        ----------
        frame
            (4, 4) T_world_frame, or an object.
        length
            Of the axes, metres.
        """
        poses = frame_of(frame)[None].copy()
        return self._drawn(DrawnFrames(poses, _length(length, "length")))

    def trajectory(
        self, trajectory: Any, *, color: Any = "orange", width: float = 3.0
    ) -> Drawing:
        """Draw the way of the tool of what a trajectory or plan moves.

        Of a body without a manipulator it is the way of its last link.

        Parameters
        ----------
        width
            Pixels.
        """
        env = self._env()
        assert env is not None  # noqa: S101 - who calls holds it
        ways = [way.points for way in ways_of(env, trajectory)]
        pairs = [np.stack((way[:-1], way[1:]), axis=1) for way in ways]
        return self.lines(np.concatenate(pairs), color=color, width=width)

    def _drawn(self, item: Drawn) -> Drawing:
        key = next(self._keys)
        self._entries[key] = Entry(item)
        self.version += 1
        return Drawing(self, key)


def _length(value: Any, name: str) -> float:
    return as_number(value, name, 1e-6, _MOST)


def _placed(pose: Any) -> Any:
    """Return a pose of one, or of a place alone."""
    if as_ndarray(pose, "pose").shape == (3,):
        placed = np.eye(4)
        placed[:3, 3] = as_vector(pose, 3, "position")
        return placed
    return as_pose(pose, "pose")
