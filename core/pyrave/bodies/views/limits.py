"""Limits of the degrees of freedom of a body, as scripts see and set them."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from pyrave.bodies.views.part import BodyPart
from pyrave.errors import ArgumentError
from pyrave.spatial import Array
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody


def replace_limit(body: KinBody, name: str, values: ArrayLike) -> None:
    """Give a body limits of its own, (dof,), by their name in the model."""
    body.limit_store.set(name, values)
    body.notify(BodyChange.LIMITS)


class LimitProperty:
    """An assignable (dof,) limit of a body, and of `KinBody.limits`: the same data."""

    def __init__(self, name: str, doc: str) -> None:
        self._name = name
        self.__doc__ = f"{doc}"

    @overload
    def __get__(self, item: None, owner: type) -> LimitProperty: ...
    @overload
    def __get__(self, item: KinBody | BodyLimits, owner: type) -> Array: ...
    def __get__(
        self, item: KinBody | BodyLimits | None, owner: type
    ) -> LimitProperty | Array:
        return self if item is None else _body(item).limit_store.get(self._name)

    def __set__(self, item: KinBody | BodyLimits, values: ArrayLike) -> None:
        replace_limit(_body(item), self._name, values)


class BodyLimits(BodyPart):
    """Limits, weights and resolutions of the degrees of freedom: `KinBody.limits`.

    The body's own in place of those of its description; saved with the scene. The ones
    that scripts need most have names at the body, such as `KinBody.dof_limits`.
    """

    __slots__ = ()

    @property
    def position(self) -> tuple[Array, Array]:
        """(lower, upper), two (dof,) arrays, radians or metres; assignable.

        Circular axes have +-10000.
        """
        lower, upper = self._body.limit_store.bounds
        return lower.copy(), upper.copy()

    @position.setter
    def position(self, limits: tuple[ArrayLike, ArrayLike]) -> None:
        try:
            lower, upper = limits
        except (TypeError, ValueError):
            raise ArgumentError(
                f"position limits are {limits!r}, expected two arrays: lower, upper"
            ) from None
        self._body.limit_store.set_bounds(lower, upper)
        self._body.notify(BodyChange.LIMITS)

    velocity = LimitProperty("velocity_limits", "rad/s or m/s")
    acceleration = LimitProperty("acceleration_limits", "rad/s2 or m/s2")
    jerk = LimitProperty("jerk_limits", "rad/s3 or m/s3")
    torque = LimitProperty("torque_limits", "N m or N, 0 where not known")
    weights = LimitProperty("weights", "weights of the configuration distance")
    resolutions = LimitProperty(
        "resolutions", "steps of path checks, radians or metres"
    )


def _body(item: KinBody | BodyLimits) -> KinBody:
    return item.body if isinstance(item, BodyLimits) else item
