"""Quality of grasps against SciPy on random contact sets.

* Answers: epsilon and volume of 6-D hulls as Qhull finds them, to 1e-6; loads held and
  their least forces as HiGHS finds them. Part of the sets is degenerate on purpose:
  contacts at corners of a box, twice, without friction, on one line.
* No false "holds": of loads that HiGHS cannot hold, none is held; round cones never
  hold what pyramids around them do not.
* Time: the least processor time of sets in turn, as a ratio to Qhull and HiGHS.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np
from measuring import pin_to_one_core, report
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, QhullError

from pyrave.grasping import Closure, ContactSet

CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def contacts_of(rng: np.random.Generator) -> tuple[str, ContactSet]:
    """Return some contacts, and what is special about them."""
    kind = rng.choice(["random"] * 6 + ["box", "twice", "smooth", "line"])
    count = int(rng.integers(2, 8))
    if kind == "box":
        chosen = rng.choice(8, min(count, 6), replace=False)
        axes = np.eye(3)[rng.integers(0, 3, len(chosen))]
        return kind, ContactSet(CORNERS[chosen], -CORNERS[chosen] * axes, 0.5)
    out = rng.normal(size=(count, 3))
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    pushes = 0.3 * rng.normal(size=(count, 3)) - out
    rub = rng.uniform(0.05, 1.2, count)
    if kind == "twice":
        out, pushes = np.tile(out[:4], (2, 1)), np.tile(pushes[:4], (2, 1))
        rub = np.tile(rub[:4], 2)
    if kind == "smooth":
        out, pushes = np.tile(out, (4, 1)), rng.normal(size=(4 * count, 3))
        rub = np.zeros(4 * count)
    if kind == "line":
        out *= (1.0, 0.0, 0.0)
    return kind, ContactSet(out, pushes, rub)


def timed(function: Any) -> tuple[Any, float]:
    """Return what a function returns, and the seconds that it took."""
    begin = time.process_time()
    return function(), time.process_time() - begin


def hull_of(points: Any) -> tuple[float, float]:
    """Return the radius and the volume that Qhull finds; zeros for what is flat."""
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if len(sizes) < 6 or sizes[5] < 1e-9 * sizes[0]:
        return 0.0, 0.0
    try:
        hull = ConvexHull(points)
    except QhullError:
        return 0.0, 0.0
    return max(-float(hull.equations[:, -1].max()), 0.0), float(hull.volume)


def main(arguments: list[str]) -> None:
    """Compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    pin_to_one_core()
    rng = np.random.default_rng(chosen.seed)
    worst = {"epsilon": 0.0, "volume": 0.0, "least force": 0.0}
    tally = {
        "sets": 0, "force closure": 0, "held": 0, "not proven": 0,
        "false holds": 0, "false closures": 0, "held but said to slip": 0,
    }  # fmt: skip
    spent = {"epsilon": 0.0, "volume": 0.0, "forces": 0.0, "qhull": 0.0, "highs": 0.0}
    kinds: dict[str, int] = {}
    for turn in range(-5, chosen.count):
        kind, contacts = contacts_of(rng)
        length = float(rng.uniform(0.2, 3.0))
        closure = Closure(contacts, length=length)
        points, load = closure.wrenches, rng.normal(size=6)
        size = float(np.linalg.norm(points, axis=1).max())
        epsilon, epsilon_s = timed(lambda c=closure: c.epsilon)
        volume, volume_s = timed(lambda c=closure: c.volume)
        hold, forces_s = timed(lambda c=closure, w=load: c.hold(w))
        (radius, whole), qhull_s = timed(lambda p=points: hull_of(p))
        scaled = -np.concatenate((load[:3], load[3:] / length))
        program, highs_s = timed(
            lambda p=points, w=scaled: linprog(np.ones(len(p)), A_eq=p.T, b_eq=w)
        )
        if turn < 0:
            continue  # compiles
        kinds[kind] = kinds.get(kind, 0) + 1
        times = epsilon_s, volume_s, forces_s, qhull_s, highs_s
        for name, seconds in zip(spent, times, strict=True):
            spent[name] += seconds
        worst["epsilon"] = max(worst["epsilon"], abs(epsilon - radius) / size)
        worst["volume"] = max(worst["volume"], abs(volume - whole) / size**6)
        tally["sets"] += 1
        tally["force closure"] += closure.force_closure
        tally["held"] += bool(hold)
        tally["not proven"] += hold.state == "not proven"
        tally["false holds"] += bool(hold) and program.status != 0
        tally["false closures"] += closure.force_closure and radius <= 0.0
        tally["held but said to slip"] += hold.state == "slips" and program.status == 0
        if hold and program.status == 0:
            off = abs(hold.least - program.fun) / program.fun
            worst["least force"] = max(worst["least force"], off)
        around = ContactSet(
            contacts.points,
            contacts.normals,
            contacts.friction / math.cos(math.pi / 8) * (1.0 + 1e-9),
        )
        outer = Closure(around, length=length).hold(load)
        exact = Closure(contacts, length=length, exact=True)
        tally["false holds"] += exact.holds(load) and outer.state == "slips"
    report(
        "closure",
        kinds=kinds,
        tally=tally,
        largest_difference=worst,
        milliseconds_a_set={
            name: 1e3 * seconds / chosen.count for name, seconds in spent.items()
        },
        ratio={
            "epsilon to qhull": spent["epsilon"] / spent["qhull"],
            "both to qhull": (spent["epsilon"] + spent["volume"]) / spent["qhull"],
            "forces to highs": spent["forces"] / spent["highs"],
        },
    )
