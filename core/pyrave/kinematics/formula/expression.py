"""Expression graphs: shared nodes, constant folding, exact derivatives.

A graph is a list of nodes in which operands come before their users. Equal nodes
exist once, so that derivatives stay proportional to the expression, also where named
sub-expressions would double a tree with each use.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.kernels import expressions as k

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_NODES = 50_000
"""Nodes that one graph may have; larger ones are refused."""

Operands = tuple[float | str, ...]
"""Places of nodes, or the number of a constant, or what a load names."""
Node = tuple[int, Operands]

_NAMES = {
    code: name.removeprefix("OP_").lower()
    for name, code in vars(k).items()
    if name.startswith("OP_")
}
_ZERO_SLOPE = {
    k.OP_NOT,
    k.OP_AND,
    k.OP_OR,
    k.OP_EQ,
    k.OP_NE,
    k.OP_LT,
    k.OP_LE,
    k.OP_CEIL,
    k.OP_FLOOR,
    k.OP_INT,
    k.OP_TRUNC,
    k.OP_SIGN,
}


class ExpressionGraph:
    """Nodes ``(op, operands...)``; constants hold a float, loads a name or an index.

    Mutable while it is built; not for several threads.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._index: dict[Node, int] = {}

    def _add(self, op: int, operands: Operands) -> int:
        key = (op, operands)
        found = self._index.get(key)
        if found is not None:
            return found
        if len(self.nodes) >= MAX_NODES:
            raise ArgumentError(
                f"an expression or its derivatives need more than {MAX_NODES} terms"
            )
        self._index[key] = index = len(self.nodes)
        self.nodes.append(key)
        return index

    def constant(self, value: float) -> int:
        """Return the node of a number."""
        return self._add(k.OP_CONST, (float(value),))

    def load(self, name: str | int) -> int:
        """Return the node of a variable."""
        return self._add(k.OP_LOAD, (name,))

    def value_of(self, index: int) -> float | None:
        """Return the number of a constant node, None for any other."""
        op, operands = self.nodes[index]
        return float(operands[0]) if op == k.OP_CONST else None

    def node(self, op: int, *operands: int) -> int:
        """Return the node of an operation, folded and simplified where exact."""
        numbers = [self.value_of(operand) for operand in operands]
        if op == k.OP_ROOT:
            # which root it is depends on a range that may still change
            return self._add(op, operands)
        if all(number is not None for number in numbers):
            folded = _fold(op, [float(n) for n in numbers if n is not None])
            if math.isfinite(folded):
                return self.constant(folded)
        return self._simplified(op, operands, numbers)

    def _simplified(
        self, op: int, operands: tuple[int, ...], numbers: list[float | None]
    ) -> int:
        a = numbers[0]
        b = numbers[1] if len(numbers) > 1 else None
        if op == k.OP_ADD:
            if a == 0.0:
                return operands[1]
            if b == 0.0:
                return operands[0]
        elif op == k.OP_SUB:
            if b == 0.0:
                return operands[0]
            if a == 0.0:
                return self.node(k.OP_NEG, operands[1])
        elif op == k.OP_MUL:
            if a == 0.0 or b == 0.0:
                return self.constant(0.0)
            if a == 1.0:
                return operands[1]
            if b == 1.0:
                return operands[0]
        elif op == k.OP_DIV:
            if b == 1.0:
                return operands[0]
            if a == 0.0 and b is None:
                return self.constant(0.0)
        elif op == k.OP_POW and b == 1.0:
            return operands[0]
        elif op == k.OP_NEG:
            inner, inner_operands = self.nodes[operands[0]]
            if inner == k.OP_NEG:
                return int(inner_operands[0])
        elif op == k.OP_IF:
            if a is not None:
                return operands[1] if abs(a) >= 0.5 else operands[2]
            if operands[1] == operands[2]:
                return operands[1]
        return self._add(op, operands)

    def include(self, expression: Expression, mapping: dict[str, int]) -> int:
        """Copy an expression into this graph; `mapping` gives a node per name."""
        copied: list[int] = []
        for op, operands in expression.nodes:
            if op == k.OP_CONST:
                copied.append(self._add(op, operands))
            elif op == k.OP_LOAD:
                copied.append(mapping[str(operands[0])])
            else:
                copied.append(self.node(op, *(copied[int(o)] for o in operands)))
        return copied[expression.root]


