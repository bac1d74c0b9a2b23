"""Guards of plugins' file formats: errors name the plugin and the format."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from pyrave.errors import (
    Error,
    PluginError,
    PluginGuard,
    Problem,
    SceneError,
    error_text,
    error_trace,
    shown,
)
from pyrave.messages import LOGGER
from pyrave.scene import SceneDescription
from pyrave.scene.checks import validated

if TYPE_CHECKING:
    from pyrave.plugins.slots import Slot

_log = logging.getLogger(f"{LOGGER}.plugins")
_MISSING = object()


class GuardedFormat:
    """A format as its plugin offers it, for everyone who uses it.

    One that raises when it is asked whether a file is its own is passed over, which is
    logged once; one that raises or returns nonsense when it reads or writes ends in an
    error that names it. Other attributes are those of the plugin's object.

    Parameters
    ----------
    theirs
        The plugin's object, checked.
    slot
        Where its failures are kept.
    """

    def __init__(self, theirs: Any, slot: Slot) -> None:
        self._theirs = theirs
        self.is_loaded = True
        self._slot = slot
        self._sniffs = True
        self.name: str = theirs.name
        self.suffixes: tuple[str, ...] = tuple(theirs.suffixes or ())

    @property
    def plugin(self) -> str:
        """Name of the distribution that supplies it, empty for path plugins."""
        return self._slot.record.distribution

    def __repr__(self) -> str:
        return f"<format {self._called}>"

    def __getattr__(self, name: str) -> Any:
        with PluginGuard() as guard:
            # an exception that is kept here would keep its caller's scene in a cycle
            found = getattr(self._theirs, name, _MISSING)
            if found is not _MISSING:
                return found
        raise AttributeError(name) from guard.error

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is of this format."""
        with PluginGuard(self._sniff_failed):
            return bool(self._theirs.sniff(head))
        return False

    def _sniff_failed(self, error: BaseException) -> None:
        if self._sniffs:
            self._sniffs = False
            self._keep("sniff", error)
            text = "the format %s is passed over: its sniff() raised %s"
            _log.warning(text, self._called, error_text(error))

    def _keep(self, method: str, error: BaseException) -> None:
        """Keep the first failure of a method on the record of the plugin."""
        what = f"{method}() of the format {self.name!r}"
        if all(one.what != what for one in self._slot.record.failures):
            self._slot.failed(error, what)

    @property
    def _called(self) -> str:
        return f"{self.name!r} of plugin {self._slot.record.label}"

    def _reading_error(self, source: Any, error: BaseException | None) -> SceneError:
        assert error is not None  # noqa: S101 - for the type checker
        self._keep("read", error)
        made = SceneError.refusal(
            "plugin-failure",
            f"the reader of the format {self._called} failed: {error_text(error)}",
            file=source.file,
            traceback=error_trace(error),
        )
        made.__cause__ = error
        return made


class _Writable(GuardedFormat):
    """A format that a plugin also writes."""

    def write(self, item: Any, target: Any, context: Any) -> list[Problem]:
        """Write a scene or a mesh; return what the format could not say.

        Raises
        ------
        PluginError
            The plugin's code raised, or did not return a list of problems.
        """
        with PluginGuard(passes=Error) as guard:
            found = self._theirs.write(item, target, context)
            losses = list(found) if isinstance(found, (list, tuple)) else [found]
            if all(isinstance(one, Problem) for one in losses):
                return losses
            raise TypeError(f"it returned {shown(found)}, expected a list of problems")
        assert guard.error is not None  # noqa: S101 - for the type checker
        self._keep("write", guard.error)
        raise PluginError(
            f"the writer of the format {self._called} failed: {error_text(guard.error)}"
        ) from guard.error


class GuardedSceneFormat(_Writable):
    """A scene format of a plugin."""

    def read(self, source: Any, context: Any) -> SceneDescription:
        """Return the scene of a file.

        Raises
        ------
        SceneError
            The file is wrong, or the plugin's code raised or returned something else.
        """
        with PluginGuard(passes=Error) as guard:
            found = self._theirs.read(source, context)
            if not isinstance(found, SceneDescription):
                raise TypeError(
                    f"it returned {shown(found)}, expected a SceneDescription"
                )
            if self._slot.record.distribution == "pyrave":
                return found  # pyrave's own readers check each value
            with PluginGuard() as values:
                return validated(SceneDescription, found)
            raise self._reading_error(source, values.error)
        raise self._reading_error(source, guard.error)


class GuardedMeshFormat(GuardedFormat):
    """A mesh format of a plugin."""

    def read(self, source: Any) -> Any:
        """Return the triangles of a file, or None; raises as that of scenes."""
        from pyrave.geometry import Mesh

        with PluginGuard(passes=Error) as guard:
            found = self._theirs.read(source)
            if found is None or isinstance(found, Mesh):
                return found
            raise TypeError(f"it returned {shown(found)}, expected a Mesh")
        raise self._reading_error(source, guard.error)


class GuardedWritableMeshFormat(GuardedMeshFormat, _Writable):
    """A mesh format that a plugin also writes."""


def guarded_format(hook: str, theirs: Any, slot: Slot) -> GuardedFormat:
    """Return a format that a hook of a plugin gave, as everyone uses it."""
    if hook == "pyrave_scene_formats":
        return GuardedSceneFormat(theirs, slot)
    if callable(getattr(theirs, "write", None)):
        return GuardedWritableMeshFormat(theirs, slot)
    return GuardedMeshFormat(theirs, slot)
