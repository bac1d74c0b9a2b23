"""What other programs do not find in a written body, or find as something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.scene import NoShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats.losses import LossKind
    from pyrave_collada.writing.plan import BodyPlan

_OTHER_JOINTS = {
    "spherical": "three axes that turn one after the other",
    "trajectory": "a joint that rests",
}
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
        if joint.type in _OTHER_JOINTS:
            what = (
                f"the {joint.type} joint {joint.name!r} of body {body.name!r} is one "
                "for pyrave alone: COLLADA has none, other programs see "
                f"{_OTHER_JOINTS[joint.type]}"
            )
            yield "pyrave-only", what
    yield from _of_limits(plan)
    if any(link.contacts for link in body.links):
        yield "pyrave-only", f"contacts of links are for pyrave alone: {body.name!r}"
    if any(
        isinstance(geometry.shape, NoShape)
        and geometry.render is not None
        # a file that is not found has no triangles to collide
        and getattr(geometry.render.mesh, "found", True)
        for link in body.links
        for geometry in link.geometries
    ):
        what = f"shapes of body {body.name!r} that are only shown collide in OpenRAVE"
        yield "written-otherwise", what
    for sensor in getattr(body, "attached_sensors", ()):
        kind = sensor.interface.partition(" ")[0]
        if kind and kind.lower() not in _SENSORS:
            what = (
                f"OpenRAVE has no sensor of class {kind!r}; for {sensor.name!r} of "
                f"body {body.name!r} it has a place without one"
            )
            yield "pyrave-only", what


def _of_limits(plan: BodyPlan) -> Iterator[tuple[LossKind, str]]:
    """Yield what other programs make of limits that are equal, or not kept."""
    values = iter(plan.body.dof_values or ())
    for axis in plan.axes:
        if not axis.moves:
            continue
        joint, known = axis.joint, axis.joint.axes[axis.number]
        value = next(values, 0.0) if joint.active else None
        what = f"the joint {joint.name!r} of body {plan.body.name!r}"
        if known.circular:
            continue
        if known.lower == known.upper != 0.0:
            told = f"{what} has equal limits: other programs hold it at 0"
            yield "pyrave-only", told
        elif value is not None and not known.lower <= value <= known.upper:
            told = f"{what} starts outside its limits: OpenRAVE moves it to the nearer"
            yield "written-otherwise", told
