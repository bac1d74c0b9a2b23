"""OpenRAVE XML: reader and writer.

`reader` and `writer` are the entries; `schema` is the vocabulary as data; the other
modules have one family of elements each.
"""

from __future__ import annotations

__all__: list[str] = []
