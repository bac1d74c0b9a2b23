"""Limits of degrees of freedom: the model's, or a body's own instead."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.followers import LARGEST
from pyrave.kinematics.kernels.limits import BROUGHT, SLACK, WRAPPED
from pyrave.kinematics.limits import BRING_WITHIN, TAKE_WITHIN, LimitCheck
from pyrave.messages import WARNED, user_place, warn
from pyrave.spatial import Array, Indices, as_numbers, as_vector
from pyrave.texts import degrees_hint

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics import Model
    from pyrave.scene import JointDescription

_log = logging.getLogger("pyrave")
_AXIS_FIELDS: Mapping[str, str] = {
    "lower": "lower",
    "upper": "upper",
    "velocity_limits": "velocity_limit",
    "acceleration_limits": "acceleration_limit",
    "jerk_limits": "jerk_limit",
    "torque_limits": "torque_limit",
    "weights": "weight",
    "resolutions": "resolution",
}
_NONE: Mapping[str, Array] = {}


class DofLimits:
    """Per-body limits over those of a shared model."""

    __slots__ = ("_bounds", "_harmless", "_model", "_own", "_ranges", "_warned")

    def __init__(self, model: Model, own: Mapping[str, Array] | None = None) -> None:
        self._model = model
        self._warned: set[tuple[CodeType, int]] | None = None
        self._own = own or _NONE
        self._bounds: tuple[Array, Array] | None = None
        self._harmless: Array | None = None
        self._ranges: Array | None = None

    @property
    def own(self) -> Mapping[str, Array]:
        """The body's own limits, (dof,) each by their names in the model; assignable.

        Whoever assigns it does not change the arrays any more.
        """
        return self._own

    @own.setter
    def own(self, own: Mapping[str, Array]) -> None:
        self._own = own
        self._bounds = self._harmless = self._ranges = None

    def of_model(self, model: Model) -> DofLimits:
        """Return the same own limits over another model of the same joints."""
        limits = DofLimits(model, self._own)
        limits._warned = self._warned
        return limits

    @property
    def bounds(self) -> tuple[Array, Array]:
        """(lower, upper) views, two (dof,) arrays; circular axes have +-10000.

        The same tuple until limits change or the body has another model.
        """
        known = self._bounds
        if known is None:
            model, own = self._model, self._own
            known = self._bounds = (
                own.get("lower", model.dof_lower),
                own.get("upper", model.dof_upper),
            )
        return known

    def take(self, values: ArrayLike, out: Array) -> bool:
        """Copy values (dof,) to `out` if nothing has to be done about them.

        Returns False, with nothing copied, where some need wrapping or clamping, may
        have no finite follower, or loops have to be closed, and for whatever is not the
        plainest kind of array.
        """
        harmless = self._harmless
        if harmless is None:
            harmless = self._harmless = self._harmless_range()
        try:
            return TAKE_WITHIN.call(values, harmless, out) == 0
        except (TypeError, ValueError):
            return False

    def _harmless_range(self) -> Array:
        """Return (2, dof) between which nothing has to be done about values."""
        model = self._model
        low, high = model.wrap_ranges
        lower, upper = self.bounds
        most = sys.float_info.max
        if model.has_mimic:
            linear = model.linear_followers
            most = LARGEST if linear is not None and linear.are_finite else -1.0
        if model.kept_loops is not None:
            most = -1.0  # nothing is between 1 and -1
        low, high = np.maximum(low, lower), np.minimum(high, upper)
        return np.array((np.maximum(low, -most), np.minimum(high, most)))

    def set_bounds(self, lower: ArrayLike, upper: ArrayLike) -> None:
        """Replace the position limits."""
        low = self._limits(lower, "lower limits")
        high = self._limits(upper, "upper limits")
        wrong = np.flatnonzero(low > high)
        if wrong.size:
            k = int(wrong[0])
            joint = self._model.joint_names[int(self._model.value_joint[k])]
            raise ArgumentError(
                f"the lower limit {low[k]:g} of joint {joint!r} is above its upper "
                f"limit {high[k]:g}"
            )
        self.own = {**self._own, "lower": low, "upper": high}

    def _limits(self, values: ArrayLike, name: str) -> Array:
        """Return a (dof,) copy; unlike other values, limits may be infinite."""
        array = as_numbers(values, name).copy()
        if np.isnan(array).any():
            raise ArgumentError(f"{name} have values that are not numbers: {array}")
        as_vector(np.nan_to_num(array), self._model.n_dof, name)
        return array

    def get(self, name: str) -> Array:
        """Return a copy of a limit by its name in the model, (dof,)."""
        return self.view(name).copy()

    def view(self, name: str) -> Array:
        """Return a limit by its name in the model, (dof,), which nobody writes to."""
        found = self._own.get(name)
        if found is None:
            found = getattr(self._model, name)[: self._model.n_dof]
        return found

    def set(self, name: str, values: ArrayLike) -> None:
        """Replace a limit; negative values are refused."""
        wanted = self._limits(values, name)
        if (wanted < 0).any():
            raise ArgumentError(f"{name} has a negative value: {wanted}")
        self.own = {**self._own, name: wanted}

    def shifted(self, offset: Array) -> dict[str, Array]:
        """Return the own limits of values that count from another zero."""
        return {
            name: bound - offset if name in {"lower", "upper"} else bound
            for name, bound in self.own.items()
        }

    def described(
        self, joints: tuple[JointDescription, ...]
    ) -> tuple[JointDescription, ...]:
        """Return the joints with the body's own limits in place of the file's."""
        if not self.own:
            return joints
        result = list(joints)
        for dof, joint in enumerate(self._model.value_joint[: self._model.n_dof]):
            known = result[joint]
            k = dof - int(self._model.joint_values[joint, 0])
            axis = known.axes[k]
            fields = {
                field: float(self.own[name][dof])
                for name, field in _AXIS_FIELDS.items()
                if name in self.own
                # the limits of a turning axis are its range, not these
                and not (axis.circular and name in {"lower", "upper"})
            }
            axes = (*known.axes[:k], replace(axis, **fields), *known.axes[k + 1 :])
            result[joint] = replace(known, axes=axes)
        return tuple(result)

    def applied(
        self, values: Array, indices: Indices | None, check: LimitCheck, body: str
    ) -> Array:
        """Return values wrapped on circular axes and clamped, or raise.

        Parameters
        ----------
        values
            (dof,) or one per index.
        body
            Name for messages.
        """
        ranges = self._ranges
        if ranges is None:
            ranges = self._ranges = np.vstack((self._model.wrap_ranges, *self.bounds))
        if indices is not None:
            ranges = ranges.take(indices, axis=1)
        out = np.empty((2, len(values)))
        try:
            first = BRING_WITHIN.call(values, ranges, out)
        except TypeError:  # a view of something else, or read-only
            first = BRING_WITHIN.call(values.copy(), ranges, out)
        if first >= 0 and not self._is_known(check):
            dof = first if indices is None else indices[first]
            joint = self._model.joint_names[int(self._model.value_joint[dof])]
            lower, upper = ranges[-2:, first]
            slides = self._model.prismatic[dof]
            hint = "" if slides else degrees_hint(float(values[first]))
            self._judge(
                f"value {out[WRAPPED, first]:g} of joint {joint!r} of {body!r} is "
                f"outside of its limits {lower:g}..{upper:g}{hint}",
                check,
            )
        brought: Array = out[BROUGHT]
        return brought

    def applied_rates(
        self, values: Array, indices: Indices | None, check: LimitCheck, body: str
    ) -> Array:
        """Return velocities clamped to their limits, or raise; as `applied`."""
        which: Any = slice(None) if indices is None else indices
        limits = self.get("velocity_limits")[which]
        outside = np.abs(values) > limits + SLACK
        if outside.any() and not self._is_known(check):
            k = int(np.argmax(outside))
            dof = k if indices is None else indices[k]
            joint = self._model.joint_names[int(self._model.value_joint[dof])]
            self._judge(
                f"velocity {values[k]:g} of joint {joint!r} of {body!r} is above its "
                f"limit {limits[k]:g}",
                check,
            )
        return np.clip(values, -limits, limits)

    def _is_known(self, check: LimitCheck) -> bool:
        """Return True if nobody needs to be told of values that are clamped."""
        if check is not LimitCheck.CLAMP_AND_WARN:
            return check is LimitCheck.CLAMP
        known = self._warned is not None and user_place() in self._warned
        return known and not _log.isEnabledFor(logging.DEBUG)

    def _judge(self, text: str, check: LimitCheck) -> None:
        """Raise, or warn once for each line that sets values of the body."""
        if check is LimitCheck.RAISE:
            raise ArgumentError(text)
        place, message = user_place(), f"{text}; it is clamped"
        known = self._warned = set() if self._warned is None else self._warned
        level = logging.DEBUG if place in known else logging.WARNING
        _log.log(level, "%s", message, extra=WARNED)
        if place not in known:
            warn(message)  # which may raise, also the next time
            known.add(place)
