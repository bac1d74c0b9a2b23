"""Bodies in the hands of a body."""

from __future__ import annotations

from typing import Any

from pyrave_openravepy.api.bodies.infos.body_info import grab_of, grabbed_info
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.enums import ErrorCode, GrabbedInfoCheckResult
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.logs import RaveLogWarn
from pyrave_openravepy.api.foundation.objects import as_native, wrap, wrap_part

__all__ = ["BodyGrabs"]


class BodyGrabs(Guarded):
    """Grabs of a body; a part of `KinBody`."""

    _native: Any

    def Grab(
        self,
        body: Any,
        grablink: Any = None,
        linkstoignore: Any = None,
        grabbedUserData: Any = None,
    ) -> bool:
        """Hold a body.

        ``(body)``, ``(body, grablink)``, ``(body, grablink, linkstoignore)`` or
        ``(body, linkstoignore)``: links are links or indices, or names where they are
        to be ignored.
        """
        native, held = self._native, _body(body)
        link, ignored = self._grab_links(grablink, linkstoignore)
        holder = held.holder
        if holder is not None and holder is not native:
            # both hold it there, and it follows who moved last
            RaveLogWarn(f"{held.name} is held by {holder.name}, which lets go of it")
            holder.release(held)
        native.grab(held, link, ignored)
        return True

    def Release(self, body: Any) -> None:
        """Let go of a body; nothing happens if it is not held."""
        native, held = self._native, _body(body)
        if native.is_grabbing(held):
            native.release(held)

    def ReleaseAllGrabbed(self) -> None:
        self._native.release_all()

    def ReleaseAllGrabbedWithLink(self, grablink: Any) -> None:
        self._native.release_all(self._native_link(grablink))

    def RegrabAll(self) -> None:
        self._native.grabs.renew()

    def IsGrabbing(self, body: Any) -> Any:
        """Return the link that holds a body, None if none does."""
        native = self._native
        found = native.grabs.link_of(_body(body))
        return None if found is None else wrap_part(Link, found, native)

    def GetNumGrabbed(self) -> int:
        return len(self._native.grabbed)

    def GetGrabbed(self) -> list[Any]:
        return [wrap(body) for body in self._native.grabbed]

    def GetGrabbedInfo(self, grabbedname: str | None = None) -> Any:
        """Return the infos of all grabs, or that of a body, None without."""
        found = [grabbed_info(one) for one in self._native.grabs.info]
        if not grabbedname:
            return found
        return next((one for one in found if one._grabbedname == grabbedname), None)

    def ResetGrabbed(self, grabbedinfos: Any) -> None:
        """Hold what infos say, and nothing else."""
        self._native.grabs.info = [grab_of(one) for one in grabbedinfos]

    def CheckGrabbedInfo(
        self,
        body: Any,
        grablink: Any,
        linkstoignore: Any = None,
        grabbedUserData: Any = None,
    ) -> Any:
        """Compare the grab of a body with one by a link, with ignored links."""
        native, held = self._native, _body(body)
        known = next((one for one in native.grabs.info if one.name == held.name), None)
        if known is None:
            return GrabbedInfoCheckResult.BodyNotGrabbed
        link, ignored = self._grab_links(grablink, linkstoignore)
        index = native.default_grab_link() if link is None else native.link_index(link)
        if native.links[index].name != known.link:
            return GrabbedInfoCheckResult.GrabbingLinkNotMatch
        if linkstoignore is not None:
            wanted = {native.links[native.link_index(one)].name for one in ignored}
            rigid = {one.name for one in native.links[index].rigidly_attached}
            if wanted - rigid != set(known.ignored_links) - rigid:
                return GrabbedInfoCheckResult.IgnoredLinksNotMatch
        return GrabbedInfoCheckResult.Identical

    # -- bodies that move along ----------------------------------------------------

    def IsAttached(self, body: Any) -> bool:
        return bool(self._native.is_attached(_body(body)))

    def HasAttached(self) -> bool:
        return len(self._native.attached) > 1

    def GetAttached(self) -> list[Any]:
        return [wrap(body) for body in self._native.attached]

    def GetAttachedEnvironmentBodyIndices(self) -> list[int]:
        return [int(body.id) for body in self._native.attached]

    # -- arguments -----------------------------------------------------------------

    def _grab_links(self, grablink: Any, linkstoignore: Any) -> tuple[Any, list[Any]]:
        """Return the link that grabs, None for the default, and those ignored."""
        if isinstance(grablink, (list, tuple, set, frozenset)):
            grablink, linkstoignore = None, grablink
        link = None if grablink is None else self._native_link(grablink)
        given = () if linkstoignore is None else linkstoignore
        return link, [self._native_link(one) for one in given]

    def _native_link(self, link: Any) -> Any:
        """Return a link, index or name as pyrave takes it."""
        if isinstance(link, (Link, str)):
            return as_native(link)
        return int(link)


def _body(given: Any) -> Any:
    """Return pyrave's body of one of the API."""
    native = as_native(given)
    if not hasattr(native, "grab"):
        raise openrave_exception(
            f"a body is {given!r}, expected a KinBody", ErrorCode.InvalidArguments
        )
    return native
