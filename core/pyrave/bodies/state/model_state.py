"""A compiled model at a state: joint values, velocities, poses, and their changes."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

import numpy as np

from pyrave import kinematics
from pyrave.argument_names import methods_suggest
from pyrave.attributes import put, setters
from pyrave.bodies.state.dof_limits import DofLimits
from pyrave.bodies.state.glimpse import Glimpse
from pyrave.bodies.state.named_values import by_joint, indexed_values
from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import Array, as_array, as_indices, as_pose, as_poses, as_vector
from pyrave.world.body_state import BodyState, same_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from pyrave.bodies.state.named_values import JointValues
    from pyrave.kinematics import Model
    from pyrave.scene import Pose
    from pyrave.spatial import Indices, IndicesLike
    from pyrave.world.motion_groups import MotionGroup


_CLOSED = 1e-9
_NO_VALUES: Array = np.zeros(0)
_ROUNDING = 1e-6
"""Largest difference of poses from an engine and from joint values."""


@methods_suggest
class ModelState:
    """A model with a base pose, joint values and velocities; poses are in the world.

    Users set them, or the engine that moves it.
    """

    _hot = (
        "joint_dict link_index set_dof_values set_dof_velocities subtract_dof_values "
        "values_with"
    )
    _unlisted = (
        "along dof_values_view glimpse join_motion leave_motion limit_store motion "
        "pose_stamp set_passive_values state_model take_motion transforms_view "
        "velocity_views"
    )

    _model: Model
    _name: str
    _base_pose: Array | None
    _rest_pose: Pose
    _values: Array
    _velocities: Array | None = None
    _base_velocity: Array | None = None
    _transforms: Array | None
    limit_store: DofLimits
    _stamp: int

    # those that each move sets
    __slots__ = ("__dict__", "_base_pose", "_stamp", "_transforms")

    # few bodies have these: with up to 30 attributes Python makes no dictionary
    _motion: MotionGroup | None = None
    _passive: Array | None = None
    _told: Array | None = None
    _placed: Array | None = None
    _state_model: Model | None = None

    def _rest(self, model: Model, pose: Pose) -> None:
        """Put a model at rest."""
        put(self, "_model", model)
        put(self, "_rest_pose", pose)  # whose matrix is made when it is needed
        _set_base_pose(self, None)
        n = model.n_dof
        put(self, "_values", model.rest_values[:n].copy() if n else _NO_VALUES)
        _set_transforms(self, None)
        put(self, "limit_store", DofLimits(model))
        _set_stamp(self, 0)
        if model.closing_joints.size:
            kinematics.set_loop_values(model, self.transforms_view, self._values)

    def _moved(self, placed: Array | None = None, known: Array | None = None) -> None:
        """Forget the poses, or take those given: `known` are what joint values mean."""
        _set_transforms(self, placed if known is None else known)
        if placed is not self._placed:
            self._placed = placed
        if self._model.closing_joints.size:
            kinematics.set_loop_values(self._model, self.transforms_view, self._values)
            self._state_model = None
        _set_stamp(self, self._stamp + 1)
        if self._motion is not None:
            self._motion.changed.add(self)

    def _engine_poses(self) -> Array | None:
        """Return a copy of the poses that an engine computed; None: joint values do."""
        told = self._motion is not None or self._transforms is self._told
        if not told or self._transforms is None or self._placed is not None:
            return None
        return self._transforms.copy()

    def _checked_poses(self, state: BodyState) -> Array | None:
        """Return an engine's poses of a state for this body, which has the rest of it.

        They go on to count only as long as they are what its joint values mean: the
        model may have been edited since.
        """
        known = state.engine_poses
        if known is None or state.link_transforms is not None:
            return None
        meant = kinematics.link_transforms(
            self._model, self._base(), self._values, passive=self._passive
        )
        if not np.abs(meant - known).max(initial=0.0) <= _ROUNDING:
            return None
        self._told = known.copy()
        return self._told

    @property
    def pose_stamp(self) -> int:
        """Number of times that poses changed."""
        return self._stamp if self._motion is None else self._stamp + self._motion.steps

    def _base(self) -> Array:
        """Return T_world_body (4, 4) without a copy."""
        if self._base_pose is None:
            self._base_pose = self._rest_pose.matrix
        return self._base_pose

    @property
    def model(self) -> Model:
        """The compiled model, immutable."""
        return self._model

    @property
    def state_model(self) -> Model:
        """The model whose passive joints rest where they are now.

        Those that keep loops closed follow, to the second order.
        """
        if self._state_model is not None:
            return self._state_model
        model = self._model
        if model.kept_loops is not None:
            values = kinematics.joint_values(model, self._values, self._passive)
            kinematics.set_loop_values(model, self.transforms_view, values)
            model = kinematics.tangent_model(model, values)
        elif self._passive is not None:
            model = kinematics.at_rest_values(model, self._passive)
        else:
            return model
        self._state_model = model
        return model

    @property
    def dof(self) -> int:
        """Number of degrees of freedom."""
        return self._model.n_dof

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Per degree of freedom its joint's name, ``name_1`` for a second axis."""
        return self._model.value_names[: self.dof]

    @property
    def adjacent_links(self) -> Indices:
        """(k, 2) link indices of pairs whose self collision is never checked.

        Each pair i < j once, sorted; read-only. `structure.are_adjacent_links` asks
        for one pair.
        """
        return self._model.adjacent_links

    @property
    def transforms_view(self) -> Array:
        """(n_links, 4, 4) world poses without a copy; do not write to it."""
        if self._transforms is None:
            poses = kinematics.link_transforms(
                self._model, self._base(), self._values, passive=self._passive
            )
            _set_transforms(self, poses)
            return poses
        return self._transforms

    @property
    def link_transforms(self) -> Array:
        """(n_links, 4, 4) world poses of all links, a copy."""
        return self.transforms_view.copy()

    def glimpse(self) -> Glimpse:
        """Return the present poses and joint values, for another thread.

        No lock is needed and nothing is changed or kept, so that the owner does not
        notice. What is seen while the body moves may be of two moves; then the
        next glimpse has another stamp.
        """
        stamp = self.pose_stamp
        values, known = self._values.copy(), self._transforms
        if known is None:
            poses = kinematics.link_transforms(
                self._model, self._base(), values, passive=self._passive
            )
        else:
            poses = known.copy()
        return Glimpse(stamp, poses, values)

    @property
    def dof_values_view(self) -> Array:
        """(dof,) joint values, radians or metres, without a copy; do not write to it.

        They change where the body moves.
        """
        return self._values

    @property
    def joint_values(self) -> Array:
        """(n_values,) values of all joint axes, passive and mimic ones behind."""
        values = kinematics.joint_values(self._model, self._values, self._passive)
        if self._model.closing_joints.size:
            kinematics.set_loop_values(self._model, self.transforms_view, values)
        return values

    def link_index(self, link: Link | str | int) -> int:
        """Return the index of a link of this body, given itself, by name or index."""
        if isinstance(link, Link):
            if link.body is not self:
                raise ArgumentError(f"{link!r} is not a link of {self!r}")
            return link.index
        return self._model.link_number(link)

    def _indices(self, dof_indices: IndicesLike) -> Indices:
        """Return checked indices of degrees of freedom."""
        return self._model.dof_numbers(dof_indices, self._name)

    def _different_indices(self, dof_indices: IndicesLike) -> Indices:
        """Return checked indices of which none comes twice, as assigning needs."""
        indices = self._indices(dof_indices)
        listed = indices.tolist()
        if len(set(listed)) < len(listed):
            raise ArgumentError(f"dof indices {listed} of {self._name!r} repeat")
        return indices

    # -- degrees of freedom --------------------------------------------------------

    @property
    def dof_values(self) -> Array:
        """(dof,) joint values, radians or metres, a copy; assigned ones are clamped.

        A warning says so; `set_dof_values` treats limits in other ways, too. Joints
        that close a loop move nothing: their values are those that the poses of their
        links mean.
        """
        return self._values.copy()

    @dof_values.setter
    def dof_values(self, values: ArrayLike) -> None:
        self.set_dof_values(values)

    def set_dof_values(
        self,
        values: ArrayLike,
        dof_indices: IndicesLike | None = None,
        limits: LimitCheck = LimitCheck.CLAMP_AND_WARN,
    ) -> None:
        """Set joint values.

        Parameters
        ----------
        values
            (dof,) or one per index; radians or metres.
        dof_indices
            Which degrees of freedom; None is all.
        limits
            What to do with values outside of the limits, a member or its code.
            Circular axes are wrapped into their range unless NONE, by whole periods
            of all that they move together.

        Raises
        ------
        ArgumentError
            Wrong length, not finite, a wrong index or one that comes twice, out of
            limits with RAISE, or the formula of a joint that follows has no finite
            value there.
        """
        if type(limits) is not LimitCheck:
            limits = LimitCheck.of(limits)
        if dof_indices is None and self.limit_store.take(values, self._values):
            self._moved()
            return
        indices = None if dof_indices is None else self._different_indices(dof_indices)
        size = self.dof if indices is None else len(indices)
        wanted = as_vector(values, size, f"dof_values of {self._name!r}")
        if limits is not LimitCheck.NONE and size:
            wanted = self.limit_store.applied(wanted, indices, limits, self._name)
        if indices is not None:
            present = self._values.copy()
            present[indices] = wanted
            wanted = present
        if not self.limit_store.take(wanted, self._values):
            if self._model.has_mimic or self._model.kept_loops is not None:
                self._let_follow(wanted)
            self._values[:] = wanted
        self._moved()

    def joint_dict(self) -> dict[str, float | tuple[float, ...]]:
        """Return the value of each joint with degrees of freedom by its name.

        Radians or metres; of joints with several axes a tuple.
        """
        joints = self._model.active_joints.tolist()
        return by_joint(self._model, self._values, joints)

    def set_joints(
        self, joints: JointValues, limits: LimitCheck = LimitCheck.CLAMP_AND_WARN
    ) -> None:
        """Set values of joints by name, as ``{"joint1": 0.2}``; the others stay.

        Parameters
        ----------
        joints
            Radians or metres; of a joint with several axes one for each.
        limits
            As for `set_dof_values`.

        Raises
        ------
        NotFoundError
            A name is of no joint with degrees of freedom; nothing is changed.
        ArgumentError
            As for `set_dof_values`.
        """
        indices, values = indexed_values(self._model, joints)
        self.set_dof_values(values, indices, limits)

    def values_with(self, joints: JointValues) -> Array:
        """Return (dof,) values with those of some joints replaced, by name."""
        indices, values = indexed_values(self._model, joints)
        found = self.dof_values
        found[indices] = values
        return found

    def close_loops(self, dof_indices: IndicesLike | None = None) -> None:
        """Move passive joints so that all loops of the joint graph are closed.

        For loops that are not kept closed by themselves, such as those of OpenRAVE's
        files, whose joints have the values that were set. Joints start from where they
        are, which chooses among several ways to close a loop. Joints along paths close
        nothing.

        Parameters
        ----------
        dof_indices
            Degrees of freedom that move as well, where passive joints are not enough;
            the others stay.

        Raises
        ------
        ArgumentError
            The loops do not close to 1e-6 m and rad, or only outside of the limits of
            degrees of freedom; nothing moved.
        """
        model = self._model
        closing = [
            i for i in model.closing_joints if model.joint_types[i] != "trajectory"
        ]
        which = None if dof_indices is None else self._different_indices(dof_indices)
        system = kinematics.loop_system(model, np.array(closing, np.int64), which)
        found, gap = kinematics.close_loops(model, system, self.joint_values)
        if not gap <= kinematics.LOOP_TOLERANCE:
            raise kinematics.not_closed(model, system, gap, self._name)
        wanted = found[: self.dof].copy()
        if which is not None:
            wanted[which] = self.limit_store.applied(
                wanted[which], which, LimitCheck.RAISE, self._name
            )
        self._values[:] = wanted
        self._set_passive(found)
        self._moved()

    def along(self, configurations: Array) -> Iterator[int]:
        """Yield the number of each row while `state_model` is the one of that row.

        For bodies with loops that are kept closed; nothing moves.

        Raises
        ------
        ArgumentError
            Loops do not close at a configuration.
        """
        model, system, known = self._model, self._model.kept_loops, self._state_model
        assert system is not None  # noqa: S101 - asked before
        before = kinematics.joint_values(model, self._values, self._passive)
        try:
            for i, q in enumerate(configurations):
                values = kinematics.joint_values(model, q, before)
                found, gap = kinematics.close_loops(model, system, values, before)
                if not gap <= kinematics.LOOP_TOLERANCE:
                    raise kinematics.not_closed(model, system, gap, self._name)
                self._state_model = kinematics.tangent_model(model, found)
                yield i
                before = found
        finally:
            self._state_model = known

    def _passive_state(self) -> Array | None:
        # always values: copies may be described at others
        if not self._model.passive_values.any():
            return None
        known = self._model.rest_values if self._passive is None else self._passive
        return known.copy()

    def _let_follow(self, wanted: Array, passive: Array | None = None) -> None:
        """Move passive joints so that loops are closed; check those with formulas.

        Parameters
        ----------
        wanted
            (dof,) values of the degrees of freedom, which are not set here.
        passive
            (n_values,) from which those of passive joints are a first guess; None:
            they move along from where they are.

        Raises
        ------
        ArgumentError
            Loops do not close, or a formula has no finite value; nothing moved.
        """
        model, system = self._model, self._model.kept_loops
        guess = self._passive if passive is None else passive
        if model.has_mimic:
            kinematics.check_followers(model, wanted, guess)
        if system is None:
            return
        values = kinematics.joint_values(model, wanted, guess)
        start = None
        if passive is None:
            values, gap = kinematics.settled(model, system, values)
            if gap > _CLOSED:
                start = kinematics.joint_values(model, self._values, self._passive)
        found, gap = kinematics.close_loops(model, system, values, start)
        if not gap <= kinematics.LOOP_TOLERANCE:
            raise kinematics.not_closed(model, system, gap, self._name)
        self._set_passive(found)

    def set_passive_values(self, values: ArrayLike, indices: IndicesLike) -> None:
        """Move axes of passive joints, whatever their limits are.

        Those that keep loops closed begin there and move on until the loops are closed:
        that chooses among the ways in which a mechanism can be assembled.

        Parameters
        ----------
        values
            One per index; radians or metres.
        indices
            Indices of `joint_values`.

        Raises
        ------
        ArgumentError
            An index that comes twice, or an axis that is active, static, follows
            others, or closes a loop: the poses of links say the values of such.
        """
        which = as_indices(indices, "indices")
        listed = which.tolist()
        if len(set(listed)) < len(listed):
            raise ArgumentError(f"indices {listed} of {self._name!r} repeat")
        movable, names = self._model.passive_values, self._model.value_names
        for index in listed:
            if not 0 <= index < len(movable) or not movable[index]:
                name = names[index] if 0 <= index < len(names) else str(index)
                raise ArgumentError(
                    f"axis {name!r} of {self._name!r} is not that of a passive joint "
                    "that can move on its own"
                )
        wanted = as_vector(values, len(which), f"passive values of {self._name!r}")
        known = self._model.rest_values if self._passive is None else self._passive
        passive = known.copy()
        passive[which] = wanted
        if self._model.kept_loops is not None:
            self._let_follow(self._values, passive)
        else:
            if self._model.has_mimic:
                kinematics.check_followers(self._model, self._values, passive)
            self._set_passive(passive)
        self._moved()

    def _set_passive(self, passive: Array | None) -> None:
        """Take over (n_values,) values, of which those of passive axes count."""
        movable, rest = self._model.passive_values, self._model.rest_values
        known = rest if self._passive is None else self._passive
        wanted = rest if passive is None else passive
        if np.array_equal(wanted[movable], known[movable]):
            return
        self._passive = None if passive is None else passive.copy()
        self._state_model = None

    def subtract_dof_values(
        self, a: ArrayLike, b: ArrayLike, dof_indices: IndicesLike | None = None
    ) -> Array:
        """Return a - b, the short way round for circular axes; (dof,) or per index.

        Raises
        ------
        ArgumentError
            Wrong lengths, not finite, or a wrong index.
        """
        if dof_indices is None:
            return kinematics.subtract_dof_values(self._model, a, b)
        which = self._indices(dof_indices)
        first = as_vector(a, len(which), "a")
        difference = first - as_vector(b, len(which), "b")
        periods = self._model.circular_periods[which]
        return kinematics.angle_difference(difference, periods)

    # -- poses ---------------------------------------------------------------------

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_body: pose of the base link, a copy; assignable."""
        return self._base().copy()

    @transform.setter
    def transform(self, transform: ArrayLike) -> None:
        _set_base_pose(self, as_pose(transform, f"transform of {self._name!r}"))
        self._moved()

    def set_link_transforms(self, transforms: ArrayLike) -> None:
        """Place all links from outside, as physics engines do.

        Joint values, those of passive joints too, become what the poses mean, whatever
        the limits are. Where the poses contradict a joint, as springs and loops let
        them, they stay as given until joint values or the base pose are set.

        Parameters
        ----------
        transforms
            (n_links, 4, 4) T_world_link.

        Raises
        ------
        ArgumentError
            A wrong number of poses, or one that is not rigid.
        """
        shape = (self._model.n_links, 4, 4)
        poses = as_poses(as_array(transforms, shape, "transforms"), "transforms")
        self._base_pose = poses[0].copy()
        movable, n = self._model.passive_values, self.dof
        if movable.any():
            values = self.joint_values
            kinematics.set_values_of_poses(self._model, poses, values)
            self._values = values[:n].copy()
            self._set_passive(np.where(movable, values, self._model.rest_values))
        else:
            kinematics.set_values_of_poses(self._model, poses, self._values)
        self._moved(poses)

    # -- velocities ----------------------------------------------------------------

    @property
    def dof_velocities(self) -> Array:
        """(dof,) rad/s or m/s, a copy. Assigned values are taken as they are."""
        return self._rates().copy()

    @dof_velocities.setter
    def dof_velocities(self, velocities: ArrayLike) -> None:
        rates = as_vector(velocities, self._model.n_dof, "dof_velocities")
        put(self, "_velocities", rates.copy())
        self._accelerated()

    def _rates(self) -> Array:
        """Return joint velocities (dof,) without a copy."""
        known = self._velocities
        return np.zeros(self._model.n_dof) if known is None else known

    def set_dof_velocities(
        self,
        velocities: ArrayLike,
        dof_indices: IndicesLike | None = None,
        limits: LimitCheck = LimitCheck.CLAMP_AND_WARN,
    ) -> None:
        """Set velocities, (dof,) or one per index; limits as in `set_dof_values`."""
        limits = LimitCheck.of(limits)
        indices = None if dof_indices is None else self._different_indices(dof_indices)
        size = self.dof if indices is None else len(indices)
        wanted = as_vector(velocities, size, f"dof_velocities of {self._name!r}")
        if limits is not LimitCheck.NONE:
            wanted = self.limit_store.applied_rates(wanted, indices, limits, self._name)
        present = self.dof_velocities
        present[slice(None) if indices is None else indices] = wanted
        self._velocities = present
        self._accelerated()

    def _accelerated(self) -> None:
        """Let an engine that moves the body know of another velocity."""
        if self._motion is not None:
            self._motion.changed.add(self)

    @property
    def base_velocity(self) -> Array:
        """(6,) velocity of the base link, linear first, world axes; assignable."""
        return self._own_velocity()

    @base_velocity.setter
    def base_velocity(self, velocity: ArrayLike) -> None:
        self._set_base_velocity(velocity)

    def _own_velocity(self) -> Array:
        velocity = self._base_velocity
        return np.zeros(6) if velocity is None else velocity.copy()

    def _set_base_velocity(self, velocity: ArrayLike) -> None:
        self._base_velocity = as_vector(velocity, 6, "base_velocity").copy()
        self._accelerated()

    @property
    def velocity_views(self) -> tuple[Array | None, Array | None]:
        """Base velocity (6,) and joint velocities (dof,), None for rest; no copies.

        Who sets a velocity puts another array in its place; an engine that moves the
        body together with others writes to these. Do not write to them.
        """
        return self._base_velocity, self._velocities

    def _moves_as(self, state: BodyState) -> bool:
        """Return True if it is placed and moves as a state says, to the last bit."""
        pairs = (
            (self._base(), state.base_pose),
            (self._values, state.dof_values),
            (self._passive_state(), state.passive_values),
            (self._placed, state.link_transforms),
            (self.dof_velocities, state.dof_velocities),
            (self.base_velocity, state.base_velocity),
        )
        return all(starmap(same_values, pairs)) and (
            state.engine_poses is None
            or same_values(self._transforms, state.engine_poses)
        )

    # -- engines -------------------------------------------------------------------

    def take_motion(
        self,
        base_pose: Array,
        values: Array,
        base_velocity: Array,
        rates: Array,
        transforms: Array | None = None,
    ) -> None:
        """Take over a state that a physics engine computed; the arrays are kept.

        Nothing is checked or clamped.

        Parameters
        ----------
        base_pose
            (4, 4) T_world_body.
        values, rates
            (dof,) joint values, and their velocities.
        base_velocity
            (6,) of the base link, linear first, world axes.
        transforms
            (n_links, 4, 4) T_world_link, which the joint values give up to rounding;
            None where the engine does not know them, or they contradict a joint.
        """
        self._base_pose, self._values = base_pose, values
        self._base_velocity, self._velocities = base_velocity, rates
        self._moved(known=transforms)

    @property
    def motion(self) -> MotionGroup | None:
        """The bodies with which an engine moves it, if one does."""
        return self._motion

    def join_motion(
        self,
        group: MotionGroup,
        poses: Array | None = None,
        values: Array | None = None,
        rates: Array | None = None,
        base_velocity: Array | None = None,
    ) -> None:
        """Let an engine move it together with others; `MotionGroup` calls this.

        Parameters
        ----------
        group
            Where it is noted if somebody else moves it.
        poses, values, rates, base_velocity
            Arrays with the present state, which the engine writes from now on; None
            for a body that keeps its own.
        """
        before = self._motion
        if before is not group:
            if before is not None:
                self.leave_motion(before)
                before.changed.add(self)  # two engines take turns
            self._motion = group
            self._stamp -= group.steps
        if poses is not None and values is not None:
            self._base_pose, self._transforms, self._values = poses[0], poses, values
            self._velocities, self._base_velocity = rates, base_velocity

    def leave_motion(self, group: MotionGroup | None) -> None:
        """Keep the state as it is: the engine writes its arrays no longer."""
        if group is not None and self._motion is group:
            self._stamp += group.steps
            del self._motion


_SLOTS = ("_base_pose", "_stamp", "_transforms")
_set_base_pose, _set_stamp, _set_transforms = setters(ModelState, *_SLOTS)
