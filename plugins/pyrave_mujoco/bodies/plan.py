"""Plan of a body for MuJoCo: its tree of motions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave import kinematics
from pyrave.spatial import invert_pose

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.joint import Joint
    from pyrave.spatial import Array

MASSLESS = 1e-12
"""Mass in kg, and moment in kg m2, of what is only there to carry the next link."""
_GYRATION = 1e-9
"""Square of a radius of gyration, m2, below which a free body has no inertia."""
_GUESSED_SIZE = 0.01
_EYE = np.eye(4)
_UNTURNED = np.eye(3)
UNTURNED = _UNTURNED[None]
"""Directions of the moments of one link with those of its own axes."""


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One elementary motion of a link against its parent, in the link's frame.

    Parameters
    ----------
    kind
        A ball has three values, a rotation vector in `frame`, times `sign`.
    value
        Index of its (first) value in the body.
    point
        (3,) where the axis is.
    axis
        (3,) unit direction; of no meaning for a ball.
    frame
        (3, 3) axes of a ball's rotation vector.
    sign
        -1 where the tree enters a ball joint through its child.
    """

    kind: Literal["hinge", "slide", "ball"]
    value: int
    point: Array
    axis: Array
    frame: Array
    sign: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class LinkPlan:
    """Parent of a link and its motions against it.

    Parameters
    ----------
    parent
        Index of the link that carries it, -1 for none.
    place
        (4, 4) T_parent_link with all motions at zero; of no meaning without parent.
    motions
        In the order in which they are applied.
    free
        It has no parent and six degrees of freedom; without both it stays where its
        body puts it.
    """

    parent: int
    place: Array
    motions: tuple[Motion, ...] = ()
    free: bool = False


_FREE = LinkPlan(-1, _EYE, free=True)


@dataclass(slots=True, eq=False)
class BodyPlan:
    """Motions and inertia of all links of a body.

    Parameters
    ----------
    links
        By index.
    order
        Indices of links, parents first.
    tied
        Links that move, but that a static link holds to the world.
    fault
        Why the body cannot be simulated; empty if it can. It stays where it is then.
    notes
        What is simulated in another way than described.
    odd
        Moving links whose moments no body can have, which MuJoCo does not compile.
    masses, coms, moments, axes
        (n,), (n, 3), (n, 3), (n, 3, 3) of the links: kg, metres in link axes, principal
        moments in kg m2, and their directions as columns.
    """

    links: list[LinkPlan]
    order: list[int]
    masses: Array
    coms: Array
    moments: Array
    axes: Array
    tied: list[int] = field(default_factory=list)
    fault: str = ""
    notes: list[str] = field(default_factory=list)
    odd: list[int] = field(default_factory=list)

    def moves(self, link: int) -> bool:
        """Return True if anything but its body's own pose moves a link."""
        while True:
            plan = self.links[link]
            if plan.free or plan.motions:
                return True
            if plan.parent < 0:
                return False
            link = plan.parent


def plan_of(body: KinBody) -> BodyPlan:
    """Return a body's motions; it is held in place if they cannot be simulated."""
    return _plan_of_plain(body) or _plan_of_any(body)


def _plan_of_plain(body: KinBody) -> BodyPlan | None:
    """Return the motion of one free link, None for other bodies; scenes have many.

    Its mass and moments are positive, and its inertia is about its own axes.
    """
    model = body.model
    known = body.description.links[0]
    if model.n_links > 1 or known.static or known.kinematic:
        return None
    a, xy, xz, yx, b, yz, zx, zy, c = model.inertias.ravel().tolist()
    least, middle, most = sorted((a, b, c))
    mass = float(model.masses[0])
    if xy or xz or yx or yz or zx or zy or mass <= MASSLESS or least <= MASSLESS:
        return None
    if least < _GYRATION * mass or least + middle < most:
        return None
    moments = np.array(((a, b, c),))
    return BodyPlan([_FREE], [0], model.masses, model.coms, moments, UNTURNED)


