"""Checks of types whose objects are copied with their environment."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from pyrave.scene import XmlElement, XmlReadable
from pyrave.testing.checks import NotApplicable, check, require
from pyrave.testing.compare import difference
from pyrave.testing.scene import failures, kit_arm
from pyrave.testing.subject import Subject

if TYPE_CHECKING:
    from pyrave.environment import Environment

_NAME = "kit_subject"


def place(env: Environment, item: Any, kind: str) -> None:
    """Put an object where it works in an environment."""
    if kind == "controller":
        return  # a ready controller drives the arm
    if kind in {"kinbody", "robot"}:
        item.init(_description(env, kind))
    if kind in {"sensor", "module"}:
        item.name = _NAME
    env.add(item)


def placed(env: Environment, kind: str) -> Any:
    """Return the object that `place` put there (or its copy)."""
    if kind == "controller":
        return kit_arm(env).own_controller
    if kind == "physicsengine":
        return env.physics_engine
    if kind == "collisionchecker":
        return env.collision_checker
    places: dict[str, Any] = {
        "sensor": env.sensors,
        "module": env.modules,
        "kinbody": env.bodies,
        "robot": env.bodies,
    }
    return places[kind].get(_NAME)


def _description(env: Environment, kind: str) -> Any:
    import dataclasses

    if kind == "kinbody":
        found = [b for b in env.bodies if not b.is_robot]
        if not found:
            raise NotApplicable("the given environment has no body")
        return dataclasses.replace(found[0].describe(), name=_NAME)
    return dataclasses.replace(kit_arm(env).describe(), name=_NAME)


def _subject(subject: Subject) -> Any:
    made = subject.ready()
    made.set_readable("pyravekit", XmlReadable(XmlElement("pyravekit", text="7")))
    place(subject.env, made, subject.interface_type)
    for _ in range(3):
        subject.env.step(0.01)
    return made


@check(
    "runs",
    "An environment with the object steps without any failure of it.",
    "simulation_step",
)
def runs(subject: Subject) -> None:
    made = _subject(subject)
    failed = failures(subject.env)
    require(
        not failed and not made.disabled,
        "; ".join(f"{p.message}\n{p.traceback}" for p in failed),
        "an object whose step raises is switched off; handle what can go wrong",
    )


@check(
    "clones",
    "A clone of the environment has an equal copy: same class, readables and state.",
    "set_state",
)
def clones(subject: Subject) -> None:
    made = _subject(subject)
    kind = subject.interface_type
    twin_env = subject.env.clone()
    twin = placed(twin_env, kind)
    failed = failures(twin_env)
    require(
        twin is not None and not failed,
        "it is not in the clone: "
        + ("; ".join(f"{p.message}\n{p.traceback}" for p in failed) or "no reason"),
        "a clone calls Class(env, *args), sets the readables, adds the object and then "
        "calls set_state(get_state())",
    )
    require(
        type(twin) is type(made) and twin is not made,
        f"the copy is a {type(twin).__name__}, not another {type(made).__name__}",
    )
    require(twin.env is twin_env, "the copy's env is not the clone")
    require(
        "pyravekit" in twin.readables,
        "the copy has lost its readables",
        "do not replace self.readables in the constructor",
    )
    found = difference(made.get_state(), twin.get_state())
    require(
        found is None,
        f"the copy's state differs: {found}",
        "get_state returns all that changes, set_state takes it over",
    )
    before = made.get_state()
    for _ in range(3):
        twin_env.step(0.01)
    found = difference(before, made.get_state())
    require(
        found is None,
        f"stepping the clone changed the original: {found}",
        "copy arrays in get_state and in set_state",
    )


@check(
    "removable",
    "An object can be taken out of its environment, which goes on without it.",
)
def removable(subject: Subject) -> None:
    made = _subject(subject)
    env, kind = subject.env, subject.interface_type
    if kind == "controller":
        kit_arm(env).set_controller(None)
    elif kind == "physicsengine":
        env.physics_engine = env.create(kind, "")  # type: ignore[assignment]
    elif kind == "collisionchecker":
        env.collision_checker = env.create(kind, "")  # type: ignore[assignment]
    else:
        env.remove(made)
    env.step(0.01)
    failed = failures(env)
    require(
        not failed,
        "; ".join(f"{p.message}\n{p.traceback}" for p in failed),
        "let go of what was registered when the object is removed",
    )
    require(placed(env, kind) is not made, "it is still in the environment")


@check(
    "pickles",
    "An environment with the object pickles; its copy has an equal one.",
    "get_state",
)
def pickles(subject: Subject) -> None:
    if not subject.installed:
        raise NotApplicable("what a script registers does not travel in a pickle")
    made = _subject(subject)
    made.described = True
    kind = subject.interface_type
    copy = pickle.loads(pickle.dumps(subject.env))  # noqa: S301 - our own pickle
    twin = placed(copy, kind)
    failed = failures(copy)
    require(
        twin is not None and not failed,
        "it is not in the copy: "
        + ("; ".join(f"{p.message}\n{p.traceback}" for p in failed) or "no reason"),
        "a copy is made from the scene's description, then set_state is called",
    )
    require(type(twin) is type(made), f"the copy is a {type(twin).__name__}")
    found = difference(made.get_state(), twin.get_state())
    require(
        found is None,
        f"the copy's state differs: {found}",
        "get_state returns all that changes, set_state takes it over",
    )
