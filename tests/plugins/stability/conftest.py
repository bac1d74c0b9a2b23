"""Bodies that stand: tables with legs, boxes, balls."""

import math

import numpy as np
import pytest

import pyrave
from pyrave.scene import (
    BodyDescription,
    Box,
    ContactDescription,
    Inertial,
    LinkDescription,
    Pose,
)

HALF = (0.1, 0.05, 0.02)


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def stand(env):
    """Make a body of contacts, with a mass of 10 kg at `com`."""

    def make(*contacts, com=(0.0, 0.0, 0.5), pose=None, name="thing", mass=10.0):
        link = LinkDescription(
            "base", inertial=Inertial(mass, com), contacts=tuple(contacts)
        )
        body = env.create_body(BodyDescription(name, (link,)))
        if pose is not None:
            body.transform = pose
        return body

    return make


@pytest.fixture
def foot(stand):
    """Make a box foot whose sole is in z = 0 of its own frame."""

    def make(*, limit=math.inf, half=HALF, **fields):
        up = Pose.from_translation(0.0, 0.0, half[2])
        sole = ContactDescription(Box(half), "sole", up, limit)
        return stand(sole, **fields)

    return make


def tilted(angle, axis=(0.0, 1.0, 0.0)):
    """A pose that is turned about the origin."""
    return Pose.from_axis_angle(axis, angle).matrix


def along(pose):
    """The normal of a ground that was turned with a pose."""
    return np.asarray(pose)[:3, 2]
