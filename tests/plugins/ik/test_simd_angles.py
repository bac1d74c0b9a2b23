"""Eight solutions side by side: their angles, and which lanes have a solution."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pyrave.jit import KernelModule
from pyrave_ik.kernels.closed_forms import wrist
from pyrave_ik.kernels.packed_arm import ARM, BACKWARD, LINKS, SIGN, ZERO
from pyrave_ik.kernels.simd_angles import COS, LANES, NONE, SIN, SIZE, STATE

LANE_KERNELS = KernelModule("pyrave_ik.kernels.simd_angles")
ULPS = 2.0


@pytest.mark.parametrize("form", ["python", "jit"])
def test_the_arctangent_is_numpys_to_two_units_in_the_last_place(form: str) -> None:
    arctangent = getattr(LANE_KERNELS, form).arctangent
    rng = np.random.default_rng(5)
    angles = np.concatenate(
        [
            rng.uniform(-np.pi, np.pi, 4000),
            rng.uniform(-1.0, 1.0, 1000) * 10.0 ** rng.uniform(-17.0, 0.0, 1000),
            np.arange(-8, 9) * np.pi / 8 + rng.uniform(-1e-9, 1e-9, 17),
        ]
    )
    sizes = 10.0 ** rng.uniform(-6.0, 6.0, len(angles))
    s, c = sizes * np.sin(angles), sizes * np.cos(angles)
    found = np.array([arctangent(*pair) for pair in zip(s, c, strict=True)])
    expected = np.arctan2(s, c)
    assert (np.abs(found - expected) <= ULPS * np.spacing(np.abs(expected))).all()


@pytest.mark.parametrize(
    ("s", "c", "expected"),
    [
        (0.0, 1.0, 0.0),
        (1.0, 0.0, np.pi / 2),
        (-1.0, 0.0, -np.pi / 2),
        (0.0, -1.0, np.pi),
        (1.0, 1.0, np.pi / 4),
        (1.0, -1.0, 3 * np.pi / 4),
        (-1.0, -1.0, -3 * np.pi / 4),
    ],
)
def test_right_angles_are_exact(s: float, c: float, expected: float) -> None:
    assert LANE_KERNELS.python.arctangent(s, c) == expected


def filled(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return room to work in with angles (6, lanes) of solutions without deviation."""
    work = np.full(SIZE, np.nan)
    angles = rng.uniform(-np.pi, np.pi, (6, LANES))
    work[COS : COS + angles.size] = np.cos(angles).ravel()
    work[SIN : SIN + angles.size] = np.sin(angles).ravel()
    work[STATE : STATE + LANES] = 0.0
    return work, angles


@pytest.mark.parametrize("form", ["python", "jit"])
@pytest.mark.parametrize("backward", [False, True])
def test_lanes_with_solutions_become_rows(form: str, backward: bool) -> None:
    kernels = getattr(LANE_KERNELS, form)
    rng = np.random.default_rng(6)
    work, angles = filled(rng)
    plan = np.zeros(ARM)
    plan[BACKWARD] = backward
    plan[SIGN : SIGN + 6] = sign = rng.choice([-1.0, 1.0], 6)
    plan[ZERO : ZERO + 6] = zero = rng.uniform(-np.pi, np.pi, 6)
    work[STATE + 2] = work[STATE + 7] = NONE
    kernels.angles(work)
    rows = np.full((LANES, 7), np.nan)
    assert kernels.gathered(plan, work, LANES, 1e-22, rows) == 6
    kept = np.delete(angles, [2, 7], axis=1).T
    expected = sign * (kept - zero)
    if backward:
        expected = expected[:, ::-1]
    off = rows[:6, :6] - expected
    assert np.abs(off - 2.0 * np.pi * np.rint(off / (2.0 * np.pi))).max() < 1e-14
    assert (np.abs(rows[:6, :6]) <= np.pi).all()
    assert (rows[:6, 6] == 0.0).all()
    assert np.isnan(rows[6:]).all()


@pytest.mark.parametrize("state", [1e-20, math.inf, math.nan])
def test_uncertain_lanes_are_left_out_and_reported(
    state: float,
) -> None:
    work, _ = filled(np.random.default_rng(7))
    work[STATE + 3] = state
    plan, rows = np.zeros(ARM), np.empty((LANES, 7))
    assert LANE_KERNELS.python.gathered(plan, work, LANES, 1e-22, rows) == -LANES
    assert LANE_KERNELS.python.gathered(plan, work, 3, 1e-22, rows) == 3


@pytest.mark.parametrize(
    ("state", "expected"),
    [(0.0, NONE), (1e-24, NONE), (1e-6, math.inf), (math.inf, math.inf)],
)
def test_an_arm_that_is_not_sure_proves_no_wrist_out_of_reach(
    state: float, expected: float
) -> None:
    work, plan = np.zeros(SIZE), np.zeros(ARM)
    # twists of 0.3 cannot turn round what is left
    for link in (12, 16):
        plan[LINKS + link + 2 : LINKS + link + 4] = math.cos(0.3), math.sin(0.3)
    for entry, value in ((0, 1.0), (4, -1.0), (8, -1.0)):
        work[wrist.N + entry * LANES : wrist.N + (entry + 1) * LANES] = value
    work[STATE : STATE + LANES] = state
    wrist.hands(plan, work)
    assert (work[STATE : STATE + LANES] == expected).all()
