"""A directive that shows a picture which the page's own code has made.

``{made-picture} plan.png`` runs the Python code of the page, above it and below, in an
empty folder, once for each version of the page, and shows the file that it wrote.
``:alt:`` is the text for those who do not see the picture.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class MadePicture(SphinxDirective):
    """Show a picture that the code of the page writes."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        page = Path(self.env.doc2path(self.env.docname))
        folder = made(page, Path(self.env.app.doctreedir) / self.name)
        picture = folder / self.arguments[0]
        if not picture.is_file():
            raise self.error(f"the code of the page writes no {self.arguments[0]}")
        uri = Path(os.path.relpath(picture, page.parent)).as_posix()
        return [nodes.image(uri=uri, alt=self.options.get("alt", ""))]


def made(page: Path, place: Path) -> Path:
    """Return the folder in which the code of a page has run."""
    text = page.read_text(encoding="utf-8")
    folder = place / hashlib.sha256(text.encode()).hexdigest()[:16]
    if not folder.is_dir():
        folder.mkdir(parents=True)
        names: dict[str, object] = {"__name__": "page"}
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            for code in _CODE.findall(text):
                exec(compile(code, str(page), "exec"), names)  # noqa: S102 - our pages
    return folder
