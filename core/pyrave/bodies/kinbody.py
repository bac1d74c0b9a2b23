"""The generic kinematic body: a compiled model and a small mutable state."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave import kinematics
from pyrave.attributes import answers_openrave
from pyrave.bodies import edit
from pyrave.bodies.colliding import Colliding
from pyrave.bodies.configuration import body_specification
from pyrave.bodies.dof_limits import LimitProperty
from pyrave.bodies.dynamics import DynamicModel
from pyrave.bodies.frame import Frame
from pyrave.bodies.holding import Holding
from pyrave.bodies.joint import Joint
from pyrave.bodies.link import Link, aabb_of_links
from pyrave.bodies.random_configurations import sample_values
from pyrave.bodies.state_saver import StateSaver
from pyrave.errors import ArgumentError, NameConflictError, NotFoundError, StateError
from pyrave.interfaces.base import InterfaceBase, OwnState, author_code
from pyrave.interfaces.collection import NamedCollection
from pyrave.interfaces.handles import CallbackList, Handle
from pyrave.kinematics import Model
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene import BodyDescription, LinkDescription, Pose
from pyrave.scene.checks import validated
from pyrave.spatial import (
    Array,
    Indices,
    IndicesLike,
    as_pose,
    as_vector,
    wxyz_xyz_from_pose,
)
from pyrave.texts import name_fault
from pyrave.world.body_state import (
    BodyChange,
    BodyState,
    StateParts,
    StateVersions,
    check_body_state,
    same_values,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.environment import Environment
    from pyrave.trajectories.specification import ConfigurationSpecification
    from pyrave.world import BodyIds, PendingChanges

_COUNTED = (BodyChange.ENABLED, BodyChange.LIMITS, BodyChange.GRAB, BodyChange.GEOMETRY)
_LIMITS, _GRABS = 1, 2
_LATER = (
    *("_changes", "_grabber", "_holder", "_placed", "_passive", "_state_model"),
    *("_links", "_all_joints", "_enabled", "_velocities", "_base_velocity"),
    *("ids", "pending"),
)
"""Attributes that a new body lacks, which initialising it again resets."""
_EMPTY = BodyDescription("body", links=(LinkDescription("base"),))
_EMPTY_MODEL = kinematics.compile_body(_EMPTY)


@answers_openrave
class KinBody(InterfaceBase, Holding, Colliding, DynamicModel):
    """A kinematic body; usable as it is or as a base class.

    The compiled model is immutable and shared with clones; the state is the base pose,
    joint values, velocities, enabled flags and grabbed bodies. Links, joints and
    geometries are light views, the same objects until the body is initialised again.
    A body belongs to its environment's thread.
    """

    interface_type: ClassVar[str] = "kinbody"
    contract: ClassVar[int] = 2
    is_robot: ClassVar[bool] = False
    """Whether it is a `Robot`."""

    _unlisted = (
        "after_init along apply_edit attach_to_environment basic_state "
        "dof_values_view drop_others glimpse holder ids join_motion leave_motion "
        "limits motion moves_alone notify pending pose_stamp set_holder "
        "set_passive_values simulation_step state_model take_motion tool_jacobian "
        "transforms_view velocity_of_held velocity_views versions"
    )
    # few bodies have these: with up to 30 attributes Python makes no dictionary
    _changes: CallbackList[BodyChange] | None = None
    _versions: list[int]
    # what a body has not at first is set later: scenes have thousands of bodies
    _in_environment: bool = False
    ids: BodyIds | None = None
    pending: PendingChanges | None = None
    _links: NamedCollection[Link] | None = None
    _all_joints: tuple[Joint, ...] | None = None
    _enabled: NDArray[np.bool_] | None = None

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._setup(_EMPTY, _EMPTY_MODEL)

    # -- making --------------------------------------------------------------------

    def init(
        self,
        description: BodyDescription,
        model: Model | None = None,
        *,
        validate: bool = True,
    ) -> None:
        """Make this the body of a description.

        It releases what it holds and is released itself. Callbacks stay.

        Parameters
        ----------
        model
            The description's compiled model if it is known already.
        validate
            Whether to check the description; the scene's builder did.

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
        if validate and model is None:  # a copy's description was checked before
            description = validated(BodyDescription, description)
        if self._in_environment:
            raise StateError(f"{self!r} is in an environment; remove it first")
        if self.holder is not None:
            self.holder.release(self)
        self.release_all()
        changes, poses, versions = self._changes, self.pose_stamp, self._versions
        for name in _LATER:
            if getattr(self, name) is not None:
                setattr(self, name, None)
        self._setup(description, model)
        self._stamp = poses + 1
        self._versions = [version + 1 for version in versions]
        if description.dof_values is not None:
            # values that come with a model are those of a copy, and exact
            if model is not None and model.kept_loops is not None:
                self._values[:] = description.dof_values
                self._moved()
            else:
                check = LimitCheck.NONE if model else LimitCheck.CLAMP_AND_WARN
                self.set_dof_values(np.array(description.dof_values), limits=check)
        if changes is not None:
            self._changes = changes
            self.notify(BodyChange.ALL)
        self.after_init()

    def after_init(self) -> None:
        """Set up what a subclass keeps about its links and joints; called by `init`.

        They are there, and values and pose are those of the description. Also called
        for copies, before `set_own_state`, and when the body is initialised again.
        """

    def _setup(self, description: BodyDescription, model: Model | None) -> None:
        self._description = description
        self._name = description.name
        self._rest(model or kinematics.compile_body(description), description.pose)
        self.uri = description.uri
        self._versions = [0, 0, 0, 0]
        if description.readables:
            self.take_readables(description.readables)

    @property
    def description(self) -> BodyDescription:
        """The description it was made from and edited since, without the state."""
        return self._description

    def describe(self) -> BodyDescription:
        """Return the description with the present name, pose, values and readables."""
        known = self._description
        values: tuple[float, ...] | None = known.dof_values
        rest = self._model.rest_values[: self.dof]
        if values is not None or not np.array_equal(self._values, rest):
            present = tuple(self._values.tolist())
            values = present if present != values else values
        pose = known.pose
        if self._base_pose is not None:
            moved = Pose.from_matrix(self._base_pose)
            pose = moved if moved != pose else pose
        links = known.links
        if self._enabled is not None:
            links = tuple(
                dataclasses.replace(link, enabled=bool(on))
                for link, on in zip(links, self._enabled, strict=True)
            )
        fields: dict[str, Any] = {
            "name": self._name,
            "pose": pose,
            "dof_values": values,
            "links": links,
            "joints": edit.with_passive_values(
                self.limits.described(known.joints), self._model, self._passive
            ),
            "readables": self._readables.items() if self._readables else (),
        }
        # copies of what nobody moved share one description
        changed = {k: v for k, v in fields.items() if v is not getattr(known, k)}
        return dataclasses.replace(known, **changed) if changed else known

    def clone(self) -> KinBody:
        """Return a copy with the same model and state, not added, grabbing nothing.

        Raises
        ------
        PluginError
            Its class raises when it is copied.
        """
        with author_code(self, "clone"):
            copy = self.copy_to(self.env)
            copy.init(self.describe(), self._model)
            copy.set_state(dataclasses.replace(self.get_state(), grabbed=()))
            copy.disabled = self.disabled
        return copy

    def apply_edit(self, description: BodyDescription, change: BodyChange) -> None:
        """Replace the description by one of the same links and joints.

        The state stays, and the parts of the model that the change touches are
        compiled again.
        """
        # files that the body came from do not say what was changed since
        description = dataclasses.replace(description, composition=None)
        if change & (BodyChange.GEOMETRY | BodyChange.DYNAMICS | BodyChange.ADJACENCY):
            model = kinematics.recompile(self._model, self._description, description)
            if model is not self._model:
                self._model, self._state_model = model, None
                self.limits = self.limits.of_model(model)
        if self.ids is not None and self.pending is not None:
            self.ids = self.ids.edited(self.pending.ids, self._description, description)
        self._description = description
        for link, known in zip(self.links, description.links, strict=True):
            if link.description is not known:
                link.redescribed(known)
        for joint, its in zip(self.all_joints, description.joints, strict=True):
            joint.description = its
        self.notify(change)

    def use_geometry_group(self, group: str) -> None:
        """Make copies of a group's geometries the ones that count, of all links.

        Raises
        ------
        NotFoundError
            A link has no geometries in such a group; nothing is changed.
        """
        for link in self.links:
            if group not in link.geometry_groups:
                raise NotFoundError("geometry group", group, link.geometry_groups)
        for link in self.links:
            link.use_geometry_group(group)

    def set_zero_configuration(self) -> None:
        """Make the current configuration the zero configuration.

        Nothing moves, and what the joints can reach stays the same.

        Raises
        ------
        NotSupportedError
            A joint that is not at zero is spherical, has more than two axes or a path,
            or the body has followers.
        """
        present, offset, placed = self.joint_values, self.dof_values, self._placed
        spans = self._model.joint_values.tolist()
        values = tuple(present[first : first + count] for first, count in spans)
        own = self.limits.shifted(offset)
        joints = self._description.joints
        joints = edit.with_passive_values(joints, self._model, self._passive)
        known = dataclasses.replace(self._description, joints=joints)
        made = edit.with_zero_at(known, values)
        self._passive = None
        self.apply_edit(made, BodyChange.DYNAMICS | BodyChange.LIMITS)
        self.limits.own = own
        self.set_dof_values(np.zeros(self.dof), limits=LimitCheck.NONE)
        if placed is not None:
            self._moved(placed)

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
        fault = name_fault(name) if name else "is empty"
        if fault:
            raise NameConflictError(f"body name {name!r} is not valid: it {fault}")
        self._name = name
        self.notify(BodyChange.NAME)

    @property
    def id(self) -> int:
        """Its number in the environment, never used again; -1 while in none.

        Copies of it in clones of the environment have the same one.
        """
        return -1 if self.ids is None else self.ids.body

    @property
    def gravity(self) -> Array:
        """(3,) acceleration of free fall in its environment, m/s2, world axes."""
        return self.env.gravity

    @property
    def versions(self) -> StateVersions:
        """How often each part of the state, and the shape, changed."""
        return StateVersions(self.pose_stamp, *self._versions)

    def attach_to_environment(self, attached: bool) -> None:
        """Note that it was added or removed; the environment calls this."""
        self._in_environment = attached

    # -- links and joints ----------------------------------------------------------

    @property
    def links(self) -> NamedCollection[Link]:
        """All links; the first is the base."""
        if self._links is None:
            known = enumerate(self._description.links)
            self._links = NamedCollection(
                (Link(self, i, link) for i, link in known), "link"
            )
        return self._links

    @property
    def leaf_links(self) -> tuple[Link, ...]:
        """Links that carry no other, likely tips of arms first.

        Those are links that many joints move; a finger comes behind a frame that is
        fixed to its hand.
        """
        model = self._model
        carrying = set(model.parent_link.tolist())
        leaves = [i for i in range(model.n_links) if i not in carrying]
        rank = model.dof_affects.sum(axis=0).astype(np.float64)
        rank[leaves] += 1.5 * model.joint_static[model.parent_joint[leaves]]
        leaves.sort(key=lambda link: -rank[link])
        return tuple(self.links[link] for link in leaves)

    @property
    def frames(self) -> NamedCollection[Frame]:
        """Named frames on its links, in the order of the description."""
        described = self._description.frames
        return NamedCollection((Frame(self, one) for one in described), "frame")

    @property
    def all_joints(self) -> tuple[Joint, ...]:
        """Active and passive joints in the order of the description."""
        if self._all_joints is None:
            known = enumerate(self._description.joints)
            self._all_joints = tuple(Joint(self, i, joint) for i, joint in known)
        return self._all_joints

    @property
    def joints(self) -> NamedCollection[Joint]:
        """Joints with degrees of freedom, in the order of their DOF indices."""
        return NamedCollection(
            (self.all_joints[i] for i in self._model.active_joints.tolist()),
            "joint",
            self._hint,
        )

    @property
    def passive_joints(self) -> NamedCollection[Joint]:
        """Joints without degrees of freedom: disabled, static and mimic ones."""
        return NamedCollection(
            (self.all_joints[i] for i in self._model.passive_joints.tolist()),
            "passive joint",
            self._hint,
        )

    def _hint(self, name: str) -> str:
        """Say in which of both collections a joint is."""
        index = self._model.joint_index.get(name)
        if index is None:
            return ""
        if self._model.joint_active[index]:
            return "it has degrees of freedom; see joints"
        return "it has no degrees of freedom of its own; see passive_joints"

    @property
    def dependency_ordered_joints(self) -> tuple[Joint, ...]:
        """All joints, those nearer to the base and those that others follow first."""
        return tuple(self.all_joints[i] for i in self._model.joint_order.tolist())

    def joint_of_dof(self, dof_index: int) -> Joint:
        """Return the joint that a degree of freedom belongs to."""
        (index,) = self._indices((dof_index,))
        return self.all_joints[int(self._model.value_joint[index])]

    def chain_links(
        self, first: Link | str | int, last: Link | str | int
    ) -> list[Link]:
        """Return the links on the way from one link to another, both included."""
        chain = self._model.chain(self.link_index(first), self.link_index(last))
        return [self.links[i] for i in chain.links.tolist()]

    def chain_joints(
        self, first: Link | str | int, last: Link | str | int
    ) -> list[Joint]:
        """Return the joints on the way from one link to another."""
        chain = self._model.chain(self.link_index(first), self.link_index(last))
        return [self.all_joints[i] for i in chain.joints.tolist()]

    def affects(self, joint: Joint | str, link: Link | str | int) -> bool:
        """Return whether moving a joint, active or not, moves a link."""
        model = self._model
        number = joint.index if isinstance(joint, Joint) else model.joint_number(joint)
        return bool(model.joint_affects[number, self.link_index(link)])

    @property
    def closed_loops(self) -> tuple[tuple[tuple[Link, Joint], ...], ...]:
        """Loops of the joint graph: each link with the joint that leads to the next."""
        return tuple(
            tuple((self.links[link], self.all_joints[joint]) for link, joint in loop)
            for loop in self._model.closed_loops
        )

    # -- adjacency -----------------------------------------------------------------

    def select_non_adjacent_links(
        self, *, enabled: bool = False, dof_indices: IndicesLike | None = None
    ) -> Indices:
        """Return the (k, 2) pairs of `non_adjacent_links` that a query needs.

        Parameters
        ----------
        enabled
            Only pairs of enabled links.
        dof_indices
            Only pairs whose links one of these degrees of freedom moves relative to
            each other.
        """
        pairs = self.non_adjacent_links
        if enabled:
            pairs = pairs[self.links_enabled[pairs].all(axis=1)]
        if dof_indices is not None:
            pairs = pairs[self._model.moves_apart(pairs, self._indices(dof_indices))]
        return pairs

    def declare_adjacent(self, pairs: Iterable[tuple[Link | str, Link | str]]) -> None:
        """Never check pairs of links for self collision from now on."""
        self.apply_edit(edit.with_adjacent(self, pairs), BodyChange.ADJACENCY)

    def set_non_colliding_configuration(self) -> tuple[tuple[str, str], ...]:
        """Declare adjacent what touches in the present configuration.

        Needs a collision checker; nothing touches without.

        Returns
        -------
        tuple
            The pairs of names that are adjacent from now on.
        """
        found = edit.touching_links(self)
        if found:
            self.declare_adjacent(found)
        return found

    # -- degrees of freedom --------------------------------------------------------

    @property
    def base_velocity(self) -> Array:
        """(6,) velocity of the base link, linear first, world axes; assignable.

        That of a held body is the one which the holding link gives it.
        """
        holder = self.holder
        return self._own_velocity() if holder is None else holder.velocity_of_held(self)

    @base_velocity.setter
    def base_velocity(self, velocity: ArrayLike) -> None:
        self._set_base_velocity(velocity)

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

    # -- changes -------------------------------------------------------------------

    @property
    def moves_alone(self) -> bool:
        """Whether nobody needs to be told when it moves: no callback, no body held."""
        is_free = self._changes is None and self._holder is None and not self.grabbed
        return is_free and self._placed is None

    def _moved(self, placed: Array | None = None, known: Array | None = None) -> None:
        """Let grabbed bodies follow, and note and report that the poses changed."""
        super()._moved(placed, known)
        if self.pending is not None:
            self.pending.moved.add(self)
        if self._grabber is not None:
            self._grabber.follow()
        if self._changes is not None:
            self._changes(BodyChange.POSE, self._report_problem)

    def notify(self, change: BodyChange) -> None:
        """Count a change; notify callbacks, the packed world and the environment."""
        for i, part in enumerate(_COUNTED):
            if change & part:
                self._versions[i] += 1
        if self._changes is not None:
            self._changes(change, self._report_problem)
        if self.pending is not None:
            self.pending.note(self, change)
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
            Mask of the changes that are reported.
        """
        if self._changes is None:
            self._changes = CallbackList("change")
            self._accelerated()
        if changes is BodyChange.ALL or not callable(callback):
            return self._changes.add(callback)

        @functools.wraps(callback)
        def chosen(change: BodyChange) -> Any:
            return callback(change) if change & changes else None

        return self._changes.add(chosen)

    def set_dof_torques(self, torques: ArrayLike) -> None:
        """Push with joint efforts (dof,), N m or N, during the next step.

        Raises
        ------
        NotSupportedError
            The physics engine applies no joint torques.
        """
        wanted = as_vector(torques, self.dof, "torques")
        for joint in self.joints:
            joint.add_torques(wanted[joint.dof_indices])

    # -- shape ---------------------------------------------------------------------

    @property
    def aabb(self) -> tuple[Array, Array]:
        """World bounding box: centre and half extents (3,), metres.

        Of all links, disabled ones too (`aabb_in` can leave them out); a body without
        geometry is a point. Geometries of size zero count only if there are no others.
        A geometry whose mesh cannot be read is left out, which is reported once.
        """
        found = self.aabb_in(None)
        return found or (self.transform[:3, 3].copy(), np.zeros(3))

    @property
    def local_aabb(self) -> tuple[Array, Array] | None:
        """Bounding box of all links in the body's frame, None without geometry."""
        return self.aabb_in(self.transform)

    def aabb_in(
        self,
        frame: ArrayLike | None,
        *,
        enabled_only: bool = False,
        group: str = "self",
    ) -> tuple[Array, Array] | None:
        """Return the bounding box along the axes of a frame, None without geometry.

        Parameters
        ----------
        frame
            (4, 4) T_world_frame; None is the world.
        enabled_only
            Leave out disabled links.
        group
            Group of geometries.

        Returns
        -------
        tuple
            Centre and half extents (3,) in the frame, metres.
        """
        links = [one for one in self.links if one.enabled or not enabled_only]
        return aabb_of_links(links, frame, group)

    @property
    def enabled(self) -> bool:
        """Whether any link takes part in collision and ray queries; assignable."""
        return bool(self.links_enabled.any())

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._enabled = np.full(self._model.n_links, bool(enabled))
        self.notify(BodyChange.ENABLED)

    @property
    def links_enabled(self) -> NDArray[np.bool_]:
        """(n_links,) bool, the links that take part in queries; a copy."""
        if self._enabled is None:
            return np.array([link.enabled for link in self._description.links])
        return np.array(self._enabled, np.bool_)

    def is_link_enabled(self, link: Link | str | int) -> bool:
        """Return whether a link is enabled."""
        index = self.link_index(link)
        if self._enabled is None:
            return self._description.links[index].enabled
        return bool(self._enabled[index])

    def enable_link(self, link: Link | str | int, enabled: bool) -> None:
        """Enable or disable one link."""
        index = self.link_index(link)
        mask = self.links_enabled
        mask[index] = enabled
        self._enabled = mask
        self.notify(BodyChange.ENABLED)

    @contextmanager
    def all_enabled(self) -> Iterator[None]:
        """Enable all links for a ``with`` block."""
        before = [link.enabled for link in self.links]
        if all(before):
            yield
            return
        self.enabled = True
        try:
            yield
        finally:
            for index, enabled in enumerate(before):
                self.enable_link(index, enabled)

    @property
    def visible(self) -> bool:
        """Whether any geometry is shown; assignable."""
        return any(link.visible for link in self.links)

    @visible.setter
    def visible(self, visible: bool) -> None:
        for link in self.links:
            link.visible = visible

    # -- state ---------------------------------------------------------------------

    def get_state(self) -> BodyState:
        """Return a copy of the whole mutable state."""
        return self._state_with(OwnState.of(self), self._robot_state(with_driver=True))

    def basic_state(self) -> BodyState:
        """Return the state without what subclasses of plugins and controllers add."""
        return self._state_with(None, self._robot_state(with_driver=False))

    def _robot_state(self, *, with_driver: bool) -> Any:
        """Return what a robot adds to the state."""
        return None

    def _state_with(self, own: Any, robot: Any) -> BodyState:
        return BodyState(
            self._base().copy(),
            self._values.copy(),
            self.dof_velocities,
            self.base_velocity,
            None if self._enabled is None else self._enabled.copy(),
            {name: array.copy() for name, array in self.limits.own.items()},
            () if self._grabber is None else self._grabber.state,
            robot,
            own,
            None if self._placed is None else self._placed.copy(),
            self._passive_state(),
            self._engine_poses(),
        )

    def _passive_state(self) -> Array | None:
        # always values: copies may be described at others
        if not self._model.passive_values.any():
            return None
        known = self._model.rest_values if self._passive is None else self._passive
        return known.copy()

    def set_state(self, state: BodyState) -> None:
        """Take over a state of this body or of a copy."""
        check_body_state(state, self._model, self)
        if not same_values(self.limits.own, state.limits):
            self._versions[_LIMITS] += 1
            self.limits.own = {n: array.copy() for n, array in state.limits.items()}
        if self._grabber is not None or state.grabbed:
            hand = self._hand()
            if not hand.holds(state.grabbed):
                hand.restore(state.grabbed)
                self._versions[_GRABS] += 1
        switched = not same_values(self._enabled, state.enabled)
        if switched:
            self._enabled = None if state.enabled is None else state.enabled.copy()
        # what is held follows; who held this one may have let go, which sets a velocity
        if state.grabbed or not self._moves_as(state):
            self._base_pose = state.base_pose.copy()
            self._values = state.dof_values.copy()
            self._set_passive(state.passive_values)
            self._velocities = state.dof_velocities.copy()
            self._base_velocity = state.base_velocity.copy()
            placed = state.link_transforms
            known = self._checked_poses(state)
            self._moved(None if placed is None else placed.copy(), known)
        if switched:
            self.notify(BodyChange.ENABLED)
        OwnState.give(state.own, self)

    def _moves_as(self, state: BodyState) -> bool:
        """Return whether it is placed and moves as a state says, to the last bit."""
        pairs = (
            (self._base(), state.base_pose),
            (self._values, state.dof_values),
            (self._passive_state(), state.passive_values),
            (self._placed, state.link_transforms),
            (self.dof_velocities, state.dof_velocities),
            (self.base_velocity, state.base_velocity),
        )
        return all(same_values(one, other) for one, other in pairs) and (
            state.engine_poses is None
            or same_values(self._transforms, state.engine_poses)
        )

    def drop_others(self, state: BodyState) -> None:
        """Forget what it holds unless it is what a state says; nothing else changes.

        Savers of several bodies call it first: what moves with a body while states are
        put back is only what moved with it then.
        """
        if self._grabber is not None and not self._grabber.holds(state.grabbed):
            self._grabber.restore(())
            self._versions[_GRABS] += 1

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

    def sample_configurations(self, n: int, *, seed: int = 0) -> Array:
        """Return (n, dof) random values, even within the limits of the joints.

        Nothing is moved, and whether they collide is not asked:
        ``checker.check_configurations(body, rows)`` says it.

        Parameters
        ----------
        seed
            Equal ones give equal values; fewer of them are the first of more.

        Raises
        ------
        ArgumentError
            A joint has no limits and does not turn without end.
        """
        return sample_values(self, np.arange(self.dof), n, seed)

    def configuration_specification(
        self, interpolation: str = ""
    ) -> ConfigurationSpecification:
        """Return the groups of `configuration_values`: joint values, base pose."""
        return body_specification(
            self._name, range(self.dof), Affine.TRANSFORM, (0, 0, 1), interpolation
        )

    def specification_of(
        self,
        dof_indices: IndicesLike,
        affine: int = 0,
        axis: Iterable[float] = (0.0, 0.0, 1.0),
        interpolation: str = "",
    ) -> ConfigurationSpecification:
        """Return a group of joint values and one of base motions, those not empty."""
        return body_specification(self._name, dof_indices, affine, axis, interpolation)

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

    def _repr_html_(self) -> str:
        from pyrave.bodies.html import body_card

        return body_card(self)
