"""Compile a body's description to a `Model`."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Problem, SceneError, Severity, did_you_mean
from pyrave.kinematics.joint_types import (
    PathColumn,
    joint_faults,
    path_columns,
)
from pyrave.kinematics.mimic import PathProgram, check_start, compile_mimic, located
from pyrave.kinematics.model import Model
from pyrave.kinematics.tree import Tree, TreeJoints
from pyrave.scene import JointAxis, Motor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.kinematics.mimic import MimicProgram
    from pyrave.scene import (
        BodyDescription,
        Inertial,
        JointDescription,
        LinkDescription,
        Pose,
    )

_TABLE = (
    "value_lower",
    "value_upper",
    "rest_values",
    "wrap_offsets",
    "velocity_limits",
    "acceleration_limits",
    "jerk_limits",
    "torque_limits",
    "inertia_limits",
    "hard_velocity_limits",
    "hard_acceleration_limits",
    "hard_jerk_limits",
    "weights",
    "resolutions",
    "rotor_inertias",
    "coulomb_frictions",
    "viscous_frictions",
    "spring_stiffnesses",
    "spring_rests",
)
_MAX_PROBLEMS = 1000
_PATH_AXIS = JointAxis((1.0, 0.0, 0.0), prismatic=True, lower=-math.inf, upper=math.inf)


def compile_body(description: BodyDescription) -> Model:
    """Return the compiled, immutable model of a body or robot.

    Raises
    ------
    SceneError
        Lists every problem: no link, duplicate names, unknown links of joints, axes
        without direction, formulas that cannot be read, follow each other or have no
        finite value in the configuration where the body starts.
    """
    if len(description.links) == 1 and not description.joints:
        (link,) = description.links
        return _single_link(
            link.name,
            link.inertial,
            bool(link.geometries),
            link.static,
            link.dynamics.gravity,
            description.joined_links_adjacent,
        )
    problems: list[Problem] = []
    _check_names(description, problems)
    if problems:
        raise SceneError(problems)
    arrays = _Builder(description, problems).build()
    if problems:
        raise SceneError(problems)
    for value in arrays.values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    return _model_of(arrays)


def adjacent_pairs(body: BodyDescription, index: Mapping[str, int]) -> np.ndarray:
    """Return the pairs of links (k, 2) that a checked body declares adjacent.

    Parameters
    ----------
    index
        Index of each link by name.
    """
    ends = map(index.__getitem__, chain.from_iterable(body.adjacent))
    pairs = np.sort(np.fromiter(ends, dtype=np.int64).reshape(-1, 2), axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    numbers = np.sort(pairs[:, 0] * len(index) + pairs[:, 1])
    # `np.unique` imports masked arrays
    numbers = numbers[np.diff(numbers, prepend=-1) > 0]
    return np.stack(np.divmod(numbers, max(len(index), 1)), axis=1)


def _model_of(arrays: dict[str, Any]) -> Model:
    """Return the model of read-only arrays; faster than its constructor."""
    model = object.__new__(Model)
    vars(model).update(arrays)
    return model


def _link_arrays(links: tuple[LinkDescription, ...]) -> dict[str, Any]:
    n = len(links)
    return {
        "link_names": tuple(link.name for link in links),
        "masses": np.array([link.inertial.mass for link in links]),
        "coms": np.array([link.inertial.com for link in links]),
        "inertias": np.array([link.inertial.inertia for link in links]).reshape(
            n, 3, 3
        ),
        "has_geometry": np.array([bool(link.geometries) for link in links]),
        "link_static": np.array([link.static for link in links], dtype=np.bool_),
        "link_weighs": np.array(
            [link.dynamics.gravity for link in links], dtype=np.bool_
        ),
    }


def _empty(*shape: int, dtype: type = np.int64) -> Any:
    array: Any = np.zeros(shape, dtype=dtype)
    array.flags.writeable = False
    return array


_NO_JOINTS: dict[str, Any] = {
    "joint_names": (),
    "joint_types": (),
    "joint_links": _empty(0, 2),
    "joint_hierarchy": _empty(0, 2),
    "joint_active": _empty(0, dtype=np.bool_),
    "joint_static": _empty(0, dtype=np.bool_),
    "joint_closes_loop": _empty(0, dtype=np.bool_),
    "joint_values": _empty(0, 2),
    "T_parent_joint": _empty(0, 4, 4, dtype=np.float64),
    "T_child_joint": _empty(0, 4, 4, dtype=np.float64),
    "joint_order": _empty(0),
    "n_dof": 0,
    "value_joint": _empty(0),
    "value_axis": _empty(0),
    "axis_directions": _empty(0, 3, dtype=np.float64),
    "prismatic": _empty(0, dtype=np.bool_),
    "circular": _empty(0, dtype=np.bool_),
    "mimic": _empty(0, dtype=np.bool_),
    **dict.fromkeys(_TABLE, _empty(0, dtype=np.float64)),
    "given_adjacent": _empty(0, 2),
    "tape": _empty(0, 4),
    "tape_constants": _empty(0, dtype=np.float64),
    "n_position_instructions": 0,
    "partials": _empty(0, 3),
    "second_partials": _empty(0, 4),
    # every body asks for them
    "closing_joints": _empty(0),
}
_ONE_ROOT = np.array([-1], dtype=np.int64)
_ONE_ROOT.flags.writeable = False
_ONE_NODE = np.array([[-1, 0, -1]], dtype=np.int64)
_ONE_NODE.flags.writeable = False
_ONE_PLACE = np.zeros((1, 13))
_ONE_PLACE[0, [0, 4, 8, 12]] = 1.0
_ONE_PLACE.flags.writeable = False
_FLAG = {True: np.array([True]), False: np.array([False])}
for _array in _FLAG.values():
    _array.flags.writeable = False
_SINGLE: dict[str, Any] = {
    **_NO_JOINTS,
    "parent_link": _ONE_ROOT,
    "parent_joint": _ONE_ROOT,
    "link_order": _empty(1),
    "tree": _ONE_NODE,
    "places": _ONE_PLACE,
    "link_nodes": _empty(1),
    "link_places": _ONE_PLACE[:, :12],
}


@lru_cache(maxsize=256)
def _single_link(name: str, *kind: Any) -> Model:
    """Return the model of a lone link; scenes have thousands, and many are equal."""
    return _model_of(_single_arrays(*kind) | {"link_names": (name,)})


@lru_cache(maxsize=256)
def _single_arrays(
    inertial: Inertial,
    has_geometry: bool,
    static: bool,
    weighs: bool,
    joined_links_adjacent: bool,
) -> dict[str, Any]:
    """Return the common arrays of lone links' models that differ in their names."""
    numbers = np.array((inertial.mass, *inertial.com, *inertial.inertia), np.float64)
    numbers.flags.writeable = False
    return _SINGLE | {
        "masses": numbers[:1],
        "coms": numbers[1:4].reshape(1, 3),
        "inertias": numbers[4:].reshape(1, 3, 3),
        "has_geometry": _FLAG[has_geometry],
        "link_static": _FLAG[static],
        "link_weighs": _FLAG[weighs],
        "joined_links_adjacent": joined_links_adjacent,
    }


