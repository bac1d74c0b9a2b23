"""Resolution of references to links and joints of a body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyrave_collada.reading.kinematics.bodies import Body
    from pyrave_collada.reading.kinematics.models import Joint
    from pyrave_collada.reading.load import ColladaReading


class Places:
    """Finds links and joints of one body by path; a bare sid or name will do.

    Parameters
    ----------
    body
        The body, its links and joints described.
    """

    def __init__(self, body: Body, reading: ColladaReading) -> None:
        self._body = body
        self._reading = reading
        system = body.system
        self.models = [model.element for _, model in system.models]
        """The kinematics models of the body."""
        # what the inner elements say may be replaced by the outer ones
        instances = [one for one in system.instances if one not in self.models]
        self.systems = [*reversed(system.elements), *reversed(instances)]
        """Articulated systems and what instantiates them, innermost first."""
        self.holders = [*self.models, *self.systems]
        """All elements whose extras speak of the body, innermost first."""

    def link(self, path: str, context: Any) -> str | None:
        """Return the name of the link that a path leads to, None if to none."""
        system = self._body.system
        found = self._reading.library.find(path, context) if path else None
        if found is not None:
            several = [m for i, m in system.models if i in found.trail]
            for model in several or [m for _, m in system.models]:
                link = model.link_of(found)
                if link is not None:
                    return self._body.names[link]
        last = path.rpartition("/")[2]
        for one, name in self._body.names.items():
            if last and last in {one.sid, name}:
                return name
        return None

    def joint(self, path: str, context: Any) -> str | None:
        """Return the name of the joint that a path leads to, None if to none."""
        found = self._reading.library.find(path, context) if path else None
        joint: Joint | None = (
            None if found is None else self._body.system.joint_of(found)
        )
        if joint is not None and joint in self._body.joints:
            return self._body.joints[joint]
        last = path.rpartition("/")[2]
        for one, name in self._body.joints.items():
            sids = {one.place.get("sid"), one.element.get("sid"), name}
            if last and last in sids:
                return name
        return None

    def link_at(
        self, element: Any, context: Any, attribute: str = "link"
    ) -> str | None:
        """Return the link that an attribute names; None, after a report, if none."""
        path = (element.get(attribute) or "").strip()
        name = self.link(path, context)
        if name is None:
            known = dict.fromkeys(self._body.names.values())
            self._reading.dangling(element, "the link", path, known)
        return name

    def joint_at(
        self, element: Any, context: Any, attribute: str = "joint"
    ) -> str | None:
        """Return the joint that an attribute names; None, after a report, if none."""
        path = (element.get(attribute) or "").strip()
        name = self.joint(path, context)
        if name is None:
            known = self._body.joints.values()
            self._reading.dangling(element, "the joint", path, known)
        return name
