"""Checks of bodies; robots must pass them too."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

import dataclasses
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies import KinBody
from pyrave.errors import ArgumentError
from pyrave.kinematics import LimitCheck
from pyrave.testing.checks import Violation, check, require
from pyrave.testing.compare import difference
from pyrave.testing.scene import kit_arm
from pyrave.testing.subject import Subject

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription


def described(subject: Subject, body: Any) -> BodyDescription:
    """Return the description of the arm under another name, of the body's kind."""
    from pyrave.scene import BodyDescription

    found = dataclasses.replace(kit_arm(subject.env).describe(), name="kit_subject")
    if body.is_robot:
        return found
    fields = {
        f.name: getattr(found, f.name) for f in dataclasses.fields(BodyDescription)
    }
    return BodyDescription(**fields)


def initialised(subject: Subject) -> KinBody:
    """Return a body that is the kit's arm."""
    body: KinBody = subject.make()
    body.init(described(subject, body))
    return body


def _moved(body: KinBody) -> KinBody:
    lower, upper = (np.clip(bound, -2.0, 2.0) for bound in body.dof_limits)
    body.dof_values = lower + 0.6 * (upper - lower)
    body.transform = [0.6, 0.0, 0.0, 0.8, 0.1, 0.2, 0.3]
    return body


@check("init", "init(description) makes it what the description says.", "init")
def init(subject: Subject) -> None:
    body = initialised(subject)
    wanted = described(subject, body)
    require(
        [link.name for link in body.links] == [link.name for link in wanted.links],
        f"its links are {body.links.names}",
        "call super().init(description, model) first",
    )
    require(body.name == wanted.name, f"its name is {body.name!r}")
    again = body.describe()
    require(
        again == wanted,
        f"describe() differs from what init got: {difference(wanted, again, 'body')}",
        "do not change the description",
    )


@check(
    "kinematics",
    "Its poses are those of the generic body with the same description.",
    "link_transforms",
)
def kinematics(subject: Subject) -> None:
    body = _moved(initialised(subject))
    generic: Any = subject.env.create(body.interface_type, "")
    generic.init(described(subject, body))
    _moved(generic)
    require(
        np.allclose(body.dof_values, generic.dof_values),
        f"its joint values are {body.dof_values.tolist()}, those of the generic body "
        f"{generic.dof_values.tolist()}",
    )
    require(
        np.allclose(body.link_transforms, generic.link_transforms, atol=1e-12),
        "its link poses differ from those of the generic body",
        "do not override poses; move joints or the base instead",
    )


@check("values", "Joint values are copies, limited, and nonsense is refused.")
def values(subject: Subject) -> None:
    body = initialised(subject)
    seen = body.dof_values
    seen += 1.0
    require(not np.array_equal(seen, body.dof_values), "dof_values is not a copy")
    _, upper = body.dof_limits
    body.set_dof_values(np.full(body.dof, 1e3), limits=LimitCheck.CLAMP)
    require(np.allclose(body.dof_values, upper), "values are not clamped to limits")
    for bad in (np.zeros(body.dof + 1), np.full(body.dof, np.nan)):
        try:
            body.dof_values = bad
        except ArgumentError:
            continue
        raise Violation(f"dof_values = {bad.tolist()} was accepted")


@check("body-state", "set_state restores pose, values, velocities and enabled flags.")
def body_state(subject: Subject) -> None:
    body = _moved(initialised(subject))
    body.dof_velocities = np.full(body.dof, 0.1)
    body.links[1].enabled = False
    kept = pickle.loads(pickle.dumps(body.get_state()))  # noqa: S301 - our own pickle
    other = initialised(subject)
    other.set_state(kept)
    found = difference(kept, other.get_state())
    require(found is None, f"a twin's state differs: {found}")
    require(
        np.array_equal(body.link_transforms, other.link_transforms),
        "a twin with the same state has other poses",
    )


@check("clone", "clone() gives an equal body that lives on its own.", "clone")
def clone(subject: Subject) -> None:
    body = _moved(initialised(subject))
    twin = body.clone()
    require(type(twin) is type(body), f"the clone is a {type(twin).__name__}")
    require(
        np.array_equal(body.link_transforms, twin.link_transforms)
        and twin.name == body.name,
        "the clone is not where the body is",
    )
    before = body.link_transforms
    twin.dof_values = np.zeros(twin.dof)
    require(
        np.array_equal(before, body.link_transforms), "moving the clone moves the body"
    )


@check("step", "A body that nobody drives stays where it is.", "simulation_step")
def step(subject: Subject) -> None:
    body = _moved(initialised(subject))
    subject.env.add(body)
    for _ in range(5):
        subject.env.step(0.01)
    require(
        not body.disabled,
        f"its step raised: {[str(p) for p in subject.env.problems]}",
    )
    require(np.isfinite(body.link_transforms).all(), "a pose is not finite")
