"""Kernels over a compiled body: poses, Jacobians, Hessians, dynamics, formulas.

A body is a list of *nodes*: one per link (node i is link i) and, behind them, one
massless node for each further axis of a joint with several. `nodes` is (n, 5) int64:
column 0 is the order in which nodes are visited (parents first), and row i has the
parent, the motion code, the index of the node's first value, and 1 if `point` is not
zero. `frames` is (n, 19) float64: rotation R0 (9, row-major), translation t0 (3),
unit axis (3) and a point on it (3), both in the node's own frame, and a sign.

A turning node is at ``R = R0 Rot(axis, value)``, ``t = t0 - R point`` in its parent, a
sliding one at ``R = R0``, ``t = t0 + R0 axis value``. So the axis and the anchor of
a node in the world follow from its own pose alone.
"""

from __future__ import annotations

import math

import numpy as np

FIXED = 0
TURN_X = 1
TURN_Y = 2
TURN_Z = 3
TURN = 4
SLIDE = 5
BALL = 6

OP_CONST = 0
OP_LOAD = 1
OP_ADD = 2
OP_SUB = 3
OP_MUL = 4
OP_DIV = 5
OP_MOD = 6
OP_POW = 7
OP_NEG = 8
OP_NOT = 9
OP_AND = 10
OP_OR = 11
OP_EQ = 12
OP_NE = 13
OP_LT = 14
OP_LE = 15
OP_IF = 16
OP_ABS = 17
OP_ACOS = 18
OP_ACOSH = 19
OP_ASIN = 20
OP_ASINH = 21
OP_ATAN = 22
OP_ATAN2 = 23
OP_ATANH = 24
OP_CBRT = 25
OP_CEIL = 26
OP_COS = 27
OP_COSH = 28
OP_EXP = 29
OP_FLOOR = 30
OP_HYPOT = 31
OP_INT = 32
OP_LOG = 33
OP_MAX = 34
OP_MIN = 35
OP_SIN = 36
OP_SINH = 37
OP_SQRT = 38
OP_TAN = 39
OP_TANH = 40
OP_TRUNC = 41
OP_SIGN = 42
OP_COPY = 43
OP_ROOT = 44
OP_STORE = 45


def run_tape(tape, constants, start, stop, registers, values):  # noqa: ANN001
    """Execute instructions `start` to `stop`; row k writes register k.

    A row is (op, a, b, c): operand registers, or the index of a value for loads and
    stores. Domain errors give NaN.
    """
    for k in range(start, stop):
        op = tape[k, 0]
        if op == OP_CONST:
            registers[k] = constants[k]
            continue
        if op == OP_LOAD:
            registers[k] = values[tape[k, 1]]
            continue
        if op == OP_ROOT:
            registers[k] = _real_root(registers, tape[k, 1], tape[k, 2])
            continue
        x = registers[tape[k, 1]]
        y = registers[tape[k, 2]]
        r = x
        if op == OP_STORE:
            values[tape[k, 3]] = x
        elif op == OP_ADD:
            r = x + y
        elif op == OP_SUB:
            r = x - y
        elif op == OP_MUL:
            r = x * y
        elif op == OP_DIV:
            r = x / y
        elif op == OP_MOD:
            r = np.fmod(x, y)
        elif op == OP_POW:
            r = np.power(x, y)
        elif op == OP_NEG:
            r = -x
        elif op == OP_NOT:
            r = 1.0 if abs(x) < 0.5 else 0.0
        elif op == OP_AND:
            r = 1.0 if abs(x) >= 0.5 and abs(y) >= 0.5 else 0.0
        elif op == OP_OR:
            r = 1.0 if abs(x) >= 0.5 or abs(y) >= 0.5 else 0.0
        elif op == OP_EQ:
            r = 1.0 if x == y else 0.0
        elif op == OP_NE:
            r = 1.0 if x != y else 0.0
        elif op == OP_LT:
            r = 1.0 if x < y else 0.0
        elif op == OP_LE:
            r = 1.0 if x <= y else 0.0
        elif op == OP_IF:
            r = y if abs(x) >= 0.5 else registers[tape[k, 3]]
        elif op == OP_ABS:
            r = abs(x)
        elif op == OP_ACOS:
            r = np.arccos(x)
        elif op == OP_ACOSH:
            r = np.arccosh(x)
        elif op == OP_ASIN:
            r = np.arcsin(x)
        elif op == OP_ASINH:
            r = np.arcsinh(x)
        elif op == OP_ATAN:
            r = np.arctan(x)
        elif op == OP_ATAN2:
            r = np.arctan2(x, y)
        elif op == OP_ATANH:
            r = np.arctanh(x)
        elif op == OP_CBRT:
            r = math.copysign(np.power(abs(x), 1.0 / 3.0), x)
        elif op == OP_CEIL:
            r = np.ceil(x)
        elif op == OP_COS:
            r = np.cos(x)
        elif op == OP_COSH:
            r = np.cosh(x)
        elif op == OP_EXP:
            r = np.exp(x)
        elif op == OP_FLOOR:
            r = np.floor(x)
        elif op == OP_HYPOT:
            r = np.hypot(x, y)
        elif op == OP_INT:
            r = np.copysign(np.floor(abs(x) + 0.5), x)
        elif op == OP_LOG:
            r = np.log(x)
        elif op == OP_MAX:
            r = max(x, y)
        elif op == OP_MIN:
            r = min(x, y)
        elif op == OP_SIN:
            r = np.sin(x)
        elif op == OP_SINH:
            r = np.sinh(x)
        elif op == OP_SQRT:
            r = np.sqrt(x)
        elif op == OP_TAN:
            r = np.tan(x)
        elif op == OP_TANH:
            r = np.tanh(x)
        elif op == OP_TRUNC:
            r = np.trunc(x)
        elif op == OP_SIGN:
            r = np.sign(x)
        registers[k] = r


