"""An arm's solutions as a compiled function, for loops that Python is too slow for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.records import Record
from pyrave.spatial import Array, as_pose
from pyrave_ik.arm.chain import WORLD
from pyrave_ik.kernels.packed_arm import N_FREE, N_JOINTS, THRESHOLD

if TYPE_CHECKING:
    from pyrave_ik.methods.bounded_arm import BoundedArm

_ROWS = 32


@dataclass(frozen=True)
class CompiledIk(Record):
    """All solutions of poses of one arm, without anything around the kernel.

    ``function(packed, pose, out)`` writes the joint values (n, d) that reach `pose`,
    (3 or 4, 4) T_base_tool in the frame of the arm's base link, into the first rows of
    `out` and returns n. All arrays are C-contiguous float64, `out` is (rows, d). Where
    n is larger than `rows` the others had no room. It is negative at poses that the
    kernel does not settle alone, most singular ones among them: `solutions` does. It is
    -3, and nothing is written, where `pose` or `out` has another shape.

    Functions that numba compiles can call it, without the GIL if they have none.
    """

    function: Callable[[Array, Array, Array], int]
    packed: Array
    """The arm and its limits as they were, (k,); nobody writes to it."""
    _whole: BoundedArm

    @classmethod
    def from_arm(cls, arm: BoundedArm) -> CompiledIk:
        """Compile the function, or read what was compiled before.

        Raises
        ------
        NotSupportedError
            If the arm has free joints, or goals may be missed by a threshold.
        """
        array = arm.array
        if array[N_FREE]:
            raise NotSupportedError(
                "a compiled function of one pose needs an arm without free joints, "
                f"found {int(array[N_FREE])}; use solve_ik_batch, or hold joints"
            )
        if array[THRESHOLD]:
            raise NotSupportedError(
                "a compiled function of one pose has no goals that it may miss, found "
                f"ikthreshold {array[THRESHOLD]:g}; use solve_ik_batch, or a solver "
                "without it"
            )
        return cls(arm.kernels.solve_pose.now(), array, arm)

    def solutions(self, pose: Array) -> Array:
        """Return all joint values (n, d) of (4, 4) T_base_tool, also of singular ones.

        Raises
        ------
        ArgumentError
            If it is no rigid transform.
        """
        return self._whole.all(WORLD, as_pose(pose, "pose"))

    def __call__(self, pose: Array) -> Array:
        """Return the result of `function` for (4, 4), or else that of `solutions`.

        T_base_tool is a C-contiguous float64 array; that it is rigid is not checked.
        """
        out = np.empty((_ROWS, int(self.packed[N_JOINTS])))
        n = self.function(self.packed, pose, out)
        return out[:n] if 0 <= n <= _ROWS else self.solutions(pose)
