"""Links, joints and how they hang together: what a body's model alone says."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.frame import Frame
from pyrave.bodies.joint import Joint
from pyrave.bodies.link import Link
from pyrave.errors import ArgumentError
from pyrave.interfaces.collection import NamedCollection
from pyrave.kinematics import Model
from pyrave.scene import BodyDescription
from pyrave.spatial import Indices, IndicesLike

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody

__all__ = ["Structure"]


class Structure:
    """The structure half of `pyrave.KinBody`: views of links and joints, and queries.

    The views are made when first used and stay the same objects as long as the body
    is not initialised anew.
    """

    _description: BodyDescription
    _model: Model
    _name: str

    def _forget_views(self) -> None:
        self._links: NamedCollection[Link] | None = None
        self._all_joints: tuple[Joint, ...] | None = None

    @abstractmethod
    def _myself(self) -> KinBody:
        """Return this object as what it is."""

    @property
    def model(self) -> Model:
        """The compiled model, immutable."""
        return self._model

    @property
    def dof(self) -> int:
        """Number of degrees of freedom."""
        return self._model.n_dof

    # -- views ---------------------------------------------------------------------

    @property
    def links(self) -> NamedCollection[Link]:
        """All links; the first is the base."""
        if self._links is None:
            body, described = self._myself(), self._description.links
            self._links = NamedCollection(
                (Link(body, i, link) for i, link in enumerate(described)), "link"
            )
        return self._links

    @property
    def frames(self) -> NamedCollection[Frame]:
        """Named frames on its links, in the order of the description."""
        body, described = self._myself(), self._description.frames
        return NamedCollection((Frame(body, one) for one in described), "frame")

    @property
    def all_joints(self) -> tuple[Joint, ...]:
        """Active and passive joints in the order of the description."""
        if self._all_joints is None:
            body, described = self._myself(), self._description.joints
            self._all_joints = tuple(
                Joint(body, i, joint) for i, joint in enumerate(described)
            )
        return self._all_joints

    @property
    def joints(self) -> NamedCollection[Joint]:
        """Joints with degrees of freedom, in the order of their DOF indices."""
        return NamedCollection(
            (self.all_joints[i] for i in self._model.active_joints.tolist()),
            "joint",
            self._among_passive,
        )

    @property
    def passive_joints(self) -> NamedCollection[Joint]:
        """Joints without degrees of freedom: disabled, static and mimic ones."""
        return NamedCollection(
            (self.all_joints[i] for i in self._model.passive_joints.tolist()),
            "passive joint",
            self._among_active,
        )

    def _among_passive(self, name: str) -> str:
        """Say where to find a joint that has no degrees of freedom."""
        if name not in self.passive_joints:
            return ""
        return "it has no degrees of freedom of its own; see passive_joints"

    def _among_active(self, name: str) -> str:
        return "it has degrees of freedom; see joints" if name in self.joints else ""

    @property
    def dependency_ordered_joints(self) -> tuple[Joint, ...]:
        """All joints, those nearer to the base and those that others follow first."""
        return tuple(self.all_joints[i] for i in self._model.joint_order.tolist())

    def joint_of_dof(self, dof_index: int) -> Joint:
        """Return the joint that a degree of freedom belongs to."""
        (index,) = self._indices((dof_index,))
        return self.all_joints[int(self._model.value_joint[index])]

    @property
    def dof_names(self) -> tuple[str, ...]:
        """Per degree of freedom its joint's name, ``name_1`` for a second axis."""
        model = self._model
        return tuple(
            model.joint_names[joint] + (f"_{axis}" if axis else "")
            for joint, axis in zip(
                model.value_joint[: self.dof].tolist(),
                model.value_axis[: self.dof].tolist(),
                strict=True,
            )
        )

    # -- the way between links -----------------------------------------------------

    def chain_links(
        self, first: Link | str | int, last: Link | str | int
    ) -> list[Link]:
        """Return the links on the way from one link to another, both included."""
        chain = self._model.chain(self._link_index(first), self._link_index(last))
        return [self.links[i] for i in chain.links.tolist()]

    def chain_joints(
        self, first: Link | str | int, last: Link | str | int
    ) -> list[Joint]:
        """Return the joints on the way from one link to another."""
        chain = self._model.chain(self._link_index(first), self._link_index(last))
        return [self.all_joints[i] for i in chain.joints.tolist()]

    def is_dof_in_chain(
        self, first: Link | str | int, last: Link | str | int, dof_index: int
    ) -> bool:
        """Return whether a degree of freedom moves the way between two links."""
        chain = self._model.chain(self._link_index(first), self._link_index(last))
        return bool((chain.dof_indices == dof_index).any())

    def affects(self, joint: Joint | str, link: Link | str | int) -> bool:
        """Return whether moving a joint, active or not, moves a link."""
        number = (
            joint.index if isinstance(joint, Joint) else self._model.joint_number(joint)
        )
        return bool(self._model.joint_affects[number, self._link_index(link)])

    def dof_affects(self, dof_index: int, link: Link | str | int) -> bool:
        """Return whether a degree of freedom moves a link, also through followers."""
        return self._model.affects(dof_index, self._link_index(link))

    @property
    def closed_loops(self) -> tuple[tuple[tuple[Link, Joint], ...], ...]:
        """Loops of the joint graph: each link with the joint that leads to the next."""
        loops = []
        for closing in self._model.closing_joints.tolist():
            first, last = self._model.joint_links[closing].tolist()
            try:
                chain = self._model.chain(first, last)
            except ArgumentError:
                continue  # it closes nothing: its links hang on different roots
            joints = (*chain.joints.tolist(), closing)
            loops.append(
                tuple(
                    (self.links[link], self.all_joints[joint])
                    for link, joint in zip(chain.links.tolist(), joints, strict=True)
                )
            )
        return tuple(loops)

    # -- adjacency -----------------------------------------------------------------

    @property
    def adjacent_links(self) -> Indices:
        """(k, 2) link indices of pairs whose self collision is never checked.

        Each pair i < j once, sorted; read-only. `are_adjacent_links` asks for one pair.
        """
        return self._model.adjacent_links

    @property
    def non_adjacent_links(self) -> Indices:
        """(k, 2) link indices of all other pairs, as `adjacent_links`."""
        return self._model.non_adjacent_links

    def are_adjacent_links(
        self, first: Link | str | int, second: Link | str | int
    ) -> bool:
        """Return whether self collision is never checked between two links."""
        pair = sorted((self._link_index(first), self._link_index(second)))
        return bool((self._model.adjacent_links == pair).all(axis=1).any())

    def select_non_adjacent_links(
        self, *, enabled: bool = False, dof_indices: IndicesLike | None = None
    ) -> Indices:
        """Return the pairs of `non_adjacent_links` that a self collision query needs.

        Parameters
        ----------
        enabled
            Only pairs of enabled links.
        dof_indices
            Only pairs of which one of these degrees of freedom moves a link.

        Returns
        -------
        (k, 2) int64
            Link indices.
        """
        pairs = self.non_adjacent_links
        if enabled:
            on = np.array([link.enabled for link in self.links], dtype=bool)
            pairs = pairs[on[pairs].all(axis=1)]
        if dof_indices is not None:
            moving = np.any(self._model.dof_affects[self._indices(dof_indices)], axis=0)
            pairs = pairs[moving[pairs].any(axis=1)]
        return pairs

    # -- identity ------------------------------------------------------------------

    @property
    def kinematics_hash(self) -> str:
        """Hexadecimal digest of what determines the poses of the links."""
        return self._model.kinematics_hash

    def _indices(self, dof_indices: IndicesLike) -> Indices:
        """Return checked indices of degrees of freedom."""
        return self._model.dof_numbers(dof_indices, self._name)

    def _different_indices(self, dof_indices: IndicesLike) -> Indices:
        """Return checked indices of which none comes twice, as assigning needs."""
        indices = self._indices(dof_indices)
        listed = indices.tolist()
        if len(set(listed)) < len(listed):
            raise ArgumentError(f"dof indices {listed} of {self._name!r} repeat")
        return indices

    def _link_index(self, link: Link | str | int) -> int:
        if isinstance(link, Link):
            if link.body is not self._myself():
                raise ArgumentError(f"{link!r} is not a link of {self!r}")
            return link.index
        return self._model.link_number(link)
