"""Checks of physics engines."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces import PhysicsEngineBase
from pyrave.testing.checks import Violation, check, require
from pyrave.testing.scene import BOX, failures, kit_arm, kit_body
from pyrave.testing.subject import Subject


def _installed(subject: Subject) -> PhysicsEngineBase:
    engine: PhysicsEngineBase = subject.make()
    subject.env.physics_engine = engine
    return engine


@check("options", "The option bits are an int and survive being set.")
def options(subject: Subject) -> None:
    engine: PhysicsEngineBase = subject.make()
    bits = engine.get_physics_options()
    require(isinstance(bits, int), f"get_physics_options() returned {bits!r}")
    engine.set_physics_options(bits)
    require(
        engine.get_physics_options() == bits,
        f"set the options {bits}, got {engine.get_physics_options()}",
    )


@check("gravity", "The engine keeps the world's gravity; it gives out copies.")
def gravity(subject: Subject) -> None:
    engine = _installed(subject)
    wanted = np.array((0.5, -1.0, -3.0))
    subject.env.gravity = wanted
    seen = engine.get_gravity()
    require(
        np.allclose(seen, wanted) and np.allclose(subject.env.gravity, wanted),
        f"set the gravity {wanted.tolist()}, got {np.asarray(seen).tolist()}",
        "call super().set_gravity(gravity), or keep and return it yourself",
    )
    seen[0] = 99.0
    require(
        np.allclose(engine.get_gravity(), wanted),
        "changing what get_gravity returned changed the gravity",
        "return a copy",
    )


@check(
    "velocities",
    "Link velocities are (6,), linear first, and (n_links, 6) for a body.",
    "get_link_velocities",
)
def velocities(subject: Subject) -> None:
    engine = _installed(subject)
    robot = kit_arm(subject.env)
    rows = np.asarray(engine.get_link_velocities(robot))
    require(
        rows.shape == (len(robot.links), 6) and np.isfinite(rows).all(),
        f"get_link_velocities returned shape {rows.shape} for {len(robot.links)} links",
    )
    for link, row in zip(robot.links, rows, strict=True):
        one = np.asarray(engine.get_link_velocity(link))
        require(
            one.shape == (6,) and np.allclose(one, row),
            f"get_link_velocity({link.name}) is {one.tolist()}, its row is "
            f"{row.tolist()}",
        )


@check(
    "set-velocity",
    "A velocity that was set on a free body is what is returned, linear first.",
    "set_link_velocity",
)
def set_velocity(subject: Subject) -> None:
    engine = _installed(subject)
    body = kit_body(subject.env, BOX)
    linear, angular = np.array((0.1, 0.2, 0.3)), np.array((-0.1, 0.4, 0.5))
    wanted = np.concatenate((linear, angular))
    engine.set_link_velocity(body.links[0], linear, angular)
    seen = engine.get_link_velocity(body.links[0])
    require(
        np.allclose(seen, wanted),
        f"set {wanted.tolist()}, got {np.asarray(seen).tolist()}",
    )
    engine.set_link_velocities(body, np.zeros((1, 6)))
    require(
        np.allclose(engine.get_link_velocities(body), 0.0),
        "set_link_velocities with zeros did not stop the body",
    )


@check(
    "refuses",
    "Velocities of a wrong shape raise a pyrave error.",
    "set_link_velocities",
)
def refuses(subject: Subject) -> None:
    engine = _installed(subject)
    body = kit_body(subject.env, BOX)
    for bad in (np.zeros((2, 6)), np.zeros((1, 5)), np.full((1, 6), np.nan)):
        try:
            engine.set_link_velocities(body, bad)
        except Error:
            continue
        raise Violation(
            f"set_link_velocities of a one-link body accepted {bad.tolist()}",
            "raise pyrave.ArgumentError for a wrong shape or numbers not finite",
        )


@check(
    "clock",
    "The environment alone moves the clock: simulate_step does not.",
    "simulate_step",
)
def clock(subject: Subject) -> None:
    engine = _installed(subject)
    env = subject.env
    before = env.simulation_time
    engine.simulate_step(0.01)
    require(
        env.simulation_time == before,
        "simulate_step changed env.simulation_time",
        "move bodies only; env.step advances the clock afterwards",
    )
    env.step(0.01)
    require(
        env.simulation_time == before + 10_000,
        f"env.step(0.01) moved the clock by {env.simulation_time - before} us",
    )


@check(
    "finite",
    "After a second of steps all poses are finite and joint values within limits.",
    "simulate_step",
)
def finite(subject: Subject) -> None:
    _installed(subject)
    env = subject.env
    for _ in range(100):
        env.step(0.01)
    for body in env.bodies:
        require(
            np.isfinite(body.link_transforms).all(), f"{body!r} has a pose not finite"
        )
        lower, upper = body.dof_limits
        values = body.dof_values
        require(
            bool((values >= lower - 1e-2).all() and (values <= upper + 1e-2).all()),
            f"the joint values {values.tolist()} of {body!r} left their limits",
        )


@check(
    "bodies-come-and-go",
    "Bodies may be added and removed while the engine is installed.",
    "init_kinbody",
)
def bodies_come_and_go(subject: Subject) -> None:
    engine = _installed(subject)
    env = subject.env
    body = kit_body(env, BOX)
    twin = body.clone()
    twin.name = "kit_twin"
    twin.transform = [1, 0, 0, 0, -3, 0, 0.5]
    env.add(twin)
    require(
        np.shape(engine.get_link_velocities(twin)) == (1, 6),
        "a body that was added later has no velocities",
        "set a body up in init_kinbody",
    )
    env.step(0.01)
    env.remove(twin)
    env.remove(body)
    env.step(0.01)
    failed = failures(env)
    require(not failed, "; ".join(map(str, failed)))


@check(
    "handed-over",
    "init_environment and destroy_environment may follow each other repeatedly.",
    "destroy_environment",
)
def handed_over(subject: Subject) -> None:
    first = _installed(subject)
    second = subject.make()
    subject.env.physics_engine = second
    subject.env.step(0.01)
    subject.env.physics_engine = first
    subject.env.step(0.01)
    first.destroy_environment()
    first.destroy_environment()
    first.init_environment()
    robot = kit_arm(subject.env)
    require(
        np.shape(first.get_link_velocities(robot)) == (len(robot.links), 6),
        "after init_environment it does not know the bodies that are there",
        "go through self.env.bodies in init_environment",
    )


@check(
    "optional",
    "Forces and torques are applied, or NotSupportedError says that they are not.",
    "set_body_force",
)
def optional(subject: Subject) -> None:
    engine = _installed(subject)
    link = kit_body(subject.env, BOX).links[0]
    joint = kit_arm(subject.env).joints[0]
    calls: list[tuple[str, tuple[Any, ...]]] = [
        ("set_body_force", (link, np.zeros(3), np.zeros(3), False)),
        ("set_body_torque", (link, np.zeros(3), False)),
        ("add_joint_torque", (joint, np.zeros(joint.dof))),
        ("get_joint_force_torque", (joint,)),
    ]
    for name, arguments in calls:
        try:
            value = getattr(engine, name)(*arguments)
        except NotSupportedError:
            continue
        require(
            name != "get_joint_force_torque" or np.shape(value) == (6,),
            f"{name} returned shape {np.shape(value)}, expected (6,)",
        )