def _check_names(description: BodyDescription, problems: list[Problem]) -> None:
    """Report what has no meaning before any array can be built."""
    body = description.name
    names = [link.name for link in description.links]

    def report(
        item: Any, message: str, code: str, hint: str | None = None, like: str = ""
    ) -> None:
        if len(problems) >= _MAX_PROBLEMS:
            return
        if like:
            hint = did_you_mean(like, names).removeprefix(", ") or None
        problem = Problem(Severity.ERROR, message, hint=hint, code=code)
        problems.append(located(problem, item.location or description.location))

    if not description.links:
        report(description, f"body {body!r} has no link", "no-link")
    named: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("link", description.links),
        ("joint", description.joints),
    )
    for kind, items in named:
        counts = Counter([item.name for item in items])
        if len(counts) == len(items):
            continue
        reported: set[str] = set()
        for item in reversed(items):
            # real files leave links unnamed; nothing can refer to those
            if item.name and counts[item.name] > 1 and item.name not in reported:
                reported.add(item.name)
                times = counts[item.name]
                report(
                    item,
                    f"body {body!r} has {times} {kind}s named {item.name!r}",
                    "duplicate-name",
                )
    known = set(names)
    for joint in description.joints:
        what = f"joint {joint.name!r}"
        for end in (joint.parent, joint.child):
            if end not in known:
                text = f"{what} is attached to the unknown link {end!r}"
                report(joint, text, "unknown-link", like=end)
        if joint.parent == joint.child:
            text = f"{what} connects link {joint.parent!r} with itself"
            report(joint, text, "bad-joint")
        for i, axis in enumerate(joint.axes):
            length = math.hypot(*axis.direction)
            if not (0.0 < length < math.inf):
                text = f"axis {i} of {what} is {axis.direction}, it has no direction"
                report(joint, text, "zero-axis", "give an axis other than 0 0 0")
        for text in joint_faults(joint):
            report(joint, text, "bad-joint")
    frames = Counter(frame.name for frame in description.frames)
    for frame in description.frames:
        if frame.link and frame.link not in known:
            text = f"frame {frame.name!r} is fixed to the unknown link {frame.link!r}"
            report(frame, text, "unknown-link", like=frame.link)
        if frames.pop(frame.name, 1) > 1:
            text = f"body {body!r} has several frames named {frame.name!r}"
            report(frame, text, "duplicate-name")
    adjacent = description.adjacent
    if known.issuperset(chain.from_iterable(adjacent)):
        return
    for pair in sorted([one for one in adjacent if not known.issuperset(one)]):
        for end in pair:
            if end not in known:
                text = f"body {body!r} declares the unknown link {end!r} adjacent"
                report(description, text, "unknown-link", like=end)


