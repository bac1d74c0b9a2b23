"""Groups of an SRDF: the joints and chains that they name, also by other groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.errors import SceneError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyrave.scene import JointDescription, RobotDescription
    from pyrave_urdf.reading.load import UrdfReading

# groups of groups and long chains name more than the file has bytes
_MAX_MEMBERS = 2_000_000


@dataclass(slots=True)
class _Group:
    """Members of a group: joints, (base, tip) of chains, and groups, in order."""

    joints: dict[str, None] = field(default_factory=dict)
    chains: dict[tuple[str, str], None] = field(default_factory=dict)
    inner: dict[str, Any] = field(default_factory=dict)
    """``<group>`` elements by the names of the groups that they name."""


class Groups:
    """The groups of one SRDF. Belongs to one load.

    Parameters
    ----------
    virtual
        Names of joints that are no joints of the robot, but may be named.
    """

    def __init__(
        self, robot: RobotDescription, reading: UrdfReading, virtual: frozenset[str]
    ) -> None:
        self._reading = reading
        self._virtual = virtual
        self._links = {link.name: link for link in robot.links}
        self._joints = {joint.name: joint for joint in robot.joints}
        self._above = {joint.child: joint for joint in robot.joints}
        self._depths = self._counted()
        self._members = 0
        self.elements: dict[str, Any] = {}
        """The ``<group>`` elements by name."""
        for element in reading.document.root.iterchildren("group"):
            name = element.get("name") or ""
            if name in self.elements:
                reading.warn(
                    element,
                    "repeated-item",
                    f"duplicate group {name!r}; using the last one",
                    "give each group a name of its own",
                )
            self.elements[name] = element
        self._groups = {name: self._read(name) for name in self.elements}
        self._cut_circles()

    # -- names -----------------------------------------------------------------------

    def known(
        self, element: Any, attribute: str, what: str, known: Mapping[str, Any]
    ) -> str | None:
        """Return the name in an attribute, None if nothing has it; that is reported."""
        name = (element.get(attribute) or "").strip()
        if name in known:
            return name
        if what == "joint" and name in self._virtual:
            return None
        code = "unknown-link" if what == "link" else "unknown-joint"
        self._reading.unknown(element, what, name, known, code)
        return None

    def _read(self, name: str) -> _Group:
        group = _Group()
        for child in self.elements[name]:
            match child.tag:
                case "joint":
                    joint = self.known(child, "name", "joint", self._joints)
                    if joint:
                        group.joints[joint] = None
                case "link":
                    link = self.known(child, "name", "link", self._links)
                    moved = self._above.get(link) if link else None
                    if moved:
                        group.joints[moved.name] = None
                case "chain":
                    base = self.known(child, "base_link", "link", self._links)
                    tip = self.known(child, "tip_link", "link", self._links)
                    if base and tip and self.chain(base, tip) is None:
                        self._reading.warn(
                            child,
                            "bad-chain",
                            f"no chain of joints leads from {base!r} down to {tip!r}",
                            "base_link lies nearer to the root than tip_link",
                        )
                    elif base and tip:
                        group.chains[base, tip] = None
                case "group":
                    inner = self.known(child, "name", "group", self.elements)
                    if inner is not None:
                        group.inner.setdefault(inner, child)
        return group

    def _cut_circles(self) -> None:
        """Take groups out of those that they contain themselves, which is reported."""
        done: set[str] = set()
        for first in self._groups:
            path = {first: iter(tuple(self._groups[first].inner.items()))}
            while path:
                name = next(reversed(path))
                for inner, element in path[name]:
                    if inner in path:
                        del self._groups[name].inner[inner]
                        self._reading.warn(
                            element,
                            "include-cycle",
                            f"the group {name!r} contains itself",
                        )
                    elif inner not in done:
                        path[inner] = iter(tuple(self._groups[inner].inner.items()))
                        break
                else:
                    done.add(name)
                    del path[name]

    # -- what a group is ---------------------------------------------------------------

    def whole(self, name: str) -> _Group:
        """Return all that a group names, itself or by other groups, each once."""
        found = _Group()
        seen, waiting = {name}, [name]
        while waiting:
            group = self._groups[waiting.pop()]
            self._spend(1 + len(group.joints) + len(group.chains) + len(group.inner))
            found.joints |= group.joints
            found.chains |= group.chains
            for inner in reversed(group.inner):
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
        return found

    def joints(self, name: str) -> Iterator[JointDescription]:
        """Yield the joints of a group and of its chains."""
        group = self.whole(name)
        for joint in group.joints:
            yield self._joints[joint]
        for ends in group.chains:
            yield from self.chain(*ends) or ()

    def ends(self, name: str) -> tuple[str, str] | None:
        """Return (base, tip) of a group whose joints are one chain, else None."""
        joints = list(self.joints(name))
        if not joints:
            return None
        children = {joint.child for joint in joints}
        tops = [joint for joint in joints if joint.parent not in children]
        # fixed joints may stand between those that are named
        top = min(tops, key=lambda joint: self._depths[joint.child])
        deepest = max(joints, key=lambda joint: self._depths[joint.child])
        path = self.chain(top.parent, deepest.child) or []
        named = {joint.name for joint in joints}
        passed = {joint.name for joint in path}
        moving = {joint.name for joint in path if joint.axes}
        return (top.parent, deepest.child) if moving <= named <= passed else None

    # -- chains ------------------------------------------------------------------------

    def chain(self, base: str, tip: str) -> list[JointDescription] | None:
        """Return the joints from a link down to another, None if it is not above."""
        found = []
        for _ in range(self._depths[tip] - self._depths[base]):
            found.append(self._above[tip])
            tip = found[-1].parent
        self._spend(len(found))
        return found[::-1] if tip == base else None

    def has_fixed(self, link: str, other: str) -> bool:
        """Return True if a link is another one, or carries it by fixed joints."""
        if self._depths.get(other, -1) < self._depths[link]:
            return False
        chain = self.chain(link, other)
        return chain is not None and not any(joint.axes for joint in chain)

    def _counted(self) -> dict[str, int]:
        """Return the number of joints above each link."""
        depths: dict[str, int] = {}
        for link in self._links:
            path = [link]
            while path[-1] not in depths and path[-1] in self._above:
                path.append(self._above[path[-1]].parent)
            depth = depths.setdefault(path.pop(), 0)
            for one in reversed(path):
                depth += 1
                depths[one] = depth
        return depths

    def _spend(self, members: int) -> None:
        self._members += members
        if self._members > _MAX_MEMBERS:
            document = self._reading.document
            raise SceneError.refusal(
                "file-too-large",
                f"the groups name more than {_MAX_MEMBERS} links and joints",
                file=document.file,
                line=document.root.sourceline,
                hint="list groups in fewer other groups",
            )
