"""Arms with a spherical shoulder and wrist at a given angle of the elbow.

The elbow joint follows from the distance of shoulder and wrist, the arm angle turns
the elbow about the line between them, and what the three joints of shoulder and wrist
must do are then two rotations about three axes each (Kreutz-Delgado, Long and Seraji,
IJRR 1992; Shimizu et al., "Analytical inverse kinematic computation for 7-DOF
redundant manipulators", IEEE T-RO 2008). Here the axes may have any direction: with

    R(psi) = C + B cos(psi) + A sin(psi)

the rotation of the shoulder, each limit of a joint is reached where a bilinear form of
R is a constant, for example where ``(R0(limit) w1) . R w2 = w1 . w2`` for the first
joint, which is an equation ``c + b cos(psi) + a sin(psi) = 0``.

A packed arm is a float64 array, the same layout for every arm.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.iteration.damped_least_squares import converge
from pyrave_ik.kernels.iteration.residuals import SIZES, WORK, pose_goals
from pyrave_ik.kernels.linear import cross

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}

AXES = 0  # (7, 3) directions at zero
SHOULDER = 21  # (3,) the point where axes 0, 1, 2 meet
WRIST = 24  # (3,) the point where axes 4, 5, 6 meet
ELBOW = 27  # (3,) a point on axis 3
REFERENCE = 30  # (3,) arm angle 0 has the elbow on this side
SPAN = 33  # (3,) squared distance of shoulder and wrist: 1, cos, sin of the elbow
HOME = 36  # (12,) inverse of the tool at zero
EULER = 48  # (2, 28) see `decomposed`
PROBLEM = 104  # of the seven joints without limits, see `residuals`
FRAMES = PROBLEM + SIZES  # (8, 12), with which its arrays begin

EDGE = 1e-7
"""How far beyond a tangency two solutions still count as one; verified later."""
FLAT = 1e-9
POOR = 1e-3
"""Greatest deviation of a solution; smaller ones are reduced by Newton steps."""
MOST_STEPS = 12
BRANCHES = 8
TURN = 2.0 * math.pi


def turned(w: F64, c: float, s: float, v: F64, out: F64) -> None:
    """Write a vector turned about a unit axis by an angle given as cosine and sine."""
    along = (w[0] * v[0] + w[1] * v[1] + w[2] * v[2]) * (1.0 - c)
    x = v[0] * c + (w[1] * v[2] - w[2] * v[1]) * s + w[0] * along
    y = v[1] * c + (w[2] * v[0] - w[0] * v[2]) * s + w[1] * along
    z = v[2] * c + (w[0] * v[1] - w[1] * v[0]) * s + w[2] * along
    out[0] = x
    out[1] = y
    out[2] = z


def decomposed(packed: F64, which: int, r: F64, out: F64) -> int:
    """Write (q0, q1, q2) with ``R0 R1 R2 = r``, two rows; return 0 if there are none.

    Parameters
    ----------
    which
        0: the shoulder, 1: the wrist. Their part of the packed arm: ``w0 . R1 w2`` as
        offset, radius, cosine and sine of its phase; two vectors normal to w0, and R1
        w2 along each as 1, cos, sin; two vectors normal to w2, and R1' w0 along each.
    r
        (3, 3).
    out
        (2, 3). Where first and last axis are parallel the first is given as 0.
    """
    at = EULER + 28 * which
    k = packed[at : at + 28]
    a = packed[9 + 3 : 9 + 6] if which else packed[0:3]
    b = packed[9 + 9 : 9 + 12] if which else packed[6:9]
    # R w2 and R' w0
    x = r[0, 0] * b[0] + r[0, 1] * b[1] + r[0, 2] * b[2]
    y = r[1, 0] * b[0] + r[1, 1] * b[1] + r[1, 2] * b[2]
    z = r[2, 0] * b[0] + r[2, 1] * b[1] + r[2, 2] * b[2]
    f = r[0, 0] * a[0] + r[1, 0] * a[1] + r[2, 0] * a[2]
    g = r[0, 1] * a[0] + r[1, 1] * a[1] + r[2, 1] * a[2]
    h = r[0, 2] * a[0] + r[1, 2] * a[1] + r[2, 2] * a[2]
    t = (a[0] * x + a[1] * y + a[2] * z - k[0]) / k[1]
    if abs(t) > 1.0 + EDGE:
        return 0
    t = min(max(t, -1.0), 1.0)
    root = math.sqrt(1.0 - t * t)
    bu = k[4] * x + k[5] * y + k[6] * z
    bv = k[7] * x + k[8] * y + k[9] * z
    eu = k[16] * f + k[17] * g + k[18] * h
    ev = k[19] * f + k[20] * g + k[21] * h
    for i in range(2):
        c = k[2] * t - k[3] * root
        s = k[3] * t + k[2] * root
        au = k[10] + k[11] * c + k[12] * s
        av = k[13] + k[14] * c + k[15] * s
        du = k[22] + k[23] * c + k[24] * s
        dv = k[25] + k[26] * c + k[27] * s
        out[i, 1] = math.atan2(s, c)
        if au * au + av * av < 1e-14:
            out[i, 0] = 0.0
            out[i, 2] = rest(packed, which, c, s, r)
        else:
            out[i, 0] = math.atan2(au * bv - av * bu, au * bu + av * bv)
            out[i, 2] = -math.atan2(du * ev - dv * eu, du * eu + dv * ev)
        root = -root
    return 1


def rest(packed: F64, which: int, c: float, s: float, r: F64) -> float:
    """Return the last angle where the first is 0: ``R2 = R1' r``."""
    first = 12 if which else 0
    at = EULER + 28 * which
    u = packed[at + 16 : at + 19]
    v = packed[at + 19 : at + 22]
    w = np.empty(3)
    for i in range(3):
        w[i] = r[i, 0] * u[0] + r[i, 1] * u[1] + r[i, 2] * u[2]
    turned(packed[first + 3 : first + 6], c, -s, w, w)
    return math.atan2(
        v[0] * w[0] + v[1] * w[1] + v[2] * w[2],
        u[0] * w[0] + u[1] * w[1] + u[2] * w[2],
    )


