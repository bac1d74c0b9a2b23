"""Take a robot into RobWork and back, and say what RobWork has no element for."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyrave


def main() -> None:
    env = pyrave.load("robots/heron7.robot.xml")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "heron7.dwc.xml")
        for loss in env.save(file):
            print(loss)
        again = pyrave.load(file)
    one, other = env.robots["heron7"], again.robots["heron7"]
    goal = 0.1 * (one.dof_limits[0] + one.dof_limits[1]) + 0.2
    one.dof_values = goal
    other.dof_values = goal
    tool, same = one.links[-1], other.links[one.links[-1].name]
    print(f"{tool.name} is {abs(tool.transform - same.transform).max():.0e} m away")


if __name__ == "__main__":
    main()
