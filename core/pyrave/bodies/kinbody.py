"""The generic kinematic body: a compiled model and a small mutable state."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave import kinematics
from pyrave.bodies.dof_limits import DofLimits, LimitProperty
from pyrave.bodies.geometry import Geometry
from pyrave.bodies.grabbing import Grabber
from pyrave.bodies.holding import Holding
from pyrave.bodies.joint import Joint
from pyrave.bodies.link import Link
from pyrave.bodies.mechanics import Mechanics
from pyrave.bodies.shaped import Shaped
from pyrave.bodies.state_saver import StateSaver
from pyrave.errors import ArgumentError, NameConflictError, StateError
from pyrave.interfaces.base import InterfaceBase
from pyrave.interfaces.handles import CallbackList, Handle
from pyrave.kinematics import Model
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene import BodyDescription, LinkDescription, Pose
from pyrave.scene.checks import validated
from pyrave.spatial import (
    Array,
    IndicesLike,
    as_indices,
    as_pose,
    as_vector,
    wxyz_xyz_from_pose,
)
from pyrave.world.body_state import BodyChange, BodyState, StateParts, check_body_state

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.trajectories.specification import ConfigurationSpecification
    from pyrave.world import BodyIds, PendingChanges

__all__ = [
    "BodyChange",
    "BodyState",
    "Geometry",
    "Joint",
    "KinBody",
    "LimitCheck",
    "Link",
]

_NO_VALUES = np.zeros(0)
_RARE = ("_changes", "_grabber", "_holder", "_placed")
_EMPTY = BodyDescription("body", links=(LinkDescription("base"),))
_EMPTY_MODEL = kinematics.compile_body(_EMPTY)


class KinBody(InterfaceBase, Shaped, Holding, Mechanics):
    """A kinematic body; usable as it is or as a base class.

    The compiled model is immutable and shared with clones; the state is the base pose,
    joint values, velocities, enabled flags and grabbed bodies. Links, joints and
    geometries are light views. A body belongs to its environment's thread.
    """

    interface_type: ClassVar[str] = "kinbody"
    contract: ClassVar[int] = 1
    is_robot: ClassVar[bool] = False

    _changes: CallbackList[BodyChange] | None = None
    pose_stamp: int

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._setup(_EMPTY, _EMPTY_MODEL)

    # -- making --------------------------------------------------------------------

    def init(self, description: BodyDescription, model: Model | None = None) -> None:
        """Become the body that a description says.

        What it held is let go, and so is the body itself. Callbacks stay.

        Parameters
        ----------
        model
            The description's compiled model if it is known already.

        Raises
        ------
        SceneError
            The description contradicts itself, for example an unknown link in a joint.
        ArgumentError
            Something else than a description is given, or it holds values without
            meaning; all of them are listed.
        StateError
            The body is in an environment.
        """
        if model is None:  # else a twin became it already
            description = validated(BodyDescription, description)
        self.become(description, model)

    def become(self, description: BodyDescription, model: Model | None = None) -> None:
        """Do what `init` does with a description that was checked, as readers do."""
        if self._in_environment:
            raise StateError(f"{self!r} is in an environment; remove it first")
        if self.holder is not None:
            self.holder.release(self)
        self.release_all()
        changes, poses, shapes = self._changes, self.pose_stamp, self.shape_stamp
        self._setup(description, model)
        self.pose_stamp, self.shape_stamp = poses + 1, shapes + 1
        if description.dof_values is not None:
            # values that come with a model are a twin's, and exact
            check = LimitCheck.NONE if model else LimitCheck.CLAMP_AND_WARN
            self.set_dof_values(description.dof_values, limits=check)
        if changes is not None:
            self._changes = changes
            self.notify(BodyChange.ALL)

    def _setup(self, description: BodyDescription, model: Model | None) -> None:
        self._description = description
        self._model = model or kinematics.compile_body(description)
        self._name = description.name
        self.uri = description.uri
        self._in_environment = False
        self.ids: BodyIds | None = None
        self.pending: PendingChanges | None = None
        self._forget_views()
        self._base_pose: Array | None = None
        self._transforms: Array | None = None
        n = self._model.n_dof
        self._values: Array = self._model.rest_values[:n].copy() if n else _NO_VALUES
        self._velocities: Array | None = None
        self._base_velocity: Array | None = None
        self._enabled: Array | None = None
        self.limits = DofLimits(self._model)
        for name in _RARE:
            vars(self).pop(name, None)
        self.pose_stamp = 0
        self.shape_stamp = 0
        if self._model.closing_joints.size:
            kinematics.set_loop_values(self._model, self.transforms_view, self._values)
        if description.readables:
            self.take_readables(description.readables)

    def _myself(self) -> KinBody:
        return self

    def describe(self) -> BodyDescription:
        """Return the description with the present name, pose, values and readables."""
        known = self._description
        values: tuple[float, ...] | None = known.dof_values
        rest = self._model.rest_values[: self.dof]
        if values is not None or not np.array_equal(self._values, rest):
            values = tuple(self._values.tolist())
        pose = known.pose
        if self._base_pose is not None:
            pose = Pose.from_matrix(self._base_pose)
        links = known.links
        if self._enabled is not None:
            links = tuple(
                dataclasses.replace(link, enabled=bool(on))
                for link, on in zip(links, self._enabled, strict=True)
            )
        return dataclasses.replace(
            known,
            name=self._name,
            pose=pose,
            dof_values=values,
            links=links,
            joints=self.limits.described(known.joints),
            readables=self._readables.items() if self._readables else (),
        )

    def clone(self) -> KinBody:
        """Return a copy with the same model and state, not added, grabbing nothing."""
        twin = self.twin(self.env)
        twin.init(self.describe(), self._model)
        twin.set_state(dataclasses.replace(self.get_state(), grabbed=()))
        twin.disabled = self.disabled
        return twin

    def attach_to_environment(self, attached: bool) -> None:
        """Tell the body that it was added or removed; the environment calls this."""
        self._in_environment = attached

    # -- identity ------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name, unique in the environment; assignable while not in one."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        if name == self._name:
            return
        if self._in_environment:
            raise StateError(f"{self!r} is in an environment; remove it to rename it")
        if not name or min(name) <= " ":
            raise NameConflictError(
                f"body name {name!r} is not valid: it must not be empty nor hold blanks"
            )
        self._name = name
        self.notify(BodyChange.NAME)

    # -- degrees of freedom --------------------------------------------------------

    @property
    def dof_values(self) -> Array:
        """(dof,) joint values, radians or metres, a copy.

        Assigned values are clamped to the limits, with a logged warning; use
        `set_dof_values` for another treatment. Joints that close a loop move nothing:
        their values are those that the poses of their links mean.
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
        if dof_indices is None and self._take(values):
            self._moved()
            return
        indices = None if dof_indices is None else self._different_indices(dof_indices)
        size = self.dof if indices is None else len(indices)
        wanted = as_vector(values, size, f"dof_values of {self._name!r}")
        if limits is not LimitCheck.NONE and size:
            wanted = self.limits.applied(wanted, indices, limits, self._name)
        if self._model.has_mimic:
            values = self._values.copy()
            values[slice(None) if indices is None else indices] = wanted
            kinematics.check_followers(self._model, values)
        if indices is None:
            self._values[:] = wanted
        else:
            self._values[indices] = wanted
        self._moved()

    def _take(self, values: ArrayLike) -> bool:
        """Take all joint values if no limit has a say in them; tell whether it did."""
        if not self._model.has_mimic:
            return self.limits.take(values, self._values)
        taken = np.empty(self.dof)
        if not self.limits.take(values, taken):
            return False
        kinematics.check_followers(self._model, taken)
        self._values = taken
        return True

    @property
    def joint_values(self) -> Array:
        """(n_values,) values of all joint axes, passive and mimic ones behind."""
        values = kinematics.joint_values(self._model, self._values)
        if self._model.closing_joints.size:
            kinematics.set_loop_values(self._model, self.transforms_view, values)
        return values

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

    @property
    def dof_velocities(self) -> Array:
        """(dof,) rad/s or m/s, a copy. Assigned values are taken as they are."""
        if self._velocities is None:
            return np.zeros(self.dof)
        return self._velocities.copy()

    @dof_velocities.setter
    def dof_velocities(self, velocities: ArrayLike) -> None:
        wanted = as_vector(velocities, self.dof, f"dof_velocities of {self._name!r}")
        self._velocities = wanted.copy()

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
            wanted = self.limits.applied_rates(wanted, indices, limits, self._name)
        present = self.dof_velocities
        present[slice(None) if indices is None else indices] = wanted
        self._velocities = present

    @property
    def base_velocity(self) -> Array:
        """(6,) velocity of the base link, linear first, world axes; assignable.

        That of a held body is the one which the holding link gives it.
        """
        holder = self.holder
        if holder is not None:
            return holder.velocity_of_held(self)
        return (
            np.zeros(6) if self._base_velocity is None else self._base_velocity.copy()
        )

    @base_velocity.setter
    def base_velocity(self, velocity: ArrayLike) -> None:
        self._base_velocity = as_vector(velocity, 6, "base_velocity").copy()

    @property
    def dof_limits(self) -> tuple[Array, Array]:
        """(lower, upper), two (dof,) arrays; assignable. Circular axes: -+10000."""
        lower, upper = self.limits.bounds
        return lower.copy(), upper.copy()

    @dof_limits.setter
    def dof_limits(self, limits: tuple[ArrayLike, ArrayLike]) -> None:
        try:
            lower, upper = limits
        except (TypeError, ValueError):
            raise ArgumentError(
                f"dof_limits are {limits!r}, expected two arrays: lower, upper"
            ) from None
        self.limits.set_bounds(lower, upper)
        self.notify(BodyChange.LIMITS)

    dof_velocity_limits = LimitProperty(
        "velocity_limits", "(dof,) rad/s or m/s; assignable."
    )
    dof_acceleration_limits = LimitProperty(
        "acceleration_limits", "(dof,) rad/s2 or m/s2; assignable."
    )
    dof_jerk_limits = LimitProperty("jerk_limits", "(dof,) rad/s3 or m/s3; assignable.")
    dof_torque_limits = LimitProperty(
        "torque_limits", "(dof,) N m or N, 0 where not known; assignable."
    )
    dof_weights = LimitProperty(
        "weights", "(dof,) weights of the configuration distance; assignable."
    )
    dof_resolutions = LimitProperty(
        "resolutions", "(dof,) steps of path checks, radians or metres; assignable."
    )

    # -- poses ---------------------------------------------------------------------

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_body: pose of the base link, a copy; assignable."""
        return self._base().copy()

    @transform.setter
    def transform(self, transform: ArrayLike) -> None:
        self._base_pose = as_pose(transform, f"transform of {self._name!r}")
        self._moved()

    def _base(self) -> Array:
        if self._base_pose is None:
            self._base_pose = self._description.pose.matrix
        return self._base_pose

    @property
    def link_transforms(self) -> Array:
        """(n_links, 4, 4) world poses of all links, a copy."""
        return self.transforms_view.copy()

    @property
    def transforms_view(self) -> Array:
        """(n_links, 4, 4) world poses without a copy; do not write to it."""
        if self._transforms is None:
            self._transforms = kinematics.link_transforms(
                self._model, self._base(), self._values
            )
        return self._transforms

    def compute_link_transforms(self, configurations: ArrayLike) -> Array:
        """Return (n, n_links, 4, 4) link poses for (n, dof) configurations.

        The body does not move and nothing is clamped.
        """
        return kinematics.link_transforms_batch(
            self._model, self._base(), configurations
        )

    def _moved(self, placed: Array | None = None) -> None:
        """Forget the poses, or take those given, and let grabbed bodies follow."""
        self._transforms = placed
        if placed is not self._placed:
            self._placed = placed
        if self._model.closing_joints.size:
            kinematics.set_loop_values(self._model, self.transforms_view, self._values)
        self.pose_stamp += 1
        if self.pending is not None:
            self.pending.moved.add(self)
        if self._grabber is not None:
            self._grabber.follow()
        if self._changes is not None:
            self._changes(BodyChange.POSE, self._report_problem)

    def notify(self, change: BodyChange) -> None:
        """Tell the callbacks, and the environment if it is in one."""
        if self._changes is not None:
            self._changes(change, self._report_problem)
        self._tell_world(change)
        if self._in_environment:
            self.env.body_changed(self, change)

    def register_change_callback(
        self,
        callback: Callable[[BodyChange], Any],
        changes: BodyChange = BodyChange.ALL,
    ) -> Handle:
        """Call back with what changed, until the handle is closed.

        Parameters
        ----------
        changes
            Mask of the changes to hear of.
        """
        if self._changes is None:
            self._changes = CallbackList("change")
        if changes is BodyChange.ALL or not callable(callback):
            return self._changes.add(callback)

        @functools.wraps(callback)
        def chosen(change: BodyChange) -> Any:
            return callback(change) if change & changes else None

        return self._changes.add(chosen)

    # -- state ---------------------------------------------------------------------

    def get_state(self) -> BodyState:
        """Return a copy of the whole mutable state."""
        return self.basic_state()

    def basic_state(self) -> BodyState:
        """Return the state without what subclasses of plugins and controllers add."""
        return BodyState(
            self._base().copy(),
            self._values.copy(),
            self.dof_velocities,
            self.base_velocity,
            None if self._enabled is None else self._enabled.copy(),
            {name: array.copy() for name, array in self.limits.own.items()},
            () if self._grabber is None else self._grabber.state,
            link_transforms=None if self._placed is None else self._placed.copy(),
        )

    def set_state(self, state: BodyState) -> None:
        """Take over a state of this body or of a twin."""
        check_body_state(state)
        if state.dof_values.shape != self._values.shape:
            raise ArgumentError(
                f"the state has {state.dof_values.size} joint values, {self!r} has "
                f"{self.dof}"
            )
        self._base_pose = state.base_pose.copy()
        self._values = state.dof_values.copy()
        self._velocities = state.dof_velocities.copy()
        self._base_velocity = state.base_velocity.copy()
        before = self._enabled
        self._enabled = None if state.enabled is None else state.enabled.copy()
        reshaped = before is not None or self._enabled is not None
        self.limits.own = {n: array.copy() for n, array in state.limits.items()}
        if self._grabber is not None or state.grabbed:
            if self._grabber is None:
                self._grabber = Grabber(self)
            self._grabber.restore(state.grabbed)
        placed = state.link_transforms
        self._moved(None if placed is None else placed.copy())
        if reshaped:
            self.shape_stamp += 1
            self.notify(BodyChange.ENABLED)

    def preserve_state(self, parts: StateParts = StateParts.ALL) -> StateSaver:
        """Restore the state at the end of the block, also after an exception.

        Parameters
        ----------
        parts
            What to restore, for example ``StateParts.TRANSFORMS | StateParts.ENABLED``.

        Returns
        -------
        StateSaver
            Its `restore` and `release` put the state back early, on another body, or
            not at all.
        """
        return StateSaver(self, parts)

    # -- configuration -------------------------------------------------------------

    def configuration_specification(
        self, interpolation: str = ""
    ) -> ConfigurationSpecification:
        """Return the groups of `configuration_values`: joint values, base pose."""
        return self.specification_of(
            range(self.dof), int(Affine.TRANSFORM), (0.0, 0.0, 1.0), interpolation
        )

    def specification_of(
        self,
        dof_indices: IndicesLike,
        affine: int,
        axis: tuple[float, float, float],
        interpolation: str = "",
    ) -> ConfigurationSpecification:
        """Return a group of joint values and one of base motions, those not empty."""
        from pyrave.trajectories.specification import ConfigurationSpecification

        made = ConfigurationSpecification()
        indices = as_indices(dof_indices, "dof_indices").tolist()
        if indices:
            numbers = " ".join(map(str, indices))
            name = f"joint_values {self._name} {numbers}"
            made = made.add_group(name, len(indices), interpolation)
        if affine:
            name = f"affine_transform {self._name} {affine}"
            if affine & Affine.ROTATION_AXIS:
                name += " " + " ".join(repr(number) for number in axis)
            made = made.add_group(name, Affine(affine).size, interpolation)
        return made

    @property
    def configuration_values(self) -> Array:
        """(dof + 7,) joint values, x y z, qw qx qy qz; assignable."""
        pose = wxyz_xyz_from_pose(self.transform)
        return np.concatenate((self._values, pose[4:], pose[:4]))

    @configuration_values.setter
    def configuration_values(self, values: ArrayLike) -> None:
        n = self.dof
        wanted = as_vector(values, n + 7, "configuration_values")
        pose = as_pose(np.concatenate((wanted[n + 3 :], wanted[n : n + 3])))
        self.set_dof_values(wanted[:n])
        self.transform = pose

    # -- simulation ----------------------------------------------------------------

    def simulation_step(self, dt: float) -> None:
        """Advance by `dt` seconds; subclasses override it."""

    def __repr__(self) -> str:
        return f"<{self.interface_type} {self._interface_id} {self._name!r}>"