def elbows(packed: F64, distance2: float, out: F64) -> int:
    """Write the elbow's two angles for a squared distance; return 0 if out of reach."""
    k0, k1, k2 = packed[SPAN], packed[SPAN + 1], packed[SPAN + 2]
    size = math.sqrt(k1 * k1 + k2 * k2)
    t = (distance2 - k0) / size
    if abs(t) > 1.0 + EDGE:
        return 0
    phase = math.atan2(k2, k1)
    t = math.acos(min(max(t, -1.0), 1.0))
    out[0] = phase + t
    out[1] = phase - t
    for i in range(2):
        out[i] -= TURN * math.floor((out[i] + math.pi) / TURN)
    return 1


def moved_target(packed: F64, target: F64, out: F64) -> None:
    """Write the displacement (3, 4) that the joints do: target times home'."""
    for i in range(3):
        a, b, c = target[i, 0], target[i, 1], target[i, 2]
        for j in range(4):
            out[i, j] = (
                a * packed[HOME + j]
                + b * packed[HOME + 4 + j]
                + c * packed[HOME + 8 + j]
            )
        out[i, 3] += target[i, 3]


def line_of_sight(packed: F64, d: F64, out: F64) -> float:
    """Write the unit line from shoulder to wrist and two normals (3, 3).

    The first normal points to where the elbow is at arm angle 0: along the reference,
    or along an axis of the base where that is parallel to the line. Returns the
    distance.
    """
    for i in range(3):
        out[0, i] = (
            d[i, 0] * packed[WRIST]
            + d[i, 1] * packed[WRIST + 1]
            + d[i, 2] * packed[WRIST + 2]
            + d[i, 3]
            - packed[SHOULDER + i]
        )
    size = math.sqrt(out[0, 0] ** 2 + out[0, 1] ** 2 + out[0, 2] ** 2)
    if size < 1e-9:
        return 0.0
    for i in range(3):
        out[0, i] /= size
    normal_part(packed[REFERENCE : REFERENCE + 3], out[0], out[1])
    n = math.sqrt(out[1, 0] ** 2 + out[1, 1] ** 2 + out[1, 2] ** 2)
    if n < FLAT:
        axis = np.zeros(3)
        least = 0
        for i in range(3):
            if abs(out[0, i]) < abs(out[0, least]):
                least = i
        axis[least] = 1.0
        normal_part(axis, out[0], out[1])
        n = math.sqrt(out[1, 0] ** 2 + out[1, 1] ** 2 + out[1, 2] ** 2)
    for i in range(3):
        out[1, i] /= n
    cross(out[0], out[1], out[2])
    return size


def normal_part(v: F64, unit: F64, out: F64) -> None:
    """Write the component of a vector normal to a unit vector."""
    along = v[0] * unit[0] + v[1] * unit[1] + v[2] * unit[2]
    for i in range(3):
        out[i] = v[i] - along * unit[i]


