"""OpenRAVE's XML trajectory form, and readables as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import SceneError
from pyrave.scene.readable import Readable, XmlElement, XmlReadable
from pyrave.trajectories.record import TrajectoryRecord
from pyrave.trajectories.specification import ConfigurationSpecification
from pyrave.trajectories.xml_input import (
    attribute,
    cdata,
    child_elements,
    parse,
    problem,
    quoted,
    tag_of,
    tag_text,
)

if TYPE_CHECKING:
    from pyrave.spatial import Array

_MAX_DEPTH = 100


def write(record: TrajectoryRecord, interface_id: str, digits: int) -> str:
    """Return the ``<trajectory>`` element."""
    numbers = "".join(f"{value:.{digits}g} " for value in record.waypoints.flat)
    parts = [
        f"<trajectory type={quoted(interface_id)}>\n{record.spec.to_xml()}\n",
        f'<data count="{record.waypoints.shape[0]}">\n{numbers}</data>\n',
    ]
    if record.description:
        parts.append(f"<description>{cdata(record.description)}</description>\n")
    if record.readables:
        parts.append("<readable>")
        for key, readable in record.readables:
            element = readable.to_xml()
            if element is not None:
                # The key is the tag under which a reader finds the readable again.
                parts.append(_element_text(element, key))
        parts.append("</readable>\n")
    parts.append("</trajectory>\n")
    return "".join(parts)


def read(source: Any, interface_id: str) -> TrajectoryRecord:
    """Return the contents of text, UTF-8 bytes or an lxml element.

    Parameters
    ----------
    interface_id
        A ``type`` attribute must be this, without regard to case.
    """
    root = parse(source)
    if tag_of(root) != "trajectory":
        raise problem(f"<{root.tag}> found, expected <trajectory>", root)
    found = attribute(root, "type")
    if found and interface_id and found.lower() != interface_id.lower():
        raise problem(
            f"the trajectory is of type {found!r}, expected {interface_id!r}",
            root,
            hint=f"create it with env.create('trajectory', {found!r})",
        )
    spec: ConfigurationSpecification | None = None
    values: list[Array] = []
    description = ""
    readables: list[tuple[str, Readable]] = []
    for child in child_elements(root):
        tag = tag_of(child)
        if tag == "configuration":
            spec = ConfigurationSpecification.from_xml(child)
        elif tag == "data":
            if spec is None:
                raise problem("<data> found before <configuration>", child)
            values.append(_numbers(child, spec.dof))
        elif tag == "description":
            description = "".join(child.itertext())
        elif tag == "readable":
            readables += [
                (element.tag, XmlReadable(element))
                for element in map(_tree, child_elements(child))
            ]
        else:
            raise problem(
                f"<{child.tag}> found, expected <configuration>, <data>, <description> "
                "or <readable>",
                child,
            )
    if spec is None:
        raise problem("a trajectory needs a <configuration>", root)
    flat = np.concatenate((*values, np.empty(0)))
    try:
        return check_record(spec, flat, description, tuple(readables))
    except SceneError as error:
        raise problem(error.first.message, root) from error


def check_record(
    spec: ConfigurationSpecification,
    values: Array,
    description: str,
    readables: tuple[tuple[str, Readable], ...],
) -> TrajectoryRecord:
    """Return a record of flat values, or a SceneError when it makes no sense."""
    if not spec.groups:
        if values.size:
            raise problem("there are values but no configuration group")
        rows = np.empty((0, 0))
        return TrajectoryRecord(spec, rows, description, readables)
    wrong = spec.problem()
    if wrong is not None:
        raise problem(wrong)
    if values.size % spec.dof:
        raise problem(
            f"{values.size} values found, expected a multiple of {spec.dof} (the "
            "number of values of one waypoint)"
        )
    return TrajectoryRecord(spec, values.reshape(-1, spec.dof), description, readables)


def _numbers(element: Any, dof: int) -> Array:
    words = "".join(element.itertext()).split()
    try:
        values = np.array(words, dtype=np.float64)
    except ValueError as error:
        word = next(word for word in words if not _is_number(word))
        raise problem(f"<data> holds {word!r}, which is no number", element) from error
    count = attribute(element, "count")
    if count is None:
        return values
    if not count.strip().isascii() or not count.strip().isdigit():
        raise problem(f"count is {count!r}, expected a whole number", element)
    # Compared as numbers only: a huge count must not allocate anything.
    if int(count[:20]) * dof != values.size:
        raise problem(
            f"<data> has {values.size} numbers, expected {count} waypoints of {dof}",
            element,
        )
    return values


def _is_number(word: str) -> bool:
    try:
        np.array([word], dtype=np.float64)
    except ValueError:
        return False
    return True


def content_of_readable(key: str, readable: Readable) -> tuple[str, bool] | None:
    """Return a readable as text and whether that is XML; None to leave it out."""
    element = readable.to_xml()
    if element is None:
        return None
    if not element.attributes and not element.children and not element.tail:
        return element.text, False
    return _element_text(element, key), True


def readable_from_content(key: str, text: str, *, xml_only: bool) -> Readable:
    """Return a readable from its text; what is not XML is kept as text.

    Parameters
    ----------
    xml_only
        The text claims to be XML: anything else is an error.
    """
    if xml_only or text.lstrip().startswith("<"):
        try:
            # Without its own root element it is the inside of one.
            wrapper = parse(f"<readable>{text}</readable>")
        except SceneError:
            if xml_only:
                raise
        else:
            children = child_elements(wrapper)
            alone = len(children) == 1 and not (wrapper.text or "").strip()
            if alone and tag_of(children[0]) == key.lower():
                return XmlReadable(_tree(children[0], keep_tail=False))
            tree = _tree(wrapper)
            return XmlReadable(XmlElement(key, (), tree.text, tree.children))
    return XmlReadable(XmlElement(key, text=text))


def _tree(element: Any, depth: int = 0, *, keep_tail: bool = False) -> XmlElement:
    """Return an lxml element as plain data."""
    if depth > _MAX_DEPTH:
        raise problem(f"elements are nested more than {_MAX_DEPTH} deep", element)
    text = element.text or ""
    tail = (element.tail or "") if keep_tail else ""
    children = child_elements(element)
    prefixes = {uri: prefix for prefix, uri in element.nsmap.items()}
    above = {} if element.getparent() is None else element.getparent().nsmap
    declared = tuple(
        ("xmlns" if prefix is None else f"xmlns:{prefix}", str(uri))
        for prefix, uri in element.nsmap.items()
        if above.get(prefix) != uri
    )
    attributes = ((_name(k, prefixes), str(v)) for k, v in element.attrib.items())
    return XmlElement(
        _name(element.tag, prefixes),
        (*declared, *attributes),
        # White space between elements has no meaning and would grow at each writing.
        text if text.strip() or not children else "",
        tuple(_tree(child, depth + 1, keep_tail=True) for child in children),
        tail if tail.strip() else "",
    )


def _name(tag: str, prefixes: dict[str, str | None]) -> str:
    """Return a tag as the file wrote it; lxml puts the namespace in front."""
    uri, found, local = tag.rpartition("}")
    prefix = prefixes.get(uri[1:]) if found else None
    return f"{prefix}:{local}" if prefix else str(local)


def _element_text(element: XmlElement, tag: str | None = None) -> str:
    name = tag_text(element.tag if tag is None else tag)
    attributes = "".join(f" {tag_text(k)}={quoted(v)}" for k, v in element.attributes)
    text = cdata(element.text) if element.text else ""
    inside = "".join(_element_text(child) for child in element.children)
    # OpenRAVE ends each element with a newline; before more text it would be text.
    end = cdata(element.tail) if element.tail else "\n"
    return f"<{name}{attributes}>{text}{inside}</{name}>{end}"
