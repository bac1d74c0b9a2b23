"""Savers of body states: restore at the end of a block, or when asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces.base import read_state, write_state
from pyrave.world.body_state import BodyState, StateParts, StateVersions

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody


_still: WeakKeyDictionary[KinBody, tuple[StateVersions, BodyState]] = (
    WeakKeyDictionary()
)
"""States of bodies that stood still, which nobody changes, when they were saved."""


class StateSaver:
    """The state of a body as it was, put back at the end of a ``with`` block.

    Belongs to the body's thread. It saves the whole state when it is made; what it
    puts back is chosen by `parts`.

    Parameters
    ----------
    body
        Whose state.
    parts
        What is put back; the rest stays as it is then.
    """

    def __init__(self, body: KinBody, parts: StateParts = StateParts.ALL) -> None:
        self._body: KinBody | None = body
        self._parts = StateParts(parts)
        if int(parts) & ~int(StateParts.ALL):
            raise ArgumentError(f"the state parts {int(parts):#x} have unknown bits")
        self._versions = body.versions
        self._rests = _rests(body)
        self._state: Any = self._read(body)

    def _read(self, body: KinBody) -> Any:
        """Return the body's state; that of one which stands still is read but once."""
        versions, state = _still.get(body, (None, None))
        if self._rests and versions == self._versions:
            return state
        state = read_state(body)
        if self._rests and _is_plain(state):
            _still[body] = self._versions, state
        return state

    @property
    def body(self) -> KinBody | None:
        """The body, None after `release`."""
        return self._body

    @property
    def parts(self) -> StateParts:
        """What is put back."""
        return self._parts

    def restore(self, body: KinBody | None = None) -> None:
        """Put the state back.

        Parameters
        ----------
        body
            Another body to take the state over, for example a clone's; it needs as
            many links and degrees of freedom. None is the one it was saved from.

        Raises
        ------
        StateError
            It was released and no body is given.
        ArgumentError
            The state does not fit the body.
        PluginError
            Code of a plugin raised.
        """
        target = self._body if body is None else body
        if target is None:
            raise StateError("the saved state was released; name a body to restore it")
        state = self._state
        if isinstance(state, BodyState) and state.dof_values.size != target.dof:
            raise ArgumentError(
                f"the saved state has {state.dof_values.size} joint values, {target!r} "
                f"has {target.dof}"
            )
        if self._parts != StateParts.ALL and isinstance(state, BodyState):
            if target is self._body and self._is_untouched(target, state):
                return
            present = read_state(target)
            if present.has_parts(state, self._parts):
                return  # and what follows from poses stays known
            state = present.with_parts(state, self._parts)
        write_state(target, state)

    def _is_untouched(self, body: KinBody, state: BodyState) -> bool:
        """Return whether the body is known to be as it was, without reading it all."""
        return (
            _is_plain(state)
            and body.versions == self._versions
            and (
                (self._rests and _rests(body))
                or (
                    np.array_equal(body.dof_velocities, state.dof_velocities)
                    and np.array_equal(body.base_velocity, state.base_velocity)
                )
            )
        )

    def release(self) -> None:
        """Let go of the body: the end of the block restores nothing."""
        self._body = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._body is not None:
            self.restore()


def _is_plain(state: Any) -> bool:
    """Return whether versions and velocities of the body say if it is as it was."""
    return isinstance(state, BodyState) and state.robot is None and state.own is None


def _rests(body: KinBody) -> bool:
    """Return whether no velocity of the body is set."""
    base, joints = body.velocity_views
    return base is None and joints is None
