"""Grabs between bodies: from environments to descriptions and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pyrave.environment.failures import problem_at
from pyrave.errors import Problem, did_you_mean
from pyrave.scene import GrabDescription, SceneDescription
from pyrave.spatial import invert_pose
from pyrave.world.body_state import GrabbedBody

_DEEPEST = 100
"""Bodies in a row of which each holds the next: the first one moves all of them."""
_TOO_DEEP = f"{_DEEPEST} bodies hold each other in a row already"

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.environment.environment import Environment


def described_grabs(env: Environment) -> tuple[GrabDescription, ...]:
    """Return the grabs of an environment's bodies, in the order of grabbing."""
    return tuple(
        GrabDescription(
            body.name,
            info.link,
            info.name,
            info.ignored_links,
            info.touching_links,
            info.touching_bodies,
        )
        for body in env.bodies
        for held, info in zip(body.grabbed, body.grabs.info, strict=True)
        if held in env.bodies
    )


def held_losses(env: Environment) -> tuple[str, ...]:
    """Return a text for each held body that no file says: it was never added."""
    return tuple(
        f"{body.interface_type} {body.name!r} holds {held.name!r}, which is not in the "
        "environment: not written"
        for body in env.bodies
        for held in body.grabbed
        if held not in env.bodies
    )


def restore_grabs(
    scene: SceneDescription, bodies: Mapping[str, KinBody]
) -> list[Problem]:
    """Let bodies hold what a scene says, where they lie.

    Parameters
    ----------
    bodies
        The bodies of the scene by its names for them.

    Returns
    -------
    list of Problem
        A warning for each grab that cannot be.
    """
    problems: list[Problem] = []
    if not scene.grabs:
        return problems
    taken: dict[str, list[GrabDescription]] = {}
    holder_of: dict[str, str] = {}

    def refuse(grab: GrabDescription, reason: str) -> None:
        message = f"{grab.holder!r} does not hold {grab.body!r}: {reason}"
        problems.append(problem_at(scene.location, message, code="grab-conflict"))

    for grab in scene.grabs:
        reason = _conflict(grab, bodies, holder_of)
        if reason:
            refuse(grab, reason)
            continue
        holder_of[grab.body] = grab.holder
        taken.setdefault(grab.holder, []).append(grab)
    # holders first: then nothing moves that holds something itself
    row = [name for name in taken if name not in holder_of]
    for _ in range(_DEEPEST - 1):
        row = [name for holder in row for name in _take(taken.pop(holder), bodies)]
        row = [name for name in row if name in taken]
    for grab in (one for some in taken.values() for one in some):
        refuse(grab, _TOO_DEEP)
    return problems


def _take(grabs: list[GrabDescription], bodies: Mapping[str, KinBody]) -> list[str]:
    """Let a body hold others where they lie; return their names in the scene."""
    poses = [bodies[one.body].transform for one in grabs]
    bodies[grabs[0].holder].grabs.info = [_info(one, bodies) for one in grabs]
    for one, pose in zip(grabs, poses, strict=True):
        bodies[one.body].transform = pose  # holding moved it by rounding errors
    return [one.body for one in grabs]


def _info(grab: GrabDescription, bodies: Mapping[str, KinBody]) -> GrabbedBody:
    holder, held = bodies[grab.holder], bodies[grab.body]
    pose = holder.transforms_view[holder.model.link_number(grab.link)]
    return GrabbedBody(
        held.name,
        grab.link,
        invert_pose(pose) @ held.transform,
        grab.ignored_links,
        grab.touching_links,
        tuple(bodies[n].name for n in grab.touching_bodies if n in bodies),
    )


def _conflict(
    grab: GrabDescription, bodies: Mapping[str, KinBody], holder_of: Mapping[str, str]
) -> str:
    """Return the reason for which a body cannot hold another one, or ``""``."""
    for name in (grab.holder, grab.body):
        if name not in bodies:
            return f"the scene has no body {name!r}{did_you_mean(name, bodies)}"
    names = bodies[grab.holder].model.link_names
    if grab.link not in names:
        return f"it has no link {grab.link!r}{did_you_mean(grab.link, names)}"
    if grab.body in holder_of:
        return f"{holder_of[grab.body]!r} holds it already"
    above: str | None = grab.holder
    for _ in range(_DEEPEST):
        if above is None:
            return ""
        if above == grab.body:
            return "bodies cannot hold each other, or themselves"
        above = holder_of.get(above)
    return _TOO_DEEP
