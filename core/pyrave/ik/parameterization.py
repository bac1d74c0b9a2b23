"""IkParameterization: the goal of an inverse kinematics solver.

A value is a type and a few numbers, stored in OpenRAVE's order: rotations and
directions first, then positions; angles before positions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import IntEnum
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.attributes import answers_other_names
from pyrave.cards import listed
from pyrave.errors import ArgumentError, NotSupportedError, did_you_mean, shown
from pyrave.ik import _algebra as algebra
from pyrave.ik.goal_parts import GoalParts
from pyrave.spatial import as_number, as_pose, as_vector, quat_from_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from pyrave.spatial import Array
_VELOCITY_BIT = 0x8000
_CUSTOM_BIT = 0x10000
_MAX_CUSTOM = 100_000


class IkParameterizationType(IntEnum):
    """Kinds of targets; the codes are OpenRAVE's.

    The highest half byte is how many degrees of freedom are constrained, the next
    how many numbers are stored. Bit 0x8000 marks the velocity of a target.
    """

    Transform6D = 0x67000001
    Rotation3D = 0x34000002
    Translation3D = 0x33000003
    Direction3D = 0x23000004
    Ray4D = 0x46000005
    Lookat3D = 0x23000006
    TranslationDirection5D = 0x56000007
    TranslationXY2D = 0x22000008
    TranslationXYOrientation3D = 0x33000009
    TranslationLocalGlobal6D = 0x3600000A
    TranslationXAxisAngle4D = 0x4400000B
    TranslationYAxisAngle4D = 0x4400000C
    TranslationZAxisAngle4D = 0x4400000D
    TranslationXAxisAngleZNorm4D = 0x4400000E
    TranslationYAxisAngleXNorm4D = 0x4400000F
    TranslationZAxisAngleYNorm4D = 0x44000010
    Transform6DVelocity = 0x67008001
    Rotation3DVelocity = 0x34008002
    Translation3DVelocity = 0x33008003
    Direction3DVelocity = 0x23008004
    Ray4DVelocity = 0x46008005
    Lookat3DVelocity = 0x23008006
    TranslationDirection5DVelocity = 0x56008007
    TranslationXY2DVelocity = 0x22008008
    TranslationXYOrientation3DVelocity = 0x33008009
    TranslationLocalGlobal6DVelocity = 0x3600800A
    TranslationXAxisAngle4DVelocity = 0x4400800B
    TranslationYAxisAngle4DVelocity = 0x4400800C
    TranslationZAxisAngle4DVelocity = 0x4400800D
    TranslationXAxisAngleZNorm4DVelocity = 0x4400800E
    TranslationYAxisAngleXNorm4DVelocity = 0x4400800F
    TranslationZAxisAngleYNorm4DVelocity = 0x44008010

    @property
    def dof(self) -> int:
        """Degrees of freedom that the target constrains."""
        return self >> 28

    @property
    def n_values(self) -> int:
        """Numbers that are stored."""
        return self >> 24 & 0xF

    @property
    def is_velocity(self) -> bool:
        """True if this is the velocity of a target."""
        return self & _VELOCITY_BIT != 0

    @property
    def position_type(self) -> IkParameterizationType:
        """The type without the velocity bit."""
        return IkParameterizationType(self.value & ~_VELOCITY_BIT)

    @property
    def velocity_type(self) -> IkParameterizationType:
        """The type with the velocity bit."""
        return IkParameterizationType(self.value | _VELOCITY_BIT)

    @classmethod
    def of(cls, kind: IkTypeLike) -> IkParameterizationType:
        """Return a type that was given as such, by name in any case, or by code.

        Raises
        ------
        ArgumentError
            No type has that name or code.
        """
        if type(kind) is cls:
            return kind
        known = [member.name for member in cls if not member.is_velocity]
        if isinstance(kind, str):
            for member in cls:
                if member.name.lower() == kind.strip().lower():
                    return member
            raise ArgumentError(
                f"no ik parameterization type {shown(kind)}"
                f"{did_you_mean(kind, known)}; known: {', '.join(known)}"
            )
        if isinstance(kind, Integral) and int(kind) in cls._value2member_map_:
            return cls(int(kind))
        raise ArgumentError(
            f"the ik parameterization type is {shown(kind)}, expected an "
            f"IkParameterizationType, its name or its code; known: {', '.join(known)}"
        )


IkTypeLike = IkParameterizationType | str | int
"""A type, its name or its code."""


@answers_other_names
@dataclass(frozen=True, slots=True, repr=False)
class IkParameterization(GoalParts):
    """A target for inverse kinematics. Immutable, hashable, picklable.

    Parameters
    ----------
    type
        Kind of target.
    values
        `type.n_values` numbers, in metres and radians; rotations are unit
        quaternions w x y z, directions unit vectors (both are normalised).
    custom
        Named lists of numbers that travel along. A name that contains
        ``_transform=direction_``, ``_transform=point_``, ``_transform=quat_`` or
        ``_transform=ikparam_`` says how `transformed` treats them; others stay.

    Examples
    --------
    >>> IkParameterization.translation_3d((0.1, 0.2, 0.3)).values
    (0.1, 0.2, 0.3)
    """

    type: IkParameterizationType
    values: tuple[float, ...]
    custom: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def __post_init__(self) -> None:
        kind = IkParameterizationType.of(self.type)
        object.__setattr__(self, "type", kind)
        values = as_vector(self.values, kind.n_values, f"values of {kind.name}")
        if not kind.is_velocity:
            values = algebra.normalised(kind.name, values)
        object.__setattr__(self, "values", tuple(values.tolist()))
        custom = []
        for name, numbers in self.custom:
            if not name or name.split() != [name]:
                raise ArgumentError(f"custom name {name!r} must be one word")
            custom.append((name, tuple(as_vector(numbers, None, name).tolist())))
        names = [name for name, _ in custom]
        if len(set(names)) != len(names):
            raise ArgumentError(f"custom names are not unique: {', '.join(names)}")
        object.__setattr__(self, "custom", tuple(sorted(custom)))

    def __repr__(self) -> str:
        numbers = " ".join(f"{value:.6g}" for value in self.values)
        more = f", {listed(name for name, _ in self.custom)}" if self.custom else ""
        return f"<IkParameterization {self.type.name}: {numbers}{more}>"

    # -- constructors --------------------------------------------------------

    @classmethod
    def _make(cls, name: str, **parts: tuple[ArrayLike, int]) -> IkParameterization:
        """Return the goal of named parts in order, each with its size."""
        checked = [as_vector(part, n, key) for key, (part, n) in parts.items()]
        return cls(
            IkParameterizationType[name], tuple(np.concatenate(checked).tolist())
        )

    @classmethod
    def transform_6d(cls, pose: Any) -> IkParameterization:
        """Full pose of the tool, (4, 4) or qw qx qy qz x y z."""
        matrix = as_pose(pose)
        quat = quat_from_matrix(matrix[:3, :3])
        values = (*quat.tolist(), *matrix[:3, 3].tolist())
        return cls(IkParameterizationType.Transform6D, values)

    @classmethod
    def rotation_3d(cls, quat_wxyz: ArrayLike) -> IkParameterization:
        """Orientation of the tool, (4,).

        Parameters
        ----------
        quat_wxyz
            Quaternion w, x, y, z.
        """
        return cls._make("Rotation3D", quat_wxyz=(quat_wxyz, 4))

    @classmethod
    def translation_3d(cls, position: ArrayLike) -> IkParameterization:
        """Position of the tool's origin, (3,)."""
        return cls._make("Translation3D", position=(position, 3))

    @classmethod
    def direction_3d(cls, direction: ArrayLike) -> IkParameterization:
        """Direction that the tool's direction points along, (3,)."""
        return cls._make("Direction3D", direction=(direction, 3))

    @classmethod
    def ray_4d(cls, position: ArrayLike, direction: ArrayLike) -> IkParameterization:
        """Line that the tool's ray lies on: a point on it and its direction."""
        return cls._make("Ray4D", direction=(direction, 3), position=(position, 3))

    @classmethod
    def lookat_3d(cls, position: ArrayLike) -> IkParameterization:
        """Position that the tool's direction points at, (3,)."""
        return cls._make("Lookat3D", position=(position, 3))

    @classmethod
    def translation_direction_5d(
        cls, position: ArrayLike, direction: ArrayLike
    ) -> IkParameterization:
        """Position and direction of the tool; turning about the direction is free."""
        return cls._make(
            "TranslationDirection5D", direction=(direction, 3), position=(position, 3)
        )

    @classmethod
    def translation_xy_2d(cls, position: ArrayLike) -> IkParameterization:
        """Position in the plane, (2,).

        Parameters
        ----------
        position
            (2,) metres.
        """
        return cls._make("TranslationXY2D", position=(position, 2))

    @classmethod
    def translation_xy_orientation_3d(
        cls, position: ArrayLike, angle: float
    ) -> IkParameterization:
        """Position in the plane (2,) and turn about +z, 0 along +x.

        Parameters
        ----------
        angle
            Radians.
        position
            (2,) metres.
        """
        return cls._make(
            "TranslationXYOrientation3D",
            position=(position, 2),
            angle=([as_number(angle, "angle")], 1),
        )

    @classmethod
    def translation_local_global_6d(
        cls, local: ArrayLike, position: ArrayLike
    ) -> IkParameterization:
        """Point of the tool frame (3,) that reaches a position (3,).

        Parameters
        ----------
        local
            (3,) in the tool frame, metres.
        """
        return cls._make(
            "TranslationLocalGlobal6D", local=(local, 3), position=(position, 3)
        )

    @classmethod
    def translation_axis_angle_4d(
        cls, axis: str, position: ArrayLike, angle: float
    ) -> IkParameterization:
        """Position and angle (0..pi) between the tool's direction and a base axis.

        Parameters
        ----------
        axis
            ``"x"``, ``"y"`` or ``"z"``.
        """
        return cls._axis_angle(f"Translation{_axis(axis)}AxisAngle4D", angle, position)

    @classmethod
    def translation_axis_angle_norm_4d(
        cls, axis: str, position: ArrayLike, angle: float
    ) -> IkParameterization:
        """Position, and angle of a direction in a base plane from a base axis.

        Parameters
        ----------
        axis
            ``"x"`` (in the x-y plane), ``"y"`` (y-z) or ``"z"`` (z-x).
        """
        norm = {"X": "Z", "Y": "X", "Z": "Y"}[_axis(axis)]
        name = f"Translation{_axis(axis)}AxisAngle{norm}Norm4D"
        return cls._axis_angle(name, angle, position)

    @classmethod
    def _axis_angle(
        cls, name: str, angle: float, position: ArrayLike
    ) -> IkParameterization:
        turn = [as_number(angle, "angle")]
        return cls._make(name, angle=(turn, 1), position=(position, 3))

    @classmethod
    def from_pose(
        cls,
        type_: IkTypeLike,
        pose: Any,
        direction: ArrayLike = (0.0, 0.0, 1.0),
        local_point: ArrayLike = (0.0, 0.0, 0.0),
    ) -> IkParameterization:
        """Return the target of a type that a tool at `pose` meets.

        Parameters
        ----------
        type_
            The type, its name in any case, or its code.
        pose
            T_base_tool, (4, 4).
        direction
            The tool's direction in the tool frame, (3,).
        local_point
            Point in the tool frame for ``TranslationLocalGlobal6D``, metres.
        """
        kind = IkParameterizationType.of(type_)
        if kind.is_velocity:
            raise NotSupportedError(f"a pose has no {kind.name}; use the position type")
        axis = as_vector(direction, 3, "direction")
        point = as_vector(local_point, 3, "local_point")
        values = algebra.from_pose(kind.name, as_pose(pose), axis, point)
        return cls(kind, tuple(values.tolist()))

    # -- algebra -------------------------------------------------------------

    @property
    def array(self) -> Array:
        """The values as a new (n_values,) float64 array."""
        return np.array(self.values)

    def transformed(self, pose: Any) -> IkParameterization:
        """Return the target seen from another frame: T_a_b times a target in b.

        Parameters
        ----------
        pose
            T_a_b: (4, 4), or quaternion and position.
        """
        matrix = as_pose(pose)
        name = self.type.position_type.name
        values = algebra.transformed(
            name, self.array, matrix, velocity=self.type.is_velocity
        )
        custom = tuple(
            (key, _transformed_custom(key, numbers, matrix))
            for key, numbers in self.custom
        )
        return IkParameterization(self.type, tuple(values.tolist()), custom)

    def __rmatmul__(self, pose: Any) -> IkParameterization:
        return self.transformed(pose)

    def moved(self, pose: Any) -> IkParameterization:
        """Return the target after a motion in its own frame: the target times T.

        A direction is the z axis of its frame, which the shortest turn takes there from
        z. Targets that are a position alone have the axes of their base; custom lists
        stay as they are.

        Parameters
        ----------
        pose
            T: (4, 4), or quaternion and position.

        Raises
        ------
        NotSupportedError
            It is the velocity of a target.
        """
        if self.type.is_velocity:
            raise NotSupportedError(
                f"a {self.type.name} has no frame of its own to move in; expected a "
                "target that is no velocity"
            )
        values = algebra.moved(self.type.name, self.array, as_pose(pose))
        return replace(self, values=tuple(values.tolist()))

    def __matmul__(self, pose: Any) -> IkParameterization:
        return self.moved(pose)

    # numpy must not try to multiply by elements in ``T @ parameterization``.
    __array_ufunc__ = None

    def distance2(self, other: IkParameterization) -> float:
        """Return the squared distance to a target of the same type.

        Metres and radians mixed: squared translation plus 0.4 times the squared
        angle; plain squares for types that have only one of the two and for the
        angle of the ``Angle4D`` types. A ``Lookat3D`` is measured across the viewing
        direction, for which OpenRAVE takes +x, up to 1 m behind.

        Parameters
        ----------
        other
            A target of the same type.
        """
        if not isinstance(other, IkParameterization):
            raise ArgumentError(f"other is {shown(other)}, expected IkParameterization")
        if self.type is not other.type:
            raise ArgumentError(
                f"no distance between {self.type.name} and {other.type.name}; expected "
                "the same type"
            )
        if self.type.is_velocity:
            difference = self.array - other.array
            return float(difference @ difference)
        return algebra.distance2(self.type.name, self.array, other.array)

    def with_custom(self, name: str, numbers: ArrayLike) -> IkParameterization:
        """Return the target with a named list added or replaced.

        Parameters
        ----------
        numbers
            Any, kept as floats.
        """
        kept = tuple(item for item in self.custom if item[0] != name)
        new = (name, tuple(as_vector(numbers, None, name).tolist()))
        return replace(self, custom=(*kept, new))

    def without_custom(self, name: str | None = None) -> IkParameterization:
        """Return the target without one named list, or without any.

        Parameters
        ----------
        name
            Of the list; None: all.
        """
        kept = () if name is None else self.custom
        return replace(self, custom=tuple(item for item in kept if item[0] != name))

    @property
    def custom_values(self) -> Mapping[str, tuple[float, ...]]:
        """The named lists as a new dictionary."""
        return dict(self.custom)

    # -- text ----------------------------------------------------------------

    def serialize(self) -> str:
        """Return OpenRAVE's text: type, values, then any custom lists, with blanks."""
        code = int(self.type) | (_CUSTOM_BIT if self.custom else 0)
        words = [str(code), *_words(self.values)]
        if self.custom:
            words.append(str(len(self.custom)))
            for name, numbers in self.custom:
                words += (name, str(len(numbers)), *_words(numbers))
        return " ".join(words) + " "

    def __str__(self) -> str:
        return self.serialize()

    @classmethod
    def deserialize(cls, text: str) -> IkParameterization:
        """Read what `serialize` or OpenRAVE wrote.

        Parameters
        ----------
        text
            Type and numbers.

        Raises
        ------
        ArgumentError
            The type is unknown, or numbers are missing, too many or not finite.
        """
        if not isinstance(text, str):
            raise ArgumentError(f"text is {shown(text)}, expected that of serialize()")
        words = text.split()
        reader = _Words(words, text)
        code = reader.whole_number("type code")
        try:
            kind = IkParameterizationType(code & ~_CUSTOM_BIT)
        except ValueError as error:
            raise ArgumentError(
                f"unknown ik parameterization type {code} in {text[:80]!r}"
            ) from error
        values = reader.numbers(kind.n_values)
        custom = []
        if code & _CUSTOM_BIT:
            for _ in range(reader.whole_number("number of custom lists")):
                name = reader.word("name of a custom list")
                custom.append((name, reader.numbers(reader.whole_number("length"))))
        if reader.rest:
            raise ArgumentError(
                f"{reader.rest} words too many for {kind.name} in {text[:80]!r}"
            )
        return cls(kind, values, tuple(custom))


