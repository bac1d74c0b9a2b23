"""The mutable state of bodies as data, and what may change about them."""

from __future__ import annotations

import dataclasses
import enum
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyrave.cards import in_line
from pyrave.errors import ArgumentError
from pyrave.records import Record
from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.kinematics import Model


class BodyChange(enum.Flag):
    """Kinds of changes of a body; members combine to masks for callbacks."""

    POSE = enum.auto()
    NAME = enum.auto()
    ENABLED = enum.auto()
    GEOMETRY = enum.auto()
    VISIBLE = enum.auto()
    DYNAMICS = enum.auto()
    LIMITS = enum.auto()
    ADJACENCY = enum.auto()
    GRAB = enum.auto()
    ACTIVE_DOFS = enum.auto()
    SENSORS = enum.auto()
    MANIPULATORS = enum.auto()
    CONTACTS = enum.auto()
    SHAPE = ENABLED | GEOMETRY
    ALL = (
        POSE
        | NAME
        | SHAPE
        | VISIBLE
        | DYNAMICS
        | LIMITS
        | ADJACENCY
        | GRAB
        | ACTIVE_DOFS
        | SENSORS
        | MANIPULATORS
        | CONTACTS
    )


class StateParts(enum.IntFlag):
    """Parts of a body's state, with OpenRAVE's bits for what it saves too.

    `TRANSFORMS` is the base pose and the joint values, `VELOCITIES` those of both,
    `RATE_LIMITS` the velocity, acceleration, jerk and torque limits.
    """

    NONE = 0
    TRANSFORMS = 0x1
    ENABLED = 0x2
    VELOCITIES = 0x4
    RATE_LIMITS = 0x8
    WEIGHTS = 0x10
    LIMITS = 0x20
    RESOLUTIONS = 0x40
    ACTIVE_DOFS = 0x10000
    ACTIVE_MANIPULATOR = 0x20000
    GRABBED = 0x40000
    ACTIVE_TOOL = 0x80000
    TOOLS = 0x100000
    REST = 0x1000000
    """State of controllers, sensors and plugins, and who controls."""
    ALL = 0x11F007F
    PLANNED = ALL ^ REST
    """All that planning moves: what a body has of its own, and its tools."""
    OPENRAVE = TRANSFORMS | ENABLED | ACTIVE_DOFS | ACTIVE_MANIPULATOR
    """The parts that ``with robot:`` of OpenRAVE restores: grabs stay as they are."""

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int):
            raise ArgumentError(f"parts of a state are {value!r}, expected StateParts")
        return super()._missing_(value)


_LIMITS = {
    StateParts.RATE_LIMITS: (
        "velocity_limits",
        "acceleration_limits",
        "jerk_limits",
        "torque_limits",
    ),
    StateParts.WEIGHTS: ("weights",),
    StateParts.LIMITS: ("lower", "upper"),
    StateParts.RESOLUTIONS: ("resolutions",),
}
_FIELDS = {
    StateParts.TRANSFORMS: (
        "base_pose",
        "dof_values",
        "link_transforms",
        "passive_values",
        "engine_poses",
    ),
    StateParts.ENABLED: ("enabled",),
    StateParts.VELOCITIES: ("dof_velocities", "base_velocity"),
    StateParts.GRABBED: ("grabbed",),
    StateParts.REST: ("own",),
}


