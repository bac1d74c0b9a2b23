"""The towers of Hanoi with three blocks: each move is one task."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import pyrave
from pyrave.manipulation import Pick, Place, solve
from pyrave.scene import body_from_boxes

PLACES = {"a": (0.45, -0.2), "b": (0.45, 0.0), "c": (0.45, 0.2)}
WIDTHS = {"large": 0.04, "middle": 0.03, "small": 0.02}
HEIGHT = 0.05


def moves(
    tower: list[str], start: str, end: str, via: str
) -> Iterator[tuple[str, str]]:
    """Yield which block goes where, so that none is ever on a smaller one."""
    if tower:
        yield from moves(tower[1:], start, via, end)
        yield tower[0], end
        yield from moves(tower[1:], via, end, start)


def main() -> None:
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    arm.arm_dof_values = [0, 0.9, 0, 1.2, 0, 1.04, 0]
    table = env.create_body(body_from_boxes("table", [(0, 0, 0, 0.2, 0.4, 0.02)]))
    table.transform = [1, 0, 0, 0, 0.45, 0.0, 0.08]
    heights = dict.fromkeys(PLACES, 0.1)
    at = dict.fromkeys(WIDTHS, "a")

    def top(place: str) -> np.ndarray:
        """Return the pose of a block on top of a tower."""
        pose = np.eye(4)
        pose[:3, 3] = *PLACES[place], heights[place] + 0.5 * HEIGHT
        return pose

    for name, width in WIDTHS.items():
        half = 0.5 * width
        box = body_from_boxes(name, [(0, 0, 0, half, half, 0.5 * HEIGHT)])
        env.create_body(box).transform = top("a")
        heights["a"] += HEIGHT

    for number, (name, end) in enumerate(moves(list(WIDTHS), "a", "c", "b"), 1):
        block = env.bodies[name]
        heights[at[name]] -= HEIGHT
        task = solve(robot, Pick(arm, block), Place(arm, block, top(end)))
        if not task:
            raise SystemExit(f"{name} to {end}: {task.cause}")
        done = robot.execute(task)
        heights[end] += HEIGHT
        at[name] = end
        print(f"{number}. {name} to {end}:", bool(done))
    print("the large one is at", env.bodies["large"].transform[:3, 3].round(3))


if __name__ == "__main__":
    main()
