"""Compile the formulas of mimic joints to one tape of instructions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, Problem, SceneError, Severity, shortened
from pyrave.kinematics.formula.expression import (
    Expression,
    ExpressionGraph,
    Tape,
    differentiate,
)
from pyrave.kinematics.formula.parser import (
    FormulaNames,
    parse_formula,
    parse_partials,
)
from pyrave.kinematics.kernels import expressions as k
from pyrave.kinematics.poses import tape_kernels

if TYPE_CHECKING:
    from pyrave.kinematics.joint_types import PathColumn
    from pyrave.kinematics.model import Floats, Ints
    from pyrave.scene import (
        JointAxis,
        JointDescription,
        JointPath,
        Location,
        MimicFormula,
    )


@dataclass(frozen=True, slots=True)
class MimicProgram:
    """Tape and outputs; `order` has the mimic values, followed ones first."""

    tape: Ints
    constants: Floats
    n_position: int
    partials: Ints
    second_partials: Ints
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PathProgram:
    """The values of a trajectory joint's path, which follow its time.

    Parameters
    ----------
    time
        Index of the value that counts seconds.
    first
        Index of the first of as many values as there are columns.
    circular
        The path starts again after its end.
    """

    time: int
    first: int
    path: JointPath
    columns: list[PathColumn]
    circular: bool


_MAX_WORK = 1_000_000
_MAX_PROBLEMS = 1000

_NOTHING = MimicProgram(
    np.zeros((0, 4), dtype=np.int64),
    np.zeros(0),
    0,
    np.zeros((0, 3), dtype=np.int64),
    np.zeros((0, 4), dtype=np.int64),
    (),
)


@dataclass(slots=True)
class _Follower:
    value: int
    joint: JointDescription
    axis: JointAxis
    location: Location | None
    position: Expression
    first: dict[str, Expression]
    second: dict[tuple[str, str], Expression] = field(default_factory=dict)


class _Loads(dict[str, int]):
    """Nodes of the names that formulas use; of many names most are never loaded."""

    def __init__(self, graph: ExpressionGraph, values: dict[str, int]) -> None:
        super().__init__()
        self._graph = graph
        self._values = values

    def __missing__(self, name: str) -> int:
        found = self[name] = self._graph.load(self._values[name])
        return found


def compile_mimic(
    joints: tuple[JointDescription, ...],
    value_of: dict[tuple[int, int], int],
    paths: list[PathProgram],
    problems: list[Problem],
) -> MimicProgram:
    """Compile all formulas of a body.

    Parameters
    ----------
    joints
        In the order of the description.
    value_of
        Value index of each (joint index, axis).
    paths
        Of the trajectory joints.
    problems
        Receives unknown names, syntax errors and cycles, each naming its joint.

    Notes
    -----
    A mimic value stops at the limits of its own axis, as in OpenRAVE; there its
    derivatives are zero. Where the formula has no finite value there is none to stop.

    A velocity list that the file gives is used as it is, as OpenRAVE does; one that
    leaves a variable out means zero. Where there is none the derivatives are exact.
    Second derivatives are always derived from the first ones: in real files the
    acceleration list is sometimes the second partial, sometimes the first once more.
    """
    if not paths and not any(joints[j].axes[axis].mimic for j, axis in value_of):
        return _NOTHING
    names: dict[str, int] = {}
    for (j, axis), value in value_of.items():
        names.setdefault(f"{joints[j].name}_{axis}", value)
    for (j, axis), value in value_of.items():
        if axis == 0:
            names[joints[j].name] = value
    known, budget = FormulaNames(names), _Budget()
    followers: dict[int, _Follower] = {}
    for (j, axis), value in value_of.items():
        formula = joints[j].axes[axis].mimic
        if formula is not None:
            follower = _parse(value, joints[j], axis, formula, known, budget, problems)
            if follower is not None:
                followers[value] = follower
            elif len(problems) >= _MAX_PROBLEMS:
                break
    order = _order(followers, names, problems)
    graph = ExpressionGraph()
    tape = Tape(graph)
    mapping = _Loads(graph, names)
    partials: list[tuple[int, int, int]] = []
    seconds: list[tuple[int, int, int, int]] = []
    inside: dict[int, int | None] = {}
    try:
        for value in order:
            root = graph.include(followers[value].position, mapping)
            root, inside[value] = _clamp(graph, root, followers[value].axis)
            tape.store(tape.emit(root), value)
        slopes = [slope for path in paths for slope in _store_path(graph, tape, path)]
        n_position = len(tape)
        for value in order:
            follower = followers[value]
            for name, slope in follower.first.items():
                root = _within(graph, inside[value], graph.include(slope, mapping))
                register = tape.emit(root)
                partials.append((value, names[name], register))
            for (name, other), curve in follower.second.items():
                root = _within(graph, inside[value], graph.include(curve, mapping))
                register = tape.emit(root)
                seconds.append((value, names[name], names[other], register))
        for value, by, time, table in slopes:
            partials.append((value, by, tape.look_up(k.OP_TABLE_SLOPE, time, table)))
    except ArgumentError as error:
        problems.append(Problem(Severity.ERROR, str(error), code="bad-formula"))
        return _NOTHING
    rows, constants = tape.arrays()
    return MimicProgram(
        rows,
        constants,
        n_position,
        np.array(partials, dtype=np.int64).reshape(-1, 3),
        np.array(seconds, dtype=np.int64).reshape(-1, 4),
        tuple(order),
    )


def _store_path(
    graph: ExpressionGraph, tape: Tape, program: PathProgram
) -> list[tuple[int, int, int, int]]:
    """Emit the values of a path; return (value, time value, time register, table)."""
    times = program.path.times
    time = graph.load(program.time)
    if program.circular:
        start, span = graph.constant(times[0]), graph.constant(times[-1] - times[0])
        since = graph.node(k.OP_SUB, time, start)
        rounds = graph.node(k.OP_FLOOR, graph.node(k.OP_DIV, since, span))
        time = graph.node(k.OP_SUB, time, graph.node(k.OP_MUL, rounds, span))
    register = tape.emit(time)
    slopes = []
    for i, column in enumerate(program.columns):
        table = tape.table(times, column.start.tolist(), column.slope.tolist())
        value = program.first + i
        tape.store(tape.look_up(k.OP_TABLE, register, table), value)
        slopes.append((value, program.time, register, table))
    return slopes


def check_start(
    program: MimicProgram,
    joints: tuple[JointDescription, ...],
    value_of: dict[tuple[int, int], int],
    start: Floats,
    problems: list[Problem],
) -> None:
    """Report formulas without a finite value where a body starts.

    Parameters
    ----------
    joints, value_of
        As for `compile_mimic`.
    start
        (n_values,) values of all axes at the start; those that follow do not count.
    problems
        Receives one problem per formula.
    """
    n = program.n_position
    if n == 0:
        return
    values = start.copy()
    registers = np.empty(n)
    kernel = tape_kernels.auto(n * 0.001)
    with np.errstate(all="ignore"):
        kernel.run_tape(program.tape, program.constants, 0, n, registers, values)
    axis_of = {value: key for key, value in value_of.items()}
    for value in program.order:
        if math.isfinite(values[value]):
            continue
        j, axis = axis_of[value]
        joint, formula = joints[j], joints[j].axes[axis].mimic
        assert formula is not None  # noqa: S101 - it is in the program
        problem = Problem(
            Severity.ERROR,
            shortened(
                f"joint {joint.name!r}: the formula {formula.position!r} is "
                f"{values[value]} where the body starts"
            ),
            hint="write a formula with finite values, or start elsewhere",
            code="formula-not-finite",
        )
        problems.append(located(problem, formula.location or joint.location))


def _clamp(
    graph: ExpressionGraph, root: int, axis: JointAxis
) -> tuple[int, int | None]:
    """Return the value kept within the limits, and the test that it is inside.

    A value that is not finite stays as it is: no limit makes a value of it.
    """
    if axis.circular or not axis.lower <= axis.upper:
        return root, None
    if axis.lower == axis.upper:
        # glued: at its only value it is inside, but has no way to go
        return graph.constant(axis.lower), graph.constant(0.0)
    tests = []
    clamped = root
    if math.isfinite(axis.lower):
        lower = graph.constant(axis.lower)
        tests.append(graph.node(k.OP_LE, lower, root))
        clamped = graph.node(k.OP_MAX, clamped, lower)
    if math.isfinite(axis.upper):
        upper = graph.constant(axis.upper)
        tests.append(graph.node(k.OP_LE, root, upper))
        clamped = graph.node(k.OP_MIN, clamped, upper)
    if not tests:
        return root, None
    # infinity less itself is not a number
    nought = graph.node(k.OP_SUB, root, root)
    finite = graph.node(k.OP_EQ, nought, graph.constant(0.0))
    clamped = graph.node(k.OP_IF, finite, clamped, root)
    return clamped, graph.node(k.OP_AND, tests[0], tests[-1])


def _within(graph: ExpressionGraph, test: int | None, root: int) -> int:
    """Return `root` where the test holds, else zero."""
    if test is None:
        return root
    return graph.node(k.OP_IF, test, root, graph.constant(0.0))


def _parse(
    value: int,
    joint: JointDescription,
    axis: int,
    formula: MimicFormula,
    names: FormulaNames,
    budget: _Budget,
    problems: list[Problem],
) -> _Follower | None:
    """Parse one axis; report problems with the joint's name and location."""
    location = formula.location or joint.location
    try:
        limits = joint.axes[axis].lower, joint.axes[axis].upper
        position = parse_formula(formula.position, names, within=limits)
        budget.spend(position)
        if formula.velocity.strip():
            first = parse_partials(formula.velocity, names)
        else:
            first = {n: differentiate(position, n) for n in position.names}
        follower = _Follower(value, joint, joint.axes[axis], location, position, first)
        # checked only: see the notes of compile_mimic
        parse_partials(formula.acceleration, names)
        for name, slope in first.items():
            if formula.velocity.strip():
                budget.spend(slope)
            for other in slope.names:
                curve = differentiate(slope, other)
                if not _is_zero(curve):
                    follower.second[name, other] = curve
    except SceneError as error:
        problems.extend(
            located(replace(p, message=f"joint {joint.name!r}: {p.message}"), location)
            for p in error.problems
        )
    except ArgumentError as error:
        problem = Problem(
            Severity.ERROR, f"joint {joint.name!r}: {error}", code="bad-formula"
        )
        problems.append(located(problem, location))
    else:
        return follower
    return None