def _plan_of_any(body: KinBody) -> BodyPlan:
    model = body.model
    group, n = model.rigid_group, model.n_links
    rest = _EYE[None]
    if n > 1:
        # not the present poses: models of one body are then equal to the last bit
        at_rest = model.rest_values[: model.n_dof]
        rest = kinematics.link_transforms(model, _EYE, at_rest)
    grounded = set(group[model.link_static].tolist())
    joints = body.all_joints
    links: list[LinkPlan] = [LinkPlan(-1, _EYE)] * n
    moments, axes = _principal(model.inertias)
    plan = BodyPlan(
        links, model.link_order.tolist(), model.masses, model.coms, moments, axes
    )
    for link in plan.order:
        number, parent = int(model.parent_joint[link]), int(model.parent_link[link])
        kinematic = body.links[link].kinematic
        held = int(group[link]) in grounded or kinematic
        if number < 0 or kinematic:
            links[link] = LinkPlan(-1, _EYE, free=not held)
        elif model.joint_static[number]:
            links[link] = LinkPlan(parent, invert_pose(rest[parent]) @ rest[link])
        elif group[parent] == group[link]:
            poses = body.transforms_view
            links[link] = LinkPlan(parent, invert_pose(poses[parent]) @ poses[link])
        else:
            joint = joints[number]
            reverse = int(model.joint_links[number, 1]) != link
            links[link] = LinkPlan(parent, *_motions(body, joint, reverse))
            if held:
                plan.tied.append(link)
            if joint.type == "trajectory":
                plan.fault = f"its joint {joint.name!r} follows a path in time"
    plan.fault = plan.fault or _fault(body, plan)
    if plan.fault:
        plan.links[:] = [LinkPlan(-1, _EYE)] * n
        plan.tied.clear()
    else:
        _give_inertia(body, plan)
    return plan


def _motions(
    body: KinBody, joint: Joint, reverse: bool
) -> tuple[Array, tuple[Motion, ...]]:
    """Return the place of a joint's far link in its near one, and its motions.

    The child is at ``T_pj M1 M2 inv(T_cj)``, which is ``T_pj inv(T_cj)`` and then the
    motions about axes in the child. The inverse has its motions in the other order.
    """
    model, number = body.model, joint.index
    near, far = model.T_parent_joint[number], model.T_child_joint[number]
    sign = 1.0
    if reverse:
        near, far, sign = far, near, -1.0
    rotation, point = far[:3, :3], far[:3, 3]
    first, count = model.joint_values[number].tolist()
    directions = model.axis_directions[first : first + count]
    place = near @ invert_pose(far)
    if joint.type == "spherical":
        frame = rotation @ np.asarray(directions).T
        return place, (Motion("ball", first, point, rotation[:, 2], frame, sign),)
    steps = [
        Motion(
            "slide" if model.prismatic[first + i] else "hinge",
            first + i,
            point,
            sign * (rotation @ direction),
            rotation,
        )
        for i, direction in enumerate(directions)
    ]
    return place, tuple(steps[::-1] if reverse else steps)


def _principal(inertias: Array) -> tuple[Array, Array]:
    """Return principal moments (n, 3) and axes (n, 3, 3) of inertias (n, 3, 3)."""
    n = len(inertias)
    flat = inertias.reshape(n, 9)
    moments = flat[:, ::4].copy()
    axes = np.empty((n, 3, 3))
    axes[:] = _UNTURNED
    skew = flat[:, (1, 2, 3, 5, 6, 7)].any(axis=1)
    if skew.any():
        symmetric = 0.5 * (inertias[skew] + inertias[skew].transpose(0, 2, 1))
        found, turned = np.linalg.eigh(symmetric)
        turned[:, :, 2] = np.cross(turned[:, :, 0], turned[:, :, 1])
        moments[skew], axes[skew] = found, turned
    return moments, axes