class _Builder:
    """Collects the arrays of one body."""

    def __init__(self, description: BodyDescription, problems: list[Problem]) -> None:
        self.body = description
        self.problems = problems
        self.joints = description.joints
        index = {link.name: i for i, link in enumerate(description.links)}
        self.index = index
        self.ends = [(index[j.parent], index[j.child]) for j in self.joints]
        self.T_parent = _matrices([joint.T_parent_joint for joint in self.joints])
        self.T_child = _matrices([joint.T_child_joint for joint in self.joints])
        self.path_columns: dict[int, tuple[int, list[PathColumn]]] = {}

    def build(self) -> dict[str, Any]:
        """Return all fields of the model."""
        arrays = _link_arrays(self.body.links)
        arrays.update(self._values())
        arrays.update(self._tree())
        self._check_loops(arrays["parent_link"], arrays["link_order"])
        arrays["given_adjacent"] = adjacent_pairs(self.body, self.index)
        arrays["joined_links_adjacent"] = self.body.joined_links_adjacent
        return arrays

    def _values(self) -> dict[str, Any]:
        """Give numbers to the axes, degrees of freedom first, and tabulate them.

        Last come the values that the paths of trajectory joints consist of.
        """
        active = [
            joint.active
            and bool(joint.axes)
            and not any(axis.mimic is not None for axis in joint.axes)
            for joint in self.joints
        ]
        numbered = [j for j, a in enumerate(active) if a]
        n_dof = sum(len(self.joints[j].axes) for j in numbered)
        numbered += [j for j, a in enumerate(active) if not a]
        first = [0] * len(self.joints)
        rows: list[tuple[int, int, JointAxis]] = []
        value_of: dict[tuple[int, int], int] = {}
        for j in numbered:
            first[j] = len(rows)
            for i, axis in enumerate(self.joints[j].axes):
                value_of[j, i] = len(rows)
                rows.append((j, i, axis))
        self.value_of = value_of
        n_axes = len(rows)
        paths = self._paths(rows)
        program = compile_mimic(self.joints, value_of, paths, self.problems)
        self.mimic_rank = {value: rank for rank, value in enumerate(program.order)}
        axes = [axis for _, _, axis in rows]
        directions = np.array([a.direction for a in axes], dtype=np.float64)
        directions = directions.reshape(-1, 3)
        directions /= np.sqrt((directions**2).sum(axis=1))[:, None]
        self.directions = directions
        table = [
            (
                axis.lower,
                axis.upper,
                0.0 if axis.mimic is not None else axis.initial,
                0.0
                if self.joints[j].type == "spherical"
                else _wrap_offset(
                    axis.prismatic, axis.circular, axis.lower, axis.upper
                ),
                axis.velocity_limit,
                axis.acceleration_limit,
                axis.jerk_limit,
                axis.torque_limit,
                axis.inertia_limit,
                axis.hard_velocity_limit,
                axis.hard_acceleration_limit,
                axis.hard_jerk_limit,
                axis.weight,
                axis.resolution,
                *_losses(self.joints[j], axis),
                axis.stiffness,
                axis.rest,
            )
            for j, _, axis in rows
        ]
        columns = np.array(table, dtype=np.float64).reshape(-1, len(_TABLE)).T.copy()
        self._check_mimic(program, columns[_TABLE.index("rest_values")], n_dof)
        columns.flags.writeable = False
        counts = [len(joint.axes) for joint in self.joints]
        static = [_is_static(joint) for joint in self.joints]
        closing = [joint.closes_loop for joint in self.joints]
        follow = [axis.mimic is not None for axis in axes[:n_axes]]
        follow += [True] * (len(axes) - n_axes)
        of_joints = np.array((active, static, closing), dtype=np.bool_)
        of_axes = np.array(
            ([a.prismatic for a in axes], [a.circular for a in axes], follow), np.bool_
        )
        places = np.array([(j, i) for j, i, _ in rows], np.int64).reshape(-1, 2)
        return {
            "joint_names": tuple(joint.name for joint in self.joints),
            "joint_types": tuple(joint.type for joint in self.joints),
            "joint_links": np.array(self.ends, dtype=np.int64).reshape(-1, 2),
            "joint_active": of_joints[0],
            "joint_static": of_joints[1],
            "joint_closes_loop": of_joints[2],
            "joint_values": np.array([first, counts], dtype=np.int64).T.copy(),
            "T_parent_joint": self.T_parent,
            "T_child_joint": self.T_child,
            "n_dof": n_dof,
            "value_joint": places[:, 0].copy(),
            "value_axis": places[:, 1].copy(),
            "axis_directions": directions,
            "prismatic": of_axes[0],
            "circular": of_axes[1],
            "mimic": of_axes[2],
            **dict(zip(_TABLE, columns, strict=True)),
            "tape": program.tape,
            "tape_constants": program.constants,
            "n_position_instructions": program.n_position,
            "partials": program.partials,
            "second_partials": program.second_partials,
        }

    def _tree(self) -> dict[str, Any]:
        joints = TreeJoints(
            self.joints,
            self.ends,
            self.T_parent,
            self.T_child,
            self.value_of,
            self.directions,
            self.path_columns,
            self.mimic_rank,
        )
        return Tree([link.pose for link in self.body.links], joints).arrays()

    def _check_loops(self, parents: np.ndarray, order: np.ndarray) -> None:
        """Report joints that close loops of links which no others connect."""
        if not any(joint.closes_loop for joint in self.joints):
            return
        roots = list(range(len(parents)))
        for link in order.tolist():
            if parents[link] >= 0:
                roots[link] = roots[parents[link]]
        for joint, (near, far) in zip(self.joints, self.ends, strict=True):
            if joint.closes_loop and roots[near] != roots[far]:
                text = (
                    f"joint {joint.name!r} closes a loop, and no other joints connect "
                    f"{joint.parent!r} to {joint.child!r}"
                )
                problem = Problem(Severity.ERROR, text, code="bad-joint")
                where = joint.location or self.body.location
                self.problems.append(located(problem, where))

    def _paths(self, rows: list[tuple[int, int, JointAxis]]) -> list[PathProgram]:
        """Append the values of all paths to `rows`, and say what they follow."""
        paths = []
        for j, joint in enumerate(self.joints):
            if joint.path is None:
                continue
            columns = path_columns(joint.path)
            first = len(rows)
            rows.extend(
                (j, 1 + i, replace(_PATH_AXIS, direction=tuple(c.axis.tolist())))
                for i, c in enumerate(columns)
            )
            self.path_columns[j] = (first, columns)
            circular = joint.axes[0].circular
            time = self.value_of[j, 0]
            paths.append(PathProgram(time, first, joint.path, columns, circular))
        return paths

    def _check_mimic(self, program: MimicProgram, rest: np.ndarray, n_dof: int) -> None:
        start = rest.copy()
        given = self.body.dof_values
        if given is not None and len(given) == n_dof:
            start[:n_dof] = given
        check_start(program, self.joints, self.value_of, start, self.problems)


