"""Loops of parallel devices, closed where their WorkCell begins."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error, SceneError
from pyrave.kinematics import (
    LOOP_TOLERANCE,
    close_loops,
    compile_body,
    joint_values,
    loop_system,
)

if TYPE_CHECKING:
    from pyrave.kinematics import LoopSystem, Model
    from pyrave.scene import BodyDescription
    from pyrave.spatial import Array
    from pyrave_workcell.workcell.bodies import Bodies, Group
    from pyrave_workcell.workcell.document import Device
    from pyrave_workcell.workcell.load import WorkcellReading
    from pyrave_workcell.workcell.state import State

_SAME = 1e-6


def close_devices(bodies: Bodies, state: State, reading: WorkcellReading) -> None:
    """Start the passive joints of parallel devices where their loops are closed.

    Devices whose loops cannot be kept closed are reported; theirs are left open.
    """
    for group in bodies.groups:
        device = group.device
        if device is None or not device.meeting:
            continue
        values = _closed(group, device, bodies.described(group), reading)
        if values is None:
            bodies.opened.add(device.name)
        else:
            state.set_values(values)


def _closed(
    group: Group, device: Device, body: BodyDescription, reading: WorkcellReading
) -> dict[str, tuple[float, ...]] | None:
    """Return the values of passive joints by their frames, None if loops stay open."""
    try:
        model = compile_body(body)
    except SceneError:
        return {}  # which whoever builds the body reports
    system = model.kept_loops
    if system is None:
        return None
    for joint in system.joints.tolist():
        if not len(loop_system(model, np.array([joint])).moving):
            reading.warn(
                device.node,
                "loop-not-closed",
                f"a loop of the ParallelDevice {device.name!r} has no passive joints "
                "that could close it; its legs move as branches of a tree",
                'write state="Passive" for the joints that have no motor',
            )
            return None
    found, gap = _started(model, system, body)
    if gap > LOOP_TOLERANCE:
        homes = [one for one in device.configurations if one.name == "Home"]
        text = (
            f"the loops of the ParallelDevice {device.name!r} do not close where it "
            f"starts: {gap:.3g} m or rad are left"
        )
        if homes:
            reading.error(homes[-1].node, "loop-not-closed", text)
        else:
            hint = 'write a <Q name="Home"> at which they close'
            text += "; its legs move as branches of a tree"
            reading.warn(device.node, "loop-not-closed", text, hint)
        return None
    frames = {link: frame for frame, link in group.links.items()}
    moved = model.value_joint[np.flatnonzero(model.passive_values)]
    result = {}
    for joint in dict.fromkeys(moved.tolist()):
        first, count = model.joint_values[joint].tolist()
        values = tuple(found[first : first + count].tolist())
        result[frames[model.joint_names[joint]]] = values
    return result


def starts_elsewhere(body: BodyDescription) -> bool:
    """Return True if passive joints of a body start where its file cannot say it.

    They start at 0, and move until the loops are closed: the way in which a mechanism
    is assembled may be another one then.
    """
    plain = replace(
        body,
        joints=tuple(
            replace(joint, axes=tuple(replace(one, initial=0.0) for one in joint.axes))
            for joint in body.joints
        ),
    )
    try:
        model = compile_body(body)
        system = model.kept_loops
        if system is None:
            return False
        read, _ = _started(compile_body(plain), system, plain)
        wanted, _ = close_loops(model, system, joint_values(model, _start(model, body)))
    except Error:
        return False  # which whoever builds the body reports
    turns = ~model.prismatic[system.moving]
    away = (read - wanted)[system.moving]
    away[turns] = np.remainder(away[turns] + math.pi, math.tau) - math.pi
    return bool((np.abs(away) > _SAME).any())


def _start(model: Model, body: BodyDescription) -> Array:
    """Return the first values of a body: as given, or at limits that leave them out."""
    given = body.dof_values
    return _within(model, _rest(model) if given is None else np.array(given))


def _rest(model: Model) -> Array:
    return model.rest_values[: model.n_dof]


def _within(model: Model, values: Array) -> Array:
    return np.maximum(np.minimum(values, model.dof_upper), model.dof_lower)


def _started(
    model: Model, system: LoopSystem, body: BodyDescription
) -> tuple[Array, float]:
    """Return all values where a body that was read starts, and the gap that is left."""
    rest = joint_values(model, _within(model, _rest(model)))
    return close_loops(model, system, joint_values(model, _start(model, body)), rest)
