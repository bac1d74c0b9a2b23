"""Checks of sensor systems."""
# ruff: noqa: D103 - each decorator states what its function checks

from __future__ import annotations

from pyrave.interfaces import SensorSystemBase
from pyrave.testing.checks import check, require
from pyrave.testing.scene import BALL, BOX, kit_body
from pyrave.testing.subject import Subject


@check(
    "tracks",
    "A body is tracked from add_kinbody to remove_kinbody, which answers bools.",
    "add_kinbody",
)
def tracks(subject: Subject) -> None:
    system: SensorSystemBase = subject.make()
    box, ball = kit_body(subject.env, BOX), kit_body(subject.env, BALL)
    for body in (box, ball):
        require(
            system.is_body_present(body) is False,
            "is_body_present() is not False for a body that was never added",
        )
        require(
            system.remove_kinbody(body) is False,
            "remove_kinbody() is not False for a body that is not tracked",
        )
        require(
            system.enable_body(body, True) is False,
            "enable_body() is not False for a body that is not tracked",
        )
    system.add_kinbody(box)
    require(
        system.enable_body(box, False) is True,
        "enable_body() is not True for a tracked body",
    )
    require(isinstance(system.is_body_present(box), bool), "is_body_present: no bool")
    require(system.remove_kinbody(box) is True, "a tracked body could not be removed")
    require(system.remove_kinbody(box) is False, "it could be removed twice")


@check("switches", "switch_body gives one body's tracking to another.", "switch_body")
def switches(subject: Subject) -> None:
    system: SensorSystemBase = subject.make()
    box, ball = kit_body(subject.env, BOX), kit_body(subject.env, BALL)
    require(
        system.switch_body(box, ball) is False,
        "switch_body() is not False for a body that is not tracked",
    )
    system.add_kinbody(box)
    require(system.switch_body(box, ball) is True, "switch_body() is not True")
    require(
        system.remove_kinbody(ball) is True and system.remove_kinbody(box) is False,
        "after switch_body the other body is not the one that is tracked",
    )


@check(
    "reset", "reset() forgets all bodies; it may be called again and again.", "reset"
)
def reset(subject: Subject) -> None:
    system: SensorSystemBase = subject.make()
    box = kit_body(subject.env, BOX)
    system.add_registered_bodies(list(subject.env.bodies))
    system.add_kinbody(box)
    system.reset()
    system.reset()
    require(
        system.remove_kinbody(box) is False and system.is_body_present(box) is False,
        "a body is still tracked after reset()",
    )