class Expression:
    """A frozen expression: its nodes, the last of which is the result.

    Parameters
    ----------
    graph, root
        Where it was built; only what `root` needs is kept.
    """

    __slots__ = ("names", "nodes", "root")

    nodes: tuple[Node, ...]
    root: int
    names: tuple[str, ...]

    def __init__(self, graph: ExpressionGraph, root: int) -> None:
        kept = _needed(graph, (root,))
        place = {old: new for new, old in enumerate(kept)}
        nodes: list[Node] = []
        for old in kept:
            op, operands = graph.nodes[old]
            if op not in {k.OP_CONST, k.OP_LOAD}:
                operands = tuple(place[int(o)] for o in operands)
            nodes.append((op, operands))
        names = dict.fromkeys(str(args[0]) for op, args in nodes if op == k.OP_LOAD)
        object.__setattr__(self, "nodes", tuple(nodes))
        object.__setattr__(self, "root", len(nodes) - 1)
        object.__setattr__(self, "names", tuple(names))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an expression is frozen; {name} cannot be set")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and self.nodes == other.nodes

    def __hash__(self) -> int:
        return hash(self.nodes)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.nodes,)

    def terms(self) -> list[tuple[str, Operands]]:
        """Return (operation, operands) of each node, operands before their users.

        Operations are named as in the kernel, in lower case. ``const`` has its number,
        ``load`` its name; the others have places in this list. The last is the result.
        """
        return [(_NAMES[op], operands) for op, operands in self.nodes]

    def evaluate(self, values: dict[str, float]) -> float:
        """Return the value for one number per name; NaN outside of its domain."""
        graph = ExpressionGraph()
        index = {name: i for i, name in enumerate(self.names)}
        mapping = {name: graph.load(i) for name, i in index.items()}
        root = graph.include(self, mapping)
        tape = Tape(graph)
        register = tape.emit(root)
        rows, constants = tape.arrays()
        registers = np.zeros(len(rows))
        inputs = np.array([float(values[name]) for name in self.names] or [0.0])
        with np.errstate(all="ignore"):
            k.run_tape(rows, constants, 0, len(rows), registers, inputs)
        return float(registers[register])


def _restore(nodes: tuple[Node, ...]) -> Expression:
    """Unpickle an expression."""
    graph = ExpressionGraph()
    graph.nodes = list(nodes)
    return Expression(graph, len(nodes) - 1)


