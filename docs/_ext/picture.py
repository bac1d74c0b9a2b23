"""Base of directives that make a picture while the site is built."""

from __future__ import annotations

import hashlib
import os
from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

SIZE = (960, 640)
"""Width and height of pictures of a scene, pixels."""


def _point(text: str | None) -> tuple[float, ...]:
    """Return a point of an option; docutils tells the page's author of a ValueError."""
    point = tuple(map(float, (text or "").split()))
    if len(point) != 3:
        raise ValueError(f"{text!r} is no point; expected x y z in metres")
    return point


class Picture(SphinxDirective):
    """A picture of the scene that the argument names.

    ``:eye:`` and ``:target:`` together place the camera, ``:alt:`` is the text for
    those who do not see the picture.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "eye": _point,
        "target": _point,
        "alt": directives.unchanged_required,
    }
    language: ClassVar[str] = "xml"
    """Of the content, which is shown above the picture; empty: it is not shown."""

    @abstractmethod
    def draw(self, scene: str, content: str, path: Path) -> None:
        """Write the picture as PNG."""

    def run(self) -> list[nodes.Node]:
        content, scene = "\n".join(self.content), self.arguments[0]
        said = f"{scene} {sorted(self.options.items())} {content}"
        name = hashlib.sha256(said.encode()).hexdigest()[:16] + ".png"
        folder = Path(self.env.app.doctreedir) / self.name
        folder.mkdir(parents=True, exist_ok=True)
        self.draw(scene, content, folder / name)
        page = Path(self.env.doc2path(self.env.docname)).parent
        uri = Path(os.path.relpath(folder / name, page)).as_posix()
        image = nodes.image(uri=uri, alt=self.options.get("alt", ""))
        if not (content and self.language):
            return [image]
        return [nodes.literal_block(content, content, language=self.language), image]

    def place(self) -> dict[str, tuple[float, ...]]:
        """Return where the options place the camera, as keywords; none without them."""
        found = {
            key: self.options[key] for key in ("eye", "target") if key in self.options
        }
        if len(found) == 1:
            raise self.error(":eye: and :target: place the camera together")
        return found