def _losses(joint: JointDescription, axis: JointAxis) -> tuple[float, float, float]:
    """Return inertia of the motor, and dry and viscous friction of it and the joint.

    Joints of several axes have no motor.
    """
    if joint.actuator is None or len(joint.axes) != 1:
        return 0.0, axis.friction, axis.damping
    motor = Motor.from_actuator(joint.actuator)
    return (
        motor.rotor_inertia,
        motor.coulomb_friction + axis.friction,
        motor.viscous_friction + axis.damping,
    )


def _matrices(poses: list[Pose]) -> np.ndarray:
    """Return poses as (n, 4, 4)."""
    result = np.zeros((len(poses), 4, 4))
    if poses:
        rotations = np.array([pose.rotation for pose in poses])
        result[:, :3, :3] = rotations.reshape(-1, 3, 3)
        result[:, :3, 3] = [pose.translation for pose in poses]
    result[:, 3, 3] = 1.0
    return result


def _is_static(joint: JointDescription) -> bool:
    return all(axis.lower >= axis.upper and not axis.circular for axis in joint.axes)


def _wrap_offset(prismatic: bool, circular: bool, lower: float, upper: float) -> float:
    """Return the centre of the limits where they leave -pi to pi."""
    if prismatic or circular or (lower >= -math.pi and upper <= math.pi):
        return 0.0
    middle = 0.5 * (lower + upper)
    return middle if math.isfinite(middle) else 0.0
