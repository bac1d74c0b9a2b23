"""Arms where one degree of freedom moves several axes, as arms where each has its own.

Axes that turn about parallel directions one after the other give every link an angle of
its own, the sum of those before it. Where joints decide these angles linearly, the run
of axes is another, simpler mechanism:

* Links whose angles are the same but for a constant are one link: a parallelogram that
  keeps a tool as an earlier link is drops out.
* A run that ends in a constant angle (a palletiser's level wrist) only shifts what
  follows in its plane, as two sliders do. The two angles follow from where it is
  shifted to: two circles meet.
* Axes that slide one after the other in one direction (a telescope) are one slider.
* Differentials, where as many joints move as many axes, are solved for the axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.spatial import Array, matrix_from_axis_angle
from pyrave_ik.arm.chain import ArmChain, normals

_FLAT = 1e-9
_TURN = 2.0 * math.pi
_SLACK = 1e-9
_MAX_TURNS = 200_000


@dataclass(frozen=True, eq=False)
class _Shift:
    """Two reduced sliders that replace two angles of links in a plane.

    Parameters
    ----------
    first
        Number of the first of both sliders, and of the first angle.
    links
        (2, 2) what each angle turns, in the sliders' coordinates.
    still
        (2,) what no angle turns.
    """

    first: int
    links: Array
    still: Array

    def angles(self, at: Array) -> list[tuple[float, float]]:
        """Return the pairs of angles that shift what follows to (2,) `at`."""
        way = at - self.still
        far = float(np.hypot(*way))
        a, b = (float(np.hypot(*link)) for link in self.links)
        if a < _FLAT or b < _FLAT or far < _FLAT * (a + b):
            return []
        c = (far * far + a * a - b * b) / (2.0 * far * a)
        if abs(c) > 1.0 + _SLACK:
            return []
        wide = math.acos(min(max(c, -1.0), 1.0))
        found = []
        for turn in {wide, -wide}:
            heading = math.atan2(way[1], way[0]) + turn
            rest = way - a * np.array([math.cos(heading), math.sin(heading)])
            found.append(
                (
                    heading - math.atan2(self.links[0, 1], self.links[0, 0]),
                    math.atan2(rest[1], rest[0])
                    - math.atan2(self.links[1, 1], self.links[1, 0]),
                )
            )
        return found


@dataclass(frozen=True, eq=False)
class Compound:
    """An arm as one whose axes have a degree of freedom each.

    Parameters
    ----------
    chain
        The simpler arm; each of its axes is a joint.
    rows
        (n, n) and ``still`` (n,): values of that arm's joints, but angles where two
        sliders replace them, are ``rows @ q + still``.
    shifts
        Sliders that replace angles.
    turning
        (n,) whether a value is an angle.
    """

    chain: ArmChain
    rows: Array
    still: Array
    shifts: tuple[_Shift, ...]
    turning: Array

    def lifted(
        self, values: Array, lower: Array, upper: Array, near: Array | None
    ) -> Array:
        """Return the joint values (k, n) of the arm within limits (n,).

        Parameters
        ----------
        values
            (n,) of the simpler arm's joints.
        near
            (n,) joint values: of whole turns apart the nearest are taken. None: all.
        """
        found = [np.empty((0, len(values)))]
        options = [shift.angles(values[shift.first :][:2]) for shift in self.shifts]
        for choice in product(*options):
            wanted = values - self.still
            for shift, pair in zip(self.shifts, choice, strict=True):
                at = slice(shift.first, shift.first + 2)
                wanted[at] = np.array(pair) - self.still[at]
            rows = self._turned(wanted, lower, upper)
            if near is not None and len(rows):
                rows = rows[[((rows - near) ** 2).sum(axis=1).argmin()]]
            found.append(rows)
        return np.concatenate(found)

    def _turned(self, wanted: Array, lower: Array, upper: Array) -> Array:
        """Return joint values (k, n) with every combination of turns within limits."""
        back = np.linalg.inv(self.rows)
        middle = 0.5 * (lower + upper)
        reach = np.abs(self.rows) @ (0.5 * (upper - lower))
        center = self.rows @ middle
        ranges = []
        for i, turns in enumerate(self.turning):
            if not turns:
                ranges.append(range(1))
                continue
            low = math.ceil((center[i] - reach[i] - wanted[i]) / _TURN - _SLACK)
            high = math.floor((center[i] + reach[i] - wanted[i]) / _TURN + _SLACK)
            ranges.append(range(low, high + 1))
        count = math.prod(len(one) for one in ranges)
        if count > _MAX_TURNS:
            raise NotSupportedError(
                f"the limits of joints that move several axes leave {count} "
                f"combinations of whole turns, more than {_MAX_TURNS}; give narrower "
                "limits"
            )
        numbers = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1)
        rows = (wanted + _TURN * numbers.reshape(-1, len(wanted))) @ back.T
        inside = (rows >= lower - _SLACK) & (rows <= upper + _SLACK)
        return np.asarray(np.clip(rows[inside.all(axis=1)], lower, upper))


class _Builder:
    """Collects the simpler arm from the base on."""

    def __init__(self, chain: ArmChain, n: int) -> None:
        self.chain = chain
        self.still, self.rows = _line_of(chain, n)
        self.after = np.eye(4)
        """Transform of the constant parts, which displaces all that comes later."""
        self.screws: list[Array] = []
        self.forms: list[Array] = []
        self.constants: list[float] = []
        self.names: list[str] = []
        self.shifts: list[_Shift] = []

    def add(
        self, axis: Array, point: Array, slides: bool, form: Array, c: float
    ) -> None:
        """Add a joint at a place in the base frame, all joints at zero."""
        self.screws.append(np.concatenate([axis, point, [float(slides)]]))
        self.forms.append(form)
        self.constants.append(c)

    def moved(self, axis: int) -> tuple[Array, Array]:
        """Return the direction of an axis and a point on it."""
        row = self.chain.screws[axis]
        turn, shift = self.after[:3, :3], self.after[:3, 3]
        return turn @ row[:3], turn @ row[3:6] + shift

    def one(self, axis: int) -> None:
        """Take an axis as it is."""
        direction, point = self.moved(axis)
        slides = bool(self.chain.screws[axis, 6])
        self.add(direction, point, slides, self.rows[axis], float(self.still[axis]))
        self.names.append(self.chain.names[axis])

    def telescope(self, run: list[int]) -> None:
        """Take axes that slide in one direction as one."""
        direction, point = self.moved(run[0])
        signs = [float(np.sign(self.moved(axis)[0] @ direction)) for axis in run]
        form = sum(s * self.rows[axis] for s, axis in zip(signs, run, strict=True))
        c = sum(s * self.still[axis] for s, axis in zip(signs, run, strict=True))
        self.add(direction, point, True, np.asarray(form), float(c))
        self.names.append("+".join(self.chain.names[axis] for axis in run))

    def planar(self, run: list[int]) -> bool:
        """Take axes that turn about one direction; False if they are no simpler."""
        places = [self.moved(axis) for axis in run]
        h = places[0][0]
        points = [point for _, point in places]
        form, c = np.zeros(len(self.rows[0])), 0.0
        forms: list[Array] = []
        arms: list[Array] = []
        fixed = np.zeros(3)
        last = -1
        end = 0.0
        for number, axis in enumerate(run):
            sign = float(np.sign(places[number][0] @ h))
            form = form + sign * self.rows[axis]
            c += sign * float(self.still[axis])
            end = c
            last = _class_of(form, forms)
            way = np.zeros(3)
            if number + 1 < len(run):
                way = points[number + 1] - points[number]
            turned = matrix_from_axis_angle(h, c) @ (way - (way @ h) * h)
            fixed = fixed + (way @ h) * h
            if last < 0:
                fixed = fixed + turned
            else:
                arms[last:] = [
                    *(arms[last : last + 1] or [np.zeros(3)]),
                    *arms[last + 1 :],
                ]
                arms[last] = arms[last] + turned
        name = "+".join(self.chain.names[axis] for axis in run)
        start = points[0] + fixed
        # what follows, at x, comes to start + R(...) arms ... + R(end) (x - last point)
        here = start + sum(arms, np.zeros(3))
        if last < 0:
            if len(forms) != 2:
                return False
            u, v = normals(h)
            place = len(self.screws)
            plane = np.stack([u, v])
            self.add(u, start, True, forms[0], 0.0)
            self.add(v, start, True, forms[1], 0.0)
            self.names += [f"{name} along", f"{name} across"]
            links = np.array([plane @ arm for arm in arms])
            self.shifts.append(_Shift(place, links, np.zeros(2)))
            here = start
        else:
            # links in turn, that of the last angle at the end
            order = [*(i for i in range(len(forms)) if i != last), last]
            before, at = np.zeros_like(form), start
            for i in order:
                self.add(h, at, False, forms[i] - before, 0.0)
                self.names.append(
                    f"{name} {len(self.names)}" if len(order) > 1 else name
                )
                before, at = forms[i], at + arms[i]
        still = np.eye(4)
        still[:3, :3] = matrix_from_axis_angle(h, end)
        still[:3, 3] = here - still[:3, :3] @ points[-1]
        self.after = still @ self.after
        return True


def _class_of(form: Array, forms: list[Array]) -> int:
    """Return the number of a link's angle among those before, -1 for a constant."""
    if np.abs(form).max() < _FLAT:
        return -1
    for i, other in enumerate(forms):
        if np.abs(form - other).max() < _FLAT:
            return i
    forms.append(form)
    return len(forms) - 1


