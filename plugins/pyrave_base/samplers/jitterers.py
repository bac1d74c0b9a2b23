"""Samplers near the present configuration of a robot, which lead it out of contact."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.commands import command
from pyrave.interfaces.settings.declarations import setting
from pyrave.spatial import as_vector
from pyrave_base.samplers.jitter_search import JittererSettings, tool_steps
from pyrave_base.samplers.jitterer_base import JittererBase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.spatial import Array
    from pyrave_base.samplers.jitter_search import JitterSearch

_STILL, _WHOLE = 0.2, 0.8
"""Parts of the range below which a value stays, and above which it changes most."""
_STRAIGHT = (0.2, 0.5, 0.9)
"""Parts of the bias that are looked at first."""
_DIRECTIONS = np.array([one for one in product((0.0, -1.0, 1.0), repeat=3) if any(one)])
_DIRECTIONS /= np.linalg.norm(_DIRECTIONS, axis=1)[:, None]


@dataclass(frozen=True)
class BiasedSettings(JittererSettings):
    """Settings of `ConfigurationJitterer`."""

    bias: tuple[float, ...] = setting(
        (), "way in the world that the tool tends to go: 3, or none", unit="m"
    )
    null_probability: float = setting(
        0.6, "of steps that leave the tool where it is", least=0, most=1
    )
    bias_probability: float = setting(0.5, "of steps along the bias", least=0, most=1)
    delta_probability: float = setting(
        0.5, "of changes of values beside these steps", least=0, most=1
    )

    def check(self) -> None:
        """Refuse a bias without direction."""
        super().check()
        if self.bias and not as_vector(self.bias, 3, "bias").any():
            raise ArgumentError("bias must not be zero")


class ConfigurationJitterer(JittererBase):
    """Sample free configurations near the present one of a robot.

    Each value changes by `max_jitter` at most, and by steps of the tool along a bias
    and of values that leave the tool where it is; nearer configurations are looked at
    first. No corner of a box around a link goes further than `link_distance`, along the
    bias as far as that is long.
    """

    contract = 1
    settings_type = BiasedSettings
    word_settings = ("body", "source", "cache")

    @property
    def _means_tool(self) -> bool:
        return super()._means_tool or bool(self.settings.bias)

    def _candidates(
        self, search: JitterSearch, *, first: bool
    ) -> Iterator[tuple[Array, Array | None]]:
        known, n = self.settings, search.space.dof
        if not known.bias:
            for numbers, reach in self._draws(2 * n + 4):
                yield search.centre + _deltas(numbers[:, :n], reach), None
            return
        bias = np.array(known.bias)
        (step,), still = tool_steps(self._tool_jacobian(search), bias[None])
        far = 2.0 * known.link_distance or float(np.linalg.norm(bias))
        for numbers, reach in self._draws(2 * n + 4):
            nulls = numbers[:, n] < known.null_probability
            along = numbers[:, n + 1] < known.bias_probability
            alone = ~nulls & ~along
            deltas = alone | (numbers[:, n + 2] < known.delta_probability)
            rows = search.centre + deltas[:, None] * _deltas(numbers[:, :n], reach)
            rows += (along * numbers[:, n + 3])[:, None] * step
            amounts = far * (2.0 * numbers[:, n + 4 : n + 4 + len(still)] - 1.0)
            rows += nulls[:, None] * amounts @ still
            if first:
                straight = np.array(_STRAIGHT[: len(rows)])
                rows[: len(straight)] = search.centre + straight[:, None] * step
                first = False
            yield rows, np.tile(bias, (len(rows), 1))

    @command(name="SetManipulatorBias")
    def set_manipulator_bias(
        self,
        manipulator: str,
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.1,
        null_probability: float = 0.6,
        bias_probability: float = 0.5,
        delta_probability: float = 0.5,
    ) -> bool:
        """Let the tool tend to go along x, y, z in the world, metres.

        The probabilities are those of steps that leave the tool where it is, of steps
        along the bias, and of changes of values beside these.
        """
        self.change_settings(
            manipulator=manipulator,
            bias=(x, y, z),
            null_probability=null_probability,
            bias_probability=bias_probability,
            delta_probability=delta_probability,
        )
        return True

    def _parameters(self) -> dict[str, Any]:
        found, known = super()._parameters(), self.settings
        if known.bias:
            found["jitterBiasDirection"] = list(known.bias)
            found["nullSampleProb"] = known.null_probability
            found["nullBiasSampleProb"] = known.bias_probability
            found["deltaSampleProb"] = known.delta_probability
        return found


@dataclass(frozen=True)
class WorkspaceSettings(JittererSettings):
    """Settings of `WorkspaceConfigurationJitterer`."""

    null_probability: float = setting(
        0.6, "of steps that leave the tool where it is", least=0, most=1
    )


class WorkspaceConfigurationJitterer(JittererBase):
    """Sample free configurations of a robot whose tool is near its present place.

    The tool goes `max_jitter` metres at most, along one of 26 directions: axes of the
    tool, and halves between them. Across it no corner of a box around a link goes
    further than `link_distance`, along it no further than a metre.
    """

    contract = 1
    settings_type = WorkspaceSettings
    word_settings = ("body", "manipulator", "source", "cache")
    testing_arguments = "kit_arm arm"

    @property
    def _means_tool(self) -> bool:
        return True

    def _candidates(
        self, search: JitterSearch, *, first: bool
    ) -> Iterator[tuple[Array, Array | None]]:
        jacobian = self._tool_jacobian(search)
        ways = _DIRECTIONS @ self._arm().transform[:3, :3].T
        steps, still = tool_steps(jacobian, ways)
        far = 2.0 * self.settings.link_distance
        for numbers, reach in self._draws(3 + search.space.dof):
            which = np.minimum((numbers[:, 0] * len(ways)).astype(int), len(ways) - 1)
            rows = search.centre + (reach * numbers[:, 2])[:, None] * steps[which]
            nulls = numbers[:, 1] < self.settings.null_probability
            amounts = 2.0 * numbers[:, 3 : 3 + len(still)] - 1.0
            amounts *= far or reach[:, None]
            yield rows + nulls[:, None] * amounts @ still, ways[which]

    @command(name="SetNullSpaceSamplingProb")
    def set_null_probability(self, probability: float) -> bool:
        """Set the probability of steps that leave the tool where it is."""
        self.change_settings(null_probability=probability)
        return True

    def _parameters(self) -> dict[str, Any]:
        return super()._parameters() | {
            "nullSampleProb": self.settings.null_probability
        }


def _deltas(numbers: Array, reach: Array) -> Array:
    """Return changes (k, n) of values: none, some, or as far as they go, (k,)."""
    parts = 2.0 * numbers - 1.0
    parts[np.abs(parts) < _STILL] = 0.0
    return np.where(np.abs(parts) > _WHOLE, np.sign(parts), parts) * reach[:, None]
