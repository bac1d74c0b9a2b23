"""Data of simulation beyond bodies: contact properties, constraints, springs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from pyrave.scene.location import Location
from pyrave.scene.pose import IDENTITY, Pose

ConstraintKind = Literal[
    "fixed",
    "prismatic",
    "revolute",
    "universal",
    "spherical",
    "piston",
    "prismatic_rotoid",
    "prismatic_universal",
    "free",
]
CONSTRAINT_FREEDOMS: Mapping[ConstraintKind, tuple[str, ...]] = MappingProxyType({
    "fixed": (),
    "prismatic": ("z",),
    "revolute": ("rz",),
    "universal": ("rx", "ry"),
    "spherical": ("rx", "ry", "rz"),
    "piston": ("z", "rz"),
    "prismatic_rotoid": ("z", "rx"),
    "prismatic_universal": ("z", "rx", "ry"),
    "free": ("x", "y", "z", "rx", "ry", "rz"),
})  # fmt: skip
"""Free directions of each kind of constraint, in the constraint frame: translations
along ``x y z`` and rotations about them, ``rx ry rz``. Limits and springs have rows in
this order."""


@dataclass(frozen=True, slots=True)
class ContactMaterial:
    """A material, or a type of objects, that pairs of contact properties refer to.

    Parameters
    ----------
    description
        For people.
    """

    name: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Friction:
    """Friction between two materials, whichever of the two is first.

    Parameters
    ----------
    first, second
        Names of materials, which may be equal.
    coefficient
        Coulomb's static coefficient.
    model
        ``"Coulomb"``, or another model with `parameters` of its own.
    parameters
        Further ``(name, numbers)`` of the model. Coulomb's may have ``Mud``, the
        dynamic coefficient.
    """

    first: str
    second: str
    coefficient: float
    model: str = "Coulomb"
    parameters: tuple[tuple[str, tuple[float, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Restitution:
    """Newton's coefficient of restitution between two types of objects, 0 to 1.

    Parameters
    ----------
    first
        One type of objects.
    second
        The other type, or the same.
    coefficient
        0 to 1.
    """

    first: str
    second: str
    coefficient: float


@dataclass(frozen=True, slots=True)
class ContactProperties:
    """Materials for friction, types of objects for restitution, and their pairs.

    Parameters
    ----------
    default_material, default_object_type
        Of links that name none; empty: there is none.
    object_types
        Types of objects that `restitution` refers to.
    """

    materials: tuple[ContactMaterial, ...] = ()
    object_types: tuple[ContactMaterial, ...] = ()
    friction: tuple[Friction, ...] = ()
    restitution: tuple[Restitution, ...] = ()
    default_material: str = ""
    default_object_type: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a free direction: metres or radians, either end may be infinite.

    Parameters
    ----------
    lower
        Lower end.
    upper
        Upper end.
    """

    lower: float = -math.inf
    upper: float = math.inf


@dataclass(frozen=True, slots=True)
class LinkReference:
    """A link of a body; an empty `link` is the base, an empty `body` the world."""

    body: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class Spring:
    """A linear spring and damper along the free directions of a constraint.

    With n free directions the wrench on the parent is ``inv(compliance) @ x + damping
    @ xdot``, x being the displacement of the child's frame from the constraint frame:
    metres and a rotation vector.

    Parameters
    ----------
    compliance
        (n, n) in rows, m/N and rad/(N m); empty: no spring.
    damping
        (n, n) in rows, N s/m and N m s/rad; empty: no damper.
    """

    compliance: tuple[tuple[float, ...], ...] = ()
    damping: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ConstraintDescription:
    """A constraint between two links for physics engines, which kinematics ignore.

    Parameters
    ----------
    kind
        Which directions are free, see `CONSTRAINT_FREEDOMS`.
    parent, child
        The links.
    pose
        T_parent_constraint.
    limits
        Of the first free directions, of the child relative to where it starts.
    spring
        Acts along the free directions.
    collide
        Whether the two links touch each other, and push; else they pass through each
        other, as a pin does in its hole. Collision checkers do not ask.
    """

    name: str
    kind: ConstraintKind
    parent: LinkReference
    child: LinkReference
    pose: Pose = IDENTITY
    limits: tuple[Limits, ...] = ()
    spring: Spring | None = None
    collide: bool = False
    location: Location | None = field(default=None, compare=False, repr=False)

    @property
    def freedoms(self) -> tuple[str, ...]:
        """The free directions, in the order of limits and of rows of the spring."""
        return CONSTRAINT_FREEDOMS[self.kind]
