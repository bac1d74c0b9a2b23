"""Text commands about bodies, and about collisions and rays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import CommandError
from pyrave.interfaces import CollisionOptions
from pyrave.kinematics import LimitCheck
from pyrave.spatial import transform_points
from pyrave_serve.methods.bodies import hold
from pyrave_serve.text.command import (
    TextCommand,
    body_at,
    number_of,
    numbered,
)
from pyrave_serve.text.words import Words, columns, number_words

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave_serve.call_objects import Desk


def _get_joints(desk: Desk, words: Words) -> str:
    body = body_at(desk, words)
    return number_words([picked(body.dof_values, words)])


def picked(values: Any, words: Words) -> Any:
    """Return the values at the indices that are left, all if there are none."""
    chosen = words.indices(len(values), "indices")
    return values[chosen] if chosen else values


def _set_joints(desk: Desk, words: Words) -> None:
    body = body_at(desk, words)
    set_values(body, words, list(range(body.dof)))


def set_values(body: KinBody, words: Words, usual: list[int]) -> None:
    """Set joints, given how many, their values, and their indices if not the usual."""
    count = words.whole("the number of values", 1)
    values = words.row(count, "values")
    indices = words.indices(body.dof, "indices") or usual
    if len(indices) != count:
        raise CommandError(f"{count} values are given for {len(indices)} joints")
    body.set_dof_values(values, indices, LimitCheck.CLAMP)
    hold(body)


def _set_torques(desk: Desk, words: Words) -> None:
    body = body_at(desk, words)
    add = words.truth("whether to add")
    count = words.whole("the number of torques", 1)
    torques = words.row(count, "torques")
    if count != body.dof:
        raise CommandError(f"{count} torques are given, expected {body.dof}")
    if add:
        for joint in body.joints:
            joint.add_torques(torques[joint.dof_index :][: joint.dof])
    else:
        body.dynamics.set_dof_torques(torques)


def _set_transform(desk: Desk, words: Words) -> None:
    body = body_at(desk, words)
    values = words.numbers("the pose")
    pose = np.eye(4)
    if len(values) == 12:
        pose[:3] = values.reshape(4, 3).T
    elif len(values) == 3:
        pose[:3, 3] = values
    elif len(values) == 7:
        pose = values
    else:
        raise CommandError(
            f"a pose has {len(values)} numbers, expected 12 (a 3x4 matrix by columns), "
            "7 (qw qx qy qz x y z) or 3 (x y z)"
        )
    body.transform = pose
    hold(body)


def _get_links(desk: Desk, words: Words) -> str:
    return " ".join(columns(pose) for pose in body_at(desk, words).link_transforms)


def _get_boxes(desk: Desk, words: Words) -> str:
    body = body_at(desk, words)
    return number_words(
        row for link in body.links for row in link.aabb or np.zeros((2, 3))
    )


def _enable(desk: Desk, words: Words) -> None:
    body = body_at(desk, words)
    body.enabled = words.truth("whether it is enabled")


def _check_collision(desk: Desk, words: Words) -> str:
    body = body_at(desk, words)
    count = words.whole("the number of excluded bodies") if words else 0
    numbers = [words.whole("the number of a body") for _ in range(count)]
    excluded = [numbered(desk, number) for number in numbers if number > 0]
    contacts = words.truth("whether contacts are wanted") if words else False
    index = int(words.number("the index of the link")) if words else -1
    if index >= len(body.links):
        raise CommandError(f"{body.name!r} has {len(body.links)} links")
    part = body if index < 0 else body.links[index]
    with desk.env.collision_checker.options(CollisionOptions.CONTACTS):
        report = desk.env.check_collision(part, excluded_bodies=excluded, report=True)
    others = [
        side.body
        for pair in report.pairs
        for side in (pair.first, pair.second)
        if side.body is not None and side.body is not body
    ]
    found = [int(bool(report)), number_of(others[0]) if others else 0]
    if contacts:
        for pair in report.pairs:
            for contact in pair.contacts:
                found += [contact.position, contact.normal, contact.depth]
    return number_words(found)


def _check_self_collision(desk: Desk, words: Words) -> str:
    return str(int(bool(body_at(desk, words).check_self_collision())))


def _cast_rays(desk: Desk, words: Words) -> str:
    number = words.whole("the number of the body")
    values = words.numbers("rays")
    if len(values) % 6 or len(values) > 6 * desk.limits.rays:
        raise CommandError(
            f"rays have {len(values)} numbers, expected 6 each: x y z and direction"
        )
    if not len(values):
        return ""
    rays = values.reshape(-1, 6)
    with np.errstate(over="ignore"):  # such a ray ends nowhere
        lengths = np.linalg.norm(rays[:, 3:], axis=1)
    hits = desk.env.raycast(
        rays[:, :3],
        rays[:, 3:],
        max_range=lengths,
        bodies=numbered(desk, number) if number else None,
    )
    info = np.where(hits.hit[:, None], np.hstack((hits.position, hits.normal)), 0.0)
    return number_words([hits.hit.astype(int), info])


def _triangulate(desk: Desk, words: Words) -> str:
    wanted = words.truth("whether bodies are included")
    named = {int(number) for number in words.numbers("numbers of bodies")}
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), int)], 0
    for body in desk.env.bodies:
        if (number_of(body) in named) != wanted:
            continue
        for link in body.links:
            for geometry in link.geometries:
                mesh = geometry.mesh
                vertices.append(
                    transform_points(geometry.world_transform, mesh.vertices)
                )
                faces.append(np.asarray(mesh.faces) + count)
                count += len(mesh.vertices)
    corners, triangles = np.concatenate(vertices), np.concatenate(faces)
    return number_words([len(corners), len(triangles), corners, triangles])


COMMANDS = (
    TextCommand("body_checkcollision", "body, count, excluded bodies, contacts, link",
                "1 or 0, the other body, and contacts: position, normal, depth",
                _check_collision),
    TextCommand("body_getjoints", "body, indices", "joint values", _get_joints),
    TextCommand("body_destroy", "body", "removes it",
                lambda desk, words: desk.env.remove(body_at(desk, words)),
                answers=False),
    TextCommand("body_enable", "body, 1 or 0", "lets it collide, or not",
                _enable, answers=False),
    TextCommand("body_getaabb", "body", "centre and half extents of its box",
                lambda desk, words: number_words(body_at(desk, words).aabb)),
    TextCommand("body_getaabbs", "body", "the box of each link", _get_boxes),
    TextCommand("body_getlinks", "body", "the pose of each link, 12 numbers",
                _get_links),
    TextCommand("body_getdof", "body", "how many joint values it has",
                lambda desk, words: str(body_at(desk, words).dof)),
    TextCommand("body_settransform", "body, 12, 7 or 3 numbers", "places it",
                _set_transform, answers=False),
    TextCommand("body_setjoints", "body, count, values, indices",
                "sets joints, within limits", _set_joints, answers=False),
    TextCommand("body_setjointtorques", "body, add, count, torques",
                "pushes joints in the next step", _set_torques, answers=False),
    TextCommand("env_raycollision", "body or 0, rays of 6 numbers",
                "1 or 0 for each, then position and normal of each", _cast_rays),
    TextCommand("env_triangulate", "1 or 0, bodies",
                "of these, or of all others: how many vertices and triangles, these",
                _triangulate),
    TextCommand("robot_checkselfcollision", "body", "1 or 0", _check_self_collision),
)  # fmt: skip
