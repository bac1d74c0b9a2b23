"""The compiled form of a body: flat arrays that all of its clones share."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave.cards import counted
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.jit.bundles import ArrayBundle
from pyrave.kinematics import _pose_rows as pose_rows
from pyrave.kinematics import _structure as structure
from pyrave.kinematics import loop_closure as closing
from pyrave.kinematics import periods
from pyrave.kinematics._motion_tree import motion_tree
from pyrave.kinematics.followers import (
    LinearFollowers,
    follower_rows,
    linear_followers,
)
from pyrave.kinematics.kernels.motion import MotionTree
from pyrave.spatial import IndicesLike, as_indices

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, slots=True)
class Chain:
    """The way between two links. The arrays are read-only.

    Parameters
    ----------
    links
        (n,) int64, links from the first to the last, both included.
    joints
        (n - 1,) int64, joints along the way.
    dof_indices
        (k,) int64, degrees of freedom that move the way, in its order; a mimic joint
        stands for the ones that it follows. Each occurs once.
    """

    links: Ints
    joints: Ints
    dof_indices: Ints


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """Immutable arrays of one body; threads and clones may share it.

    Every joint axis has a *value*. Values 0 to `n_dof` - 1 are the degrees of freedom
    (the axes of active joints that follow no other, in order of appearance); behind
    them are the axes of passive and of mimic joints, and last the parts of the motions
    of trajectory joints, which follow their time. All arrays are read-only.
    Indices are int64 and -1 means none. Lengths are metres, angles radians.

    Parameters
    ----------
    link_names, joint_names
        In the order of the description; joints include passive ones.
    joint_types
        One per joint, see `pyrave.scene.JointDescription`.
    joint_links
        (n_joints, 2): parent and child link as described.
    joint_hierarchy
        (n_joints, 2): parent and child link in the spanning tree from link 0; they are
        swapped where the tree enters through the child. -1 for a joint that closes
        a loop: it is kept but moves nothing.
    joint_active
        (n_joints,) bool: has degrees of freedom.
    joint_static
        (n_joints,) bool: no axis can move (no axis, or lower >= upper on all).
    joint_closes_loop
        (n_joints,) bool: passive joints move so that it holds.
    joint_values
        (n_joints, 2): index of the first value, and how many.
    T_parent_joint, T_child_joint
        (n_joints, 4, 4): joint frame in its parent and child link as described.
    joint_order
        All joints of the tree, parents and followed joints first, then closing ones.
    parent_link, parent_joint
        (n_links,): next link and joint towards link 0; -1 at roots.
    link_order
        (n_links,): links so that parents come first.
    value_joint, value_axis
        (n_values,): joint of each value, and which of its axes.
    axis_directions
        (n_values, 3): unit axis in the joint frame.
    prismatic, circular, mimic
        (n_values,) bool. `mimic`: follows others by a formula.
    value_lower, value_upper
        (n_values,): limits as described.
    rest_values
        (n_values,): values in the configuration that the description shows.
    wrap_offsets
        (n_values,): centre of the 2 pi wide range in which a turning axis reports.
    velocity_limits, acceleration_limits, jerk_limits, torque_limits,
    inertia_limits, hard_velocity_limits, hard_acceleration_limits, hard_jerk_limits,
    weights, resolutions, rotor_inertias, coulomb_frictions, viscous_frictions
        (n_values,). The last three are of joints and their motors.
    spring_stiffnesses, spring_rests
        (n_values,) N m/rad or N/m, and values at which springs are slack.
    masses, coms, inertias
        (n_links,) kg; (n_links, 3) in link axes; (n_links, 3, 3) kg m2 about the
        centre of mass in link axes.
    has_geometry, link_static, link_weighs
        (n_links,) bool.
    given_adjacent
        (k, 2): pairs of links that the description declares adjacent, lower first.
    joined_links_adjacent
        Whether links joined by a joint count as adjacent.
    tree, places, link_nodes, link_places
        The motions, see `pyrave.kinematics.kernels.motion.MotionTree`.
    tape, tape_constants
        Instructions (k, 4) and constants (k,) that compute mimic values and partials.
    n_position_instructions
        How many of them compute values.
    partials
        (k, 3): value, value it follows, register of the partial derivative.
    second_partials
        (k, 4): value, two values it follows, register of the second derivative.
    """

    link_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    joint_types: tuple[str, ...]
    joint_links: Ints
    joint_hierarchy: Ints
    joint_active: Bools
    joint_static: Bools
    joint_closes_loop: Bools
    joint_values: Ints
    T_parent_joint: Floats
    T_child_joint: Floats
    joint_order: Ints
    parent_link: Ints
    parent_joint: Ints
    link_order: Ints
    n_dof: int
    value_joint: Ints
    value_axis: Ints
    axis_directions: Floats
    prismatic: Bools
    circular: Bools
    mimic: Bools
    value_lower: Floats
    value_upper: Floats
    rest_values: Floats
    wrap_offsets: Floats
    velocity_limits: Floats
    acceleration_limits: Floats
    jerk_limits: Floats
    torque_limits: Floats
    inertia_limits: Floats
    hard_velocity_limits: Floats
    hard_acceleration_limits: Floats
    hard_jerk_limits: Floats
    weights: Floats
    resolutions: Floats
    rotor_inertias: Floats
    coulomb_frictions: Floats
    viscous_frictions: Floats
    spring_stiffnesses: Floats
    spring_rests: Floats
    masses: Floats
    coms: Floats
    inertias: Floats
    has_geometry: Bools
    link_static: Bools
    link_weighs: Bools
    given_adjacent: Ints
    joined_links_adjacent: bool
    tree: Ints
    places: Floats
    link_nodes: Ints
    link_places: Floats
    tape: Ints
    tape_constants: Floats
    n_position_instructions: int
    partials: Ints
    second_partials: Ints

    def __repr__(self) -> str:
        return (
            f"Model({counted(self.n_links, 'link')}, "
            f"{counted(self.n_joints, 'joint')}, {self.n_dof} dof)"
        )

    def __getstate__(self) -> dict[str, Any]:
        state = vars(self)
        return {field.name: state[field.name] for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # pickle loses the read-only flag of arrays
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        vars(self).update(state)

    @property
    def n_links(self) -> int:
        """Number of links."""
        return len(self.link_names)

    @property
    def n_joints(self) -> int:
        """Number of joints, passive ones included."""
        return len(self.joint_names)

    @cached_property
    def n_values(self) -> int:
        """Number of joint axes, those of passive joints included."""
        return len(self.value_joint)

    @cached_property
    def has_mimic(self) -> bool:
        """True if any axis follows others."""
        return bool(self.mimic.any())

    @cached_property
    def has_friction(self) -> bool:
        """True if any degree of freedom, or its motor, has friction."""
        n = self.n_dof
        return bool(
            self.coulomb_frictions[:n].any() or self.viscous_frictions[:n].any()
        )

    @cached_property
    def link_index(self) -> dict[str, int]:
        """Index of each link by name."""
        return {name: i for i, name in enumerate(self.link_names)}

    @cached_property
    def joint_index(self) -> dict[str, int]:
        """Index of each joint by name."""
        return {name: i for i, name in enumerate(self.joint_names)}

    def link_number(self, link: int | str) -> int:
        """Return the index of a link given by name or index.

        Raises
        ------
        NotFoundError
            No link has that name.
        ArgumentError
            The index is out of range.
        """
        return _number("link", link, self.link_index, self.link_names)

    def joint_number(self, joint: int | str) -> int:
        """Return the index of a joint given by name or index; raises like above."""
        return _number("joint", joint, self.joint_index, self.joint_names)

    @cached_property
    def dof_lower(self) -> Floats:
        """(n_dof,) lower limits; -10000 for circular axes, as OpenRAVE has it."""
        return structure.frozen(
            np.where(self.circular, -10000.0, self.value_lower)[: self.n_dof]
        )

    @cached_property
    def dof_upper(self) -> Floats:
        """(n_dof,) upper limits; 10000 for circular axes."""
        return structure.frozen(
            np.where(self.circular, 10000.0, self.value_upper)[: self.n_dof]
        )

    @cached_property
    def circular_periods(self) -> Floats:
        """(n_dof,) least change of a circular value that leaves all poses as they are.

        One turn, or more where others follow at another rate. Infinity for values that
        are not circular, and for circular ones whose followers are never back together.
        """
        return structure.frozen(periods.circular_periods(self))

    @cached_property
    def wrap_ranges(self) -> Floats:
        """(2, n_dof) lower and upper ends of the range in which a value reports.

        It is one period wide. Infinite for values that are not wrapped.
        """
        n = self.n_dof
        low, high = self.value_lower[:n], self.value_upper[:n]
        period = self.circular_periods
        wrapped = np.isfinite(period) & (high > low)
        ends = np.full((2, n), np.inf)
        ends[0] = -np.inf
        if not wrapped.any():
            return structure.frozen(ends)
        low, high, period = low[wrapped], high[wrapped], period[wrapped]
        bounded = np.isfinite(low) & np.isfinite(high)
        low = np.where(bounded, low, -0.5 * period)
        high = np.where(bounded, high, 0.5 * period)
        middle = 0.5 * (low + high)
        # the range that the file gave, to the last bit, if it is one period
        given = np.abs(high - low - period) < 1e-9 * period
        ends[0, wrapped] = np.where(given, low, middle - 0.5 * period)
        ends[1, wrapped] = np.where(given, high, middle + 0.5 * period)
        return structure.frozen(ends)

    @cached_property
    def value_names(self) -> tuple[str, ...]:
        """Name of each joint axis: its joint's, ``name_1`` for a second axis."""
        pairs = zip(self.value_joint.tolist(), self.value_axis.tolist(), strict=True)
        return tuple(self.joint_names[j] + (f"_{a}" if a else "") for j, a in pairs)

    @cached_property
    def passive_values(self) -> Bools:
        """(n_values,) bool: axes of passive joints that can move on their own.

        Those of static joints cannot, nor those that follow others or close loops.
        """
        joint = self.value_joint
        still = self.joint_static[joint] | (self.joint_hierarchy[joint, 0] < 0)
        return structure.frozen(~self.joint_active[joint] & ~self.mimic & ~still)

    @cached_property
    def closed_loops(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Loops of the joint graph: pairs of a link and the joint to the next link."""
        loops = []
        for joint in self.closing_joints.tolist():
            first, last = self.joint_links[joint].tolist()
            try:
                chain = self.chain(first, last)
            except ArgumentError:
                continue  # it closes nothing: its links hang on different roots
            joints = (*chain.joints.tolist(), joint)
            loops.append(tuple(zip(chain.links.tolist(), joints, strict=True)))
        return tuple(loops)

    @cached_property
    def active_joints(self) -> Ints:
        """Joints with degrees of freedom, in their order."""
        return structure.frozen(np.flatnonzero(self.joint_active))

    @cached_property
    def passive_joints(self) -> Ints:
        """Joints without degrees of freedom: passive, mimic and fixed ones."""
        return structure.frozen(np.flatnonzero(~self.joint_active))

    @cached_property
    def joint_dof_index(self) -> Ints:
        """(n_joints,) first degree of freedom of each joint, -1 if it has none."""
        return structure.frozen(
            np.where(self.joint_active, self.joint_values[:, 0], -1)
        )

    @cached_property
    def closing_joints(self) -> Ints:
        """Joints that close loops: outside of the spanning tree."""
        return structure.frozen(np.flatnonzero(self.joint_hierarchy[:, 0] < 0))

    @cached_property
    def kept_loops(self) -> closing.LoopSystem | None:
        """The loops that passive joints keep closed, None without any."""
        joints = np.flatnonzero(self.joint_closes_loop)
        return closing.loop_system(self, joints) if joints.size else None

    @cached_property
    def tangent_loops(self) -> closing.LoopSystem | None:
        """Loops that are closed at any joint values, see `closing.tangent_model`."""
        return None

    @cached_property
    def loop_groups(self) -> list[tuple[Bools, Bools]]:
        """Closed loops as pairs of masks: values that move by themselves, movers."""
        return closing.loop_groups(self) if self.joint_closes_loop.any() else []

    @cached_property
    def follows(self) -> Bools:
        """(n_values, n_dof) bool: the value moves with the degree of freedom.

        By formulas, or because it keeps loops closed.
        """
        return structure.follows(self)

    @cached_property
    def dof_affects(self) -> Bools:
        """(n_dof, n_links) bool: it moves the link, also through mimic joints."""
        return structure.dof_affects(self)

    @cached_property
    def joint_affects(self) -> Bools:
        """(n_joints, n_links) bool: the joint is between the link and its root."""
        return structure.joint_affects(self)

    def moves_apart(self, pairs: Ints, dof_indices: Ints) -> Bools:
        """Return the pairs (k, 2) of links that degrees of freedom move relatively.

        The links of all others keep their places relative to each other.
        """
        moving = self.follows[:, dof_indices].any(axis=1)
        # joints of several axes are there several times, which does no harm
        above = self.joint_affects[self.value_joint[moving]]
        differ = above[:, pairs[:, 0]] != above[:, pairs[:, 1]]
        return np.asarray(differ.any(axis=0))

    def dof_numbers(self, dof_indices: IndicesLike, body: str = "") -> Ints:
        """Return indices of degrees of freedom, all of which exist.

        Parameters
        ----------
        body
            Name of the body, for the text of errors.

        Raises
        ------
        ArgumentError
            Not integers, or out of range.
        """
        of = f" of {body!r}" if body else ""
        indices = as_indices(dof_indices, f"dof indices{of}")
        for index in indices.tolist():
            if not 0 <= index < self.n_dof:
                raise ArgumentError(
                    f"dof index {index}{of} is not in 0..{self.n_dof - 1}"
                )
        return indices

    def affects(self, dof: int, link: int | str) -> bool:
        """Return True if a degree of freedom moves a link."""
        (number,) = self.dof_numbers((dof,))
        return bool(self.dof_affects[number, self.link_number(link)])

    def parent_links(self, link: int | str) -> Ints:
        """Return the links through which joints lead from `link` to link 0."""
        return structure.parent_links(self, self.link_number(link))

    @cached_property
    def rigid_group(self) -> Ints:
        """(n_links,) group number, its lowest link.

        Links held together by static joints share one, and so do all static links.
        """
        return structure.rigid_groups(self)

    def rigidly_attached(self, link: int | str) -> Ints:
        """Return the links that never move against `link`, from itself outwards."""
        return structure.rigidly_attached(self, self.link_number(link))

    @cached_property
    def adjacent_links(self) -> Ints:
        """(k, 2) pairs i < j, sorted, whose self collision is never checked."""
        return structure.frozen(np.argwhere(structure.adjacency(self)))

    @cached_property
    def non_adjacent_links(self) -> Ints:
        """(k, 2) all other pairs i < j, sorted."""
        matrix = structure.adjacency(self)
        others = np.triu(np.ones_like(matrix), 1) & ~matrix
        return structure.frozen(np.argwhere(others))

    def chain(self, base: int | str, end: int | str) -> Chain:
        """Return the way through the spanning tree from one link to another.

        Raises
        ------
        NotFoundError, ArgumentError
            A link is not known, or no joints connect the two.
        """
        links, joints = structure.path(
            self, self.link_number(base), self.link_number(end)
        )
        dofs: dict[int, None] = {}
        for joint in joints:
            if self.joint_static[joint]:
                continue
            first, count = self.joint_values[joint]
            for value in range(first, first + count):
                dofs.update(dict.fromkeys(np.flatnonzero(self.follows[value]).tolist()))
        ways = (links, joints, list(dofs))
        return Chain(*(structure.frozen(np.array(way, dtype=np.int64)) for way in ways))

    @cached_property
    def pose_rows(self) -> Floats:
        """Input of forward kinematics, a row per node; not to be written to."""
        return pose_rows.pose_rows(self)

    @cached_property
    def pose_screws(self) -> Floats:
        """Screws of the motions of `pose_rows`, (n_poses, SCREW_WIDTH)."""
        return pose_rows.pose_screws(self.pose_rows)

    @cached_property
    def poses_shape(self) -> tuple[int, int, int]:
        """Shape of the poses of all links: (n_links, 4, 4)."""
        return self.n_links, 4, 4

    @cached_property
    def resting_rows(self) -> Floats | None:
        """Rows like `pose_rows` with passive joints at rest; None if not enough.

        It is for joints that follow others, for nodes that are no links, for one link.
        """
        return pose_rows.resting_rows(self)

    @cached_property
    def linear_followers(self) -> LinearFollowers | None:
        """The joints that follow others, if the formulas of all are linear."""
        return linear_followers(self)

    @cached_property
    def follower_rows(self) -> Floats | None:
        """The rows for poses of joints that follow others, beside `pose_rows`.

        None where that is not enough; not to be written to.
        """
        return follower_rows(self)

    @cached_property
    def resting_values(self) -> Floats:
        """`rest_values` as kernels take them; not to be written to."""
        return self.rest_values.copy()

    @cached_property
    def kinematics_hash(self) -> str:
        """Hexadecimal digest of what determines the poses of the links.

        Names, limits and masses take no part; numbers count to 1e-9.
        """
        return structure.kinematics_hash(self)

    @cached_property
    def motion_tree(self) -> MotionTree:
        """The tree of motions with inertias and formulas."""
        return motion_tree(self)

    @cached_property
    def motion_table(self) -> Ints:
        """`motion_tree` as kernels take it, which needs the model to be kept."""
        return ArrayBundle(self.motion_tree).table

    @cached_property
    def no_wrenches(self) -> Floats | None:
        """(0, n_links, 6): no wrenches on links; None if some links have no weight."""
        return np.empty((0, self.n_links, 6)) if self.link_weighs.all() else None

    @cached_property
    def n_poses(self) -> int:
        """Number of poses that forward kinematics computes: links, and what is between.

        Between the axes of one joint there are nodes without links.
        """
        return pose_rows.count_poses(self)


def _number(kind: str, key: int | str, index: dict[str, int], names: Any) -> int:
    if isinstance(key, str):
        if key not in index:
            raise NotFoundError(kind, key, names)
        return index[key]
    try:
        number = operator.index(key)
    except TypeError:
        raise ArgumentError(f"{kind} is {key!r}, expected a name or an index") from None
    if not 0 <= number < len(names):
        raise ArgumentError(f"{kind} index is {number}, expected 0 to {len(names) - 1}")
    return number
