"""Turning valid inputs into slightly wrong ones: XML trees, words of texts, bytes.

Every function takes a `random.Random`, so that a run can be repeated, and Hypothesis
can shrink one.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from copy import deepcopy

from lxml import etree

__all__ = ["NUMBERS", "Mutation", "mutate_bytes", "mutate_words", "mutate_xml"]

Mutation = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
"""(input, random numbers, words of the format) -> another input."""

NUMBERS = (
    *("0", "-0", "1", "-1", "2", "3", "0.5", "1e-3", "1e3", "7", "255", "256", "65535"),
    *(
        "1e30",
        "-1e30",
        "1e308",
        "-1e308",
        "1e400",
        "1e-320",
        "4294967295",
        "2147483648",
    ),
    *(
        "nan",
        "inf",
        "-inf",
        "1_0",
        "0x10",
        "1,5",
        "",
        "99999999999999999999",
        "9" * 400,
    ),
)
_NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][\w.:-]*|[-+]?[\d.]+(?:[eE][-+]?\d+)?|\s+|.", re.DOTALL)
_MAX_BYTES = 1 << 16
_MAX_ELEMENTS = 2000
_JSON = (
    *("null", "true", "1", "-1", "1e999", '"x"', "[]", "{}", "[[[]]]", "[1, 2, 3]"),
    *("[1, 0, 0, 0, 1, 0, 0, 0, 1]", '{"type": "Box"}', '{"type": "Pose"}'),
    *('{"type": "Sphere", "radius": 1}', '{"type": "NoShape"}', "NaN", '["a", "b"]'),
    '{"type": "MeshData", "vertices": [[0, 0, 0]], "faces": [[0, 0, 0]]}',
    '{"type": "TriMesh", "mesh": {"type": "MeshReference", "uri": "a.stl"}}',
)


def mutate_bytes(data: bytes, rng: random.Random, words: Sequence[bytes]) -> bytes:
    """Return the bytes with a few of them changed, cut out, repeated or put in."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 8))):
        kind = rng.randrange(8)
        at = rng.randrange(len(out) + 1)
        end = min(len(out), at + rng.choice((1, 2, 4, 8, 32, 256)))
        if kind == 0 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(out):
            out[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        elif kind == 2:
            del out[at:end]
        elif kind == 3:
            out[at:at] = out[at:end] * rng.choice((1, 1, 2, 16))
        elif kind == 4:
            out[at:at] = rng.choice(words) if words else b"\0"
        elif kind == 5:
            size = rng.choice((2, 4, 8))
            value = rng.choice((0, 1, 2, 255, 1 << 15, 1 << 31, 1 << 63, -1))
            value %= 1 << (8 * size)
            out[at : at + size] = value.to_bytes(size, rng.choice(("little", "big")))
        elif kind == 6:
            _replace_number(out, rng)
        elif rng.randrange(8) == 0:
            del out[at:]
    return bytes(out[:_MAX_BYTES])


def _replace_number(out: bytearray, rng: random.Random) -> None:
    found = list(_NUMBER.finditer(out))
    if found:
        match = rng.choice(found)
        out[match.start() : match.end()] = rng.choice(NUMBERS).encode()


def mutate_words(data: bytes, rng: random.Random, words: Sequence[bytes]) -> bytes:
    """Return a text with words and numbers changed, moved, repeated or left out."""
    if rng.randrange(6) == 0:
        return mutate_bytes(data, rng, words)
    parts = _WORD.findall(data)
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at = rng.randrange(len(parts) + 1)
        end = min(len(parts), at + rng.choice((1, 2, 3, 8, 32)))
        kind = rng.randrange(7)
        if kind == 0:
            del parts[at:end]
        elif kind == 1:
            parts[at:at] = parts[at:end] * rng.choice((1, 1, 3, 20))
        elif kind == 2:
            parts[at:at] = [rng.choice(words or (b" ",)), b" "]
        elif kind == 3 and at < len(parts):
            parts[at] = rng.choice(words or (b" ",))
        elif kind == 4:
            numbers = [i for i, part in enumerate(parts) if _NUMBER.fullmatch(part)]
            if numbers:
                parts[rng.choice(numbers)] = rng.choice(NUMBERS).encode()
        elif kind == 5 and end < len(parts):
            parts[at], parts[end] = parts[end], parts[at]
        elif at < len(parts):
            inside, parts[at:end] = parts[at:end], []
            place = rng.randrange(len(parts) + 1)
            parts[place:place] = inside
    return b"".join(parts)[:_MAX_BYTES]


def mutate_xml(data: bytes, rng: random.Random, words: Sequence[bytes]) -> bytes:
    """Return well-formed XML with elements, attributes and texts changed.

    Now and then, and for what is not well-formed, the bytes or words change instead.
    """
    if rng.randrange(12) == 0:
        return rng.choice((mutate_bytes, mutate_words))(data, rng, words)
    try:
        root = etree.fromstring(data, etree.XMLParser(resolve_entities=False))
    except (etree.XMLSyntaxError, ValueError):
        return mutate_words(data, rng, words)
    names = [word.decode() for word in words] or ["a"]
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        nodes = list(root.iter(etree.Element))[:_MAX_ELEMENTS]
        rng.choice(_TREE)(root, rng.choice(nodes), nodes, names, rng)
    return etree.tostring(root)[: 4 * _MAX_BYTES]


# Each changes one element: (root, element, all elements, names, random numbers).


def _remove(root, node, _nodes, _names, _rng):
    if node is not root:
        node.getparent().remove(node)


def _repeat(root, node, nodes, _names, rng):
    if node is not root and len(nodes) < _MAX_ELEMENTS // 2:
        for _ in range(rng.choice((1, 1, 1, 5))):
            node.addnext(deepcopy(node))


def _move(root, node, nodes, _names, rng):
    target = rng.choice(nodes)
    if node is root or node is target or node in set(target.iterancestors()):
        return
    target.insert(rng.randrange(len(target) + 1), node)


def _rename(_root, node, _nodes, names, rng):
    node.tag = _name(rng.choice(names))


def _insert(_root, node, nodes, names, rng):
    child = etree.Element(_name(rng.choice(names)))
    child.text = _text(nodes, names, rng)
    node.insert(rng.randrange(len(node) + 1), child)


def _wrap(root, node, _nodes, names, rng):
    if node is root:
        return
    parent = node.getparent()
    outer = etree.Element(_name(rng.choice(names)))
    parent.replace(node, outer)
    for _ in range(rng.choice((0, 0, 0, 40))):
        outer.append(etree.Element(outer.tag))
        outer = outer[0]
    outer.append(node)


def _set_text(_root, node, nodes, names, rng):
    node.text = _text(nodes, names, rng)


def _set_number(_root, node, _nodes, _names, rng):
    parts = (node.text or "0").split() or ["0"]
    at = rng.randrange(len(parts))
    kind = rng.randrange(5)
    if kind == 0:
        del parts[at]
    elif kind == 1:
        parts.insert(at, rng.choice(NUMBERS))
    else:
        parts[at] = rng.choice(NUMBERS)
    node.text = " ".join(parts)


def _set_attribute(_root, node, nodes, names, rng):
    keys = node.keys()
    key = rng.choice(keys) if keys and rng.randrange(3) else _name(rng.choice(names))
    if rng.randrange(6) == 0 and key in keys:
        del node.attrib[key]
        return
    other = rng.choice(nodes)
    values = other.values()
    value = rng.choice(values) if values and rng.randrange(2) else None
    node.set(key, _text(nodes, names, rng) if value is None else value)


def _set_exact(_root, node, _nodes, names, rng):
    exact = etree.SubElement(node, "pyrave")
    for _ in range(rng.choice((1, 1, 2))):
        field = etree.SubElement(exact, "set", name=rng.choice(names))
        field.text = rng.choice(_JSON)


def _change_json(_root, _node, nodes, _names, rng):
    sets = [node for node in nodes if node.tag == "set"]
    if not sets:
        return
    node = rng.choice(sets)
    try:
        data = json.loads(node.text or "null")
    except (ValueError, RecursionError):
        node.text = rng.choice(_JSON)
        return
    node.text = json.dumps(_changed(data, rng))


def _changed(data, rng):
    """Return JSON data with one value inside it changed."""
    if isinstance(data, dict) and data and rng.randrange(8):
        key = rng.choice(list(data))
        kind = rng.randrange(8)
        if kind == 0:
            return {k: v for k, v in data.items() if k != key}
        if kind == 1:
            return {(k + "x" if k == key else k): v for k, v in data.items()}
        return {k: _changed(v, rng) if k == key else v for k, v in data.items()}
    if isinstance(data, list) and data and rng.randrange(8):
        at = rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            return data[:at] + data[at + 1 :]
        if kind == 1:
            return data[:at] + data[at : at + 1] * 2 + data[at + 1 :]
        return [_changed(v, rng) if i == at else v for i, v in enumerate(data)]
    try:
        return json.loads(rng.choice((*_JSON, *(n for n in NUMBERS if n))))
    except ValueError:
        return rng.choice((None, True, -1, 0.5, "x", [], {}, 10**400))


def _name(word: str) -> str:
    return word if re.fullmatch(r"[A-Za-z_][\w.-]*", word) else "x"


def _text(nodes, names, rng) -> str:
    kind = rng.randrange(6)
    if kind == 0:
        count = rng.choice((1, 2, 3, 4, 7, 9, 18))
        return " ".join(rng.choice(NUMBERS) for _ in range(count))
    if kind == 1:
        return rng.choice(names)
    if kind == 2:
        return ("x", "é\u2028", " ", "a" * 3000, "\t\n", "../..", "-")[rng.randrange(7)]
    if kind == 3:
        return " ".join(rng.choice(names) for _ in range(3))
    values = [value for node in (rng.choice(nodes),) for value in node.values()]
    return rng.choice([rng.choice(nodes).text or "", *values])


_TREE = (
    *(_remove, _repeat, _move, _move, _rename, _insert, _insert, _wrap),
    *(_set_text, _set_text, _set_number, _set_number, _set_number, _set_attribute),
    *(_set_attribute, _set_attribute, _set_exact, _change_json, _change_json),
)