class _Budget:
    """Bound on the cost of second derivatives of a body's formulas."""

    def __init__(self) -> None:
        self._left = _MAX_WORK

    def spend(self, expression: Expression) -> None:
        """Refuse what, with the formulas before it, would take long."""
        self._left -= len(expression.nodes) * len(expression.names) ** 2
        if self._left < 0:
            raise ArgumentError(
                f"a formula of {len(expression.nodes)} terms in "
                f"{len(expression.names)} joints is too large; terms times joints "
                f"squared may sum up to {_MAX_WORK} in one body"
            )


def _is_zero(expression: Expression) -> bool:
    return expression.nodes[expression.root][1] == (0.0,)


def located(problem: Problem, location: Location | None) -> Problem:
    """Return the problem with the place of a description's item."""
    if location is None:
        return problem
    return replace(
        problem, file=location.file, line=location.line, column=location.column
    )


def _order(
    followers: dict[int, _Follower], names: dict[str, int], problems: list[Problem]
) -> list[int]:
    """Return followers so that what they follow comes first; report cycles."""
    sources = {
        value: {
            names[name]
            for name in (*f.position.names, *f.first)
            if names[name] in followers
        }
        for value, f in followers.items()
    }
    # each value is looked at once for each one that it follows, in layers
    place = {value: i for i, value in enumerate(sources)}
    heirs: dict[int, list[int]] = {value: [] for value in sources}
    waiting = {value: len(needed) for value, needed in sources.items()}
    for value, needed in sources.items():
        for source in needed:
            heirs[source].append(value)
    order: list[int] = []
    ready = [value for value in sources if not waiting[value]]
    while ready:
        order.extend(ready)
        freed = []
        for value in ready:
            for heir in heirs[value]:
                waiting[heir] -= 1
                if not waiting[heir]:
                    freed.append(heir)
        ready = sorted(freed, key=place.__getitem__)
    left = [value for value in sources if waiting[value]]
    if left:
        joints = sorted({followers[value].joint.name for value in left})
        problem = Problem(
            Severity.ERROR,
            f"joints {', '.join(joints)} follow each other in a circle",
            hint="let one of them be a free joint",
            code="mimic-cycle",
        )
        problems.append(located(problem, followers[left[0]].location))
    return order
