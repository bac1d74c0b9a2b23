"""The compiled kernels of a method: one set for each stage of solving loops."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING

from pyrave.jit import Kernel
from pyrave.jit.addresses import address_of
from pyrave_ik.kernels import packed_arm as at
from pyrave_ik.methods.decomposition import Kind
from pyrave_ik.methods.kernel_choice import (
    ANY_METHOD,
    METHODS,
    NEWTON_MS,
    STAGE_S,
    Method,
    Stage,
    loop_substitutes,
    stages_of,
    substitutes,
)

if TYPE_CHECKING:
    from pyrave.spatial import Array

_COMPILE_AFTER = 300.0
_SEARCH_MS = 2.5
_SEARCH_S = 15.0
_LOOP_S = 2.0


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
        self._method, self._calibrated = method, calibrated
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
        """The kernel `search` of `self_motion`; see `search_in`."""
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
            substitutes=ANY_METHOD,
        )

    @cached_property
    def loop(self) -> Kernel:
        """The kernel of one loop, which those of later stages call."""
        return self._loop_kernel(self.stage, calibrated=self._calibrated)

    @cached_property
    def _untilted(self) -> Kernel:
        return self._loop_kernel(Stage.REGULAR, calibrated=False)

    def _loop_kernel(self, stage: Stage, *, calibrated: bool) -> Kernel:
        return Kernel(
            "pyrave_ik.kernels.one_loop",
            "loop",
            self._said,
            _LOOP_S,
            whole=True,
            substitutes=loop_substitutes(self._method, stage, calibrated=calibrated),
        )

    def solve_in(self, packed: Array) -> Callable[..., int]:
        """Return the call of `solve`, for an array that gets what it needs."""
        if self.stage is not Stage.REGULAR:
            packed[at.LOOP] = address_of(self.loop.now())
        return self.solve.call

    def search_in(self, packed: Array) -> tuple[Callable[..., int], Array]:
        """Return the call of `search` with untilted loops, and an array for it."""
        mine = packed.copy()  # threads may solve singular loops with the other
        if self.search.function is None:
            plain = self.search.early(0.0)
            if plain is not None:  # a few searches do not pay for compiling a loop
                mine[at.LOOP] = address_of(self._untilted.module.loop)
                return plain, mine
        mine[at.LOOP] = address_of(self._untilted.now())
        return self.search.call, mine

    @property
    def all(self) -> list[Kernel]:
        """The kernels that solvers call."""
        if self.stage is not Stage.REGULAR:
            return [self.loop, self.solve]
        plain = [] if self.solve_current is None else [self.solve_current]
        return [
            self.solve, *plain, self.solve_pose, self.solve_batch,
            self._untilted, self.search,
        ]  # fmt: skip

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
