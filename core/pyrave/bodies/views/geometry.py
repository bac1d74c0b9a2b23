"""Geometries of links as scripts see them: light views of descriptions."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import geometry as shapes
from pyrave.argument_names import methods_suggest
from pyrave.attributes import answers_other_names
from pyrave.bodies.views.shape import ShapeView
from pyrave.errors import (
    ArgumentError,
    Error,
    Problem,
    Severity,
    did_you_mean,
)
from pyrave.scene import (
    MESH_LOOK,
    GeometryDescription,
    Material,
    MeshData,
    MeshReference,
    TriMesh,
)
from pyrave.scene.pose import Vec3
from pyrave.spatial import Array, as_vector
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.views.link import Link
    from pyrave.geometry import Mesh


@methods_suggest
@answers_other_names
class Geometry(ShapeView):
    """One geometry of a link; belongs to its body's environment and thread."""

    __slots__ = ("_shown", "_unusable")

    description: GeometryDescription
    """The description it was made from, with later edits; frozen."""

    def __init__(self, link: Link, description: GeometryDescription) -> None:
        super().__init__(link, description)
        # what is shown instead of the shape, () until somebody asks
        self._shown: Mesh | tuple[()] | None = ()
        self._unusable = False

    @property
    def id(self) -> int:
        """Its number in the environment, never used again; -1 while in none.

        It stays the same when the geometry is edited.
        """
        link = self.link
        ids = link.body.ids
        if ids is None:
            return -1
        place = [one is self for one in link.all_geometries].index(True)
        return ids.geometries[link.index][place]

    @property
    def mesh(self) -> Mesh:
        """Triangles in the geometry frame, loaded or tessellated when first used.

        A file that is missing or damaged gives way to that of `description.render`.

        Raises
        ------
        SceneError, ResourceError
            The mesh file is missing, damaged, or no installed plugin reads its format,
            and so is what is shown.
        """
        return super().mesh

    def _had(self, mesh: MeshReference | MeshData) -> Mesh:
        """Load a mesh or, as OpenRAVE, what is shown for it if it cannot be had."""
        render = self.description.render
        try:
            return self._load(mesh)
        except Error as error:
            if render is None:
                raise
            try:
                shown = self._load(render.mesh)
            except Error:
                raise error from None
            text = f"has the shape of the mesh that shows it: {error}"
            self._report(self.description.shape, text)
            return shown

    @property
    def render_mesh(self) -> Mesh | None:
        """Triangles that show it instead of its shape; None: the shape shows itself.

        A file that is missing or damaged is reported once.
        """
        if isinstance(self._shown, tuple):
            render = self.description.render
            try:
                self._shown = None if render is None else self._load(render.mesh)
            except Error as error:
                self._shown = None
                self._report(render, f"is shown by its collision shape: {error}")
        return self._shown

    @property
    def unusable(self) -> bool:
        """True if the shape needs a mesh that cannot be had; reported once.

        Such a geometry is met by no ray, collides with nothing and is in no bounding
        box.
        """
        if self.needs_mesh and self._mesh is None and not self._unusable:
            try:
                self.mesh  # noqa: B018 - loads it
            except Error as error:
                self._unusable = True
                self._report(
                    self.description.shape,
                    f"meets no rays and collides with nothing: {error}",
                )
        return self._unusable

    def _report(self, shape: object, what: str) -> None:
        mesh = getattr(shape, "mesh", None)
        if isinstance(mesh, MeshReference) and not mesh.found:
            return  # what read the scene has told of it
        place = self.description.location
        self.link.body.env.report_problem(
            Problem(
                Severity.WARNING,
                f"the {self.type} {self.name!r} of {self.link!r} {what}",
                file=place.file if place else None,
                line=place.line if place else None,
                column=place.column if place else None,
                code="missing-mesh",
            )
        )

    # -- looks ---------------------------------------------------------------------

    @property
    def _of_file(self) -> Material | None:
        """The first material of the mesh's file; None if there is no such file."""
        shape = self.description.shape
        if not isinstance(shape, TriMesh) or isinstance(shape.mesh, MeshData):
            return None
        return None if self.unusable else self.mesh.material

    @property
    def diffuse_color(self) -> Array:
        """(3,) 0..1; what the scene says, or else the mesh's file; assignable."""
        color = self.description.material.diffuse
        if color is None and self._of_file is not None:
            color = self._of_file.diffuse or MESH_LOOK.diffuse
        return np.array((1.0, 1.0, 1.0) if color is None else color)

    @diffuse_color.setter
    def diffuse_color(self, color: ArrayLike) -> None:
        self._set_material(diffuse=_color(color, "diffuse_color"))

    @property
    def ambient_color(self) -> Array:
        """(3,) 0..1; what the scene says, or else the mesh's file; assignable."""
        color = self.description.material.ambient
        if color is None and self._of_file is not None:
            color = self._of_file.ambient or MESH_LOOK.ambient
        return np.array((0.0, 0.0, 0.0) if color is None else color)

    @ambient_color.setter
    def ambient_color(self, color: ArrayLike) -> None:
        self._set_material(ambient=_color(color, "ambient_color"))

    @property
    def transparency(self) -> float:
        """0 opaque to 1 invisible; assignable."""
        return self.description.material.transparency

    @transparency.setter
    def transparency(self, transparency: float) -> None:
        if not 0 <= transparency <= 1:
            raise ArgumentError(f"transparency is {transparency!r}, expected 0 to 1")
        self._set_material(transparency=float(transparency))

    def _set_material(self, **changes: Any) -> None:
        self.edit(material=replace(self.description.material, **changes))

    @property
    def visible(self) -> bool:
        """True if viewers show it; assignable."""
        return self.description.visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        if bool(visible) != self.visible:
            self.edit(visible=bool(visible))

    def edit(self, **changes: Any) -> None:
        """Change parts of what describes it, for example ``shape`` or ``pose``.

        Parameters
        ----------
        **changes
            Fields of `GeometryDescription`.

        Raises
        ------
        ArgumentError
            There is no such field.
        """
        known = [field.name for field in fields(self.description)]
        for name in changes:
            if name not in known:
                raise ArgumentError(
                    f"a geometry has no field {name!r}{did_you_mean(name, known)}"
                )
        link = self.link
        self.description = replace(self.description, **changes)
        if "render" in changes:
            self._shown = ()
        if changes.keys() & {"shape", "pose", "group"}:
            self._matrix = self._mesh = None
            self._unusable = False
            link.geometry_edited(BodyChange.GEOMETRY)
        else:
            link.geometry_edited(BodyChange.VISIBLE)

    def aabb_in(self, transform: Array) -> tuple[Array, Array] | None:
        """Return centre and half extents (3,) in a frame, given T_frame_geometry.

        None for a geometry without a shape, or whose mesh cannot be read (`unusable`).

        Parameters
        ----------
        transform
            (4, 4).
        """
        if self.type == "none" or self.unusable:
            return None
        mesh = self.mesh if self.needs_mesh else None
        return shapes.posed_aabb(self.description.shape, transform, mesh)

    def __repr__(self) -> str:
        return f"<{self.type} geometry {self.name!r} of {self.link!r}>"


def _color(color: ArrayLike, name: str) -> Vec3:
    red, green, blue = as_vector(color, 3, name).tolist()
    if not (0 <= red <= 1 and 0 <= green <= 1 and 0 <= blue <= 1):
        raise ArgumentError(f"{name} is {(red, green, blue)}, expected three of 0 to 1")
    return red, green, blue
