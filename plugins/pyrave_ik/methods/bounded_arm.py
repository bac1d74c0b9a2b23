"""An arm within limits, ready to be solved: calls of the compiled kernels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.geometry.workers import core_count, deal
from pyrave.jit import Kernel
from pyrave.messages import ProgressLine
from pyrave.spatial import Array
from pyrave_ik.arm.chain import WORLD
from pyrave_ik.kernels.packed_arm import N_FREE, WITHIN
from pyrave_ik.methods.arm_kernels import kernels_of
from pyrave_ik.methods.candidates import Candidates, unwind
from pyrave_ik.methods.packed_arm import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.methods.decomposition import Decomposition

    Indices = NDArray[np.int64]

NO_FREE = np.empty((1, 0))
"""The values of held axes where there are none."""
NO_VIRTUAL = np.empty((0, 8))
MAX_ROWS = 2_000_000
_NOWHERE = np.empty(0)
_CHUNK = 256
_NO_COUNTS = np.empty(0)
_REGULAR_ROWS = 64
_POINTS = 33
_SAME = 1e-4
"""Largest difference of joints that stay on a continuum."""
"""Values of each moving joint for which points of a continuum are determined."""
kernel = Kernel(
    "pyrave_ik.kernels.branches",
    "branches",
    cost=lambda _bounded, _base, _pose, _virtual, _samples, rows, _out: 0.5 * len(rows),
    merged=True,
    whole=True,
)


class BoundedArm:
    """Solves goals of one arm within given limits. Threads may share it.

    Goals are T_world_goal (3 or 4, 4) with T_world_base, and virtual joints (k, 8) with
    their sides. Samples are rows (m, f) of values of the held axes.

    Parameters
    ----------
    how, chain, free, bounds, turns, threshold, dh_frames, given, every, reference
        See `pack`.
    """

    def __init__(
        self,
        how: Decomposition,
        chain: ArmChain,
        free: Sequence[int],
        bounds: Array,
        *,
        turns: Sequence[float],
        threshold: float = 0.0,
        dh_frames: bool = True,
        given: bool = False,
        every: bool = False,
        reference: Array | None = None,
    ) -> None:
        self._made = partial(
            BoundedArm,
            how,
            chain,
            free,
            bounds,
            turns=turns,
            threshold=threshold,
            given=given,
            every=every,
            reference=reference,
        )
        self.complete = how.complete
        """True if all solutions are found."""
        self.array = pack(
            how,
            chain,
            free,
            bounds,
            turns=turns,
            threshold=threshold,
            dh_frames=dh_frames,
            given=given,
            every=every,
            reference=reference,
        )
        self.stages = kernels_of(self.array)
        """The kernels for regular poses, and those for loops that these leave."""
        self.kernels = self.stages[0]
        self.bounds = bounds
        self._d = len(bounds)
        self._rows = 32
        self._for_any: BoundedArm | None = None

    def decides(
        self,
        base: Array,
        pose: Array,
        virtual: Array = NO_VIRTUAL,
        samples: Array = NO_FREE,
    ) -> bool:
        """Return True if all solutions of a goal are found, or proven to be none.

        False at singular poses and near them, where methods may lose solutions.
        """
        out = np.empty((1, self._d))
        end = [np.array(one, np.float64, order="C") for one in (base, pose, virtual)]
        n = self.kernels.solve.call(self.array, *end, samples, _NOWHERE, out)
        if n >= 0 or n == -1 - len(samples):
            return self.complete and n >= 0
        return self._any().decides(base, pose, virtual, samples)

    def all(
        self,
        base: Array,
        pose: Array,
        virtual: Array = NO_VIRTUAL,
        samples: Array = NO_FREE,
        near: Array = _NOWHERE,
    ) -> Array:
        """Return all joint values (k, d).

        Parameters
        ----------
        near
            (d,) joint values: joints are at the nearest turns, and of each continuum
            the nearest point is given. Empty: the reference.
        """
        return self.rows(base, pose, virtual, samples, near, 0)

    def regular(self, pose: Array, virtual: Array, samples: Array) -> Array | None:
        """Return all joint values (k, d) of T_base_goal, None at singular poses.

        Kernels for these are not compiled.
        """
        out = np.empty((_REGULAR_ROWS, self._d))
        n = self.kernels.solve.call(
            self.array, WORLD, pose, virtual, samples, _NOWHERE, out
        )
        return out[:n] if 0 <= n <= len(out) else None

    def meets(self, near: Array, base: Array, pose: Array, virtual: Array) -> bool:
        """Return True if joint values (d,) within limits meet a goal.

        False also where that is not known: with joints held, and virtual ones.
        """
        if len(virtual) or self.array[N_FREE]:
            return False
        plain = self.kernels.solve.module
        ends = np.empty((2, 3, 4))
        plain.relative(base, pose, ends[0])
        plain.target(self.array, ends[0], ends[1])
        return bool(plain.meets(self.array, ends[1], near))

    def nearest(
        self,
        near: Array,
        base: Array,
        pose: Array,
        virtual: Array = NO_VIRTUAL,
        samples: Array = NO_FREE,
    ) -> Array | None:
        """Return the joint values (d,) nearest to (d,), or None.

        Parameters
        ----------
        samples
            In the order of their distance from `near`.
        """
        rows = self.rows(base, pose, virtual, samples, near, 0, nearest=True)
        return rows[0] if len(rows) else None

    def candidates(
        self,
        near: Array,
        base: Array,
        pose: Array,
        virtual: Array = NO_VIRTUAL,
        samples: Array = NO_FREE,
        *,
        turned: bool = False,
    ) -> Candidates:
        """Return joint values, the nearest to (d,) first, and what limits leave out.

        Joints that turn without end are as far as the short way round.

        Parameters
        ----------
        turned
            Whether they also have the turn nearest to `near`.
        """
        rows = self.all_rows(base, pose, virtual, samples, near)
        return self.sorted_out(rows, near, base, pose, virtual, samples, turned=turned)

    def all_rows(
        self,
        base: Array,
        pose: Array,
        virtual: Array = NO_VIRTUAL,
        samples: Array = NO_FREE,
        near: Array = _NOWHERE,
    ) -> Array:
        """Return joint values (k, 2 d + 8) with what `kernels.solve` says of them."""
        pose = np.ascontiguousarray(pose, dtype=np.float64)
        return self.rows(base, pose, virtual, samples, near, self._d + 8)

    def sorted_rows(
        self, rows: Array, near: Array, *, turned: bool
    ) -> tuple[Array, Array]:
        """Return rows inside of the limits, the nearest to (d,) first, and the others.

        Parameters
        ----------
        rows
            (k, 2 d + 8) of `all_rows`.
        turned
            Whether joints that turn without end have the turn nearest to `near`.
        """
        d = self._d
        is_out = rows[:, d + 8 :].any(axis=1)
        off = rows[:, :d] - near
        joints, turns = unwind(off, self.bounds)
        ways = np.einsum("ij,ij->i", off, off)
        ways[is_out] = np.inf
        order = ways.argsort(kind="stable")[: len(rows) - np.count_nonzero(is_out)]
        inside = rows[order]
        if turned:
            inside[:, joints] -= turns[order]
        return inside, rows[is_out] if len(inside) < len(rows) else rows[:0]

    def sorted_out(
        self,
        rows: Array,
        near: Array,
        base: Array,
        pose: Array,
        virtual: Array = NO_VIRTUAL,
        samples: Array = NO_FREE,
        *,
        turned: bool = False,
    ) -> Candidates:
        """Return `candidates` of rows (k, 2 d + 8) that are known already."""
        d = self._d
        pose = np.ascontiguousarray(pose, dtype=np.float64)
        inside, outside = self.sorted_rows(rows, near, turned=turned)
        marks = np.empty(len(inside))
        if len(inside):
            kernel.call(self.array, base, pose, virtual, samples, inside, marks)
        return Candidates(
            inside[:, :d].copy(),
            marks.astype(np.int64),
            inside[:, d].astype(np.int64),
            outside[:, :d].copy(),
            outside[:, d + 8 :],
            self.bounds,
            lambda k: self.along(inside[k], base, pose, virtual, samples),
        )

    def along(
        self, row: Array, base: Array, pose: Array, virtual: Array, samples: Array
    ) -> Iterator[Array]:
        """Yield points (d,) of the continuum of a row (2 d + 8,) of `all_rows`.

        They are the nearest to the row with one of the joints that move at each of
        several values of one turn, within its limits, from the row outward.
        """
        d = self._d
        held, near = samples[int(row[d + 1])][None], row[:d].copy()
        moves = (int(row[d]) >> np.arange(d) & 1).astype(bool)
        places = []
        for joint in np.flatnonzero(moves).tolist():
            low, high, form, _, period = self.bounds[joint]
            turn = near[joint] + 0.5 * period * np.array([-1.0, 1.0])
            if form != WITHIN:
                low, high = turn
            elif period > 0.0:
                low, high = max(low, turn[0]), min(high, turn[1])
            if low < high < np.inf:
                values = np.linspace(low, high, _POINTS).tolist()
                places += [
                    (abs(v - near[joint]) / (high - low), joint, v) for v in values
                ]
        for _, joint, value in sorted(places):
            one = self._at(joint, value)
            rows = one.all_rows(base, pose, virtual, held, near)
            inside, _ = one.sorted_rows(rows, near, turned=True)
            for at in inside:
                off = np.abs(at[:d] - near)[~moves]
                is_on = np.minimum(off, np.abs(off - 2.0 * np.pi)) < _SAME
                if at[d] == row[d] and is_on.all():
                    yield at[:d]
                    break

    def _at(self, joint: int, value: float) -> BoundedArm:
        """Return the same arm whose joint has one value alone."""
        bounds = self.bounds.copy()
        bounds[joint, :3] = value, value, WITHIN
        how, chain, free, _ = self._made.args
        return BoundedArm(how, chain, free, bounds, **self._made.keywords)

    def many(
        self,
        base: Array,
        poses: Array,
        samples: Array = NO_FREE,
        near: Array = _NOWHERE,
    ) -> tuple[Array, Indices]:
        """Return joint values one behind the other and counts, from all cores.

        Parameters
        ----------
        poses
            (n, 4, 4) T_world_tool.
        near
            As for `all`.
        """
        none = np.empty((0, self._d)), np.empty(0, dtype=np.int64)
        found = [none] * -(-len(poses) // _CHUNK)

        def solve(first: int, last: int) -> int:
            some = poses[first:last]
            found[first // _CHUNK] = self._chunk(base, some, samples, near)
            return 0

        self._deal(solve, len(poses))
        found = found or [none]
        return (
            np.concatenate([rows for rows, _ in found]),
            np.concatenate([counts for _, counts in found]),
        )

    def many_nearest(
        self, base: Array, poses: Array, near: Array, samples: Array = NO_FREE
    ) -> Array:
        """Return the joint values (n, d) nearest to (d,), NaN without, from all cores.

        Parameters
        ----------
        poses
            (n, 4, 4) T_world_tool.
        samples
            In the order of their distance from `near`.
        """
        found = np.empty((len(poses), self._d))
        call = self.kernels.solve_batch.call

        def solve(first: int, last: int) -> int:
            while first < last:
                done = call(
                    self.array, base, poses[first:last], samples, near,
                    found[first:last], _NO_COUNTS,
                )  # fmt: skip
                first += max(done, 0)
                if first < last:  # the kernel does not take this pose
                    row = self.nearest(near, base, poses[first], NO_VIRTUAL, samples)
                    found[first] = np.nan if row is None else row
                    first += 1
            return 0

        self._deal(solve, len(poses))
        return found

    @staticmethod
    def _deal(solve: Callable[[int, int], int], count: int) -> None:
        """Solve chunks of poses on all cores; the first compiles before the others."""
        solve(0, min(_CHUNK, count))
        rest = count - _CHUNK
        if rest <= 0:
            return
        with ProgressLine("solving", count, "poses") as line:

            def part(first: int, last: int) -> int:
                line.done = _CHUNK + first
                return solve(_CHUNK + first, _CHUNK + last)

            deal(part, rest, core_count(), _CHUNK)

    # -- calls -------------------------------------------------------------------

    def rows(
        self,
        base: Array,
        pose: Array,
        virtual: Array,
        samples: Array,
        near: Array,
        extra: int,
        refused: list[int] | None = None,
        *,
        nearest: bool = False,
    ) -> Array:
        """Return the rows that `kernels.solve` writes.

        Parameters
        ----------
        near
            As for `all`.
        nearest
            Whether the row nearest to these is wanted, and no other.
        extra
            How many columns there are behind the joint values.
        refused
            Gets the number of the first sample that makes a loop which the kernels do
            not take; there are no rows then. Without it `_sample_by_sample` solves such
            samples.
        """
        size = 1 if nearest else self._rows
        kernels, stage = self.kernels, 0
        while True:
            out = np.empty((size, self._d + extra))
            try:
                call = kernels.solve_in(self.array)
                n = call(self.array, base, pose, virtual, samples, near, out)
            except TypeError:  # as arrays of another layout have it
                base, pose, virtual, samples, near = (
                    np.array(given, dtype=np.float64, order="C")
                    for given in (base, pose, virtual, samples, near)
                )
                n = call(self.array, base, pose, virtual, samples, near, out)
            if 0 <= n <= size:
                return out[:n]
            if n == -1 - len(samples):
                stage += 1
                kernels = self.stages[stage]
                continue
            if n < 0:
                if refused is None:
                    end = (base, pose, virtual)
                    return self._sample_by_sample(
                        end, samples, near, extra, nearest=nearest
                    )
                refused.append(-1 - n)
                return out[:0]
            size = self._grown(n)

    def _sample_by_sample(
        self,
        end: tuple[Array, Array, Array],
        samples: Array,
        near: Array,
        extra: int,
        *,
        nearest: bool,
    ) -> Array:
        """Do `rows` where kernels that take any loop solve the samples refused."""
        rows_of = partial(self.rows, *end, nearest=nearest)
        column = self._d + 1
        pieces = []
        odd: list[int] = []
        first = 0
        while first < len(samples):
            refused: list[int] = []
            rows = rows_of(samples[first:], near, extra, refused)
            if refused:
                odd.append(first + refused[0])
                rows = rows_of(samples[first : odd[-1]], near, extra)
            if extra:
                rows[:, column] += first
            pieces.append(rows)
            first = odd[-1] + 1 if refused else len(samples)
        rows = self._any().rows(*end, samples[odd], near, extra, nearest=nearest)
        if extra:
            rows[:, column] = np.array(odd)[rows[:, column].astype(np.int64)]
        rows = np.concatenate([*pieces, rows])
        if nearest and len(rows) > 1:
            ways = ((rows[:, : self._d] - near) ** 2).sum(axis=1)
            rows = rows[np.argmin(ways)][None]
        return rows

    def _any(self) -> BoundedArm:
        if self._for_any is None:
            self._for_any = self._made(dh_frames=False)
        return self._for_any

    def _chunk(
        self, base: Array, poses: Array, samples: Array, near: Array
    ) -> tuple[Array, Indices]:
        counts = np.empty(len(poses))
        size = 8 * len(poses) + self._rows
        pieces = []
        first = 0
        while first < len(poses):
            out = np.empty((size, self._d))
            done = self.kernels.solve_batch.call(
                self.array, base, poses[first:], samples, near, out, counts[first:]
            )
            if done < 0:
                rows = self.rows(base, poses[first], NO_VIRTUAL, samples, near, 0)
                counts[first] = len(rows)
                pieces.append(rows)
                first += 1
                continue
            pieces.append(out[: int(counts[first : first + done].sum())])
            first += done
            size = min(2 * size, MAX_ROWS)
            if done == 0:
                size = max(size, self._grown(int(counts[first])))
        return np.concatenate(pieces), counts.astype(np.int64)

    def _grown(self, n: int) -> int:
        if n > MAX_ROWS:
            raise NotSupportedError(
                f"there are {n} solutions, more than {MAX_ROWS}; give wider steps of "
                "the free joints, free=, or narrower limits"
            )
        self._rows = n + n // 4
        return self._rows
