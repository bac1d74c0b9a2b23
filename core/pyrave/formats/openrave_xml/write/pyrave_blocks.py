"""Adding ``<pyrave>`` elements where tags alone say something else."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import SceneError
from pyrave.formats.leftovers import LeftoversWriter
from pyrave.scene import BodyDescription, SceneDescription

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.write.state import Writing
    from pyrave.formats.openrave_xml.write.tags import WrittenElement


class Settling(LeftoversWriter):
    """Completes the elements of one save; each object has a block of its own."""

    fixed_names = True

    def __init__(self, writing: Writing) -> None:
        super().__init__(writing.names, operator.eq)
        self._writing = writing

    def settle(self, node: WrittenElement, wanted: Any, read: Any) -> None:
        """Add what makes an element that is read as `read` give what is `wanted`.

        Raises
        ------
        SceneError
            If no element can say it.
        """
        block = etree.Element("pyrave")
        self.fill(block, wanted, read, node)
        if isinstance(wanted, BodyDescription) and _needs_no_values(wanted, read):
            self.add_value(block, "dof_values", None, None)
        if not len(block):
            return
        if not node.is_scene and isinstance(wanted, SceneDescription):
            names = ", ".join(one.get("name") for one in block)
            raise SceneError(
                f"cannot be written: a {wanted.root} file holds no {names}"
            )
        known = node.element.find("pyrave")
        if known is None:
            node.element.append(block)
        else:
            known.extend(list(block))

    def add_objects(
        self, block: Any, name: str, mine: Any, read: Any, holder: WrittenElement
    ) -> None:
        """Settle objects one by one."""
        children = holder.children.get(name) or [None] * len(mine)
        if len(mine) != len(read):
            raise SceneError(
                f"cannot be written: {len(read)} of {len(mine)} {name} would be read "
                "back"
            )
        order = list(range(len(mine)))
        if name in holder.reordered:
            order = _matched(mine, read)
        for child, index, one in zip(children, order, mine, strict=True):
            if child is not None:
                self.settle(child, one, read[index])
        self.add_order(block, name, order)

    def add_readables(
        self, block: Any, owner: Any, read: Any, holder: WrittenElement
    ) -> None:
        """Append the order of readables; their elements are there.

        Those whose elements are taken for tags of the format are lost.
        """
        mine = owner.readables
        if len(mine) > len(read):
            kept = {key.lower() for key, _ in read}
            for key, readable in mine:
                xml = readable.to_xml()
                is_own = xml is not None and xml.tag.lower() != holder.element.tag
                said = is_own and id(readable) not in self._writing.left_out
                if said and key.lower() not in kept:
                    message = (
                        f"the readable {key!r} is read back as a tag of the format"
                    )
                    self._writing.lose(readable, message)
        elif len(mine) == len(read):
            order = _matched(mine, read)
            if mine == tuple(read[index] for index in order):
                self.add_order(block, "readables", order)


def _needs_no_values(wanted: BodyDescription, read: BodyDescription) -> bool:
    """Return True if a ``<set>`` must say that a body has no start values.

    Else limits that other ones give bring the axes that start outside them inside.
    """
    return wanted.dof_values is read.dof_values is None and any(
        not axis.circular and not axis.lower <= axis.initial <= axis.upper
        for joint in wanted.joints
        if joint.active
        for axis in joint.axes
    )


def _matched(mine: Sequence[Any], other: Sequence[Any]) -> list[int]:
    """Return for each object where it stands among the others, equal ones first."""
    free = list(range(len(other)))
    found: list[int | None] = []
    for item in mine:
        equal = next((index for index in free if other[index] == item), None)
        if equal is not None:
            free.remove(equal)
        found.append(equal)
    rest = iter(free)
    return [next(rest) if index is None else index for index in found]
