"""Bodies that are made again of another description, in the place where they were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyrave.scene import MimicFormula
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import move_parts

__all__ = ["out_of_environment", "renamed", "with_formula"]


def out_of_environment(body: Any, change: Callable[[], None]) -> None:
    """Change a body of pyrave in a way that needs it outside of its environment.

    It is taken out and added again, behind the others; what it holds, and what holds
    it, stays.
    """
    env = body.env
    if body not in env.bodies:
        change()
        return
    holder = body.holder
    held = body.grabs.info
    grabs = () if holder is None else holder.grabs.info
    before = body.name
    env.remove(body)
    try:
        change()
    finally:
        env.add(body)
    if held:
        body.grabs.info = held
    if holder is not None:
        holder.grabs.info = [
            replace(one, name=body.name) if one.name == before else one for one in grabs
        ]


def renamed(body: Any, name: str) -> None:
    """Give a body of pyrave another name, wherever it is."""
    if name == body.name:
        return
    env = body.env
    if body in env.bodies and name in env.bodies.names:
        raise openrave_exception(
            f"{body!r} cannot be called {name!r}: the environment has another body of "
            "that name",
            ErrorCode.InvalidArguments,
        )

    def change() -> None:
        body.name = name

    out_of_environment(body, change)


def with_formula(joint: Any, axis: int, texts: tuple[str, str, str]) -> None:
    """Let an axis of a joint of the API follow formulas, or none if they are empty."""
    native = joint._native
    body = native.body
    known = body.description
    axes = list(native.description.axes)
    if not 0 <= axis < len(axes):
        raise openrave_exception(
            f"axis {axis} of {joint!r} is given, it has {len(axes)}, counted from 0",
            ErrorCode.InvalidArguments,
        )
    formula = MimicFormula(*texts) if texts[0] else None
    axes[axis] = replace(axes[axis], mimic=formula)
    joints = list(known.joints)
    index = native.index
    joints[index] = replace(native.description, axes=tuple(axes))
    present = body.describe()
    made = replace(present, joints=tuple(joints), dof_values=None)

    def change() -> None:
        body.init(made)

    before = _parts(body)
    values = {one.name: one.values for one in body.joints}
    out_of_environment(body, change)
    body.set_joints(
        {
            one.name: values[one.name].tolist() if one.dof > 1 else values[one.name][0]
            for one in body.joints
            if one.name in values
        }
    )
    # links and joints are others now; the objects of scripts go on with them
    move_parts(
        body, {id(old): new for old, new in zip(before, _parts(body), strict=True)}
    )


def _parts(body: Any) -> list[Any]:
    """Return links with their geometries, and joints, as they are described."""
    links = [part for link in body.links for part in (link, *link.geometries)]
    return [*links, *body.all_joints]