class _Words:
    """Reads words of a text one after the other, with clear errors."""

    def __init__(self, words: Sequence[str], text: str) -> None:
        self._words = words
        self._text = text[:80]
        self._next = 0

    @property
    def rest(self) -> int:
        return len(self._words) - self._next

    def word(self, what: str) -> str:
        if not self.rest:
            raise ArgumentError(f"{what} is missing in {self._text!r}")
        self._next += 1
        return self._words[self._next - 1]

    def whole_number(self, what: str) -> int:
        word = self.word(what)
        try:
            value = int(word)
        except ValueError as error:
            raise ArgumentError(
                f"{what} is {word!r}, expected a whole number, in {self._text!r}"
            ) from error
        if value < 0:
            raise ArgumentError(f"{what} is negative in {self._text!r}")
        return value

    def numbers(self, count: int) -> tuple[float, ...]:
        if count > min(self.rest, _MAX_CUSTOM):
            raise ArgumentError(
                f"{count} numbers expected, {self.rest} words left in {self._text!r}"
            )
        try:
            return tuple(float(self.word("number")) for _ in range(count))
        except ValueError as error:
            raise ArgumentError(f"not a number in {self._text!r}") from error


def _axis(axis: str) -> str:
    if not isinstance(axis, str) or axis.lower() not in {"x", "y", "z"}:
        raise ArgumentError(f"axis is {axis!r}, expected 'x', 'y' or 'z'")
    return axis.upper()


def _words(numbers: Sequence[float]) -> list[str]:
    return [f"{number:.16g}" for number in numbers]


def _transformed_custom(
    key: str, numbers: tuple[float, ...], pose: Array
) -> tuple[float, ...]:
    _, found, rest = key.partition("_transform=")
    kind = rest.split("_", 1)[0] if found else ""
    if kind == "ikparam":
        if not numbers or not math.isfinite(numbers[0]):
            raise ArgumentError(f"custom list {key!r} does not begin with a type code")
        kind_of = IkParameterizationType.of(int(numbers[0]))
        inner = IkParameterization(kind_of, numbers[1:]).transformed(pose)
        return (numbers[0], *inner.values)
    return algebra.transformed_custom(kind, key, numbers, pose)
