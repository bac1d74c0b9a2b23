"""Rows of `regressions.py`: what users call, as they call it, on any of its commits.

    python regression_rows.py ROW FOLDER   timed on demand: a line in, a number out
    python regression_rows.py --files FOLDER   write the files that rows load

A row is a function of the folder with files; it returns what is timed and how many
items (rays, poses, steps) a call is for. Names that differ between commits are tried
in turn by `either`, and nothing else is adapted.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import pyrave
import pyrave.jit

Case = tuple[Callable[[], Any], int]
Row = Callable[[Path], Case]
ROWS: dict[str, Row] = {}
"""By name: topic, slash, what is done."""

DEMO = "demo.env.xml"
BATCH, BATCHES = 0.02, 5
"""Seconds that a batch of calls takes at least, and how many there are in a turn."""
WARM = 0.7
"""Seconds between two looks at whether calls still become quicker."""
VALUES = np.array((0.2, 0.1, 0.0, 1.2, 0.0, 0.9, 0.0, 0.03))
"""Of the arm's joints and the fingers, in the middle of their range."""
GOAL = np.array((-0.9, 0.6, 0.3, 0.9, 0.2, 0.6, 0.1))


def row(function: Row) -> Row:
    """Enter a row under its name: ``rays_laser`` is ``rays/laser``."""
    ROWS[function.__name__.replace("_", "/", 1)] = function
    return function


def either(thing: Any, *names: str) -> Any:
    """Return the first attribute that there is, of a thing that was renamed."""
    for name in names[:-1]:
        if hasattr(thing, name):
            return getattr(thing, name)
    return getattr(thing, names[-1])


def demo(folder: Path) -> tuple[Any, Any, Any]:
    """Return the demo's scene, its robot and the arm."""
    env = pyrave.load(folder / DEMO)
    robot = env.robots["heron7"]
    return env, robot, robot.manipulators["arm"]


