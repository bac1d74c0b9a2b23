"""Configuration of the documentation site: Sphinx, furo, MyST-NB."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils.nodes import Text
from sphinx.addnodes import pending_xref

from pyrave import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "pyrave"
author = "The pyrave developers"
copyright = "the pyrave developers"  # noqa: A001 - Sphinx reads this name
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "pictures",
    "public_names",
    "served",
    "unreleased",
    "vocabulary",
]
exclude_patterns = ["_build", "jupyter_execute", "changes", "examples"]
default_role = "py:obj"
html_theme = "furo"
html_title = f"pyrave {__version__}"
html_copy_source = False
html_search_scorer = str(Path(__file__).parent / "_ext" / "scorer.js")

html_static_path = ["_static"]
html_css_files = ["cards.css"]

# notebooks are kept without outputs, and run at each build
nb_execution_mode = "auto"
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_execution_raise_on_error = True

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_numpy_docstring = True
napoleon_use_rtype = False
napoleon_use_param = False
nitpicky = False


def setup(app: Any) -> None:
    """Let ``type[...]`` in signatures be no link: attributes are called that, too."""

    def unlink_type(_: Any, document: Any) -> None:
        for node in list(document.findall(pending_xref)):
            if node.get("reftarget") == "type":
                node.replace_self(Text("type"))

    app.connect("doctree-read", unlink_type)
