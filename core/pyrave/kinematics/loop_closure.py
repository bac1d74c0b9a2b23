"""Closed loops: passive joints that follow the others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave.jit.bundles import ArrayBundle
from pyrave.kinematics._motion_tree import tree_kernel
from pyrave.kinematics._structure import frozen
from pyrave.kinematics.kernels import expressions as tapes
from pyrave.kinematics.kernels import motion as k
from pyrave.kinematics.tree import step_frame

if TYPE_CHECKING:
    from pyrave.kinematics.model import Bools, Model
    from pyrave.spatial import Array, Indices

LOOP_TOLERANCE = 1e-6
"""Metres and radians by which a loop may stay open: what numbers of files leave."""
_SAME = 1e-12
_STEP, _MAX_STEPS = 0.2, 20_000
_NODE_COST = 0.05
"""Milliseconds that one node takes in the interpreter."""
_TRIES, _FOLD = 8, 0.5
_RANK = 1e-9
_SHARED = ("pose_rows", "n_poses", "link_index", "joint_index", "value_names")
_closing = KernelModule("pyrave.kinematics.kernels.loop_closure", whole=True)
_bends = tree_kernel("jacobians", "derivatives_batch", lambda out: out.size / 6)


@dataclass(frozen=True, eq=False, slots=True)
class LoopSystem:
    """Joints that close loops as pairs of ends which meet; threads may share it.

    Parameters
    ----------
    joints
        (m,) joints that close loops.
    tree, places
        The motions of a body, as in `pyrave.kinematics.kernels.motion.MotionTree`;
        behind them those of the closing joints, which hang on their first link.
    ends, sites
        (m, 2) nodes of both ends, and (m, 2, 12) where the ends are in them.
    moving
        (u,) values that move so that the ends meet, those of the joints included.
    own
        Those of the joints themselves.
    """

    joints: Indices
    tree: Indices
    places: Array
    ends: Indices
    sites: Array
    moving: Indices
    own: Indices


def loop_system(
    model: Model, joints: Indices, dof_indices: Indices | None = None
) -> LoopSystem:
    """Return the loops that some joints close.

    Parameters
    ----------
    joints
        Joints outside of the spanning tree; those along paths close nothing here.
    dof_indices
        Degrees of freedom that move, besides the passive joints.
    """
    tree = [tuple(row) for row in model.tree.tolist()]
    places = list(model.places)
    ends, sites = [], []
    own: list[int] = []
    for joint in joints.tolist():
        near, far = model.joint_links[joint].tolist()
        node, place = int(model.link_nodes[near]), _site(model, near, 0, joint)
        first, count = model.joint_values[joint].tolist()
        kind = model.joint_types[joint]
        steps = [] if kind == "fixed" else range(first, first + count)
        if kind == "spherical":
            tree.append((node, k.BALL, first))
            turn = np.eye(4)
            turn[:3, :3] = model.axis_directions[first : first + 3].T
            places.append(np.append(_flat(place @ turn), 1.0))
            node, place = len(tree) - 1, turn.T
            steps = []
        for value in steps:
            turn = step_frame(*model.axis_directions[value].tolist())
            tree.append((node, k.SLIDE if model.prismatic[value] else k.TURN, value))
            places.append(np.append(_flat(place @ turn), 1.0))
            node, place = len(tree) - 1, turn.T
        ends.append((node, int(model.link_nodes[far])))
        sites.append((_flat(place), _flat(_site(model, far, 1, joint))))
        if not (model.joint_static[joint] or model.mimic[first : first + count].any()):
            own += range(first, first + count)
    reached = np.zeros(model.n_values, dtype=bool)
    for members in _members(model, joints):
        reached |= members
    moving = model.passive_values & reached
    moving[own] = True
    if dof_indices is not None:
        moving[dof_indices] = True
    return LoopSystem(
        joints,
        np.array(tree, dtype=np.int64),
        np.array(places),
        np.array(ends, dtype=np.int64).reshape(-1, 2),
        np.array(sites).reshape(-1, 2, 12),
        np.flatnonzero(moving),
        np.array(own, dtype=np.int64),
    )


def loop_groups(model: Model) -> list[tuple[Bools, Bools]]:
    """Return the values that move by themselves, and those that move them, of loops.

    Both are (n_values,) masks: of passive joints, and of degrees of freedom. Loops that
    share what moves by itself are one group. Only loops count that are kept closed.
    """
    groups: list[tuple[Bools, Bools]] = []
    kept = np.flatnonzero(model.joint_closes_loop)
    free, active = model.passive_values, np.arange(model.n_values) < model.n_dof
    for members in _members(model, kept):
        found = members & free, members & active
        for other in [one for one in groups if (one[0] & found[0]).any()]:
            groups.remove(other)
            found = found[0] | other[0], found[1] | other[1]
        groups.append(found)
    return groups


def _members(model: Model, joints: Indices) -> list[Bools]:
    """Return the values (n_values,) that each loop depends on, through formulas too."""
    found = []
    above = model.joint_affects
    for joint in joints.tolist():
        near, far = model.joint_links[joint].tolist()
        mask = (above[:, near] != above[:, far])[model.value_joint]
        mask |= (model.value_joint == joint) & model.mimic
        for follower, leader, _ in model.partials[::-1].tolist():
            mask[leader] |= mask[follower]
        found.append(mask)
    return found


def _site(model: Model, link: int, side: int, joint: int) -> Array:
    """Return the pose of a joint in the node of one of its links."""
    pose = np.eye(4)
    pose[:3, :3] = model.link_places[link, :9].reshape(3, 3)
    pose[:3, 3] = model.link_places[link, 9:]
    found: Array = pose @ (model.T_child_joint if side else model.T_parent_joint)[joint]
    return found


def _flat(pose: Array) -> Array:
    return np.concatenate((pose[:3, :3].ravel(), pose[:3, 3]))


# -- closing ---------------------------------------------------------------------------


def close_loops(
    model: Model, system: LoopSystem, values: Array, start: Array | None = None
) -> tuple[Array, float]:
    """Return values at which loops are closed, and the largest gap that is left.

    The gap is the largest part of a translation, metres, or rotation vector, radians;
    above `LOOP_TOLERANCE` the loops do not close. It is infinite where the way from the
    start is longer than 4000 radians or metres: nobody could tell how the mechanism is
    assembled at its end.

    Parameters
    ----------
    values
        (n_values,) all joint axes. The moving ones are a first guess, the others stay.
    start
        (n_values,) where the loops are closed. The joints move from there in small
        steps, so that a mechanism keeps the way in which it is assembled.
    """
    arrays = _arrays(model, system)
    n_steps = 1 if start is None else _n_steps(model, system, start, values)
    if n_steps > _MAX_STEPS:
        return values.copy(), math.inf
    cost = 5 * n_steps * _NODE_COST * len(system.tree) * (1 + len(system.moving))
    kernels = _closing.auto(cost)
    shape = arrays, system.ends, system.sites, system.moving
    with np.errstate(all="ignore"):
        found = values.copy()
        if start is not None and n_steps:
            begin = _unwound(model, start, values)
            kernels.close(*shape[:3], system.own, begin)
            gap = float(kernels.follow(*shape, begin, found, n_steps, LOOP_TOLERANCE))
            if gap <= LOOP_TOLERANCE:
                return found, gap
            found = values.copy()
            found[system.moving] = start[system.moving]
        best, least = found, float(kernels.close(*shape, found))
        # stretched out, for example, a linkage cannot say which way to fold
        chance = np.random.default_rng(0)
        for _ in range(_TRIES if len(system.moving) else 0):
            if least <= LOOP_TOLERANCE:
                break
            found = values.copy()
            found[system.moving] += chance.uniform(-_FOLD, _FOLD, len(system.moving))
            gap = float(kernels.close(*shape, found))
            if gap < least or math.isnan(least):
                best, least = found, gap
        return best, least


def close_rows(model: Model, rows: Array) -> None:
    """Close the loops of a `tangent_model` in rows of values, from where it is.

    Parameters
    ----------
    rows
        (n, n_values); values that move are written to: NaN where loops do not close.
    """
    system = model.tangent_loops
    assert system is not None  # noqa: S101 - asked before
    for row in rows:
        found, gap = close_loops(model, system, row, model.rest_values)
        if gap <= LOOP_TOLERANCE:
            row[:] = found
        else:
            row[system.moving] = np.nan
            row[model.n_dof :][model.mimic[model.n_dof :]] = np.nan


def settled(model: Model, system: LoopSystem, values: Array) -> tuple[Array, float]:
    """Return values (n_values,) where only closing joints moved, and the largest gap.

    These have the values that leave the least gaps, metres or radians.
    """
    found = values.copy()
    kernels = _closing.auto(_NODE_COST * len(system.tree))
    shape = _arrays(model, system), system.ends, system.sites
    with np.errstate(all="ignore"):
        return found, float(kernels.close(*shape, system.own, found))


def _arrays(model: Model, system: LoopSystem) -> tuple[Any, ...]:
    body = model.motion_tree
    return system.tree, system.places, body.tape, body.constants, body.partials


def _n_steps(model: Model, system: LoopSystem, start: Array, values: Array) -> int:
    driven = np.ones(model.n_values, dtype=bool)
    driven[system.moving] = False
    driven &= ~model.mimic
    way = np.abs(values - _unwound(model, start, values))[driven].max(initial=0.0)
    return math.ceil(min(float(way) / _STEP, _MAX_STEPS + 1.0))


def _unwound(model: Model, start: Array, values: Array) -> Array:
    """Return the start at those turns of circular joints that are near the values."""
    begin = start.copy()
    period = model.circular_periods
    turns = np.isfinite(period)
    n = model.n_dof
    change = values[:n] - begin[:n]
    begin[:n][turns] += period[turns] * np.round(change[turns] / period[turns])
    return begin


# -- derivatives -----------------------------------------------------------------------


def tangent_model(model: Model, values: Array) -> Model:
    """Return a model whose passive joints follow to the second order what moves them.

    At the given values its derivatives are those of the mechanism with closed loops:
    the implicit function theorem says how passive joints move along (Lynch & Park,
    Modern Robotics, 7.2). In singular configurations they move as little as they can.

    Parameters
    ----------
    values
        (n_values,) all joint axes; loops are closed.
    """
    system = model.kept_loops
    assert system is not None  # noqa: S101 - asked before
    moving, n = system.moving, model.n_dof
    moving = moving[moving >= n]
    movers, slopes, curves = _derivatives(model, system, values, moving)
    begin = len(model.tape)
    numbers = np.concatenate((slopes.ravel(), curves.ravel()))
    count = len(numbers)
    firsts = _table(begin, moving, movers)
    bends = _table(begin + slopes.size, moving, movers, movers)
    tape = np.zeros((begin + count, 4), dtype=np.int64)
    tape[:begin] = model.tape
    tape[begin:, 0] = tapes.OP_CONST
    if len(model.tape_constants) > begin:
        tables = np.isin(model.tape[:, 0], (tapes.OP_TABLE, tapes.OP_TABLE_SLOPE))
        tape[:begin, 2][tables] += count
    known = model.tape_constants
    constants = np.concatenate((known[:begin], numbers, known[begin:]))
    mimic = model.mimic.copy()
    mimic[moving] = True
    rest = model.rest_values.copy()
    rest[:] = values
    # in the order of evaluation: what follows passive joints comes behind them
    firsts = np.concatenate((firsts, model.partials))
    bends = np.concatenate((bends, model.second_partials))
    result = replace(
        model,
        rest_values=frozen(rest),
        mimic=frozen(mimic),
        tape=frozen(tape),
        tape_constants=frozen(constants),
        partials=frozen(firsts),
        second_partials=frozen(bends),
    )
    # what does not change takes longer to make than all the rest
    state = vars(result)
    state.update({name: getattr(model, name) for name in _SHARED})
    state["tangent_loops"] = system
    axes = model.motion_tree.axes.copy()
    axes[:, k.REST] = values
    state["motion_tree"] = model.motion_tree._replace(
        axes=axes,
        tape=tape.copy(),
        constants=constants.copy(),
        partials=firsts.copy(),
        seconds=bends.copy(),
    )
    return result


def _table(begin: int, *parts: Indices) -> Indices:
    """Return all combinations in rows, each with the next register behind it."""
    grids = np.meshgrid(*parts, indexing="ij")
    columns = [grid.ravel() for grid in grids]
    registers = begin + np.arange(columns[0].size)
    return np.array([*columns, registers], dtype=np.int64).T


def _derivatives(
    model: Model, system: LoopSystem, values: Array, moving: Indices
) -> tuple[Indices, Array, Array]:
    """Return the k degrees of freedom that move loops, and derivatives by them.

    First (u, k) and second (u, k, k) ones of the values that move.
    """
    n, n_values = model.n_dof, model.n_values
    rows = np.empty((len(system.joints), 6, n_values))
    bends = np.empty((len(system.joints), n_values, 6, n_values))
    body = model.motion_tree._replace(tree=system.tree, places=system.places)
    table, row = ArrayBundle(body).table, np.array(values)
    first = np.empty((1, 6, n_values))
    second = np.empty((1, n_values, 6, n_values))
    for loop, (near, far) in enumerate(system.ends.tolist()):
        for node, side, sign in ((near, 0, -1.0), (far, 1, 1.0)):
            site = system.sites[loop, side, 9:].copy()
            _bends.call(table, node, site, row, first, second)
            part = sign * first[0], sign * second[0]
            rows[loop] = part[0] if side == 0 else rows[loop] + part[0]
            bends[loop] = part[1] if side == 0 else bends[loop] + part[1]
    drives = np.zeros(n, dtype=bool)
    for _, group in model.loop_groups:
        drives |= group[:n]
    movers = np.flatnonzero(drives)
    count = len(movers)
    matrix = rows.reshape(-1, n_values)
    inverse = np.linalg.pinv(matrix[:, moving], rcond=_RANK)
    slopes = -inverse @ matrix[:, movers]
    along = np.zeros((n_values, count))
    along[movers] = np.eye(count)
    along[moving] = slopes
    half = (bends @ along).reshape(len(rows), n_values, -1)
    bent = (along.T @ half).reshape(len(rows), count, 6, count)
    bend = bent.transpose(0, 2, 1, 3).reshape(-1, count * count)
    curves = -(inverse @ bend).reshape(-1, count, count)
    return movers, slopes, 0.5 * (curves + curves.transpose(0, 2, 1))


def not_closed(
    model: Model, system: LoopSystem, gap: float, name: str
) -> ArgumentError:
    """Return the error about loops that do not close."""
    joints = ", ".join(repr(model.joint_names[i]) for i in system.joints.tolist())
    others = np.setdiff1d(system.moving, system.own)
    numbers = dict.fromkeys(model.value_joint[others].tolist())
    moving = ", ".join(repr(model.joint_names[i]) for i in numbers)
    if gap == math.inf:
        return ArgumentError(
            f"joints of {name!r} go further at once than loops (closed by {joints}) "
            f"are followed, {_MAX_STEPS * _STEP:g} rad or m; go there in several steps"
        )
    what = f"by moving {moving}" if moving else "by themselves"
    return ArgumentError(
        f"the loops of {name!r} (closed by {joints}) do not close {what}: "
        f"{gap:.3g} m or rad are left, {LOOP_TOLERANCE:g} are allowed; nothing moved"
    )
