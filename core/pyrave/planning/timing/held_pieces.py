"""Pieces of a trajectory between which a robot grabs or releases something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import StateError
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning.trajectory_operations import trajectory_segment
from pyrave.records import Record
from pyrave.trajectories import GrabRule, grab_rules

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array

_STEP = 1e-3


@dataclass(frozen=True, slots=True)
class HeldPiece(Record):
    """A part of a trajectory in which a robot holds the same.

    Parameters
    ----------
    begin
        Seconds from the begin of the trajectory.
    trajectory
        What it does meanwhile.
    """

    begin: float
    trajectory: TrajectoryBase


def held_pieces(body: KinBody, trajectory: TrajectoryBase) -> Iterator[HeldPiece]:
    """Yield the pieces of a trajectory that grabs, with the body at their begins.

    The body holds then what it shall; callers put everything back. Nothing is yielded
    for a trajectory without groups that grab.

    Raises
    ------
    StateError
        It grabs what is not there.
    ArgumentError
        A group that grabs makes no sense.
    """
    rules = grab_rules(trajectory.spec, body)
    if not rules or not len(trajectory):
        return
    duration = trajectory.duration
    times = np.linspace(0.0, duration, int(np.ceil(duration / _STEP)) + 1)
    rows = trajectory.sample_points(times)
    wanted = np.floor(rows[:, [rule.column for rule in rules]] + 0.5)
    changes = np.flatnonzero((np.diff(wanted, axis=0) != 0.0).any(axis=1)) + 1
    begins = [0, *changes.tolist()]
    ends = [*changes.tolist(), len(times) - 1]
    for first, last in zip(begins, ends, strict=True):
        _place(body, trajectory, rows[first])
        _hold(body, rules, rows[first])
        begin, end = float(times[first]), float(times[last])
        yield HeldPiece(begin, trajectory_segment(trajectory, begin, end))
        _place(body, trajectory, rows[last])


def _place(body: KinBody, trajectory: TrajectoryBase, row: Array) -> None:
    """Take a body, and what it holds, to a waypoint."""
    spec = trajectory.spec
    if spec.find_compatible_group(f"affine_transform {body.name} 39") is not None:
        base = spec.extract_transform(row, body, body.transform)
        body.transform = body.transform if base is None else base
    indices = np.sort(spec.extract_used_indices(body)[0])
    values = spec.extract_joint_values(row, body, indices)
    if len(indices) and values is not None:
        body.set_dof_values(values, indices, limits=LimitCheck.NONE)


def _hold(body: KinBody, rules: tuple[GrabRule, ...], row: Array) -> None:
    """Let a body hold what a waypoint says, and let go the rest of what it names."""
    env = body.env
    orders = [(rule, rule.wanted(env, float(row[rule.column]))) for rule in rules]
    for _, order in orders:
        held = None if order is None else env.bodies.get(order[0])
        if order is not None and not order[1] and held in body.grabbed:
            body.release(order[0])
    for rule, order in orders:
        if order is None or not order[1]:
            continue
        grabbed = env.bodies.get(order[0])
        if grabbed is None:
            raise StateError(f"the trajectory grabs {order[0]!r}, which is not there")
        link = rule.link_of(body)
        if body.grabs.link_of(grabbed) == link:
            continue
        if rule.T_link_body is not None:
            grabbed.transform = link.transform @ rule.T_link_body
        body.grab(grabbed, link)
