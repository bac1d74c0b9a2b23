"""``pyrave ik``: how an arm is solved, how well, for one pose, and where it reaches."""

from __future__ import annotations

import json as json_text
import sys
import textwrap
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import pyrave
from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.ik import IkParameterization, IkParameterizationType
from pyrave.pictures import DEFAULT_SIZE, Viewpoint, size_of
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.arm.poses import meeting, random_configurations
from pyrave_ik.methods.analytic import AnalyticSolver, SearchNeededError
from pyrave_ik.solver.analytic_ik import AnalyticIk
from pyrave_ik.solver.default_goal_type import default_fallback, default_solver
from pyrave_ik.tools.explanation import explain as explanation_of
from pyrave_ik.tools.explanation import explain_fallback
from pyrave_ik.tools.picture import draw_arm
from pyrave_ik.tools.statistics import solve_statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyrave.bodies import Manipulator, Robot
    from pyrave.spatial import Array
    from pyrave_ik.solver.goal_method import GoalMethod
    from pyrave_ik.tools.explanation import Explanation

SCHEMA = "pyrave-ik/1"
_ARMS = "robots/arms"
_SUFFIX = ".robot.xml"
_WIDTH = 76
_POINTS = 200_000
_ROWS = 40
"""Largest number of solutions that are printed as text."""
_POSES = 1000
_SECONDS = 30.0


def ik(
    arm: str = "",
    *,
    robot: str = "",
    state: str = "",
    manipulator: str = "",
    base: str = "",
    tip: str = "",
    type: str = "",  # noqa: A002 - the name of the option
    explain: bool = False,
    statistics: bool = False,
    poses: int | None = None,
    seed: int = 0,
    target: str = "",
    line_to: str = "",
    steps: int = 100,
    reachability: Path | None = None,
    picture: Path | None = None,
    eye: tuple[float, float, float] | None = None,
    look_at: tuple[float, float, float] | None = None,
    size: str = "960x720",
    zoom: float = 1.0,
    json: bool = False,
) -> int:
    """Explain and try the inverse kinematics of an arm.

    Parameters
    ----------
    arm
        Scene or robot file, or the name of an arm that ships; a list of these if
        nothing is given.
    robot
        Name of the robot, if the scene has several.
    state
        A named state of the robot from which it starts, such as ready of an SRDF.
    manipulator
        Name of the manipulator; the robot's active one by default.
    base
        With --tip, where the robot has no manipulator of the arm: the link where it
        begins; the first link of the robot by default.
    tip
        The link that carries the tool of such an arm.
    type
        Kind of goals, Translation3D for one; by default the one that constrains most
        of those that fit.
    explain
        Print the relations of the axes, and how the arm is solved and why. This is
        the default action.
    statistics
        Solve for the poses of random configurations from other random ones; print
        counts of found, lost and wrong solutions, and times.
    poses
        How many poses for the statistics: by default 1000, or as many as 30 seconds
        allow.
    seed
        Of the random poses.
    target
        Solve for "x y z qw qx qy qz" in the world, metres, and print all solutions;
        of other kinds of goals (--type) the numbers that they store.
    line_to
        Move the tool along a straight line to a goal, given as --target is; print where
        the line ends and why. It begins at the solution of --target that is nearest to
        the current configuration, and without --target at that.
    steps
        Of the line.
    reachability
        Write a picture of where the tool gets to: three views, bright where it points
        in many directions; in .png or .jpg, with the extra `plot` also in .svg and
        .pdf, then with axes and a scale.
    picture
        Write a picture (.png, .jpg) of the arm at the solution of --target nearest to
        where it is, or at the end of --line-to with the way of the tool; with the
        frames of tool and goal.
    eye
        Of the picture: where it is taken from, world, metres. By default the scene's
        own camera, or from where most is seen.
    look_at
        Of the picture: what is in its middle, x y z, world, metres.
    size
        Of the picture: width and height, pixels, as in 960x720.
    zoom
        Of the picture: above 1 shows less, larger.
    json
        Print everything as JSON (schema pyrave-ik/1).
    """
    if poses is not None and poses < 1:
        raise ArgumentError(f"{poses} poses, expected at least 1")
    if steps < 1:
        raise ArgumentError(f"{steps} steps, expected at least 1")
    if seed < 0:
        raise ArgumentError(f"the seed is {seed}, expected 0 or more")
    env = _load(arm)  # manipulators do not keep it
    mover = _robot(env, robot)
    if state:
        mover.set_state(state)
    hand = _manipulator(mover, manipulator, base, tip)
    out = _Output(quiet=json)
    with out.waiting("choosing how to solve it; a machine's first time compiles"):
        way = _way(hand, type)
    goal = _goal(way.kind, target, "target") if target else None
    line_end = _goal(way.kind, line_to, "end of the line") if line_to else None
    view = Viewpoint(eye, look_at, size_of(size), zoom)
    if picture is None and view != Viewpoint(size=DEFAULT_SIZE):
        raise ArgumentError(
            "--eye, --look-at, --size and --zoom are of a picture, name it with "
            "--picture"
        )
    for path in (reachability, picture):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "robot": hand.robot.name,
        "manipulator": hand.name,
    }
    out.line(f"{hand.robot.name}, manipulator {hand.name}")
    if explain or not (statistics or target or line_to or reachability or picture):
        explanation = way.explanation
        data["explanation"] = explanation.data
        for line in explanation.lines:
            out.line(f"  {line}")
    if statistics:
        data["statistics"] = _call_statistics(way.kind, hand, poses, seed, out)
    way_of_line = None
    if goal is not None:
        data["target"] = _target(goal, hand, out)
    if line_end is not None:
        way_of_line, data["line"] = _line(goal, line_end, steps, hand, out)
    if reachability is not None:
        data["reachability"] = _reachability(hand, reachability, seed, out)
    if picture is not None:
        draw_arm(env, hand, line_end or goal, way_of_line, picture, view)
        data["picture"] = str(picture)
        out.line(f"  picture: {picture}")
    if json:
        sys.stdout.write(json_text.dumps(data, indent=2) + "\n")
    return 0


