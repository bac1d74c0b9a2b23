"""A directive that shows a picture which the page's own code has made.

``{made-picture} plan.png`` runs the Python code of the page, above it and below, in an
empty folder, once for each version of the page, and shows the file that it wrote. Files
that the page shows with a caption are in the folder, too. ``:after:`` names pages
beside it that run there first. ``:alt:`` is the text for those who do not see the
picture.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(
    r"^```\{code-block\} \w+\n:caption: `?([^`\s]+)`?\n\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class MadePicture(SphinxDirective):
    """Show a picture that the code of the page writes."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "after": directives.unchanged_required,
        "alt": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        page = Path(self.env.doc2path(self.env.docname))
        first = self.options.get("after", "").split()
        before = [page.with_name(f"{name}.md") for name in first]
        for one in before:
            self.env.note_dependency(str(one))
        folder = made([*before, page], Path(self.env.app.doctreedir) / self.name)
        picture = folder / self.arguments[0]
        if not picture.is_file():
            raise self.error(f"the code of the page writes no {self.arguments[0]}")
        uri = Path(os.path.relpath(picture, page.parent)).as_posix()
        return [nodes.image(uri=uri, alt=self.options.get("alt", ""))]


def made(pages: Sequence[Path], place: Path) -> Path:
    """Return the folder in which the code of pages has run, one after the other."""
    texts = [page.read_text(encoding="utf-8") for page in pages]
    folder = place / hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    if not folder.is_dir():
        folder.mkdir(parents=True)
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            for page, text in zip(pages, texts, strict=True):
                _run(page, text)
    return folder


def _run(page: Path, text: str) -> None:
    """Write the files of a page here, and run its code."""
    for name, content in _FILE.findall(text):
        file = Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    names: dict[str, object] = {"__name__": "page"}
    for code in _CODE.findall(text):
        if "# raises " not in code:
            exec(compile(code, str(page), "exec"), names)  # noqa: S102 - our pages
