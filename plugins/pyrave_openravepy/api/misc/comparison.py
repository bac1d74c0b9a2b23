"""Bodies and environments that are the same, or an AssertionError that says why not."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import CloningOptions
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.objects import as_native

__all__ = ["CompareBodies", "CompareEnvironments"]


@guarded
def CompareBodies(
    body0: Any,
    body1: Any,
    comparegeometries: bool = True,
    comparesensors: bool = True,
    comparemanipulators: bool = True,
    comparegrabbed: bool = True,
    comparephysics: bool = True,
    computeadjacent: bool = True,
    epsilon: float = 1e-10,
) -> None:
    """Raise AssertionError at the first difference of two bodies."""
    one, two = as_native(body0), as_native(body1)
    name = one.name
    _same(name, two.name, "name")
    _same(one.interface_type, two.interface_type, f"{name}: type")
    _near(one.transform, two.transform, f"{name}: transform", epsilon)
    _same([x.name for x in one.links], [x.name for x in two.links], f"{name}: links")
    _same([x.name for x in one.joints], [x.name for x in two.joints], f"{name}: joints")
    _near(one.dof_values, two.dof_values, f"{name}: values", epsilon)
    for what in ("dof_limits", "dof_velocity_limits", "dof_acceleration_limits"):
        _near(getattr(one, what), getattr(two, what), f"{name}: {what}", epsilon)
    for a, b in zip(one.links, two.links, strict=True):
        where = f"{name}.{a.name}"
        _near(a.transform, b.transform, f"{where}: transform", epsilon)
        _same(a.enabled, b.enabled, f"{where}: enabled")
        if comparephysics:
            _near(a.mass, b.mass, f"{where}: mass", epsilon)
        if comparegeometries:
            _geometries(a, b, where, epsilon)
    if computeadjacent:
        pairs = [body.non_adjacent_links.tolist() for body in (one, two)]
        _same(pairs[0], pairs[1], f"{name}: links that are not adjacent")
    if one.interface_type == "robot":
        if comparemanipulators:
            _manipulators(one, two, name, epsilon)
        if comparesensors:
            _same(
                [x.name for x in one.attached_sensors],
                [x.name for x in two.attached_sensors],
                f"{name}: sensors",
            )
        if comparegrabbed:
            _same(
                sorted(body.name for body in one.grabbed),
                sorted(body.name for body in two.grabbed),
                f"{name}: grabbed bodies",
            )


def _geometries(a: Any, b: Any, where: str, epsilon: float) -> None:
    _same(len(a.geometries), len(b.geometries), f"{where}: geometries")
    for index, (g, h) in enumerate(zip(a.geometries, b.geometries, strict=True)):
        here = f"{where}: geometry {index}"
        mine, other = g.description, h.description
        _same(type(mine.shape), type(other.shape), f"{here}: type")
        _near(mine.pose.matrix, other.pose.matrix, f"{here}: transform", epsilon)
        _near(g.mesh.vertices, h.mesh.vertices, f"{here}: vertices", epsilon)


def _manipulators(one: Any, two: Any, name: str, epsilon: float) -> None:
    names = [arm.name for arm in one.manipulators]
    _same(names, [arm.name for arm in two.manipulators], f"{name}: manipulators")
    for arm in names:
        a, b = one.manipulators[arm], two.manipulators[arm]
        _same(list(a.arm_indices), list(b.arm_indices), f"{name}.{arm}: arm joints")
        _near(
            a.local_tool_transform,
            b.local_tool_transform,
            f"{name}.{arm}: tool",
            epsilon,
        )


@guarded
def CompareEnvironments(
    env: Any,
    env2: Any,
    options: Any = CloningOptions.Bodies,
    epsilon: float = 1e-10,
) -> None:
    """Raise AssertionError at the first difference of two environments."""
    if not int(options) & int(CloningOptions.Bodies):
        return
    one, two = env.GetBodies(), env2.GetBodies()
    _same(
        sorted(body.GetName() for body in one),
        sorted(body.GetName() for body in two),
        "bodies",
    )
    for body in one:
        other = next(x for x in two if x.GetName() == body.GetName())
        CompareBodies(body, other, epsilon=epsilon)


def _same(a: Any, b: Any, what: str) -> None:
    if a != b:
        raise AssertionError(f"{what}: {a!r} and {b!r}")


def _near(a: Any, b: Any, what: str, epsilon: float) -> None:
    first, second = np.asarray(a, float), np.asarray(b, float)
    if first.shape != second.shape:
        raise AssertionError(f"{what}: shapes {first.shape} and {second.shape}")
    with np.errstate(invalid="ignore"):
        far = ~(np.abs(first - second) <= epsilon) & (first != second)
    if far.any():
        raise AssertionError(f"{what}: {first.tolist()} and {second.tolist()}")
