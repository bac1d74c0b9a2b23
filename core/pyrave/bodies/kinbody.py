"""The generic kinematic body: a compiled model and a small mutable state."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave import kinematics
from pyrave.argument_names import methods_suggest
from pyrave.attributes import answers_other_names, not_alone, put
from pyrave.bodies import edits, grabber
from pyrave.bodies.body_collisions import BodyCollisions
from pyrave.bodies.grabber import Grabber
from pyrave.bodies.state.evaluation import EvaluatedModel
from pyrave.bodies.state.random_configurations import sample_values
from pyrave.bodies.state.saver import StateSaver
from pyrave.bodies.views.dynamics import BodyDynamics
from pyrave.bodies.views.frame import Frame
from pyrave.bodies.views.grabs import BodyGrabs
from pyrave.bodies.views.joint import Joint
from pyrave.bodies.views.limits import BodyLimits, LimitProperty
from pyrave.bodies.views.link import Link, aabb_of_links
from pyrave.bodies.views.structure import BodyStructure
from pyrave.errors import (
    NameConflictError,
    NotFoundError,
    StateError,
)
from pyrave.interfaces.base import OwnState, author_code
from pyrave.interfaces.collection import NamedCollection
from pyrave.interfaces.handles import CallbackList, Handle
from pyrave.interfaces.named_bodies import named_body
from pyrave.kinematics import Model
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene import IDENTITY, BodyDescription, LinkDescription, Pose
from pyrave.scene.bases import with_base_at_origin
from pyrave.scene.checks import validated
from pyrave.spatial import Array, Indices
from pyrave.texts import name_fault
from pyrave.world.body_state import (
    BodyChange,
    BodyState,
    StateMark,
    StateParts,
    StateVersions,
    check_body_state,
    same_values,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.environment import Environment
    from pyrave.world import BodyIds, PendingChanges

_COUNTED = (BodyChange.ENABLED, BodyChange.LIMITS, BodyChange.GRAB, BodyChange.GEOMETRY)
_LIMITS, _GRABS = 1, 2
_LATER = (
    *("_changes", "grabber", "_holder", "_placed", "_passive", "_state_model"),
    *("_links", "_all_joints", "_enabled", "_velocities", "_base_velocity"),
    *("ids", "pending"),
)
"""Attributes that a new body lacks, which initialising it again resets."""
_later_values = attrgetter(*_LATER)
_EMPTY = BodyDescription("body", links=(LinkDescription("base"),))
_EMPTY_MODEL = kinematics.compile_body(_EMPTY)


@methods_suggest
@answers_other_names
class KinBody(BodyCollisions, EvaluatedModel):
    """A kinematic body; usable as it is or as a base class.

    The compiled model is immutable and shared with clones; the state is the base pose,
    joint values, velocities, enabled flags and grabbed bodies. Links, joints and
    geometries are light views, the same objects until the body is initialised again.
    A body belongs to its environment's thread.
    """

    _hot = "get_state is_attached is_grabbing set_state"

    interface_type: ClassVar[str] = "kinbody"
    __reduce_ex__ = not_alone
    contract: ClassVar[int] = 2
    is_robot: ClassVar[bool] = False
    """True for a `Robot`."""

    _unlisted = (
        "after_init apply_edit attach_to_environment basic_state default_grab_link "
        "drop_others enable_link grabber hand holder ids init is_link_enabled mark "
        "moves_alone notify pending placed_links set_holder simulation_step versions"
    )
    # few bodies have these: with up to 30 attributes Python makes no dictionary
    _changes: CallbackList[BodyChange] | None = None
    grabber: Grabber | None = None
    """Grabs of the body, made when it first holds another one."""
    _mark: StateMark | None = None
    _holder: KinBody | None = None
    _description: BodyDescription
    _versions: list[int]
    # what a body has not at first is set later: scenes have thousands of bodies
    _in_environment: bool = False
    ids: BodyIds | None = None
    pending: PendingChanges | None = None
    _links: NamedCollection[Link] | None = None
    _all_joints: tuple[Joint, ...] | None = None
    _enabled: NDArray[np.bool_] | None = None
    _empty: ClassVar[BodyDescription] = _EMPTY

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._setup(self._empty, _EMPTY_MODEL)

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
        links = description.links
        if model is None and links and links[0].pose != IDENTITY:
            description = with_base_at_origin(description)
        if self._in_environment:
            raise StateError(f"{self!r} is in an environment; remove it first")
        if self._holder is not None:
            self._holder.release(self)
        if self.grabber is not None:
            self.release_all()
        changes, poses, versions = self._changes, self.pose_stamp, self._versions
        for name, value in zip(_LATER, _later_values(self), strict=True):
            if value is not None:
                setattr(self, name, None)
        self._setup(description, model)
        put(self, "_stamp", poses + 1)
        put(self, "_versions", [version + 1 for version in versions])
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
        put(self, "_description", description)
        put(self, "_name", description.name)
        self._rest(model or kinematics.compile_body(description), description.pose)
        if description.uri or self.uri:
            put(self, "uri", description.uri)
        put(self, "_versions", [0, 0, 0, 0])
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
            "joints": edits.with_passive_values(
                self.limit_store.described(known.joints), self._model, self._passive
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
                self.limit_store = self.limit_store.of_model(model)
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
            A joint that is not at zero is spherical, has more than two axes or a path.
        """
        present, offset, placed = self.joint_values, self.dof_values, self._placed
        spans = self._model.joint_values.tolist()
        values = tuple(present[first : first + count] for first, count in spans)
        own = self.limit_store.shifted(offset)
        joints = self._description.joints
        joints = edits.with_passive_values(joints, self._model, self._passive)
        known = dataclasses.replace(self._description, joints=joints)
        made = edits.with_zero_at(known, values)
        self._passive = None
        self.apply_edit(made, BodyChange.DYNAMICS | BodyChange.LIMITS)
        self.limit_store.own = own
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
    def versions(self) -> StateVersions:
        """Counters of changes to each part of the state, and to the shape."""
        return self.mark.versions

    @property
    def mark(self) -> StateMark:
        """The same object as long as nothing of its basic state has changed.

        Robots have more state than this tells about.
        """
        known, now = self._mark, StateVersions(self.pose_stamp, *self._versions)
        if (
            known is None
            or known.versions != now
            or known.rates is not self._velocities
            or known.base_velocity is not self._base_velocity
        ):
            known = self._mark = StateMark(now, self._velocities, self._base_velocity)
        return known

    def attach_to_environment(self, attached: bool) -> None:
        """Note that it was added or removed; the environment calls this."""
        put(self, "_in_environment", attached)

    # -- parts ---------------------------------------------------------------------

    @property
    def limits(self) -> BodyLimits:
        """All limits of the degrees of freedom, with weights and resolutions."""
        return BodyLimits(self)

    @property
    def dynamics(self) -> BodyDynamics:
        """Energies, velocities and accelerations of links, batches of dynamics."""
        return BodyDynamics(self)

    @property
    def structure(self) -> BodyStructure:
        """The graph of links and joints: chains, loops, what moves what, adjacency."""
        return BodyStructure(self)

    @property
    def grabs(self) -> BodyGrabs:
        """Grabbed bodies: links that hold them, relative poses, permitted contacts."""
        return BodyGrabs(self)

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
        return self._joints(self._model.active_joints, "joint")

    @property
    def passive_joints(self) -> NamedCollection[Joint]:
        """Joints without degrees of freedom: disabled, static and mimic ones."""
        return self._joints(self._model.passive_joints, "passive joint")

    def _joints(self, which: Indices, noun: str) -> NamedCollection[Joint]:
        found = (self.all_joints[i] for i in which.tolist())
        return NamedCollection(found, noun, self._hint)

    def _hint(self, name: str) -> str:
        """Return a hint at the collection, active or passive, that has a joint."""
        index = self._model.joint_index.get(name)
        if index is None:
            return ""
        if self._model.joint_active[index]:
            return "it has degrees of freedom; see joints"
        return "it has no degrees of freedom of its own; see passive_joints"

    # -- degrees of freedom --------------------------------------------------------

    @property
    def base_velocity(self) -> Array:
        """(6,) velocity of the base link, linear first, world axes; assignable.

        That of a held body is the one which the holding link gives it.
        """
        holder = self.holder
        if holder is None:
            return self._own_velocity()
        return holder.hand().velocity_of(self)

    @base_velocity.setter
    def base_velocity(self, velocity: ArrayLike) -> None:
        self._set_base_velocity(velocity)

    @property
    def dof_limits(self) -> tuple[Array, Array]:
        """(lower, upper), two (dof,) arrays; assignable. Circular axes: +-10000."""
        return self.limits.position

    @dof_limits.setter
    def dof_limits(self, limits: tuple[ArrayLike, ArrayLike]) -> None:
        self.limits.position = limits

    dof_velocity_limits = LimitProperty("velocity_limits", "rad/s or m/s")
    dof_acceleration_limits = LimitProperty("acceleration_limits", "rad/s2 or m/s2")
    dof_torque_limits = LimitProperty("torque_limits", "N m or N, 0 where not known")
    dof_weights = LimitProperty("weights", "weights of the configuration distance")
    dof_resolutions = LimitProperty(
        "resolutions", "steps of path checks, radians or metres"
    )

    # -- what it holds -------------------------------------------------------------

    def grab(
        self,
        body: KinBody | str,
        link: Link | str | None = None,
        ignored_links: Iterable[Link | str | int] = (),
    ) -> None:
        """Hold a body with a link: it moves with that link from now on.

        A body that it holds already is grabbed again as it lies now, by that link.

        Links of this body that touch it now, as the collision checker says, may go on
        touching it, and so may other bodies in the same hands: see `grabs`.

        Parameters
        ----------
        body
            The body or its name in the environment.
        link
            None: the end effector of a robot's active manipulator, else the base.
        ignored_links
            Links of this body that may touch it later too. Those that never move
            against `link` always may.

        Raises
        ------
        ArgumentError
            It is not a body, is this one, is held by another one, holds this one, or is
            in another environment.
        NotFoundError
            The environment has no body of that name.
        """
        body = grabber.body_to_hold(self, body)
        index = self.default_grab_link() if link is None else self.link_index(link)
        ignored = [self.link_index(one) for one in ignored_links]
        self.hand().grab(body, index, ignored)
        self.notify(BodyChange.GRAB)

    def default_grab_link(self) -> int:
        """Return the index of the link that grabs when none is named."""
        return 0

    def release(self, body: KinBody | str) -> None:
        """Let go of a body that is held; NotFoundError if it is not."""
        body = grabber.body_to_hold(self, body)
        if self.grabber is None or not self.grabber.release(body):
            held = [one.name for one in self.grabbed]
            raise NotFoundError("grabbed body", body.name, held)
        self.notify(BodyChange.GRAB)

    def release_all(self, link: Link | str | int | None = None) -> None:
        """Let go of everything, or of what one link holds."""
        only = None if link is None else self.links[self.link_index(link)]
        for body in self.grabbed:
            if only is None or self.grabs.link_of(body) is only:
                self.release(body)

    def hand(self) -> Grabber:
        """Return the grabber, made if need be; it may hold nothing."""
        if self.grabber is None:
            self.grabber = Grabber(self)
        return self.grabber

    @property
    def grabbed(self) -> tuple[KinBody, ...]:
        """The bodies that it holds."""
        return () if self.grabber is None else self.grabber.bodies

    def is_grabbing(self, body: KinBody | str) -> bool:
        """Return True if it holds that body, given itself or its name."""
        body = named_body(self.env, body)
        return any(held is body for held in self.grabbed)

    @property
    def holder(self) -> KinBody | None:
        """The body that holds this one."""
        return self._holder

    def set_holder(self, holder: KinBody | None) -> None:
        """Set the body that holds it; only `Grabber` does."""
        self._holder = holder
        if self.pending is not None:
            self.pending.relations += 1

    @property
    def attached(self) -> tuple[KinBody, ...]:
        """Itself and all that move with it: held ones, holders, and so on."""
        return grabber.attached_to(self)

    def is_attached(self, body: KinBody | str) -> bool:
        """Return True if a body, or one of that name, moves with this one."""
        body = named_body(self.env, body)
        return any(one is body for one in self.attached)

    # -- changes -------------------------------------------------------------------

    @property
    def moves_alone(self) -> bool:
        """True if moving it affects nothing else: no callbacks, no grabs."""
        is_free = self._changes is None and self._holder is None and not self.grabbed
        return is_free and self._placed is None

    @property
    def placed_links(self) -> Array | None:
        """(n_links, 4, 4) poses of `set_link_transforms` that still count, no copy."""
        return self._placed

    def _moved(self, placed: Array | None = None, known: Array | None = None) -> None:
        """Let grabbed bodies follow, and note and report that the poses changed."""
        super()._moved(placed, known)
        if self.pending is not None:
            self.pending.moved.add(self)
            self.pending.unpublished.add(self)
        if self.grabber is not None:
            self.grabber.follow()
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
        """True if any link takes part in collision and ray queries; assignable."""
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
        """Return True if a link is enabled."""
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

    @property
    def visible(self) -> bool:
        """True if any geometry is shown; assignable."""
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
        """Return the part of the state that robots add."""
        return None

    def _state_with(self, own: Any, robot: Any) -> BodyState:
        return BodyState(
            self._base().copy(),
            self._values.copy(),
            self.dof_velocities,
            self.base_velocity,
            None if self._enabled is None else self._enabled.copy(),
            {name: array.copy() for name, array in self.limit_store.own.items()},
            () if self.grabber is None else self.grabber.state,
            robot,
            own,
            None if self._placed is None else self._placed.copy(),
            self._passive_state(),
            self._engine_poses(),
        )

    def set_state(self, state: BodyState) -> None:
        """Take over a state of this body or of a copy."""
        check_body_state(state, self._model, self)
        if not same_values(self.limit_store.own, state.limits):
            self._versions[_LIMITS] += 1
            self.limit_store.own = {n: a.copy() for n, a in state.limits.items()}
        if self.grabber is not None or state.grabbed:
            hand = self.hand()
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

    def drop_others(self, state: BodyState) -> None:
        """Forget what it holds unless it is what a state says; nothing else changes."""
        if self.grabber is not None and not self.grabber.holds(state.grabbed):
            self.grabber.restore(())
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
        ``checker.check_configurations(body, rows)`` says it, see `moving_links`.

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

    # -- simulation ----------------------------------------------------------------

    def simulation_step(self, dt: float) -> None:
        """Advance by `dt` seconds; subclasses override it."""

    def __repr__(self) -> str:
        return f"<{self.interface_type} {self._interface_id} {self._name!r}>"

    def _repr_html_(self) -> str:
        from pyrave.bodies.html import body_card

        return body_card(self)
