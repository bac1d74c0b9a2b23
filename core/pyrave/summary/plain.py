"""Values as JSON: arrays as lists, what JSON lacks as text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """Return a value as JSON data: arrays as lists, what JSON lacks as text.

    Numbers that JSON does not have become the texts ``"inf"``, ``"-inf"``, ``"nan"``.
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    # numpy's arrays and numbers; it is not imported to ask for nothing
    if hasattr(value, "tolist"):
        listed = value.tolist()
        return listed if _is_json(value) else plain(listed)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return str(value)


def _is_json(value: Any) -> bool:
    """Return True if JSON has all numbers of an array; images have very many."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind == "f":
        import numpy as np

        return bool(np.isfinite(value).all())
    return kind in {"b", "i", "u"}


def to_json(data: Any) -> str:
    """Return data as JSON text, indented; a list of numbers or texts is one line."""
    return _indented(plain(data), "")


def _indented(data: Any, indent: str) -> str:
    deeper = indent + "  "
    if isinstance(data, dict) and data:
        lines = [
            f"{deeper}{_one_line(key)}: {_indented(value, deeper)}"
            for key, value in data.items()
        ]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(data, list) and any(isinstance(x, (dict, list)) for x in data):
        lines = [f"{deeper}{_indented(value, deeper)}" for value in data]
        return "[\n" + ",\n".join(lines) + f"\n{indent}]"
    return _one_line(data)


# `json.dumps` with options makes an encoder each time
_encoded = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _one_line(data: Any) -> str:
    """Return JSON that steers no terminal; it means the same."""
    text = _encoded(data)
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)
