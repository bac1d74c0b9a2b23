"""Samplers of configurations: uniform within a body's or robot's limits."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces.commands import command
from pyrave.interfaces.settings.declarations import setting
from pyrave.interfaces.spacesampler import Interval, SampleDataType, SpaceSamplerBase
from pyrave.kinematics.affine import Affine
from pyrave.spatial import Array, rotation_vector
from pyrave_base.samplers.cubes import checked_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot

_TRANSLATION_LIMIT = 100.0
_QUARTERS = (Affine.X, Affine.Y, Affine.Z)


@dataclass(frozen=True, slots=True)
class SampledSpace:
    """Sampled degrees of freedom: joints, then affine motions of the base."""

    indices: tuple[int, ...]
    affine: Affine = Affine.NONE

    @property
    def dof(self) -> int:
        """Degrees of freedom; a quaternion has 3."""
        quat = 1 if self.affine & Affine.ROTATION_QUAT else 0
        return len(self.indices) + self.affine.size - quat

    @property
    def n_values(self) -> int:
        """Numbers of one sample; a quaternion has 4."""
        return len(self.indices) + self.affine.size

    @property
    def n_box(self) -> int:
        """Values that are sampled independently of each other: all before a 3D turn."""
        n_turn = 3 if self.affine & (Affine.ROTATION_3D | Affine.ROTATION_QUAT) else 0
        return self.dof - n_turn


@dataclass(frozen=True)
class SamplerSettings:
    """Settings of samplers of configurations."""

    body: str = setting("", "name of the body or robot", fixed=True)
    source: str = setting(
        "MT19937", "id of the sampler that supplies the numbers", fixed=True
    )


class BodySampler(SpaceSamplerBase):
    """Base of samplers of a body's configurations. The body is kept weakly."""

    contract = 1
    settings_type = SamplerSettings
    word_settings: ClassVar[tuple[str, ...]] = ("body", "source")
    testing_arguments = "kit_arm"
    """Words with which the tests of its contract create one."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        if not self.settings.body:
            raise ArgumentError(
                f"{self.interface_id} has no body, expected the name of one: "
                f"env.create('spacesampler', {self.interface_id!r}, body='name')"
            )
        self._body = weakref.ref(self._find(self.settings.body))
        source = env.create("spacesampler", self.settings.source)
        self._source: SpaceSamplerBase = source

    def _find(self, name: str) -> KinBody:
        return self.env.bodies[name]

    def _space(self) -> SampledSpace:
        raise StateError(f"{self!r} does not say what it samples")

    @property
    def body(self) -> KinBody:
        """The body whose configurations are sampled."""
        body = self._body()
        if body is None:
            raise StateError(f"the body {self.settings.body!r} of {self!r} is gone")
        return body

    def get_dof(self) -> int:
        """Return the dimension of the space."""
        return self._space().dof

    def get_number_of_values(self) -> int:
        """Return the count of numbers of a configuration."""
        return self._space().n_values

    def set_space_dof(self, dof: int) -> None:
        """Accept the dimension that the body gives, no other."""
        if dof != self.get_dof():
            raise ArgumentError(
                f"the space of {self!r} has {self.get_dof()} dimensions, not {dof}"
            )

    def supports(self, kind: SampleDataType) -> bool:
        """Return True for real numbers."""
        return kind == SampleDataType.REAL

    def set_seed(self, seed: int) -> None:
        """Start the sequence that belongs to `seed`."""
        self._source.set_seed(seed)


class _UniformSampler(BodySampler):
    """Draws configurations that are uniform within limits."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.translation_limits: tuple[Array, Array] = (
            np.full(3, -_TRANSLATION_LIMIT),
            np.full(3, _TRANSLATION_LIMIT),
        )
        """(lower, upper), two (3,) arrays: where the base is placed, metres."""

    def get_limits(
        self, kind: SampleDataType = SampleDataType.REAL
    ) -> tuple[Array, Array]:
        """Return the smallest and largest values, two (n_values,) arrays."""
        if kind != SampleDataType.REAL:
            return super().get_limits(kind)
        space = self._space()
        lower, upper = self._box(space)
        n = space.n_values - len(lower)
        bound = 1.0 if space.affine & Affine.ROTATION_QUAT else np.pi
        return (
            np.concatenate((lower, np.full(n, -bound))),
            np.concatenate((upper, np.full(n, bound))),
        )

    def _box(self, space: SampledSpace) -> tuple[Array, Array]:
        """Return bounds of the values that are independent of each other."""
        body = self.body
        indices = list(space.indices)
        lower, upper = (bound[indices] for bound in body.dof_limits)
        for k, index in enumerate(indices):
            joint = body.structure.joint_of_dof(index)
            axis = index - joint.dof_index
            if joint.circular[axis]:
                period = float(body.model.circular_periods[index])
                half = 0.5 * period if period < np.inf else np.pi
                middle = float(joint.wrap_offsets[axis])
                lower[k], upper[k] = middle - half, middle + half
        which = [k for k, bit in enumerate(_QUARTERS) if space.affine & bit]
        low, high = (np.asarray(b, float)[which] for b in self.translation_limits)
        turn = [np.pi] if space.affine & Affine.ROTATION_AXIS else []
        return (
            np.concatenate((lower, low, np.negative(turn))),
            np.concatenate((upper, high, turn)),
        )

    def sample_sequence(
        self, n: int = 1, interval: Interval = Interval.CLOSED
    ) -> Array:
        """Return the next `n` configurations, (n, n_values).

        Joints and translations are within their limits (whose ends the interval
        includes or excludes), circular joints within one turn, rotations uniform.
        """
        return self._samples(n, Interval(interval), complete=False)

    def sample_complete(self, n: int, interval: Interval = Interval.CLOSED) -> Array:
        """Return `n` configurations that cover the space, (n, n_values)."""
        return self._samples(n, Interval(interval), complete=True)

    def _samples(self, n: int, interval: Interval, *, complete: bool) -> Array:
        space = self._space()
        count = checked_count(n, space.n_values)
        if not space.dof:
            return np.empty((count, 0))
        if self._source.get_dof() != space.dof:
            self._source.set_space_dof(space.dof)
        draw = (
            self._source.sample_complete if complete else self._source.sample_sequence
        )
        unit = draw(count, interval)
        lower, upper = self._box(space)
        values = _stretched(unit[:, : space.n_box], lower, upper, interval)
        if space.n_box == space.dof:
            return values
        quats = _uniform_quaternions(unit[:, space.n_box :])
        if space.affine & Affine.ROTATION_QUAT:
            return np.hstack((values, quats))
        turns = np.array([rotation_vector(quat) for quat in quats]).reshape(-1, 3)
        return np.hstack((values, turns))