class _Output:
    """Text for people, and the progress of long work, unless JSON is printed."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet

    def line(self, text: str) -> None:
        if not self._quiet:
            sys.stdout.write(text + "\n")

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Show what is being done meanwhile; on a terminal only."""
        seen = not self._quiet and sys.stderr.isatty()
        if seen:
            sys.stderr.write(f"{what} ...")
            sys.stderr.flush()
        try:
            yield
        finally:
            if seen:
                blank = " " * (len(what) + 4)
                sys.stderr.write(f"\r{blank}\r")
                sys.stderr.flush()

    def progress(self, what: str, total: int) -> Callable[[int], None]:
        """Return the callback for the number done; it prints on a terminal only."""
        seen = not self._quiet and sys.stderr.isatty()

        def show(done: int) -> None:
            if not seen:
                return
            end = "\n" if done >= total else ""
            sys.stderr.write(f"\r{what}: {done} of {total}{end}")
            sys.stderr.flush()

        show(0)
        return show


def _load(arm: str) -> pyrave.Environment:
    """Return the environment of a file, or of an arm.

    Arms that ship go before robots of other packages: these have shapes, but few say
    which of their joints are the arm.
    """
    env = pyrave.Environment()
    shipped = _shipped(env)
    if not arm:
        arms = "\n  ".join(textwrap.wrap(", ".join(shipped), _WIDTH))
        raise ArgumentError(
            "which arm? Give a scene or robot file, or one of the arms that ship, "
            f"as in 'pyrave ik ur5':\n  {arms}"
        )
    env.load(arm if Path(arm).is_file() else shipped.get(arm, arm))
    return env


def _shipped(env: pyrave.Environment) -> dict[str, Path]:
    """Return the files of arms that ship by name, in the order of names."""
    found = {
        path.name.removesuffix(_SUFFIX): path
        for folder in env.registry.data_folders()
        for path in (folder / _ARMS).glob(f"*{_SUFFIX}")
    }
    return dict(sorted(found.items()))


def _robot(env: pyrave.Environment, name: str) -> Robot:
    robots = env.robots
    if not len(robots):
        raise NotSupportedError("there is no robot in the scene")
    if not name and len(robots) > 1:
        raise ArgumentError(
            f"the scene has {len(robots)} robots; choose one with --robot: "
            + ", ".join(robots.names)
        )
    return robots[name] if name else robots[0]


