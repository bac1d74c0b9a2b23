"""Pictures of the documentation: what their directives refuse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_EXTENSIONS = Path(__file__).parents[2] / "docs" / "_ext"
_PAGE = """# Page

```{{camera-view}} scenes/minimal.env.xml
{}
```
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def build(tmp_path):
    """Return a function that builds a site with a picture and returns what is said."""
    pytest.importorskip("sphinx")
    (tmp_path / "conf.py").write_text(
        f"import sys\n\nsys.path.insert(0, {str(_EXTENSIONS)!r})\n"
        "extensions = ['myst_parser', 'pictures']\n"
    )

    def run(options):
        (tmp_path / "index.md").write_text(_PAGE.format(options))
        command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "."]
        done = subprocess.run(
            [*command, "out"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    return run


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