def _needed(graph: ExpressionGraph, roots: Iterable[int]) -> list[int]:
    """Return the nodes that `roots` depend on, operands first."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        index = stack.pop()
        if index in seen:
            continue
        seen.add(index)
        op, operands = graph.nodes[index]
        if op not in {k.OP_CONST, k.OP_LOAD}:
            stack.extend(int(o) for o in operands)
    return sorted(seen)


def _fold(op: int, numbers: list[float]) -> float:
    """Return the value of an operation on numbers, by the kernel itself."""
    count = len(numbers)
    rows = np.zeros((count + 1, 4), dtype=np.int64)
    constants = np.zeros(count + 1)
    constants[:count] = numbers
    rows[count] = (op, 0, min(1, count - 1), min(2, count - 1))
    registers = np.zeros(count + 1)
    with np.errstate(all="ignore"):
        k.run_tape(rows, constants, 0, count + 1, registers, registers[:1])
    return float(registers[count])


class Tape:
    """Instructions for `run_tape`, collected from one graph.

    Nodes that were emitted already are used again, so results that share terms
    are computed together.
    """

    def __init__(self, graph: ExpressionGraph) -> None:
        self._graph = graph
        self._rows: list[tuple[int, int, int, int]] = []
        self._constants: list[float] = []
        self._register: dict[int, int] = {}
        self._tables: list[tuple[float, ...]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def _push(
        self, op: int, a: int = 0, b: int = 0, c: int = 0, value: float = 0.0
    ) -> int:
        self._rows.append((op, a, b, c))
        self._constants.append(value)
        return len(self._rows) - 1

    def emit(self, root: int) -> int:
        """Append what computes node `root` and return its register."""
        for index in _needed(self._graph, (root,)):
            if index in self._register:
                continue
            op, operands = self._graph.nodes[index]
            if op == k.OP_CONST:
                register = self._push(op, value=float(operands[0]))
            elif op == k.OP_LOAD:
                register = self._push(op, a=int(operands[0]))
            else:
                inputs = [self._register[int(o)] for o in operands]
                if op == k.OP_ROOT:
                    copies = [self._push(k.OP_COPY, a=i, b=i) for i in inputs]
                    register = self._push(op, a=copies[0], b=len(copies) - 3)
                else:
                    a = inputs[0]
                    b = inputs[1] if len(inputs) > 1 else a
                    c = inputs[2] if len(inputs) > 2 else a
                    register = self._push(op, a, b, c)
            self._register[index] = register
        return self._register[root]

    def store(self, register: int, value_index: int) -> None:
        """Append a store of a register to a value."""
        self._push(k.OP_STORE, register, register, value_index)

    def table(
        self, times: Iterable[float], start: Iterable[float], slope: Iterable[float]
    ) -> int:
        """Add a function that is linear in each segment, and return its number.

        Parameters
        ----------
        times
            n ends of the segments, increasing.
        start, slope
            n - 1 values at the start of each segment, and changes with time.
        """
        self._tables.append((*times, *start, *slope))
        return len(self._tables) - 1

    def look_up(self, op: int, register: int, table: int) -> int:
        """Append a value or slope of a table; return its register."""
        return self._push(op, register, register, table)

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Return instructions (n, 4) int64 and constants (n + sizes of tables,)."""
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 4)
        numbers, place = list(self._constants), []
        for table in self._tables:
            place.append(len(numbers))
            numbers.extend(table)
        for row in rows:
            if row[0] in {k.OP_TABLE, k.OP_TABLE_SLOPE}:
                row[2], row[3] = place[row[3]], (len(self._tables[row[3]]) + 2) // 3
        return rows, np.array(numbers, dtype=np.float64)


def differentiate(expression: Expression, name: str) -> Expression:
    """Return the partial derivative of an expression by one of its names.

    Steps (floor, sign, comparisons) count as flat; `max`, `min` and `if` follow the
    branch that is taken.
    """
    graph = ExpressionGraph()
    mapping = {n: graph.load(n) for n in expression.names}
    zero = graph.constant(0.0)
    copied: list[int] = []
    slopes: list[int] = []
    for op, operands in expression.nodes:
        if op == k.OP_CONST:
            copied.append(graph.constant(float(operands[0])))
            slopes.append(zero)
        elif op == k.OP_LOAD:
            copied.append(mapping[str(operands[0])])
            slopes.append(graph.constant(1.0) if operands[0] == name else zero)
        else:
            inputs = [copied[int(o)] for o in operands]
            inner = [slopes[int(o)] for o in operands]
            copied.append(graph.node(op, *inputs))
            if op in _ZERO_SLOPE or all(slope == zero for slope in inner):
                slopes.append(zero)
            else:
                slopes.append(_slope(graph, op, inputs, inner, copied[-1]))
    return Expression(graph, slopes[expression.root])


