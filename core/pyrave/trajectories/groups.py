"""Groups of a configuration specification: names, kinds, interpolations, masks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pyrave.errors import ArgumentError, did_you_mean
from pyrave.kinematics.affine import Affine
from pyrave.spatial import Indices

_BY_DEGREE = ("next", "linear", "quadratic", "cubic", "quartic", "quintic", "sextic")
INTERPOLATIONS: tuple[str, ...] = ("", "previous", *_BY_DEGREE, "max")
"""Known interpolation names; the empty one behaves like ``next``."""

# Older files spell degree four this way.
_ALIASES = {"quadric": "quartic"}

_DERIVATIVES = ("velocities", "accelerations", "jerks", "snaps", "crackles", "pops")
_CHAINS: tuple[tuple[str, ...], ...] = tuple(
    (first, *(f"{family}_{name}" for name in _DERIVATIVES))
    for family, first in (
        ("joint", "joint_values"),
        ("affine", "affine_transform"),
        ("ikparam", "ikparam_values"),
    )
)
_POSITION = {kind: (chain, i) for chain in _CHAINS for i, kind in enumerate(chain)}
_WITH_BODY = frozenset({"joint_torques", "grab", "grabbody"})


def affine_dof(mask: int) -> int:
    """Return the number of values of an affine mask.

    Raises
    ------
    ArgumentError
        The mask has unknown bits or more than one kind of rotation.
    """
    if not 0 <= mask < 64:
        raise ArgumentError(f"affine mask {mask} is not within 0..63")
    affine = Affine(mask)
    affine.check()
    return affine.size


def is_joint_kind(kind: str) -> bool:
    """Return True if groups of `kind` are about a body's joints."""
    return kind.startswith("joint_")


def time_derivative_order(kind: str) -> int | None:
    """Return 0 for positions, 1 for velocities, ..., None for other kinds."""
    found = _POSITION.get(kind)
    return None if found is None else found[1]


def derivative_kind(kind: str, order: int) -> str | None:
    """Return the kind `order` time derivatives up (negative: integrals), or None."""
    found = _POSITION.get(kind)
    if found is None:
        return None
    chain, position = found
    target = position + order
    return chain[target] if 0 <= target < len(chain) else None


def interpolation_degree(interpolation: str) -> int | None:
    """Return the polynomial degree (0..6), or None for names without one."""
    name = _ALIASES.get(interpolation, interpolation)
    return _BY_DEGREE.index(name) if name in _BY_DEGREE else None


def get_interpolation_derivative(interpolation: str, order: int = 1) -> str:
    """Return the interpolation of the `order`-th time derivative.

    Polynomials lose one degree per derivative down to ``next``; names without a
    degree give ``""``.

    Examples
    --------
    >>> get_interpolation_derivative("cubic")
    'quadratic'
    >>> get_interpolation_derivative("linear", 2)
    'next'
    """
    degree = interpolation_degree(interpolation)
    return "" if degree is None else _BY_DEGREE[max(0, degree - order)]


