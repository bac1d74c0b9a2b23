"""The compiled kernels of a method: one set for each stage of solving loops."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING

from pyrave.jit import Kernel
from pyrave_ik.kernels import packed_arm as at
from pyrave_ik.methods.decomposition import Kind
from pyrave_ik.methods.kernel_choice import (
    METHODS,
    NEWTON_MS,
    STAGE_S,
    Method,
    Stage,
    stages_of,
    substitutes,
)

if TYPE_CHECKING:
    from pyrave.spatial import Array

_COMPILE_AFTER = 300.0
_SEARCH_MS = 2.5
_SEARCH_S = 15.0


class ArmKernels:
    """The kernels of one method at one stage. Threads may share it.

    Their first calls run in the interpreter, while they are compiled.
    """

    def __init__(self, method: Method, stage: Stage, *, calibrated: bool) -> None:
        self.stage = stage
        self._number = stages_of(calibrated=calibrated).index(stage)
        tilted = " and tilted axes" if calibrated else ""
        ending = ("", ", by elimination", " at singular poses")[stage]
        self._said = f"inverse kinematics of {method.serves}{tilted}{ending}"
        cost = method.singular_ms if stage is Stage.SINGULAR else method.loop_ms
        if calibrated:
            cost += NEWTON_MS
            if stage is not Stage.REGULAR:
                cost += METHODS[Kind.GENERAL, False].loop_ms
        self.loop_ms = cost
        self._seconds = method.compile_s + STAGE_S * self._number
        self._method = method
        self._substitutes = substitutes(method, stage, calibrated=calibrated)
        self.solve = self._kernel(
            "solve",
            lambda _packed, _base, _pose, _virtual, samples, _near, _out: (
                cost * len(samples)
            ),
        )
        """``(packed, base, pose, virtual, samples, near, out) -> rows``"""
        self.solve_pose = self._kernel("solve_pose", lambda *_: cost)
        """``(packed, pose, out) -> rows``"""
        self.solve_batch = self._kernel(
            "solve_batch",
            lambda _packed, _base, poses, samples, _near, _out, _counts: (
                cost * len(samples) * len(poses)
            ),
        )
        """``(packed, base, poses, samples, near, out, counts) -> poses done``"""
        # elimination has no plain call: it would be compiled once more
        has_plain = not calibrated and cost < NEWTON_MS
        self.solve_current = (
            self._kernel("solve_current", lambda *_: cost) if has_plain else None
        )
        """``(record, links, values, pose, out) -> rows``, the kernel of a plain call;
        None where loops take much longer than it"""

    @cached_property
    def search(self) -> Kernel:
        """The kernel `search` of `self_motion`, with regular loops untilted."""
        nominal = substitutes(self._method, Stage.REGULAR, calibrated=False)
        return Kernel(
            "pyrave_ik.kernels.redundancy.self_motion",
            "search",
            f"{self._said} with a joint to spare",
            _SEARCH_S,
            cost=lambda _packed, _base, _pose, _virtual, _held, values, *_: (
                (self.loop_ms + _SEARCH_MS) * len(values)
            ),
            compile_after=_COMPILE_AFTER,
            whole=True,
            substitutes=nominal,
        )

    @property
    def all(self) -> list[Kernel]:
        """The kernels that solvers call."""
        if self.stage is not Stage.REGULAR:
            return [self.solve]
        plain = [] if self.solve_current is None else [self.solve_current]
        return [self.solve, *plain, self.solve_pose, self.solve_batch, self.search]

    def _kernel(self, name: str, cost: Callable[..., float]) -> Kernel:
        return Kernel(
            "pyrave_ik.kernels.solve",
            name,
            self._said,
            self._seconds,
            cost=cost,
            compile_after=_COMPILE_AFTER,
            whole=True,
            substitutes=self._substitutes,
        )


@cache
def kernels_by(method: Method, calibrated: bool) -> tuple[ArmKernels, ...]:
    """Return the kernels of a method by stage.

    Parameters
    ----------
    calibrated
        Whether they are for loops that the method fits but for tilts.
    """
    stages = stages_of(calibrated=calibrated)
    return tuple(ArmKernels(method, stage, calibrated=calibrated) for stage in stages)


def kernels_of(packed: Array) -> tuple[ArmKernels, ...]:
    """Return the kernels that solve an arm, first those for regular poses."""
    dh_frames = bool(packed[at.DH_FRAMES] != 0.0)
    method = METHODS[Kind(int(packed[at.KIND])), dh_frames]
    return kernels_by(method, bool(packed[at.TILT] > 0.0))


def fits(packed: Array) -> bool:
    """Prepare a packed arm for its kernels; return whether they fit its loop."""
    return bool(kernels_of(packed)[0].solve.module.prepare(packed))
