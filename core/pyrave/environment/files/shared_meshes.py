"""Mesh files, shared by everything in the process that shows them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH116

from __future__ import annotations

import os
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.errors import Error, Problem, SceneError, Severity
from pyrave.scene import MeshReference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.geometry import Mesh
    from pyrave.plugins import Registry
    from pyrave.scene import LinkDescription, Location, SceneDescription

_Key = tuple[str, tuple[float, ...], bool, int, int, tuple[str, ...]]

_alive: weakref.WeakValueDictionary[_Key, Mesh] = weakref.WeakValueDictionary()
_warnings: weakref.WeakKeyDictionary[Mesh, tuple[Problem, ...]] = (
    weakref.WeakKeyDictionary()
)


def load_shared(
    reference: MeshReference,
    registry: Registry,
    report: Callable[[Problem], None] | None = None,
) -> Mesh:
    """Return the mesh of a file at a scale; the same object while one is alive.

    Clones and other environments so share triangles and search trees. A file that
    changed on disk is read again.

    Parameters
    ----------
    report
        Called with each warning when the file is read.

    Raises
    ------
    SceneError, ResourceError
        As `pyrave.formats.load_mesh`.
    """
    from pyrave.formats.meshes.loader import load_mesh

    formats = registry.mesh_formats()
    if not reference.found:
        return load_mesh(reference, formats)
    try:
        found = os.stat(reference.uri)
    except (OSError, ValueError):
        # load_mesh says what is wrong
        return load_mesh(reference, formats)
    key: _Key = (
        os.path.realpath(reference.uri),
        tuple(reference.scale),
        reference.y_up,
        found.st_mtime_ns,
        found.st_size,
        tuple(known.name for known in formats),
    )
    mesh = _alive.get(key)
    if mesh is None:
        said: list[Problem] = []
        mesh = _alive.setdefault(key, load_mesh(reference, formats, said.append))
        _warnings[mesh] = tuple(said)
        if report is not None:
            for problem in said:
                report(problem)
    return mesh


def mesh_problems(scene: SceneDescription, registry: Registry) -> list[Problem]:
    """Return the faults of a scene's mesh files; each is opened once.

    A file that was not found is not among them: what reads the scene reports it.
    """
    found: list[Problem] = []
    seen: set[MeshReference] = set()
    for body in scene.bodies:
        for link in body.links:
            for place, mesh in _meshes_of(link):
                if isinstance(mesh, MeshReference) and mesh.found and mesh not in seen:
                    found += _problems_of(
                        mesh, place or link.location or body.location, registry
                    )
                    seen.add(mesh)
    return found


def _meshes_of(link: LinkDescription) -> Iterator[tuple[Location | None, object]]:
    """Yield the meshes of a link's shapes, None for primitives."""
    for geometry in link.geometries:
        for shape in (geometry.shape, geometry.render):
            yield geometry.location, getattr(shape, "mesh", None)
    for contact in link.contacts:
        yield contact.location, getattr(contact.shape, "mesh", None)


def _problems_of(
    mesh: MeshReference, place: Location | None, registry: Registry
) -> list[Problem]:
    try:
        problems = _warnings.get(load_shared(mesh, registry), ())
    except SceneError as error:
        problems = error.problems
    except Error as error:
        problems = (Problem(Severity.ERROR, str(error), mesh.uri, code="bad-mesh"),)
    named_at = () if place is None else (str(place),)
    return [replace(problem, named_at=named_at) for problem in problems]
