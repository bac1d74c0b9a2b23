"""Loops of parallel devices, closed where their WorkCell begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import SceneError
from pyrave.kinematics import (
    LOOP_TOLERANCE,
    close_loops,
    compile_body,
    joint_values,
    loop_system,
)

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription
    from pyrave_workcell.workcell.bodies import Bodies, Group
    from pyrave_workcell.workcell.reading import Reading
    from pyrave_workcell.workcell.state import State


def close_devices(bodies: Bodies, state: State, reading: Reading) -> None:
    """Start the passive joints of parallel devices where their loops are closed.

    Devices whose loops cannot be kept closed are reported; theirs are left open.
    """
    for group in bodies.groups:
        device = group.device
        if device is None or not device.meeting:
            continue
        values = _closed(group, bodies.described(group), reading)
        if values is None:
            bodies.opened.add(device.name)
        else:
            state.set_values(values)


def _closed(
    group: Group, body: BodyDescription, reading: Reading
) -> dict[str, tuple[float, ...]] | None:
    """Return the values of passive joints by their frames, None if loops stay open."""
    device = group.device
    assert device is not None  # noqa: S101 - asked before
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
    n = model.n_dof
    rest = joint_values(model, model.rest_values[:n])
    q = model.rest_values[:n] if body.dof_values is None else np.array(body.dof_values)
    found, gap = close_loops(model, system, joint_values(model, q), rest)
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
