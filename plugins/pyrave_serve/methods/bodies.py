"""Methods for poses, joints, grabs and states of bodies."""

from __future__ import annotations

from typing import Any

from pyrave.errors import NotFoundError, NotSupportedError
from pyrave.kinematics import LimitCheck
from pyrave.spatial import as_number
from pyrave_serve.call_objects import Desk, Follower
from pyrave_serve.methods.kinds import Joints, Numbers, Pose


def poses(desk: Desk) -> Any:
    """Return the poses of all bodies, and the values of their joints.

    Returns
    -------
    object
        ``simulation_time`` in seconds, and ``bodies``: objects with ``name``,
        ``transform`` and ``dof_values``.
    """
    desk.env.publish()
    return poses_of(desk.env.published)


def subscribe(desk: Desk, rate: float = 10.0) -> None:
    """Receive `poses` whenever something moved, over a WebSocket.

    Messages with the method ``poses`` come, whose ``params`` are what `poses` returns.

    Parameters
    ----------
    rate
        At most so many times a second, up to 60.
    """
    _follower(desk).follow(min(as_number(rate, "rate", 0.1), _MAX_RATE))


def unsubscribe(desk: Desk) -> None:
    """Receive poses no more."""
    _follower(desk).follow(0.0)


def get_transform(desk: Desk, body: str, link: str | None = None) -> Any:
    """Return the pose of a body or of one of its links.

    Parameters
    ----------
    body
        Its name.
    link
        Name of a link; the body itself without.

    Returns
    -------
    list
        4x4 matrix, rows first, world, metres.
    """
    return desk.part(body, link).transform


def set_transform(desk: Desk, body: str, transform: Pose) -> None:
    """Place a body.

    Parameters
    ----------
    body
        Its name.
    transform
        Where it is then, world, metres.
    """
    desk.body(body).transform = transform


def get_links(desk: Desk, body: str) -> Any:
    """Return the poses of all links of a body.

    Parameters
    ----------
    body
        Its name.

    Returns
    -------
    object
        ``links`` (names), ``transforms`` (4x4 matrices) and ``velocities`` (linear,
        then angular, world axes).
    """
    found = desk.body(body)
    return {
        "links": list(found.links.names),
        "transforms": found.link_transforms,
        "velocities": found.dynamics.link_velocities,
    }


def get_joints(desk: Desk, body: str) -> Any:
    """Return the joints of a body.

    Parameters
    ----------
    body
        Its name.

    Returns
    -------
    object
        ``names`` of degrees of freedom, ``values``, ``velocities``, ``lower`` and
        ``upper`` limits, radians or metres, and ``velocity_limits``.
    """
    found = desk.body(body)
    lower, upper = found.dof_limits
    return {
        "names": list(found.dof_names),
        "values": found.dof_values,
        "velocities": found.dof_velocities,
        "lower": lower,
        "upper": upper,
        "velocity_limits": found.dof_velocity_limits,
    }


def set_joints(desk: Desk, body: str, values: Joints, clamp: bool = False) -> Any:
    """Set joints of a body; a controller drops what it was doing with it.

    Parameters
    ----------
    body
        Its name.
    values
        Of all degrees of freedom, or of some by name; radians or metres.
    clamp
        Bring values to their limits instead of refusing what is beyond.

    Returns
    -------
    list
        The values of all degrees of freedom then.
    """
    found = desk.body(body)
    whole = found.values_with(values) if isinstance(values, dict) else values
    found.set_dof_values(whole, limits=LimitCheck.CLAMP if clamp else LimitCheck.RAISE)
    hold(found)
    return found.dof_values


def set_velocities(desk: Desk, body: str, values: Numbers) -> None:
    """Set the joint velocities of a body.

    Parameters
    ----------
    body
        Its name.
    values
        Of all degrees of freedom, radians or metres per second.
    """
    desk.body(body).dof_velocities = values


def set_enabled(desk: Desk, body: str, enabled: bool, link: str | None = None) -> None:
    """Let a body or link collide, or not.

    Parameters
    ----------
    body
        Its name.
    enabled
        Whether it collides, and rays meet it.
    link
        Name of a link; all of them without.
    """
    desk.part(body, link).enabled = enabled


def grab(desk: Desk, robot: str, body: str, link: str | None = None) -> None:
    """Let a robot hold a body, which then moves with it.

    Parameters
    ----------
    robot
        Its name.
    body
        What it holds.
    link
        Which link holds it; that of the active manipulator without.
    """
    desk.robot(robot).grab(desk.body(body), link)


def release(desk: Desk, robot: str, body: str | None = None) -> None:
    """Let a robot release a body.

    Parameters
    ----------
    robot
        Its name.
    body
        What it releases; everything without.
    """
    holder = desk.robot(robot)
    if body is None:
        holder.release_all()
        return
    held = {one.name for one in holder.grabbed}
    if body not in held:
        raise NotFoundError(f"body held by {robot!r}", body, sorted(held))
    holder.release(desk.body(body))


def save_state(desk: Desk) -> Any:
    """Keep the state of all bodies and the clock, to be restored.

    Returns
    -------
    text
        Its name. The server keeps some tens, the oldest leaves first.
    """
    return desk.kept.states.put(desk.env.preserve_state())


def restore_state(desk: Desk, state: str) -> None:
    """Put all bodies and the clock back; the state stays kept.

    Parameters
    ----------
    state
        What `save_state` returned.
    """
    desk.kept.states.find(state).restore()


def poses_of(state: Any) -> dict[str, Any]:
    """Return a published state as data."""
    return {
        "simulation_time": state.simulation_time,
        "bodies": [
            {
                "name": body.name,
                "transform": body.link_transforms[0],
                "dof_values": body.dof_values,
            }
            for body in state.bodies
            if len(body.link_transforms)
        ],
    }


def _follower(desk: Desk) -> Follower:
    if desk.follower is None:
        raise NotSupportedError("poses are sent over a WebSocket; call poses() instead")
    return desk.follower


def hold(body: Any) -> None:
    """Have the controller of a robot drop what it was doing."""
    if body.is_robot and body.own_controller is not None:
        body.own_controller.reset()


_MAX_RATE = 60.0
METHODS = (
    poses, subscribe, unsubscribe, get_transform, set_transform, get_links, get_joints,
    set_joints, set_velocities, set_enabled, grab, release, save_state, restore_state,
)  # fmt: skip