def elbow_frame(packed: F64, c: float, s: float, out: F64) -> bool:
    """Write the line to the wrist, the elbow's side of it, and a normal (3, 3).

    All with joints 0 to 2 at zero and the elbow at an angle given by cosine and sine.
    The side is normal to the elbow's axis; False where that axis is along the line.
    """
    w = packed[9:12]
    e = packed[ELBOW : ELBOW + 3]
    for i in range(3):
        out[2, i] = packed[WRIST + i] - e[i]
    turned(w, c, s, out[2], out[0])
    size = 0.0
    for i in range(3):
        out[0, i] += e[i] - packed[SHOULDER + i]
        size += out[0, i] ** 2
    size = math.sqrt(size)
    if size < 1e-12:
        return False
    for i in range(3):
        out[0, i] /= size
    cross(w, out[0], out[1])
    n = math.sqrt(out[1, 0] ** 2 + out[1, 1] ** 2 + out[1, 2] ** 2)
    if n < FLAT:
        return False
    side = 0.0
    for i in range(3):
        side += out[1, i] * (e[i] - packed[SHOULDER + i])
    if side < 0.0:
        n = -n
    for i in range(3):
        out[1, i] /= n
    cross(out[0], out[1], out[2])
    return True


def shoulder_rotation(line: F64, frame: F64, c: float, s: float, out: F64) -> None:
    """Write the rotation of joints 0 to 2 at an arm angle given by cosine and sine."""
    for i in range(3):
        g = c * line[1, i] + s * line[2, i]
        h = c * line[2, i] - s * line[1, i]
        for j in range(3):
            out[i, j] = line[0, i] * frame[0, j] + g * frame[1, j] + h * frame[2, j]


def wrist_rotation(packed: F64, d: F64, r: F64, c: float, s: float, out: F64) -> None:
    """Write the rotation of joints 4 to 6: R3' r' D."""
    v = np.empty(3)
    for j in range(3):
        for i in range(3):
            v[i] = r[0, i] * d[0, j] + r[1, i] * d[1, j] + r[2, i] * d[2, j]
        turned(packed[9:12], c, -s, v, v)
        for i in range(3):
            out[i, j] = v[i]


def turned_frame(f: F64, c: float, s: float, out: F64) -> None:
    """Write a frame (12,) turned about its z axis."""
    for i in range(3):
        x, y = f[4 * i], f[4 * i + 1]
        out[4 * i] = x * c + y * s
        out[4 * i + 1] = y * c - x * s
        out[4 * i + 2] = f[4 * i + 2]
        out[4 * i + 3] = f[4 * i + 3]


def onward(m: F64, f: F64, c: float, s: float, out: F64) -> None:
    """Write the product of two frames (12,), turned about its z axis."""
    for i in range(3):
        u, v, w = m[4 * i], m[4 * i + 1], m[4 * i + 2]
        x = u * f[0] + v * f[4] + w * f[8]
        y = u * f[1] + v * f[5] + w * f[9]
        out[4 * i] = x * c + y * s
        out[4 * i + 1] = y * c - x * s
        out[4 * i + 2] = u * f[2] + v * f[6] + w * f[10]
        out[4 * i + 3] = u * f[3] + v * f[7] + w * f[11] + m[4 * i + 3]


def three(packed: F64, first: int, q: F64, out: F64) -> None:
    """Write the product (12,) of three joints with their frames, from joint `first`."""
    at = FRAMES + 12 * first
    turned_frame(packed[at : at + 12], math.cos(q[0]), math.sin(q[0]), out)
    onward(out, packed[at + 12 : at + 24], math.cos(q[1]), math.sin(q[1]), out)
    onward(out, packed[at + 24 : at + 36], math.cos(q[2]), math.sin(q[2]), out)


def apart(m: F64, n: F64, target: F64) -> float:
    """Return how far a product of two frames (12,) is from a pose (3, 4).

    The root of the sum of squares over all entries, which what is no number passes on.
    """
    total = 0.0
    for i in range(3):
        u, v, w = m[4 * i], m[4 * i + 1], m[4 * i + 2]
        for j in range(4):
            d = u * n[j] + v * n[4 + j] + w * n[8 + j] - target[i, j]
            if j == 3:
                d += m[4 * i + 3]
            total += d * d
    return math.sqrt(total)