def keeping(env: Any, run: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function that keeps an environment alive, as variables of scripts do."""

    def kept(_env: Any = env) -> Any:
        return run()

    return kept


def moving(env: Any, robot: Any, then: Callable[[], Any]) -> Case:
    """Return a case that sets values, other ones each time, and does something."""
    rng = np.random.default_rng(2)
    many = np.tile(VALUES, (64, 1))
    many[:, :-1] += rng.uniform(-0.05, 0.05, (64, len(VALUES) - 1))
    k = 0

    def run() -> None:
        nonlocal k
        robot.dof_values = many[k]
        k = (k + 1) % len(many)
        then()

    return keeping(env, run), 1


def rays(bundle: str, *, meshes: bool = True) -> Case:
    """Return a case that casts a bundle of rays, as `benchmarks/rays.py` does."""
    import rays_scenes

    from pyrave.geometry import RayInstance, RayScene

    items = (
        [RayInstance(rays_scenes.mesh_scene())] if meshes else rays_scenes.primitives()
    )
    scene = RayScene(items)
    origins, directions = rays_scenes.BUNDLES[bundle]()
    count = directions.reshape(-1, 3).shape[0]
    return (
        lambda: scene.cast(origins, directions, 1000.0, fields=(), threads=1)
    ), count


@row
def rays_laser(_folder: Path) -> Case:
    """1081 beams from one point at a mesh."""
    return rays("laser")


@row
def rays_random(_folder: Path) -> Case:
    """Rays that have nothing in common, at a mesh."""
    return rays("random")


@row
def rays_camera(_folder: Path) -> Case:
    """An image of 640 x 480 rays, at a mesh."""
    return rays("camera")


@row
def rays_solids(_folder: Path) -> Case:
    """1081 beams at 50 primitives."""
    return rays("laser", meshes=False)


@row
def rays_environment(folder: Path) -> Case:
    """1081 beams in a scene, through the environment."""
    env, _, _ = demo(folder)
    angles = np.linspace(-2.0, 2.0, 1081)
    beams = np.stack((np.cos(angles), np.sin(angles), 0.0 * angles), axis=1)
    start = np.array((0.0, 0.0, 1.5))
    return (lambda: env.raycast(start, beams, max_range=30.0)), len(beams)


@row
def sensors_laser(folder: Path) -> Case:
    """A laser is read, which measures anew."""
    env, robot, _ = demo(folder)
    laser = robot.attached_sensors["laser"]
    env.step(0.01)
    return keeping(env, either(laser, "measure", "read")), 1


@row
def loading_xml(folder: Path) -> Case:
    """A scene in OpenRAVE's XML."""
    return (lambda: pyrave.load(folder / DEMO)), 1


@row
def loading_collada(folder: Path) -> Case:
    """The same scene in COLLADA."""
    return (lambda: pyrave.load(folder / "demo.dae")), 1


@row
def loading_urdf(folder: Path) -> Case:
    """An arm in URDF."""
    return (lambda: pyrave.load(folder / "heron7.urdf")), 1


@row
def kinematics_set(folder: Path) -> Case:
    """Joint values are set."""
    env, robot, _ = demo(folder)
    return moving(env, robot, lambda: None)


@row
def kinematics_pose(folder: Path) -> Case:
    """Joint values are set and the tool's pose is read."""
    env, robot, arm = demo(folder)
    return moving(env, robot, lambda: arm.transform)


@row
def kinematics_jacobian(folder: Path) -> Case:
    """Joint values are set and the arm's Jacobian is asked for."""
    env, robot, arm = demo(folder)
    return moving(env, robot, arm.jacobian)


@row
def collision_environment(folder: Path) -> Case:
    """Joint values are set and the robot is tested against all else."""
    env, robot, _ = demo(folder)
    require(env.collision_checker, "collision checker")
    return moving(env, robot, lambda: env.check_collision(robot))


@row
def collision_self(folder: Path) -> Case:
    """Joint values are set and the robot is tested against itself."""
    env, robot, _ = demo(folder)
    require(env.collision_checker, "collision checker")
    return moving(env, robot, robot.check_self_collision)


def poses(arm: Any, robot: Any, count: int) -> np.ndarray:
    """Return poses of the tool that the arm reaches."""
    rng = np.random.default_rng(4)
    found = np.empty((count, 4, 4))
    for pose in found:
        values = VALUES.copy()
        values[arm.arm_indices] += rng.uniform(-0.5, 0.5, len(arm.arm_indices))
        robot.dof_values = values
        pose[:] = arm.transform
    return found


@row
def ik_one(folder: Path) -> Case:
    """One pose of an arm of seven joints."""
    env, robot, arm = demo(folder)
    many = poses(arm, robot, 50)
    return keeping(env, lambda: [arm.solve_ik(pose) for pose in many]), len(many)


@row
def ik_batch(folder: Path) -> Case:
    """All solutions of many poses of an arm of seven joints."""
    env, robot, arm = demo(folder)
    many = poses(arm, robot, 200)
    solve = either(arm, "solve_ik_batch")
    # earlier commits have no other
    wanted = {"all": True} if "all" in inspect.signature(solve).parameters else {}
    return keeping(env, lambda: solve(many, **wanted)), len(many)


@row
def planning_plan(folder: Path) -> Case:
    """A plan over the table, from the same seed."""
    env, robot, arm = demo(folder)
    robot.dof_values = VALUES
    require(env.collision_checker, "collision checker")
    goal = {f"joint{k}": float(q) for k, q in enumerate(GOAL, 1)}
    if not arm.plan(goal, seed=1):
        raise SystemExit("there is no plan")
    return keeping(env, lambda: arm.plan(goal, seed=1)), 1


def hand(folder: Path) -> tuple[Any, Any, Any]:
    """Return the demo's scene, its arm in the middle of its range, and the mug."""
    env, robot, arm = demo(folder)
    robot.dof_values = VALUES
    return env, arm, env.bodies["mug"]


@row
def grasping_grasps(folder: Path) -> Case:
    """A hundred tries of a hand at the mug, with contacts and quality."""
    from pyrave.grasping import Grasper, box_rays

    env, arm, mug = hand(folder)
    grasper = Grasper(arm, mug)
    rays = np.resize(box_rays(mug, 0.03), (100, 6))
    tries = keeping(env, lambda: grasper.grasps(rays, preshapes=[[0.04]], least=-1.0))
    return tries, len(rays)


@row
def manipulation_close(folder: Path) -> Case:
    """Fingers that close until they touch each other or their limits."""
    from pyrave.manipulation import close

    env, arm, _ = hand(folder)
    return keeping(env, lambda: close(arm)), 1


@row
def manipulation_line(folder: Path) -> Case:
    """A straight motion downwards, verified."""
    from pyrave.manipulation import move_straight

    env, arm, _ = hand(folder)
    if not move_straight(arm, (0, 0, -1), at_most=0.05):
        raise SystemExit("there is no straight motion")
    return keeping(env, lambda: move_straight(arm, (0, 0, -1), at_most=0.05)), 1


@row
def manipulation_pick(folder: Path) -> Case:
    """The whole task of taking the mug."""
    from pyrave.manipulation import pick

    env, arm, mug = hand(folder)
    if not pick(arm, mug):
        raise SystemExit("there is no way to pick the mug")
    return keeping(env, lambda: pick(arm, mug)), 1


@row
def planning_near(folder: Path) -> Case:
    """Free values near those of an arm whose palm is a centimetre deep in a post."""
    from pyrave.planning import free_values_near
    from pyrave.scene import body_from_boxes

    env, robot, arm = demo(folder)
    centre, half = robot.links["palm"].aabb
    place = centre + np.array((half[0] + 0.01, 0.0, 0.0))
    env.create_body(body_from_boxes("post", [(*place, 0.02, 0.02, 0.02)]))
    robot.set_active_dofs(arm.arm_indices)
    return keeping(env, lambda: free_values_near(robot, jitter=0.2, seed=1)), 1


@row
def physics_none(folder: Path) -> Case:
    """A step of time without physics, with the sensors and controllers of the scene."""
    env, _, _ = demo(folder)
    return (lambda: env.step(0.01)), 1


@row
def physics_mujoco(folder: Path) -> Case:
    """A step of time with physics."""
    env, _, _ = demo(folder)
    env.physics_engine = env.create("physicsengine", "mujoco")
    for _ in range(50):
        env.step(0.01)
    return (lambda: env.step(0.01)), 1


@row
def world_clone(folder: Path) -> Case:
    """The scene is cloned."""
    env, _, _ = demo(folder)
    return env.clone, 1


def require(interface: Any, what: str) -> None:
    """End the row where a commit has only the interface that does nothing."""
    name = type(interface).__name__
    if interface is None or name.startswith("Generic"):
        raise SystemExit(f"there is no {what}")


def write_files(folder: Path) -> None:
    """Write what rows load, with the pyrave at hand."""
    env = pyrave.load("scenes/demo.env.xml")
    env.save(folder / DEMO)
    env.save(folder / "demo.dae")
    env.save(folder / "heron7.urdf", body="heron7")


def batch_seconds(run: Callable[[], Any], calls: int) -> float:
    """Return what a batch of calls took."""
    begin = time.perf_counter()
    for _ in range(calls):
        run()
    return time.perf_counter() - begin


def warmed(run: Callable[[], Any]) -> int:
    """Call until calls become no quicker; return how many make a batch."""
    best = float("inf")
    while True:
        end, quickest = time.perf_counter() + WARM, float("inf")
        while True:
            quickest = min(quickest, batch_seconds(run, 1))
            if time.perf_counter() > end:
                break
        if quickest > 0.8 * best:
            return max(int(BATCH / min(best, quickest)), 1)
        best = quickest


def turn(run: Callable[[], Any], calls: int) -> float:
    """Return the seconds of a call: the least of some batches."""
    gc.collect()
    gc.disable()
    try:
        return min(batch_seconds(run, calls) for _ in range(BATCHES)) / calls
    finally:
        gc.enable()


def serve(name: str, folder: Path) -> None:
    """Make a row ready, say so, and time it once for each line that comes."""
    run, items = ROWS[name](folder)
    with getattr(pyrave.jit, "eager", contextlib.nullcontext)():
        run()
    calls = warmed(run)
    print("ready", pyrave.__file__, flush=True)
    for _ in sys.stdin:
        print(turn(run, calls) / items, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--files":
        write_files(Path(sys.argv[2]))
    else:
        serve(sys.argv[1], Path(sys.argv[2]))
