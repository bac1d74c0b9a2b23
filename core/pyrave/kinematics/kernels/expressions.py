"""Kernel of mimic formulas: a tape of instructions over registers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

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
OP_TABLE = 46
OP_TABLE_SLOPE = 47


def run_tape(
    tape: I64,
    constants: F64,
    start: int,
    stop: int,
    registers: F64,
    values: F64,
) -> None:
    """Execute instructions `start` to `stop`; row k writes register k.

    A row is (op, a, b, c): operand registers, or the index of a value for loads and
    stores; for tables a register, a place in `constants` and the number of times.
    Domain errors give NaN.
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
        if op in (OP_TABLE, OP_TABLE_SLOPE):
            slope = op == OP_TABLE_SLOPE
            registers[k] = _look_up(constants, tape[k, 2], tape[k, 3], x, slope)
            continue
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


def _look_up(
    constants: F64, table: int, n_times: int, time: float, slope: bool
) -> float:
    """Return value or slope of a function that is linear in each segment.

    The table has times (n), values at the starts of segments (n - 1) and slopes
    (n - 1). The function holds its value outside of the times.
    """
    if not constants[table] <= time:
        if slope:
            return 0.0
        return constants[table + n_times] if time < constants[table] else np.nan
    low, high = 0, n_times - 1
    while high - low > 1:
        middle = (low + high) // 2
        if constants[table + middle] <= time:
            low = middle
        else:
            high = middle
    last: float = constants[table + n_times - 1]
    rate: float = constants[table + 2 * n_times - 1 + low]
    if slope:
        return rate if time <= last else 0.0
    start: float = constants[table + n_times + low]
    since: float = min(time, last) - constants[table + low]
    return start + rate * since


def _real_root(registers: F64, first: int, degree: int) -> float:
    """Return one real root of a polynomial, or NaN if it has none.

    Coefficients, highest power first, are in `degree` + 1 registers, a range in the
    next two. Of the roots in the range (of all, if none is in it) it is the
    smallest positive one, else the largest. All roots at once by the iteration of
    Durand and Kerner (Kerner, Numer. Math. 8, 1966).
    """
    lower = registers[first + degree + 1]
    upper = registers[first + degree + 2]
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
    found = np.empty(degree)
    n = 0
    n_inside = 0
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
        found[n] = x
        n += 1
        if lower <= x <= upper:
            n_inside += 1
    best = np.nan
    for i in range(n):
        x = found[i]
        if n_inside > 0 and not lower <= x <= upper:
            continue
        if x > 0.0:
            if not 0.0 < best <= x:
                best = x
        elif not best >= x:
            best = x
    return best


def values_batch(
    tape: I64, constants: F64, n_position: int, registers: F64, values: F64
) -> None:
    """Fill the followers of each row of `values` (m, n_values) in place."""
    for i in range(values.shape[0]):
        run_tape(tape, constants, 0, n_position, registers, values[i])


def value_slopes(partials: I64, registers: F64, out: F64) -> None:
    """Add the chain rule to `out` (n_values, n_dof), d value / d degree of freedom.

    Rows of values that follow no other are set by the caller.
    """
    for k in range(partials.shape[0]):
        target = partials[k, 0]
        source = partials[k, 1]
        slope = registers[partials[k, 2]]
        for j in range(out.shape[1]):
            out[target, j] += slope * out[source, j]
