"""Bases of bodies: where they are, and static ones where a scene defines none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from pyrave.scene.body import BodyDescription
from pyrave.scene.pose import IDENTITY

if TYPE_CHECKING:
    from pyrave.scene.description import SceneDescription

Body = TypeVar("Body", bound=BodyDescription)


def with_base_at_origin(body: Body) -> Body:
    """Return a body whose first link is where the body is, with its links in place.

    Kinematics know no other body, descriptions of scripts do.
    """
    base = body.links[0].pose
    back = base.inverse()
    first, *others = body.links
    links = [replace(link, pose=back @ link.pose) for link in others]
    return replace(
        body,
        pose=body.pose @ base,
        links=(replace(first, pose=IDENTITY), *links),
    )


def with_fixed_bases(scene: SceneDescription) -> SceneDescription:
    """Return a scene in which the bases of what has joints are static.

    Physics engines leave the first link of each robot and of each other body with
    joints where it is. What has no joints is an object, and stays as it is.
    """
    return replace(scene, bodies=tuple(map(_with_fixed_base, scene.bodies)))


def has_bases(scene: SceneDescription) -> bool:
    """Return True if `with_fixed_bases` would hold anything."""
    return any(body.joints and body.links for body in scene.bodies)


def _with_fixed_base(body: BodyDescription) -> BodyDescription:
    if not body.joints or not body.links or body.links[0].static:
        return body
    return replace(body, links=(replace(body.links[0], static=True), *body.links[1:]))
