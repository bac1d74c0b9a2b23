"""Collecting the triangles of a traversal into one mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry import Mesh
from pyrave.geometry.mesh import COORDINATE_LIMIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.scene import Material, Texture
    from pyrave.spatial import Array
    from pyrave_inventor.state import Image, Look, State
    from pyrave_inventor.tree import Budget, InventorNode

# faces of scans have a colour each; beyond these they get the first one
_MAX_MATERIALS = 65536
# drawing a small shape takes as long as visiting so many other nodes
_COST = 3


class MeshBuilder:
    """Takes triangles in the frames of their shapes; `mesh` gives them all."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._vertices: list[Array] = []
        self._faces: list[NDArray[np.int64]] = []
        self._choices: list[NDArray[np.int64]] = []
        self._materials: dict[Material, int] = {}
        self._numbers: dict[tuple[Look, int, Texture | None], int] = {}
        self._laid: list[Array] = []
        # nodes live as long as the walk
        self._images: dict[int, Texture | None] = {}
        self._count = 0

    def add(
        self,
        node: InventorNode,
        state: State,
        points: Array,
        triangles: NDArray[np.int64],
        choice: NDArray[np.int64] | int = 0,
        *,
        look: Look | None = None,
        clockwise: bool = False,
        laid: Array | None = None,
    ) -> None:
        """Add the triangles of a shape.

        Parameters
        ----------
        points
            (n, 3) or homogeneous (n, 4), in the frame of the state.
        triangles
            (m, 3) indices of points; points that none uses are left out.
        choice
            (m,) or one index into the materials; negative ones count as 0.
        look
            The materials; those of the state by default.
        clockwise
            Whether the triangles turn clockwise seen from outside.
        laid
            (m, 3, 2) where corners lie in the image of the state; None: without it.

        Raises
        ------
        SceneError
            An index has no point, a point is absurdly far away or nowhere, or there
            are too many triangles.
        """
        if not len(triangles):
            return
        self.budget.spend("triangles", len(triangles), node.document, node.at)
        self.budget.spend("visits", _COST, node.document, node.at)
        lowest, highest = int(triangles.min()), int(triangles.max())
        if lowest < 0 or highest >= len(points):
            wrong = lowest if lowest < 0 else highest
            raise node.document.error(
                f"{node.type.name} uses point {wrong}, but there are {len(points)} "
                "(points count from 0)",
                node.at,
            )
        used, corners = _compacted(triangles, len(points))
        taken = points[used]
        if taken.shape[1] == 4:
            taken = projected(taken)
        linear = state.matrix[:3, :3]
        with np.errstate(over="ignore", invalid="ignore"):
            placed = taken @ linear.T + state.matrix[:3, 3]
            mirrored = _determinant(linear) < 0
        if not (np.abs(placed) <= COORDINATE_LIMIT).all():
            reach = np.abs(placed).max()
            raise node.document.error(
                f"{node.type.name} reaches {reach:g} metres, expected at most "
                f"{COORDINATE_LIMIT:g} (is the unit right?)",
                node.at,
            )
        if clockwise != mirrored:
            corners = corners[:, ::-1]
            laid = None if laid is None else laid[:, ::-1]
        self._vertices.append(placed)
        self._faces.append(corners + self._count)
        self._count += len(placed)
        self._laid.append(np.zeros((len(corners), 3, 2)) if laid is None else laid)
        texture = None if laid is None else self.texture(state.image)
        self._choose(look or state.look, choice, len(corners), texture)

    def texture(self, image: Image | None) -> Texture | None:
        """Return an image, read once; None with a warning without it."""
        if image is None:
            return None
        if id(image.node) not in self._images:
            document, at = image.node.document, image.node.at
            found = (document.texture(name, at) for name in image.names if name)
            self._images[id(image.node)] = next((one for one in found if one), None)
        return self._images[id(image.node)]

    def _choose(
        self,
        look: Look,
        choice: NDArray[np.int64] | int,
        count: int,
        texture: Texture | None,
    ) -> None:
        last = max(len(look) - 1, 0)
        if isinstance(choice, int):
            number = self._number(look, min(max(choice, 0), last), texture)
            self._choices.append(np.full(count, number))
            return
        distinct, places = np.unique(choice.clip(0, last), return_inverse=True)
        numbers = [self._number(look, index, texture) for index in distinct.tolist()]
        self._choices.append(np.array(numbers)[places.reshape(-1)])

    def _number(self, look: Look, index: int, texture: Texture | None) -> int:
        number = self._numbers.get((look, index, texture))
        if number is None:
            material = replace(look.material(index), texture=texture)
            number = self._materials.get(material, len(self._materials))
            if number == _MAX_MATERIALS:
                number = 0
            self._materials.setdefault(material, number)
            self._numbers[look, index, texture] = number
        return number

    def mesh(self) -> Mesh:
        """Return all triangles that were added, in their order.

        The material of the last face comes first: it stands for the mesh as a whole,
        as the last material of a file does in OpenRAVE.
        """
        if not self._vertices:
            return Mesh.empty()
        of_faces = np.concatenate(self._choices)
        materials = tuple(self._materials)
        shift = int(of_faces[-1])
        return Mesh(
            np.concatenate(self._vertices),
            np.concatenate(self._faces).astype(np.int32),
            materials[shift:] + materials[:shift],
            ((of_faces - shift) % len(materials)).astype(np.int32)
            if len(materials) > 1
            else None,
            np.concatenate(self._laid).astype(np.float32)
            if any(material.texture is not None for material in materials)
            else None,
        )


def _determinant(matrix: Array) -> float:
    (a, b, c), (d, e, f), (g, h, i) = matrix.tolist()
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def projected(points: Array) -> Array:
    """Return (n, 3) points of homogeneous ones (n, 4), not finite where w is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(points[:, :3] / points[:, 3:])


def _compacted(
    triangles: NDArray[np.int64], n_points: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the points that are used, and the triangles in terms of these."""
    if n_points > 8 * triangles.size:
        # a few faces of a large list of points: do not walk through all of it
        used, places = np.unique(triangles, return_inverse=True)
        return used, places.reshape(-1, 3)
    mark = np.zeros(n_points, bool)
    mark[triangles] = True
    number = np.cumsum(mark) - 1
    return np.flatnonzero(mark), number[triangles]
