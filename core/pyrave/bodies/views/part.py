"""Parts of bodies: names that belong together, behind one name of the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.attributes import Closed, not_alone, setters

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody


class BodyPart(Closed):
    """A part of a body: it reads and changes what the body keeps.

    It is made when it is asked for, and a body does not keep it: bodies that are
    removed end at once.
    """

    __slots__ = ("_body",)

    __reduce_ex__ = not_alone
    _hot = "__init__"
    _is_part = True
    _body: KinBody

    def __init__(self, body: KinBody) -> None:
        _set_body(self, body)

    @property
    def body(self) -> KinBody:
        """The body it belongs to."""
        return self._body

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._body!r}>"


(_set_body,) = setters(BodyPart, "_body")
