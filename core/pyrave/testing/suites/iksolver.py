"""Checks of inverse kinematics solvers."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.bodies import Manipulator
from pyrave.errors import NotSupportedError
from pyrave.ik import IkAction, IkParameterization, IkParameterizationType, IkReturn
from pyrave.interfaces import IkSolverBase
from pyrave.testing.checks import NotApplicable, check, require
from pyrave.testing.subject import Subject

_KINDS = (IkParameterizationType.Transform6D, IkParameterizationType.Translation3D)
_SAMPLES = 5
_TOLERANCE = 1e-3


def _fitted(subject: Subject) -> tuple[IkSolverBase, Manipulator]:
    for robot in subject.env.robots:
        for manipulator in robot.manipulators:
            solver: IkSolverBase = subject.make()
            try:
                answer = solver.init(manipulator)
            except NotSupportedError:
                continue
            require(
                isinstance(answer, bool),
                f"init returned {answer!r}",
                "return True, or False when the solver does not fit the manipulator",
            )
            if answer:
                return solver, manipulator
    raise NotApplicable(
        "it fits no manipulator of the scene; give one that it fits by env="
    )


def _goals(
    subject: Subject,
) -> tuple[IkSolverBase, Manipulator, list[tuple[Any, IkParameterization]]]:
    """Return goals that can be reached, each with joint values that reach it."""
    solver, manipulator = _fitted(subject)
    kind = next((k for k in _KINDS if solver.supports(k)), None)
    if kind is None:
        raise NotApplicable("it solves neither Transform6D nor Translation3D goals")
    robot = manipulator.robot
    lower, upper = (np.clip(bound, -3.0, 3.0) for bound in robot.dof_limits)
    arm = manipulator.arm_indices
    rng = np.random.default_rng(11)
    goals = []
    with robot.preserve_state():
        for _ in range(_SAMPLES):
            values = robot.dof_values
            values[arm] = rng.uniform(lower[arm], upper[arm])
            robot.set_dof_values(values)
            goal = IkParameterization.from_pose(kind, manipulator.transform)
            goals.append((values[arm], goal))
    return solver, manipulator, goals


def _error(manipulator: Manipulator, solution: Any, goal: IkParameterization) -> float:
    """Return how far forward kinematics is from the goal, metres and radians."""
    robot = manipulator.robot
    with robot.preserve_state():
        robot.set_dof_values(solution, manipulator.arm_indices)
        reached = IkParameterization.from_pose(goal.type, manipulator.transform)
    return float(np.sqrt(reached.distance2(goal)))


def _distance(manipulator: Manipulator, a: Any, b: Any) -> float:
    delta = manipulator.robot.subtract_dof_values(a, b, manipulator.arm_indices)
    return float(delta @ delta)


@check("fits", "init says whether the solver fits; get_manipulator returns it.", "init")
def fits(subject: Subject) -> None:
    solver: IkSolverBase = subject.make()
    require(solver.get_manipulator() is None, "it has a manipulator before init")
    solver, manipulator = _fitted(subject)
    require(
        solver.get_manipulator() is manipulator,
        "get_manipulator() is not the one given to init",
    )
    require(
        any(solver.supports(kind) for kind in IkParameterizationType),
        "supports() is False for every kind of goal",
        "return True for the kinds that solve() understands",
    )


@check("free", "Free parameters: their count, indices and values fit together.")
def free(subject: Subject) -> None:
    solver, manipulator = _fitted(subject)
    count = solver.get_num_free_parameters()
    indices = solver.get_free_indices()
    values = np.asarray(solver.get_free_parameters())
    require(
        isinstance(indices, np.ndarray) and indices.dtype.kind == "i",
        f"get_free_indices() returned {indices!r}, expected an array of integers",
        "return pyrave.spatial.as_indices(indices, 'free indices')",
    )
    require(
        isinstance(count, int)
        and len(indices) in {0, count}
        and values.shape == (count,),
        f"{count!r} free parameters, indices {indices!r}, values {values!r}",
    )
    require(
        all(0 <= i < len(manipulator.arm_indices) for i in indices),
        f"free indices {indices} are not indices into the arm's joints",
    )
    require(
        bool(((values >= -1e-9) & (values <= 1 + 1e-9)).all()),
        f"free parameters {values.tolist()} are not in 0..1",
    )


@check("verifies", "Every solution reaches its goal and is within the limits.", "solve")
def verifies(subject: Subject) -> None:
    solver, manipulator, goals = _goals(subject)
    lower, upper = manipulator.robot.dof_limits
    arm = manipulator.arm_indices
    solved = 0
    for values, goal in goals:
        for answer in solver.solve_all(goal):
            require(
                isinstance(answer, IkReturn),
                f"solve_all gave {answer!r} in its list, expected IkReturn objects",
            )
            if not answer:
                continue
            solved += 1
            solution = np.asarray(answer.solution)
            require(
                solution.shape == (len(arm),) and np.isfinite(solution).all(),
                f"a solution is {solution!r}, expected ({len(arm)},) finite values",
            )
            require(
                bool(
                    (solution >= lower[arm] - 1e-6).all()
                    and (solution <= upper[arm] + 1e-6).all()
                ),
                f"the solution {solution.tolist()} is outside of the limits",
                "reject it with IkAction.REJECT_JOINT_LIMITS unless options say so",
            )
            error = _error(manipulator, solution, goal)
            require(
                error < _TOLERANCE,
                f"the solution {solution.tolist()} misses its goal by {error:g}; "
                f"{values.tolist()} reaches it",
                "compare with manipulator.transform after robot.set_dof_values",
            )
    require(
        solved,
        f"none of {len(goals)} goals, made by forward kinematics, was solved",
    )


@check("nearest", "solve returns the solution nearest to q0.", "solve")
def nearest(subject: Subject) -> None:
    solver, manipulator, goals = _goals(subject)
    found = 0
    for values, goal in goals:
        answer = solver.solve(goal, values)
        require(isinstance(answer, IkReturn), f"solve returned {answer!r}")
        if not answer or answer.solution is None:
            continue
        found += 1
        everything = [r.solution for r in solver.solve_all(goal) if r]
        best = min((_distance(manipulator, q, values) for q in everything), default=1e9)
        require(
            _distance(manipulator, answer.solution, values) <= best + 1e-6,
            f"solve(q0) returned {np.asarray(answer.solution).tolist()}, solve_all has "
            "a nearer one",
            "sort the solutions by their distance to q0",
        )
    require(found, "solve found no solution of goals made by forward kinematics")


@check("leaves-the-robot", "Solving leaves the robot where it is.", "solve")
def leaves_the_robot(subject: Subject) -> None:
    solver, manipulator, goals = _goals(subject)
    before = manipulator.robot.dof_values
    for values, goal in goals:
        solver.solve(goal, values)
        solver.solve_all(goal)
    require(
        np.array_equal(before, manipulator.robot.dof_values),
        "the robot was moved",
        "work inside `with robot.preserve_state():`",
    )


@check("out-of-reach", "A goal out of reach gives an answer that is false.", "solve")
def out_of_reach(subject: Subject) -> None:
    solver, _, goals = _goals(subject)
    kind = goals[0][1].type
    far = np.eye(4)
    far[:3, 3] = 1e3
    goal = IkParameterization.from_pose(kind, far)
    answer = solver.solve(goal)
    require(
        isinstance(answer, IkReturn) and not answer,
        f"solve of a goal 1.7 km away returned {answer!r}",
        "return IkReturn(IkAction.REJECT_KINEMATICS)",
    )
    require(
        not any(solver.solve_all(goal)), "solve_all of a goal 1.7 km away has solutions"
    )


@check(
    "filters",
    "Custom filters are asked, higher priorities first, and may reject.",
    "call_filters",
)
def filters(subject: Subject) -> None:
    solver, _, goals = _goals(subject)
    called: list[str] = []

    def noting(name: str, action: IkAction) -> Any:
        def ik_filter(*_: Any) -> IkAction:
            called.append(name)
            return action

        return ik_filter

    handles = [
        solver.register_custom_filter(1, noting("low", IkAction.SUCCESS)),
        solver.register_custom_filter(9, noting("high", IkAction.SUCCESS)),
    ]
    values, goal = goals[0]
    require(solver.solve(goal, values), "filters that accept prevent the solution")
    require(
        called[:2] == ["high", "low"],
        f"the filters were called in the order {called[:4]}",
        "run self.call_filters(solution, goal) on every candidate",
    )
    handles.append(solver.register_custom_filter(5, noting("no", IkAction.REJECT)))
    require(
        not solver.solve(goal, values),
        "a solution that a filter rejected was returned",
        "return only candidates that call_filters accepts",
    )
    for handle in handles:
        handle.close()
    called.clear()
    require(
        solver.solve(goal, values) and not called, "closed filters are still called"
    )