def deviation(packed: F64, target: F64, q: F64, out: F64) -> float:
    """Return how far the tool is from the target at values (7,); `out` is (24,)."""
    arm, hand = out[0:12], out[12:24]
    three(packed, 0, q[0:3], arm)
    elbow = packed[FRAMES + 36 : FRAMES + 48]
    onward(arm, elbow, math.cos(q[3]), math.sin(q[3]), arm)
    three(packed, 4, q[4:7], hand)
    onward(hand, packed[FRAMES + 84 : FRAMES + 96], 1.0, 0.0, hand)
    return apart(arm, hand, target)


def improve(packed: F64, target: F64, tolerance: float, q: F64) -> None:
    """Take steps towards the target: angles lose half their digits where axes align."""
    problem = packed[PROBLEM:]
    missed = np.empty(2)
    missed[0] = missed[1] = 0.1 * tolerance
    goals = pose_goals(problem, target)
    converge(problem, goals, missed, int(MOST_STEPS), q, np.zeros(int(problem[WORK])))


def solve(
    packed: F64, target: F64, psi: float, tolerance: float, out: F64, ok: F64
) -> int:
    """Write the configurations (8, 7) at an arm angle; return how many there are.

    Row ``4 e + 2 s + w`` is branch e of the elbow, s of the shoulder, w of the wrist.
    `ok` (8,) has 1 for rows that are solutions, verified by forward kinematics.
    """
    for i in range(BRANCHES):
        ok[i] = 0.0
    d = np.empty((3, 4))
    line = np.empty((3, 3))
    moved_target(packed, target, d)
    distance = line_of_sight(packed, d, line)
    angles = np.empty(2)
    if distance == 0.0 or elbows(packed, distance * distance, angles) == 0:
        return 0
    frame = np.empty((3, 3))
    r = np.empty((3, 3))
    arms = np.empty((2, 3))
    hands = np.empty((2, 3))
    before = np.empty((2, 12))
    behind = np.empty((2, 12))
    cp = math.cos(psi)
    sp = math.sin(psi)
    count = 0
    for e in range(2):
        c = math.cos(angles[e])
        s = math.sin(angles[e])
        if not elbow_frame(packed, c, s, frame):
            continue
        shoulder_rotation(line, frame, cp, sp, r)
        if decomposed(packed, 0, r, arms) == 0:
            continue
        wrist_rotation(packed, d, r, c, s, frame)
        if decomposed(packed, 1, frame, hands) == 0:
            continue
        # the tool is at (joints 0 to 3) (joints 4 to 6): each half serves two rows
        for i in range(2):
            three(packed, 0, arms[i], before[i])
            onward(before[i], packed[FRAMES + 36 : FRAMES + 48], c, s, before[i])
            three(packed, 4, hands[i], behind[i])
            onward(behind[i], packed[FRAMES + 84 : FRAMES + 96], 1.0, 0.0, behind[i])
        for i in range(2):
            for j in range(2):
                row = out[4 * e + 2 * i + j]
                for n in range(3):
                    row[n] = arms[i, n]
                    row[4 + n] = hands[j, n]
                row[3] = angles[e]
                off = apart(before[i], behind[j], target)
                if tolerance < off < POOR:
                    improve(packed, target, tolerance, row)
                    off = deviation(packed, target, row, np.empty(24))
                if off <= tolerance:
                    ok[4 * e + 2 * i + j] = 1.0
                    count += 1
    return count


def sweep(
    packed: F64,
    target: F64,
    psis: F64,
    tolerance: float,
    out: F64,
    ok: F64,
) -> None:
    """Write the configurations (k, 8, 7) at many arm angles, and which exist (k, 8)."""
    for i in range(psis.shape[0]):
        solve(packed, target, psis[i], tolerance, out[i], ok[i])


def angle_of(packed: F64, target: F64, q: F64) -> float:
    """Return the arm angle of a configuration (7,) whose tool is at the target."""
    d = np.empty((3, 4))
    line = np.empty((3, 3))
    frame = np.empty((3, 3))
    moved_target(packed, target, d)
    if line_of_sight(packed, d, line) == 0.0:
        return math.nan
    if not elbow_frame(packed, math.cos(q[3]), math.sin(q[3]), frame):
        return math.nan
    v = np.empty(3)
    v[:] = frame[1]
    for k in (2, 1, 0):
        turned(packed[3 * k : 3 * k + 3], math.cos(q[k]), math.sin(q[k]), v, v)
    g = v[0] * line[1, 0] + v[1] * line[1, 1] + v[2] * line[1, 2]
    h = v[0] * line[2, 0] + v[1] * line[2, 1] + v[2] * line[2, 2]
    return math.atan2(h, g)


