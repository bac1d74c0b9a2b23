"""A ball hits a stack of boxes; prints where all are 3 s later.

Needs ``pip install 'pyrave[physics]'``.
"""

from __future__ import annotations

import pyrave
from pyrave.scene import body_from_boxes, body_from_spheres


def main() -> None:
    """Build the scene, simulate it and print."""
    env = pyrave.Environment()
    env.create_body(body_from_boxes("ground", [(0, 0, -0.5, 5, 5, 0.5)]))
    for k in range(5):
        cube = body_from_boxes(f"box{k}", [(0, 0, 0, 0.1, 0.1, 0.1)], static=False)
        env.create_body(cube).transform = [1, 0, 0, 0, 0, 0, 0.1 + 0.2 * k]
    made = body_from_spheres("ball", [(0, 0, 0, 0.12)], static=False, mass=3)
    ball = env.create_body(made)
    ball.transform = [1, 0, 0, 0, -1.5, 0, 0.7]
    env.physics_engine = "mujoco"
    ball.base_velocity = (6.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    for _ in range(300):
        env.step(0.01)
    for body in env.bodies:
        x, y, z = body.transform[:3, 3]
        print(f"{body.name:7} {x:6.2f} {y:6.2f} {z:6.2f}")


if __name__ == "__main__":
    main()
