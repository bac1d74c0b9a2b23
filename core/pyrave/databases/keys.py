"""Digests of what results depend on: kinematics, geometry, masses, hands.

Names, colours, and poses of bodies take no part; numbers count to 1e-9. Each digest is
a hexadecimal SHA-256.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.arm_hash import arm_hash
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.bodies.views.link import Link
from pyrave.errors import ArgumentError, shown
from pyrave.grasping.hands import closing_rates, hand_links
from pyrave.scene import NoShape, Pose, TriMesh

if TYPE_CHECKING:
    from pyrave.bodies.views.geometry import Geometry

_DIGITS = 9


def kinematics_digest(body: KinBody) -> str:
    """Return a digest of all joints of a body: frames, formulas, limits, neighbours.

    Raises
    ------
    ArgumentError
        It is no body.
    """
    if not isinstance(body, KinBody):
        raise ArgumentError(f"body is {shown(body)}, expected a body")
    model = body.model
    digest = _begun("kinematics", body.structure.kinematics_hash)
    _add(digest, *body.dof_limits, model.circular, model.given_adjacent)
    digest.update(str(model.joined_links_adjacent).encode())
    return digest.hexdigest()


def arm_digest(arm: Manipulator) -> str:
    """Return a digest of an arm from base to tool, with the limits of its joints.

    Raises
    ------
    ArgumentError
        It is no manipulator.
    """
    if not isinstance(arm, Manipulator):
        raise ArgumentError(f"arm is {shown(arm)}, expected a manipulator")
    indices = arm.arm_indices
    lower, upper = arm.robot.dof_limits
    digest = _begun("arm", arm.kinematics_hash)
    _add(digest, lower[indices], upper[indices], arm.direction)
    return digest.hexdigest()


def hand_digest(arm: Manipulator) -> str:
    """Return a digest of an arm's hand: fingers, their limits and geometry, the tool.

    What is before the hand takes no part.

    Raises
    ------
    ArgumentError
        It is no manipulator, has no gripper joints, or nothing says that they close.
    StateError
        It is in no environment.
    """
    rates = closing_rates(arm)
    model, gripper = arm.robot.model, arm.gripper_indices.tolist()
    lower, upper = arm.robot.dof_limits
    links = hand_links(arm)
    end = arm.description.end_effector
    digest = _begun("hand", geometry_digest(links))
    _add(digest, lower[gripper], upper[gripper], rates, arm.direction)
    _add(digest, arm.local_tool_transform)
    places = {joint: k for k, joint in enumerate(gripper)}
    for link in links:
        moving = [places.get(k, -1) for k in model.chain(end, link.name).dof_indices]
        digest.update(f"{arm_hash(model, end, link.name, np.eye(4))}{moving}".encode())
    numbers = [link.index for link in links]
    _add(digest, _pairs_within(model.non_adjacent_links, numbers))
    return digest.hexdigest()


def geometry_digest(links: KinBody | Iterable[Link]) -> str:
    """Return a digest of what collides of some links, each in its frame, in order.

    Shapes count by their numbers, meshes by their triangles, wherever they come from,
    and whether a link takes part in collisions.

    Parameters
    ----------
    links
        A body: all of its links.

    Raises
    ------
    ArgumentError
        They are no links.
    """
    digest = _begun("geometry", "")
    if not isinstance(links, (KinBody, Iterable)):
        raise ArgumentError(f"links is {shown(links)}, expected a body or its links")
    for link in links.links if isinstance(links, KinBody) else tuple(links):
        if not isinstance(link, Link):
            raise ArgumentError(f"links have {shown(link)}, expected links of a body")
        digest.update(f"link {link.enabled}".encode())
        for geometry in link.geometries:
            _add_geometry(digest, geometry)
    return digest.hexdigest()


def body_digest(body: KinBody) -> str:
    """Return a digest of a body that is handled: joints, geometry and masses."""
    digest = _begun("body", kinematics_digest(body), geometry_digest(body))
    _add(digest, body.model.masses, body.model.coms)
    return digest.hexdigest()


def _add_geometry(digest: hashlib._Hash, geometry: Geometry) -> None:
    described = geometry.description
    shape = described.shape
    if isinstance(shape, NoShape) or geometry.unusable:
        return
    digest.update(shape.type.encode())
    _add(digest, described.pose.matrix)
    if isinstance(shape, TriMesh):
        mesh = geometry.mesh
        _add(digest, mesh.vertices, mesh.faces)
        return
    for one in dataclasses.fields(shape):
        digest.update(one.name.encode())
        _add(digest, list(_flat(getattr(shape, one.name))))


def _flat(value: Any) -> Iterator[float]:
    """Yield the numbers of a field of a shape, those of poses as matrices."""
    if isinstance(value, Pose):
        yield from value.matrix.ravel().tolist()
    elif isinstance(value, (tuple, list, np.ndarray)):
        for one in value:
            yield from _flat(one)
    else:
        yield float(value)


def _pairs_within(pairs: Any, numbers: list[int]) -> Any:
    """Return the pairs of some links, by their places among these."""
    places = {number: k for k, number in enumerate(numbers)}
    found = [
        sorted((places[a], places[b]))
        for a, b in np.asarray(pairs).reshape(-1, 2).tolist()
        if a in places and b in places
    ]
    return np.array(sorted(found), np.int64).reshape(-1, 2)


def _begun(kind: str, *texts: str) -> hashlib._Hash:
    return hashlib.sha256(" ".join((kind, *texts)).encode())


def _add(digest: hashlib._Hash, *numbers: Any) -> None:
    for one in numbers:
        array = np.asarray(one)
        digest.update(str(array.shape).encode())
        # minus zero is zero
        rounded = np.round(array.astype(np.float64), _DIGITS) + 0.0
        digest.update(rounded.astype("<f8").tobytes())
