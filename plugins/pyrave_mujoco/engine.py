"""The physics engine on MuJoCo."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.cards import counted
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces import PhysicsContact, PhysicsEngineBase
from pyrave.interfaces.settings.declarations import are_same
from pyrave.interfaces.state_copies import Immutable
from pyrave.messages import said_if_slow
from pyrave.spatial import Array, as_number, as_vector
from pyrave.world.body_state import BodyChange
from pyrave_mujoco.applied_loads import Loads
from pyrave_mujoco.bodies.carrier_velocities import Carrying
from pyrave_mujoco.contacts import contacts_of, received, transmitted
from pyrave_mujoco.damping import Damping
from pyrave_mujoco.engine_blocks import OWN, EngineBlock, block_of
from pyrave_mujoco.library import mujoco
from pyrave_mujoco.reports import Reports
from pyrave_mujoco.scene import Scene
from pyrave_mujoco.settings import MujocoSettings
from pyrave_mujoco.snapshot import NOTHING, Snapshot
from pyrave_mujoco.transfer import Transfer
from pyrave_mujoco.weights import Weightless

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces import JointDrive
    from pyrave.interfaces.handles import Handle
    from pyrave.scene import (
        ConstraintDescription,
        ContactProperties,
        Readable,
        SuctionCup,
    )
    from pyrave.spatial import IndicesLike
    from pyrave_mujoco.applied_loads import Kept as Loaded

_OTHER_MODEL = (
    BodyChange.GEOMETRY
    | BodyChange.DYNAMICS
    | BodyChange.ADJACENCY
    | BodyChange.LIMITS
    | BodyChange.GRAB
)


@dataclass(frozen=True, slots=True, eq=False)
class EngineState(Immutable):
    """State from which a copy of an engine goes on alike. Nobody changes it."""

    settings: MujocoSettings
    gravity: Array
    known: Snapshot
    loads: Loaded
    ordered: dict[str, list[JointDrive]]
    drives: dict[str, list[JointDrive]]
    driven: frozenset[str]
    efforts: dict[str, Array]
    places: dict[str, Array]
    carrying: frozenset[str]


class MujocoEngine(PhysicsEngineBase):
    """Simulates all bodies with MuJoCo.

    The model is made from the bodies when the first step is taken, and again when
    bodies come, go, hold others or change but for their state. What is set about a
    body between two steps (pose, joint values, velocities) acts in the next one.

    A link that is static, or whose body cannot be simulated, stays where its body says;
    what cannot be simulated is reported in ``env.problems`` once.
    """

    contract = 1
    state_version = 2
    settings_type = MujocoSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        mujoco()
        self._tell_settings()
        self._scene: Scene | None = None
        self._transfer: Transfer | None = None
        self._known: Snapshot | None = None
        self._suction: tuple[SuctionCup, ...] = ()
        self._loads = Loads()
        self._ordered: dict[str, list[JointDrive]] = {}
        self._drives: dict[str, list[JointDrive]] = {}
        self._driven: set[str] = set()
        self._efforts: dict[str, Array] = {}
        self._carrying = Carrying()
        self._damping: Damping | None = None
        self._weightless: Weightless | None = None
        self._masked: set[KinBody] = set()
        self._versions: dict[KinBody, tuple[int, int]] = {}
        self._relations = 0
        self._properties: ContactProperties | None = None
        self._constraints: tuple[ConstraintDescription, ...] = ()
        self._reports = Reports(env)
        self._handle: Handle | None = None

    # -- settings ------------------------------------------------------------------

    def settings_changed(self, before: Any) -> None:
        """Simulate with other settings: the model is made again."""
        self._tell_settings()
        self._forget_scene()

    def _tell_settings(self) -> None:
        """Let files keep the settings."""
        # behind all other blocks it says all, also what is back at its default
        if OWN in self.readables:
            del self.readables[OWN]
        if self.readables or self.settings != MujocoSettings():
            self.readables[OWN] = block_of(self.settings)

    @property
    def id_words(self) -> tuple[str, ...]:
        """None: files keep the settings in a block."""
        return ()

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over the settings of a block of a scene file."""
        if isinstance(readable, EngineBlock):
            self._part_settings = readable.applied_to(self._part_settings)
            if readable.gravity is not None:
                self.set_gravity(readable.gravity)
            self._forget_scene()

    # -- life ----------------------------------------------------------------------

    def init_environment(self) -> None:
        """Follow the bodies of the environment; the model is made when needed."""
        self.destroy_environment()
        self._handle = self.env.on_body(self._body_changed)

    def destroy_environment(self) -> None:
        """Forget the model; the bodies keep their state."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None
        self._drop_scene()
        self._known = None
        self._loads.clear()
        for known in (self._ordered, self._drives, self._efforts):
            known.clear()
        self._driven.clear()
        self._carrying = Carrying()
        self._masked.clear()

    def init_kinbody(self, body: KinBody) -> None:
        """Make another model at the next step."""
        self._forget_scene()

    def remove_kinbody(self, body: KinBody) -> None:
        """Make another model at the next step."""
        self._loads.forget(body)
        for known in (self._ordered, self._drives, self._efforts):
            known.pop(body.name, None)
        self._driven.discard(body.name)
        self._carrying.forget(body.name)
        self._masked.discard(body)
        self._forget_scene()
        if self._known is not None:
            name = body.name
            self._known = self._known.without_ties(lambda key: key[0] == name)

    def _body_changed(self, event: Any) -> None:
        change = event.change
        if change is None:
            return
        if change & _OTHER_MODEL:
            self._forget_scene()
        elif change & BodyChange.ENABLED:
            self._masked.add(event.body)

    def _forget_scene(self) -> None:
        """Drop the model, and keep what only it knows."""
        self._known = self._snapshot()
        self._drop_scene()

    def _snapshot(self) -> Snapshot | None:
        """Return the state that only a model knows, or knew; None without one."""
        if self._known is None and self._transfer is not None:
            return self._transfer.keep()
        return self._known

    def _drop_scene(self) -> None:
        """Drop the model with all that refers to bodies."""
        if self._transfer is not None:
            self._transfer.dissolve()
        self._scene = self._transfer = self._damping = self._weightless = None
        self._versions.clear()

    # -- forces --------------------------------------------------------------------

    def set_body_force(
        self, link: Link, force: ArrayLike, position: ArrayLike, add: bool
    ) -> None:
        """Apply a force (3,) N at a world point (3,) of a link for the next step."""
        self._require(link.body)
        wanted = as_vector(force, 3, "force")
        self._loads.push(link, wanted, as_vector(position, 3, "position"), add)

    def set_body_torque(self, link: Link, torque: ArrayLike, add: bool) -> None:
        """Apply a torque (3,) N m to a link for the next step."""
        self._require(link.body)
        self._loads.turn(link, as_vector(torque, 3, "torque").copy(), add)

    def add_joint_torque(self, joint: Joint, torques: ArrayLike) -> None:
        """Apply efforts (joint.dof,), N m or N, to a joint for the next step.

        The sum of all that is applied is clipped to the torque limits of the joint.
        """
        self._require(joint.body)
        self._loads.drive(joint, as_vector(torques, joint.dof, "torques"))

    def can_drive(self, body: KinBody, dofs: IndicesLike) -> bool:
        """Return True if joints are all but spherical ones."""
        model = body.model
        joints = model.value_joint[model.dof_numbers(dofs, body.name)].tolist()
        return all(model.joint_types[joint] != "spherical" for joint in joints)

    def drive_joints(self, body: KinBody, drive: JointDrive) -> None:
        """Push joints by springs and dampers in each step of MuJoCo.

        The first time for a body makes the model again.

        Raises
        ------
        ArgumentError
            A degree of freedom that the body has not, or of a spherical joint.
        """
        self._require(body)
        if len(drive.dofs) and not 0 <= drive.dofs.min() <= drive.dofs.max() < body.dof:
            raise ArgumentError(
                f"a drive has the degrees of freedom {drive.dofs}, and those of "
                f"{body!r} are 0 to {body.dof - 1}"
            )
        if not self.can_drive(body, drive.dofs):
            raise ArgumentError(
                f"a drive of {body!r} has degrees of freedom of a spherical joint; "
                "body.dynamics.set_dof_torques pushes these"
            )
        self._ordered.setdefault(body.name, []).append(drive)
        if body.name not in self._driven:
            self._driven.add(body.name)
            self._forget_scene()

    def get_joint_efforts(self, body: KinBody) -> Array:
        """Return the mean joint efforts of the last step, (dof,), N m or N."""
        self._require(body)
        known = self._efforts.get(body.name)
        return np.zeros(body.dof) if known is None else known.copy()

    def get_joint_force_torque(self, joint: Joint) -> Array:
        """Return the wrench of a joint's parent link on its child link, (6,).

        Force (N), then torque (N m) about the joint's anchor, world axes, with the
        forces of the last step. Joints that close loops transmit nothing here.
        """
        self._require(joint.body)
        scene = self.ready()
        part = next(one for one in scene.parts if one.body is joint.body)
        if joint.index in set(joint.body.model.closing_joints.tolist()):
            return np.zeros(6)
        number = int(part.ids[joint.child_link.index])
        return transmitted(scene, number, joint.anchor)

    def get_link_force_torque(self, link: Link) -> Array:
        """Return the wrench of contacts and constraints on a link, (6,).

        Force (N), then torque (N m) about the link's origin, world axes. Constraints
        are those of the scene and those that close loops.
        """
        self._require(link.body)
        scene = self.ready()
        return received(scene, scene.surface_of(link), link.pose_view[:3, 3])

    def _require(self, body: KinBody) -> None:
        if not isinstance(body, KinBody):
            raise ArgumentError(f"expected a body, got {shown(body)}")
        if body.env is not self.env or body.id < 0:
            raise ArgumentError(
                f"{body!r} is not in the environment of {self!r}; env.add(body) adds it"
            )

    def contacts(self) -> tuple[PhysicsContact, ...]:
        """Return the present contacts between links, with their forces."""
        return contacts_of(self.ready())

    def held_by(self, cup: str) -> Link | None:
        """Return the link that a suction cup of the scene holds, by the cup's name."""
        scene = self.ready()
        held = scene.cup(cup).held
        if held < 0:
            return None
        body, link = scene.link_of_body[held]
        return body.links[link]

    def set_vacuum(self, cup: str, on: bool) -> None:
        """Let a suction cup hold what it touches, as it does at first, or let go."""
        found = self.ready().cup(cup)
        found.is_on = bool(on)
        if not on:
            found.let_go()

    @property
    def model(self) -> Any:
        """MuJoCo's model of the environment as it is now, an `MjModel`."""
        return self.ready().model

    @property
    def data(self) -> Any:
        """MuJoCo's data, an `MjData`; what is written to it may be overwritten."""
        return self.ready().data

    # -- steps ---------------------------------------------------------------------

    def simulate_step(self, dt: float) -> None:
        """Advance all bodies by `dt` seconds, in equal steps of the engine.

        Raises
        ------
        ArgumentError
            `dt` is not a positive number.
        StateError
            The simulation blew up, or MuJoCo refuses the scene; names the body. All
            bodies stay as they were.
        """
        as_number(dt, "dt", 1e-9)
        self._drives, self._ordered = self._ordered, {}
        bodies = self._changed()
        known = len(self._carrying.bodies)
        moved = self._carrying.moved(bodies, dt) if bodies else {}
        if len(self._carrying.bodies) > known:
            self._forget_scene()
        scene = self.ready()
        if known or moved:
            scene.belts.carry(moved)
        efforts = self._loads.apply(scene)
        self._loads.clear()
        if self._damping is not None:
            self._damping.apply(dt)
        if self._weightless is not None:
            self._weightless.apply(self._gravity)
        self._reports.on_stepping(scene, self._gravity)
        steps = scene.steps_in(dt)
        self._begin_drives(scene, dt / steps)
        scene.advance(steps, dt / steps)
        self._efforts = {body.name: given for body, given in efforts.items()}
        if scene.drives:
            for body, dof, effort in scene.drives.efforts():
                if body.name not in self._efforts:
                    self._efforts[body.name] = np.zeros(body.dof)
                self._efforts[body.name][dof] = effort
        if self._transfer is not None:
            self._transfer.pull(dt)
        self._carrying.note(bodies)

    def _changed(self) -> list[KinBody]:
        """Return the bodies that somebody may have changed since the last step."""
        if self._transfer is None or self._known is not None:
            return list(self.env.bodies)
        return list(self._transfer.changed)

    def _begin_drives(self, scene: Scene, length: float) -> None:
        """Let what controllers ordered act, or nothing."""
        if self._drives or scene.drives:
            found = {body.name: body for body in self.env.bodies}
            acting = {
                found[name]: given
                for name, given in self._drives.items()
                if name in found
            }
            scene.drives.begin(acting, length)
            scene.is_pushed = True

    def ready(self) -> Scene:
        """Return the scene with the bodies as they are now."""
        if self._scene is not None and self._is_outdated(self._scene.has_pairs):
            self._forget_scene()
        if self._scene is None or self._transfer is None:
            self._make()
        elif self._known is not None:
            self._transfer.rewind(self._known)
            self._begin_drives(self._scene, self._scene.step)
        self._known = None
        scene, transfer = self._scene, self._transfer
        assert scene is not None  # noqa: S101 - it was made just now
        assert transfer is not None  # noqa: S101
        if self._masked:
            for body in self._masked:
                scene.enable(body)
            self._masked.clear()
        scene.pull_down(self._gravity)
        transfer.push()
        return scene

    def _is_outdated(self, has_pairs: bool) -> bool:
        if (
            self._relations != self._relations_now()
            or self._properties != self.env.contact_properties
            or not _are_same(self._constraints, self.env.constraints)
            or self._suction != self.env.simulation.suction_cups
            or (self._masked and has_pairs)
        ):
            return True
        # states that are put back change limits and masks without a notice
        for body in self._transfer.changed if self._transfer else ():
            versions = body.versions
            limits, enabled = self._versions[body]
            if versions.limits != limits:
                return True
            if versions.enabled != enabled:
                self._masked.add(body)
                self._versions[body] = (limits, versions.enabled)
        return False

    def _relations_now(self) -> int:
        """Return the number of times that bodies were grabbed or released."""
        for body in self.env.bodies:
            return 0 if body.pending is None else body.pending.relations
        return 0

    def _size(self) -> str:
        """Return in words how much there is to simulate."""
        links = [link for body in self.env.bodies for link in body.links]
        shapes = sum(len(link.geometries) for link in links)
        return f"{counted(len(links), 'link')} with {counted(shapes, 'shape')}"

    def _make(self) -> None:
        constraints = self.env.constraints
        gone = {("", one.name) for one in self._constraints} - {
            ("", one.name)
            for one in self._constraints
            if any(one is other for other in constraints)
        }
        known = (self._known or NOTHING).without_ties(gone.__contains__)
        driven = [body for body in self.env.bodies if body.name in self._driven]
        with said_if_slow(f"mujoco: building the model of {self._size()}"):
            scene = Scene(
                self.env, self.settings, known.held, driven, self._carrying.bodies
            )
        transfer = Transfer(scene)
        transfer.restore(known)
        self._masked.clear()
        self._scene, self._transfer = scene, transfer
        self._damping, self._weightless = Damping(scene), Weightless(scene)
        self._relations = self._relations_now()
        self._properties = self.env.contact_properties
        self._constraints = constraints
        self._suction = self.env.simulation.suction_cups
        self._begin_drives(scene, scene.step)
        self._versions = {
            part.body: (part.body.versions.limits, part.body.versions.enabled)
            for part in scene.parts
        }
        self._reports.on_making(scene, self._part_settings)

    # -- copies --------------------------------------------------------------------

    def get_own_state(self) -> EngineState:
        """Return settings and what MuJoCo knows beyond the state of the bodies."""
        return EngineState(
            self._part_settings,
            self.get_gravity(),
            self._snapshot() or NOTHING,
            self._loads.keep(),
            {name: list(given) for name, given in self._ordered.items()},
            dict(self._drives),
            frozenset(self._driven),
            dict(self._efforts),
            dict(self._carrying.places),
            frozenset(self._carrying.bodies),
        )

    def set_own_state(self, state: EngineState) -> None:
        """Take over the state of a copy; the model is kept if it fits."""
        if not isinstance(state, EngineState):
            raise ArgumentError(f"state is {state!r}, expected what get_state returned")
        # what is not driven does not notice that it could be
        fits = (
            self._transfer is not None
            and self._transfer.can_rewind(state.known)
            and are_same(self._part_settings, state.settings)
            and self._driven >= state.driven
            and self._carrying.bodies == state.carrying
        )
        if not fits:
            self._drop_scene()
            self._driven = set(state.driven)
            self._constraints = ()
        self._part_settings = state.settings
        self._gravity = state.gravity.copy()
        self._known = state.known
        self._drives, self._efforts = dict(state.drives), dict(state.efforts)
        self._loads.restore(state.loads)
        self._ordered = {name: list(given) for name, given in state.ordered.items()}
        self._carrying.restore(state.places, state.carrying)


def _are_same(
    ones: tuple[ConstraintDescription, ...], others: tuple[ConstraintDescription, ...]
) -> bool:
    """Return True if nothing was added or removed, not even the same again."""
    return len(ones) == len(others) and all(map(operator.is_, ones, others))
