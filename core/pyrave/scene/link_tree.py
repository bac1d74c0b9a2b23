"""The tree of a body's joints that its poses follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.scene.body import BodyDescription, JointDescription


def spanning_tree(
    body: BodyDescription,
) -> tuple[list[tuple[JointDescription, str, str]], list[str]]:
    """Return (joint, link above, link below) of a tree, and its other roots.

    Links are visited breadth first from the base, as by the compiler of kinematics, so
    that the same joints close loops. The link above may be the child of the joint.

    Parameters
    ----------
    body
        The body.
    """
    index = {link.name: number for number, link in enumerate(body.links)}
    names = list(index)
    beside: list[list[tuple[int, int]]] = [[] for _ in names]
    for number, joint in enumerate(body.joints):
        if joint.closes_loop:
            continue
        a, b = index[joint.parent], index[joint.child]
        beside[a].append((b, number))
        beside[b].append((a, number))
    seen = [False] * len(names)
    hanging, roots = [], []
    for root in range(len(names)):
        if seen[root]:
            continue
        seen[root] = True
        if root:
            roots.append(names[root])
        waiting = [root]
        for link in waiting:
            for other, number in sorted(beside[link]):
                if not seen[other]:
                    seen[other] = True
                    hanging.append((body.joints[number], names[link], names[other]))
                    waiting.append(other)
    return hanging, roots