def _manipulator(robot: Robot, name: str, base: str, tip: str) -> Manipulator:
    leaves = [link.name for link in robot.structure.leaf_links]
    if base or tip:
        if not tip:
            raise ArgumentError(
                f"--base needs --tip, too; leaf links: {', '.join(leaves)}"
            )
        if name in robot.manipulators:
            raise ArgumentError(
                f"there is a manipulator {name!r}; leave out --base and --tip, or give "
                "another name"
            )
        return robot.add_manipulator(name or "arm", base=base or None, tip=tip)
    if not robot.manipulators:
        raise NotSupportedError(
            f"the robot {robot.name!r} has no manipulator; say where it begins and "
            f"ends: --base {robot.links[0].name} --tip {leaves[0]}; leaf links: "
            + ", ".join(leaves)
        )
    return robot.manipulators[name] if name else robot.active_manipulator


class _Way:
    """Solution of a kind of goals as a loop of six joints."""

    def __init__(
        self, solver: AnalyticSolver, refused: Mapping[IkParameterizationType, str]
    ) -> None:
        self.kind = solver.kind
        self.solver = solver
        self._refused = refused

    @property
    def explanation(self) -> Explanation:
        return explanation_of(self.solver, self._refused)


class _OtherWay:
    """Solution of a kind of goals that are no loop of six joints."""

    def __init__(
        self,
        hand: Manipulator,
        kind: IkParameterizationType,
        method: GoalMethod,
        refused: Mapping[IkParameterizationType, str],
    ) -> None:
        self.kind = kind
        self._hand = hand
        self._method = method
        self._refused = refused

    @property
    def explanation(self) -> Explanation:
        chain = ArmChain.from_manipulator(self._hand)
        return explain_fallback(self.kind, self._method, chain, self._refused)


def _analytic(hand: Manipulator) -> AnalyticIk:
    """Return the arm's solver if it is analytic, a new one otherwise."""
    solver = hand.own_ik_solver
    if not isinstance(solver, AnalyticIk):
        hand.ik_solver = solver = AnalyticIk(hand.robot.env)
    return solver


def _way(hand: Manipulator, kind: str) -> _Way | _OtherWay:
    chain = ArmChain.from_manipulator(hand)
    wanted = IkParameterizationType.of(kind) if kind else None
    try:
        if wanted is None and not chain.coupled:
            return _Way(*default_solver(chain, hand.direction))
        if wanted is not None:
            return _Way(AnalyticSolver(chain, wanted, hand.direction), {})
    except SearchNeededError:
        pass
    solver = _analytic(hand)
    if wanted is None:
        return _OtherWay(hand, *default_fallback(chain, hand.direction, solver.method))
    return _OtherWay(hand, wanted, solver.method(wanted), {})


def _call_statistics(
    kind: IkParameterizationType,
    hand: Manipulator,
    given: int | None,
    seed: int,
    out: _Output,
) -> dict[str, Any]:
    poses = _POSES if given is None else given
    rng = np.random.default_rng(seed)
    rows = meeting(hand, kind, random_configurations(hand, poses, rng), rng)
    starts = random_configurations(hand, len(rows), rng)
    _analytic(hand)
    data = solve_statistics(
        hand,
        kind,
        rows,
        starts,
        seconds=_SECONDS if given is None else np.inf,
        progress=out.progress("poses", len(rows)),
    )
    out.line(
        f"  as called: {kind.name}, {data['poses']} random poses within limits, the "
        "arm at another configuration"
    )
    out.line(
        f"  found {data['found']:.2%}, lost {data['lost']}, wrong {data['wrong']}; "
        f"errors to {data['position_error']:.1e} m and {data['rotation_error']:.1e} rad"
    )
    out.line(f"  time of solve_ik: {_times(data['microseconds'])}")
    return data


def _times(times: Mapping[str, float]) -> str:
    """Return percentiles of times in microseconds, in words."""
    names = {"50": "median", "100": "slowest"}
    return ", ".join(f"{names.get(p, f'{p} %')} {t:.0f} us" for p, t in times.items())