@dataclass(frozen=True)
class Group:
    """One group of values of a configuration. Immutable, hashable.

    The meaning of its name is found once.

    Parameters
    ----------
    name
        Kind and arguments separated by blanks, for example
        ``"joint_values BarrettWAM 0 1 2"``.
    offset
        Index of the first value in a configuration.
    dof
        Number of values.
    interpolation
        One of `INTERPOLATIONS`.
    """

    name: str
    offset: int
    dof: int
    interpolation: str = ""

    def __post_init__(self) -> None:
        if self.interpolation in _ALIASES:
            object.__setattr__(self, "interpolation", _ALIASES[self.interpolation])
        if self.interpolation not in INTERPOLATIONS:
            hint = did_you_mean(self.interpolation, INTERPOLATIONS)
            known = ", ".join(INTERPOLATIONS[1:])
            raise ArgumentError(
                f"group {self.name!r} has unknown interpolation "
                f"{self.interpolation!r}{hint}; known: {known}"
            )

    @cached_property
    def kind(self) -> str:
        """First word of the name."""
        words = self.name.split(maxsplit=1)
        return words[0] if words else ""

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Words of the name after the kind."""
        return tuple(self.name.split()[1:])

    @property
    def end(self) -> int:
        """Index after the last value."""
        return self.offset + self.dof

    @property
    def columns(self) -> slice:
        """The values' place in a configuration."""
        return slice(self.offset, self.end)

    @cached_property
    def body_name(self) -> str:
        """Name of the body the group is about, ``""`` when it names none."""
        kind, arguments = self.kind, self.arguments
        if is_joint_kind(kind) or kind.startswith("affine_") or kind in _WITH_BODY:
            return arguments[0] if arguments else ""
        if kind.startswith("ikparam_") and len(arguments) > 1:
            return arguments[1]
        return ""

    @property
    def joint_indices(self) -> Indices:
        """(dof,) int64, DOF indices of a joint group; 0, 1, ... if it names none.

        Raises
        ------
        ArgumentError
            A word is not an index, or there are not as many as values.
        """
        return self._named_joints.copy()

    @cached_property
    def _named_joints(self) -> Indices:
        words = self.arguments[1:]
        if not words:
            return np.arange(self.dof)
        try:
            indices = np.array([int(word) for word in words], dtype=np.int64)
        except (ValueError, OverflowError) as error:
            raise ArgumentError(
                f"group {self.name!r}: joint indices must be whole numbers"
            ) from error
        if len(indices) != self.dof or indices.min() < 0:
            raise ArgumentError(
                f"group {self.name!r} names {len(indices)} joint indices for "
                f"{self.dof} values; expected {self.dof}, none negative"
            )
        return indices

    @cached_property
    def affine_mask(self) -> Affine:
        """Mask of an affine group; guessed from the size when the name has none.

        Raises
        ------
        ArgumentError
            The mask is not a number or does not fit the number of values.
        """
        arguments = self.arguments
        if len(arguments) < 2 and self.dof == affine_dof(Affine.TRANSFORM):
            return Affine.TRANSFORM
        try:
            mask = int(arguments[1])
        except (IndexError, ValueError) as error:
            raise ArgumentError(f"group {self.name!r} has no affine mask") from error
        if affine_dof(mask) != self.dof:
            raise ArgumentError(
                f"group {self.name!r} has {self.dof} values, its mask {mask} means "
                f"{affine_dof(mask)}"
            )
        return Affine(mask)

    @property
    def affine_axis(self) -> tuple[float, float, float]:
        """Rotation axis of an affine group, +z when the name has none."""
        words = self.arguments[2:5]
        if len(words) < 3:
            return (0.0, 0.0, 1.0)
        try:
            x, y, z = (float(word) for word in words)
        except ValueError as error:
            raise ArgumentError(
                f"group {self.name!r}: the rotation axis is not three numbers"
            ) from error
        return (x, y, z)

    @property
    def ik_type(self) -> int:
        """Type code of an ``ikparam_`` group; see `IkParameterizationType`.

        Raises
        ------
        ArgumentError
            The name has no whole number there.
        """
        arguments = self.arguments
        try:
            return int(arguments[0])
        except (IndexError, ValueError) as error:
            raise ArgumentError(
                f"group {self.name!r} has no parameterization type"
            ) from error

    @cached_property
    def fault(self) -> str | None:
        """Part of its name that does not fit the group, in words; None if all fits."""
        try:
            if is_joint_kind(self.kind):
                _ = self._named_joints
            elif self.kind.startswith("affine_"):
                _ = self.affine_mask
            elif self.kind.startswith("ikparam_"):
                _ = self.ik_type
        except ArgumentError as error:
            return str(error)
        return None

    def with_kind(self, kind: str) -> str:
        """Return the name with another kind and the same arguments."""
        return " ".join((kind, *self.arguments))
