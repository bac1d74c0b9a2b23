"""Bodies and robots that are moved a little until they are free."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.objects import wrap
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.motion.planner_parameters import PlannerParameters

__all__ = ["JitterCurrentConfiguration", "JitterTransform"]

Array = NDArray[np.float64]
_SEED = 0


@guarded
def JitterTransform(body: Any, jitter: float, maxiterations: int = 1000) -> bool:
    """Move a body until it collides with nothing; False, and as it was, if it does."""
    # the simulation runs in another thread
    with body.GetEnv()._native.lock():
        return _jittered(body, float(jitter), int(maxiterations))


def _jittered(body: Any, jitter: float, count: int) -> bool:
    from pyrave.spatial import matrix_from_axis_angle

    env = body.GetEnv()
    if not env.CheckCollision(body):
        return True
    rng = np.random.default_rng(_SEED)
    present = matrix_of(body.GetTransform())
    for _ in range(count):
        pose = present.copy()
        pose[:3, 3] += jitter * rng.uniform(-1.0, 1.0, 3)
        turn = matrix_from_axis_angle(
            rng.normal(size=3), jitter * rng.uniform(-1.0, 1.0)
        )
        pose[:3, :3] = turn @ present[:3, :3]
        body.SetTransform(pose)
        if not env.CheckCollision(body):
            return True
    body.SetTransform(present)
    return False


@guarded
def JitterCurrentConfiguration(
    plannerparameters: Any,
    maxiterations: int = 5000,
    jitter: float = 0.015,
    perturbation: float = 1e-5,
) -> int:
    """Move bodies until they collide with nothing.

    Returns
    -------
    int
        0 if they are free where they are, 1 if they were moved, -1 if no free place was
        found: they are as they were then.
    """
    if not isinstance(plannerparameters, PlannerParameters):
        raise TypeError(
            f"expected PlannerParameters, found {type(plannerparameters).__name__}"
        )
    space = _Space(plannerparameters, float(perturbation))
    with space.lock():
        return space.jittered(max(1, int(maxiterations)), float(jitter))


class _Space:
    """Collisions of the bodies that parameters place."""

    def __init__(self, parameters: PlannerParameters, perturbation: float) -> None:
        self._parameters, self._perturbation = parameters, perturbation
        self._bodies = [wrap(body) for body in parameters._bodies()]

    def lock(self) -> AbstractContextManager[Any]:
        """Return a context that keeps the thread of the simulation away."""
        if not self._bodies:
            return nullcontext()
        lock: AbstractContextManager[Any] = self._bodies[0].GetEnv()._native.lock()
        return lock

    def jittered(self, count: int, jitter: float) -> int:
        """Place the bodies where they are free; see `JitterCurrentConfiguration`."""
        parameters = self._parameters
        present = parameters.GetStateFn()
        # what just touches is free in OpenRAVE: only what is moved keeps a distance
        if self.is_free(present, around=False):
            parameters.SetStateValues(present)
            return 0
        rng = np.random.default_rng(_SEED)
        for k in range(count):
            # later ones go further
            reach = jitter * min(1.0, 2.0 * (k + 1) / count)
            step = reach * rng.uniform(-1.0, 1.0, len(present))
            moved = parameters.NeighStateFn(present, step, 0)
            if moved is not None and self.is_free(moved, around=True):
                parameters.SetStateValues(moved)
                return 1
        parameters.SetStateValues(present)
        return -1

    def is_free(self, values: Array, *, around: bool) -> bool:
        """Return True if nothing collides at values, and a little around them."""
        steps = [0.0]
        if around and self._perturbation > 0.0:
            steps += [self._perturbation, -self._perturbation]
        return all(self._is_free_at(values + step) for step in steps)

    def _is_free_at(self, values: Array) -> bool:
        if self._parameters.SetStateValues(values) != 0:
            return False
        return not any(
            body.GetEnv().CheckCollision(body) or body.CheckSelfCollision()
            for body in self._bodies
        )
