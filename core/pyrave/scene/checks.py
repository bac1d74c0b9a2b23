"""Checks of the values of descriptions, whichever way they come in.

Readers check tags where they read them. Here are the same rules for descriptions that
scripts make, for fields of ``<pyrave>`` elements and for scenes that are to be written.
What a field may hold follows from its annotation; what goes beyond is in `_RULES`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import islice, pairwise
from typing import Any, TypeVar

import numpy as np

from pyrave.coercion import (
    HUGE,
    Coercion,
    Fault,
    Place,
    Rule,
    UnfitError,
    instance,
)
from pyrave.errors import ArgumentError, shortened
from pyrave.scene import body as bodies
from pyrave.scene import contact as contacts
from pyrave.scene import description as scenes
from pyrave.scene import geometry as geometries
from pyrave.scene import physics, simulation
from pyrave.scene.pose import IDENTITY, Pose, rotation_error
from pyrave.scene.readable import Readable, XmlReadable
from pyrave.spatial import nearest_rotations

Described = TypeVar("Described")
_ROTATION_TOLERANCE = 1e-4
_ROUNDING = 1e-12
_MOST = 20
_EYE = IDENTITY.rotation


def validated(kind: type[Described], description: Any) -> Described:
    """Return a description of a kind with all values in their own types.

    Numbers become floats, lists and arrays become tuples, directions get length 1, and
    rotations that were rounded become exact. What fits already is returned as it is.

    Raises
    ------
    ArgumentError
        It is of another kind, or it holds values without meaning: lists them all, with
        their paths in the description.
    """
    if not isinstance(description, kind):
        raise ArgumentError(
            f"expected a {kind.__name__}, got {type(description).__name__}"
        )
    made, faults = coerced(description)
    if not faults:
        return made
    what = f"{type(description).__name__} {getattr(description, 'name', '')!r}"
    lines = [shortened(str(fault)) for fault in islice(faults, _MOST)]
    if len(faults) > _MOST:
        lines.append(f"and {len(faults) - _MOST} more")
    if len(lines) == 1:
        raise ArgumentError(f"{what}: {lines[0]}")
    raise ArgumentError("\n  ".join((f"{what} has values without meaning:", *lines)))


def coerced(description: Described) -> tuple[Described, list[Fault]]:
    """Return a description as `validated` does, and all that is wrong with it."""
    return _DESCRIPTIONS.object(description)


def coerced_field(cls: type[Any], name: str, value: Any) -> tuple[Any, list[Fault]]:
    """Return the value of one field of a class, and what is wrong with it."""
    return _DESCRIPTIONS.field(cls, name, value)


# -- rules: they return the value, as it should be, or raise ---------------------------


def _not_negative(value: Any) -> Any:
    numbers = value if isinstance(value, tuple) else (value,)
    for number in numbers:
        if not number >= 0.0:
            raise UnfitError(f"is {number}, expected 0 or more")
    return value


def _direction(value: Any) -> Any:
    length = math.hypot(*value)
    if abs(length - 1.0) <= _ROUNDING:
        return value
    if not length > 0.0:
        raise UnfitError(f"is {value}, which is no direction")
    return tuple(number / length for number in value)


def _rotation(value: Any) -> Any:
    if value == _EYE:
        return value
    off = rotation_error(value)
    if off > _ROTATION_TOLERANCE:
        raise UnfitError(f"is {value}, expected a rotation")
    if off <= _ROUNDING:
        return value
    nearest = nearest_rotations(np.array(value).reshape(3, 3))
    return tuple(nearest.ravel().tolist())


def _fraction(value: Any) -> Any:
    if not 0.0 <= value <= 1.0:
        raise UnfitError(f"is {value}, expected 0 to 1")
    return value


def _rising(times: Any) -> Any:
    if len(times) < 2 or any(a >= b for a, b in pairwise(times)):
        raise UnfitError(f"is {times}, expected 2 or more rising times")
    return times


_RATES = (
    *("velocity_limit", "acceleration_limit", "jerk_limit", "torque_limit"),
    *("inertia_limit", "hard_velocity_limit", "hard_acceleration_limit"),
    "hard_jerk_limit",
)
_SIZES: Mapping[type[Any], tuple[str, ...]] = {
    geometries.Box: ("half_extents",),
    geometries.Cage: ("half_extents",),
    geometries.Sphere: ("radius",),
    geometries.Cylinder: ("radius", "height"),
    geometries.Capsule: ("radius", "height"),
    geometries.Prism: ("height",),
    geometries.Container: ("outer_extents", "inner_extents", "bottom_cross", "bottom"),
    bodies.Inertial: ("mass",),
    bodies.JointAxis: ("weight", "damping", "friction", "stiffness", *_RATES),
    contacts.ContactDescription: ("max_normal_force",),
    physics.Friction: ("coefficient",),
    simulation.ControllerDescription: ("time_step",),
    simulation.TactileArray: ("cell_size", "lowest"),
    simulation.SuctionCup: ("radius", "height"),
    simulation.SuctionSpring: (
        *("stiffness", "damping", "bending_stiffness", "bending_damping", "height"),
    ),
}
_RULES: Mapping[tuple[type[Any], str], Rule] = {
    **{(cls, name): _not_negative for cls, names in _SIZES.items() for name in names},
    (bodies.JointAxis, "direction"): _direction,
    (bodies.JointPath, "times"): _rising,
    (bodies.ManipulatorDescription, "direction"): _direction,
    (Pose, "rotation"): _rotation,
    (physics.Restitution, "coefficient"): _fraction,
    (bodies.LinkDynamics, "linear_damping"): _fraction,
    (bodies.LinkDynamics, "angular_damping"): _fraction,
}
_BOUNDS = ("lower", "upper", "hard_lower", "hard_upper")
_MAY_BE_INFINITE = frozenset({
    *((bodies.JointAxis, name) for name in (*_BOUNDS, *_RATES)),
    (contacts.ContactDescription, "max_normal_force"),
    (physics.Limits, "lower"),
    (physics.Limits, "upper"),
    (simulation.TactileArray, "highest"),
})  # fmt: skip


# -- rules about several fields of an object -------------------------------------------


def _check_limits(axis: Any, place: Place, faults: list[Fault]) -> None:
    if axis.lower > axis.upper:
        text = f"is {axis.lower}, which is above the upper limit {axis.upper}"
        faults.append(Fault((place, "lower"), text))


def _check_path(path: Any, place: Place, faults: list[Fault]) -> None:
    if len(path.times) != len(path.poses):
        text = f"has {len(path.times)} times for {len(path.poses)} poses"
        faults.append(Fault(place, text))


def _check_cage(cage: Any, place: Place, faults: list[Fault]) -> None:
    for index, (_, half) in enumerate(cage.walls):
        for number in half:
            if not number >= 0.0:
                text = f"is {number}, expected 0 or more"
                faults.append(Fault((((place, "walls"), index), 1), text))


def _check_mesh(mesh: Any, place: Place, faults: list[Fault]) -> None:
    vertices, faces = mesh.vertices, mesh.faces
    # not a number is not below anything
    if vertices.size and not abs(vertices).max() <= HUGE:
        text = "holds a value that is not finite or absurdly large"
        faults.append(Fault((place, "vertices"), text))
    if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
        faults.append(Fault((place, "faces"), "names a vertex that is not there"))


def _check_constraint(one: Any, place: Place, faults: list[Fault]) -> None:
    freedoms = one.freedoms
    if len(one.limits) > len(freedoms):
        text = f"has {len(one.limits)} rows, a {one.kind} has {len(freedoms)} freedoms"
        faults.append(Fault((place, "limits"), text))
    spring = one.spring or physics.Spring()
    for name, rows in (("compliance", spring.compliance), ("damping", spring.damping)):
        if rows and {len(freedoms)} != {len(rows), *map(len, rows)}:
            n = len(freedoms)
            text = f"has {len(rows)} rows of {[*map(len, rows)]}, expected {n}x{n}"
            faults.append(Fault(((place, "spring"), name), text))


_GAINS = {"pd": 2, "spring": 3, "pose": 0, "motion_queue": 0}


def _check_controller(one: Any, place: Place, faults: list[Fault]) -> None:
    sizes = {len(row) for row in one.gains}
    if sizes - {_GAINS[one.kind]}:
        text = f"has rows of {sorted(sizes)}, {one.kind} has {_GAINS[one.kind]} gains"
        faults.append(Fault((place, "gains"), text))
    if one.gains and len(one.gains) < len(one.joints):
        text = f"has {len(one.gains)} rows for {len(one.joints)} joints"
        faults.append(Fault((place, "gains"), text))
    if len(set(one.joints)) < len(one.joints):
        faults.append(Fault((place, "joints"), "names a joint twice"))


def _check_simulation(one: Any, place: Place, faults: list[Fault]) -> None:
    if len({name for name, _ in one.settings}) < len(one.settings):
        faults.append(Fault((place, "settings"), "has a name twice"))


def _check_tactile(one: Any, place: Place, faults: list[Fault]) -> None:
    rows = {len(row) for row in one.heights}
    if len(one.heights) < 2 or len(rows) != 1 or min(rows) < 2:
        text = "is no grid of 2x2 corners or more"
        faults.append(Fault((place, "heights"), text))
    if one.lowest > one.highest:
        text = f"is {one.lowest}, which is above the highest, {one.highest}"
        faults.append(Fault((place, "lowest"), text))


_WHOLE: Mapping[type[Any], Callable[[Any, Place, list[Fault]], None]] = {
    bodies.JointAxis: _check_limits,
    physics.Limits: _check_limits,
    bodies.JointPath: _check_path,
    geometries.Cage: _check_cage,
    geometries.MeshData: _check_mesh,
    physics.ConstraintDescription: _check_constraint,
    simulation.ControllerDescription: _check_controller,
    simulation.SimulationDescription: _check_simulation,
    simulation.TactileArray: _check_tactile,
}


def _readable(value: Any, place: Place, faults: list[Fault]) -> Any:
    if isinstance(value, XmlReadable):
        return _DESCRIPTIONS.object(value, place, faults)[0]
    return _any_readable(value, place, faults)


def _names() -> dict[str, Any]:
    from numpy.typing import NDArray

    modules = (geometries, contacts, bodies, physics, simulation, scenes)
    named = {name: one for module in modules for name, one in vars(module).items()}
    return {**named, "NDArray": NDArray, "np": np}


_any_readable = instance(Readable, "what a custom reader returns")
_DESCRIPTIONS = Coercion(
    _names,
    _RULES,
    _MAY_BE_INFINITE,
    _WHOLE,
    frozenset({"composition", "location", "problems", "readables"}),
    {Readable: _readable},
)
