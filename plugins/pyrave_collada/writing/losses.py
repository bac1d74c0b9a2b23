"""Losses: data that other programs do not find in a written body, or misread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.scene import NoShape
from pyrave_collada.writing.plan import rests_for_others

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats.output.losses import LossKind
    from pyrave.scene import RenderMesh, Shape
    from pyrave_collada.writing.plan import BodyPlan

_TWO_AXES = frozenset({"universal", "hinge2"})
_SENSORS = frozenset({
    *("baselaser2d", "basespinninglaser2d", "baseflashlidar3d", "basecamera"),
    *("baseforce6d", "base_laser2d", "base_laser3d", "base_pinhole_camera"),
    *("base_force6d", "base_flash_laser"),
})  # fmt: skip
"""Classes and types of sensors that OpenRAVE makes."""


def not_for_others(plan: BodyPlan) -> Iterator[tuple[LossKind, str]]:
    """Yield (kind, message) of each loss of a body."""
    body = plan.body
    for joint in body.joints:
        kind, instead = str(joint.type), ""
        if rests_for_others(joint):
            instead = "a joint that rests"
            if kind != "trajectory":
                kind = f"{len(joint.axes)}-axis"
        elif kind == "spherical":
            instead = "three axes that turn one after the other"
        if instead:
            what = (
                f"the {kind} joint {joint.name!r} of body {body.name!r} is one for "
                f"pyrave alone: COLLADA has none, other programs see {instead}"
            )
            yield "pyrave-only", what
        elif kind in _TWO_AXES:
            what = (
                f"the {kind} joint {joint.name!r} of body {body.name!r} is one of two "
                "axes without a name for its type, which moves in the same way"
            )
            yield "written-otherwise", what
    yield from _of_limits(plan)
    for joint in plan.glue.values():
        what = (
            f"the link {joint.child!r} of body {body.name!r}, which no joint carries, "
            f"hangs from {joint.parent!r} by a fixed joint in other programs"
        )
        yield "written-otherwise", what
    if any(link.contacts for link in body.links):
        yield "pyrave-only", f"contacts of links are for pyrave alone: {body.name!r}"
    yield from _of_visuals(plan)
    for sensor in getattr(body, "attached_sensors", ()):
        kind = sensor.interface.partition(" ")[0]
        if kind and kind.lower() not in _SENSORS:
            what = (
                f"OpenRAVE has no sensor of class {kind!r}; for {sensor.name!r} of "
                f"body {body.name!r} it has a place without one"
            )
            yield "pyrave-only", what


def _of_visuals(plan: BodyPlan) -> Iterator[tuple[LossKind, str]]:
    """Yield the losses of OpenRAVE for shapes that are only shown."""
    name = plan.body.name
    kinds = {
        any(_has_triangles(geometry.shape) for geometry in link.geometries)
        for link in plan.body.links
        for geometry in link.geometries
        # a file that is not found has no triangles
        if isinstance(geometry.shape, NoShape) and _has_triangles(geometry.render)
    }
    if True in kinds:
        what = (
            f"shapes of body {name!r} that are only shown are for pyrave alone: "
            "OpenRAVE shows what collides in their place"
        )
        yield "pyrave-only", what
    if False in kinds:
        what = (
            f"shapes of body {name!r} that are only shown, on links without others, "
            "collide in OpenRAVE"
        )
        yield "written-otherwise", what


def _has_triangles(shape: Shape | RenderMesh | None) -> bool:
    if shape is None or isinstance(shape, NoShape):
        return False
    return bool(getattr(getattr(shape, "mesh", None), "found", True))


def _of_limits(plan: BodyPlan) -> Iterator[tuple[LossKind, str]]:
    """Yield the losses of other programs for limits that are equal, or not kept."""
    start = plan.start
    for axis in plan.axes:
        if not axis.moves:
            continue
        joint, known = axis.joint, axis.joint.axes[axis.number]
        value = start.get((joint.name, axis.number))
        what = f"the joint {joint.name!r} of body {plan.body.name!r}"
        if known.circular:
            continue
        if known.lower == known.upper != 0.0:
            told = f"{what} has equal limits: other programs hold it at 0"
            yield "pyrave-only", told
        elif value is not None and not known.lower <= value <= known.upper:
            told = f"{what} starts outside its limits: OpenRAVE moves it to the nearer"
            yield "written-otherwise", told
