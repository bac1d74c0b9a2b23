"""Bodies with masses for tests of physics engines."""

from __future__ import annotations

import math

import numpy as np

import pyrave
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    Sphere,
    XmlElement,
    XmlReadable,
)

G = 9.81


def world(*bodies, gravity=(0.0, 0.0, -G)):
    """Return an environment with bodies, on the engine ``mujoco``."""
    env = pyrave.Environment()
    env.gravity = gravity
    for body in bodies:
        env.create_body(body)
    env.physics_engine = "mujoco"
    return env


def run(env, seconds, dt=0.01):
    for _ in range(round(seconds / dt)):
        env.step(dt)


def tilted(angle):
    """Return a rotation about y, row by row."""
    c, s = math.cos(angle), math.sin(angle)
    return (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)


def box_inertia(mass, half):
    squares = [h * h for h in half]
    a, b, c = (mass / 3.0 * (sum(squares) - one) for one in squares)
    return Inertial(mass, (0.0, 0.0, 0.0), (a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c))


def ball_inertia(mass, radius):
    a = 0.4 * mass * radius**2
    return Inertial(mass, (0.0, 0.0, 0.0), (a, 0.0, 0.0, 0.0, a, 0.0, 0.0, 0.0, a))


def box(name, at=(0.0, 0.0, 0.0), half=(0.1, 0.1, 0.1), mass=1.0, **link):
    rotation = link.pop("rotation", tilted(0.0))
    base = LinkDescription(
        "base",
        geometries=(GeometryDescription(Box(half)),),
        inertial=link.pop("inertial", box_inertia(mass, half)),
        **link,
    )
    return BodyDescription(name, links=(base,), pose=Pose(rotation, at))


def ball(name, at=(0.0, 0.0, 0.0), radius=0.1, mass=1.0, **link):
    base = LinkDescription(
        "base",
        geometries=(GeometryDescription(Sphere(radius)),),
        inertial=ball_inertia(mass, radius),
        **link,
    )
    return BodyDescription(name, links=(base,), pose=Pose(translation=at))


def floor(**link):
    return box("floor", (0.0, 0.0, -0.5), (20.0, 20.0, 0.5), static=True, **link)


def motor(**values):
    """Return the ``<actuator>`` that holds inertia and friction of a motor."""
    parts = tuple(XmlElement(name, text=str(value)) for name, value in values.items())
    return XmlReadable(XmlElement("actuator", children=parts))


def chain(
    name="chain",
    *,
    kinds=("hinge",),
    axes=((0.0, 1.0, 0.0),),
    length=1.0,
    mass=1.0,
    inertia=(0.01, 0.02, 0.03),
    static=True,
    limits=(-100.0, 100.0),
    at=(0.0, 0.0, 0.0),
    **joint,
):
    """Return links that hang on each other, with the centre of mass at their ends.

    The base is at ``at``; each link hangs down by `length` from its joint.
    """
    a, b, c = inertia
    tensor = (a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c)
    links = [
        LinkDescription(
            "base", inertial=Inertial(1.0, (0, 0, 0), tensor), static=static
        )
    ]
    joints = []
    for k, (kind, axis) in enumerate(zip(kinds, axes, strict=True), 1):
        links.append(
            LinkDescription(
                f"link{k}",
                pose=Pose(translation=(0.0, 0.0, -length * (k - 1))),
                inertial=Inertial(mass, (0.0, 0.0, -length), tensor),
            )
        )
        direction = np.asarray(axis, float)
        if kind == "spherical":
            parts = tuple(
                JointAxis(tuple(row), False, *limits) for row in np.eye(3).tolist()
            )
        else:
            parts = (JointAxis(tuple(direction), kind == "slider", *limits),)
        joints.append(
            JointDescription(
                f"joint{k}",
                kind,
                links[-2].name,
                links[-1].name,
                T_parent_joint=Pose(translation=(0.0, 0.0, -length if k > 1 else 0.0)),
                axes=parts,
                **joint,
            )
        )
    return BodyDescription(
        name, links=tuple(links), joints=tuple(joints), pose=Pose(translation=at)
    )
