"""Structure derived from a model's arrays: dependencies, paths, groups, adjacency."""

from __future__ import annotations

import hashlib
from collections import deque
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.kinematics.model import Bools, Ints, Model

_Kind = TypeVar("_Kind", bound=np.generic)


def frozen(array: NDArray[_Kind]) -> NDArray[_Kind]:
    """Return the array, made read-only."""
    array.flags.writeable = False
    return array


def follows(model: Model) -> Bools:
    """Return the mask of values that depend on each DOF, (n_values, n_dof)."""
    result = np.eye(model.n_values, model.n_dof, dtype=bool)
    for moved, movers in model.loop_groups:
        result[moved] |= movers[: model.n_dof]
    # partials are listed in the order of evaluation, so sources are complete
    for value, source, _ in model.partials:
        result[value] |= result[source]
    return frozen(result)


def joint_affects(model: Model) -> Bools:
    """Return the mask of joints above each link in the tree, (n_joints, n_links)."""
    result = np.zeros((model.n_joints, model.n_links), dtype=bool)
    for link in model.link_order.tolist():
        joint = model.parent_joint[link]
        if joint >= 0:
            result[:, link] = result[:, model.parent_link[link]]
            result[joint, link] = True
    return frozen(result)


def dof_affects(model: Model) -> Bools:
    """Return the mask of links that each degree of freedom moves, (n_dof, n_links)."""
    by_joint = model.joint_affects[model.value_joint]
    moved = model.follows.T.astype(np.int64) @ by_joint.astype(np.int64)
    return frozen(moved > 0)


def parent_links(model: Model, link: int) -> Ints:
    """Return the neighbours of a link that lie on joint paths to the root.

    With loops a link has several: all neighbours whose depth in the tree is not
    greater, and which are not below the link.
    """
    parents = set()
    if model.parent_joint[link] >= 0:
        parents.add(int(model.parent_link[link]))
        for joint in model.closing_joints.tolist():
            ends = model.joint_links[joint]
            if link in ends:
                other = int(ends.sum() - link)
                above = model.parent_joint[link]
                if not model.joint_affects[above, other]:
                    parents.add(other)
    return frozen(np.array(sorted(parents), dtype=np.int64))


def path(model: Model, base: int, end: int) -> tuple[list[int], list[int]]:
    """Return links and joints of the tree path between two links.

    Raises
    ------
    ArgumentError
        No joints connect the links.
    """
    up_links, up_joints = _to_root(model, base)
    down_links, down_joints = _to_root(model, end)
    if up_links[-1] != down_links[-1]:
        names = model.link_names
        raise ArgumentError(f"no joints connect link {names[base]!r} to {names[end]!r}")
    while len(up_links) > 1 and len(down_links) > 1 and up_links[-2] == down_links[-2]:
        for sequence in (up_links, up_joints, down_links, down_joints):
            sequence.pop()
    return up_links[:-1] + down_links[::-1], up_joints + down_joints[::-1]


def _to_root(model: Model, link: int) -> tuple[list[int], list[int]]:
    links, joints = [link], []
    while model.parent_joint[link] >= 0:
        joints.append(int(model.parent_joint[link]))
        link = int(model.parent_link[link])
        links.append(link)
    return links, joints


def rigid_groups(model: Model) -> Ints:
    """Return the group number of each link, the lowest link index of the group."""
    group = list(range(model.n_links))

    def find(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    fixed = np.flatnonzero(model.link_static).tolist()
    for link in fixed[1:]:
        group[link] = fixed[0]
    for joint in np.flatnonzero(model.joint_static).tolist():
        a, b = (find(int(link)) for link in model.joint_links[joint])
        group[max(a, b)] = min(a, b)
    return frozen(np.array([find(i) for i in range(model.n_links)], dtype=np.int64))


def rigidly_attached(model: Model, link: int) -> Ints:
    """Return the links of a link's rigid group, the nearest over static joints first.

    What only the ground holds in place comes last.
    """
    group = model.rigid_group
    neighbours: dict[int, list[int]] = {}
    for joint in np.flatnonzero(model.joint_static).tolist():
        a, b = (int(end) for end in model.joint_links[joint])
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    found = {link: None}
    waiting = deque([link])
    while waiting:
        for other in neighbours.get(waiting.popleft(), ()):
            if other not in found:
                found[other] = None
                waiting.append(other)
    rest = np.flatnonzero(group == group[link]).tolist()
    return frozen(np.array([*found, *(i for i in rest if i not in found)]))


def adjacency(model: Model) -> Bools:
    """Return the upper triangle of adjacent links, (n_links, n_links) bool.

    Adjacent are declared pairs, pairs with a link without geometry, and, if joined
    links count: pairs with at most one joint that can move between them, and pairs
    that no joints connect.
    """
    n = model.n_links
    result = np.zeros((n, n), dtype=bool)
    if n < 2:
        return result
    given = model.given_adjacent
    result[given[:, 0], given[:, 1]] = True
    bare = ~model.has_geometry
    result |= bare[:, None] | bare[None, :]
    if model.joined_links_adjacent:
        group = model.rigid_group
        joined = np.eye(n, dtype=bool)
        ends = group[model.joint_links]
        joined[ends[:, 0], ends[:, 1]] = True
        joined |= joined.T
        result |= joined[group][:, group]
        component = _components(model)
        result |= component[:, None] != component[None, :]
    return np.triu(result, 1)


def _components(model: Model) -> Ints:
    """Return the root link of each link."""
    root = np.arange(model.n_links)
    for link in model.link_order.tolist():
        if model.parent_joint[link] >= 0:
            root[link] = root[model.parent_link[link]]
    return root


def kinematics_hash(model: Model) -> str:
    """Return a digest of the tree, its frames, its formulas and its rest values."""
    digest = hashlib.sha256()
    passive = model.rest_values[model.n_dof :]
    integers = (
        model.tree,
        model.link_nodes,
        model.tape[: model.n_position_instructions],
    )
    constants = np.concatenate(
        (
            model.tape_constants[: model.n_position_instructions],
            model.tape_constants[len(model.tape) :],  # tables
        )
    )
    for array in integers:
        digest.update(np.array(array.shape, dtype="<i8").tobytes())
        digest.update(array.astype("<i8").tobytes())
    for numbers in (model.places, model.link_places, passive, constants):
        digest.update(np.array(numbers.shape, dtype="<i8").tobytes())
        # adding zero turns minus zero into zero
        digest.update((np.round(numbers, 9) + 0.0).astype("<f8").tobytes())
    digest.update(str((model.n_links, model.n_dof)).encode())
    return digest.hexdigest()
