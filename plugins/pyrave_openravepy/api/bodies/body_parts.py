"""Links and joints of a body, and how they hang together."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.bodies.joint import Joint
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.enums import AdjacentOptions
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import wrap_part

__all__ = ["BodyParts"]


class BodyParts(Guarded):
    """Links and joints; a part of `KinBody`."""

    _native: Any

    # -- links ---------------------------------------------------------------------

    def GetLinks(self, indices: Any = None) -> list[Any]:
        native = self._native
        links = native.links
        if indices is None:
            return [wrap_part(Link, link, native) for link in links]
        return [wrap_part(Link, links[int(index)], native) for index in indices]

    def GetLink(self, name: str) -> Any:
        native = self._native
        found = native.links.get(name)
        return None if found is None else wrap_part(Link, found, native)

    def GetRigidlyAttachedLinks(self, linkindex: int) -> list[Any]:
        return self._links(self._native.links[int(linkindex)].rigidly_attached)

    def _links(self, links: Any) -> list[Any]:
        return [wrap_part(Link, link, self._native) for link in links]

    # -- joints --------------------------------------------------------------------

    def GetJoints(self, indices: Any = None) -> list[Any]:
        joints = self._native.joints
        if indices is None:
            return self._joints(joints)
        return self._joints([joints[int(index)] for index in indices])

    def GetPassiveJoints(self) -> list[Any]:
        return self._joints(self._native.passive_joints)

    def GetDependencyOrderedJoints(self) -> list[Any]:
        """Return the joints with degrees of freedom, those nearer to the base first."""
        ordered = self._native.structure.dependency_ordered_joints
        return self._joints([one for one in ordered if one.active])

    def GetDependencyOrderedJointsAll(self) -> list[Any]:
        return self._joints(self._native.structure.dependency_ordered_joints)

    def GetClosedLoops(self) -> list[list[tuple[Any, Any]]]:
        native = self._native
        return [
            [
                (wrap_part(Link, link, native), wrap_part(Joint, joint, native))
                for link, joint in loop
            ]
            for loop in native.structure.closed_loops
        ]

    def GetJoint(self, name: str) -> Any:
        native = self._native
        found = native.joints.get(name)
        if found is None:
            found = native.passive_joints.get(name)
        return None if found is None else wrap_part(Joint, found, native)

    def GetJointIndex(self, name: str) -> int:
        names = [joint.name for joint in self._native.joints]
        return names.index(name) if name in names else -1

    def GetJointFromDOFIndex(self, dofindex: int) -> Any:
        native = self._native
        return wrap_part(Joint, native.structure.joint_of_dof(int(dofindex)), native)

    def _joints(self, joints: Any) -> list[Any]:
        return [wrap_part(Joint, joint, self._native) for joint in joints]

    # -- chains --------------------------------------------------------------------

    def GetChain(
        self, linkindex1: int, linkindex2: int, returnjoints: bool = True
    ) -> list[Any]:
        structure = self._native.structure
        ends = int(linkindex1), int(linkindex2)
        if returnjoints:
            return self._joints(structure.chain_joints(*ends))
        return self._links(structure.chain_links(*ends))

    def IsDOFInChain(self, linkindex1: int, linkindex2: int, dofindex: int) -> bool:
        ends = int(linkindex1), int(linkindex2)
        return bool(self._native.structure.is_dof_in_chain(*ends, int(dofindex)))

    def DoesAffect(self, jointindex: int, linkindex: int) -> int:
        """Return 1 if a joint moves a link, else 0."""
        joint = self._native.joints[int(jointindex)]
        return int(self._native.structure.affects(joint, int(linkindex)))

    def DoesDOFAffectLink(self, dofindex: int, linkindex: int) -> int:
        return int(self._native.structure.dof_affects(int(dofindex), int(linkindex)))

    def IsDOFRevolute(self, dofindex: int) -> bool:
        return not self.IsDOFPrismatic(dofindex)

    def IsDOFPrismatic(self, dofindex: int) -> bool:
        joint = self._native.structure.joint_of_dof(int(dofindex))
        return bool(joint.prismatic[int(dofindex) - joint.dof_index])

    # -- adjacent links ------------------------------------------------------------

    def GetAdjacentLinks(self) -> list[tuple[int, int]]:
        return [(a, b) for a, b in self._native.adjacent_links.tolist()]

    def GetNonAdjacentLinks(self, adjacentoptions: int = 0) -> list[tuple[int, int]]:
        options, native = int(adjacentoptions), self._native
        active = None
        if options & AdjacentOptions.ActiveDOFs and native.is_robot:
            active = native.active_dof_indices
        pairs = native.structure.select_non_adjacent_links(
            enabled=bool(options & AdjacentOptions.Enabled), dof_indices=active
        )
        return [(a, b) for a, b in pairs.tolist()]

    def SetAdjacentLinks(self, linkindex0: int, linkindex1: int) -> None:
        pair = (int(linkindex0), int(linkindex1))
        self._native.structure.declare_adjacent([pair])

    def SetAdjacentLinksCombinations(self, linkIndices: Any) -> None:
        listed = [int(index) for index in linkIndices]
        pairs = [(a, b) for k, a in enumerate(listed) for b in listed[:k]]
        if pairs:
            self._native.structure.declare_adjacent(pairs)