@lru_cache(maxsize=256)
def _names_of(parts: StateParts) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the fields of a `BodyState`, and the limits, that belong to parts."""
    fields, limits = (
        [name for part, names in known.items() if parts & part for name in names]
        for known in (_FIELDS, _LIMITS)
    )
    return tuple(fields), frozenset(limits)


class StateVersions(NamedTuple):
    """Version numbers of parts of a body; a part with an equal number is unchanged.

    Parameters
    ----------
    pose
        Base pose and joint values.
    enabled, limits, grabs
        Enabled links, limits of degrees of freedom, what is held and how.
    shape
        Geometries.
    """

    pose: int
    enabled: int
    limits: int
    grabs: int
    shape: int


@dataclasses.dataclass(slots=True, eq=False)
class StateMark:
    """Mark of the state of a body: while it is equal, the state is the same.

    Who sets a velocity puts another array in its place, and engines that write to one
    count a step.

    Parameters
    ----------
    rates, base_velocity
        The arrays that the body has, None at rest.
    state
        The state, once it was read, of a body without state of its own kind.
    """

    versions: StateVersions
    rates: Array | None
    base_velocity: Array | None
    state: BodyState | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class GrabbedBody(Record):
    """A held body and how it is held, as data: all by name, so that it fits copies.

    Parameters
    ----------
    name
        The held body.
    link
        The holder's link that holds it.
    T_link_body
        (4, 4).
    ignored_links
        Links of the holder that may always touch it: those that never move against
        `link`, and what the caller named.
    touching_links
        Other links of the holder that touched it when it was grabbed.
    touching_bodies
        Other bodies in the holder's hands that touched it then.
    """

    name: str
    link: str
    T_link_body: Array
    ignored_links: tuple[str, ...] = ()
    touching_links: tuple[str, ...] = ()
    touching_bodies: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class BodyState(Record):
    """The mutable state of a body; it pickles and fits every copy of the body.

    Parameters
    ----------
    base_pose
        (4, 4) T_world_body.
    dof_values, dof_velocities
        (dof,).
    base_velocity
        (6,) of the base link, linear first, world axes.
    enabled
        (n_links,) bool, or None when all are as described.
    limits
        Per-body limits that replace the model's, by name.
    grabbed
        What the body holds, by name.
    robot
        What a robot adds. Parts of it can be saved alone: it has a method
        ``with_parts(saved, parts)`` as this class has.
    own
        What the class of a plugin adds, see `InterfaceBase.get_own_state`.
    link_transforms
        (n_links, 4, 4) poses that were set from outside; None where the joint values
        say them.
    passive_values
        (n_values,) of which the axes of passive joints count; None while these are as
        described.
    engine_poses
        (n_links, 4, 4) what the joint values mean, as an engine computed it, which
        differs in the last bits; None where no engine moves the body.
    """

    base_pose: Array
    dof_values: Array
    dof_velocities: Array
    base_velocity: Array
    enabled: NDArray[np.bool_] | None
    limits: dict[str, Array]
    grabbed: tuple[GrabbedBody, ...]
    robot: Any = None
    own: Any = None
    link_transforms: Array | None = None
    passive_values: Array | None = None
    engine_poses: Array | None = None

    def __repr__(self) -> str:
        said = ("base_pose", "dof_values", "dof_velocities", "base_velocity")
        return in_line("BodyState", {name: getattr(self, name) for name in said})

    def with_parts(self, saved: BodyState, parts: StateParts) -> BodyState:
        """Return this state with some parts replaced by those of another.

        Parameters
        ----------
        saved
            The other state.
        """
        names, limits = _names_of(parts)
        changes: dict[str, Any] = {name: getattr(saved, name) for name in names}
        if self.limits or saved.limits:
            changes["limits"] = {
                **{n: a for n, a in self.limits.items() if n not in limits},
                **{n: a for n, a in saved.limits.items() if n in limits},
            }
        if self.robot is not None and saved.robot is not None:
            changes["robot"] = self.robot.with_parts(saved.robot, parts)
        return dataclasses.replace(self, **changes)

    def has_parts(self, saved: BodyState, parts: StateParts) -> bool:
        """Return True if `with_parts` would change nothing, as far as is known.

        Parameters
        ----------
        saved
            The other state.
        parts
            Which parts are asked about.
        """
        names, limits = _names_of(parts)
        for name in names:
            # engine poses follow from the others
            if name != "engine_poses" and not same_values(
                getattr(self, name), getattr(saved, name)
            ):
                return False
        for name in limits if self.limits or saved.limits else ():
            if not same_values(self.limits.get(name), saved.limits.get(name)):
                return False
        if self.robot is None or saved.robot is None:
            return True
        return same_values(self.robot, self.robot.with_parts(saved.robot, parts))


def same_values(one: Any, other: Any) -> bool:
    """Return True if two parts of states are the same to the last bit."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        known = one.dtype.kind in "biuf" and one.dtype == other.dtype
        return known and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            same_values(value, other[name]) for name, value in one.items()
        )
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same_values, one, other))
    if dataclasses.is_dataclass(one):
        names = one.__dataclass_fields__
        values = (map(getattr, repeat(item), names) for item in (one, other))
        return all(map(same_values, *values))
    return isinstance(one, (int, float, str)) and bool(one == other)


def check_body_state(state: object, model: Model, body: object) -> None:
    """Raise unless given the state of a body, or of a copy, with this model."""
    if not isinstance(state, BodyState):
        raise ArgumentError(f"state is {state!r}, expected what get_state returned")
    dof, n_links = (model.n_dof,), model.n_links
    shapes = {
        "base_pose": (4, 4),
        "dof_values": dof,
        "dof_velocities": dof,
        "base_velocity": (6,),
        "enabled": (n_links,),
        "link_transforms": (n_links, 4, 4),
        "engine_poses": (n_links, 4, 4),
        "passive_values": model.rest_values.shape,
    }
    for name, shape in shapes.items():
        array = getattr(state, name)
        if array is not None and array.shape != shape:
            raise ArgumentError(
                f"the {name} of the state have shape {array.shape}, {body!r} "
                f"needs {shape}"
            )
