"""Losses of tags: parts of a written scene that OpenRAVE reads otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pyrave.formats.openrave_xml.schema import JOINT_DOFS
from pyrave.formats.simulation_data import named_simulation_data
from pyrave.scene import MeshData, MeshReference, TriMesh

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.write.state import Writing
    from pyrave.scene import (
        BodyDescription,
        JointDescription,
        LinkDescription,
        SceneDescription,
    )

_SAME_PLACE = 1e-9


def report_losses(
    scene: SceneDescription, read: SceneDescription, writing: Writing
) -> None:
    """Report the parts of a scene that its tags alone, read as `read`, lack."""
    if scene.grabs:
        writing.keep("grabs", *(grab.body for grab in scene.grabs))
    for what, names in named_simulation_data(scene):
        writing.keep(what, *names)
    for body, found in zip(scene.bodies, read.bodies, strict=True):
        if any(link.contacts for link in body.links):
            writing.keep("contacts of links", body.name)
        alike = _alike(link.name for link in body.links if link.name)
        if alike:
            what = "links whose names differ in case alone: OpenRAVE's joints find the "
            writing.losses.add(f"{what}first", *alike, kind="written-otherwise")
        if any(_has_shown_triangles(link) for link in body.links):
            writing.keep("triangles that are shown instead of shapes", body.name)
        for joint, other in zip(body.joints, found.joints, strict=True):
            _tell_joint(joint, other, writing)
        if any(low > value or value > high for value, low, high in _starts(body)):
            writing.losses.add(
                "start values beyond limits, which loading brings inside, of",
                body.name,
                kind="written-otherwise",
            )


def report_missing_meshes(scene: SceneDescription, writing: Writing) -> None:
    """Report meshes that are only named, as they were when the scene was read."""
    for body in scene.bodies:
        for name in _missing_meshes(body):
            writing.losses.add("triangles of meshes that were not found", name)


def _missing_meshes(body: BodyDescription) -> Iterator[str]:
    """Yield the names of files that were not found; they are written as they are."""
    for link in body.links:
        for geometry in link.geometries:
            shape, render = geometry.shape, geometry.render
            meshes = (
                shape.mesh if isinstance(shape, TriMesh) else None,
                None if render is None else render.mesh,
            )
            for mesh in meshes:
                if isinstance(mesh, MeshReference) and not mesh.found:
                    yield mesh.uri


def _alike(names: Iterable[str]) -> list[str]:
    """Return the names that are another one in another case."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.lower(), []).append(name)
    return [name for several in found.values() for name in several[1:]]


def _has_shown_triangles(link: LinkDescription) -> bool:
    shown = (geometry.render for geometry in link.geometries)
    return any(one is not None and isinstance(one.mesh, MeshData) for one in shown)


def _tell_joint(
    joint: JointDescription, read: JointDescription, writing: Writing
) -> None:
    if joint.axes and joint.type not in JOINT_DOFS:
        writing.losses.add(
            "joints of types that OpenRAVE does not have, written as the nearest type",
            joint.name,
            kind="written-otherwise",
            hint="pyrave reads them as they are",
        )
    elif joint.type == "slider":
        places = (joint.T_parent_joint.translation, read.T_parent_joint.translation)
        off = max(abs(a - b) for a, b in zip(*places, strict=True))
        if off > _SAME_PLACE:
            writing.keep("anchors of sliders", joint.name)


def _starts(body: BodyDescription) -> Iterator[tuple[float, float, float]]:
    """Yield start value and limits of each degree of freedom that has limits."""
    axes = [
        axis
        for joint in body.joints
        if joint.active and all(axis.mimic is None for axis in joint.axes)
        for axis in joint.axes
    ]
    values = body.dof_values or [axis.initial for axis in axes]
    for axis, value in zip(axes, values, strict=False):
        if not axis.circular and axis.lower < axis.upper:
            yield value, axis.lower, axis.upper
