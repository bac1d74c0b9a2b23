"""What the page of numbers compares: topics, and the rows of each.

A row reads its figures from the report of a benchmark. A key that is not there is a
mistake, but for the rows of peers that were not installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Report = dict[str, Any]
Reader = Callable[[Report], float]

PEERS = {
    "Embree": ("embreex", "embreex"),
    "Open3D": ("open3d", "open3d"),
    "MuJoCo": ("mujoco", "mujoco"),
    "Pinocchio": ("pin", "pinocchio"),
    "coal": ("coal", "coal"),
    "python-fcl": ("python-fcl", "fcl"),
    "EAIK": ("eaik", "eaik.IK_DH"),
    "ssik": ("ssik", "ssik"),
    "OMPL": ("ompl", "ompl"),
    "roboplan": ("roboplan", "roboplan.core"),
    "toppra": ("toppra", "toppra"),
    "yourdfpy": ("yourdfpy", "yourdfpy"),
}
"""Distribution and module of each peer, by the name that the page has for it."""


@dataclass(frozen=True)
class Row:
    """One comparison.

    Parameters
    ----------
    what
        What is done, as users call it.
    ours, theirs, kernel
        Seconds: of pyrave as called, of the peer, and of the compiled kernel alone.
    ratio
        The benchmark's own ratio of ours to theirs; None: their quotient.
    """

    what: str
    ours: Reader
    peer: str
    theirs: Reader
    kernel: Reader | None = None
    ratio: Reader | None = None


@dataclass(frozen=True)
class Topic:
    """A benchmark, and its rows.

    Parameters
    ----------
    needs
        Peers without which the script does not run.
    notes
        Sentences from its report, below the table.
    """

    name: str
    title: str
    script: str
    arguments: tuple[str, ...]
    about: str
    rows: tuple[Row, ...]
    needs: tuple[str, ...] = ()
    notes: Callable[[Report], Iterator[str]] = field(default=lambda _report: iter(()))

    @property
    def command(self) -> str:
        return " ".join(("python", f"benchmarks/{self.script}", *self.arguments))


def at(*keys: str, unit: float) -> Reader:
    """Return what reads a figure, by the keys that lead to it."""

    def read(report: Report) -> float:
        found: Any = report
        for key in keys:
            found = found[key]
        return unit * float(found)

    return read


def listed(key: str, unit: float = 1.0, inside: str = "", **where: str) -> Reader:
    """Return what reads a figure of the one row of a list that has these values."""

    def read(report: Report) -> float:
        (row,) = [
            row
            for row in report["rows"]
            if all(row.get(name) == value for name, value in where.items())
        ]
        return unit * float(row[inside][key] if inside else row[key])

    return read


# -- rays ------------------------------------------------------------------------------

RAYS = {
    "laser": "1081 beams of a laser",
    "camera": "640x480 depth image",
    "random": "100 000 random rays",
}
SCENES = {"primitives": "50 primitives", "mesh": "92 400 triangles"}


def ray_rows() -> Iterator[Row]:
    for scene, things in SCENES.items():
        for rays, bundle in RAYS.items():
            for peer in ("Embree", "MuJoCo" if scene == "primitives" else "Open3D"):
                if (peer, rays) == ("MuJoCo", "random"):
                    continue  # it casts rays from one point
                where = {"case": f"{scene}/{rays}", "peer": peer.lower()}
                yield Row(
                    f"`env.raycast`, {bundle}, for a ray, {things}",
                    listed("called_ns", 1e-9, **where),
                    peer,
                    listed("peer_ns", 1e-9, **where),
                    listed("ours_ns", 1e-9, **where),
                    listed("called_ratio", **where),
                )


# -- kinematics and dynamics -----------------------------------------------------------

ROBOTS = {
    "arm6": "6-joint arm",
    "arm7": "7-joint arm",
    "mobile82": "82 links",
    "humanoid53": "humanoid, 53 links",
}


def kinematics_rows() -> Iterator[Row]:
    for robot, name in ROBOTS.items():

        def figure(case: str, robot: str = robot) -> Reader:
            keys = ("robots", robot, "nanoseconds_per_call", case, "median")
            return at(*keys, unit=1e-9)

        yield Row(
            f"`robot.dof_values = q; robot.link_transforms`, {name}",
            figure("robot/pyrave"),
            "MuJoCo",
            figure("single/mujoco"),
            figure("single/pyrave"),
        )
        yield Row(
            f"`robot.dof_values = q; arm.jacobian()`, {name}",
            figure("jacobian/pyrave_manipulator"),
            "Pinocchio",
            figure("jacobian/pinocchio"),
            figure("jacobian/pyrave"),
        )
        yield Row(
            f"`robot.compute_link_transforms(rows)`, each of 1000, {name}",
            figure("batch/pyrave_robot"),
            "Pinocchio",
            figure("batch/pinocchio"),
            figure("batch/pyrave"),
        )


DYNAMICS = {
    "rnea": ("inverse_dynamics(qdd)", "compute_inverse_dynamics"),
    "crba": ("mass_matrix()", "compute_mass_matrices"),
    "aba": ("forward_dynamics(torques)", "compute_forward_dynamics"),
}


def dynamics_rows() -> Iterator[Row]:
    for robot in ("arm7", "humanoid53"):
        for kind, (single, many) in DYNAMICS.items():
            for size, what in (
                ("single", f"state set, `robot.{single}`"),
                ("batch", f"`robot.dynamics.{many}`, each of 1000"),
            ):

                def figure(who: str, case: str = f"{kind}/{size}") -> Reader:
                    figures = ("robots", robot, "nanoseconds_per_configuration")  # noqa: B023
                    return at(*figures, f"{case}/{who}", unit=1e-9)

                yield Row(
                    f"{what}, {ROBOTS[robot]}",
                    figure("called"),
                    "Pinocchio",
                    figure("pinocchio"),
                    figure("pyrave"),
                )


# -- collisions ------------------------------------------------------------------------


def collision_rows() -> Iterator[Row]:
    def figure(case: str) -> Reader:
        return at("microseconds", case, unit=1e-6)

    called = "`robot.dof_values = q; env.check_collision(robot)`"
    one, inside = figure("one/environment"), figure("one/compiled")
    yield Row(called, one, "MuJoCo", figure("one/mujoco"), inside)
    yield Row(called, one, "Pinocchio", figure("one/pinocchio"), inside)
    yield Row(
        "`checker.check_configurations(robot, rows)`, each of 200",
        figure("batch/pyrave"),
        "MuJoCo",
        figure("one/mujoco"),
    )
    yield Row(
        f"{called}, links of 5000 triangles",
        figure("meshes/environment"),
        "Pinocchio",
        figure("meshes/pinocchio"),
        figure("meshes/compiled"),
    )
    yield Row(
        f"{called} with the checker `coal`, beside coal's own objects",
        figure("coal/pyrave"),
        "coal",
        figure("coal/alone"),
    )
    for rows, case in (("one row", "row"), ("each of 200", "batch")):
        yield Row(
            f"`checker.distances(robot, rows)`, {rows}",
            figure(f"distance/{case}"),
            "python-fcl",
            figure("distance/fcl"),
        )


def collision_notes(report: Report) -> Iterator[str]:
    told = report["different_from_mujoco"]
    names = ("environment", "batch", "pinocchio", "coal", "coal alone")
    counts = ", ".join(f"{name} {told[name]}" for name in names if name in told)
    yield f"Answers of 200 configurations that differ from MuJoCo's: {counts}."


# -- inverse kinematics ----------------------------------------------------------------


def ik_rows() -> Iterator[Row]:
    for arm in ("puma560", "irb140", "ur5"):
        for key, what in (
            ("solve_ik", "`arm.solve_ik(pose, all=True)`"),
            ("nearest", "`arm.solve_ik(pose)`"),
            ("solve_ik_batch", "`arm.solve_ik_batch(poses, all=True)`, each of 200"),
        ):
            row = {"name": f"{key} {arm}"}
            yield Row(
                f"{what}, {arm}",
                listed("us", 1e-6, **row),
                "EAIK",
                listed("peer_us", 1e-6, **row),
                listed("kernel", 1e-6, inside="others", **row),
            )
    for arm in ("jaco2", "fanuc_crx10ia"):
        row = {"name": f"solve_ik {arm}"}
        yield Row(
            f"`arm.solve_ik(pose, all=True)`, {arm}, no closed form",
            listed("us", 1e-6, **row),
            "ssik",
            listed("peer_us", 1e-6, **row),
            listed("kernel", 1e-6, inside="others", **row),
        )


# -- planning and retiming -------------------------------------------------------------

PLANNING = ("lab", "table", "shelf", "cage", "bin", "two_arms")


def planning_rows() -> Iterator[Row]:
    for scene in PLANNING:

        def figure(case: str, scene: str = scene) -> Reader:
            return at(scene, case, "median_ms", unit=1e-3)

        what = f"`robot.plan(values=goal)`, {scene.replace('_', ' ')}"
        for peer, case in (("OMPL", "ompl"), ("roboplan", "roboplan_whole")):
            yield Row(what, figure("plan"), peer, figure(case), figure("kernel"))


def planning_notes(report: Report) -> Iterator[str]:
    shown = {"plan": "pyrave", "ompl": "OMPL", "roboplan_whole": "roboplan"}
    for scene in PLANNING:
        found = report[scene]
        parts = [
            f"{name} {found[case]['success']:.0%}, 95th percentile "
            f"{found[case]['p95_ms']:.3g} ms"
            for case, name in shown.items()
            if case in found
        ]
        yield f"{scene.replace('_', ' ')}: solved by {'; '.join(parts)}."


RETIMING = {
    "steps_100": "`time_optimal`, 10 waypoints, 100 steps",
    "steps_1000": "`time_optimal`, 10 waypoints, 1000 steps",
    "waypoints_100": "`time_optimal`, 100 waypoints, 1000 steps",
    "torques": "`retime(robot, points, torque_limits=)`, 5 waypoints, 100 steps",
}


def retiming_rows() -> Iterator[Row]:
    for case, what in RETIMING.items():
        yield Row(
            what,
            at(case, "us", unit=1e-6),
            "toppra",
            at(case, "toppra_us", unit=1e-6),
            ratio=at(case, "ratio", unit=1.0),
        )


def retiming_notes(report: Report) -> Iterator[str]:
    for case in ("steps_100", "steps_1000", "waypoints_100"):
        found = report[case]
        yield (
            f"{RETIMING[case].partition(', ')[2]}: duration "
            f"{found['duration_ratio']:.3f} of toppra's; beyond limits between points "
            f"of the grid: {found['excess']:.1%}, toppra {found['toppra_excess']:.1%}."
        )


# -- physics, loading, first calls -----------------------------------------------------

PHYSICS = {
    "falling": "`env.step(0.01)`, 100 boxes that fall",
    "settled": "`env.step(0.01)`, 100 boxes that lie on a floor",
    "arm": "`env.step(0.01)`, a 7-joint arm that swings",
    "making": "making the model of 100 boxes",
}


def physics_rows() -> Iterator[Row]:
    def figure(case: str, which: int) -> Reader:
        return lambda report: 1e-6 * float(report[case]["median_us"][which])

    for case, what in PHYSICS.items():
        yield Row(what, figure(case, 0), "MuJoCo", figure(case, 1))


def loading_rows() -> Iterator[Row]:
    def figure(case: str) -> Reader:
        return at("figures", case, "cpu_median_s", unit=1.0)

    yield Row(
        "`pyrave.load`, 1000 boxes, OpenRAVE XML beside MJCF",
        figure("pyrave_load"),
        "MuJoCo",
        figure("mujoco_load"),
    )
    for peer, case in (
        ("yourdfpy", "yourdfpy_without_meshes"),
        ("Pinocchio", "pinocchio"),
        ("MuJoCo", "mujoco"),
    ):
        yield Row(
            "`pyrave.load`, a humanoid's URDF, 53 links",
            at("urdf", "figures", "pyrave_load", "cpu_s", unit=1.0),
            peer,
            at("urdf", "figures", case, "cpu_s", unit=1.0),
        )


FIRST = {
    "forward_kinematics": ("load a scene, `arm.transform`", "Pinocchio"),
    "dynamics": ("load a scene, `robot.inverse_dynamics()`", "Pinocchio"),
    "check_collision": ("load a scene, `env.check_collision(robot)`", "coal"),
    "step": ("load a scene with a laser, `env.step(0.01)`", "MuJoCo"),
    "plan": ("load a scene, `arm.plan(pose)`", "OMPL"),
}


def first_rows() -> Iterator[Row]:
    for call, (what, peer) in FIRST.items():
        yield Row(
            f"{what}, empty cache",
            at("calls", call, "whole_cpu_s", unit=1.0),
            peer,
            at("peers", PEERS[peer][0], "cpu_s", unit=1.0),
        )


TOPICS = (
    Topic(
        "rays",
        "Ray casts",
        "rays.py",
        ("--json", "--rounds", "7"),
        "`env.raycast` gives distances, ids, places and normals; the kernel's figure "
        "is `RayScene.cast` with distances and ids alone. Embree casts float32 rays at "
        "triangles, of the primitives, too. Ratios are medians of those of the turns.",
        tuple(ray_rows()),
    ),
    Topic(
        "kinematics",
        "Poses and Jacobians",
        "kinematics.py",
        ("--samples", "21"),
        "Another configuration with every call. MuJoCo's poses are copied to arrays of "
        "the caller; Pinocchio's stay in its own objects.",
        tuple(kinematics_rows()),
        ("MuJoCo", "Pinocchio"),
    ),
    Topic(
        "dynamics",
        "Dynamics",
        "dynamics.py",
        ("--samples", "15"),
        "Pinocchio's batches are its own loops in C++ where it has them (inverse and "
        "forward dynamics). Results agree to 1e-8.",
        tuple(dynamics_rows()),
        ("Pinocchio",),
    ),
    Topic(
        "collision",
        "Collision checks",
        "collision.py",
        ("--rounds", "9"),
        "A 7-joint arm of convex hulls among 50 spheres, boxes and cylinders, poses of "
        "the links included. Pinocchio checks with coal's broad phase.",
        tuple(collision_rows()),
        ("MuJoCo", "Pinocchio", "coal"),
        collision_notes,
    ),
    Topic(
        "ik",
        "Inverse kinematics",
        "ik.py",
        ("--json", "--rows", "closed", "general", "--rounds", "21"),
        "All solutions of poses of random configurations, within limits, verified by "
        "forward kinematics in the time that is shown; EAIK's are not. EAIK's figure "
        "for batches is that of its faster way.",
        tuple(ik_rows()),
    ),
    Topic(
        "planning",
        "Motion planning",
        "planning.py",
        ("--problems", "40"),
        "Medians of 40 problems a scene. `robot.plan` searches, takes "
        "shortcuts, times and verifies the path. OMPL's RRTConnect searches alone, "
        "with MuJoCo asked from Python; roboplan searches, takes shortcuts and times, "
        "all in C++ on Pinocchio and coal. The kernel's figure is our search alone.",
        tuple(planning_rows()),
        ("MuJoCo", "OMPL"),
        planning_notes,
    ),
    Topic(
        "retiming",
        "Time-optimal retiming",
        "retiming.py",
        ("--samples", "15"),
        "Splines through random waypoints of 7 joints, the same grids; the least of "
        "calls that alternate.",
        tuple(retiming_rows()),
        ("toppra",),
        retiming_notes,
    ),
    Topic(
        "physics",
        "Physics",
        "physics.py",
        ("--samples", "31"),
        "The engine `mujoco` beside MuJoCo alone with the same model: what "
        "reading, writing and publishing the scene adds to its five steps.",
        tuple(physics_rows()),
        ("MuJoCo",),
    ),
    Topic(
        "loading",
        "Loading of files",
        "loading.py",
        (),
        "Pinocchio reads no geometry here, and no library opens meshes.",
        tuple(loading_rows()),
    ),
    Topic(
        "first_calls",
        "First calls",
        "first_calls.py",
        ("--rounds", "1", "--calls", *FIRST),
        "Processor seconds of a fresh process, imports included, with an empty cache: "
        "pyrave compiles its kernels, peers are compiled wheels, each with a small "
        "call of its own kind. This is paid once per machine.",
        tuple(first_rows()),
    ),
)