def _real_root(registers, first, degree):  # noqa: ANN001, ANN202
    """Return the smallest positive real root, else the largest real one, else NaN.

    Coefficients, highest power first, are in `degree` + 1 registers. All roots at
    once by the iteration of Durand and Kerner (Kerner, Numer. Math. 8, 1966).
    """
    while degree > 0 and registers[first] == 0.0:
        first += 1
        degree -= 1
    if degree <= 0:
        return np.nan
    lead = registers[first]
    radius = 0.0
    for i in range(1, degree + 1):
        radius = max(radius, abs(registers[first + i] / lead))
    radius += 1.0
    if not np.isfinite(radius):
        return np.nan
    roots = np.empty(degree, dtype=np.complex128)
    for i in range(degree):
        angle = 2.0 * math.pi * i / degree + 0.4
        roots[i] = 0.5 * radius * complex(math.cos(angle), math.sin(angle))
    for _ in range(500):
        change = 0.0
        for i in range(degree):
            value = complex(1.0, 0.0)
            spread = complex(1.0, 0.0)
            for j in range(degree):
                value = value * roots[i] + registers[first + j + 1] / lead
                if j != i:
                    spread *= roots[i] - roots[j]
            if abs(spread) == 0.0:
                roots[i] += radius * 1e-8
                change = radius
                continue
            step = value / spread
            roots[i] -= step
            change = max(change, abs(step))
        if change < 1e-15 * radius:
            break
    positive = np.inf
    largest = -np.inf
    for i in range(degree):
        x = roots[i].real
        if abs(roots[i].imag) > 1e-6 * max(1.0, abs(x)):
            continue
        # polish on the real line: multiple roots converge slowly above
        for _ in range(3):
            p = lead
            slope = 0.0
            for j in range(1, degree + 1):
                slope = slope * x + p
                p = p * x + registers[first + j]
            if slope == 0.0 or p == 0.0:
                break
            x -= p / slope
        largest = max(largest, x)
        if x > 0.0:
            positive = min(positive, x)
    if positive < np.inf:
        return positive
    return largest if largest > -np.inf else np.nan