def crossing(line: F64, frame: F64, x: F64, y: F64, z: float, out: F64, n: int) -> int:
    """Add the arm angles at which ``x . R y = z``; return the new count."""
    lx = np.empty(3)
    fy = np.empty(3)
    for i in range(3):
        lx[i] = line[i, 0] * x[0] + line[i, 1] * x[1] + line[i, 2] * x[2]
        fy[i] = frame[i, 0] * y[0] + frame[i, 1] * y[1] + frame[i, 2] * y[2]
    c = lx[0] * fy[0] - z
    b = lx[1] * fy[1] + lx[2] * fy[2]
    a = lx[2] * fy[1] - lx[1] * fy[2]
    size = math.sqrt(a * a + b * b)
    if size < 1e-12 or abs(c) > size:
        return n
    phase = math.atan2(a, b)
    t = math.acos(-c / size)
    for sign in (1.0, -1.0):
        psi = phase + sign * t
        out[n] = psi - TURN * math.floor((psi + math.pi) / TURN)
        n += 1
    return n


def critical(
    packed: F64,
    target: F64,
    branch: int,
    lower: F64,
    upper: F64,
    out: F64,
    walls: F64,
) -> int:
    """Write the arm angles at which a limit is reached or a branch ends.

    Parameters
    ----------
    branch
        0 or 1: of the elbow.
    lower, upper
        (7,) limits of the axes' values; infinite ones are never reached.
    out
        (64,) angles in -pi..pi, unsorted.
    walls
        (64,) 1 where branches of shoulder or wrist meet and end.

    Returns the count, or -1 if the target is out of reach.
    """
    d = np.empty((3, 4))
    line = np.empty((3, 3))
    moved_target(packed, target, d)
    distance = line_of_sight(packed, d, line)
    angles = np.empty(2)
    if distance == 0.0 or elbows(packed, distance * distance, angles) == 0:
        return -1
    frame = np.empty((3, 3))
    c3 = math.cos(angles[branch])
    s3 = math.sin(angles[branch])
    if not elbow_frame(packed, c3, s3, frame):
        return -1
    x = np.empty(3)
    y = np.empty(3)
    n = 0
    for part in range(2):
        first = 4 * part
        w0 = packed[3 * first : 3 * first + 3]
        w1 = packed[3 * first + 3 : 3 * first + 6]
        w2 = packed[3 * first + 6 : 3 * first + 9]
        k = packed[EULER + 28 * part : EULER + 28 * part + 4]
        for joint in range(3):
            for end in range(2):
                limit = lower[first + joint] if end == 0 else upper[first + joint]
                if not math.isfinite(limit):
                    continue
                c, s = math.cos(limit), math.sin(limit)
                x[:] = w0
                y[:] = w2
                if joint == 0:
                    turned(w0, c, s, w1, x)
                    z = w1[0] * w2[0] + w1[1] * w2[1] + w1[2] * w2[2]
                elif joint == 1:
                    z = k[0] + k[1] * (k[2] * c + k[3] * s)
                else:
                    turned(w2, c, -s, w1, y)
                    z = w0[0] * w1[0] + w0[1] * w1[1] + w0[2] * w1[2]
                before = n
                n = crossed(packed, line, frame, d, part, c3, s3, x, y, z, out, n)
                for i in range(before, n):
                    walls[i] = 0.0
        for sign in (1.0, -1.0):
            before = n
            z = k[0] + sign * k[1]
            n = crossed(packed, line, frame, d, part, c3, s3, w0, w2, z, out, n)
            for i in range(before, n):
                walls[i] = 1.0
    return n


def crossed(
    packed: F64,
    line: F64,
    frame: F64,
    d: F64,
    part: int,
    c3: float,
    s3: float,
    x: F64,
    y: F64,
    z: float,
    out: F64,
    n: int,
) -> int:
    """Add where a form of the shoulder's (0) or wrist's (1) rotation has a value."""
    if part == 0:
        return crossing(line, frame, x, y, z, out, n)
    # x . R3' R' D y = (D y) . R (R3 x)
    to = np.empty(3)
    since = np.empty(3)
    for i in range(3):
        to[i] = d[i, 0] * y[0] + d[i, 1] * y[1] + d[i, 2] * y[2]
    turned(packed[9:12], c3, s3, x, since)
    return crossing(line, frame, to, since, z, out, n)
