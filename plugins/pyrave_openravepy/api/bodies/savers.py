"""States of bodies that are kept and put back."""

from __future__ import annotations

from typing import Any, Self

from pyrave import StateParts
from pyrave_openravepy.api.enums import ErrorCode, SaveParameters
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native, wrap

__all__ = [
    "BODY_PARTS",
    "ROBOT_PARTS",
    "KinBodyStateSaver",
    "StateRestoreContext",
    "parts_of",
]

BODY_PARTS = int(SaveParameters.LinkTransformation | SaveParameters.LinkEnable)
"""Parts that a saver of a body keeps unless it is told."""
ROBOT_PARTS = BODY_PARTS | int(
    SaveParameters.ActiveDOF | SaveParameters.ActiveManipulator
)
"""Parts that a saver of a robot keeps unless it is told."""
_KNOWN = int(StateParts.ALL & ~StateParts.REST)


def parts_of(options: Any, default: int = BODY_PARTS) -> StateParts:
    """Return pyrave's parts of a state for OpenRAVE's bits, which are the same.

    Connected bodies are parts of their robot here, and come back with it.
    """
    bits = default if options is None else int(options)
    return StateParts(bits & _KNOWN)


class KinBodyStateSaver(Guarded):
    """A state of a body, which `Restore` and the end of a ``with`` block put back.

    Parameters
    ----------
    body
        Whose state.
    options
        Which parts of it, bits of `SaveParameters`.
    """

    _default = BODY_PARTS

    def __init__(self, body: Any, options: Any = None) -> None:
        native = as_native(body)
        if not hasattr(native, "preserve_state"):
            raise openrave_exception(
                f"a state is saved of {body!r}, expected a KinBody",
                ErrorCode.InvalidArguments,
            )
        self._saver: Any = native.preserve_state(parts_of(options, self._default))

    def GetBody(self) -> Any:
        """Return the body, None after `Release`."""
        return wrap(self._saver.body)

    def Restore(self, body: Any = None) -> None:
        """Put the state back, or give it to another body with such links and joints.

        After `Release` it does so only if a body is named.
        """
        if body is None and self._saver.body is None:
            return
        self._saver.restore(None if body is None else as_native(body))

    def Release(self) -> None:
        """Forget the body: nothing is put back any more."""
        self._saver.release()

    def Close(self) -> None:
        """Put the state back, and forget the body."""
        self.Restore()
        self.Release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.Restore()

    def __str__(self) -> str:
        body = self._saver.body
        return f"state for {body.name if body is not None else 'no body'}"


class StateRestoreContext(KinBodyStateSaver):
    """A state that comes back at the end of a ``with`` block."""
