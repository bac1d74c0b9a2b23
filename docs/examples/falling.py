"""A ball hits a stack of boxes; prints where all are 3 s later.

Needs ``pip install 'pyrave[physics]'``.
"""

from __future__ import annotations

import pyrave
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    Inertial,
    LinkDescription,
    Pose,
    Sphere,
)


def solid(name, shape, mass, moment, place, *, static=False):
    """Return a body of one link with equal principal moments."""
    tensor = (moment, 0.0, 0.0, 0.0, moment, 0.0, 0.0, 0.0, moment)
    link = LinkDescription(
        "base",
        geometries=(GeometryDescription(shape),),
        inertial=Inertial(mass, (0.0, 0.0, 0.0), tensor),
        static=static,
    )
    return BodyDescription(name, links=(link,), pose=Pose(translation=place))


def main() -> None:
    """Build the scene, simulate it and print."""
    env = pyrave.Environment()
    ground = Box((5.0, 5.0, 0.5))
    env.create_body(solid("ground", ground, 1.0, 1.0, (0, 0, -0.5), static=True))
    for k in range(5):
        cube = Box((0.1, 0.1, 0.1))
        env.create_body(solid(f"box{k}", cube, 1.0, 0.0067, (0, 0, 0.1 + 0.2 * k)))
    env.create_body(solid("ball", Sphere(0.12), 3.0, 0.0173, (-1.5, 0, 0.7)))
    env.physics_engine = env.create("physicsengine", "mujoco")
    env.bodies["ball"].base_velocity = (6.0, 0.0, 1.0, 0.0, 0.0, 0.0)

    for _ in range(300):
        env.step(0.01)
    for body in env.bodies:
        x, y, z = body.transform[:3, 3]
        print(f"{body.name:7} {x:6.2f} {y:6.2f} {z:6.2f}")


if __name__ == "__main__":
    main()
