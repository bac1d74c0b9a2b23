"""Pictures of the documentation: what their directives refuse."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

_EXTENSIONS = Path(__file__).parents[2] / "docs" / "_ext"
_PAGE = """# Page

```{{camera-view}} scenes/minimal.env.xml
{}
```
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def build_page(tmp_path):
    """Return a function that builds a site of one page and returns what is said."""
    pytest.importorskip("sphinx")
    (tmp_path / "conf.py").write_text(
        f"import sys\n\nsys.path.insert(0, {str(_EXTENSIONS)!r})\n"
        "extensions = ['myst_parser', 'pictures']\n"
    )

    def run(page):
        (tmp_path / "index.md").write_text(page)
        command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "."]
        done = subprocess.run(
            [*command, "out"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    return run


@pytest.fixture
def build(build_page):
    """The same, with the options of a picture."""
    return lambda options: build_page(_PAGE.format(options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (":eye: 1 2 3", "index.md:3: ERROR: :eye: and :target: place the camera"),
        (":target: 1 2 3", "index.md:3: ERROR: :eye: and :target: place the camera"),
        (":eye: 1 2\n:target: 0 0 0", "'1 2' is no point; expected x y z in metres"),
    ],
)
def test_a_camera_needs_two_points(build, options, message):
    assert message in build(options)


def test_a_camera_is_placed(build, tmp_path):
    assert build(":eye: 3 0 2\n:target: 0 0 0.5") == ""
    assert len(list((tmp_path / "out" / "_images").glob("*.png"))) == 1


_DOCS = Path(__file__).parents[2] / "docs"
_MADE = re.compile(r"^```\{made-picture\} (\S+)$", re.MULTILINE)


def test_pictures_of_pages_are_made_by_their_code():
    """Which the test of snippets runs."""
    pages = [page for page in _DOCS.rglob("*.md") if "_build" not in page.parts]
    made = {page: _MADE.findall(page.read_text("utf-8")) for page in pages}
    assert len(made[_DOCS / "gallery.md"]) >= 6
    for page in pages:
        text = page.read_text("utf-8")
        code = "".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
        for name in made[page]:
            assert f'"{name}"' in code, f"{page.name}: no code writes {name}"


def test_a_picture_that_the_code_does_not_make_is_an_error(build_page):
    said = build_page("```python\nx = 1\n```\n\n```{made-picture} a.png\n```\n")
    assert "ERROR: the code of the page writes no a.png" in said


def test_the_first_picture_is_what_the_demo_draws(tmp_path):
    import matplotlib.image

    command = [sys.executable, "-m", "pyrave", "demo", "--size", "640x480"]
    subprocess.run([*command, "--out", "."], cwd=tmp_path, check=True)
    now = matplotlib.image.imread(tmp_path / "demo.png")
    kept = matplotlib.image.imread(_DOCS / "images" / "demo.png")
    assert now.shape == kept.shape
    # rounding differs between machines, at edges
    assert np.abs(now - kept).mean() < 0.01
