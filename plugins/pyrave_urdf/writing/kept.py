"""Elements that were kept as data, written back where they stood."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats import add_xml

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pyrave.formats import Losses
    from pyrave.scene import Readable, XmlElement


def kept_as(key: str, readables: Iterable[tuple[str, Readable]]) -> XmlElement | None:
    """Return the first readable of a key as plain XML, None if there is none.

    Raises
    ------
    ValueError
        It holds something else than texts.
    """
    for name, readable in readables:
        if name == key:
            return plain_xml(readable)
    return None


def plain_xml(readable: Readable) -> XmlElement | None:
    """Return the XML that a readable writes, for inspection; raises as `kept_as`."""
    xml = readable.to_xml()
    waiting = [] if xml is None else [xml]
    for one in waiting:
        texts = one.tag, one.text, one.tail, *chain(*one.attributes)
        if not all(isinstance(text, str) for text in texts):
            raise ValueError(f"<{one.tag}> holds something else than texts")
        waiting += one.children
    return xml


class Kept:
    """Writer of one robot's readables. Belongs to one save.

    Parameters
    ----------
    robot
        The ``<robot>``, where ``<gazebo>`` blocks of links and joints go.
    """

    def __init__(self, robot: Any, losses: Losses) -> None:
        self._robot = robot
        self._losses = losses
        self.blocks: list[Any] = []
        """``<gazebo>`` blocks of links and joints, to be put behind them."""

    def add(
        self,
        parent: Any,
        name: str,
        readables: Iterable[tuple[str, Readable]],
        own: Collection[str],
        once: Collection[str] = (),
    ) -> None:
        """Append the readables of an object.

        Parameters
        ----------
        parent
            Its element.
        name
            Its name.
        own
            Tags that mean something else there.
        once
            Tags of which the last one counts.
        """
        last = {key: readable for key, readable in readables if key in once}
        for key, readable in readables:
            if key in last and last[key] is not readable:
                continue
            xml = readable.to_xml()
            if xml is None:
                self._lose(key, name)
            elif xml.tag == "gazebo" and parent is not self._robot:
                self._add_block(name, xml)
            elif xml.tag in own:
                self._lose(key, name)
            else:
                self._append(parent, xml, key, name)

    def _append(self, parent: Any, xml: XmlElement, key: str, name: str) -> Any:
        try:
            made = add_xml(parent, xml)
        except (ValueError, TypeError):  # no XML, or not even texts
            self._lose(key, name)
            return None
        return made

    def _add_block(self, name: str, xml: XmlElement) -> None:
        made = self._append(etree.Element("robot"), xml, "gazebo", name)
        if made is not None:
            made.set("reference", name)
            self.blocks.append(made)

    def _lose(self, key: str, name: str) -> None:
        self._losses.add(f"data {key!r} is not written", name)