class RobotConfigurationSampler(_UniformSampler):
    """Sample the active degrees of freedom of a robot, uniform within limits.

    What is active is taken over at creation; the command
    ``TrackActiveSpace 1`` follows later changes. Values come in the order of
    ``robot.active.values``: joints, then the base's motions.
    """

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._tracks = False
        self._fixed = self._active()

    def _find(self, name: str) -> KinBody:
        return self.env.robots[name]

    def _active(self) -> SampledSpace:
        robot: Robot = self.env.robots[self.body.name]
        return SampledSpace(
            tuple(robot.active_dof_indices.tolist()), robot.active.affine
        )

    def _space(self) -> SampledSpace:
        return self._active() if self._tracks else self._fixed

    @command(name="TrackActiveSpace")
    def track_active_space(self, track: bool = True) -> bool:
        """Follow changes of what is active (1), or stay at what is active now (0)."""
        self._fixed = self._active()
        self._tracks = track
        return True

    def get_own_state(self) -> Any:
        """Return the sampled space and the place in the sequence."""
        return self._tracks, self._fixed, self._source.get_state()

    def set_own_state(self, state: Any) -> None:
        """Go on where another sampler was."""
        self._tracks, self._fixed, source = state
        self._source.set_state(source)


class BodyConfigurationSampler(_UniformSampler):
    """Sample degrees of freedom of a body, uniform within limits.

    All are sampled until the command ``SetDOFs`` picks some.
    """

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._indices = tuple(range(self.body.dof))

    def _space(self) -> SampledSpace:
        return SampledSpace(self._indices)

    @command(name="SetDOFs")
    def set_dofs(self, dofs: list[int]) -> bool:
        """Sample these degrees of freedom, in this order; none means all."""
        self._set_indices(dofs)
        return True

    def _set_indices(self, dofs: Sequence[int]) -> None:
        n = self.body.dof
        indices = tuple(int(i) for i in dofs) or tuple(range(n))
        if len(set(indices)) != len(indices) or not all(0 <= i < n for i in indices):
            raise ArgumentError(
                f"dofs are {list(dofs)}, expected different indices within 0..{n - 1} "
                f"of body {self.body.name!r}"
            )
        self._indices = indices

    def get_own_state(self) -> Any:
        """Return the sampled space and the place in the sequence."""
        return self._indices, self._source.get_state()

    def set_own_state(self, state: Any) -> None:
        """Go on where another sampler was."""
        self._indices, source = state
        self._source.set_state(source)


def _stretched(unit: Array, lower: Array, upper: Array, interval: Interval) -> Array:
    """Return samples of 0..1 as samples of lower..upper, ends as the interval says."""
    values = np.clip(lower + unit * (upper - lower), lower, upper)
    # rounding must not reach an end that is excluded; a range of one point has no other
    wide = upper > lower
    if interval in {Interval.OPEN, Interval.OPEN_START}:
        low = np.where(wide, np.nextafter(lower, np.inf), lower)
        values = np.maximum(values, np.minimum(low, upper))
    if interval in {Interval.OPEN, Interval.OPEN_END}:
        high = np.where(wide, np.nextafter(upper, -np.inf), upper)
        values = np.minimum(values, np.maximum(high, lower))
    return np.asarray(values)


def _uniform_quaternions(unit: Array) -> Array:
    """Return uniform rotations (n, 4) w x y z from (n, 3) numbers in 0..1.

    Shoemake, Uniform random rotations, Graphics Gems III, 1992.
    """
    a, b = np.sqrt(1.0 - unit[:, 0]), np.sqrt(unit[:, 0])
    p, q = 2 * np.pi * unit[:, 1], 2 * np.pi * unit[:, 2]
    quats = np.stack((b * np.cos(q), a * np.sin(p), a * np.cos(p), b * np.sin(q)), 1)
    return np.asarray(np.where(quats[:, :1] < 0, -quats, quats))
