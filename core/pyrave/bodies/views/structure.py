"""The graph of links and joints of a body: chains, loops, adjacency."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.bodies import edits
from pyrave.bodies.views.joint import Joint
from pyrave.bodies.views.part import BodyPart
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Indices, IndicesLike


@methods_suggest
class BodyStructure(BodyPart):
    """The graph of links and joints: `KinBody.structure`.

    Chains and loops, which joints move which links, and which links are adjacent.
    """

    _hot = "affects are_adjacent_links dof_affects is_dof_in_chain joint_of_dof"

    __slots__ = ()

    # -- links and joints ----------------------------------------------------------

    @property
    def kinematics_hash(self) -> str:
        """Hexadecimal digest of what determines the poses of the links."""
        return self._body.model.kinematics_hash

    @property
    def leaf_links(self) -> tuple[Link, ...]:
        """Links that carry no other, likely tips of arms first.

        Those are links that many joints move; a finger comes behind a frame that is
        fixed to its hand.
        """
        model, links = self._body.model, self._body.links
        carrying = set(model.parent_link.tolist())
        leaves = [i for i in range(model.n_links) if i not in carrying]
        rank = model.dof_affects.sum(axis=0).astype(np.float64)
        rank[leaves] += 1.5 * model.joint_static[model.parent_joint[leaves]]
        leaves.sort(key=lambda link: -rank[link])
        return tuple(links[link] for link in leaves)

    @property
    def dependency_ordered_joints(self) -> tuple[Joint, ...]:
        """All joints, those nearer to the base and those that others follow first."""
        joints = self._body.all_joints
        return tuple(joints[i] for i in self._body.model.joint_order.tolist())

    def joint_of_dof(self, dof_index: int) -> Joint:
        """Return the joint that a degree of freedom belongs to."""
        (index,) = self._indices((dof_index,))
        return self._body.all_joints[int(self._body.model.value_joint[index])]

    @property
    def closed_loops(self) -> tuple[tuple[tuple[Link, Joint], ...], ...]:
        """Loops of the joint graph: each link with the joint that leads to the next."""
        links, joints = self._body.links, self._body.all_joints
        return tuple(
            tuple((links[link], joints[joint]) for link, joint in loop)
            for loop in self._body.model.closed_loops
        )

    # -- chains --------------------------------------------------------------------

    def chain_links(
        self, first: Link | str | int, last: Link | str | int
    ) -> list[Link]:
        """Return the links on the way from one link to another, both included."""
        body = self._body
        chain = body.model.chain(body.link_index(first), body.link_index(last))
        return [body.links[i] for i in chain.links.tolist()]

    def chain_joints(
        self, first: Link | str | int, last: Link | str | int
    ) -> list[Joint]:
        """Return the joints on the way from one link to another."""
        body = self._body
        chain = body.model.chain(body.link_index(first), body.link_index(last))
        return [body.all_joints[i] for i in chain.joints.tolist()]

    def is_dof_in_chain(
        self, first: Link | str | int, last: Link | str | int, dof_index: int
    ) -> bool:
        """Return True if a degree of freedom moves the way between two links."""
        body = self._body
        chain = body.model.chain(body.link_index(first), body.link_index(last))
        return bool((chain.dof_indices == dof_index).any())

    def affects(self, joint: Joint | str, link: Link | str | int) -> bool:
        """Return True if moving a joint, active or not, moves a link."""
        model = self._body.model
        number = joint.index if isinstance(joint, Joint) else model.joint_number(joint)
        return bool(model.joint_affects[number, self._body.link_index(link)])

    def dof_affects(self, dof_index: int, link: Link | str | int) -> bool:
        """Return True if a degree of freedom moves a link, also through followers."""
        return self._body.model.affects(dof_index, self._body.link_index(link))

    # -- adjacency -----------------------------------------------------------------

    def are_adjacent_links(
        self, first: Link | str | int, second: Link | str | int
    ) -> bool:
        """Return True if self collision is never checked between two links."""
        pair = sorted((self._body.link_index(first), self._body.link_index(second)))
        return bool((self._body.model.adjacent_links == pair).all(axis=1).any())

    def select_non_adjacent_links(
        self, *, enabled: bool = False, dof_indices: IndicesLike | None = None
    ) -> Indices:
        """Return the (k, 2) pairs of `KinBody.non_adjacent_links` that a query needs.

        Parameters
        ----------
        enabled
            Only pairs of enabled links.
        dof_indices
            Only pairs whose links one of these degrees of freedom moves relative to
            each other.
        """
        body = self._body
        pairs = body.non_adjacent_links
        if enabled:
            pairs = pairs[body.links_enabled[pairs].all(axis=1)]
        if dof_indices is not None:
            pairs = pairs[body.model.moves_apart(pairs, self._indices(dof_indices))]
        return pairs

    def declare_adjacent(self, pairs: Iterable[tuple[Link | str, Link | str]]) -> None:
        """Never check pairs of links for self collision from now on."""
        described = edits.with_adjacent(self._body, pairs)
        self._body.apply_edit(described, BodyChange.ADJACENCY)

    def declare_touching_adjacent(self) -> tuple[tuple[str, str], ...]:
        """Declare adjacent what touches in the present configuration.

        Needs a collision checker; nothing touches without.

        Returns
        -------
        tuple
            The pairs of names that are adjacent from now on.
        """
        found = edits.touching_links(self._body)
        if found:
            self.declare_adjacent(found)
        return found

    def _indices(self, dof_indices: IndicesLike) -> Indices:
        return self._body.model.dof_numbers(dof_indices, self._body.name)