def _target(
    goal: IkParameterization, hand: Manipulator, out: _Output
) -> dict[str, Any]:
    kind = goal.type
    _analytic(hand)
    result = hand.find_ik(goal, nearest=True)
    names = [joint.name for joint in hand.arm_joints]
    out.line(f"  {kind.name} {' '.join(f'{v:g}' for v in goal.values)}")
    if result:
        count = "1 solution" if len(result) == 1 else f"{len(result)} solutions"
        out.line(f"  {count}, radians and metres; {' '.join(names)}")
    continua = result.continua or ((),) * len(result)
    shown = zip(result.solutions, result.branches, continua, strict=True)
    for row, branch, moving in islice(shown, _ROWS):
        joints = ", ".join(names[i] for i in moving)
        note = f", one of a continuum along which {joints} move" if moving else ""
        out.line(f"    {_row(row)}   branch {branch}{note}")
    if len(result) > _ROWS:
        out.line(f"    and {len(result) - _ROWS} more: --json has all")
    if not result.complete:
        out.line("  searched numerically: there may be more than are found")
    if not result:
        out.line("  no solution" + "".join(f"; {why}" for why in result.reasons))
    near = result.nearest
    if near is not None and not result:
        out.line(f"  nearest: {_row(near.values)}, {near.distance:.3g} away")
    return {
        "type": kind.name,
        "values": list(goal.values),
        "solutions": result.solutions.tolist(),
        "branches": [int(branch) for branch in result.branches],
        "continua": [[names[i] for i in moving] for moving in continua],
        "complete": result.complete,
        "reasons": list(result.reasons),
        "nearest": None
        if near is None
        else {"values": near.values.tolist(), "distance": near.distance},
    }


def _line(
    start: IkParameterization | None,
    goal: IkParameterization,
    steps: int,
    hand: Manipulator,
    out: _Output,
) -> tuple[Array, dict[str, Any]]:
    _analytic(hand)
    if start is not None:
        first = hand.solve_ik(start)
        if first is None:
            raise NotSupportedError(
                "the line has no beginning: no solution of the target was found; give "
                "another --target, or none for a line from the current configuration"
            )
        hand.arm_dof_values = first
    path = hand.straight_line(goal, steps)
    names = " ".join(joint.name for joint in hand.arm_joints)
    step = path.largest_step
    if path:
        out.line(f"  line of {len(path)} goals, joints move by {step:.3g} at most")
    else:
        part = max(path.end, 0.0) / steps
        out.line(f"  line ends at {part:.1%} of the way, {path.status.value}")
        out.line(f"    {path.cause}")
    if len(path):
        out.line(f"  from and to, radians and metres; {names}")
        for row in (path.values[0], path.values[-1]):
            out.line(f"    {_row(row)}")
    return path.values, {
        "type": goal.type.name,
        "values": list(goal.values),
        "steps": steps,
        "solutions": path.values.tolist(),
        "complete": bool(path),
        "status": path.status.value,
        "cause": path.cause,
        "end": path.end,
        "largest_step": step,
    }


def _row(values: Array) -> str:
    return " ".join(f"{value:8.4f}" for value in values)


def _goal(kind: IkParameterizationType, text: str, what: str) -> IkParameterization:
    words = text.replace(",", " ").split()
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) != kind.n_values or not np.isfinite(numbers).all():
        form = (
            "x y z qw qx qy qz"
            if kind is IkParameterizationType.Transform6D
            else f"{kind.n_values} numbers"
        )
        raise ArgumentError(f"the {what} is {text!r}, expected {form} for {kind.name}")
    if kind is IkParameterizationType.Transform6D:
        numbers = [*numbers[3:], *numbers[:3]]
    return IkParameterization(kind, tuple(numbers))


def _reachability(
    hand: Manipulator, path: Path, seed: int, out: _Output
) -> dict[str, Any]:
    from pyrave.geometry import IMAGE_ENDINGS, check_image_file, write_image
    from pyrave.plots import require_matplotlib
    from pyrave_ik.tools.reachability import draw, plot, reach

    hint = ""
    try:
        require_matplotlib(f"a plot in {path.suffix}")
    except NotSupportedError:
        if path.suffix.lower() not in IMAGE_ENDINGS:
            raise
        check_image_file(path, "--reachability")
        hint = "; pip install 'pyrave[plot]' for axes and a scale"
    rng = np.random.default_rng(seed)
    found = reach(hand, random_configurations(hand, _POINTS, rng))
    if hint:
        write_image(path, draw(found))
    else:
        from pyrave.plots.figure import write_plot

        write_plot(plot(found), path)
    lower, upper = found.bounds
    out.line(
        f"  reaches {found.radius:.3f} m from the base link; picture: {path}{hint}"
    )
    return {
        "picture": str(path),
        "radius": found.radius,
        "lower": lower.tolist(),
        "upper": upper.tolist(),
    }