def forward(nodes, frames, base, values, out):  # noqa: ANN001
    """Write the pose of every node, (n, 4, 4), for one vector of values.

    Products of exponentials along the tree (Lynch & Park, Modern Robotics, 4.1).
    """
    for i in range(4):
        for j in range(4):
            out[0, i, j] = base[i, j]
    for n in range(1, nodes.shape[0]):
        k = nodes[n, 0]
        p = nodes[k, 1]
        code = nodes[k, 2]
        f = frames[k]
        l0, l1, l2 = f[0], f[1], f[2]
        l4, l5, l6 = f[3], f[4], f[5]
        l8, l9, l10 = f[6], f[7], f[8]
        l3, l7, l11 = f[9], f[10], f[11]
        if code == SLIDE:
            th = values[nodes[k, 3]]
            x, y, z = f[12] * th, f[13] * th, f[14] * th
            l3 += l0 * x + l1 * y + l2 * z
            l7 += l4 * x + l5 * y + l6 * z
            l11 += l8 * x + l9 * y + l10 * z
        elif code != FIXED:
            if code <= TURN_Z:
                th = values[nodes[k, 3]]
                s = math.sin(th) * f[18]
                c = math.cos(th)
                if code == TURN_Z:
                    l0, l1 = l0 * c + l1 * s, l1 * c - l0 * s
                    l4, l5 = l4 * c + l5 * s, l5 * c - l4 * s
                    l8, l9 = l8 * c + l9 * s, l9 * c - l8 * s
                elif code == TURN_Y:
                    l0, l2 = l0 * c - l2 * s, l2 * c + l0 * s
                    l4, l6 = l4 * c - l6 * s, l6 * c + l4 * s
                    l8, l10 = l8 * c - l10 * s, l10 * c + l8 * s
                else:
                    l1, l2 = l1 * c + l2 * s, l2 * c - l1 * s
                    l5, l6 = l5 * c + l6 * s, l6 * c - l5 * s
                    l9, l10 = l9 * c + l10 * s, l10 * c - l9 * s
            else:
                if code == TURN:
                    th = values[nodes[k, 3]]
                    x, y, z = f[12], f[13], f[14]
                else:
                    v = nodes[k, 3]
                    x, y, z = values[v], values[v + 1], values[v + 2]
                    th = math.sqrt(x * x + y * y + z * z)
                    if th > 0.0:
                        x, y, z = x / th, y / th, z / th
                    th *= f[18]
                s = math.sin(th)
                c = math.cos(th)
                h = math.sin(0.5 * th)
                w = 2.0 * h * h
                if code == BALL and th == 0.0:
                    x = 1.0
                r00, r01, r02 = c + x * x * w, x * y * w - z * s, x * z * w + y * s
                r10, r11, r12 = x * y * w + z * s, c + y * y * w, y * z * w - x * s
                r20, r21, r22 = x * z * w - y * s, y * z * w + x * s, c + z * z * w
                l0, l1, l2 = (
                    l0 * r00 + l1 * r10 + l2 * r20,
                    l0 * r01 + l1 * r11 + l2 * r21,
                    l0 * r02 + l1 * r12 + l2 * r22,
                )
                l4, l5, l6 = (
                    l4 * r00 + l5 * r10 + l6 * r20,
                    l4 * r01 + l5 * r11 + l6 * r21,
                    l4 * r02 + l5 * r12 + l6 * r22,
                )
                l8, l9, l10 = (
                    l8 * r00 + l9 * r10 + l10 * r20,
                    l8 * r01 + l9 * r11 + l10 * r21,
                    l8 * r02 + l9 * r12 + l10 * r22,
                )
            if nodes[k, 4] != 0:
                x, y, z = f[15], f[16], f[17]
                l3 -= l0 * x + l1 * y + l2 * z
                l7 -= l4 * x + l5 * y + l6 * z
                l11 -= l8 * x + l9 * y + l10 * z
        for i in range(3):
            a0, a1, a2 = out[p, i, 0], out[p, i, 1], out[p, i, 2]
            out[k, i, 0] = a0 * l0 + a1 * l4 + a2 * l8
            out[k, i, 1] = a0 * l1 + a1 * l5 + a2 * l9
            out[k, i, 2] = a0 * l2 + a1 * l6 + a2 * l10
            out[k, i, 3] = a0 * l3 + a1 * l7 + a2 * l11 + out[p, i, 3]
        out[k, 3, 0] = 0.0
        out[k, 3, 1] = 0.0
        out[k, 3, 2] = 0.0
        out[k, 3, 3] = 1.0


def forward_batch(nodes, frames, base, values, out):  # noqa: ANN001
    """Write node poses (m, n, 4, 4) for `values` (m, n_values)."""
    for i in range(values.shape[0]):
        forward(nodes, frames, base, values[i], out[i])


def values_batch(tape, constants, n_position, registers, values):  # noqa: ANN001
    """Fill the followers of each row of `values` (m, n_values) in place."""
    for i in range(values.shape[0]):
        run_tape(tape, constants, 0, n_position, registers, values[i])
