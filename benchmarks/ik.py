"""Inverse kinematics beside EAIK, OPW (tesseract), ssik and rtb, with its targets.

The same arms and poses of random configurations in all libraries, one core, medians of
interleaved samples. Before anything is timed, the configuration that made each pose
must be among the solutions of every library. Ours are verified by forward kinematics in
the time that is shown; those of EAIK and OPW are not.

Rows, each with its target:

* ``wrist``, ``parallel``: all solutions of a pose in one call of the low-level
  function; ``general``: the same of arms without a closed form, and through
  ``arm.solve_ik``. OPW counts angles in its own way and gets an arm of the same sizes;
  arms of ``general`` are ssik's.
* ``solve_ik``, ``nearest``: ``arm.solve_ik(pose, all=True)``, ``arm.solve_ik(pose)``,
  within limits, the arm standing elsewhere.
* ``batch``: all solutions of many poses, per pose, beside EAIK's faster way.
* ``free joint``: the WAM with its third joint in steps of 0.05 rad, all solutions
  through ``arm.solve_ik``.
* ``numerical``: ``arm.solve_ik(pose)`` by ``Numerical``, one solution within the limits
  to 1e-9, beside rtb's C++ ``ik_LM`` with the tolerance 1e-12 on its squared residual;
  it stops at a millimetre without. Times are those of the middle pose; the kernel's,
  the means, and the shares of poses that were solved are shown.
* ``line``: ``arm.straight_line(goal)``, 101 poses, beside rtb's ``ik_LM`` pose by pose,
  each from the joint values before; also how many of the lines are complete, and the
  largest step of a joint on them. Times are those of the middle line.

``python benchmarks/ik.py [--rows closed general] [--json]``; peers that are not
installed are left out: ``pip install pyrave[bench] tesseract-robotics
roboticstoolbox-python``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from ik_arms import Case, among, case_of, opw_arm, table_arm
from ik_peers import NAMES, Peer, eaik, optional, opw, rtb, ssik
from measuring import each, interleaved, pin_to_one_core, report

from pyrave.ik import IkFilterOptions, IkParameterizationType
from pyrave.ik.path import straight_targets
from pyrave.jit import KernelModule
from pyrave.spatial import invert_pose
from pyrave_environments.arms import arm
from pyrave_ik.arm.chain import WORLD, ArmChain
from pyrave_ik.arm.numeric_arrays import frames_of
from pyrave_ik.kernels.iteration.numerical import RESULT
from pyrave_ik.methods.bounded_arm import NO_FREE
from pyrave_ik.methods.least_squares import NumericProblem, settings_of

WRIST = ("puma560", "irb140")
CLOSED = (*WRIST, "ur5")
GENERAL = ("jaco2_ik", "fanuc_crx10ia_ik")
"""Names of arms that ssik ships."""
SIX, SEVEN = ("puma560", "ur5"), ("iiwa14", "panda")
STEP = 0.05
TOLERANCE = 1e-9
SOLVED = 0.999
SAMPLE = 50
LINE = 0.2
"""Radians by which joints differ at the ends of a line."""


@dataclass
class Row:
    """One line of the table.

    Parameters
    ----------
    us
        Microseconds for a pose, ours.
    peer, peer_us
        What it is compared with.
    target
        Greatest ratio to the peer; microseconds where there is none.
    note
        What else was found.
    """

    name: str
    us: float
    target: float
    peer: str = ""
    peer_us: float = float("nan")
    note: str = ""
    others: dict[str, float] = field(default_factory=dict)

    @property
    def value(self) -> float:
        return self.us / self.peer_us if self.peer else self.us

    @property
    def verdict(self) -> str:
        if np.isnan(self.value):
            return "no peer"
        return "met" if self.value <= self.target else "MISSED"

    @property
    def line(self) -> str:
        beside = f"{self.value:.2f} x {self.peer} {self.peer_us:.2f} us"
        aim = f"<= {self.target:g}{' x' if self.peer else ' us'}"
        told = [f"{name} {us:.2f} us" for name, us in self.others.items()]
        return (
            f"{self.name:22s} {self.us:9.2f} us  {beside if self.peer else '':28s} "
            f"{aim:12s} {self.verdict:8s} {', '.join([*told, self.note])}"
        ).rstrip(" ,")


class Ours:
    """The low-level functions of an arm: no limits, one turn of every joint."""

    def __init__(self, case: Case) -> None:
        case.hand.ik_solver = "Analytic"
        solver = case.hand.ik_solver
        kind = IkParameterizationType.Transform6D
        plan = solver.goal_solver(kind)
        self.decomposition = plan.decomposition.kind.name.lower()
        plan.ready()
        method = solver.method(kind, IkFilterOptions.IGNORE_JOINT_LIMITS)
        self._arm = method.bounded()
        compiled = solver.compiled(limits=False)
        solve, array, out = compiled.function, compiled.packed, np.empty((32, 6))
        self.call: Callable[[Any], int] = lambda pose: solve(array, pose, out)
        # it says so where it is not sure, and what calls it asks a slower method
        self.rows: Callable[[int], Any] = lambda n: None if n < 0 else out[:n]

    def many(self, poses: Any) -> Callable[[], Any]:
        """Return what solves poses (n, 4, 4) into the same arrays."""
        rows, counts = np.empty((18 * len(poses), 7)), np.empty(len(poses))
        near = np.empty(0)
        batch = self._arm.kernels.solve_batch.now()
        array = self._arm.array
        return lambda: batch(array, WORLD, poses, NO_FREE, near, rows, counts)


def checked(case: Case, peer: Peer, name: str) -> list[Any]:
    """Return the targets; a solver that misses a configuration ends everything.

    One that says that it does not know, by None, misses nothing.
    """
    targets = [peer.target(pose) for pose in case.poses]
    for q, target in zip(case.values, targets, strict=True):
        rows = peer.rows(peer.call(target))
        if rows is not None and not among(rows, q):
            raise SystemExit(f"{case.name}: {name} misses {q.tolist()}")
    return targets


def timed(cases: dict[str, tuple[Peer, list[Any]]], rounds: int) -> dict[str, float]:
    """Return microseconds for one target of each.

    Samples are of few targets: shorter than the time for which other processes take
    the core, so that medians are of samples in which none did.
    """
    runs = {}
    most = max(len(targets) for _, targets in cases.values())
    for first in range(0, most, SAMPLE):
        for key, (peer, targets) in cases.items():
            if some := targets[first : first + SAMPLE]:
                runs[key, first] = each(peer.call, some)
    found = interleaved(runs, rounds, warm_up=2)
    total = dict.fromkeys(cases, 0.0)
    for (key, _), figures in found.items():
        total[key] += figures["cpu_median_s"]
    return {key: 1e6 * total[key] / len(cases[key][1]) for key in cases}


def middle(cases: dict[str, tuple[Peer, list[Any]]], rounds: int) -> dict[str, float]:
    """Return microseconds for the middle target of each.

    A few targets take a search from random starts ten times as long as the others.
    """
    runs = {
        (key, number): each(peer.call, [target])
        for key, (peer, targets) in cases.items()
        for number, target in enumerate(targets)
    }
    found = interleaved(runs, rounds, warm_up=2)
    times: dict[str, list[float]] = {key: [] for key in cases}
    for (key, _), figures in found.items():
        times[key].append(1e6 * figures["median_s"])
    return {key: float(np.median(values)) for key, values in times.items()}


def closed(name: str, poses: int, rounds: int) -> Iterator[Row]:
    """Rows of an arm of the tables: one call, through the arm, and a batch."""
    case = Case(table_arm(name), poses)
    ours = Ours(case)
    hand = case.hand
    cases = {"pyrave": Peer(ours.call, rows=ours.rows)}
    cases["solve_ik"] = Peer(lambda pose: hand.solve_ik(pose, all=True))
    batch: dict[str, Callable[[], Any]] = {}
    stacked = np.array(case.poses)
    batch["pyrave"] = ours.many(stacked)
    stood = np.array([hand.base.transform @ pose for pose in stacked])
    batch["called"] = lambda: hand.solve_ik_batch(stood, all=True)
    made = eaik(name)
    if made is not None:
        cases["eaik"], many = made
        batch["eaik"] = lambda: many(stacked)
    runs = {key: (one, checked(case, one, key)) for key, one in cases.items()}
    hand.arm_dof_values = 0.5 * case.values[0]
    runs["nearest"] = Peer(hand.solve_ik), runs["solve_ik"][1]
    sized = opw(name) if name in WRIST else None
    if sized is not None:
        other = Case(opw_arm(name), poses)
        runs["opw"] = sized, checked(other, sized, "opw")
    us = timed(runs, rounds)
    found = interleaved(batch, rounds, warm_up=2)
    share = {key: 1e6 * found[key]["cpu_median_s"] / poses for key in found}
    nan = float("nan")
    peers = {key: us[key] for key in ("eaik", "opw") if key in us}
    fastest = min(peers, key=peers.__getitem__, default="eaik")
    row = Row(
        f"{ours.decomposition} {name}", us["pyrave"], 0.4 if name == "ur5" else 0.7
    )
    row.peer, row.peer_us = fastest, peers.get(fastest, nan)
    row.others = {key: value for key, value in peers.items() if key != fastest}
    yield row
    single = us.get("eaik", nan)
    for key in ("solve_ik", "nearest"):
        ordinary = Row(f"{key} {name}", us[key], 1.0, "eaik", single)
        ordinary.others["kernel"] = us["pyrave"]
        yield ordinary
    quicker = min(single, share.get("eaik", nan))
    yield Row(f"batch {name}", share["pyrave"], 0.3, "eaik", quicker)
    called = Row(f"solve_ik_batch {name}", share["called"], 1.0, "eaik", quicker)
    called.others["kernel"] = share["pyrave"]
    yield called


def general(name: str, poses: int, rounds: int) -> Iterator[Row]:
    """Rows of an arm without a closed form, as ssik ships it."""
    made = ssik(name)
    if made is None:
        return
    peer, forward = made
    case = case_of(name, forward, poses)
    ours = Ours(case)
    cases = {
        "pyrave": Peer(ours.call, rows=ours.rows),
        "solve_ik": Peer(lambda pose: case.hand.solve_ik(pose, all=True)),
        "ssik": peer,
    }
    us = timed({k: (one, checked(case, one, k)) for k, one in cases.items()}, rounds)
    row = Row(f"{ours.decomposition} {name.removesuffix('_ik')}", us["pyrave"], 200.0)
    row.others["ssik"] = us["ssik"]
    unsure = sum(ours.call(pose) < 0 for pose in case.poses)
    row.note = f"{us['pyrave'] / us['ssik']:.2f} x ssik, not sure of {unsure} poses"
    yield row
    name = name.removesuffix("_ik")
    called = Row(f"solve_ik {name}", us["solve_ik"], 1.0, "ssik", us["ssik"])
    called.others["kernel"] = us["pyrave"]
    yield called


def free_joint(poses: int, rounds: int) -> Iterator[Row]:
    """The row of the WAM with a joint in steps."""
    case = Case(arm("wam7"), min(poses, 50))
    case.hand.ik_solver = f"Analytic {STEP}"
    hand = case.hand
    peer = Peer(lambda pose: hand.solve_ik(pose, all=True))
    targets = [np.ascontiguousarray(pose) for pose in case.poses]
    counts = [len(peer.call(target)) for target in targets]
    us = timed({"pyrave": (peer, targets)}, rounds)["pyrave"]
    yield Row("free joint wam7", us, 500.0, note=f"{np.mean(counts):.0f} solutions")


def numerical(name: str, poses: int, rounds: int) -> Iterator[Row]:
    """The row of the numerical solver for an arm: as called, and its kernel."""
    case = Case(arm(name), poses)
    hand, chain = case.hand, ArmChain.from_manipulator(case.hand)
    hand.ik_solver = "Numerical"

    def solved(pose: Any) -> bool:
        q = hand.solve_ik(pose)
        if q is None:
            return False
        inside = (q >= case.lower - TOLERANCE) & (q <= case.upper + TOLERANCE)
        off = np.abs(chain.tool(q) - pose).max()
        return bool(off < 10.0 * TOLERANCE and inside.all())

    kernel = KernelModule("pyrave_ik.kernels.iteration.numerical").jit.solve
    problem = NumericProblem([chain], case.lower, case.upper)
    near, settings = hand.arm_dof_values, settings_of(100, TOLERANCE)
    out = np.empty((1, problem.n + RESULT))

    def call(pose: Any) -> Any:
        return kernel(problem.array, WORLD, pose, near, settings, out)

    share = sum(map(solved, case.poses)) / len(case.poses)
    runs = {
        "pyrave": (Peer(hand.solve_ik), case.poses),
        "kernel": (Peer(call), case.poses),
    }
    note = f"solved {share:.2%}{'' if share >= SOLVED else ' (MISSED: < 99.9 %)'}"
    peer = rtb(frames_of(chain), case.lower, case.upper)
    if peer is not None:
        runs["rtb"] = Peer(peer), case.poses
        theirs = sum(bool(peer(pose).success) for pose in case.poses)
        note += f", rtb {theirs / len(case.poses):.2%}"
    us, mean = middle(runs, rounds), timed(runs, rounds)
    target = 0.2 if name in SIX else 0.5
    row = Row(f"numerical {name}", us["pyrave"], target, "rtb", us.get("rtb", np.nan))
    row.others = {"kernel": us["kernel"]}
    row.others |= {f"mean {key}": value for key, value in mean.items()}
    row.note = note
    yield row


def line(name: str, lines: int, rounds: int) -> Iterator[Row]:
    """The row of straight lines of 101 poses between neighbouring configurations."""
    case = Case(arm(name), min(lines, 40))
    hand = case.hand
    rng = np.random.default_rng(7)
    ends = []
    for q in case.values:
        near = np.clip(q + LINE * rng.normal(size=len(q)), case.lower, case.upper)
        ends.append((q, robot_pose(hand, near)))

    def ours(end: Any) -> Any:
        hand.arm_dof_values = end[0]
        return hand.straight_line(end[1])

    paths = [ours(end) for end in ends]
    chosen = [end for end, path in zip(ends, paths, strict=True) if path]
    steps = [path.largest_step for path in paths if path]
    note = f"{len(chosen)} of {len(ends)} lines, step {max(steps):.2f} rad"
    runs = {"pyrave": (Peer(ours), chosen)}
    step = rtb(frames_of(ArmChain.from_manipulator(hand)), case.lower, case.upper)
    if step is not None:
        base = invert_pose(hand.base.transform)

        def theirs(end: Any) -> float:
            """Return the largest step of a joint, infinite where a pose is lost."""
            q, largest = end[0], 0.0
            poses = base @ straight_targets(robot_pose(hand, q), end[1], 100)
            for pose in poses[1:]:
                found = step(pose, q0=q)
                if not found.success:
                    return float(np.inf)
                largest = max(largest, float(np.abs(found.q - q).max()))
                q = found.q
            return largest

        jumps = np.array([theirs(end) for end in chosen])
        lost = int((~np.isfinite(jumps)).sum())
        whole = jumps[np.isfinite(jumps)]
        note += f"; rtb loses {lost}, step {whole.max(initial=0.0):.2f} rad"
        chosen = [end for end, jump in zip(chosen, jumps, strict=True) if jump < np.inf]
        runs = {"pyrave": (Peer(ours), chosen), "rtb": (Peer(theirs), chosen)}
    us = middle(runs, rounds)
    row = Row(f"line {name}", us["pyrave"], 1.0, "rtb", us.get("rtb", np.nan))
    row.note = note
    yield row


def robot_pose(hand: Any, q: Any) -> Any:
    """Return T_world_tool at joint values."""
    hand.arm_dof_values = q
    return hand.transform


ROWS: dict[str, Callable[[int, int], Iterator[Row]]] = {
    "closed": lambda n, k: (row for name in CLOSED for row in closed(name, n, k)),
    "general": lambda n, k: (row for name in GENERAL for row in general(name, n, k)),
    "free_joint": free_joint,
    "numerical": lambda n, k: (
        row for name in (*SIX, *SEVEN) for row in numerical(name, n, k)
    ),
    "line": lambda n, k: (row for name in ("ur5", "panda") for row in line(name, n, k)),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--poses", type=int, default=200)
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--json", action="store_true", help="print JSON alone")
    options = parser.parse_args()
    pin_to_one_core()
    missing = [name for name in NAMES if optional(name) is None]
    if missing and not options.json:
        print(f"not installed, left out: {', '.join(missing)}")
    rows = []
    for kind in options.rows:
        for row in ROWS[kind](options.poses, options.rounds):
            if not options.json:
                print(row.line, flush=True)
            rows.append(row)
    if options.json:
        figures = [{**asdict(row), "verdict": row.verdict} for row in rows]
        report("ik", left_out=missing, rows=figures)
        return 0
    missed = [row.name for row in rows if row.verdict == "MISSED"]
    print(f"{len(rows)} rows; missed: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