def _slope(g: ExpressionGraph, op: int, x: list[int], d: list[int], value: int) -> int:
    """Return the derivative of one operation, given those of its operands."""
    node, number = g.node, g.constant
    add, sub, mul, div = k.OP_ADD, k.OP_SUB, k.OP_MUL, k.OP_DIV
    if op in {add, sub}:
        return node(op, d[0], d[1])
    if op == mul:
        return node(add, node(mul, d[0], x[1]), node(mul, x[0], d[1]))
    if op == div:
        return node(div, node(sub, d[0], node(mul, value, d[1])), x[1])
    if op == k.OP_MOD:
        whole = node(k.OP_TRUNC, node(div, x[0], x[1]))
        return node(sub, d[0], node(mul, whole, d[1]))
    if op == k.OP_POW:
        if g.value_of(d[1]) == 0.0:
            lower = node(k.OP_POW, x[0], node(sub, x[1], number(1.0)))
            return node(mul, node(mul, x[1], lower), d[0])
        growth = node(mul, d[1], node(k.OP_LOG, x[0]))
        ratio = node(div, node(mul, x[1], d[0]), x[0])
        return node(mul, value, node(add, growth, ratio))
    if op == k.OP_IF:
        return node(k.OP_IF, x[0], d[1], d[2])
    if op == k.OP_MAX:
        return node(k.OP_IF, node(k.OP_LE, x[1], x[0]), d[0], d[1])
    if op == k.OP_MIN:
        return node(k.OP_IF, node(k.OP_LE, x[0], x[1]), d[0], d[1])
    if op == k.OP_HYPOT:
        top = node(add, node(mul, x[0], d[0]), node(mul, x[1], d[1]))
        return node(div, top, value)
    if op == k.OP_ATAN2:
        top = node(sub, node(mul, x[1], d[0]), node(mul, x[0], d[1]))
        square = node(add, node(mul, x[0], x[0]), node(mul, x[1], x[1]))
        return node(div, top, square)
    if op == k.OP_ROOT:
        return _root_slope(g, x[:-2], d[:-2], value)
    return node(mul, _function_slope(g, op, x[0], value), d[0])


def _function_slope(g: ExpressionGraph, op: int, x: int, value: int) -> int:
    """Return the derivative of a function of one variable."""
    node = g.node
    one = g.constant(1.0)
    square = node(k.OP_MUL, x, x)
    if op == k.OP_NEG:
        return g.constant(-1.0)
    if op == k.OP_ABS:
        return node(k.OP_SIGN, x)
    if op in {k.OP_ACOS, k.OP_ASIN}:
        root = node(k.OP_SQRT, node(k.OP_SUB, one, square))
        slope = node(k.OP_DIV, one, root)
        return slope if op == k.OP_ASIN else node(k.OP_NEG, slope)
    if op == k.OP_ACOSH:
        under = node(k.OP_SUB, square, one)
        return node(k.OP_DIV, one, node(k.OP_SQRT, under))
    if op == k.OP_ASINH:
        under = node(k.OP_ADD, square, one)
        return node(k.OP_DIV, one, node(k.OP_SQRT, under))
    if op == k.OP_ATAN:
        return node(k.OP_DIV, one, node(k.OP_ADD, one, square))
    if op == k.OP_ATANH:
        return node(k.OP_DIV, one, node(k.OP_SUB, one, square))
    value_square = node(k.OP_MUL, value, value)
    if op == k.OP_CBRT:
        return node(k.OP_DIV, one, node(k.OP_MUL, g.constant(3.0), value_square))
    if op == k.OP_SQRT:
        return node(k.OP_DIV, g.constant(0.5), value)
    if op == k.OP_TAN:
        return node(k.OP_ADD, one, value_square)
    if op == k.OP_TANH:
        return node(k.OP_SUB, one, value_square)
    if op == k.OP_COS:
        return node(k.OP_NEG, node(k.OP_SIN, x))
    if op == k.OP_LOG:
        return node(k.OP_DIV, one, x)
    if op == k.OP_EXP:
        return value
    same = {k.OP_SIN: k.OP_COS, k.OP_SINH: k.OP_COSH, k.OP_COSH: k.OP_SINH}
    return node(same[op], x)


def _root_slope(g: ExpressionGraph, c: list[int], d: list[int], root: int) -> int:
    """Return dr for p(r) = 0: minus the change of p at r, over the slope of p there."""
    change = g.constant(0.0)
    slope = g.constant(0.0)
    degree = len(c) - 1
    for i, (coefficient, varied) in enumerate(zip(c, d, strict=True)):
        change = g.node(k.OP_ADD, g.node(k.OP_MUL, change, root), varied)
        if i < degree:
            term = g.node(k.OP_MUL, g.constant(degree - i), coefficient)
            slope = g.node(k.OP_ADD, g.node(k.OP_MUL, slope, root), term)
    return g.node(k.OP_NEG, g.node(k.OP_DIV, change, slope))