def _fault(body: KinBody, plan: BodyPlan) -> str:
    """Return the fault in the masses of moving links; empty if all is well."""
    names, n = body.model.link_names, len(plan.links)
    carried = plan.masses.copy()
    for link in reversed(plan.order):
        if plan.links[link].parent >= 0:
            carried[plan.links[link].parent] += carried[link]
    for link in range(n):
        if not plan.moves(link):
            continue
        mass, moments = float(plan.masses[link]), plan.moments[link].tolist()
        if mass < 0.0 or min(moments) < -1e-9 * max(map(abs, moments)):
            return (
                f"its link {names[link]!r} has a mass of {mass:g} kg and the principal "
                f"moments {moments} kg m2, and none may be negative"
            )
        own = plan.links[link]
        rotors = [float(body.model.rotor_inertias[one.value]) for one in own.motions]
        if (own.free or own.motions) and not (
            carried[link] > 0.0 or (rotors and min(rotors) > 0.0)
        ):
            return (
                f"its link {names[link]!r} moves, but neither it nor what hangs on it "
                "has a mass"
            )
    return ""


def _give_inertia(body: KinBody, plan: BodyPlan) -> None:
    """Let no moving link be without inertia, and note what was made up."""
    names = body.model.link_names
    odd, guessed = [], []
    for link in plan.order:
        if not plan.moves(link):
            continue
        a, b, c = sorted(plan.moments[link].tolist())
        if a + b < c * (1.0 - 1e-6) and plan.masses[link] > 0.0:
            odd.append(names[link])
        turning = plan.links[link].free or any(
            one.kind == "ball" for one in plan.links[link].motions
        )
        if turning and _gyration(plan, link) < _GYRATION:
            _guess_inertia(body, plan, link)
            guessed.append(names[link])
    if odd:
        plan.notes.append(
            f"the inertia of the links {', '.join(odd)} is one which no body has, the "
            "largest principal moment being more than the sum of the others; they are "
            "simulated with it"
        )
    if guessed:
        plan.notes.append(
            f"the links {', '.join(guessed)} turn freely and have a mass without "
            "inertia; that of a box around their geometries is used"
        )
    plan.masses = np.maximum(plan.masses, MASSLESS)
    plan.moments = np.maximum(plan.moments, MASSLESS)
    sums, most = plan.moments.sum(axis=1), plan.moments.max(axis=1)
    refused = np.flatnonzero(2.0 * most > sums).tolist()
    plan.odd = [link for link in refused if plan.moves(link)]


def _gyration(plan: BodyPlan, root: int) -> float:
    """Return the least square of a radius of gyration of what turns with a link."""
    if len(plan.links) == 1:
        mass = float(plan.masses[root])
        return min(plan.moments[root].tolist()) / mass if mass > 0.0 else np.inf
    cluster, places = [root], {root: _EYE}
    for link in plan.order:
        own = plan.links[link]
        if own.parent in places and not own.motions:
            cluster.append(link)
            places[link] = places[own.parent] @ own.place
    mass = float(plan.masses[cluster].sum())
    if mass <= 0.0:
        return np.inf
    points = np.array(
        [places[k][:3, :3] @ plan.coms[k] + places[k][:3, 3] for k in cluster]
    )
    masses = plan.masses[cluster]
    points = points - masses @ points / mass
    total = np.zeros((3, 3))
    for k, point, share in zip(cluster, points, masses, strict=True):
        turn = places[k][:3, :3] @ plan.axes[k]
        total += turn @ np.diag(plan.moments[k]) @ turn.T
        total += share * (point @ point * np.eye(3) - np.outer(point, point))
    return float(np.linalg.eigvalsh(total).min()) / mass


def _guess_inertia(body: KinBody, plan: BodyPlan, link: int) -> None:
    box = body.links[link].local_aabb
    half = np.full(3, _GUESSED_SIZE) if box is None else box[1]
    squares = np.maximum(half, 1e-3) ** 2
    plan.moments = plan.moments.copy()
    plan.moments[link] = plan.masses[link] / 3.0 * (squares.sum() - squares)
    plan.axes[link] = np.eye(3)