def compound_of(chain: ArmChain, n: int) -> Compound | None:
    """Return a chain of n joints as a simpler one, None if there is no such chain.

    The chain's formulas must be linear.
    """
    if not _is_linear(chain, n):
        return None
    build = _Builder(chain, n)
    if chain.n == n:
        for axis in range(n):
            build.one(axis)
    else:
        for run in _runs(chain):
            rank = np.linalg.matrix_rank(build.rows[run], tol=_FLAT)
            if len(run) == 1 or rank == len(run):
                for axis in run:
                    build.one(axis)
            elif chain.screws[run[0], 6]:
                build.telescope(run)
            elif not build.planar(run):
                return None
    if len(build.screws) != n:
        return None
    rows = np.array(build.forms)
    if np.linalg.cond(rows) > 1e6:
        return None
    screws = np.array(build.screws)
    turning = screws[:, 6] == 0.0
    for shift in build.shifts:
        turning[shift.first : shift.first + 2] = True
    simple = ArmChain(
        screws,
        build.after @ chain.home,
        tuple(range(n)),
        np.ones(n),
        np.zeros(n),
        tuple(build.names),
    )
    return Compound(
        simple, rows, np.array(build.constants), tuple(build.shifts), turning
    )


def _runs(chain: ArmChain) -> list[list[int]]:
    """Return runs of neighbours that all turn or all slide about one direction."""
    runs: list[list[int]] = []
    for axis, row in enumerate(chain.screws):
        if runs:
            last = chain.screws[runs[-1][-1]]
            apart = np.linalg.norm(np.cross(last[:3], row[:3]))
            if apart < _FLAT and last[6] == row[6]:
                runs[-1].append(axis)
                continue
        runs.append([axis])
    return runs


def _line_of(chain: ArmChain, n: int) -> tuple[Array, Array]:
    """Return values (m,) at zero and (m, n) what a unit of each joint adds to them."""
    start = chain.values(np.zeros(n))
    return start, np.stack([chain.values(one) - start for one in np.eye(n)], axis=1)


def _is_linear(chain: ArmChain, n: int) -> bool:
    """Return True if axes follow joints linearly: also far away, where limits cut."""
    start, rows = _line_of(chain, n)
    rng = np.random.default_rng(29)
    return all(
        np.allclose(chain.values(q), start + rows @ q, rtol=1e-9, atol=1e-9)
        for q in rng.uniform(-3.0, 3.0, (16, n))
    )
