"""ConfigurationSpecification: what each number of a waypoint means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import as_indices
from pyrave.trajectories import body_values, group_values, specification_xml
from pyrave.trajectories.conversion import best_match, convert_rows
from pyrave.trajectories.group_union import merged
from pyrave.trajectories.groups import (
    Group,
    affine_dof,
    derivative_kind,
    get_interpolation_derivative,
    is_joint_kind,
    time_derivative_order,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike

    from pyrave.ik.parameterization import IkParameterization, IkTypeLike
    from pyrave.spatial import Array, Indices, IndicesLike


@dataclass(frozen=True, repr=False)
class ConfigurationSpecification:
    """Ordered groups of values that make up one configuration.

    Immutable, hashable and picklable: every operation returns a new specification
    (``spec += other`` rebinds the name). Values are (..., dof) float64 arrays; the
    last axis is one configuration.

    Parameters
    ----------
    groups
        In the order in which they are written; their offsets need not ascend.

    Examples
    --------
    >>> spec = ConfigurationSpecification().add_group("joint_values a 0 1", 2, "cubic")
    >>> spec = spec.add_derivative_groups(1, add_delta_time=True)
    >>> [group.name for group in spec.groups]
    ['joint_values a 0 1', 'joint_velocities a 0 1', 'deltatime']
    """

    groups: tuple[Group, ...] = ()

    @classmethod
    def of_ik(
        cls,
        target: IkParameterization,
        interpolation: str = "linear",
        robot: str = "",
        manipulator: str = "",
    ) -> ConfigurationSpecification:
        """Return a specification of one group that holds such a target."""
        name, dof = group_values.ik_group(target.type, robot, manipulator)
        return cls().add_group(name, dof, interpolation)

    @cached_property
    def dof(self) -> int:
        """Number of values of one configuration."""
        return sum(group.dof for group in self.groups)

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __str__(self) -> str:
        return self.to_xml()

    def __repr__(self) -> str:
        return group_values.specification_line(self.groups)

    def is_valid(self) -> bool:
        """Return True if names make sense and every value belongs to one group."""
        return self.problem() is None

    def problem(self) -> str | None:
        """Return the fault of the specification, or None."""
        return self._fault

    @cached_property
    def _fault(self) -> str | None:
        end = 0
        for group in sorted(self.groups, key=lambda g: g.offset):
            if not group.kind:
                return "a group has no name"
            if group.dof <= 0:
                return (
                    f"group {group.name!r} has {group.dof} values, expected 1 or more"
                )
            if group.offset != end:
                return (
                    f"group {group.name!r} starts at {group.offset}, expected {end}: "
                    "groups must neither overlap nor leave gaps"
                )
            end = group.end
            if group.fault is not None:
                return group.fault
        return None

    def require_valid(self) -> None:
        """Raise an ArgumentError that says what is wrong, if something is."""
        if self._fault is not None:
            raise ArgumentError(f"configuration specification: {self._fault}")

    def reset_group_offsets(self) -> ConfigurationSpecification:
        """Return the groups one after the other, in their order."""
        offset, groups = 0, []
        for group in self.groups:
            groups.append(replace(group, offset=offset))
            offset += group.dof
        return ConfigurationSpecification(tuple(groups))

    def add_group(
        self, group: Group | str, dof: int | None = None, interpolation: str = ""
    ) -> ConfigurationSpecification:
        """Return the specification with one more group at the end.

        Parameters
        ----------
        group
            A group, whose offset is not used, or its name.
        dof, interpolation
            Number of values and interpolation when `group` is a name.

        Raises
        ------
        ArgumentError
            The name exists with another number of values, or is not valid. An equal
            group that exists is kept as it is.
        """
        if isinstance(group, str):
            if dof is None:
                raise ArgumentError(
                    f"the number of values of group {group!r} is missing"
                )
            group = Group(group, 0, dof, interpolation)
        for existing in self.groups:
            if existing.name.split() == group.name.split():
                if existing.dof == group.dof:
                    return self
                raise ArgumentError(
                    f"group {group.name!r} exists with {existing.dof} values; found "
                    f"{group.dof}"
                )
        new = replace(group, offset=self.dof)
        if new.dof <= 0 or not new.kind:
            raise ArgumentError(f"group {new.name!r} with {new.dof} values is empty")
        if new.fault is not None:
            raise ArgumentError(new.fault)
        return ConfigurationSpecification((*self.groups, new))

    def add_delta_time_group(self) -> ConfigurationSpecification:
        """Return the specification with a ``deltatime`` group (seconds)."""
        return self.add_group("deltatime", 1)

    def add_derivative_groups(
        self, order: int, add_delta_time: bool = False
    ) -> ConfigurationSpecification:
        """Return the specification with time derivatives of every position group.

        Parameters
        ----------
        order
            1 adds velocities, 2 accelerations, ... (not those between).
        add_delta_time
            Add a ``deltatime`` group too.
        """
        _check_order(order)
        result = self
        for group in self.groups:
            if time_derivative_order(group.kind) == 0:
                result = result.add_group(_derivative(group, order))
        return result.add_delta_time_group() if add_delta_time else result

    def remove_groups(
        self, name: str, exact: bool = True
    ) -> ConfigurationSpecification:
        """Return the specification without groups of a name; offsets close up.

        Parameters
        ----------
        exact
            Compare whole names; else remove every name that starts with `name`.
        """
        kept = tuple(
            group
            for group in self.groups
            if not (group.name == name if exact else group.name.startswith(name))
        )
        return ConfigurationSpecification(kept).reset_group_offsets()

    def __add__(self, other: ConfigurationSpecification) -> ConfigurationSpecification:
        if not isinstance(other, ConfigurationSpecification):
            return NotImplemented
        return ConfigurationSpecification(merged(self.groups, other.groups))

    def group_from_name(self, name: str) -> Group:
        """Return the first group whose name is, or starts with, `name`.

        Raises
        ------
        ArgumentError
            There is none; lists those that are.
        """
        for matches in (str.__eq__, str.startswith):
            for group in self.groups:
                if matches(group.name, name):
                    return group
        known = ", ".join(repr(group.name) for group in self.groups) or "none"
        raise ArgumentError(f"no group {name!r}; known: {known}")

    def find_compatible_group(
        self, group: Group | str, exact: bool = False
    ) -> Group | None:
        """Return the group that represents `group` best, or None.

        Parameters
        ----------
        exact
            Only the same name will do; else joints may be a subset, affine masks
            differ and so on.
        """
        if isinstance(group, str):
            group = _from_name(group)
        found = best_match(self.groups, group)
        if exact and found is not None and found.name.split() != group.name.split():
            return None
        return found

    def find_time_derivative_group(
        self, group: Group | str, exact: bool = False
    ) -> Group | None:
        """Return the group of the first time derivative of `group`, or None."""
        return self._related(group, 1, exact)

    def find_time_integral_group(
        self, group: Group | str, exact: bool = False
    ) -> Group | None:
        """Return the group whose first time derivative `group` is, or None."""
        return self._related(group, -1, exact)

    def _related(self, group: Group | str, order: int, exact: bool) -> Group | None:
        name = group if isinstance(group, str) else group.name
        words = name.split()
        kind = derivative_kind(words[0], order) if words else None
        if kind is None:
            return None
        related = " ".join((kind, *words[1:]))
        if isinstance(group, str):
            return self.find_compatible_group(related, exact)
        return self.find_compatible_group(replace(group, name=related), exact)

    def used_body_names(self) -> tuple[str, ...]:
        """Return the names of bodies that groups are about, in order."""
        names = (group.body_name for group in self.groups)
        return tuple(dict.fromkeys(name for name in names if name))

    def extract_used_bodies(self, env: Any) -> list[Any]:
        """Return the bodies of `env` that groups are about, in order."""
        return [env.bodies[n] for n in self.used_body_names() if n in env.bodies]

    def extract_used_indices(self, body: Any) -> tuple[Indices, Indices]:
        """Return DOF indices of a body that are used, and where each is first.

        Parameters
        ----------
        body
            A body or its name.

        Returns
        -------
        tuple
            (k,) int64 DOF indices in order of appearance, and (k,) int64 the index of
            each one's value.
        """
        name = group_values.name_of(body)
        found: dict[int, int] = {}
        for group in self.groups:
            if is_joint_kind(group.kind) and group.body_name == name:
                for position, index in enumerate(group.joint_indices.tolist()):
                    found.setdefault(index, group.offset + position)
        both = np.array([*found.items()], dtype=np.int64).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def convert_to_velocity_specification(self) -> ConfigurationSpecification:
        """Return the specification with every position group as its velocity."""
        return self.convert_to_derivative_specification(1)

    def convert_to_derivative_specification(
        self, order: int
    ) -> ConfigurationSpecification:
        """Return the specification with positions as their `order`-th derivative.

        Offsets stay; other groups stay as they are.
        """
        _check_order(order)
        return ConfigurationSpecification(
            tuple(
                _derivative(group, order)
                if time_derivative_order(group.kind) == 0
                else group
                for group in self.groups
            )
        )

    def extract_joint_values(
        self,
        data: ArrayLike,
        body: Any,
        indices: IndicesLike | None = None,
        time_derivative: int = 0,
        default: ArrayLike | None = None,
    ) -> Array | None:
        """Return joint values (..., k) of a body.

        Parameters
        ----------
        data
            (..., dof) float64.
        body
            A body or its name.
        indices
            (k,) DOF indices; None for all that the specification has, in order.
        time_derivative
            0 for values (rad or m), 1 for velocities, ...
        default
            (k,) values for joints that are not there. Without it None is returned
            unless all are there.
        """
        rows = _rows(self, data)
        name = group_values.name_of(body)
        return group_values.extract_joints(
            self.groups, rows, name, _listed(indices), time_derivative, default
        )

    def insert_joint_values(
        self,
        data: Array,
        values: ArrayLike,
        body: Any,
        indices: IndicesLike | None = None,
        time_derivative: int = 0,
    ) -> bool:
        """Write joint values (..., k) into `data` (..., dof) in place.

        Returns
        -------
        bool
            Whether any of the joints is in the specification.
        """
        rows = _writable(self, data)
        name = group_values.name_of(body)
        return group_values.insert_joints(
            self.groups, rows, values, name, _listed(indices), time_derivative
        )

    def extract_transform(
        self, data: ArrayLike, body: Any, base: ArrayLike | None = None
    ) -> Array | None:
        """Return poses (..., 4, 4) of a body, or None when no group has them.

        Parameters
        ----------
        base
            Pose that supplies what the group's mask leaves out; default identity.
        """
        rows = _rows(self, data)
        name = group_values.name_of(body)
        return group_values.extract_transform(self.groups, rows, name, base)

    def insert_transform(self, data: Array, pose: ArrayLike, body: Any) -> bool:
        """Write poses (..., 4, 4) into `data` in place; False without a group."""
        rows = _writable(self, data)
        name = group_values.name_of(body)
        return group_values.insert_transform(self.groups, rows, pose, name)

    def extract_affine_rates(
        self, data: ArrayLike, body: Any, time_derivative: int = 1
    ) -> Array | None:
        """Return (..., 6) linear then angular rates of a body, world axes, or None.

        Parameters
        ----------
        time_derivative
            1 for velocities (m/s, rad/s), 2 for accelerations.
        """
        rows = _rows(self, data)
        name = group_values.name_of(body)
        return group_values.extract_rates(self.groups, rows, name, time_derivative)

    def extract_ik_parameterization(
        self,
        data: ArrayLike,
        ik_type: IkTypeLike | None = None,
        robot: Any = "",
        manipulator: str = "",
        time_derivative: int = 0,
    ) -> IkParameterization | None:
        """Return the first matching parameterization of one configuration, or None.

        Parameters
        ----------
        data
            (dof,) float64.
        ik_type
            Type to look for, its name or its code; None for any.
        robot, manipulator
            Robot (or its name) and manipulator that the group must name, if given.
        time_derivative
            1 gives the velocity variant of the type.
        """
        rows = _rows(self, data)
        names = (group_values.name_of(robot), manipulator)
        return group_values.extract_ik(
            self.groups, rows, ik_type, names, time_derivative
        )

    def insert_ik_parameterization(
        self, data: Array, parameterization: IkParameterization
    ) -> bool:
        """Write a parameterization into `data` in place; False without a group."""
        rows = _writable(self, data)
        return group_values.insert_ik(self.groups, rows, parameterization)

    def extract_delta_time(self, data: ArrayLike) -> Array | None:
        """Return delta times (...) in seconds, or None without such a group."""
        rows = _rows(self, data)
        return group_values.extract_delta_time(self.groups, rows)

    def insert_delta_time(self, data: Array, delta_time: ArrayLike) -> bool:
        """Write delta times (...), seconds, in place; False without such a group."""
        rows = _writable(self, data)
        return group_values.insert_delta_time(self.groups, rows, delta_time)

    def apply(self, env: Any, data: ArrayLike) -> None:
        """Set the bodies of `env` (``env.bodies[name]``) to one configuration.

        Joint values and velocities, poses and base velocities are set; grabbing and
        timing groups are the business of controllers.

        Raises
        ------
        NotFoundError
            A body is not in the environment.
        """
        body_values.apply(self.groups, env, _rows(self, data, ndim=1))

    def read(self, env: Any) -> Array:
        """Return the present configuration (dof,) of the bodies of `env`.

        Values that bodies do not have, such as accelerations and delta time, are 0.
        """
        return body_values.read(self.groups, env, self.dof)

    def get_set_fn(self, env: Any) -> Callable[[ArrayLike], None]:
        """Return a function that applies a configuration to `env`."""
        return lambda data: self.apply(env, data)

    def get_get_fn(self, env: Any) -> Callable[[], Array]:
        """Return a function that reads the present configuration of `env`."""
        return lambda: self.read(env)

    def to_xml(self) -> str:
        """Return the ``<configuration>`` element as OpenRAVE writes it."""
        return specification_xml.write(self.groups)

    @classmethod
    def from_xml(cls, source: Any) -> ConfigurationSpecification:
        """Read a ``<configuration>`` element.

        Parameters
        ----------
        source
            Text, UTF-8 bytes or an lxml element.

        Raises
        ------
        SceneError
            It is not XML, not a configuration, or a group has no meaning.
        """
        return cls(specification_xml.read(source))


def convert_data(
    target: ConfigurationSpecification,
    data: ArrayLike,
    source: ConfigurationSpecification,
    *,
    fill: bool = True,
    out: Array | None = None,
    env: Any = None,
) -> Array:
    """Convert configurations (..., source dof) to another specification.

    Parameters
    ----------
    fill
        Give values that `source` does not have a default: the body's present state
        when `env` has the body, else zero or the identity pose. Without it those
        values of `out` are left alone.
    out
        (..., target dof) float64 to write into; needed when `fill` is off.

    Returns
    -------
    (..., target dof) float64
    """
    rows = _rows(source, data)
    shape = (*rows.shape[:-1], target.dof)
    if out is None:
        if not fill:
            raise ArgumentError("fill=False needs out=, there is nothing to keep")
        out = np.zeros(shape)
    elif out.shape != shape or out.dtype != np.float64:
        raise ArgumentError(
            f"out is {out.dtype} of shape {out.shape}, expected float64 {shape}"
        )
    flat = np.zeros((rows[..., 0].size, target.dof))
    flat[:] = out.reshape(flat.shape)
    convert_rows(
        target.groups,
        source.groups,
        rows.reshape(flat.shape[0], source.dof),
        flat,
        fill=fill,
        env=env,
    )
    out[...] = flat.reshape(shape)
    return out


def _rows(
    spec: ConfigurationSpecification, data: ArrayLike, ndim: int | None = None
) -> Array:
    try:
        rows = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"data is not an array of numbers: {data!r}") from error
    wrong_rank = rows.ndim == 0 or (ndim is not None and rows.ndim != ndim)
    if wrong_rank or rows.shape[-1] != spec.dof:
        wanted = f"({spec.dof},)" if ndim == 1 else f"(..., {spec.dof})"
        raise ArgumentError(f"data has shape {rows.shape}, expected {wanted}")
    return rows


def _writable(spec: ConfigurationSpecification, data: Array) -> Array:
    if not isinstance(data, np.ndarray) or data.dtype != np.float64:
        raise ArgumentError("data is written in place: it must be a float64 array")
    return _rows(spec, data)


def _listed(indices: IndicesLike | None) -> list[int] | None:
    return None if indices is None else as_indices(indices, "indices").tolist()


def _check_order(order: int) -> None:
    if order < 1:
        raise ArgumentError(f"derivative order is {order}, expected 1 or more")


def _derivative(group: Group, order: int) -> Group:
    kind = derivative_kind(group.kind, order)
    if kind is None:
        raise ArgumentError(f"{group.kind!r} has no {order}. time derivative group")
    interpolation = get_interpolation_derivative(group.interpolation, order)
    return Group(group.with_kind(kind), group.offset, group.dof, interpolation)


def _from_name(name: str) -> Group:
    """Return a group of that name with the number of values the name implies."""
    words = name.split()
    dof = 1
    if words and is_joint_kind(words[0]):
        dof = max(1, len(words) - 2)
    elif words and words[0].startswith("affine_") and len(words) > 1:
        mask = words[2] if len(words) > 2 and words[2].isdigit() else "39"
        dof = affine_dof(int(mask))
    return Group(name, 0, dof)
